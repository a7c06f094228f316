/* Leases that are written down, and leases that stand: there and back, cut, doctored, moved. */
#include "lease/lease.h"

#include "core/duration.h"
#include "core/memory.h"
#include "dice.h"
#include "draft.h"
#include "unit.h"

#include <stdlib.h>

enum { OWNER_ROOM = LEASE_OWNER_MAX_BYTES + 2 };

static int64_t number(struct dice *dice) {
    return (int64_t)(dice_word(dice) >> (1 + dice_roll(dice, 63)));
}

/* One that may be written down, with an end that fits to the rest of it. */
static struct lease draw(struct dice *dice, char owner[OWNER_ROOM]) {
    dice_fill(dice, owner, OWNER_ROOM);
    struct lease lease = {
        .kind = (enum lease_kind)dice_roll(dice, LEASE_KINDS),
        .id = {dice_word(dice), dice_word(dice)},
        .token = dice_word(dice) % VERSION_MAX + 1,
        .duration_ms = dice_percent(dice, 30) ? DURATION_INFINITE_MS : number(dice) % INT64_MAX,
        .since_ms = number(dice),
        .ends_ms = number(dice) % LEASE_FOREVER,
        .owner = bytes_of(owner, dice_roll(dice, LEASE_OWNER_MAX_BYTES + 1)),
    };
    if (lease.kind == LEASE_FREE && dice_percent(dice, 30)) lease.ends_ms = LEASE_FOREVER;
    if (lease.kind == LEASE_HELD && lease.duration_ms == 0) lease.duration_ms = 1;
    if (lease.kind == LEASE_HELD && lease.duration_ms == DURATION_INFINITE_MS) lease.ends_ms = LEASE_FOREVER;
    return lease;
}

static bool read_all(struct bytes record, struct lease *lease) {
    struct record_reader reader = record_reader(record);
    lease_codec.read(&reader, lease);
    return record_complete(&reader);
}

static bool sound(const struct lease *lease) {
    struct record_writer writer;
    struct lease read;
    record_start(&writer);
    lease_codec.write(lease, &writer);
    bool is_sound = read_all(record_written(&writer), &read);
    record_end(&writer);
    return is_sound;
}

/* --- There and back ------------------------------------------------------------------------------------- */

TEST(written_leases_are_read_back) {
    struct dice dice = {1};
    char owner[OWNER_ROOM];
    for (int i = 0; i < 20000; i++) {
        struct lease lease = draw(&dice, owner), read;
        RECORD_WRITER(writer);
        lease_codec.write(&lease, &writer);
        require(read_all(record_written(&writer), &read), "lease %d is refused", i);
        require(lease_same(&read, &lease), "lease %d is read as another one", i);
    }
}

TEST(a_lease_record_that_is_cut_is_refused) {
    struct dice dice = {2};
    char owner[OWNER_ROOM];
    for (int i = 0; i < 100; i++) {
        struct lease lease = draw(&dice, owner), read;
        RECORD_WRITER(writer);
        lease_codec.write(&lease, &writer);
        for (size_t length = 0; length < writer.length; length++) {
            char *cut = malloc(length + 1);
            require(cut, "there is memory");
            memcpy(cut, writer.data, length);
            require(!read_all(bytes_of(cut, length), &read), "lease %d, cut at %zu", i, length);
            free(cut);
        }
    }
}

/* --- Doctored ------------------------------------------------------------------------------------------- */

TEST(a_lease_out_of_range_is_refused) {
    static const char owner[LEASE_OWNER_MAX_BYTES + 1];
    const struct lease good = {LEASE_HELD, {1, 2}, 3, 15000, 4, 15004, {"me", 2}};
    struct lease lease = good;
    require(sound(&lease), "one to begin with");
    for (int kind = 0; kind < 256; kind++) {
        lease.kind = (enum lease_kind)kind;
        require_same(sound(&lease), kind < LEASE_KINDS, "the kind %d", kind);
    }
    lease = good, lease.token = 0;
    require(!sound(&lease), "no token");
    lease.token = VERSION_MAX;
    require(sound(&lease), "the greatest token");
    lease.token = VERSION_MAX + 1;
    require(!sound(&lease), "a greater token");
    lease.token = UINT64_MAX;
    require(!sound(&lease), "the greatest number as a token");
    lease = good, lease.owner = bytes_of(owner, LEASE_OWNER_MAX_BYTES);
    require(sound(&lease), "the longest owner");
    lease.owner = bytes_of(owner, LEASE_OWNER_MAX_BYTES + 1);
    require(!sound(&lease), "a longer owner");
}

TEST(times_are_not_negative) {
    static const int64_t negative[] = {-1, -2, -1000, INT64_MIN + 1, INT64_MIN};
    const struct lease good = {LEASE_HELD, {1, 2}, 3, 15000, 4, 15004, {"me", 2}};
    struct lease lease = good;
    for (size_t i = 0; i < ARRAY_SIZE(negative); i++) {
        lease = good, lease.since_ms = negative[i];
        require(!sound(&lease), "a beginning at %lld", (long long)negative[i]);
        lease = good, lease.ends_ms = negative[i];
        require(!sound(&lease), "an end at %lld", (long long)negative[i]);
        lease = good, lease.duration_ms = negative[i];
        require(!sound(&lease), "a duration of %lld that ends", (long long)negative[i]);
        lease.ends_ms = LEASE_FOREVER;
        require_same(sound(&lease), negative[i] == DURATION_INFINITE_MS, "a duration of %lld",
                     (long long)negative[i]);
    }
    lease = good, lease.since_ms = INT64_MAX, lease.ends_ms = LEASE_FOREVER - 1,
    lease.duration_ms = INT64_MAX - 1;
    require(sound(&lease), "the greatest numbers");
    lease.since_ms = lease.ends_ms = 0, lease.duration_ms = 1;
    require(sound(&lease), "the smallest numbers");
}

/* Only a lease without a duration has no end, and it has none for certain; what is broken off has one, whatever the
 * lease was; of a free one nothing is asked. */
TEST(the_end_of_a_lease_fits_its_duration_and_kind) {
    static const struct {
        int64_t duration_ms, ends_ms;
        bool sound[LEASE_KINDS]; /* free, held, broken off */
    } cases[] = {
        {DURATION_INFINITE_MS, LEASE_FOREVER, {true, true, false}},
        {DURATION_INFINITE_MS, LEASE_FOREVER - 1, {true, false, true}},
        {DURATION_INFINITE_MS, 15004, {true, false, true}},
        {DURATION_INFINITE_MS, 0, {true, false, true}},
        {0, LEASE_FOREVER, {true, false, false}},
        {0, LEASE_FOREVER - 1, {true, false, true}},
        {0, 15004, {true, false, true}},
        {0, 0, {true, false, true}},
        {1, LEASE_FOREVER, {true, false, false}},
        {1, 15004, {true, true, true}},
        {15000, LEASE_FOREVER, {true, false, false}},
        {15000, LEASE_FOREVER - 1, {true, true, true}},
        {15000, 3, {true, true, true}},
        {15000, 0, {true, true, true}},
        {INT64_MAX - 1, LEASE_FOREVER, {true, false, false}},
        {INT64_MAX - 1, LEASE_FOREVER - 1, {true, true, true}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        for (int kind = 0; kind < LEASE_KINDS; kind++) {
            const struct lease lease = {(enum lease_kind)kind, {1, 2},   3, cases[i].duration_ms, 4,
                                        cases[i].ends_ms,      {"me", 2}};
            require_same(sound(&lease), cases[i].sound[kind], "case %zu, kind %d", i, kind);
            require_same(lease_sound(&lease), cases[i].sound[kind], "case %zu, kind %d", i, kind);
        }
}

/* Whatever stands after an operation can be written down, and read again; only durations that lead beyond the last
 * instant, which no command gives, are not renewed here. */
TEST(a_lease_is_sound_after_every_verb) {
    static const int64_t durations_ms[] = {DURATION_INFINITE_MS, 1, 15000, 60000};
    static const int64_t periods_ms[] = {-1, 0, 1, 1000, INT64_C(1000) * LEASE_BREAK_MAX_SECONDS};
    struct dice dice = {6};
    char owner[OWNER_ROOM];
    for (int i = 0; i < 20000; i++) {
        struct lease lease = draw(&dice, owner), next = lease;
        const struct lease_request request = {
            .now_ms = number(&dice) % (INT64_MAX / 2),
            .id = lease.id,
            .proposes = true,
            .proposed = lease.id,
            .duration_ms = durations_ms[dice_roll(&dice, ARRAY_SIZE(durations_ms))],
            .period_ms = periods_ms[dice_roll(&dice, ARRAY_SIZE(periods_ms))],
        };
        require(lease_sound(&lease), "lease %d to begin with", i);
        (void)lease_acquire(&lease, &request, &next);
        require(sound(&next), "lease %d, acquired", i);
        (void)lease_renew(&lease, &request, &next);
        require(sound(&next), "lease %d, renewed", i);
        (void)lease_change(&lease, &request, &next);
        require(sound(&next), "lease %d, changed", i);
        (void)lease_break(&lease, &request, &next);
        require(sound(&next), "lease %d, broken", i);
        (void)lease_release(&lease, &request, &next);
        require(sound(&next), "lease %d, released", i);
    }
}

/* Whatever can be read can be asked anything, and answers within what there is. */
static void require_usable(const struct lease *lease) {
    static const int64_t instants[] = {0, 1, 1700000000000, INT64_MAX / 2};
    for (size_t i = 0; i < ARRAY_SIZE(instants); i++) {
        struct lease_request request = {
            .now_ms = instants[i], .id = lease->id, .duration_ms = 15000, .period_ms = 1000};
        struct lease next = *lease;
        int64_t left_ms = lease_remaining_ms(lease, instants[i]);
        require(lease_state(lease, instants[i]) < LEASE_STATES, "there is no such state");
        require_same(left_ms > 0, lease_locked(lease_state(lease, instants[i])), "what is left");
        (void)lease_check_use(lease, LEASE_OF_BLOB, &lease->id, LEASE_WRITE, instants[i]);
        (void)lease_acquire(lease, &request, &next);
        (void)lease_renew(lease, &request, &next);
        require(next.ends_ms >= 0, "an end wraps");
        enum outcome broken = lease_break(lease, &request, &next);
        require_same(broken == OUTCOME_DONE, lease->kind != LEASE_FREE, "what can be broken");
        if (broken == OUTCOME_DONE)
            require(lease_remaining_ms(&next, instants[i]) <= 1000, "a break takes longer than its period");
        (void)lease_release(lease, &request, &next);
    }
}

TEST(a_doctored_lease_record_is_refused_or_sound) {
    struct dice dice = {3};
    char owner[OWNER_ROOM];
    int sound_ones = 0;
    for (int i = 0; i < 50000; i++) {
        struct lease lease = draw(&dice, owner), read;
        RECORD_WRITER(writer);
        lease_codec.write(&lease, &writer);
        for (size_t n = 1 + dice_roll(&dice, 4); n; n--) {
            size_t at = dice_roll(&dice, writer.length < 64 ? writer.length : 64);
            writer.data[at] = (char)(dice_percent(&dice, 50) ? dice_word(&dice) : 0x7f + dice_roll(&dice, 3));
        }
        if (read_all(record_written(&writer), &read)) {
            require(lease_sound(&read), "lease %d is not sound", i);
            require_usable(&read);
            require(sound(&read), "lease %d cannot be written again", i);
            sound_ones++;
        }
    }
    require(sound_ones > 1000, "only %d are sound", sound_ones);
}

TEST(random_bytes_are_refused_or_sound) {
    struct dice dice = {4};
    char room[64];
    for (int i = 0; i < 100000; i++) {
        struct lease lease;
        dice_fill(&dice, room, sizeof(room));
        room[0] = (char)dice_roll(&dice, LEASE_KINDS + 1);
        struct record_reader reader = record_reader(bytes_of(room, dice_roll(&dice, sizeof(room) + 1)));
        lease_codec.read(&reader, &lease);
        if (reader.failed) continue;
        require(lease_sound(&lease), "bytes %d are not sound", i);
        require_usable(&lease);
    }
}

/* --- Standing ------------------------------------------------------------------------------------------- */

TEST(a_stored_lease_is_one_allocation) {
    struct dice dice = {5};
    char owner[OWNER_ROOM], kept[OWNER_ROOM];
    for (int i = 0; i < 500; i++) {
        struct lease lease = draw(&dice, owner), same = lease;
        struct lease *standing = lease_new(&lease);
        require_same(allocations_count(), 1, "one allocation");
        memcpy(kept, owner, sizeof(kept));
        same.owner.data = kept;
        memset(owner, 0x5a, sizeof(owner));
        memset(&lease, 0x5a, sizeof(lease));
        require(lease_same(standing, &same), "lease %d borrows from what it was made of", i);
        size_t size = memory_size(standing);
        struct lease *moved = memory_alloc(size);
        memcpy(moved, standing, size);
        memset(standing, 0x5a, size);
        memory_free(standing);
        lease_moved(moved);
        require(lease_same(moved, &same), "lease %d is another one after it has moved", i);
        memory_free(moved);
    }
}

/* The next lease may have the label of the one that is stored. */
TEST(a_lease_takes_the_place_of_another_one) {
    struct account account = {0};
    struct lease *stored = NULL;
    struct lease lease = {.kind = LEASE_HELD, .token = 7, .owner = bytes_text("worker 1")};
    lease_replace(&account, &stored, &lease);
    const struct lease *first = stored;
    lease.token = 8;
    lease.owner = stored->owner;
    lease_replace(&account, &stored, &lease);
    require(stored == first && stored->token == 8, "labels of the same length share the memory");
    require_bytes(stored->owner, bytes_text("worker 1"), "the label");
    lease.owner = bytes_text("worker 23");
    lease_replace(&account, &stored, &lease);
    require_bytes(stored->owner, bytes_text("worker 23"), "a longer label");
    require_same(account.allocations, 1, "allocations");
    lease_replace(&account, &stored, NULL);
    require(!stored && !account.memory && !account.allocations, "nothing is left");
}
