/* The stateless commands on files, each with the access as which it counts, and a file for it to meet: `a`, which has
 * the ten bytes 0123456789, beside `b`, which has them as well. */
#ifndef HOLDFAST_TESTS_FILE_COMMANDS_H
#define HOLDFAST_TESTS_FILE_COMMANDS_H

#include "files.h"
#include "open_model.h"

enum { KEEPS_DATA = 1, PUTS_OTHER = 2 };

struct file_command { /* NOLINT(clang-analyzer-optin.performance.Padding) */
    enum model_class class;
    const char *line; /* an act on `a` */
    int traits; /* KEEPS_DATA: byte-range locks do not matter to it; PUTS_OTHER: `a` is where it puts `b` */
};

/* Up to the row without a line. */
extern const struct file_command file_commands[];

/* Makes the share, the session and the two files anew. */
void file_commands_setup(void);

#endif
