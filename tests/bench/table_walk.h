/*
 * A query that is asked again and again, each time from where the answer before has ended.
 */
#ifndef BENCH_TABLE_WALK_H
#define BENCH_TABLE_WALK_H

#include "server.h"

enum { ASK_WORDS = 8, KEY_ROOM = 40 };

/* What stands behind TABLE.QUERY: the table, a filter and whatever else. Ends with NULL, or when it is full. */
struct ask {
    const char *words[ASK_WORDS];
};

struct table_walk {
    const struct ask *ask;
    char partition[KEY_ROOM], row[KEY_ROOM];
    bool has_begun, has_ended;
    uint64_t rows; /* answered so far */
};

struct table_walk table_walk(const struct ask *ask);

/* The next page. There must be one. */
void table_walk_on(struct table_walk *walk, struct server *server);

/* What the plan is. */
bool table_plan_is(struct server *server, const struct ask *ask, const char *plan);

#endif
