/* How much a server does between the commands of its clients. */
#ifndef HOLDFAST_TESTS_TURNS_H
#define HOLDFAST_TESTS_TURNS_H

#include "expect.h"

/* Sends a command to the primary that serves many who wait: one turn of the server's event loop serves few of them, and
 * the next turn goes on at once, until so many are left. INFO tells under this name how many wait. */
void expect_served_in_turns_at(struct place place, const char *command, const char *name, long long left);
#define expect_served_in_turns(command, name, left) expect_served_in_turns_at(HERE, command, name, left)

#endif
