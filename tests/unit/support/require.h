/* How a unit test says what must hold. Outside of a test, in a fuzzer, a requirement that
 * does not hold ends the process. */
#ifndef HOLDFAST_UNIT_REQUIRE_H
#define HOLDFAST_UNIT_REQUIRE_H

#include "core/bytes.h"
#include "core/outcome.h"

void require_failed(const char *file, int line, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/* Behind the name of what is declared: how it ends at the end of the block. */
#define ENDS_BY(end) __attribute__((cleanup(end)))

/* The rest says which case it was. */
#define require(truth, ...)                                                                                  \
    do {                                                                                                     \
        if (!(truth)) require_failed(__FILE__, __LINE__, __VA_ARGS__);                                       \
    } while (0)

/* Equal whole numbers of any type that fits into 64 bits. */
#define require_same(actual, expected, ...)                                                                  \
    require_same_at(__FILE__, __LINE__, (long long)(actual), (long long)(expected), #actual, __VA_ARGS__)

#define require_bytes(actual, expected, ...)                                                                 \
    require_bytes_at(__FILE__, __LINE__, (actual), (expected), __VA_ARGS__)

void require_same_at(const char *file, int line, long long actual, long long expected, const char *what,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));
void require_bytes_at(const char *file, int line, struct bytes actual, struct bytes expected,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

/* For messages: the code of a refusal, or a word for what is none. */
const char *outcome_word(enum outcome outcome);

#endif
