/* Waiting: clients that wait in line until they can be served.
 *
 *   line = db, key, kind, name ─▶ waiter ─▶ waiter ─▶ …      in the order of arrival; readers that
 *                                                            still cannot be served go to the tail
 *
 * A waiter is a command that could not be answered yet: its row and its arguments. When something may have changed
 * for a line, its first waiter is probed: the command runs once without effect or reply. If it can be answered now,
 * it is granted what it asks for, or told to read, and the next waiter is probed. So a hand-over costs the same however
 * long the line is, and happens inside the command that made it possible. Each change probes only the first few of a
 * line, and an alarm goes on with the rest.
 *
 * Time frees things, too: a line that is WAIT_IN_TURN knows the instant at which time alone could serve its first
 * waiter, and one alarm is set for the earliest of all. The other lines wait for changes only; sessions of files that
 * time ends are ended by upkeep, which makes changes. Nothing polls, except while writes are paused.
 *
 * A served waiter gets its reply with the next ring of the alarm, after all commands that have arrived by then and
 * before any other. Until then its client may be lost, by CLIENT KILL or CLIENT UNBLOCK … ERROR; handover.h says what
 * happens to its grant. Replying at once would be too early: between the reply and the end of its wait the server
 * could still send it an error.
 *
 * Clients are blocked on their key as by the server's own commands. So when a key appears by RENAME, RESTORE or
 * SWAPDB, the server calls the waiters; when a key is deleted, they go on waiting; and the server handles clients
 * that disconnect, time out, are unblocked by hand or lose their primary.
 *
 * Inside MULTI or a script nothing waits and nobody is served: the alarm does that afterwards. */
#ifndef HOLDFAST_WAIT_H
#define HOLDFAST_WAIT_H

#include "server/waiting/held_call.h"
#include "server/waiting/wait_kind.h"

/* How the calls of waiters run; handed in at load, since what runs calls has to know of waiting itself. */
struct wait_runner {
    /* Whether it could be answered now: OUTCOME_WAITING if not, and when time alone may help. */
    enum outcome (*probe)(const struct held_call *held, RedisModuleCtx *ctx, int64_t *due_ms);
    /* Its turn has come, in another client's context: the reply is packed. False, and nothing granted, when what the
     * probe saw has ended since: it goes on waiting, and *due_ms tells when time alone may help. */
    bool (*grant)(struct held_call *held, RedisModuleCtx *ctx, int64_t *due_ms);
    /* In its client's own context: it is served something to read, or its time is up. */
    void (*answer)(const struct held_call *held, RedisModuleCtx *ctx, enum call_mode mode);
    /* The client was lost before it got the reply: undoes the grant, if that still exists. */
    void (*give_back)(const struct held_call *held, RedisModuleCtx *ctx);
};

/* Called once, at load; the list of all kinds is ended by NULL. */
void wait_start(struct wait_kind *const *all_kinds, const struct wait_runner *for_all);

/* Visits a waiter's claim and call; returning false ends the visit. */
typedef bool wait_visitor(void *context, const struct wait_kind *kind, const struct wait_claim *claim,
                          const struct held_call *held);

/* Visits the waiters of a line in the call's key that came before the held call `of`, or all of them for NULL, in
 * order, at most WAIT_AHEAD_MAX. False when the visitor ended it, or when there are more. */
enum { WAIT_AHEAD_MAX = 256 };
bool wait_visit_ahead(const struct call *call, const struct held_call *of, const struct wait_kind *kind,
                      struct bytes name, wait_visitor *visit, void *context);

/* Visits all waiters of a party in the call's key. */
void wait_visit_party(const struct call *call, struct guid id, wait_visitor *visit, void *context);

/* A party has lost something that its waiters may need: waiters that have nothing left to wait for are answered
 * soon, wherever they are in line. */
void wait_look_at_party(struct guid id);

/* Whether anybody waits for anything. */
bool wait_anybody(void);

/* Whether the alarm serves those who wait, rather than a command. */
bool wait_is_ringing(void);

/* How many waiters a line has. */
size_t wait_count(const struct call *call, struct wait_kind *kind, struct bytes name);

/* Whether the same call, sent before under its token, is in the line for which this one would wait. */
bool wait_is_repeated(const struct call *call);

/* Something may have changed for a line: serves the waiters it can. Costs nothing when nobody waits at all. */
void wait_look(const struct call *call, struct wait_kind *kind, struct bytes name);

/* The same for lines of all kinds with this name. */
void wait_look_for_all(const struct call *call, struct bytes name);

/* Before a call takes something: serves the waiters it can, and returns how many still come first. Inside MULTI or a
 * script nobody is served and nobody comes first. HOLDFAST.ATOMIC is an exception: its commands ask wait_count, so even
 * there they are refused while others wait in line. */
size_t wait_serve(const struct call *call, struct wait_kind *kind, struct bytes name);

/* Much may have changed in the call's key: its waiters are probed soon, except in lines that are WAIT_TOGETHER. */
void wait_look_at_key(const struct call *call);

/* Everything may have changed: all waiters are probed soon. */
void wait_look_at_all(void);

/* A line with many waiters. */
struct wait_line {
    struct key_name key;
    size_t count;
    const char *command; /* of its first waiter */
};

void wait_visit_long_lines(void (*visit)(void *context, const struct wait_line *line), void *context);

#endif
