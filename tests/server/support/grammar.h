/* What COMMAND DOCS tells of the module's commands: the same grammar that the module parses by. */
#ifndef HOLDFAST_TESTS_GRAMMAR_H
#define HOLDFAST_TESTS_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include "client.h"

struct argument {
    const char *name;
    const char *type;
    const char *token; /* NULL where there is none */
    bool is_optional;
    bool is_multiple;
    size_t count;
    struct argument *part;
};

struct grammar {
    const char *command; /* in capitals */
    const char *summary;
    const char *since;
    const char *group;
    const char *complexity;
    struct argument all; /* a block of all arguments */
};

/* The one that applies effects, by either name. */
bool is_effect_command(const char *command);

/* By what COMMAND INFO says of it. */
bool command_has_flag(const redisReply *info, const char *flag);

/* All commands of the module, HOLDFAST.APPLY among them. */
struct words grammar_commands(struct client *client);

struct grammar grammar_of(struct server *server, const char *command);

/* The whole command as one line: BLOB.GET container blob [RANGE offset length] ... */
const char *grammar_line(const struct grammar *grammar);

#endif
