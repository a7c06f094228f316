/* The servers of a trial, and who of them is the primary. One thread, which injects the faults, moves them; actors ask
 * where to connect to.
 *
 * A term is the time in which one server is the rightful primary. It ends before another one is promoted, and when the
 * server dies or is demoted. What a primary that was cut off answers later is outside of all terms. */
#ifndef HOLDFAST_FAULTS_STAGE_H
#define HOLDFAST_FAULTS_STAGE_H

#include "client.h"
#include "history.h"
#include "proxy.h"

#include <stdatomic.h>

enum { SERVERS_MAX = 6, TERMS_MAX = 256 };

struct term {
    int server;
    int64_t from_us, until_us;
};

struct stage {
    struct server *servers[SERVERS_MAX];
    int count;
    struct client *clients[SERVERS_MAX]; /* one for each server, and the process that it leads to */
    pid_t processes[SERVERS_MAX];
    atomic_int primary;
    struct term terms[TERMS_MAX];
    int term_count;
    struct proxy *entrance; /* what clients connect to, if not to the primary itself */
    struct proxy *link;     /* what replicas connect to, likewise */
    bool is_cluster;
    int (*find)(struct stage *stage); /* how actors find the primary; NULL: they are told */
};

/* What actors know of where they are connected to. */
struct address {
    int server, port;
};

/* Starts `count` servers; all but the first follow it. */
void stage_open(struct stage *stage, int count, const char *settings);

/* Starts a cluster of so many primaries, and behind them a replica of each. The first server has the slots of these keys;
 * NULL ends them. */
void stage_open_cluster(struct stage *stage, int count, const char *settings, const char *const *keys);

/* Answers what was wrong with the end of a server, or NULL. */
const char *stage_close(struct stage *stage);

/* Where actors connect to now. Any thread may ask. */
struct address stage_address(struct stage *stage);

/* Which one listens at that port, or -1. */
int stage_server_at(const struct stage *stage, int port);

/* A connection to that server, for what injects faults; it lasts as long as the process does. */
struct client *stage_client(struct stage *stage, int server);
void stage_forget_clients(struct stage *stage);
struct server *stage_primary(struct stage *stage);

/* The term in which that server answered, or -1. */
int stage_term(const struct stage *stage, int server, int64_t begin_us, int64_t end_us);
void stage_term_begins(struct stage *stage, int server);
void stage_term_ends(struct stage *stage);

/* Any server but the primary. */
int stage_replica(const struct stage *stage, unsigned number);

/* Kills the primary, and starts it again as what it was. */
void stage_kill(struct stage *stage);
void stage_revive(struct stage *stage);

void stage_cut_off(struct stage *stage, int server);

/* Makes a server the primary, and all others that run, but one, its replicas. */
void stage_promote(struct stage *stage, int heir, int except);
void stage_follow(struct stage *stage, int server);

/* Starts a killed server, which follows the primary from its first moment on. */
void stage_bring_back(struct stage *stage, int server);

/* Waits until all replicas have what the primary has, and requires that it is the same.
 * Answers what differs, or NULL. */
const char *stage_difference(struct stage *stage);

#endif
