/* The table of commands; see commands.c. */
#ifndef HOLDFAST_COMMANDS_H
#define HOLDFAST_COMMANDS_H

#include "server/grammar/command.h"

const struct command *commands_table(size_t *count);

#endif
