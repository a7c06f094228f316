/* A feed: writers put and delete blobs, and one actor follows them from bookmark to bookmark. When it is
 * told that changes are lost it begins anew. At the end it goes on to the last change, and has to know what
 * is there, no more and no less. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "expect.h"
#include "workloads.h"

enum { NAMES = 40, DELETE_ONE_IN = 4 };

/* Of one actor while the load goes on. */
static struct {
    char bookmark[80];
    uint64_t etags[NAMES];
} follower;

static void begin_anew(void) {
    snprintf(follower.bookmark, sizeof(follower.bookmark), "0");
    memset(follower.etags, 0, sizeof(follower.etags));
}

static void feed_prepare(struct client *client) {
    expect_etag(call(client, "CONTAINER.CREATE feed"));
    expect_ok(call(client, "CONTAINER.FEED feed ON"));
    begin_anew();
}

/* --- Steps ------------------------------------------------------------------------------------------------------ */

static void take_page(const redisReply *page) {
    for (size_t i = 0; i < page->element[1]->elements; i++) {
        const redisReply *map = page->element[1]->element[i];
        int name = atoi(reply_field_if_any(map, "name")->str);
        bool deleted = reply_field_if_any(map, "deleted");
        follower.etags[name % NAMES] = deleted ? 0 : version_of(reply_field_if_any(map, "etag")->str);
    }
    snprintf(follower.bookmark, sizeof(follower.bookmark), "%s", page->element[0]->str);
}

static void follow_on(struct actor *actor) {
    redisReply *page =
        actor_asks(actor, "CONTAINER.CHANGES feed SINCE %s COUNT 10 BLOCK 0.1", follower.bookmark);
    if (page) take_page(page);
    if (actor->told) begin_anew();
}

static void write_one(struct actor *actor) {
    int name = actor_chance(actor, NAMES);
    if (!actor_chance(actor, DELETE_ONE_IN)) {
        actor_asks(actor, "BLOB.DELETE feed %d", name);
        return;
    }
    redisReply *reply = actor_asks(actor, "BLOB.PUT feed %d %lld", name, actor_operation(actor));
    struct event event = actor_event(actor, WROTE);
    event.version = reply ? version_of(reply->str) : 0;
    actor_notes(actor, event);
}

static void feed_step(struct actor *actor) {
    if (actor_is_first(actor))
        follow_on(actor);
    else
        write_one(actor);
}

/* --- What it knows ----------------------------------------------------------------------------------------------- */

static void catch_up(struct client *client) {
    for (redisReply *page = NULL; !page || reply_is_error(page) || page->element[1]->elements;) {
        page = call(client, "CONTAINER.CHANGES feed SINCE %s", follower.bookmark);
        if (reply_is_error(page))
            begin_anew();
        else
            take_page(page);
    }
}

static void feed_check(struct part *part, struct client *client) {
    uint64_t there[NAMES] = {0};
    catch_up(client);
    const redisReply *items = expect_elements(call(client, "BLOB.LIST feed"), 2)->element[1];
    for (size_t i = 0; i < items->elements; i++)
        there[atoi(field(items->element[i], "name")->str) % NAMES] =
            version_of(field(items->element[i], "etag")->str);
    for (int name = 0; name < NAMES; name++)
        if (there[name] != follower.etags[name])
            violation(part, "blob %d has 0x%016llX, and 0x%016llX by the feed", name,
                      (unsigned long long)there[name], (unsigned long long)follower.etags[name]);
    versions_check(part);
}

const struct workload feed_workload = {"feed", "feed", 3, feed_prepare, feed_step, feed_check};
