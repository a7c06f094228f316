/* Registration: turns rows of the command table into commands of the server, with arity, flags, key specs,
 * ACL categories and the argument trees of COMMAND DOCS, all from the same clauses that the parser reads. */
#ifndef HOLDFAST_REGISTRATION_H
#define HOLDFAST_REGISTRATION_H

#include "core/text.h"
#include "server/grammar/command.h"

int registration_add(RedisModuleCtx *ctx, const struct command *commands, size_t count);

/* The syntax of a command as one line: BLOB.GET container blob [RANGE offset length] ... */
void registration_syntax(const struct command *command, struct text *line);

#endif
