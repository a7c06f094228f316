/* What every file of the bench needs, and what counts instructions, too: errors, memory, text.
 *
 * A program that cannot go on prints the reason and exits with status 2. A number measured on errors would be worse than
 * none, so every unexpected reply ends the run. */
#ifndef BENCH_BASICS_H
#define BENCH_BASICS_H

#include <stdbool.h>
#include <stddef.h>

enum { STATUS_BARS_MISSED = 1, STATUS_COULD_NOT_RUN = 2 };

void give_up(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Gives up unless the condition holds. */
#define require(condition, ...)                                                                              \
    do {                                                                                                     \
        if (!(condition)) give_up(__VA_ARGS__);                                                              \
    } while (0)

/* Zeroed memory that need not be checked. */
void *allocate(size_t count, size_t bytes_each);

/* So many letters x. */
char *allocate_letters(size_t count);

/* Room for one more entry behind `count`. Grows whenever that is a power of two, so it must be called for each. */
void *grow_array(void *entries, size_t count, size_t bytes_each);

/* The text is the caller's; names in results are never freed. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The next of some texts with "; " between them, which is the caller's, and goes on to the one behind it; NULL at the end. */
char *list_next(const char **list);

bool text_is(const char *text, const char *other);

#endif
