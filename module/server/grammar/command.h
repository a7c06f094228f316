/* A command: one row of the table: see command_rows.h. */
#ifndef HOLDFAST_COMMAND_H
#define HOLDFAST_COMMAND_H

#include "core/condition.h"
#include "server/base/data_type.h"
#include "server/grammar/args.h"

struct call;
struct record_reader;
struct reply;
struct targets;

/* One sort of repeated group in SHAPE_REST, each introduced by a word. */
struct command_part {
    const char *word;
    struct grammar *grammar;
};

enum key_use {
    KEY_READ,
    KEY_UPDATE,
    KEY_TAKE,   /* changes it, and answers what is in it */
    KEY_CREATE, /* may be missing: the handler makes it */
    KEY_REMOVE,
    KEY_CLEAR, /* removes it; may be missing: there is nothing to do */
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
    /* For commands that take something and can wait; NULL for others: undoes a grant whose client was lost, using
     * what the handler wrote to call->grant. */
    void (*give_back)(struct call *call, struct record_reader *granted);
    /* For these commands: the outcome when the call could have what it decided, but others come first, or its time to
     * wait is over; and what replies or notes something with it, or NULL. */
    enum outcome gives_way;
    void (*give_way)(struct call *call);
    /* For ONCE: `remember` writes what is remembered when that is not the reply itself; `recall` makes the reply
     * from it when the call is repeated. Either may be NULL. */
    void (*remember)(struct call *call, struct reply *packed);
    enum outcome (*recall)(struct call *call, struct bytes packed);
    void (*prefetch)(struct call *call); /* prefetches what the handler will read; may be NULL */
    /* Rules of form across several clauses; may be NULL. What it has read it may leave in call->form. */
    enum outcome (*check)(struct call *call);
    /* Names the targets of the command, from its arguments alone: see targets.h. NULL for commands that are
     * not allowed in a transaction, as those that may create or drop their key. */
    void (*touches)(const struct call *call, struct targets *targets);
    unsigned variant; /* which of the commands that share a handler this is; numbered by the family */
    struct grammar *grammar;
    const struct command_part *parts; /* the parts of SHAPE_REST, ended by one without a word; may be NULL */
    struct data_type *data_type;      /* NULL: any with leases, or, for KEY_EFFECT, chosen by the handler */
    /* For commands of any such type: the outcome when the key does not exist, by the options that are given. */
    enum outcome (*missing)(const struct call *call);
    enum condition_use conditions;
    enum key_use key;
    /* Reports the keys to a server that asks, where the two fixed positions are not enough; NULL for most. */
    void (*tell_keys)(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
    int first_key; /* for KEY_NONE: argv index of the key that a server that does not ask goes by; 0 for none */
    int other_key; /* argv index of a second, read-only key; 0 for none */
    int elsewhere; /* slot of the option that makes it another server's key; 0 for none */
    const char *flags;
    const char *categories;
    const char *complexity;
    const char *summary;
    const char *example; /* its arguments, for HOLDFAST.HELP; NULL for none */
};

/* Whether it may take more memory. */
bool command_may_grow(const struct command *command);

/* How the server's flags describe the use of a key. */
uint64_t command_key_flags(enum key_use use);

/* Whether the context's client may run this command, which the server has allowed with its first key, with another key,
 * too; ACL LOG shows it if not. */
bool command_may_use_with(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, RedisModuleString *key,
                          enum key_use use);

/* Whether it may use the keys of a well-formed call as the command does. */
bool command_may_use_keys(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv,
                          int argc);

/* Answers the server's request for the positions of a command's keys. argv[0] is the
 * word at index `at` of what the server asked about. */
void command_tell_keys(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                       int at);

#endif
