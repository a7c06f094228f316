/* Golden records: each change that a release has written is read, and written again as the same bytes; and there is
 * one of every kind. */
#include "blob/container_change.h"
#include "change/bundle.h"
#include "change/once_change.h"
#include "core/memory.h"
#include "file/share_change.h"
#include "queue/queue_change.h"
#include "table/table_change.h"

#include "unit.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_BITS = 127 };

static const struct change_schema *const families[] = {&container_changes, &queue_changes, &table_changes,
                                                       &share_changes, &once_changes};

static size_t bundles;
static bool seen[ARRAY_SIZE(families)][KIND_BITS + 1];

static void check_record(struct bytes record, const char *path) {
    unsigned kind = record.data[1] & KIND_BITS;
    for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
        if (families[i]->letter != (uint8_t)record.data[0]) continue;
        _Alignas(MEMORY_ALIGNMENT) char change[CHANGE_MAX_BYTES];
        struct bytes content;
        version newest;
        require(change_read_with(families[i], record, change, &content, &newest),
                "%s: a record of kind %u is not read", path, kind);
        struct record_writer again;
        record_start(&again);
        change_write(families[i], change, &again);
        if (content.data) change_add_content(&again, content);
        require(bytes_equal(record_written(&again), record), "%s: kind %u is written otherwise", path, kind);
        record_end(&again);
        seen[i][kind] = true;
        const struct once_change *once = families[i] == &once_changes ? (const void *)change : NULL;
        if (once && once->inside.length) check_record(once->inside, path);
    }
}

/* What one command changed, if it is a bundle. */
static void check_effect(struct bytes record, int words, const char *path) {
    struct record_reader reader = bundle_reader(record);
    struct bundle_item item;
    if (!bundle_is(record)) {
        check_record(record, path);
        return;
    }
    while (bundle_next(&reader, words, &item)) check_record(item.record, path);
    require(record_complete(&reader), "%s: a bundle is not read", path);
    bundles++;
}

/* The words of a command: *3 and then $7 with seven bytes, and so on. Answers where the next one begins. */
static const char *read_command(const char *at, struct bytes *words, long max, int *count) {
    *count = (int)strtol(at + 1, (char **)(uintptr_t)&at, 10);
    for (long i = 0; i < *count; i++) {
        size_t length = (size_t)strtol(at + 3, (char **)(uintptr_t)&at, 10);
        if (i < max) words[i] = bytes_of(at + 2, length);
        at += 2 + length;
    }
    return at + 2;
}

static char *read_whole(const char *path, size_t *length) {
    FILE *file = fopen(path, "r");
    require(file, "cannot read %s", path);
    require(!fseek(file, 0, SEEK_END), "cannot read %s", path);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    require(text && fread(text, 1, *length, file) == *length, "cannot read %s", path);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static void check_file(const char *path) {
    size_t length;
    char *text = read_whole(path, &length);
    for (const char *at = text; at < text + length;) {
        struct bytes words[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
        int count;
        at = read_command(at, words, 3, &count);
        if (bytes_equal(words[0], bytes_of("HFA", 3))) check_effect(words[2], count, path);
    }
    free(text);
}

TEST(records_of_every_release_are_read_and_written) {
    glob_t found;
    require(!glob("tests/golden/[0-9]*/*.aof", 0, NULL, &found), "there are no golden files");
    for (size_t i = 0; i < found.gl_pathc; i++) check_file(found.gl_pathv[i]);
    globfree(&found);
    require(bundles > 2, "the golden files have %zu bundles", bundles);
    for (size_t i = 0; i < ARRAY_SIZE(families); i++)
        for (unsigned kind = 0; kind < families[i]->kind_count; kind++)
            require(seen[i][kind], "no golden file has a change of family %c and kind %u: see tests/golden",
                    families[i]->letter, kind);
}
