#include "feeds.h"

#include <string.h>

#include "harness.h"
#include "pool.h"
#include "text.h"

redisReply *changes_at(struct client *client, const char *since, const char *more) {
    return expect_elements(call_line(client, pool_print("CONTAINER.CHANGES box SINCE %s %s", since, more)),
                           2);
}

redisReply *changes(const char *since) {
    return changes_at(primary, since, "");
}

const char *bookmark_of(const redisReply *page) {
    const char *bookmark = reply_string(page->element[0]);
    require(strlen(bookmark) <= 64, "a bookmark of %zu characters", strlen(bookmark));
    return bookmark;
}

static const char *names_told(const redisReply *page) {
    struct text names = EMPTY_TEXT;
    for (size_t i = 0; i < page->element[1]->elements; i++) {
        const redisReply *change = page->element[1]->element[i];
        text_print(&names, "%s%s%s", i ? " " : "", reply_field_if_any(change, "deleted") ? "-" : "",
                   reply_string(field(change, "name")));
    }
    return names.bytes;
}

void expect_told_at(struct place place, const redisReply *page, const char *names) {
    if (strcmp(names_told(page), names) != 0)
        failure_at(place.file, place.line, "it tells '%s', not '%s'", names_told(page), names);
}

const char *of_container(struct client *client, const char *name) {
    return reply_string(field(call(client, "CONTAINER.GET box"), name));
}

void followed_box(const char *more) {
    create("box");
    expect_ok(call_line(primary, pool_print("CONTAINER.FEED box ON %s", more)));
}

void delete_blob(const char *blob) {
    expect_ok(call(primary, "BLOB.DELETE box %s", blob));
}
