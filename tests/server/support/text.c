#include "text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "pool.h"

enum { QUOTED_BYTES_MAX = 400 };

void text_add(struct text *text, const void *bytes, size_t length) {
    if (text->length + length + 1 > text->room) {
        char *old = text->room ? text->bytes : NULL;
        text->room = (text->length + length + 1) * 2;
        text->bytes = pool_grow(old, text->room);
    }
    if (length) memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_print(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *printed = pool_print_list(format, arguments);
    va_end(arguments);
    text_add(text, printed, strlen(printed));
}

static void text_add_escaped_byte(struct text *text, unsigned char byte) {
    if (byte == '"' || byte == '\\') {
        text_print(text, "\\%c", byte);
    } else if (byte == '\r') {
        text_print(text, "\\r");
    } else if (byte == '\n') {
        text_print(text, "\\n");
    } else if (isprint(byte)) {
        text_add(text, &byte, 1);
    } else {
        text_print(text, "\\x%02x", byte);
    }
}

void text_add_escaped(struct text *text, const void *bytes, size_t length) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++) text_add_escaped_byte(text, byte[i]);
}

const char *text_quoted(const void *bytes, size_t length) {
    struct text quoted = {0};
    size_t shown = length < QUOTED_BYTES_MAX ? length : QUOTED_BYTES_MAX;
    text_add(&quoted, "\"", 1);
    text_add_escaped(&quoted, bytes, shown);
    text_add(&quoted, "\"", 1);
    if (shown < length) text_print(&quoted, "... (%zu bytes)", length);
    return quoted.bytes;
}

bool text_begins(const char *text, const char *beginning) {
    return !strncmp(text, beginning, strlen(beginning));
}

bool text_is_one_of(const char *text, const char *const *list) {
    for (; *list; list++) {
        if (!strcmp(text, *list)) return true;
    }
    return false;
}

char *text_in_capitals(const char *text) {
    char *capitals = pool_copy(text, strlen(text));
    for (char *letter = capitals; *letter; letter++) *letter = (char)toupper((unsigned char)*letter);
    return capitals;
}

const char *text_letters(size_t length, char letter) {
    return memset(pool_take(length + 1), letter, length);
}

const char *text_letters_of(const char *word) {
    if (!isdigit((unsigned char)*word)) return NULL;
    char *star;
    size_t length = strtoul(word, &star, 10);
    return *star == '*' && star[1] && !star[2] ? text_letters(length, star[1]) : NULL;
}

const char *text_line(const char **text) {
    if (!**text) return NULL;
    size_t length = strcspn(*text, "\n");
    const char *line = pool_copy(*text, length);
    *text += length + ((*text)[length] == '\n');
    return line;
}

const char *const *text_commands(const char *text) {
    static const char between[] = "; ";
    size_t count = 0;
    const char **commands = pool_take((strlen(text) + 2) * sizeof(*commands));
    for (const char *end; (end = strstr(text, between)); text = end + strlen(between))
        commands[count++] = pool_copy(text, (size_t)(end - text));
    commands[count] = text;
    return commands;
}

const char *text_of_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "r");
    require(file, "%s does not open", path);
    struct text text = EMPTY_TEXT;
    char part[4096];
    for (size_t count = fread(part, 1, sizeof(part), file); count; count = fread(part, 1, sizeof(part), file))
        text_add(&text, part, count);
    fclose(file);
    if (length) *length = text.length;
    return text.bytes;
}
