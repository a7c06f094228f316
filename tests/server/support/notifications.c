#include "notifications.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "text.h"

struct client *notifications_listener(struct server *server) {
    struct client *listener = test_client(server);
    call(listener, "PSUBSCRIBE __keyevent@*");
    return listener;
}

/* All notifications that were caused before the PING stand before its answer: answers NULL for that. */
static const char *next_heard(struct client *listener) {
    redisReply *message = receive(listener);
    if (message->elements != 4) return NULL;
    const char *event = strchr(reply_string(message->element[2]), ':') + 1;
    return pool_print("%s %s", event, reply_string(message->element[3]));
}

const char *notifications_heard(struct client *listener) {
    struct text events = EMPTY_TEXT;
    send_call(listener, "PING");
    for (const char *heard; (heard = next_heard(listener));)
        text_print(&events, "%s%s", events.length ? ", " : "", heard);
    return events.bytes;
}

/* --- Primary and replica --- */

static struct {
    struct client *on_primary;
    struct client *on_replica;
    long long synchronisations;
} alike;

static long long synchronisations(void) {
    redisReply *info = call(primary, "INFO stats");
    return info_number(info, "sync_full") + info_number(info, "sync_partial_ok");
}

void notifications_begin(void) {
    alike.on_primary = notifications_listener(primary->server);
    alike.on_replica = notifications_listener(replica->server);
    alike.synchronisations = synchronisations();
}

static int compare_lines(const void *one, const void *other) {
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* What was heard of changes, sorted, and how often. The names of their events have a dot, and those of the server's own
 * have none. */
static const char *heard_counted(struct client *listener) {
    struct words lines = {0};
    struct text counted = EMPTY_TEXT;
    send_call(listener, "PING");
    for (const char *heard; (heard = next_heard(listener));)
        if (strcspn(heard, ".") < strcspn(heard, " ")) words_add(&lines, heard);
    if (lines.count) qsort(lines.word, lines.count, sizeof *lines.word, compare_lines);
    for (size_t i = 0, same; i < lines.count; i += same) {
        for (same = 1; i + same < lines.count && !strcmp(lines.word[i], lines.word[i + same]);) same++;
        text_print(&counted, "%zu %s\n", same, lines.word[i]);
    }
    return counted.bytes;
}

void notifications_require_alike(void) {
    if (synchronisations() != alike.synchronisations) return;
    await_replicas();
    const char *told = heard_counted(alike.on_primary), *told_there = heard_counted(alike.on_replica);
    require(!strcmp(told, told_there), "the primary tells\n%sand the replica\n%s", told, told_there);
}
