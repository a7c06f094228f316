/* Containers that are followed: what a feed adds to writes, deletions and memory; how long others wait while
 * ten thousand followers are told and while the feed of a million blobs is built; pages of changes next to
 * pages of a listing. */
#include <stdio.h>

#include "measure.h"

#define FOLLOWED "CONTAINER.CREATE followed; CONTAINER.FEED followed ON"

static const struct workload workloads[] = {
    {.name = "BLOB.PUT followed",
     .request = "BLOB.PUT followed {name} {content}",
     .filler = "BLOB.PUT followed",
     .creates = FOLLOWED,
     .is_expected = is_token},
    {.name = "BLOB.DELETE followed", .request = "BLOB.DELETE followed {name}", .is_expected = is_ok},
    {.name = "CONTAINER.CHANGES of 1000",
     .request = "CONTAINER.CHANGES followed SINCE 0 COUNT 1000",
     .filler = "BLOB.PUT followed",
     .is_expected = is_anything},
    {.name = "BLOB.LIST of 1000",
     .request = "BLOB.LIST followed COUNT 1000",
     .filler = "BLOB.PUT followed",
     .is_expected = is_anything},
};

static const struct comparison comparisons[] = {
    {"BLOB.PUT followed", "BLOB.PUT", {1.1, 0, 0}},
    {"BLOB.DELETE followed", "BLOB.DELETE", {1.1, 0, 0}},
    {"CONTAINER.CHANGES of 1000", "BLOB.LIST of 1000", {1.5, 0, 0}},
};

const struct family feed_family = FAMILY("feed", workloads, comparisons);

/* --- Next to containers that nobody follows --- */

enum { DELETED_BLOBS = 10000 };

/* What is deleted in a round is there again before the next one. */
static void blobs_renew(struct server *server, const struct dataset *data) {
    for (unsigned object = 0; object < data->objects; object++) {
        const char *name = data->names[object];
        server_send(server, "BLOB.PUT container %b %b", name, (size_t)NAME_BYTES, data->content, data->bytes);
        server_send(server, "BLOB.PUT followed %b %b", name, (size_t)NAME_BYTES, data->content, data->bytes);
    }
    server_await(server);
}

static void measure_followed(const struct context *context, const char *title, const char *names) {
    struct fixture fixture = fixture_open(context, "", sizes[0].objects, sizes[0].bytes);
    workloads_measure(&fixture, (struct setting){.title = title}, names);
    fixture_close(&fixture);
}

static void measure_deletions(const struct context *context) {
    struct fixture fixture = fixture_open(context, "", DELETED_BLOBS, sizes[0].bytes);
    commands_call(fixture.data->connections[0], "CONTAINER.CREATE container; " FOLLOWED);
    changes_measure(&fixture, (struct setting){.title = "deletions, pipeline 16"},
                    "BLOB.DELETE; BLOB.DELETE followed", 1, blobs_renew);
    fixture_close(&fixture);
}

/* --- Very many followers --- */

enum { FOLLOWERS = 10000, FOLLOWERS_QUICK = 2000, BOOKMARK_BYTES = 80, TELLINGS = 3 };
enum { FOLLOWERS_LONGEST_MS = 2, FOLLOWERS_ALL_MS = 100, TOLD_NS = 500000000, PATIENCE_SECONDS = 30 };

static void bookmark_take(struct server *server, char *bookmark) {
    redisReply *reply = server_command(server, "CONTAINER.CHANGES followed SINCE $");
    snprintf(bookmark, BOOKMARK_BYTES, "%s", reply->element[0]->str);
    freeReplyObject(reply);
}

static void all_wait(struct server *server, struct connection_set *set) {
    char bookmark[BOOKMARK_BYTES];
    bookmark_take(server, bookmark);
    for (unsigned who = 0; who < set->count; who++)
        connection_ask(set->connections[who], "CONTAINER.CHANGES followed SINCE %s BLOCK 0", bookmark);
    server_tell(server, "PING");
    server_settle();
}

static double longest_ping_after(struct server *server, const char *command) {
    return longest_wait_ms(server, command, "PING", monotonic_ns() + TOLD_NS);
}

/* While all are told; and before that, while all wait. */
static double told_longest_ms(struct server *server, struct connection_set *set, double *waiting_ms) {
    all_wait(server, set);
    *waiting_ms = greater(*waiting_ms, longest_ping_after(server, "PING"));
    double longest_ms = longest_ping_after(server, "BLOB.PUT followed blob x");
    for (unsigned who = 0; who < set->count; who++)
        connection_receive(set->connections[who], "CONTAINER.CHANGES");
    return longest_ms;
}

/* Until the last of them knows; and what it costs the server. */
static double told_all_ms(struct server *server, struct connection_set *set, double *cpu_ms) {
    all_wait(server, set);
    int64_t before_ns = monotonic_ns(), cpu_ns = server_cpu_ns(server);
    server_tell(server, "BLOB.PUT followed blob x");
    for (unsigned told = 0; told < set->count; told++) {
        int who = connection_set_next(set, before_ns + PATIENCE_SECONDS * 1000000000LL);
        require(who != NO_CONNECTION, "%u of %u followers were not told", set->count - told, set->count);
        connection_receive(set->connections[who], "CONTAINER.CHANGES");
    }
    double ms = (double)(monotonic_ns() - before_ns) / 1e6;
    server_settle();
    *cpu_ms = (double)(server_cpu_ns(server) - cpu_ns) / 1e6;
    return ms;
}

static void measure_followers(const struct context *context) {
    unsigned followers = connection_limit(context->is_quick ? FOLLOWERS_QUICK : FOLLOWERS);
    struct server *server = server_start(context->options, "maxclients 20000\n");
    struct connection_set *set = connection_set_open(server, followers);
    double longest_ms = 0, waiting_ms = 0, all_ms[TELLINGS], cpu_ms[TELLINGS];
    server_tell(server, "CONTAINER.CREATE followed");
    server_tell(server, "CONTAINER.FEED followed ON");
    for (int telling = 0; telling < TELLINGS; telling++) {
        longest_ms = greater(longest_ms, told_longest_ms(server, set, &waiting_ms));
        all_ms[telling] = told_all_ms(server, set, &cpu_ms[telling]);
    }
    add_fact(context, format_text("%u followers wait: longest PING", followers), waiting_ms, "ms");
    add_pause_bar(context, format_text("%u followers are told: longest PING", followers), longest_ms,
                  FOLLOWERS_LONGEST_MS);
    add_bar(context, ABOUT_FEEDS, format_text("%u followers are told: until all know", followers),
            spread_of(all_ms, TELLINGS).median, FOLLOWERS_ALL_MS, "ms");
    add_fact(context, format_text("%u followers are told: CPU", followers),
             spread_of(cpu_ms, TELLINGS).median, "ms");
    connection_set_close(set);
    server_stop(server);
}

/* --- A feed that is turned on --- */

enum { FEED_LONGEST_MS = 5, FEED_BYTES = 32, FEED_OBJECTS_QUICK = 100000 };

static bool is_feed_on(struct server *server) {
    redisReply *reply = server_command(server, "CONTAINER.GET container");
    bool is_on = false;
    for (size_t i = 0; i + 1 < reply->elements; i += 2)
        is_on =
            is_on || (text_is(reply->element[i]->str, "feed") && text_is(reply->element[i + 1]->str, "on"));
    freeReplyObject(reply);
    return is_on;
}

static void measure_feed_on(const struct context *context) {
    unsigned objects = context->is_quick ? FEED_OBJECTS_QUICK : MILLION;
    struct fixture fixture = fixture_open(context, "", objects, sizes[0].bytes);
    dataset_fill(fixture.data, workload_named("BLOB.PUT"));
    int64_t before = server_memory(fixture.server), before_ns = monotonic_ns();
    measure_pause(&fixture, format_text("CONTAINER.FEED ON of %u blobs", objects),
                  "CONTAINER.FEED container ON", is_feed_on, FEED_LONGEST_MS);
    add_fact(context, format_text("CONTAINER.FEED ON of %u blobs: until it is built", objects),
             (double)(monotonic_ns() - before_ns) / 1e9, "s");
    add_bar(context, ABOUT_MEMORY, "feed, bytes per blob",
            server_memory_each(fixture.server, before, objects), FEED_BYTES, "bytes");
    fixture_close(&fixture);
}

void measure_feeds(const struct context *context) {
    measure_followed(context, "100 B, pipeline 16, a thousand blobs", "BLOB.PUT; BLOB.PUT followed");
    measure_deletions(context);
    measure_followed(context, "a thousand changes and a thousand names, pipeline 16",
                     "BLOB.LIST of 1000; CONTAINER.CHANGES of 1000");
    measure_followers(context);
    measure_feed_on(context);
}
