/* A command: one row of the table in commands.c, and the straight way that every command goes.
 *
 *   open the one key ─▶ parse and look at the form ─▶ the family's handler: decide, apply, replicate, reply
 *
 * No step goes back. The first one that fails answers with its error and leaves no trace. A key that is
 * missing or of another type counts only when the form is right; it is opened first so that the memory that
 * the command will want is on its way while argv is read. */
#ifndef HOLDFAST_COMMAND_H
#define HOLDFAST_COMMAND_H

#include "core/catalog.h"
#include "core/condition.h"
#include "core/packed.h"
#include "server/aggregate.h"
#include "server/args.h"

struct call;

enum key_use { KEY_READ, KEY_UPDATE, KEY_CREATE, KEY_REMOVE, KEY_EFFECT };

struct command {
    const char *name;
    RedisModuleCmdFunc entry;
    enum outcome (*handle)(struct call *call);
    void (*expect)(struct call *call);        /* sends for what the handler will look at; may be NULL */
    enum outcome (*check)(struct call *call); /* rules of form that no clause can see alone; may be NULL */
    const struct clause *const *grammar;
    struct aggregate *aggregate; /* NULL: the handler opens the key itself */
    enum condition_use conditions;
    enum key_use key;
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

/* One execution of a command. */
struct call {
    RedisModuleCtx *ctx;
    RedisModuleString **argv;
    int argc;
    const struct command *command;
    struct args args;
    struct conditions conditions;
    struct call_list metadata, properties, policies; /* empty lists when not given */
    RedisModuleKey *key;
    struct catalog_search search; /* of the name that the command is about, if the value is there */
    void *value;    /* the aggregate, NULL when the key is missing and the command may create it */
    char note[160]; /* what a refusal has to say beyond the table's text; empty for most */
};

/* Runs a command from argv to reply. */
int command_run(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

/* Says why, beyond the table's text, the call is about to be refused. */
void call_note(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A positional argument or a word of an option. */
struct bytes call_word(const struct call *call, int at);

/* Seconds are never asked for twice within a command: handlers read the time once and hand it down. */
int64_t server_now_us(void);
int64_t server_now_ms(void);

/* The conditions of the call against an object; NULL when there is none. On failure the call's note tells
 * why. */
enum outcome call_conditions(struct call *call, const struct stamp *object, const char *noun);

/* After a change and its effect: tells those who watch the key, and those who listen for events. */
void call_changed(const struct call *call, const char *event);

#endif
