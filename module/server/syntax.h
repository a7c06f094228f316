/* The syntax of a command for people, from the argument tree that the server is told of: options in brackets, choices with
 * a bar between them, what repeats with dots. The pages show the same lines; a test compares them. */
#ifndef HOLDFAST_SYNTAX_H
#define HOLDFAST_SYNTAX_H

#include "core/text.h"
#include "server/api.h"

/* Each argument with a blank in front; args is ended by one without a name, or NULL for none. */
void syntax_put(struct text *line, const RedisModuleCommandArg *args);

#endif
