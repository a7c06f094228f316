/* Lines: the waiters for one thing in one key, in order, and when each line is to be looked at next. One alarm is set
 * for the earliest of these instants; what it does then is handed in at load. */
#ifndef HOLDFAST_LINE_H
#define HOLDFAST_LINE_H

#include "core/deadlines.h"
#include "core/entry.h"
#include "server/waiting/key_lines.h"
#include "server/waiting/waiter.h"

enum { WAIT_LONG_LINE = 100 };

struct line {
    struct entry entry;
    struct deadline deadline;
    struct list_head waiters;
    struct list_node among_long; /* while so many wait */
    size_t count;
    struct wait_kind *kind;
    bool busy;            /* being served: stays even when it is empty */
    size_t unlooked;      /* WAIT_TOGETHER: how many from the front have not been looked at since the news */
    struct waiter *next;  /* WAIT_BY_CLAIM: where a pass through all of them continues; NULL at the front */
    struct waiter *front; /* WAIT_BY_CLAIM: the same for a command that looks at the first few meanwhile */
    bool again;           /* WAIT_BY_CLAIM: news since the pass began: another pass follows */
    struct key_line of_key; /* unless it is WAIT_TOGETHER */
    struct key_name key;    /* in the address */
    char address[];         /* the entry's name: kind, length of the name, name, packed key name */
};

/* --- Finding --- */

/* Whether anybody waits in any line. */
bool lines_anybody(void);

/* The line for this name in the call's key. NULL when nobody waits there. */
struct line *line_find(const struct call *call, const struct wait_kind *kind, struct bytes name);
/* The same; a line that is not there is made. */
struct line *line_need(const struct call *call, struct wait_kind *kind, struct bytes name);

/* NULL when nobody is left. */
static inline struct waiter *line_first(const struct line *line) {
    return list_top(&line->waiters, struct waiter, node);
}

/* NULL behind the last one. */
static inline struct waiter *line_next(const struct line *line, const struct waiter *waiter) {
    struct list_node *next = waiter->node.next;
    return next == &line->waiters.n ? NULL : list_entry(next, struct waiter, node);
}

/* The waiter with this call, sent before under its token, among the last thousand. NULL without one. */
struct waiter *line_find_repeated(const struct line *line, const struct call *call);

/* The long line after this one, or the first for NULL. NULL after the last one. */
const struct line *lines_next_long(const struct line *line);

/* --- Coming and leaving --- */

/* At the tail, or right behind the same call, sent before, since both get one answer. The first in line sets the
 * instant at which it is looked at, and the alarm. */
void line_join(struct waiter *waiter, struct line *line, struct waiter *same, int64_t due_ms);

/* Leaves line and party. A line that nobody is in any more is freed, except while it is busy. */
void line_leave(struct waiter *waiter);
/* The same for a waiter that has not been served: others may now be able to have what they could not. */
void line_depart(struct waiter *waiter);

/* Of an empty line. */
void line_free(struct line *line);

/* --- When to look --- */

/* Sets the instant at which the line is looked at next, or WAIT_NO_INSTANT, but not the alarm. */
void line_due(struct line *line, int64_t due_ms);
/* Sets the alarm for the first line that is due. */
void lines_arm(void);

/* Something may have changed for all in the line. */
void line_note_news(struct line *line);
/* The line is looked at with the next turn of the event loop, after the current command. */
void line_look_soon(struct line *line);
/* Both: news, and a look soon. */
void line_look_anew_soon(struct line *line);
/* The same for all lines. */
void lines_look_anew_soon(void);
/* The same for lines of keys of which there was news, as many as one ring may look at. */
void lines_look_at_keys(void);

/* --- The alarm --- */

/* Called when the alarm rings. Returns whether lines are due that it has left to the next turn of the event loop. */
typedef bool lines_server(RedisModuleCtx *ctx);

/* Called once, at load. */
void lines_start(lines_server *serve);

/* Rings after the commands that have arrived. */
void lines_ring_soon(void);
/* Rings at this instant or earlier. */
void lines_ring_by(int64_t instant_ms);
/* Whether the alarm rings right now. */
bool lines_ringing(void);

/* Takes the first line that is due. It has to be set due again if its waiters may be served later. */
struct line *lines_take_due(int64_t now_ms);

#endif
