/* How a test says that something is wrong: with the place, the reason, and the last command that was sent. */
#ifndef HOLDFAST_TESTS_FAILURE_H
#define HOLDFAST_TESTS_FAILURE_H

#include <stddef.h>

void failure_note_command(const void *bytes, size_t length);

/* Jumps out of the test or the fixture. */
void failure_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));

/* Prints a long text among the messages of the test. */
void failure_print(const char *text);

#define failure(...) failure_at(__FILE__, __LINE__, __VA_ARGS__)

/* Fails unless `truth`; the rest says what was expected. */
#define require(truth, ...)                                                                                  \
    do {                                                                                                     \
        if (!(truth)) failure(__VA_ARGS__);                                                                  \
    } while (0)

#endif
