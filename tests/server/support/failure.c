#include "failure.h"

#include <stdlib.h>
#include <string.h>

#include "cmocka_library.h"
#include "pool.h"
#include "text.h"

enum { COMMAND_BYTES_MAX = 600, REASON_BYTES_MAX = 8000, PRINTED_AT_ONCE = 500 };

static struct {
    char bytes[COMMAND_BYTES_MAX];
    size_t length;
} last_command;

void failure_note_command(const void *bytes, size_t length) {
    last_command.length = length < COMMAND_BYTES_MAX ? length : COMMAND_BYTES_MAX;
    memcpy(last_command.bytes, bytes, last_command.length);
}

/* The noted command is in the protocol's form; a person wants to read the words alone. */
static const char *last_command_words(void) {
    struct text text = EMPTY_TEXT;
    bool is_length_line = true;
    for (size_t i = 0; i < last_command.length;) {
        const char *line = last_command.bytes + i;
        const char *end = memchr(line, '\n', last_command.length - i);
        size_t length = end ? (size_t)(end - line) : last_command.length - i;
        is_length_line = length && (line[0] == '$' || line[0] == '*');
        if (!is_length_line) {
            text_add_escaped(&text, line, length && line[length - 1] == '\r' ? length - 1 : length);
            text_add(&text, " ", 1);
        }
        i += length + 1;
    }
    return text.bytes;
}

/* In pieces, since cmocka cuts off what is longer than a kibibyte. */
void failure_print(const char *text) {
    size_t left = strlen(text);
    if (left > REASON_BYTES_MAX) left = REASON_BYTES_MAX;
    for (size_t length; left; text += length, left -= length) {
        length = left < PRINTED_AT_ONCE ? left : PRINTED_AT_ONCE;
        print_error("%.*s", (int)length, text);
    }
}

void failure_at(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *reason = pool_print_list(format, arguments);
    va_end(arguments);
    failure_print(pool_print("%s:%d: %s", file, line, reason));
    print_error("\n    the last command sent: %s\n", last_command_words());
    _fail(file, line);
    abort(); /* outside of tests and fixtures there is nowhere to jump to */
}
