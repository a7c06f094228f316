/* A trial: servers, actors that work on them in threads of their own, one fault, and the checks of what they saw.
 *
 * A workload is a way to use one primitive. Its actors do one step after the other until the load ends, and note in
 * their histories what they asked and what came of it. Then its check looks at what the servers hold, and at the whole
 * history, and reports what is not as promised. */
#ifndef HOLDFAST_FAULTS_TRIAL_H
#define HOLDFAST_FAULTS_TRIAL_H

#include "actor.h"
#include "stage.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { ACTORS_MAX = 40, WORKLOADS_MAX = 12 };

struct trial;
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
    bool cluster; /* the servers share slots, the first one has all that are used; replicas come on top */
    int servers;
    const char *(*obstacle)(void); /* why it cannot be had on this machine, or NULL */
    void (*prepare)(struct trial *trial);
    void (*strike)(struct trial *trial); /* while the actors work */
    void (*clean)(struct trial *trial);
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

/* --- For checks -------------------------------------------------------------------------------------------- */

/* Whether all that was answered has to be there. */
bool trial_keeps_all(const struct trial *trial);

/* The term in which the event's server was the rightful primary, or -1. */
int event_term(const struct part *part, const struct event *event);

#endif
