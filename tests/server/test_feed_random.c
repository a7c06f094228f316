/*
 * Followers of a container that lives at random: written, deleted, created anew, copied, renamed, restored, reloaded,
 * its feed turned off and on, with few deletions remembered. Followers stop and go on, at the primary and at the
 * replica; in the end each of their copies is what the container is.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"
#include "text.h"

enum { NAMES = 25, ROUNDS = 6, STEPS = 250, FOLLOWERS = 3, PAGES_MAX = 500 };

static const char lost[] = "CONFLICT ChangesLost";

struct follower {
    char since[65];
    char copy[NAMES][19]; /* ETags; empty for what is not there */
    int losses;
};

static struct follower followers[FOLLOWERS];
static redisReply *payload; /* of the container at some time */

static void follower_begins(struct follower *follower) {
    int losses = follower->losses;
    *follower = (struct follower){.since = "0", .losses = losses};
}

static size_t number_of(const redisReply *change) {
    size_t number = (size_t)atoi(field(change, "name")->str + 1);
    require(number < NAMES, "a change of %s", field(change, "name")->str);
    return number;
}

static void take_change(struct follower *follower, const redisReply *change) {
    char *copy = follower->copy[number_of(change)];
    const char *etag = reply_string(field(change, "etag"));
    require(strcmp(etag, copy) > 0, "%s is told with %s after %s", field(change, "name")->str, etag, copy);
    strcpy(copy, reply_field_if_any(change, "deleted") ? "" : etag);
}

/* Whether it got something, or a better bookmark. */
static bool reads_page(struct follower *follower, struct client *client, int count) {
    redisReply *reply = call(client, "CONTAINER.CHANGES box SINCE %s COUNT %d", follower->since, count);
    if (reply_is_error(reply)) {
        bool is_loss = text_begins(reply->str, lost);
        if (is_loss) follower->losses++;
        if (is_loss) follower_begins(follower);
        require(is_loss || text_begins(reply->str, "CONFLICT Feed") || text_begins(reply->str, "NOTFOUND"),
                "%s", reply->str);
        return is_loss;
    }
    for (size_t i = 0; i < reply->element[1]->elements; i++)
        take_change(follower, reply->element[1]->element[i]);
    const char *bookmark = reply_string(reply->element[0]);
    bool moved = strcmp(bookmark, follower->since) != 0;
    require(strlen(bookmark) <= 64, "a long bookmark");
    strcpy(follower->since, bookmark);
    return moved;
}

/* --- What happens to the container --- */

static const char *some_name(void) {
    return pool_print("n%d", (int)random_below(NAMES));
}

static void begin_anew(void) {
    if (!call(primary, "EXISTS box")->integer) expect_etag(call(primary, "CONTAINER.CREATE box"));
    expect_ok(call(primary, "CONTAINER.FEED box ON KEEP %d", (int)random_below(12)));
}

static void write_in_a_transaction(void) {
    expect_ok(call(primary, "MULTI"));
    call(primary, "BLOB.PUT box %s x", some_name());
    call(primary, "BLOB.DELETE box %s", some_name());
    call(primary, "BLOB.PUT box %s y", some_name());
    expect_elements(call(primary, "EXEC"), 3);
}

static void something_rare(void) {
    switch (random_below(9)) {
    case 0: call(primary, "CONTAINER.FEED box OFF"); break;
    case 1: payload = call(primary, "DUMP box"); break;
    case 2:
        if (payload && payload->len)
            expect_ok(call(primary, "RESTORE box 0 %b REPLACE", payload->str, payload->len));
        break;
    case 3:
        expect_ok(call(primary, "RENAME box away"));
        expect_ok(call(primary, "RENAME away box"));
        break;
    case 4: expect_ok(call(primary, "DEBUG RELOAD")); break;
    case 5: expect_ok(call(primary, "FLUSHALL")); break;
    case 6: expect_ok(call(primary, "CONTAINER.FEED box ON KEEP %d", (int)random_below(5))); break;
    case 7: pass_through_copies("box"); break;
    default: write_in_a_transaction();
    }
    begin_anew();
}

/* What cannot be done is refused, and no matter here. */
static void something_happens(void) {
    switch (random_below(12)) {
    case 0:
    case 1:
    case 2: call(primary, "BLOB.DELETE box %s", some_name()); break;
    case 3: call(primary, "BLOB.COPY box %s box %s", some_name(), some_name()); break;
    case 4: call(primary, "BLOB.SETMETA box %s META 1 a b", some_name()); break;
    case 5:
        call(primary, "HOLDFAST.ATOMIC 2 4 BLOB.PUT box %s z 3 BLOB.DELETE box %s", some_name(), some_name());
        break;
    case 6: call(primary, "BLOB.SNAPSHOT box %s", some_name()); break;
    default: call(primary, "BLOB.PUT box %s x", some_name());
    }
    if (random_below(15) == 0) something_rare();
}

/* --- In the end --- */

static void expect_the_same(struct follower *follower, struct client *client) {
    int pages = 0;
    while (reads_page(follower, client, 1 + (int)random_below(8)))
        require(pages++ < PAGES_MAX, "it never has all");
    redisReply *list = expect_elements(call(primary, "BLOB.LIST box"), 2)->element[1];
    static char there[NAMES][19];
    memset(there, 0, sizeof(there));
    for (size_t i = 0; i < list->elements; i++)
        strcpy(there[number_of(list->element[i])], reply_string(field(list->element[i], "etag")));
    for (size_t i = 0; i < NAMES; i++)
        require(strcmp(there[i], follower->copy[i]) == 0, "n%zu is '%s', not '%s'", i, there[i],
                follower->copy[i]);
}

TEST(followers_have_what_the_container_has) {
    int losses = 0;
    for (int round = 0; round < ROUNDS; round++) {
        payload = NULL;
        begin_anew();
        for (int i = 0; i < FOLLOWERS; i++) follower_begins(&followers[i]);
        for (int step = 0; step < STEPS; step++) {
            something_happens();
            if (random_below(2)) reads_page(&followers[0], primary, 1 + (int)random_below(4));
            if (random_below(3) == 0)
                reads_page(&followers[1], random_below(2) ? primary : replica, 1 + (int)random_below(4));
            if (random_below(20) == 0) reads_page(&followers[2], primary, 1 + (int)random_below(30));
        }
        await_replicas();
        for (int i = 0; i < FOLLOWERS; i++) {
            expect_the_same(&followers[i], i == 1 ? replica : primary);
            losses += followers[i].losses;
        }
    }
    require(losses > 5, "only %d losses", losses);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RUN(followers_have_what_the_container_has),
    };
    return harness_run("feed_random", tests);
}
