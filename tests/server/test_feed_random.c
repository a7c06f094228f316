/* Followers of a container and of a table that live at random: written, deleted, created anew, copied, renamed, restored,
 * reloaded, moved to another server and back, their feed turned off and on, with few deletions remembered. Followers stop
 * and go on, at the primary and at the replica; in the end each of their copies is what the container or the table is. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"
#include "text.h"

enum { NAMES = 25, ROUNDS = 6, STEPS = 250, FOLLOWERS = 3, PAGES_MAX = 500, WRITES = 12 };

static const char lost[] = "CONFLICT ChangesLost";

/* What is followed. In a line %n stands for a name that is drawn. */
static const struct followed {
    const char *key, *create, *feed, *changes, *list, *name;
    const char *writes[WRITES];
} container =
    {
        .key = "box",
        .create = "CONTAINER.CREATE box",
        .feed = "CONTAINER.FEED box",
        .changes = "CONTAINER.CHANGES box",
        .list = "BLOB.LIST box",
        .name = "name",
        .writes = {"BLOB.PUT box %n x", "BLOB.DELETE box %n", "BLOB.PUT box %n x", "BLOB.DELETE box %n",
                   "BLOB.PUT box %n x", "BLOB.DELETE box %n", "BLOB.PUT box %n x", "BLOB.PUT box %n x",
                   "BLOB.COPY box %n box %n", "BLOB.SETMETA box %n META 1 a b", "BLOB.SNAPSHOT box %n",
                   "HOLDFAST.ATOMIC 2 4 BLOB.PUT box %n z 3 BLOB.DELETE box %n"},
},
  table = {
      .key = "t",
      .create = "TABLE.CREATE t",
      .feed = "TABLE.FEED t",
      .changes = "TABLE.CHANGES t",
      .list = "TABLE.QUERY t",
      .name = "rk",
      .writes = {"TABLE.INSERTORREPLACE t p %n PROPS 0", "TABLE.DELETE t p %n IFMATCH *",
                 "TABLE.INSERTORREPLACE t p %n PROPS 0", "TABLE.DELETE t p %n IFMATCH *",
                 "TABLE.INSERTORREPLACE t p %n PROPS 1 a b", "TABLE.DELETE t p %n IFMATCH *",
                 "TABLE.INSERTORMERGE t p %n PROPS 1 c d", "TABLE.INSERT t p %n PROPS 0",
                 "TABLE.MERGE t p %n IFMATCH * PROPS 1 a b",
                 "TABLE.BATCH t p 2 DELETE %n IFMATCH * INSERTORREPLACE %n PROPS 0",
                 "TABLE.REPLACE t p %n IFMATCH * PROPS 0",
                 "HOLDFAST.ATOMIC 2 6 TABLE.INSERTORMERGE t p %n PROPS 0 6 TABLE.DELETE t p %n IFMATCH *"},
};

static const struct followed *followed;

struct follower {
    char since[65];
    char copy[NAMES][19]; /* ETags; empty for what is not there */
    int losses;
};

static struct follower followers[FOLLOWERS];
static redisReply *payload; /* of the key at some time */

static void follower_begins(struct follower *follower) {
    int losses = follower->losses;
    *follower = (struct follower){.since = "0", .losses = losses};
}

static size_t number_of(const char *name) {
    size_t number = (size_t)atoi(name + 1);
    require(number < NAMES, "a change of %s", name);
    return number;
}

static void take_change(struct follower *follower, const redisReply *change) {
    const char *name = reply_string(field(change, followed->name));
    char *copy = follower->copy[number_of(name)];
    const char *etag = reply_string(field(change, "etag"));
    require(strcmp(etag, copy) > 0, "%s is told with %s after %s", name, etag, copy);
    snprintf(copy, sizeof(*follower->copy), "%s", reply_field_if_any(change, "deleted") ? "" : etag);
}

/* Whether it got something, or a better bookmark. */
static bool reads_page(struct follower *follower, struct client *client, int count) {
    redisReply *reply =
        call_line(client, pool_print("%s SINCE %s COUNT %d", followed->changes, follower->since, count));
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
    snprintf(follower->since, sizeof(follower->since), "%s", bookmark);
    return moved;
}

/* --- What happens to the key --- */

static void turn_on(int keep) {
    expect_ok(call_line(primary, pool_print("%s ON KEEP %d", followed->feed, keep)));
}

static void begin_anew(void) {
    if (!call(primary, "EXISTS %s", followed->key)->integer) call_line(primary, followed->create);
    turn_on(random_below(12));
}

/* What cannot be done is refused, and no matter here. */
static redisReply *write_at(struct client *client, int which) {
    struct text line = {0};
    for (const char *pattern = followed->writes[which]; *pattern; pattern++) {
        if (*pattern == '%')
            text_print(&line, "n%d", random_below(NAMES));
        else
            text_add(&line, pattern, 1);
        pattern += *pattern == '%';
    }
    return call_line(client, line.bytes);
}

static void write_in_a_transaction(void) {
    expect_ok(call(primary, "MULTI"));
    for (int which = 0; which < 3; which++) write_at(primary, which);
    expect_elements(call(primary, "EXEC"), 3);
}

static void migrate(struct client *from, struct client *to) {
    expect_ok(call(from, "MIGRATE 127.0.0.1 %d %s 0 5000", to->server->port, followed->key));
}

/* As after a failover that lost a tail. */
static void restore_payload(void) {
    if (!payload || !payload->len) return;
    expect_ok(call(primary, "RESTORE %s 0 %b REPLACE", followed->key, payload->str, payload->len));
}

/* A follower goes along, and some is written there. */
static void move_there_and_back(struct client *other) {
    migrate(primary, other);
    for (int i = 0; i < 10; i++) {
        write_at(other, random_below(WRITES));
        if (random_below(2)) reads_page(&followers[0], other, 1 + random_below(4));
    }
    migrate(other, primary);
}

/* A copy that nobody has written comes in the place of the key, if there is one. */
static void bring_back_copy(void) {
    const char *key = followed->key;
    call_line(primary, random_below(2) ? pool_print("COPY older %s REPLACE", key)
                                       : pool_print("RENAME older %s", key));
}

static void something_rare(struct client *other) {
    const char *key = followed->key;
    switch (random_below(12)) {
    case 0: call_line(primary, pool_print("%s OFF", followed->feed)); break;
    case 1: payload = call(primary, "DUMP %s", key); break;
    case 2: restore_payload(); break;
    case 3:
        expect_ok(call(primary, "RENAME %s away", key));
        expect_ok(call(primary, "RENAME away %s", key));
        break;
    case 4: expect_ok(call(primary, "DEBUG RELOAD")); break;
    case 5: expect_ok(call(primary, "FLUSHALL")); break;
    case 6: turn_on(random_below(5)); break;
    case 7: pass_through_copies(key); break;
    case 8: move_there_and_back(other); break;
    case 9: call(primary, "COPY %s older REPLACE", key); break;
    case 10: bring_back_copy(); break;
    default: write_in_a_transaction();
    }
    begin_anew();
}

/* --- In the end --- */

static void expect_the_same(struct follower *follower, struct client *client) {
    int pages = 0;
    while (reads_page(follower, client, 1 + (int)random_below(8)))
        require(pages++ < PAGES_MAX, "it never has all");
    redisReply *list = expect_elements(call_line(client, followed->list), 2)->element[1];
    static char there[NAMES][19];
    memset(there, 0, sizeof(there));
    for (size_t i = 0; i < list->elements; i++) {
        const redisReply *item = list->element[i];
        bool is_row = followed == &table; /* partition key, row key, ETag, properties */
        const char *name = reply_string(is_row ? item->element[1] : field(item, "name"));
        snprintf(there[number_of(name)], sizeof(*there), "%s",
                 reply_string(is_row ? item->element[2] : field(item, "etag")));
    }
    for (size_t i = 0; i < NAMES; i++)
        require(strcmp(there[i], follower->copy[i]) == 0, "n%zu is '%s', not '%s'", i, there[i],
                follower->copy[i]);
}

static void follow_at_random(const struct followed *what) {
    int losses = 0;
    struct client *other = test_client(server_start("other", ""));
    followed = what;
    random_begin();
    for (int round = 0; round < ROUNDS; round++) {
        payload = NULL;
        begin_anew();
        for (int i = 0; i < FOLLOWERS; i++) follower_begins(&followers[i]);
        for (int step = 0; step < STEPS; step++) {
            write_at(primary, random_below(WRITES));
            if (random_below(15) == 0) something_rare(other);
            if (random_below(2)) reads_page(&followers[0], primary, 1 + random_below(4));
            if (random_below(3) == 0)
                reads_page(&followers[1], random_below(2) ? primary : replica, 1 + random_below(4));
            if (random_below(20) == 0) reads_page(&followers[2], primary, 1 + random_below(30));
        }
        await_replicas();
        for (int i = 0; i < FOLLOWERS; i++) {
            expect_the_same(&followers[i], i == 1 ? replica : primary);
            losses += followers[i].losses;
            followers[i].losses = 0;
        }
    }
    print_message("# %d losses\n", losses);
    require(losses > 5, "only %d losses", losses);
}

TEST(followers_have_what_the_container_has) {
    follow_at_random(&container);
}

TEST(followers_have_what_the_table_has) {
    follow_at_random(&table);
}

/* By MIGRATE to another server and back, each time with writes and deletions: who goes on there by his bookmark loses
 * nothing, and gets nothing twice. */
static void follow_to_another_server(const struct followed *what) {
    struct client *at[] = {primary, test_client(server_start("other", "")), primary};
    struct follower *follower = &followers[0];
    followed = what;
    random_begin();
    *follower = (struct follower){.since = "0"};
    call_line(primary, followed->create);
    turn_on(1000);
    for (int place = 0; place < 3; place++) {
        if (place) migrate(at[place - 1], at[place]);
        expect_the_same(follower, at[place]);
        for (int i = 0; i < 100; i++) {
            write_at(at[place], random_below(WRITES));
            if (i % 30 == 0) reads_page(follower, at[place], 3);
        }
        expect_the_same(follower, at[place]);
        for (int i = 0; i < 10; i++)
            write_at(at[place], random_below(WRITES)); /* it leaves with these untold */
    }
    expect_the_same(follower, primary);
    assert_int_equal(follower->losses, 0);
    *follower = (struct follower){.since = "0"};
    expect_the_same(follower, primary);
}

TEST(a_follower_of_a_container_goes_on_at_another_server_and_comes_back) {
    follow_to_another_server(&container);
}

TEST(a_follower_of_a_table_goes_on_at_another_server_and_comes_back) {
    follow_to_another_server(&table);
}
