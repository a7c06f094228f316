/* Twins: containers that copy blobs from each other, and containers that are copies of each other. They share bytes,
 * each has an account of its own, and whichever goes first, the other one has lost nothing. */
#include "acts.h"
#include "blob/snapshots.h"
#include "container_life.h"
#include "core/memory.h"
#include "mover.h"
#include "unit.h"

#include <pthread.h>
#include <stdio.h>

struct pair {
    struct container_trial one, other;
};

/* Each is where the other one copies from; the census of both is looked at when they are gone. */
static void introduce(struct pair *pair) {
    pair->one.neighbour = &pair->other;
    pair->other.neighbour = &pair->one;
}

static void compare(const struct pair *pair) {
    container_trial_compare(&pair->one);
    container_trial_compare(&pair->other);
}

/* One goes, and the other one is looked at once more. */
static void part(struct pair *pair, bool other_first) {
    struct container_trial *first = other_first ? &pair->other : &pair->one;
    struct container_trial *last = other_first ? &pair->one : &pair->other;
    compare(pair);
    container_trial_end(first);
    container_trial_compare(last);
    container_trial_end(last);
    require_same(allocations_count(), 0, "all is freed");
    struct container_census census = container_census();
    require(memcmp(&census, &pair->one.before, sizeof(census)) == 0, "something is left in the census");
}

static void start(struct pair *pair) {
    acts_start(&pair->one);
    acts_start(&pair->other);
    introduce(pair);
}

/* --- By hand --- */

TEST(copies_between_containers_share_bytes) {
    for (int other_first = 0; other_first < 2; other_first++) {
        struct pair pair;
        start(&pair);
        struct container_trial *other = &pair.other;
        require(act_put(other, "large", act_bytes(0, 200000)) && act_put(other, "small", bytes_text("small")),
                "two of one piece");
        require(act_stage(other, "blocks", "a", act_bytes(0, 100000)) &&
                    act_commit(other, "blocks", "La La La"),
                "one block, three times");
        require(act_create_page(other, "pages", 1 << 20) && act_put_pages(other, "pages", 0, 600), "pages");
        require(act_create_append(other, "log") && act_append(other, "log", act_bytes(0, 200000)) &&
                    act_append(other, "log", bytes_text("more")),
                "one that grows");
        size_t before = allocations_bytes();
        static const char *const names[] = {"large", "small", "blocks", "pages", "log"};
        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
            require(act_copy_from(&pair.one, names[i], names[i], 0), "a copy of '%s'", names[i]);
        compare(&pair);
        require(allocations_bytes() - before < 12000, "the copies take %zu bytes",
                allocations_bytes() - before);
        require(container_memory(pair.one.container) > 800000, "each container accounts for what it has");
        require(container_memory(pair.one.container) < container_memory(pair.other.container) + 5000,
                "and for each block once");
        part(&pair, other_first);
    }
}

TEST(twins_change_alone) {
    struct pair pair;
    start(&pair);
    require(act_create_page(&pair.other, "pages", 1 << 17) && act_put_pages(&pair.other, "pages", 10, 100) &&
                act_copy_from(&pair.one, "pages", "pages", 0),
            "pages of both");
    require(act_create_append(&pair.other, "log") && act_append(&pair.other, "log", act_bytes(0, 100)) &&
                act_copy_from(&pair.one, "log", "log", 0),
            "a log of both");
    require(act_put_pages(&pair.one, "pages", 50, 3) && act_clear_pages(&pair.other, "pages", 60, 20),
            "pages");
    require(act_append(&pair.one, "log", bytes_text("one")) &&
                act_append(&pair.other, "log", bytes_text("two")),
            "both logs");
    part(&pair, true);
}

TEST(a_snapshot_of_elsewhere_can_be_copied) {
    struct pair pair;
    start(&pair);
    require(act_put(&pair.other, "blob", act_bytes(0, 9000)) && act_snapshot(&pair.other, "blob", 3) &&
                act_put(&pair.other, "blob", bytes_text("new")) && act_snapshot(&pair.other, "blob", 4),
            "two states");
    require(act_copy_from(&pair.one, "old", "blob", 3) && act_copy_from(&pair.one, "new", "blob", 0), "both");
    require(!act_copy_from(&pair.one, "none", "blob", 5), "one that never was");
    require(!act_copy_from(&pair.one, "none", "missing", 0), "of no blob");
    require(act_stage(&pair.other, "staged", "a", bytes_text("a")) &&
                !act_copy_from(&pair.one, "none", "staged", 0),
            "of what is not committed");
    require(act_create_append(&pair.one, "log") && !act_copy_from(&pair.one, "log", "blob", 0),
            "another kind");
    require_same(blob_length(act_blob(&pair.one, "old")), 9000, "the old state");
    require_same(snapshots_count(act_blob(&pair.one, "old")), 0, "snapshots");
    part(&pair, false);
}

/* There and back again: bytes that come home are a twin's twin. */
TEST(twins_of_twins) {
    struct pair pair;
    start(&pair);
    require(act_put(&pair.one, "0", act_bytes(0, 100000)), "a blob");
    size_t before = allocations_bytes();
    for (int i = 0; i < 10; i++) {
        const char source[] = {(char)('0' + i), '\0'}, name[] = {(char)('1' + i), '\0'};
        struct container_trial *to = i % 2 ? &pair.one : &pair.other;
        require(act_copy_from(to, name, source, 0), "copy %d", i);
    }
    require(allocations_bytes() < before + 10000, "the bytes are there more than once");
    for (int i = 0; i < 10; i++) {
        const char name[] = {(char)('0' + i), '\0'};
        require(act_delete(i % 2 ? &pair.other : &pair.one, name), "it goes");
        compare(&pair);
    }
    part(&pair, true);
}

/* --- By chance --- */

TEST(many_copies_between_two_equal_their_models) {
    unsigned copies = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct pair pair;
        struct dice dice = {seed};
        start(&pair);
        for (int i = 0; i < 1500; i++) {
            struct choice choice = life_draw(&dice, i % 80);
            bool copy = dice_percent(&dice, 15);
            if (copy) choice.kind = BLOB_COPY;
            if (copy) choice.beside |= 4;
            bool fits = container_trial_step(dice_percent(&dice, 50) ? &pair.one : &pair.other, &choice);
            copies += copy && fits;
            if (i % 50 == 0) compare(&pair);
        }
        part(&pair, seed % 2);
    }
    require(copies > 500, "only %u copies did fit", copies);
}

/* A container, its copy and the copy's copy live on beside each other; they go in any order. */
TEST(copies_of_containers_live_alone) {
    for (uint64_t seed = 10; seed < 14; seed++) {
        struct container_trial trial ENDS_BY(container_trial_end);
        struct dice dice = {seed};
        container_trial_live(&trial, &dice, 300);
        container_trial_copy(&trial);
        struct container *copies[3] = {container_copy(trial.container)};
        copies[1] = container_copy(copies[0]);
        copies[2] = container_rebuild(copies[1], 500);
        for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
            container_shadow_compare(&trial.model, copies[i]);
            container_free(copies[i]);
        }
        container_life(&trial, &dice, 30, NULL);
        struct container *copy = container_copy(trial.container);
        container_free(trial.container);
        trial.container = copy;
        container_shadow_forget_leases(&trial.model);
        container_trial_compare(&trial);
    }
}

/* --- Blobs in common --- */

static void move_all(struct container_trial *trial, struct dice *dice) {
    const struct relocation relocation = mover(dice);
    trial->container = container_relocate_all(trial->container, &relocation);
}

/* Both live on in turns, and a third one stays as it is. */
TEST(a_copy_and_its_original_change_alone) {
    for (uint64_t seed = 20; seed < 32; seed++) {
        struct pair pair;
        struct dice dice = {seed};
        container_trial_live(&pair.one, &dice, 300);
        container_trial_adopt(&pair.other, container_copy(pair.one.container), &pair.one.before);
        introduce(&pair);
        struct container *still = container_copy(pair.one.container);
        struct record_writer before, after;
        container_digest_bytes(still, &before);
        for (int turn = 0; turn < 20; turn++) {
            container_life(turn % 2 ? &pair.one : &pair.other, &dice, 10, NULL);
            if (turn % 5 == 0) move_all(turn % 2 ? &pair.one : &pair.other, &dice);
            compare(&pair);
        }
        container_digest_bytes(still, &after);
        require_bytes(record_written(&after), record_written(&before), "what nobody has changed");
        container_free(still);
        record_end(&before);
        record_end(&after);
        part(&pair, seed % 2);
    }
}

enum { COMMON_BLOBS = 600, COPIES_BEYOND = 300 };

static void put_many(struct container_trial *trial, size_t length, int step) {
    for (int i = 0; i < COMMON_BLOBS; i += step) {
        char name[16];
        (void)snprintf(name, sizeof(name), "blob%d", i);
        require(act_put(trial, name, act_bytes((size_t)i, length)), "a blob");
    }
}

/* A copy costs little more than its indexes. */
TEST(a_copy_has_small_blobs_in_common) {
    struct container_trial trial ENDS_BY(container_trial_end);
    acts_start(&trial);
    put_many(&trial, 100, 1);
    size_t one = allocations_bytes(), indexes = catalog_memory(&trial.container->blobs);
    struct container *copy = container_copy(trial.container);
    require(allocations_bytes() - one < indexes + 1000, "a copy takes %zu bytes", allocations_bytes() - one);
    require_same(container_memory(copy), one, "it accounts for all that it has");
    put_many(&trial, 100, 2);
    put_many(&trial, 200, 3);
    require_same(container_memory(copy), one, "so it does when the other one has changed");
    container_free(copy);
    container_trial_compare(&trial);
}

/* More copies than a blob can count: the last ones have it for themselves. */
TEST(a_blob_may_be_in_common_only_so_often) {
    struct container_trial trial ENDS_BY(container_trial_end);
    struct container *copies[COPIES_BEYOND];
    acts_start(&trial);
    require(act_put(&trial, "few", bytes_text("few")), "a blob");
    size_t one = allocations_bytes();
    for (int i = 0; i < COPIES_BEYOND; i++) copies[i] = container_copy(trial.container);
    for (int i = 0; i < COPIES_BEYOND; i++) {
        require_bytes(blob_view(container_find(copies[i], bytes_text("few")), 0, 3), bytes_text("few"),
                      "copy %d", i);
        container_free(copies[i]);
    }
    require_same(allocations_bytes(), one, "all of them are freed");
    container_trial_compare(&trial);
}

/* --- Families: copies of copies --- */

enum { FAMILY_MAX = 6, FAMILY_TURNS = 60, FAMILY_STEPS = 12, FROM_ELSEWHERE = 4 };

/* All members have a model. Of those that are gone, the last one may still be freed on another thread. */
struct family {
    struct container_trial members[FAMILY_MAX];
    unsigned count;
    bool strangers; /* they copy single blobs from each other, too; then a chunk may be in several accounts */
    pthread_t thread;
    bool freeing;
};

/* A member that is alone accounts for all that is allocated. */
static void introduce_all(struct family *family) {
    for (unsigned i = 0; i < family->count; i++)
        family->members[i].neighbour = family->count > 1 ? &family->members[(i + 1) % family->count] : NULL;
}

static void *free_aside(void *container) {
    container_free(container);
    return NULL;
}

static void await_freeing(struct family *family) {
    if (family->freeing) require_same(pthread_join(family->thread, NULL), 0, "a thread");
    family->freeing = false;
}

static void member_goes(struct family *family, struct dice *dice) {
    struct container_trial *member = &family->members[dice_roll(dice, family->count)];
    await_freeing(family);
    if (dice_percent(dice, 50)) {
        container_trial_end(member);
    } else {
        container_shadow_end(&member->model);
        require_same(pthread_create(&family->thread, NULL, free_aside, member->container), 0, "a thread");
        family->freeing = true;
    }
    *member = family->members[--family->count];
    introduce_all(family);
}

/* Returns how many blobs the copy has in common with others. */
static size_t member_comes(struct family *family, struct dice *dice) {
    const struct container_trial *original = &family->members[dice_roll(dice, family->count)];
    struct container *copy = container_copy(original->container);
    container_trial_adopt(&family->members[family->count++], copy, &original->before);
    introduce_all(family);
    struct order_cursor cursor = catalog_seek(&copy->blobs, bytes_of("", 0));
    size_t common = 0;
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) common += entry_is_common(entry);
    return common;
}

/* Nothing but a small content, which random changes seldom leave. */
static void put_plain(struct container_trial *trial, struct bytes name, size_t length) {
    struct container_change change = act_change(BLOB_DELETE, "");
    change.name = name;
    change.minted = change.stamp.etag;
    (void)container_trial_apply(trial, &change);
    change = act_change(BLOB_PUT, "");
    change.name = name;
    change.content = act_bytes(length, length);
    (void)container_trial_apply(trial, &change);
}

/* A container with a feed is copied without anything in common. */
static void member_lives(struct family *family, struct dice *dice) {
    struct container_trial *member = &family->members[dice_roll(dice, family->count)];
    struct container_change feed_off = act_change(CONTAINER_FEEDOFF, "");
    if (dice_percent(dice, 30)) (void)container_trial_apply(member, &feed_off);
    for (int step = 0; step < FAMILY_STEPS; step++) {
        if (dice_percent(dice, 30))
            put_plain(member, draft_name((unsigned)dice_roll(dice, DRAFT_NAMES)), dice_roll(dice, 200));
        struct choice choice = life_draw(dice, step);
        if (!family->strangers) choice.beside &= (uint8_t)~FROM_ELSEWHERE;
        container_trial_step(member, &choice);
    }
}

static void compare_family(struct family *family) {
    if (family->count == 1) await_freeing(family);
    for (unsigned i = 0; i < family->count; i++) container_trial_compare(&family->members[i]);
}

/* Returns how many blobs are in common for the first time. */
static size_t family_turn(struct family *family, struct dice *dice) {
    switch (dice_roll(dice, 8)) {
    case 0:
    case 1: return family->count < FAMILY_MAX ? member_comes(family, dice) : 0;
    case 2:
        if (family->count > (family->strangers ? 2 : 1)) member_goes(family, dice);
        return 0;
    case 3: move_all(&family->members[dice_roll(dice, family->count)], dice); return 0;
    default: member_lives(family, dice); return 0;
    }
}

/* Copies of copies live on, move, and go in any order, also on another thread. */
static size_t family_live(struct family *family, uint64_t seed) {
    struct dice dice = {seed};
    container_trial_live(&family->members[0], &dice, 100);
    *family = (struct family){.members = {family->members[0]}, .count = 1, .strangers = seed % 2};
    size_t common = member_comes(family, &dice);
    for (int turn = 0; turn < FAMILY_TURNS; turn++) {
        common += family_turn(family, &dice);
        compare_family(family);
    }
    while (family->count > (family->strangers ? 2 : 1)) member_goes(family, &dice);
    compare_family(family);
    while (family->count) member_goes(family, &dice);
    await_freeing(family);
    require_same(allocations_count(), 0, "all is freed");
    return common;
}

TEST(a_family_of_copies_equals_its_models) {
    static struct family family;
    size_t common = 0;
    for (uint64_t seed = 60; seed < 70; seed++) common += family_live(&family, seed);
    require(common > 100, "only %zu blobs were in common", common);
}
