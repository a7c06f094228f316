/* Leases in containers: what a write, an overwrite, a deletion, a copy and a move do to them, and
 * the index of those that stand. */
#include "blob/snapshots.h"

#include "container_trial.h"
#include "dice.h"
#include "mover.h"
#include "roster.h"
#include "unit.h"

static const struct choice plain = {0};

static struct container_change change_of(enum container_change_kind kind, struct bytes name) {
    return (struct container_change){.kind = kind, .name = name, .stamp = {7, 7}, .created_ms = 7};
}

static void put(struct container_trial *trial, struct bytes name, size_t length, bool frees) {
    static const char content[BLOB_INLINE_MAX];
    struct container_change change = change_of(BLOB_PUT, name);
    change.content = bytes_of(content, length);
    change.frees_lease = frees;
    container_trial_apply(trial, &change);
}

static struct lease lease_of_kind(enum lease_kind kind) {
    return (struct lease){kind, {1, 2}, 9, 15000, 1000, 16000, {"an owner", 8}};
}

static void set_lease(struct container_trial *trial, enum container_change_kind which, struct bytes name,
                      enum lease_kind kind) {
    struct container_change change = change_of(which, name);
    change.lease = lease_of_kind(kind);
    container_trial_apply(trial, &change);
}

/* A blob of some sort, and nothing else. */
static const struct lease *start(struct container_trial *trial, enum lease_kind kind) {
    container_trial_start(trial, &plain);
    put(trial, bytes_text("blob"), 10, false);
    set_lease(trial, BLOB_LEASE, bytes_text("blob"), kind);
    return blob_lease(container_find(trial->container, bytes_text("blob")));
}

static const struct lease *lease_now(const struct container_trial *trial) {
    return blob_lease(container_find(trial->container, bytes_text("blob")));
}

static void finish(struct container_trial *trial) {
    container_trial_compare(trial);
    container_trial_end(trial);
    require_same(container_census().leases, trial->before.leases, "no lease is left in the census");
}

static size_t standing(const struct container_trial *trial) {
    return container_census().leases - trial->before.leases;
}

static bool has_index(const struct container_trial *trial) {
    return trial->container->leased.root;
}

static const struct lease never;

TEST(an_object_without_a_lease_has_a_zeroed_one) {
    struct container_trial trial;
    container_trial_start(&trial, &plain);
    put(&trial, bytes_text("blob"), 10, true);
    require(lease_same(lease_now(&trial), &never), "the blob's");
    require(lease_same(container_lease(trial.container), &never), "the container's");
    require(!container_find(trial.container, bytes_text("blob"))->extra, "nothing is kept for it");
    require(!has_index(&trial), "nor an index");
    finish(&trial);
}

TEST(an_overwrite_keeps_the_lease) {
    static const size_t lengths[] = {10, 0, BLOB_INLINE_MAX, 1, 3000};
    struct container_trial trial;
    struct lease before = *start(&trial, LEASE_HELD);
    before.owner = bytes_text("an owner");
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        put(&trial, bytes_text("blob"), lengths[i], false);
        require(lease_same(lease_now(&trial), &before), "after %zu bytes", lengths[i]);
        container_trial_compare(&trial);
    }
    finish(&trial);
}

/* Whichever the write, it frees what it says, and the last id stays for whoever comes with it. */
TEST(a_write_frees_what_has_ended) {
    static const enum container_change_kind kinds[] = {BLOB_PUT,   BLOB_SETPROPS, BLOB_SETMETA,
                                                       BLOB_STAGE, BLOB_COMMIT,   BLOB_COPY};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        for (int kind = 0; kind < LEASE_KINDS; kind++) {
            struct container_trial trial;
            start(&trial, (enum lease_kind)kind);
            struct container_change change = change_of(kinds[i], bytes_text("blob"));
            change.content = change.block_id = bytes_text("x");
            change.source = bytes_text("blob");
            change.copy = (struct copy){COPY_SUCCESS, 9, {"", 0}, 1, 1, 1, false, false, {"", 0}};
            require_same(standing(&trial), kind != LEASE_FREE, "before");
            require_same(has_index(&trial), kind != LEASE_FREE, "before");
            container_trial_apply(&trial, &change);
            require_same(standing(&trial), kind != LEASE_FREE, "a write that frees nothing");
            change.frees_lease = true;
            container_trial_apply(&trial, &change);
            require_same(standing(&trial), 0, "a write that frees");
            require(!has_index(&trial), "the index stays for nothing");
            const struct lease *lease = lease_now(&trial);
            require(lease->kind == LEASE_FREE && lease->id.high == 1 && lease->id.low == 2, "the last id");
            require_same(lease->token, 9, "the last token");
            finish(&trial);
        }
}

/* Page and append blobs have some writes of their own. */
TEST(writes_of_all_kinds_free_what_has_ended) {
    static const struct {
        enum container_change_kind create, write;
        uint64_t length;
    } writes[] = {
        {BLOB_CREATEPAGE, BLOB_CREATEPAGE, 1024}, {BLOB_CREATEPAGE, BLOB_PUTPAGE, 1024},
        {BLOB_CREATEPAGE, BLOB_CLEARPAGE, 512},   {BLOB_CREATEAPPEND, BLOB_CREATEAPPEND, 0},
        {BLOB_CREATEAPPEND, BLOB_APPEND, 0},
    };
    static const char page[512];
    for (size_t i = 0; i < ARRAY_SIZE(writes); i++)
        for (int kind = 0; kind < LEASE_KINDS; kind++) {
            struct container_trial trial;
            container_trial_start(&trial, &plain);
            struct container_change change = change_of(writes[i].create, bytes_text("blob"));
            change.length = 1024;
            container_trial_apply(&trial, &change);
            set_lease(&trial, BLOB_LEASE, bytes_text("blob"), (enum lease_kind)kind);
            change = change_of(writes[i].write, bytes_text("blob"));
            change.length = writes[i].length;
            change.content = bytes_of(page, sizeof(page));
            change.chunk = NULL;
            require(container_trial_apply(&trial, &change), "write %zu does not fit", i);
            require_same(standing(&trial), kind != LEASE_FREE, "a write that frees nothing");
            change.offset = writes[i].write == BLOB_APPEND ? sizeof(page) : 0;
            change.frees_lease = true;
            require(container_trial_apply(&trial, &change), "write %zu does not fit again", i);
            require_same(standing(&trial), 0, "a write that frees");
            require_same(lease_now(&trial)->token, 9, "the last token");
            finish(&trial);
        }
}

/* A snapshot has none, and taking or deleting it leaves that of the blob. */
TEST(snapshots_have_no_lease) {
    struct container_trial trial;
    start(&trial, LEASE_HELD);
    struct container_change change = change_of(BLOB_SNAPSHOT, bytes_text("blob"));
    change.snapshot = 5;
    require(container_trial_apply(&trial, &change), "a snapshot");
    require(lease_same(blob_lease(snapshots_find(container_find(trial.container, bytes_text("blob")), 5)),
                       &never),
            "the snapshot's");
    require_same(standing(&trial), 1, "the blob's");
    change.kind = BLOB_DELETESNAPSHOTS;
    require(container_trial_apply(&trial, &change), "no snapshot");
    require_same(lease_now(&trial)->kind, LEASE_HELD, "the blob's");
    finish(&trial);
}

/* A copy brings no lease along, and leaves that of the name which it goes to. */
TEST(a_copy_of_a_blob_leaves_leases_where_they_are) {
    struct container_trial trial;
    start(&trial, LEASE_HELD);
    put(&trial, bytes_text("other"), 20, false);
    struct container_change change = change_of(BLOB_COPY, bytes_text("other"));
    change.source = bytes_text("blob");
    change.copy = (struct copy){COPY_SUCCESS, 9, {"", 0}, 1, 1, 1, false, false, {"", 0}};
    require(container_trial_apply(&trial, &change), "a copy of what is leased");
    require(lease_same(blob_lease(container_find(trial.container, bytes_text("other"))), &never),
            "none comes");
    change.name = bytes_text("blob");
    change.source = bytes_text("other");
    require(container_trial_apply(&trial, &change), "a copy to what is leased");
    require_same(lease_now(&trial)->kind, LEASE_HELD, "none goes");
    finish(&trial);
}

/* Whatever the end of the blob tells of it. */
TEST(a_lease_goes_with_its_blob) {
    for (int kind = 0; kind < LEASE_KINDS; kind++)
        for (int told = 0; told < 4; told++) {
            struct container_trial trial;
            start(&trial, (enum lease_kind)kind);
            struct container_change gone = change_of(BLOB_DELETE, bytes_text("blob"));
            gone.frees_lease = told & 1;
            gone.expired = told & 2;
            container_trial_apply(&trial, &gone);
            container_trial_compare(&trial);
            require_same(standing(&trial), 0, "it has gone");
            require(!has_index(&trial), "the index stays for nothing");
            put(&trial, bytes_text("blob"), 5, false);
            require(lease_same(lease_now(&trial), &never), "the next blob of this name has no lease");
            finish(&trial);
        }
}

/* The index comes with the first lease that stands and goes with the last one, and its memory with it. */
TEST(the_index_is_there_while_it_is_needed) {
    struct container_trial trial;
    container_trial_start(&trial, &plain);
    put(&trial, bytes_text("a"), 10, false);
    put(&trial, bytes_text("b"), 10, false);
    set_lease(&trial, CONTAINER_LEASE, bytes_of("", 0), LEASE_HELD);
    require(!has_index(&trial), "the container's own lease is in no index");
    size_t without = 0;
    for (int round = 0; round < 3; round++) {
        set_lease(&trial, BLOB_LEASE, bytes_text("a"), LEASE_HELD);
        require(has_index(&trial), "the first one");
        set_lease(&trial, BLOB_LEASE, bytes_text("b"), LEASE_ENDING);
        container_trial_compare(&trial);
        set_lease(&trial, BLOB_LEASE, bytes_text("a"), LEASE_FREE);
        require(has_index(&trial), "one is left");
        container_trial_compare(&trial);
        set_lease(&trial, BLOB_LEASE, bytes_text("b"), LEASE_FREE);
        require(!has_index(&trial), "none is left");
        container_trial_compare(&trial);
        if (round) require_same(container_memory(trial.container), without, "round %d", round);
        without = container_memory(trial.container);
    }
    finish(&trial);
}

TEST(a_container_has_a_lease_of_its_own) {
    struct container_trial trial;
    start(&trial, LEASE_HELD);
    set_lease(&trial, CONTAINER_LEASE, bytes_of("", 0), LEASE_ENDING);
    container_trial_compare(&trial);
    require_same(standing(&trial), 2, "both stand");
    const enum container_change_kind writes[] = {CONTAINER_SETMETA, CONTAINER_SETACL};
    for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
        struct container_change change = change_of(writes[i], bytes_of("", 0));
        change.frees_lease = true;
        container_trial_apply(&trial, &change);
        put(&trial, bytes_text("blob"), 10, true);
        require_same(container_lease(trial.container)->kind, LEASE_ENDING, "no write frees it");
    }
    set_lease(&trial, CONTAINER_LEASE, bytes_of("", 0), LEASE_FREE);
    require_same(standing(&trial), 0, "it is released");
    finish(&trial);
}

TEST(a_copy_has_no_leases) {
    struct container_trial trial;
    start(&trial, LEASE_HELD);
    set_lease(&trial, CONTAINER_LEASE, bytes_of("", 0), LEASE_HELD);
    struct container *copy = container_copy(trial.container);
    require_same(standing(&trial), 2, "those of the original");
    require(!container_lease(copy)->token, "the copy itself");
    require(!blob_lease(container_find(copy, bytes_text("blob")))->token, "a blob in it");
    require(!copy->leased.root, "an index in it");
    container_shadow_compare(&trial.model, trial.container);
    container_shadow_forget_leases(&trial.model);
    container_shadow_compare(&trial.model, copy);
    container_free(copy);
    container_trial_copy(&trial);
    finish(&trial);
}

/* Its own lease may be what a change brings, as when it is renewed. */
TEST(a_lease_may_be_set_to_itself) {
    struct container_trial trial;
    start(&trial, LEASE_HELD);
    struct container_change change = change_of(BLOB_LEASE, bytes_text("blob"));
    for (int i = 0; i < 3; i++) {
        change.lease = *lease_now(&trial);
        change.lease.ends_ms += 1000;
        container_trial_apply(&trial, &change);
        container_trial_compare(&trial);
    }
    require_bytes(lease_now(&trial)->owner, bytes_text("an owner"), "the owner");
    require_same(lease_now(&trial)->ends_ms, 19000, "renewed three times");
    finish(&trial);
}

/* What moves to a better place takes its leases along. */
TEST(leases_move_too) {
    struct container_trial trial;
    struct dice dice = {1};
    const struct relocation relocation = mover(&dice);
    bool moved_blobs = false, moved_own = false;
    start(&trial, LEASE_HELD);
    set_lease(&trial, CONTAINER_LEASE, bytes_of("", 0), LEASE_HELD);
    for (int round = 0; round < 50; round++) {
        const struct lease *of_blob = lease_now(&trial), *own = container_lease(trial.container);
        trial.container = container_relocate_all(trial.container, &relocation);
        moved_blobs |= of_blob != lease_now(&trial);
        moved_own |= own != container_lease(trial.container);
        container_trial_compare(&trial);
    }
    require(moved_blobs, "the lease of a blob stays where it is");
    require(moved_own, "the lease of the container stays where it is");
    finish(&trial);
}

/* --- Many of them --------------------------------------------------------------------------------------- */

enum { MANY = 700, STEPS = 6000 };

static struct bytes many_name(size_t i) {
    static char room[NAME_ROOM];
    return name_numbered(i, room);
}

/* Beyond one node of the index: blobs that change their size, go and come, with and without a lease. */
TEST(the_index_follows_many_blobs) {
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct container_trial trial;
        struct dice dice = {seed};
        const struct relocation relocation = mover(&dice);
        container_trial_start(&trial, &plain);
        for (int step = 0; step < STEPS; step++) {
            struct bytes name = many_name(dice_roll(&dice, MANY));
            bool there = container_find(trial.container, name), grows = step < STEPS / 2;
            const struct container_change gone = change_of(BLOB_DELETE, name);
            if (!there || dice_percent(&dice, 30))
                put(&trial, name, dice_roll(&dice, 400), dice_percent(&dice, grows ? 5 : 20));
            else if (dice_percent(&dice, grows ? 80 : 40))
                set_lease(&trial, BLOB_LEASE, name,
                          (enum lease_kind)(grows ? 1 + dice_roll(&dice, 2) : dice_roll(&dice, 3)));
            else
                container_trial_apply(&trial, &gone);
            if (step % 500 == 0) trial.container = container_relocate_all(trial.container, &relocation);
            if (step % 100 == 0) container_trial_compare(&trial);
            if (step == STEPS / 2) require(standing(&trial) > MANY / 2, "few leases stand");
        }
        finish(&trial);
    }
}

/* And back to none. */
TEST(the_index_can_be_emptied) {
    struct container_trial trial;
    container_trial_start(&trial, &plain);
    for (size_t i = 0; i < MANY; i++) {
        put(&trial, many_name(i), 10, false);
        set_lease(&trial, BLOB_LEASE, many_name(i), LEASE_HELD);
    }
    container_trial_compare(&trial);
    require_same(standing(&trial), MANY, "all of them stand");
    for (size_t i = 0; i < MANY; i++) {
        if (i % 2)
            put(&trial, many_name(i), 10, true);
        else
            set_lease(&trial, BLOB_LEASE, many_name(i), LEASE_FREE);
        if (i % 50 == 0) container_trial_compare(&trial);
    }
    require_same(standing(&trial), 0, "none of them stand");
    require(!has_index(&trial), "the index stays for nothing");
    finish(&trial);
}
