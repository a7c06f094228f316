/* The syntax line of a command, from the argument tree that is registered with the server: options in brackets,
 * choices separated by bars, repetition as dots. The documentation shows the same lines; a test compares them. */
#ifndef HOLDFAST_SYNTAX_H
#define HOLDFAST_SYNTAX_H

#include "core/text.h"
#include "server/base/api.h"

/* RedisModuleCommandArg, and the field that servers after 7.0 read behind it, whatever size they are told: without it
 * they would take the next argument's name for the text to display. */
struct syntax_arg {
    const char *name;
    RedisModuleCommandArgType type;
    int key_spec_index;
    const char *token, *summary, *since;
    int flags;
    const char *deprecated_since;
    struct syntax_arg *subargs;
    const char *display_text; /* NULL for the name */
};

/* Each argument after a blank; args is ended by one without a name, or NULL for none. */
void syntax_put(struct text *line, const struct syntax_arg *args);

#endif
