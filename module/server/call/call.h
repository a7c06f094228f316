/* A call: one execution of a command.
 *
 *   words ─▶ args, conditions, lists          form.h
 *   key   ─▶ value and its data type
 *         ─▶ decision, wait, reply            decision.h
 *
 * What runs a call, and the order of its steps, is in run.h. */
#ifndef HOLDFAST_CALL_H
#define HOLDFAST_CALL_H

#include "core/arena.h"
#include "core/catalog.h"
#include "core/condition.h"
#include "core/guid.h"
#include "core/packed.h"
#include "server/base/data_type.h"
#include "server/base/key_name.h"
#include "server/base/server_clock.h"
#include "server/call/reply.h"
#include "server/grammar/args.h"
#include "server/grammar/command.h"

#include "ccan/container_of/container_of.h"

struct effect_bundle;
struct held_call;
struct limits;
struct once_change;
struct wait_kind;

/* A call's lists in packed form, and the buffer that holds them. */
struct call_list {
    struct packed_list list;
    struct record_writer buffer;
};

/* A change that a call has decided, and what travels beside it. */
struct decided {
    struct decided *next;
    void *change;
    RedisModuleString *content; /* NULL for none */
    struct once_change *once;   /* what the value remembers along with it: see once.h; NULL for nothing */
    bool dropped;               /* an earlier change of the transaction has removed its object */
    _Alignas(MEMORY_ALIGNMENT) char own[]; /* the change, if the decision has made it */
};

/* What INFO shows, and by how much it grows. */
struct counted {
    unsigned long long *counter;
    size_t amount;
};

enum { COUNTED_MAX = 3 };

/* What a call has decided: changes, in order. They are applied when the whole call is decided, or not at all. */
struct decision {
    struct decided *first; /* NULL for none */
    struct decided **end;  /* where the next one is linked */
    unsigned counted_count;
    struct counted counted[COUNTED_MAX];
};

/* Forgets whatever was decided. */
static inline void decision_clear(struct decision *decision) {
    decision->first = NULL;
    decision->end = &decision->first;
    decision->counted_count = 0;
}

/* The last change; there must be one. */
static inline struct decided *decision_last(const struct decision *decision) {
    return container_of(decision->end, struct decided, next);
}

/* What a waiter wants, for others who have to know whom they wait for: its party, which may have several waiters,
 * and words whose meaning depends on the kind. */
struct wait_claim {
    struct guid party;
    uint64_t words[4];
};

/* What a call would wait for: see decision.h. */
struct wait_request {
    bool not_yet; /* cannot be had now; perhaps later */
    bool in_line; /* kind and name of the line are known */
    struct wait_kind *kind;
    struct bytes name;
    int64_t due_ms;                 /* when time alone may help; WAIT_NO_INSTANT */
    enum outcome given_up;          /* outcome when the time to wait is over */
    const struct wait_claim *claim; /* NULL in lines without claims: see wait.h */
};

/* A lookup that a command's prefetch has begun, of what one of its words names. */
struct call_search {
    const char *word; /* where the word begins; NULL if no lookup has begun */
    struct catalog_search lookup;
};

/* Why a command runs. */
enum call_mode {
    CALL_FRESH,
    CALL_PROBE,     /* to see whether a waiter can be answered: no effect, no reply */
    CALL_GRANTED,   /* a waiter's turn has come: the reply is packed */
    CALL_SERVED,    /* a waiter for something to read is answered */
    CALL_INTERNAL,  /* not from a client: upkeep, and visits to a key */
    CALL_TIMED_OUT, /* a waiter's time is up: a reply without effect */
    CALL_GIVE_BACK, /* a waiter's client was lost before it got its reply */
};

enum { CALL_NOTE_BYTES = 160 };

/* One execution of a command. */
struct call {
    RedisModuleCtx *ctx;
    struct reply out;
    struct record_writer *grant; /* CALL_GRANTED: written for give_back; NULL otherwise */
    RedisModuleString **argv;
    int argc;
    const struct command *command;
    enum call_mode mode;
    const struct held_call *held; /* the waiting call that runs again; NULL for one that just arrived */
    bool parsed;                  /* the arguments are known to be valid */
    struct limits *limits; /* shared with the other calls of a transaction; NULL for a call on its own */
    struct effect_bundle *bundle; /* gathers its effects; NULL: each is sent at once */
    struct args args;
    struct conditions conditions;
    struct call_list metadata, properties, policies; /* empty when not given */
    const void *form; /* what the command's check has read, for its handler; NULL for nothing */
    struct decision decision;
    struct wait_request wait;
    struct call_writer *writers; /* for lists that the decision borrows from */
    RedisModuleKey *key;
    RedisModuleKey *other; /* the second key */
    struct call_search search;
    enum outcome opened; /* what opening the key came to: OUTCOME_DONE if the command can go on */
    void *value;         /* what the key holds; NULL when the key is missing and the command may create it */
    const struct data_type *data_type; /* type of the value */
    int64_t now_us;                    /* see call_now_us; 0 until somebody asks */
    char note[CALL_NOTE_BYTES];        /* detail of a refusal beyond the table's text; usually empty */
    struct arena arena;                /* memory of the decision */
};

/* --- The steps of a call, for those who run several calls as one --- */

void call_start(struct call *call, const struct command *command, RedisModuleCtx *ctx,
                RedisModuleString **argv, int argc);
/* For upkeep, and visits to a key. The call has no words, and may change the value. */
void call_start_internal(struct call *call, RedisModuleCtx *ctx, RedisModuleString *argv[2]);
/* Sets `opened` to OUTCOME_DONE if there is a value for the command, or need not be one. */
void call_open_key(struct call *call);
/* The same, with a key that another call has opened and will close. */
void call_share_key(struct call *call, const struct call *opener);
void call_end(struct call *call);

/* Opens a key outside of any command, calls the visitor, which may change the value, and closes it. Does nothing for
 * missing keys and other types. */
void call_visit_key(RedisModuleCtx *ctx, RedisModuleString *key, const struct data_type *type,
                    void (*visit)(struct call *call, void *context), void *context);

/* --- Memory of a call --- */

void *call_alloc(struct call *call, size_t bytes);

/* An empty record that lives as long as the call. */
struct record_writer *call_writer(struct call *call);

/* The end of handlers that reply OK. */
static inline enum outcome call_done(struct call *call) {
    reply_ok(&call->out);
    return OUTCOME_DONE;
}

/* --- Queries for handlers --- */

/* The data type of the call, even when there is no value yet. */
static inline const struct data_type *call_type(const struct call *call) {
    return call->data_type ? call->data_type : call->command->data_type;
}

/* The name of the call's key. */
struct key_name call_key_name(const struct call *call);

/* A positional argument or a word of an option. */
struct bytes call_word(const struct call *call, int at);

/* Whether it is one call of a transaction. */
static inline bool call_is_part(const struct call *call) {
    return call->limits;
}

/* The lookup that has begun for this word; NULL for none. */
static inline const struct catalog_search *call_searched(const struct call *call, struct bytes word) {
    return call->search.word && call->search.word == word.data ? &call->search.lookup : NULL;
}

/* The number or the word given with an option, or else this one, or the empty word. */
static inline int64_t call_number(const struct call *call, int slot, int64_t otherwise) {
    return args_given(&call->args, slot) ? call->args.slots[slot].number : otherwise;
}
static inline struct bytes call_option(const struct call *call, int slot) {
    return args_given(&call->args, slot) ? call_word(call, call->args.slots[slot].at) : bytes_of("", 0);
}

/* A size, offset or length that is given; 0 without it. */
static inline uint64_t call_size(const struct call *call, int slot) {
    return (uint64_t)call_number(call, slot, 0);
}

/* Fixes the time of the call, unless it is fixed already. Worth a call of its own while prefetched memory arrives. */
static inline void call_read_clock(struct call *call) {
    if (!call->now_us) call->now_us = server_now_us();
}

/* The time of the call; the same whenever it is read. */
int64_t call_now_us(struct call *call);
int64_t call_now_ms(struct call *call);

/* Whether the server refuses commands that may grow: it had reached its maxmemory before this one, or before the first
 * of MULTI or a script, and could evict nothing. What the command itself takes does not count. */
bool call_is_out_of_memory(const struct call *call);

/* For a command that takes more memory only sometimes, so that the server itself does not refuse it:
 * OUTCOME_OUT_OF_MEMORY when there is none left. Always OUTCOME_DONE inside MULTI and scripts, where a refusal would
 * leave half of them done: what they add may exceed maxmemory. A transaction is whole either way and is refused there,
 * too: see check_memory in atomic.c. */
enum outcome call_check_memory(const struct call *call);

/* Why the call has no value to work on. Its options are known. */
enum outcome call_check_value(const struct call *call);

/* Whether the call may use its second key, which may be the first one once more: see other_key.h. */
enum outcome call_check_other_key(const struct call *call);

/* The value of the call's second key, of the same type; NULL and the reason in *outcome. */
const void *call_other_value(struct call *call, enum outcome *outcome);

/* The id given by LEASE; NULL without one. */
const struct guid *call_lease_id(const struct call *call);

#endif
