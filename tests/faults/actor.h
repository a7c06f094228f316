/* Actors: clients in threads of their own, each of which does one step of its workload after the other, and notes what it
 * asked and what came of it. */
#ifndef HOLDFAST_FAULTS_ACTOR_H
#define HOLDFAST_FAULTS_ACTOR_H

#include "history.h"

#include <hiredis/hiredis.h>
#include <pthread.h>

enum { REPLIES_MAX = 16 };

struct part;

struct actor {
    struct part *part;
    pthread_t thread;
    int number; /* among all of the trial */
    unsigned seed;
    struct history history;
    redisContext *context;
    int server; /* that it is connected to */
    redisReply *replies[REPLIES_MAX];
    int reply_count;
    /* of the last call */
    int64_t begin_us, end_us;
    enum outcome outcome;
    bool told; /* refused because of the state that was found */
    /* of the workload */
    long long operations;
    char session[64], handle[64];
    uint64_t seen_before; /* a version that is no longer the newest, perhaps */
    int64_t until_us;
};

/* One command. The reply lasts until the step ends; NULL if it was not done. The fields of
 * the actor tell what came of it. */
redisReply *actor_asks(struct actor *actor, const char *format, ...) __attribute__((format(printf, 2, 3)));

int actor_chance(struct actor *actor, int below);
void actor_pause_ms(struct actor *actor, int min, int max);

/* A number that no other operation of the trial has. Those of one actor grow. */
long long actor_operation(struct actor *actor);

/* How long one may rely on what lasts for so many milliseconds, from the moment at which one asked for it. Servers
 * count whole milliseconds, and a wall clock that was set draws theirs by half a per cent. */
int64_t belief_us(int duration_ms);

/* Whether it is the first one of its workload. */
bool actor_is_first(const struct actor *actor);

/* The last call as an event; the caller fills in what it is about. */
struct event actor_event(const struct actor *actor, enum event_kind kind);
void actor_notes(struct actor *actor, struct event event);

/* What the thread of an actor does until the load ends. */
void *actor_life(void *data);

#endif
