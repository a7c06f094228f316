/* HOLDFAST.HELP and HOLDFAST.VERSION: what the table of commands says, for people. They look at no key. */
#ifndef HOLDFAST_HELP_H
#define HOLDFAST_HELP_H

#include "server/call/call.h"

/* The slot of the topic. */
enum { SLOT_HELP_TOPIC = SLOT_FAMILY };

/* Once, at load: the table of commands. */
void help_start(const struct command *all, size_t count);

#endif
