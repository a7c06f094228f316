/* Feeds against a naive model: random lives of objects, with followers that read in pages, stop and go on; what files
 * hold builds the same feed; memory goes back. */
#include "core/feed.h"
#include "core/feed_follow.h"

#include "core/garbage.h"
#include "core/hash.h"
#include "core/memory.h"
#include "dice.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAMES = 400, LIVES = 40, STEPS = 1500, KEEP_MAX = 60, PAGE_MAX = 30 };

struct object {
    struct feed_entry is;
    char name[8];
};

/* What the model knows of a name, and of the feed. */
struct life {
    struct object *objects[NAMES];
    version told[NAMES]; /* of the object, or of its deletion */
    version dropped;     /* the newest of the markers that were dropped, and of epochs that are forgotten */
    version newest;
    version ends[STEPS]; /* the last ones of the epochs before the newest */
    size_t epochs;
    uint64_t keep;
    struct feed *feed;
    struct account account;
    struct dice dice;
};

static struct object *object_new(size_t number, version v) {
    struct object *object = memory_zeroed(sizeof(*object));
    snprintf(object->name, sizeof(object->name), "n%zu", number);
    object->is.entry.name_length = (uint16_t)strlen(object->name);
    object->is.entry.name_at = offsetof(struct object, name);
    object->is.entry.hash = hash_bytes(entry_name(&object->is.entry));
    object->is.v = v;
    return object;
}

/* Now and then in another epoch. Of the oldest ones nothing is known any more. */
static version next_version(struct life *life) {
    if (dice_percent(&life->dice, 1)) {
        life->ends[life->epochs++] = life->newest;
        version forgotten = life->epochs >= FEED_EPOCHS ? life->ends[life->epochs - FEED_EPOCHS] : 0;
        if (forgotten > life->dropped) life->dropped = forgotten;
        life->newest += UINT64_C(1) << 32;
    }
    return life->newest += 1 + dice_roll(&life->dice, 3);
}

static bool is_kept_marker(const struct life *life, size_t name) {
    return !life->objects[name] && life->told[name] > life->dropped;
}

static size_t kept_markers(const struct life *life) {
    size_t kept = 0;
    for (size_t i = 0; i < NAMES; i++) kept += is_kept_marker(life, i);
    return kept;
}

static void model_drops_markers(struct life *life) {
    while (kept_markers(life) > life->keep) {
        version oldest = UINT64_MAX;
        for (size_t i = 0; i < NAMES; i++)
            if (is_kept_marker(life, i) && life->told[i] < oldest) oldest = life->told[i];
        life->dropped = oldest;
    }
}

/* --- What happens --- */

static void write_object(struct life *life, size_t name) {
    struct object *object = life->objects[name];
    version v = next_version(life), before = object ? object->is.v : 0;
    if (!object) object = life->objects[name] = object_new(name, v);
    object->is.v = life->told[name] = v;
    if (before)
        feed_move(&life->account, life->feed, &object->is.entry, before);
    else
        feed_add(&life->account, life->feed, &object->is.entry);
}

static void delete_object(struct life *life, size_t name) {
    struct object *object = life->objects[name];
    if (!object) return;
    life->told[name] = next_version(life);
    feed_mark(&life->account, life->feed, &object->is.entry, life->told[name]);
    life->objects[name] = NULL;
    memory_free(object);
}

static void move_object(struct life *life, size_t name) {
    struct object *object = life->objects[name];
    if (!object) return;
    struct entry_slots slots = {0};
    feed_slots(life->feed, &object->is.entry, &slots);
    require(slots.count == 1 && *slots.at[0] == object, "the feed knows where %s is", object->name);
    struct object *moved = memory_alloc(sizeof(*moved));
    *moved = *object;
    memory_free(object);
    *slots.at[0] = life->objects[name] = moved;
}

static void step_life(struct life *life) {
    size_t name = dice_roll(&life->dice, NAMES), chance = dice_roll(&life->dice, 100);
    if (chance < 60)
        write_object(life, name);
    else if (chance < 90)
        delete_object(life, name);
    else if (chance < 98)
        move_object(life, name);
    else if (chance < 99)
        feed_set_keep(&life->account, life->feed, life->keep = dice_roll(&life->dice, KEEP_MAX));
    model_drops_markers(life);
}

/* --- What is told --- */

static size_t number_of_slot(const struct version_slot *slot) {
    char name[8] = "";
    struct bytes bytes = entry_name(version_slot_entry(slot));
    memcpy(name, bytes.data, bytes.length);
    return (size_t)strtoul(name + 1, NULL, 10);
}

static void require_like_model(const struct life *life) {
    struct feed_walk walk = feed_follow(life->feed, (struct bookmark){.position = life->feed->whole_from});
    struct version_slot slot;
    version before = 0;
    size_t told = 0, expected = 0;
    require_same(life->feed->kept, kept_markers(life), "markers kept");
    require_same(life->feed->whole_from, life->dropped, "whole from");
    while (feed_next(&walk, &slot)) {
        require(slot.entry && slot.v > before, "in order, and nothing is left out");
        before = slot.v;
        told++;
        size_t name = number_of_slot(&slot);
        require_same(slot.v, life->told[name], "the version of n%zu", name);
        require_same(version_slot_marked(&slot), !life->objects[name], "whether n%zu is there", name);
    }
    for (size_t i = 0; i < NAMES; i++) expected += life->told[i] > life->dropped;
    require_same(told, expected, "entries behind %llx", (unsigned long long)life->dropped);
    require_same(walk.at.position, life->feed->newest, "the bookmark at the end");
}

struct follower {
    version copy[NAMES]; /* 0 for what is not there */
    struct bookmark bookmark;
};

static void follower_reads(struct follower *follower, struct life *life) {
    const struct known_versions known = {.newest = life->newest, .primary = true};
    struct version_slot slot;
    if (feed_lost(life->feed, &follower->bookmark, &known)) *follower = (struct follower){0};
    struct feed_walk walk = feed_follow(life->feed, feed_resolve(life->feed, follower->bookmark));
    for (size_t left = 1 + dice_roll(&life->dice, PAGE_MAX); left && feed_next(&walk, &slot); left--) {
        if (!slot.entry) continue;
        size_t name = number_of_slot(&slot);
        require(slot.v > follower->copy[name], "n%zu is told anew only with a greater version", name);
        follower->copy[name] = version_slot_marked(&slot) ? 0 : slot.v;
    }
    char text[BOOKMARK_MAX_BYTES];
    size_t length = bookmark_write(&walk.at, text);
    require(length <= 64 && bookmark_read(bytes_of(text, length), &follower->bookmark),
            "the bookmark is one");
    char position[32];
    version_write(walk.at.position, position);
    require(!memcmp(text, position, VERSION_TEXT_LENGTH), "the bookmark begins with the version");
    const struct bookmark *read = &follower->bookmark;
    require(read->position == walk.at.position && read->began == walk.at.began, "the bookmark is the same");
    require(read->seen == (walk.at.seen > walk.at.began ? walk.at.seen : 0), "what was seen is the same");
}

static void require_same_copy(struct follower *follower, struct life *life) {
    for (int pages = 0; follower->bookmark.position != life->feed->newest || follower->bookmark.began;
         pages++) {
        require(pages < 10 * NAMES, "the walk ends");
        follower_reads(follower, life);
    }
    for (size_t i = 0; i < NAMES; i++)
        require_same(follower->copy[i], life->objects[i] ? life->told[i] : 0, "n%zu at the follower", i);
}

/* There are no objects before the feed begins. */
static void build_nothing(struct account *account, struct feed *feed) {
    const struct order_index objects = {0};
    feed_build(account, feed, &objects, bytes_of("", 0), NULL);
}

/* --- Lives --- */

static void life_begin(struct life *life, uint64_t seed) {
    *life = (struct life){.dice = {seed}, .newest = UINT64_C(0x6000000000000000)};
    life->keep = dice_roll(&life->dice, KEEP_MAX);
    life->feed = feed_new(&life->account, ++life->newest, life->keep);
    build_nothing(&life->account, life->feed);
    life->dropped = life->newest;
}

static void life_end(struct life *life) {
    for (size_t i = 0; i < NAMES; i++) memory_free(life->objects[i]);
    feed_free(&life->account, life->feed);
    require_same(life->account.memory, 0, "bytes on the account");
    require_same(life->account.allocations, 0, "parts on the account");
    require_same(feed_census().kept, 0, "markers of all feeds");
}

TEST(random_lives_are_told_as_they_were) {
    for (uint64_t seed = 1; seed <= LIVES; seed++) {
        struct life life ENDS_BY(life_end);
        struct follower often = {0}, seldom = {0};
        life_begin(&life, seed);
        for (int step = 0; step < STEPS; step++) {
            step_life(&life);
            if (dice_percent(&life.dice, 20)) follower_reads(&often, &life);
            if (dice_percent(&life.dice, 2)) follower_reads(&seldom, &life);
            if (dice_percent(&life.dice, 2)) require_like_model(&life);
        }
        require_same_copy(&often, &life);
        require_same_copy(&seldom, &life);
    }
}

/* A copy of a life's feed, by what a file holds and the objects in the order of their names. */
static struct feed *feed_by_file(struct life *life, struct account *account) {
    struct record_writer room;
    record_start(&room);
    feed_put_state(life->feed, &room);
    require_same(feed_state_newest(record_written(&room)), life->feed->newest, "a state's version");
    struct feed *feed = feed_read_state(account, record_written(&room));
    struct version_cursor cursor = feed_first_marker(life->feed);
    for (room.length = 0; feed_put_markers(life->feed, &cursor, &room); room.length = 0)
        require(feed_read_markers(account, feed, record_written(&room), NULL), "markers are read");
    for (size_t i = 0; i < NAMES; i++) {
        if (!life->objects[i]) continue;
        struct entry *entry = &life->objects[i]->is.entry;
        require(feed_admits(feed, entry_name(entry), life->told[i]), "an object is admitted");
        feed_add(account, feed, entry);
    }
    feed_loaded(feed);
    record_end(&room);
    return feed;
}

TEST(files_bring_the_same_feed) {
    for (uint64_t seed = 1; seed <= LIVES; seed++) {
        struct life life ENDS_BY(life_end);
        struct account account = {0};
        life_begin(&life, 100 + seed);
        for (int step = 0; step < STEPS; step++) step_life(&life);
        struct life copy = life;
        copy.feed = feed_by_file(&life, &account);
        require_like_model(&copy);
        require_same(copy.feed->end_count, life.feed->end_count, "epochs");
        feed_free(&account, copy.feed);
        require_same(account.allocations, 0, "parts of the copy");
    }
}

/* --- Bookmarks --- */

#define BASE UINT64_C(0x6000000000000000)
#define ONE  "0x6000000000000001"
#define TWO  "0x6000000000000002"
#define SIX  "0x6000000000000006"
#define NIL  "0x0000000000000000"

TEST(bookmarks_are_read) {
    static const struct {
        const char *text;
        struct bookmark is;
    } rows[] = {
        {"$", {.now = true}},
        {"0", {.position = 0}},
        {ONE, {.position = BASE + 1}},
        {"\"" ONE "\"", {.position = BASE + 1}},
        {ONE "-" TWO, {.position = BASE + 1, .began = BASE + 2}},
        {ONE "." SIX, {.position = BASE + 1, .seen = BASE + 6}},
        {ONE "-" TWO "." SIX, {.position = BASE + 1, .began = BASE + 2, .seen = BASE + 6}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct bookmark read;
        require(bookmark_read(bytes_text(rows[i].text), &read), "%s is read", rows[i].text);
        require(read.now == rows[i].is.now && read.position == rows[i].is.position, "%s", rows[i].text);
        require(read.began == rows[i].is.began && read.seen == rows[i].is.seen, "%s", rows[i].text);
    }
}

TEST(other_texts_are_no_bookmarks) {
    static const char *const texts[] = {
        "",
        "00",
        "$$",
        "1",
        NIL,
        ONE "-",
        ONE ".",
        ONE "-0",
        ONE "-" NIL,
        ONE "." NIL,
        ONE "+" SIX,
        NIL "-" TWO,
        NIL "." SIX,
        ONE "." SIX "-" TWO,
        ONE "-" TWO "-" SIX,
        ONE "." TWO "." SIX,
        ONE "-" TWO "." SIX "." SIX,
        ONE "-" TWO ".",
        ONE "-" TWO "." SIX "x",
        "\"" ONE "\"-" TWO,
        ONE "-\"" TWO "\"",
    };
    struct bookmark read;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        require(!bookmark_read(bytes_text(texts[i]), &read), "'%s' is none", texts[i]);
}

/* --- Versions of others --- */

/* A replica does not know which versions are to come. */
static bool is_lost(const struct feed *feed, version v) {
    const struct known_versions known = {.newest = feed->newest, .primary = true};
    return feed_lost(feed, &(struct bookmark){.position = v}, &known);
}

static version of_epoch(size_t epoch, version count) {
    return BASE + ((version)epoch << 32) + count;
}

/* Each epoch has the versions 10 and 20. */
static void live_through(struct life *life, size_t epoch) {
    struct object *object = life->objects[epoch] = object_new(epoch, of_epoch(epoch, 10));
    feed_add(&life->account, life->feed, &object->is.entry);
    object->is.v = life->told[epoch] = life->newest = of_epoch(epoch, 20);
    feed_move(&life->account, life->feed, &object->is.entry, of_epoch(epoch, 10));
}

static void require_own_versions(const struct feed *feed, size_t now) {
    for (size_t epoch = now < FEED_EPOCHS ? 1 : now - FEED_EPOCHS + 1; epoch <= now; epoch++) {
        require(is_lost(feed, of_epoch(epoch, 9)), "before epoch %zu of %zu", epoch, now);
        require(!is_lost(feed, of_epoch(epoch, 10)), "the first of epoch %zu of %zu", epoch, now);
        require(!is_lost(feed, of_epoch(epoch, 20)), "the last of epoch %zu of %zu", epoch, now);
        require(epoch == now || is_lost(feed, of_epoch(epoch, 21)), "behind epoch %zu of %zu", epoch, now);
    }
}

TEST(versions_from_before_the_first_one_of_their_epoch_are_of_another_history) {
    struct life life ENDS_BY(life_end);
    life_begin(&life, 1);
    for (size_t epoch = 1; epoch / 2 <= FEED_EPOCHS; epoch++) {
        struct account account = {0};
        live_through(&life, epoch);
        require_own_versions(life.feed, epoch);
        struct feed *loaded = feed_by_file(&life, &account);
        require_own_versions(loaded, epoch);
        feed_free(&account, loaded);
    }
}

/* A transaction makes its copies first, whatever their place among its commands is. */
TEST(the_first_version_of_an_epoch_may_come_behind_a_later_one) {
    struct life life ENDS_BY(life_end);
    life_begin(&life, 1);
    const struct {
        size_t name;
        version v;
    } added[] = {{1, of_epoch(1, 11)}, {2, of_epoch(1, 10)}, {3, of_epoch(2, 10)}};
    for (size_t i = 0; i < ARRAY_SIZE(added); i++) {
        struct object *object = life.objects[added[i].name] = object_new(added[i].name, added[i].v);
        feed_add(&life.account, life.feed, &object->is.entry);
        require(!is_lost(life.feed, of_epoch(1, 11)), "the one that came first");
        require(is_lost(life.feed, of_epoch(1, 10)) == (i == 0), "the first one, when it has come");
    }
}

TEST(a_foreign_feed_is_only_good_for_those_who_begin) {
    struct life life ENDS_BY(life_end);
    life_begin(&life, 1);
    live_through(&life, 1);
    live_through(&life, 2);
    assert_true(feed_end_of(life.feed, of_epoch(1, 0) >> 32) == of_epoch(1, 20));
    assert_true(feed_end_of(life.feed, of_epoch(2, 0) >> 32) == of_epoch(2, 20));
    assert_true(feed_end_of(life.feed, of_epoch(3, 0) >> 32) == 0);
    assert_false(feed_needs_upkeep(life.feed));
    life.feed->foreign = true;
    assert_true(feed_needs_upkeep(life.feed));
    require(is_lost(life.feed, of_epoch(2, 20)), "the newest version");
    require(!is_lost(life.feed, 0), "a walk from the beginning");
    const struct known_versions replica = {.newest = life.feed->newest};
    const struct bookmark newest = {.position = of_epoch(2, 20)};
    require(!feed_lost(life.feed, &newest, &replica),
            "at a primary that is a replica now, and has no upkeep");
}

/* --- Payloads that were doctored --- */

/* Whether the state is read without its last bytes. */
static bool state_is_read_cut(const struct feed *said, size_t cut) {
    struct account account = {0};
    struct record_writer room;
    record_start(&room);
    feed_put_state(said, &room);
    struct feed *feed = feed_read_state(&account, bytes_of(room.data, room.length - cut));
    record_end(&room);
    if (feed) feed_free(&account, feed);
    return feed;
}

static bool state_is_read(version whole_from, version newest, uint64_t keep, unsigned ends, version end) {
    struct feed said = {
        .whole_from = whole_from, .newest = newest, .keep = keep, .end_count = ends, .ends = {end}};
    return state_is_read_cut(&said, 0);
}

static bool beginning_is_read(unsigned epoch, version begin) {
    struct feed said = {
        .whole_from = BASE, .newest = BASE + 5, .keep = 10, .end_count = 1, .ends = {BASE - 1}};
    said.begins[epoch] = begin;
    return state_is_read_cut(&said, 0);
}

TEST(doctored_states_are_refused) {
    require(state_is_read(BASE, BASE + 5, 10, 0, 0), "a state");
    require(state_is_read(BASE, BASE + 5, 10, 1, BASE - 1), "a state with an epoch");
    require(!state_is_read(0, BASE, 10, 0, 0), "whole from nowhere");
    require(!state_is_read(BASE + 6, BASE + 5, 10, 0, 0), "whole from beyond its end");
    require(!state_is_read(BASE, VERSION_MAX + 1, 10, 0, 0), "a version that nobody mints");
    require(!state_is_read(BASE, BASE + 5, UINT64_C(1) << 40, 0, 0), "too many to keep");
    require(!state_is_read(BASE, BASE + 5, 10, 1, BASE + 1), "an end of the epoch that goes on");
    require(!state_is_read(BASE, BASE + 5, 10, 1, 0), "an end that is none");
    require(beginning_is_read(1, BASE + 5), "a first version that is the last one, too");
    require(!beginning_is_read(1, BASE + 6), "a first version beyond the last one");
    require(!beginning_is_read(1, BASE - 1), "a first version of another epoch");
    require(!beginning_is_read(0, BASE), "a first version of a later epoch");
    struct account account = {0};
    require(!feed_read_state(&account, bytes_of("", 0)), "nothing");
}

/* It ends before the first versions of its two epochs. */
TEST(a_state_of_an_older_file_is_read) {
    const struct feed said = {
        .whole_from = BASE, .newest = BASE + 5, .keep = 10, .end_count = 1, .ends = {BASE - 1}};
    require(state_is_read_cut(&said, 2 * sizeof(version)), "an older state");
    require(!state_is_read_cut(&said, sizeof(version)), "the first version of one epoch only");
}

struct said_marker {
    version v;
    const char *name;
};

static bool markers_are_read(struct said_marker one, struct said_marker two) {
    const struct feed said = {.whole_from = BASE, .newest = BASE + 5, .keep = 2};
    const struct said_marker markers[] = {{BASE + 1, "first"}, one, two};
    struct account account = {0};
    struct record_writer room;
    record_start(&room);
    feed_put_state(&said, &room);
    struct feed *feed = feed_read_state(&account, record_written(&room));
    room.length = 0;
    for (size_t i = 0; i < ARRAY_SIZE(markers); i++) {
        if (!markers[i].name) continue;
        record_put_word(&room, markers[i].v);
        record_put_bytes(&room, bytes_text(markers[i].name));
    }
    bool read = feed_read_markers(&account, feed, record_written(&room), NULL);
    if (!read) require_same(feed->kept + feed->markers.count + feed->order.count, 0, "markers that are left");
    if (read) {
        require(!feed_admits(feed, bytes_text("first"), BASE + 2), "an object that has a marker");
        require(!feed_admits(feed, bytes_text("other"), BASE + 6), "an object beyond the newest version");
        require(feed_admits(feed, bytes_text("other"), BASE + 5), "any other object");
        feed_loaded(feed);
        require(!feed_read_markers(&account, feed, record_written(&room), NULL), "markers later on");
    }
    feed_free(&account, feed);
    record_end(&room);
    require_same(account.allocations, 0, "parts that are left");
    return read;
}

TEST(doctored_markers_are_refused) {
    const struct said_marker none = {0, NULL};
    require(markers_are_read(none, none), "one marker");
    require(markers_are_read((struct said_marker){BASE + 2, "second"}, none), "two markers");
    require(!markers_are_read((struct said_marker){BASE + 1, "second"}, none), "one version for two");
    require(!markers_are_read((struct said_marker){BASE, "second"}, none), "out of order");
    require(!markers_are_read((struct said_marker){BASE + 2, "first"}, none), "one name for two");
    require(!markers_are_read((struct said_marker){BASE + 6, "second"}, none), "beyond the newest version");
    require(!markers_are_read((struct said_marker){0, "second"}, none), "without a version");
    require(
        !markers_are_read((struct said_marker){BASE + 2, "second"}, (struct said_marker){BASE + 3, "third"}),
        "more than are kept");
}

/* A doctored effect may repeat a version. */
TEST(markers_of_one_version_are_dropped_together) {
    struct account account = {0};
    struct feed *feed = feed_new(&account, BASE, 2);
    build_nothing(&account, feed);
    for (size_t i = 0; i < 3; i++) {
        struct object *object = object_new(i, BASE + 1 + i);
        feed_add(&account, feed, &object->is.entry);
        feed_mark(&account, feed, &object->is.entry, BASE + 10);
        memory_free(object);
    }
    require_same(feed->kept, 0, "markers that are kept");
    feed_set_keep(&account, feed, 0);
    feed_free(&account, feed);
    require_same(account.allocations, 0, "parts that are left");
}
