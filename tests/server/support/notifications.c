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
    struct text events = {0};
    text_add(&events, "", 0);
    send_call(listener, "PING");
    for (const char *heard; (heard = next_heard(listener));)
        text_print(&events, "%s%s", events.length ? ", " : "", heard);
    return events.bytes;
}

/* --- Primary and replicas --- */

static struct client *listeners[3];

void notifications_begin(void) {
    await_replicas();
    listeners[0] = notifications_listener(primary->server);
    listeners[1] = notifications_listener(replica->server);
    listeners[2] = notifications_listener(chained->server);
}

static int compare_lines(const void *one, const void *other) {
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* What was heard of changes, sorted; the names of their events have a dot, and those of the server's own have none. */
static const char *heard_sorted(struct client *listener) {
    struct words lines = {0};
    struct text sorted = {0};
    send_call(listener, "PING");
    for (const char *heard; (heard = next_heard(listener));)
        if (strcspn(heard, ".") < strcspn(heard, " ")) words_add(&lines, heard);
    if (lines.count) qsort(lines.word, lines.count, sizeof *lines.word, compare_lines);
    text_add(&sorted, "", 0);
    for (size_t i = 0; i < lines.count; i++) text_print(&sorted, "%s\n", lines.word[i]);
    return sorted.bytes;
}

void notifications_require_alike(const char *what) {
    await_replicas();
    const char *told = heard_sorted(listeners[0]);
    for (int i = 1; i < 3; i++) {
        const char *told_here = heard_sorted(listeners[i]);
        require(!strcmp(told, told_here), "%s: the primary tells\n%sand %s\n%s", what, told,
                listeners[i]->server->name, told_here);
    }
}
