/* Who watches a key (or caches what was read of it, which the server treats alike) is told of what happens to it in the
 * background, if a read can show it, and not if none does: on the primary, and where it arrives as an effect. */
#include <string.h>

#include "clock.h"
#include "files.h"
#include "harness.h"
#include "pool.h"
#include "sources.h"
#include "stream.h"
#include "text.h"
#include "traces.h"

enum { MANY = 1100, EFFECTS_MAX = 1200 };

struct scene {
    const char *name;
    const char *preparation; /* acts with "; " between them, see files.h */
    const char *cause;       /* a command; NULL for time that passes */
    long long passes_ms;
    const char *key;
    size_t before;  /* effects of what is done */
    size_t effects; /* in all, with those of what happens in the background */
    bool is_told;
    const char *many; /* one more line of the preparation, played with many numbers for #; NULL for none */
};

/* clang-format off */
static const struct scene scenes[] = {
    {"an index that is built", "TABLE.CREATE t; TABLE.INSERT t p r PROPS 1 a 1", "TABLE.INDEX t a", 0, "t", 3, 4, false, NULL},
    {"a feed of a table that is built", "TABLE.CREATE t", "TABLE.FEED t ON", 0, "t", MANY + 2, MANY + 3, true, "TABLE.INSERT t p # PROPS 1 a 1"},
    {"a feed of a container that is built", "CONTAINER.CREATE box", "CONTAINER.FEED box ON", 0, "box", MANY + 2, MANY + 3, true,
     "BLOB.CREATEAPPEND box #"},
    {"handles that are swept", "SHARE.CREATE fs; create a 10; s = SHARE.CONNECT fs 60; h = open s a R/RWD",
     "SHARE.DISCONNECT fs $s", 0, "fs", 5, 6, false, NULL},
    {"a session that expires", "SHARE.CREATE fs; create a 10; s = SHARE.CONNECT fs 5; h = open s a R/RWD", NULL, 5000, "fs", 4, 6, true, NULL},
    {"messages that expire", "QUEUE.CREATE jobs; QUEUE.PUT jobs a TTL 5", NULL, 7000, "jobs", 2, 3, true, NULL},
    {"ids that are forgotten", "QUEUE.CREATE jobs; QUEUE.PUT jobs a DEDUP x WITHIN 5", NULL, 7000, "jobs", 2, 3, false, NULL},
    {"tokens that are forgotten", "QUEUE.CREATE jobs; QUEUE.PUT jobs a ONCE token", NULL, 602000, "jobs", 2, 3, false, NULL},
    {"staged blocks that end", "CONTAINER.CREATE box; BLOB.PUTBLOCK box cat AAAA one", NULL, 604807000, "box", 2, 3, true, NULL},
};
/* clang-format on */

static struct {
    struct stream *stream;
    redisReply *effect[EFFECTS_MAX];
    size_t count;
} seen;

static void see_effects(void) {
    redisReply *commands = stream_commands(seen.stream, primary);
    for (size_t i = 0; i < commands->elements && seen.count < EFFECTS_MAX; i++)
        if (strstr(stream_line(commands->element[i]), "HOLDFAST.APPLY"))
            seen.effect[seen.count++] = commands->element[i];
}

static void await_effects(size_t count, const char *name) {
    AWAIT_OR((see_effects(), seen.count == count), "%s: %zu effects", name, seen.count);
}

static bool aborts(struct client *watcher) {
    expect_ok(call(watcher, "MULTI"));
    call(watcher, "PING");
    return reply_is_null(call(watcher, "EXEC"));
}

static void send_many(const char *line) {
    for (int i = 0; i < MANY; i++) {
        struct words words = words_of_line(line);
        for (size_t at = 0; at < words.count; at++)
            if (!strcmp(words.word[at], "#")) words_replace(&words, at, pool_print("%d", i));
        send_words(primary, &words);
    }
    for (int i = 0; i < MANY; i++) require(!reply_is_error(receive(primary)), "a refusal");
}

/* In one packet, so that nothing happens in the background before the key is watched. */
static bool primary_tells(const struct scene *scene) {
    struct client *watcher = test_client(primary->server);
    for (const char *const *line = text_commands(scene->preparation); *line; line++) act(*line, NULL);
    if (scene->many) send_many(scene->many);
    struct words cause = act_words(scene->cause ? scene->cause : "PING");
    send_words(watcher, &cause);
    send_call(watcher, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(scene->passes_ms));
    send_call(watcher, "WATCH %s", scene->key);
    for (int left = 3; left; left--) require(!reply_is_error(receive(watcher)), "%s: a refusal", scene->name);
    await_effects(scene->effects, scene->name);
    time_passes(scene->passes_ms);
    return aborts(watcher);
}

static void send_effect(struct client *receiver, const redisReply *effect) {
    struct words words = {0};
    for (size_t i = 0; i < effect->elements; i++)
        words_add_bytes(&words, effect->element[i]->str, effect->element[i]->len);
    send_words(receiver, &words);
}

/* Plays the effects, and watches the key from one of them on. All in one packet: the receiver has upkeep of its own. */
static bool receiver_tells(struct client *receiver, const char *key, size_t before, size_t count) {
    expect_ok(call(receiver, "FLUSHALL"));
    for (size_t i = 0; i < before; i++) send_effect(receiver, seen.effect[i]);
    send_call(receiver, "WATCH %s", key);
    for (size_t i = before; i < count; i++) send_effect(receiver, seen.effect[i]);
    send_call(receiver, "MULTI");
    send_call(receiver, "PING");
    send_call(receiver, "EXEC");
    for (size_t left = count + 3; left; left--)
        require(!reply_is_error(receive(receiver)), "an effect was refused");
    return reply_is_null(receive(receiver));
}

TEST(background_changes_that_a_read_can_show_reach_those_who_watch) {
    struct client *receiver = test_client(server_start("receiver", "holdfast.accept-effects yes\n"));
    seen.stream = stream_attach(primary->server);
    for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
        const struct scene *scene = &scenes[i];
        expect_ok(call(primary, "FLUSHALL"));
        seen.count = 0;
        require(primary_tells(scene) == scene->is_told, "%s: the primary does not", scene->name);
        require(receiver_tells(receiver, scene->key, scene->before, seen.count) == scene->is_told,
                "%s: a replica does not", scene->name);
    }
}

/* A blob's progress is shown while it arrives. */
TEST(copies_that_arrive) {
    static const struct told script[] = {
        {"BLOB.STAT", "[blob-type append etag E content-length :20 block-count :2 meta [k v]]", 0},
        {"BLOB.GET src blob RANGE 0 ", "[E 10*a]", 0},
        {NULL, NULL, 0}};
    struct client *receiver = test_client(server_start("receiver", "holdfast.accept-effects yes\n"));
    seen.stream = stream_attach(primary->server);
    seen.count = 0;
    create("box");
    configure(primary, "holdfast.copy-from", "127.0.0.1:*");
    copy_from("box", "log", source_port(source_start(script)), "");
    await_effects(4, "a copy");
    for (size_t count = 1; count <= seen.count; count++)
        assert_true(receiver_tells(receiver, "box", count - 1, count));
}

/* A message that has only expired stays for a second more. */
TEST(dead_letters_are_told_at_once) {
    const char *heard = "";
    time_passes(0);
    expect_ok(call(primary, "QUEUE.CREATE jobs"));
    call(primary, "QUEUE.PUT jobs expires TTL 5");
    expect_ok(call(primary, "QUEUE.CREATE dying MAXDELIVERIES 1"));
    call(primary, "QUEUE.PUT dying dies");
    expect_elements(call(primary, "QUEUE.GET dying VISIBILITY 5"), 1);
    traces_begin("other");
    time_passes(5000);
    AWAIT(*(heard = traces_notifications()));
    assert_string_equal(heard, "queue.died dying");
    AWAIT(*(heard = traces_notifications()));
    assert_string_equal(heard, "queue.expired jobs");
}
