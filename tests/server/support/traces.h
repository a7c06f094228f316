/* Watches that nothing happens: whatever runs between traces_begin and traces_require_none must leave no trace in the
 * data, in the replication stream, in the count of changes, in notifications, or with those who WATCH keys. */
#ifndef HOLDFAST_TESTS_TRACES_H
#define HOLDFAST_TESTS_TRACES_H

#include <stddef.h>

/* Keys that are there are watched anyway; `absent` names, in words, others that must not come to be. */
void traces_begin(const char *absent);
void traces_require_none(void);

/* The keyspace notifications since the last time as "event key, event key". For tests of what does happen. */
const char *traces_notifications(void);

/* A command, and the one notification that it causes. */
struct noticed {
    const char *command;
    const char *notification;
};

/* Plays the command, which must notify as told, and abort those who watch `box`; and an array of such. */
void expect_notification(const char *command, const char *notification);
#define expect_notifications(rows) expect_so_many_notifications(rows, ARRAY_SIZE(rows))
void expect_so_many_notifications(const struct noticed *rows, size_t count);

/* Whether somebody who watched the keys since traces_begin would now find his transaction aborted. */
int watched_transaction_aborts(void);

#endif
