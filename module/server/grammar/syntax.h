/* The syntax line of a command, from the argument tree that is registered with the server: options in brackets,
 * choices separated by bars, repetition as dots. The documentation shows the same lines; a test compares them. */
#ifndef HOLDFAST_SYNTAX_H
#define HOLDFAST_SYNTAX_H

#include "core/text.h"
#include "server/base/api.h"

/* Each argument after a blank; args is ended by one without a name, or NULL for none. */
void syntax_put(struct text *line, const RedisModuleCommandArg *args);

#endif
