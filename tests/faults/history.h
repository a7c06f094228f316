/* What was asked, when, and what came of it: the material of all checks. Each actor writes a history of its own; they
 * are put together when the load has ended. */
#ifndef HOLDFAST_FAULTS_HISTORY_H
#define HOLDFAST_FAULTS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum outcome {
    DONE,
    REFUSED,  /* an error, so nothing has changed; or it was never sent */
    IN_DOUBT, /* sent, and no answer: it may have happened, or may happen still */
};

enum event_kind {
    WROTE,   /* what has `version` now was decided on `base` */
    SEEN,    /* somebody read `version`; operation `number` had written it */
    GRANTED, /* a holding of `resource`, with the token `version` */
    HELD, /* asked for at begin, answered at `number`; until end somebody believed to hold `resource` alone */
    GUARDED,  /* a write to `resource` under the token `base` */
    PUT,      /* message `number` */
    TAKEN,    /* likewise */
    DELETED,  /* likewise */
    MOVED,    /* the transfer `number`, whose journal has `version` */
    CHANGED,  /* a value became `number` */
    FOLLOWED, /* a feed showed `version` */
};

struct event {
    enum event_kind kind;
    enum outcome outcome;
    int64_t begin_us, end_us; /* sent, answered (or given up) */
    uint64_t version, base;
    long long number, resource;
    int actor, server;
};

struct history {
    struct event *events;
    size_t count, room;
};

/* Of the clock that nobody can set. */
int64_t now_us(void);
void pause_us(int64_t us);
int64_t us_after(int seconds);

void history_add(struct history *history, struct event event);
void history_join(struct history *history, const struct history *other);
void history_free(struct history *history);

/* The loop's variable is `event`. */
#define for_each_event(history)                                                                              \
    for (const struct event *event = (history)->events; event < (history)->events + (history)->count; event++)

/* Numbers of operations that were found somewhere. They live until the trial ends. */
struct numbers {
    long long *number;
    size_t count, room;
};

void numbers_add(struct numbers *numbers, long long number);
void numbers_sort(struct numbers *numbers);

/* Of sorted ones. */
bool numbers_have(const struct numbers *numbers, long long number);

/* "0x" and 16 digits; 0 for anything else. */
uint64_t version_of(const char *text);

#endif
