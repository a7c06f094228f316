#define _GNU_SOURCE
#include "basics.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void give_up(const char *format, ...) {
    va_list arguments;
    fflush(stdout);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(STATUS_COULD_NOT_RUN);
}

void *allocate(size_t count, size_t bytes_each) {
    void *memory = calloc(count ? count : 1, bytes_each);
    require(memory, "out of memory");
    return memory;
}

char *allocate_letters(size_t count) {
    return memset(allocate(count, 1), 'x', count);
}

void *grow_array(void *entries, size_t count, size_t bytes_each) {
    if (count & (count - 1)) return entries;
    entries = realloc(entries, (count ? count * 2 : 1) * bytes_each);
    require(entries, "out of memory");
    return entries;
}

char *format_text(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    require(length >= 0, "out of memory");
    return text;
}

char *list_next(const char **list) {
    if (!**list) return NULL;
    size_t length = strcspn(*list, ";");
    char *text = format_text("%.*s", (int)length, *list);
    *list += length;
    *list += strspn(*list, "; ");
    return text;
}

bool text_is(const char *text, const char *other) {
    return strcmp(text, other) == 0;
}
