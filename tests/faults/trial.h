/* A trial: servers, actors that work on them in threads of their own, one fault, and the checks of what they saw.
 *
 * A workload is a way to use one primitive. Its actors do one step after the other until the load ends, and note in
 * their histories what they asked and what came of it. Then its check looks at what the servers hold, and at the whole
 * history, and reports what is not as promised. */
#ifndef HOLDFAST_FAULTS_TRIAL_H
#define HOLDFAST_FAULTS_TRIAL_H

#include "history.h"
#include "stage.h"

#include <hiredis/hiredis.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { ACTORS_MAX = 40, WORKLOADS_MAX = 12, REPLIES_MAX = 16 };

struct trial;
struct actor;
struct workload;

/* What a workload does in a trial. */
struct part {
    const struct workload *workload;
    struct trial *trial;
    struct history history; /* of all its actors, once the load has ended */
    atomic_int operations, violations;
};

struct workload {
    const char *name;
    const char *key; /* that it works on */
    int actors;
    void (*prepare)(struct client *client);
    void (*step)(struct actor *actor);
    void (*check)(struct part *part, struct client *client);
};

/* What a fault promises. */
enum promise {
    NOTHING_LOST, /* what was answered stays */
    PREFIX,       /* what was answered last may be lost: survivors hold what came before some moment */
};

struct fault {
    const char *name;
    const char *settings; /* lines of redis.conf */
    enum promise promise;
    bool silence; /* a call may go without an answer though its connection lasts */
    bool cluster; /* the servers share slots, the first one has all that are used; no replicas */
    int servers;
    const char *(*obstacle)(void); /* why it cannot be had on this machine, or NULL */
    void (*prepare)(struct trial *trial);
    void (*strike)(struct trial *trial); /* while the actors work */
    void (*clean)(struct trial *trial);
};

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
    uint64_t once_log;
    int64_t until_us;
};

/* What has become of versions that were given. A server mints all its versions from one counter and sends
 * its effects in that order. So of those of one epoch the survivors are all up to some version, and none
 * behind it, whatever key they are of. */
struct ledger {
    struct ledger_entry {
        struct part *part;
        uint64_t version;
        bool survived;
    } * entries;
    size_t count, room;
};

struct trial {
    const struct fault *fault;
    struct stage stage;
    struct part parts[WORKLOADS_MAX];
    int part_count;
    struct actor actors[ACTORS_MAX];
    int actor_count;
    atomic_bool stop;
    unsigned seed;
    struct ledger ledger;
    const char *spoiled; /* why nothing can be told from it, or NULL */
    void *own;           /* of the fault */
};

/* Plays one; its servers are gone when it returns. */
void trial_play(struct trial *trial, const struct fault *fault, const struct workload *const *workloads,
                unsigned seed);

/* Tells of something that is not as promised. */
void violation(struct part *part, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number below `below`, from the schedule of the faults. */
int trial_chance(struct trial *trial, int below);
void trial_pause_ms(struct trial *trial, int min, int max);

/* --- For the steps of actors ------------------------------------------------------------------------------- */

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

/* Of those of its workload. */
bool actor_is_first(const struct actor *actor);

/* The last call as an event; the caller fills in what it is about. */
struct event actor_event(const struct actor *actor, enum event_kind kind);
void actor_notes(struct actor *actor, struct event event);

/* What the thread of an actor does until the load ends. */
void *actor_life(void *data);

/* --- For checks -------------------------------------------------------------------------------------------- */

/* Whether all that was answered has to be there. */
bool trial_keeps_all(const struct trial *trial);

/* The term in which the event's server was the rightful primary, or -1. */
int event_term(const struct part *part, const struct event *event);

#endif
