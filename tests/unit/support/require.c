#include "require.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE_BYTES = 512, SHOWN_BYTES = 40 };

static void fail_here(const char *file, int line, const char *message) __attribute__((noreturn));

static void fail_here(const char *file, int line, const char *message) {
    print_error("%s:%d: %s\n", file, line, message);
    _fail(file, line);
    abort(); /* not reached, but only cmocka knows */
}

void require_failed(const char *file, int line, const char *format, ...) {
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    fail_here(file, line, message);
}

void require_same_at(const char *file, int line, long long actual, long long expected, const char *what,
                     const char *format, ...) {
    if (actual == expected) return;
    char message[MESSAGE_BYTES];
    int length = snprintf(message, sizeof(message) / 2, "%s is %lld, not %lld: ", what, actual, expected);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message + length, sizeof(message) - (size_t)length, format, arguments);
    va_end(arguments);
    fail_here(file, line, message);
}

static void show(struct bytes bytes, char shown[SHOWN_BYTES * 4 + 1]) {
    shown[0] = '\0';
    for (size_t i = 0; i < bytes.length && i < SHOWN_BYTES; i++) {
        unsigned char c = (unsigned char)bytes.data[i];
        (void)sprintf(shown + strlen(shown), c >= ' ' && c < 127 ? "%c" : "\\x%02x", c);
    }
}

void require_bytes_at(const char *file, int line, struct bytes actual, struct bytes expected,
                      const char *format, ...) {
    if (bytes_equal(actual, expected)) return;
    char message[MESSAGE_BYTES], is[SHOWN_BYTES * 4 + 1], should[SHOWN_BYTES * 4 + 1];
    show(actual, is);
    show(expected, should);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    print_error("%zu bytes '%s', not %zu bytes '%s'\n", actual.length, is, expected.length, should);
    fail_here(file, line, message);
}

const char *outcome_word(enum outcome outcome) {
    if (outcome == OUTCOME_DONE) return "done";
    return outcome == OUTCOME_UNCHANGED ? "unchanged" : outcome_text(outcome)->code;
}
