/* Waiting: clients that stand in line until something becomes theirs.
 *
 *   line = db, key, kind, name ─▶ waiter ─▶ waiter ─▶ …      in the order of arrival
 *
 * A waiter is a command that could not be answered yet: its row and its arguments. When something may have changed for
 * a line, its first waiter is probed: the command runs once without effect or reply. If it can be answered now, it
 * runs as if it had just arrived, the client gets the reply, and the next one is probed. So a hand-over costs the same
 * however long the line is, and happens inside the command that made it possible. Where many can be served at once,
 * the timer goes on where the command has to stop.
 *
 * Time frees things, too: each line knows the earliest instant at which time alone could serve it, and one timer
 * stands for the earliest of all. Nothing polls.
 *
 * A waiter that has been served is told with the next tick of the timer, after all commands that have arrived by then and
 * before any other. Until then the server may take its client away, by CLIENT KILL or CLIENT UNBLOCK … ERROR; see
 * untold.h for what becomes of what it was granted. To tell it at once would be too early: between the reply and the end of
 * its wait the server would still send it an error.
 *
 * Clients are blocked on their key as the server's own commands do it. So a key that appears anew, by RENAME, RESTORE
 * or SWAPDB, makes the server call the waiters; a key that goes leaves them waiting; and clients that leave,
 * time out or are unblocked by hand, or that lose their primary, are the server's to handle.
 *
 * Inside of a transaction or a script nothing waits and nobody is served: the timer does that when it is over. */
#ifndef HOLDFAST_WAIT_H
#define HOLDFAST_WAIT_H

#include "server/command.h"
#include "server/histogram.h"

/* In which order those in a line are served. */
enum wait_discipline {
    WAIT_IN_TURN,  /* one after the other, for what is given to one alone */
    WAIT_TOGETHER, /* all at once, for what all may read */
    WAIT_BY_CLAIM, /* whoever can be served, in their order: not all stand in each other's way */
};

/* What there is to wait for. A family has one for each sort of thing, and holdfast.c tells of them at load. */
struct wait_kind {
    enum wait_discipline discipline;
    struct histogram *histogram;               /* how long those waited who were served; NULL for no matter */
    unsigned char number;                      /* which of all kinds this is */
    unsigned long long waiting, waits, served; /* for INFO: clients now, ever, and those who got it */
};

/* What a waiter says of itself, for others who want to know whom they wait for: its party, which may have several
 * waiters, and what it wants, in words that its own kind understands. */
struct wait_claim {
    struct guid party;
    uint64_t words[4];
};

/* The instant at which time alone cannot help. */
#define WAIT_NO_INSTANT INT64_MAX

/* All kinds, ended by NULL; once, at load. */
void wait_start(struct wait_kind *const *kinds);

/* Whether the call may wait: BLOCK was given, it has not been answered from a line, and nothing forbids it. */
bool wait_allowed(const struct call *call);

/* Puts the call's client in line; due_ms as above. Answers OUTCOME_WAITING, always. */
enum outcome wait_in_line(struct call *call, struct wait_kind *kind, struct bytes name, int64_t due_ms);
/* Likewise for one with a claim. */
enum outcome wait_with_claim(struct call *call, struct wait_kind *kind, struct bytes name,
                             const struct wait_claim *claim);

/* A look at waiters with claims; false ends it. */
typedef bool wait_visitor(void *context, const struct wait_kind *kind, const struct wait_claim *claim,
                          RedisModuleString **argv);

/* Those of a line who came before the call, or before the waiter that is being visited, in their order, at most so many.
 * False when the visitor ended it, or when there are more. */
bool wait_visit_ahead(const struct call *call, const struct wait_kind *kind, struct bytes name, size_t most,
                      wait_visitor *visit, void *context);

/* All of a party who wait in the call's key. */
void wait_visit_party(const struct call *call, struct guid id, wait_visitor *visit, void *context);

/* A party has lost something that its waiters may need: those who have nothing to wait for any more are answered soon,
 * wherever they stand in line. */
void wait_look_at_party(struct guid id);

/* Whether anybody waits for anything. */
bool wait_anybody(void);

/* How many stand in line. */
size_t wait_count(const struct call *call, struct wait_kind *kind, struct bytes name);

/* Something has changed for a line, or time may have: serves whom it can. Costs nothing when nobody waits at all. */
void wait_look(const struct call *call, struct wait_kind *kind, struct bytes name);

/* Likewise for whatever there is to wait for by this name. */
void wait_look_for_all(const struct call *call, struct bytes name);

/* Before a call takes something: serves whom it can, and answers how many still come first. Inside of a transaction or
 * a script nobody does. */
size_t wait_serve(const struct call *call, struct wait_kind *kind, struct bytes name);

/* Much may have changed in the call's key: whoever waits there is looked at soon. */
void wait_look_at_key(const struct call *call);

/* Everything may have changed. */
void wait_look_at_all(void);

enum { WAIT_LONG_LINE = 100 };

/* A line in which so many wait. */
struct wait_line {
    int db;
    struct bytes key;
    size_t count;
    const char *command; /* of the first one in it */
};

void wait_visit_long_lines(void (*visit)(void *context, const struct wait_line *line), void *context);

#endif
