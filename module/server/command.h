/* A command: one row of the table in commands.c, and the straight way that every command goes.
 *
 *   open the one key ─▶ parse and look at the form ─▶ the family's handler: decide, apply, replicate, reply
 *
 * No step goes back. The first one that fails answers with its error and leaves no trace. A key that is
 * missing or of another type counts only when the form is right; it is opened first so that the memory that
 * the command will want is on its way while argv is read. */
#ifndef HOLDFAST_COMMAND_H
#define HOLDFAST_COMMAND_H

#include "core/arena.h"
#include "core/catalog.h"
#include "core/condition.h"
#include "core/guid.h"
#include "core/packed.h"
#include "server/aggregate.h"
#include "server/args.h"
#include "server/reply.h"

#include "ccan/container_of/container_of.h"

struct call;
struct call_result;
struct once_change;
struct things;
struct transaction;
struct wait_claim;
struct wait_kind;

/* One sort of what a command takes several of, each with a word in front. */
struct command_part {
    const char *word;
    const struct clause *const *grammar;
};

enum key_use { KEY_READ, KEY_UPDATE, KEY_CREATE, KEY_REMOVE, KEY_EFFECT, KEY_NONE };

/* In the order of its meaning; there is one per row. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct command {
    const char *name;
    RedisModuleCmdFunc entry;
    enum outcome (*handle)(struct call *call); /* of those that decide nothing themselves */
    enum outcome (*decide)(struct call *call); /* decides and answers; the house carries out */
    void (*settle)(struct call *call);         /* what time has ended goes before the decision; may be NULL */
    /* The outcome when it could have what it decided, but others come first, or its time to wait is over; for rows that
     * take something and can wait. */
    enum outcome (*give_way)(struct call *call, bool late);
    /* What was granted, and nobody can be told of, by what the handler wrote into call->grant; may be NULL. */
    void (*give_back)(struct call *call, struct record_reader *granted);
    /* What is remembered of a call with ONCE, when that is not its answer; and the answer from it, when the call comes
     * again. Either may be NULL. */
    void (*remember)(struct call *call, struct reply *kept);
    enum outcome (*recall)(struct call *call, struct bytes kept);
    void (*expect)(struct call *call);        /* sends for what the handler will look at; may be NULL */
    enum outcome (*check)(struct call *call); /* rules of form that no clause can see alone; may be NULL */
    /* Names the things that it changes, by its words alone: see things.h. NULL where it may not be part of a
     * transaction. */
    void (*touches)(const struct call *call, struct things *things);
    unsigned variant; /* which of the commands that share a handler this one is; the family's own numbers */
    const struct clause *const *grammar;
    const struct command_part *
        parts; /* of which SHAPE_REST is made, in the family's order; ended by one without a word; may be NULL */
    struct aggregate *aggregate; /* NULL: any that has leases, or, for KEY_EFFECT, the handler's business */
    enum condition_use conditions;
    enum key_use key;
    /* Tells the server where the keys are, where that takes more than the two places; NULL for most. */
    void (*tell_keys)(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
    int other_key; /* where a second key stands, which is only read; 0 for none */
    int elsewhere; /* the option with which it is another server's key; 0 for none */
    const char *flags;
    const char *categories;
    const char *complexity;
    const char *summary;
};

/* The lists of a call in packed form, and the room in which they were packed. */
struct call_list {
    struct packed_list list;
    struct record_writer room;
};

/* A change that a call has decided, and what travels beside it. */
struct decided {
    struct decided *next;
    void *change;
    RedisModuleString *content; /* NULL for none */
    struct once_change *once;   /* what the value remembers along with it: see once.h; NULL for nothing */
    bool dropped;               /* what it was about has gone by an earlier change of the same transaction */
};

/* What a call decides: changes, in order. They happen when the whole call is decided, or not at all. */
struct decision {
    struct decided *first; /* NULL for none */
    struct decided **end;  /* where the next one goes */
};

/* The last change; there must be one. */
static inline struct decided *decision_last(const struct decision *decision) {
    return container_of(decision->end, struct decided, next);
}

/* What a call would wait for. */
struct wait_request {
    bool not_yet; /* it cannot be had now; perhaps later */
    bool in_line; /* where one would stand in line is known */
    struct wait_kind *kind;
    struct bytes name;
    int64_t due_ms;                 /* when time alone may help; WAIT_NO_INSTANT */
    enum outcome given_up;          /* the outcome when the time to wait is over */
    const struct wait_claim *claim; /* NULL in lines without claims: see wait.h */
};

/* Why a command runs. */
enum call_mode {
    CALL_FRESH,
    CALL_PROBE,     /* to see whether one that waits can be answered: no effect, no reply */
    CALL_GRANTED,   /* it waited, and its turn has come: the reply is kept */
    CALL_SERVED,    /* it waited for something to read, and is answered */
    CALL_UPKEEP,    /* nobody asked: time has ended something */
    CALL_TIMED_OUT, /* it waited, and its time is up: an answer without effect */
    CALL_GIVE_BACK, /* it waited, and its client was lost before it could be told */
};

enum { CALL_NOTE_BYTES = 160 };

/* What a command that waited was granted, until its client can be told. */
struct call_result {
    enum outcome outcome;
    char note[CALL_NOTE_BYTES];
    struct record_writer reply; /* kept: see reply.h */
    struct record_writer grant; /* what it takes to give it back; empty when there is nothing */
};

/* One execution of a command. */
struct call {
    RedisModuleCtx *ctx;
    struct reply out;
    struct record_writer *grant; /* CALL_GRANTED: for give_back; NULL otherwise */
    RedisModuleString **argv;
    int argc;
    const struct command *command;
    enum call_mode mode;
    bool parsed;                     /* the form is known to be right */
    struct transaction *transaction; /* of which it is a part; NULL for a call that stands alone */
    struct args args;
    struct conditions conditions;
    struct call_list metadata, properties, policies; /* empty lists when not given */
    struct decision decision;
    struct wait_request wait;
    struct call_writer *writers; /* of lists that the decision borrows from */
    RedisModuleKey *key;
    RedisModuleKey *other;        /* the second one */
    struct catalog_search search; /* of the name that the command is about, if the value is there */
    void *value; /* the aggregate, NULL when the key is missing and the command may create it */
    const struct aggregate *aggregate; /* whose value it is */
    int64_t now_ms;                    /* see call_now_ms */
    int64_t due_ms;                    /* of a probe that has to go on waiting: when time alone may help */
    char note[CALL_NOTE_BYTES];        /* what a refusal has to say beyond the table's text; empty for most */
    struct arena arena;                /* what the decision is made of */
};

/* A call whose client waits: parsed once, and decided as often as something has changed for it. */
struct held_call {
    const struct command *command;
    RedisModuleString **argv;
    int argc;
    struct args_kept *args;
    struct conditions conditions;
};

void held_call_start(struct held_call *held, const struct call *call);
void held_call_end(struct held_call *held);

/* Runs it for its client, in that client's own context: it is served something to read, or its time is up. */
void command_answer(const struct held_call *held, RedisModuleCtx *ctx, enum call_mode mode);

/* Its turn has come, in somebody else's context: the reply is kept. */
void command_grant(const struct held_call *held, RedisModuleCtx *ctx, struct call_result *result);
/* Tells the client what it was granted. */
void command_reply(RedisModuleCtx *ctx, const struct call_result *result);
void command_result_end(struct call_result *result);

/* The client was lost before it got the reply: gives back what was granted, if it is still there. */
void command_give_back(const struct held_call *held, RedisModuleCtx *ctx, const struct call_result *result);

/* Whether a client that waits could be answered: OUTCOME_WAITING if not, and when time alone may help. */
enum outcome command_probe(const struct held_call *held, RedisModuleCtx *ctx, int64_t *due_ms);

/* Lets the value of a key clear away what time has ended: answers when it wants to be looked after again. */
int64_t command_upkeep(RedisModuleCtx *ctx, RedisModuleString *key);

/* Opens a key for somebody who comes without a command, and closes it; the visitor may change what it finds. Not for
 * missing keys, nor for those of another type. */
void command_visit(RedisModuleCtx *ctx, RedisModuleString *key, const struct aggregate *type,
                   void (*visit)(struct call *call, void *context), void *context);

/* Whether a call has two keys. */
bool command_has_other_key(const struct command *command, RedisModuleString **argv, int argc);

/* Runs a command from argv to reply. */
int command_run(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

/* Tells the server, which asks for it, where a command's keys are, whose words stand in argv, and behind so many others in
 * what the server knows of. */
void command_tell_keys(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                       int at);

/* --- The steps of a call, for whoever runs several as one --- */

void call_start(struct call *call, const struct command *command, RedisModuleCtx *ctx,
                RedisModuleString **argv, int argc);
/* All that can be said of the call without looking at any state. */
enum outcome call_check_form(struct call *call);
enum outcome call_open_key(struct call *call);
/* Likewise, with a key that another call has opened, which closes it. */
enum outcome call_share_key(struct call *call, const struct call *opened);
void call_end(struct call *call);

/* --- Deciding --- */

/* One more change of this kind, for the handler to fill in: it happens after the handler has returned, if that is done.
 * All that it borrows has to last as long as the call. */
void *call_decide(struct call *call, unsigned kind);

/* Likewise with an argument that travels beside it. */
void *call_decide_with(struct call *call, unsigned kind, RedisModuleString *content);

/* Memory that lasts as long as the call. */
void *call_room(struct call *call, size_t bytes);

/* A record, empty, that lasts as long as the call. */
struct record_writer *call_writer(struct call *call);

/* The call cannot have what it wants now: with BLOCK it waits in this line, and is decided anew when something has
 * changed there, or at due_ms. Answers the outcome, which is that of a caller who does not wait. */
enum outcome call_not_yet(struct call *call, struct wait_kind *kind, struct bytes name, int64_t due_ms,
                          enum outcome outcome);

/* The call wants what others may stand in line for, who come first. */
void call_in_line(struct call *call, struct wait_kind *kind, struct bytes name);

/* After either of them, where not all in a line want the same: what the call wants. Of those who stand there only such
 * come first whose claims do not go with this one, and only if the call would wait, too. */
void call_claims(struct call *call, const struct wait_claim *claim);

/* --- What handlers ask of a call --- */

/* The data type that the call is about, also when there is no value yet. */
static inline const struct aggregate *call_type(const struct call *call) {
    return call->aggregate ? call->aggregate : call->command->aggregate;
}

/* Says why, beyond the table's text, the call is about to be refused. */
void call_note(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A positional argument or a word of an option. */
struct bytes call_word(const struct call *call, int at);

/* The module's clock, see core/clock.h. */
int64_t server_now_us(void);
int64_t server_now_ms(void);

/* How far it is behind the wall clock after that was set; below 0 when it is ahead. */
int64_t server_clock_behind_ms(void);

/* The moment of the call, the same whenever it is asked for. */
int64_t call_now_ms(struct call *call);

/* For a command that takes more memory only sometimes, and is not refused by the server itself: whether it may now. */
/* In transactions and scripts always: the server decides of them before they begin, and half of one helps nobody. */
enum outcome call_may_grow(const struct call *call);

/* In a transaction: how much of a limit of the call's value, or of something in it, the calls before it take; and that
 * this one takes so much of it. 0 for a call that stands alone. */
uint64_t call_taken_before(struct call *call, const char *limit, struct bytes name, uint64_t taken);

/* The value of the call's second key, of the same family; NULL and why not. */
const void *call_other_value(struct call *call, enum outcome *outcome);

/* Conditions from four slots that stand together as the shared ones do. */
void call_read_conditions(const struct call *call, int first_slot, struct conditions *conditions);

/* The id that LEASE gave; NULL without one. */
const struct guid *call_lease_id(const struct call *call);

/* The conditions of the call against an object; NULL when there is none. On failure the call's note tells
 * why. */
enum outcome call_conditions(struct call *call, const struct stamp *object, const char *noun);

/* After a change and its effect: tells those who watch the key, and those who listen for events. */
void call_changed(const struct call *call, const char *event);
void call_event(const struct call *call, const char *event);

#endif
