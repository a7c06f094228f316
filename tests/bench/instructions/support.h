/* Giving up. Any failure ends the program with status 2: a number that was counted on errors is worse than none. */
#ifndef INSTRUCTIONS_SUPPORT_H
#define INSTRUCTIONS_SUPPORT_H

#include <stdbool.h>

enum { STATUS_MORE_INSTRUCTIONS = 1, STATUS_COULD_NOT_RUN = 2 };

/* Prints the message and exits unless the condition holds. */
void require(bool condition, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
