/* A command: one row of the table in commands.c, and the fixed sequence of steps of every command.
 *
 *   open the key, prefetch ─▶ parse ─▶ settle ─▶ the handler decides and replies ─▶ carry out
 *
 * The first step that fails replies with its error and leaves no trace. A missing key or a wrong type is reported
 * only after syntax errors; the key is opened first so that its memory is being prefetched while argv is parsed. */
#ifndef HOLDFAST_COMMAND_H
#define HOLDFAST_COMMAND_H

#include "core/arena.h"
#include "core/catalog.h"
#include "core/condition.h"
#include "core/guid.h"
#include "core/packed.h"
#include "server/args.h"
#include "server/data_type.h"
#include "server/reply.h"

#include "ccan/container_of/container_of.h"

struct call;
struct call_result;
struct once_change;
struct things;
struct transaction;
struct wait_claim;
struct wait_kind;

/* One sort of repeated group in SHAPE_REST, each introduced by a word. */
struct command_part {
    const char *word;
    const struct clause *const *grammar;
};

enum key_use {
    KEY_READ,
    KEY_UPDATE,
    KEY_CREATE, /* may be missing: the handler makes it, or has nothing to do */
    KEY_REMOVE,
    KEY_EFFECT,
    KEY_NONE,
};

/* In the order of its meaning; there is one per row. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct command {
    const char *name;
    RedisModuleCmdFunc entry;
    enum outcome (*handle)(struct call *call); /* for commands that decide nothing themselves */
    enum outcome (*decide)(struct call *call); /* decides and replies; the server side carries out */
    /* Before the decision: clears expired state or, for reads, sees to it that upkeep will; may be NULL. */
    void (*settle)(struct call *call);
    /* The outcome when the call could have what it decided, but others come first, or its time to wait is over. For
     * commands that take something and can wait. */
    enum outcome (*give_way)(struct call *call);
    /* Undoes a grant whose client was lost, using what the handler wrote to call->grant; may be NULL. */
    void (*give_back)(struct call *call, struct record_reader *granted);
    /* For ONCE: `remember` writes what is remembered when that is not the reply itself; `recall` makes the reply
     * from it when the call is repeated. Either may be NULL. */
    void (*remember)(struct call *call, struct reply *kept);
    enum outcome (*recall)(struct call *call, struct bytes kept);
    void (*prefetch)(struct call *call);      /* prefetches what the handler will read; may be NULL */
    enum outcome (*check)(struct call *call); /* rules of form across several clauses; may be NULL */
    /* Names the things that the command changes, from its arguments alone: see things.h. NULL for commands that are
     * not allowed in a transaction. */
    void (*touches)(const struct call *call, struct things *things);
    unsigned variant; /* which of the commands that share a handler this is; numbered by the family */
    const struct clause *const *grammar;
    const struct command_part *parts; /* the parts of SHAPE_REST, ended by one without a word; may be NULL */
    struct data_type *data_type;      /* NULL: any with leases, or, for KEY_EFFECT, chosen by the handler */
    enum condition_use conditions;
    enum key_use key;
    /* Reports the keys to the server, where the two fixed positions are not enough; NULL for most. */
    void (*tell_keys)(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
    int other_key; /* argv index of a second, read-only key; 0 for none */
    int elsewhere; /* slot of the option that makes it another server's key; 0 for none */
    const char *flags;
    const char *categories;
    const char *complexity;
    const char *summary;
};

/* A call's lists in packed form, and the buffer that holds them. */
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
    bool dropped;               /* an earlier change of the transaction has removed its object */
};

/* What a call has decided: changes, in order. They are applied when the whole call is decided, or not at all. */
struct decision {
    struct decided *first; /* NULL for none */
    struct decided **end;  /* where the next one is linked */
};

/* The last change; there must be one. */
static inline struct decided *decision_last(const struct decision *decision) {
    return container_of(decision->end, struct decided, next);
}

/* What a call would wait for. */
struct wait_request {
    bool not_yet; /* cannot be had now; perhaps later */
    bool in_line; /* kind and name of the line are known */
    struct wait_kind *kind;
    struct bytes name;
    int64_t due_ms;                 /* when time alone may help; WAIT_NO_INSTANT */
    enum outcome given_up;          /* outcome when the time to wait is over */
    const struct wait_claim *claim; /* NULL in lines without claims: see wait.h */
};

/* Why a command runs. */
enum call_mode {
    CALL_FRESH,
    CALL_PROBE,     /* to see whether a waiter can be answered: no effect, no reply */
    CALL_GRANTED,   /* a waiter's turn has come: the reply is kept */
    CALL_SERVED,    /* a waiter for something to read is answered */
    CALL_UPKEEP,    /* not from a client: clears expired state */
    CALL_TIMED_OUT, /* a waiter's time is up: a reply without effect */
    CALL_GIVE_BACK, /* a waiter's client was lost before it got its reply */
};

enum { CALL_NOTE_BYTES = 160 };

/* What a waiting command was granted, until its client can be told. */
struct call_result {
    enum outcome outcome;
    char note[CALL_NOTE_BYTES];
    struct record_writer reply; /* kept: see reply.h */
    struct record_writer grant; /* what give_back needs; empty when there is nothing to undo */
};

/* One execution of a command. */
struct call {
    RedisModuleCtx *ctx;
    struct reply out;
    struct record_writer *grant; /* CALL_GRANTED: written for give_back; NULL otherwise */
    RedisModuleString **argv;
    int argc;
    const struct command *command;
    enum call_mode mode;
    bool parsed;                     /* the arguments are known to be valid */
    struct transaction *transaction; /* that it is a part of; NULL for a call on its own */
    struct args args;
    struct conditions conditions;
    struct call_list metadata, properties, policies; /* empty when not given */
    struct decision decision;
    struct wait_request wait;
    struct call_writer *writers; /* for lists that the decision borrows from */
    RedisModuleKey *key;
    RedisModuleKey *other;        /* the second key */
    struct catalog_search search; /* lookup of the name in the command, if there is a value */
    void *value; /* what the key holds; NULL when the key is missing and the command may create it */
    const struct data_type *data_type; /* type of the value */
    int64_t now_ms;                    /* see call_now_ms */
    int64_t due_ms;                    /* of a probe that has to go on waiting: when time alone may help */
    char note[CALL_NOTE_BYTES];        /* detail of a refusal beyond the table's text; usually empty */
    struct arena arena;                /* memory of the decision */
};

/* A call whose client waits: parsed once, decided as often as its line changes. */
struct held_call {
    const struct command *command;
    RedisModuleString **argv;
    int argc;
    struct args_kept *args;
    struct conditions conditions;
};

void held_call_start(struct held_call *held, const struct call *call);
void held_call_end(struct held_call *held);

/* Runs the call in its client's own context: it is served something to read, or its time is up. */
void command_run_waiting(const struct held_call *held, RedisModuleCtx *ctx, enum call_mode mode);

/* Its turn has come, in another client's context: the reply is kept. */
void command_grant(const struct held_call *held, RedisModuleCtx *ctx, struct call_result *result);
/* Tells the client what it was granted. */
void call_result_reply(RedisModuleCtx *ctx, const struct call_result *result);
void call_result_end(struct call_result *result);

/* The client was lost before it got the reply: undoes the grant, if that still exists. */
void command_give_back(const struct held_call *held, RedisModuleCtx *ctx, const struct call_result *result);

/* Whether a waiting client could be answered now: OUTCOME_WAITING if not, and when time alone may help. */
enum outcome command_probe(const struct held_call *held, RedisModuleCtx *ctx, int64_t *due_ms);

/* Lets a key's value clear its expired state; returns when it needs upkeep again. */
int64_t command_upkeep(RedisModuleCtx *ctx, RedisModuleString *key);

/* Opens a key outside of any command, calls the visitor, which may change the value, and closes it. Does nothing for
 * missing keys and other types. */
void command_visit(RedisModuleCtx *ctx, RedisModuleString *key, const struct data_type *type,
                   void (*visit)(struct call *call, void *context), void *context);

/* Whether a call has two keys. */
bool command_has_other_key(const struct command *command, RedisModuleString **argv, int argc);

/* Runs a command from argv to reply. */
int command_run(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

/* Answers the server's request for the positions of a command's keys. argv[0] is the
 * word at index `at` of what the server asked about. */
void command_tell_keys(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                       int at);

/* --- The steps of a call, for those who run several calls as one --- */

void call_start(struct call *call, const struct command *command, RedisModuleCtx *ctx,
                RedisModuleString **argv, int argc);
/* All checks that need no state. */
enum outcome call_check_form(struct call *call);
enum outcome call_open_key(struct call *call);
/* The same, with a key that another call has opened and will close. */
enum outcome call_share_key(struct call *call, const struct call *opened);
void call_end(struct call *call);

/* --- Queries for handlers --- */

/* The data type of the call, even when there is no value yet. */
static inline const struct data_type *call_type(const struct call *call) {
    return call->data_type ? call->data_type : call->command->data_type;
}

/* A positional argument or a word of an option. */
struct bytes call_word(const struct call *call, int at);

/* The number or the word given with an option, or else this one, or the empty word. */
static inline int64_t call_number(const struct call *call, int slot, int64_t otherwise) {
    return args_given(&call->args, slot) ? call->args.slots[slot].number : otherwise;
}
static inline struct bytes call_option(const struct call *call, int slot) {
    return args_given(&call->args, slot) ? call_word(call, call->args.slots[slot].at) : bytes_of("", 0);
}

/* The module's clock, see core/clock.h. */
int64_t server_now_us(void);
int64_t server_now_ms(void);

/* How far it is behind the wall clock after that was set; negative when it is ahead. */
int64_t server_clock_behind_ms(void);

/* Fixes the time of the call, unless it is fixed already. Worth a call of its own while prefetched memory arrives. */
static inline void call_read_clock(struct call *call) {
    if (!call->now_ms) call->now_ms = server_now_ms();
}

/* The time of the call; the same whenever it is read. */
int64_t call_now_ms(struct call *call);

/* For a command that takes more memory only sometimes, so that the server itself does not refuse it:
 * OUTCOME_OUT_OF_MEMORY when there is none left. Always OUTCOME_DONE inside MULTI and scripts, where a refusal would
 * leave half of them done: what they add may exceed maxmemory. A transaction is whole either way and is refused there,
 * too: see pass_memory in atomic.c. */
enum outcome call_check_memory(const struct call *call);

/* The value of the call's second key, of the same type; NULL and the reason in *outcome. */
const void *call_other_value(struct call *call, enum outcome *outcome);

/* Reads conditions from four slots in the order of the shared ones. */
void call_read_conditions(const struct call *call, int first_slot, struct conditions *conditions);

/* The id given by LEASE; NULL without one. */
const struct guid *call_lease_id(const struct call *call);

/* Checks the call's conditions against an object; NULL when it does not exist. On failure the call's note tells why. */
enum outcome call_check_conditions(struct call *call, const struct stamp *object, const char *noun);

/* Sends a keyspace notification for the call's key. */
void call_notify(const struct call *call, const char *event);

#endif
