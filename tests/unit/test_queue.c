/* Queues against naive ones, and the rules of messages one by one. */
#include "queue/queue_view.h"

#include "core/garbage.h"
#include "dice.h"
#include "mover.h"
#include "queue/queue.h"
#include "queue/queue_registry.h"
#include "queue_trial.h"
#include "unit.h"

FREES(queue)

enum { TTL_MS = 10000, NOW_MS = 1000000 };

/* --- Random lives --- */

static void live(uint64_t seed, int steps) {
    static struct queue_trial trial;
    struct dice dice = {seed};
    queue_trial_start(&trial);
    for (int step = 0; step < steps; step++) {
        struct queue_choice choice;
        dice_fill(&dice, &choice, sizeof(choice));
        queue_trial_step(&trial, &choice);
        if (step % 16 == 0) queue_trial_compare(&trial);
        if (step % 500 == 250) queue_trial_rebuild(&trial);
        if (step % 500 == 499) queue_trial_copy(&trial);
    }
    queue_trial_compare(&trial);
    queue_trial_end(&trial);
}

TEST(a_queue_equals_its_model) {
    for (uint64_t seed = 1; seed <= 12; seed++) live(seed, 3000);
}

/* --- One message --- */

static struct guid guid_numbered(uint64_t number) {
    return (struct guid){number << 7, number};
}

static struct queue *queue_with_limit(uint32_t max_deliveries) {
    return queue_new(
        &(struct queue_change){.kind = QUEUE_CREATE, .max_deliveries = max_deliveries, .order = 0});
}

struct putting {
    int64_t now_ms, delay_ms, ttl_ms;
    const char *group;
};

/* Puts a message with the number as its id and, increased by one, as its receipt. */
static void put_as(struct queue *queue, uint64_t number, const struct putting *putting) {
    struct queue_item item = {guid_numbered(number), guid_numbered(number + 1), .text = bytes_text("text")};
    RECORD_WRITER(items);
    queue_item_put(QUEUE_PUT, &items, &item);
    struct queue_change change = {
        .kind = QUEUE_PUT,
        .order = queue->next_order,
        .inserted_ms = putting->now_ms,
        .expires_ms = queue_instant_after(putting->now_ms, putting->ttl_ms),
        .visible_ms = putting->now_ms + putting->delay_ms,
        .group = bytes_text(putting->group ? putting->group : ""),
        .items = {1, record_written(&items)},
    };
    require(queue_apply(queue, &change), "the put fits");
}

static void put(struct queue *queue, uint64_t number) {
    put_as(queue, number, &(struct putting){.now_ms = NOW_MS, .ttl_ms = TTL_MS});
}

/* The number of the next visible message, which is hidden for so long; 0 when there is none. */
static uint64_t get(struct queue *queue, int64_t now_ms, int64_t window_ms) {
    struct visible_walk visible;
    queue_walk_visible(queue, now_ms, &visible);
    const struct message *message = message_walk_next(&visible.messages);
    visible_walk_end(&visible);
    if (!message) return 0;
    uint64_t number = message->id.low;
    struct record_writer items;
    struct queue_item item = queue_delivery(queue, message, guid_numbered(number + 2));
    record_start(&items);
    queue_item_put(QUEUE_DELIVER, &items, &item);
    struct queue_change change = {
        .kind = QUEUE_DELIVER, .visible_ms = now_ms + window_ms, .items = {1, record_written(&items)}};
    require(queue_apply(queue, &change), "the delivery fits");
    record_end(&items);
    return number;
}

static bool drop(struct queue *queue, uint64_t number) {
    struct record_writer items;
    record_start(&items);
    queue_item_put(QUEUE_DELETE, &items, &(struct queue_item){.id = guid_numbered(number)});
    struct queue_change change = {.kind = QUEUE_DELETE, .items = {1, record_written(&items)}};
    bool applied = queue_apply(queue, &change);
    record_end(&items);
    return applied;
}

static void require_depth(const struct queue *queue, int64_t now_ms, size_t visible, size_t invisible,
                          size_t dead, size_t expired) {
    struct queue_depth depth = queue_depth(queue, now_ms);
    require_same(depth.visible, visible, "visible");
    require_same(depth.invisible, invisible, "invisible");
    require_same(depth.dead, dead, "dead");
    require_same(depth.expired, expired, "expired");
}

/* Visible at equality, gone at equality. */
TEST(messages_appear_and_expire_to_the_millisecond) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
    put_as(queue, 1, &(struct putting){.now_ms = NOW_MS, .delay_ms = 500, .ttl_ms = 1000});
    require_depth(queue, NOW_MS + 499, 0, 1, 0, 0);
    require_same(queue_next_visible_ms(queue, NOW_MS + 499), NOW_MS + 500, "shows");
    require_depth(queue, NOW_MS + 500, 1, 0, 0, 0);
    require_depth(queue, NOW_MS + 999, 1, 0, 0, 0);
    require_depth(queue, NOW_MS + 1000, 0, 0, 0, 1);
}

/* What would show at the moment at which it ends, or later, never shows. */
TEST(a_delay_beyond_the_end_never_shows) {
    for (int64_t delay_ms = 1000; delay_ms <= 1001; delay_ms++) {
        struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
        put_as(queue, 1, &(struct putting){.now_ms = NOW_MS, .delay_ms = delay_ms, .ttl_ms = 1000});
        require_depth(queue, NOW_MS + 999, 0, 1, 0, 0);
        require_same(queue_next_visible_ms(queue, NOW_MS), INT64_MAX, "never");
        require_depth(queue, NOW_MS + 1001, 0, 0, 0, 1);
    }
}

TEST(receipts_live_until_somebody_acts) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
    struct message *message;
    struct guid id = guid_numbered(10), first = guid_numbered(11), second = guid_numbered(12);
    put(queue, 10);
    require_same(queue_find_owned(queue, &id, &first, NOW_MS, &message), OUTCOME_DONE, "from the put");
    require_same(get(queue, NOW_MS, 1000), 10, "the message");
    require_same(queue_find_owned(queue, &id, &first, NOW_MS, &message), OUTCOME_RECEIPT_MISMATCH, "dead");
    require_same(queue_find_owned(queue, &id, &second, NOW_MS, &message), OUTCOME_DONE, "in the window");
    require_same(queue_find_owned(queue, &id, &second, NOW_MS + 5000, &message), OUTCOME_DONE, "after it");
    require_same(queue_find_owned(queue, &id, &second, NOW_MS + TTL_MS, &message), OUTCOME_MESSAGE_NOT_FOUND,
                 "expired");
    require_same(queue_find_owned(queue, &first, &first, NOW_MS, &message), OUTCOME_MESSAGE_NOT_FOUND,
                 "no such message");
}

/* A message that comes back is behind those that showed before. */
TEST(the_message_that_is_visible_first_is_delivered_first) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
    put_as(queue, 1, &(struct putting){.now_ms = NOW_MS, .delay_ms = 10, .ttl_ms = TTL_MS});
    put(queue, 2);
    put(queue, 3);
    require_same(get(queue, NOW_MS, 5), 2, "the first without a delay");
    require_same(get(queue, NOW_MS + 20, 1000), 3, "showed at once");
    require_same(get(queue, NOW_MS + 20, 1000), 2, "came back after 5 ms");
    require_same(get(queue, NOW_MS + 20, 1000), 1, "showed after 10 ms");
    require_same(get(queue, NOW_MS + 20, 1000), 0, "no more");
}

/* What comes back is behind what is there, also within a millisecond. */
TEST(in_one_millisecond_what_came_first_goes_first) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
    struct queue_change release = {.kind = QUEUE_RELEASE,
                                   .id = guid_numbered(10),
                                   .receipt = guid_numbered(13),
                                   .visible_ms = NOW_MS + 1,
                                   .behind = true};
    put(queue, 10);
    require_same(get(queue, NOW_MS, 1000), 10, "taken");
    put(queue, 20);
    put_as(queue, 30, &(struct putting){.now_ms = NOW_MS + 1, .ttl_ms = TTL_MS});
    require(queue_apply(queue, &release), "it fits");
    put_as(queue, 40, &(struct putting){.now_ms = NOW_MS + 1, .ttl_ms = TTL_MS});
    struct queue *copy ENDS_BY(queue_release) = queue_copy(queue);
    require_same(get(queue, NOW_MS + 1, 1000), 20, "visible a millisecond before");
    require_same(get(queue, NOW_MS + 1, 1000), 30, "put before the release");
    require_same(get(queue, NOW_MS + 1, 1000), 10, "released");
    require_same(get(queue, NOW_MS + 1, 1000), 40, "put after it");
    for (uint64_t number = 10; number <= 40; number += 10)
        require_same(get(queue, NOW_MS + 1001, 1000), number, "whose windows end together");
    require_same(get(copy, NOW_MS + 1, 1000), 20, "the copy: visible a millisecond before");
    require_same(get(copy, NOW_MS + 1, 1000), 30, "the copy: put before the release");
    require_same(get(copy, NOW_MS + 1, 1000), 10, "the copy: released");
}

/* --- Dead letters --- */

TEST(the_last_window_that_ends_is_the_end) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(2);
    struct message_walk dead;
    put(queue, 1);
    require_same(get(queue, NOW_MS, 100), 1, "once");
    require_same(get(queue, NOW_MS + 100, 100), 1, "twice");
    require_depth(queue, NOW_MS + 199, 0, 1, 0, 0);
    require_depth(queue, NOW_MS + 200, 0, 0, 1, 0);
    require_same(get(queue, NOW_MS + 200, 100), 0, "not a third time");
    queue_walk_dead(queue, NOW_MS + 200, &dead);
    require_same(message_walk_next(&dead)->id.low, 1, "it is dead");
    struct queue_change settlement;
    require(!queue_settlement(queue, NOW_MS + 199, 10, &settlement), "not yet");
    require(queue_settlement(queue, NOW_MS + 300, 10, &settlement) && settlement.died == 1, "it died");
    require(queue_apply(queue, &settlement), "it fits");
    require(!queue_apply(queue, &settlement), "it does not fit twice");
    struct guid id = guid_numbered(1);
    require_same(message_visible_ms(queue_find_dead(queue, &id, 0)), NOW_MS + 200, "when the window ended");
    require_depth(queue, NOW_MS + 100 * TTL_MS, 0, 0, 1, 0);
}

/* One that expires before its last window ends just expires. */
TEST(an_expired_message_is_no_dead_letter) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(1);
    put(queue, 1);
    require_same(get(queue, NOW_MS, TTL_MS), 1, "hidden until it expires");
    require_depth(queue, NOW_MS + TTL_MS - 1, 0, 1, 0, 0);
    require_depth(queue, NOW_MS + TTL_MS, 0, 0, 0, 1);
}

/* --- Groups --- */

TEST(a_group_comes_one_by_one) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
    struct putting member = {.now_ms = NOW_MS, .ttl_ms = TTL_MS, .group = "g"};
    put_as(queue, 10, &member);
    put_as(queue, 20, &member);
    put_as(queue, 30, &member);
    put(queue, 40);
    require_depth(queue, NOW_MS, 2, 2, 0, 0);
    require_same(get(queue, NOW_MS, 1000), 10, "the group's first");
    require_same(get(queue, NOW_MS, 1000), 40, "others flow past");
    require_same(get(queue, NOW_MS, 1000), 0, "no second of the group");
    require_same(get(queue, NOW_MS + 1000, 1000), 10, "the first again");
    require(drop(queue, 10), "it is done");
    require_same(get(queue, NOW_MS + 1000, 1000), 20, "now the second; it showed long ago");
    require(drop(queue, 30), "those behind may go, too");
    require(drop(queue, 20), "and the second");
    require_same(get(queue, NOW_MS + 1000, 1000), 40, "the group is gone");
    require(!queue_has_groups(queue), "the group is gone");
}

TEST(a_group_goes_on_when_its_first_is_over) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
    struct queue_change settlement;
    put_as(queue, 10, &(struct putting){.now_ms = NOW_MS, .ttl_ms = 1000, .group = "g"});
    put_as(queue, 20, &(struct putting){.now_ms = NOW_MS, .ttl_ms = TTL_MS, .group = "g"});
    require_depth(queue, NOW_MS + 999, 1, 1, 0, 0);
    require_depth(queue, NOW_MS + 1000, 1, 0, 0, 1);
    require(queue_settlement(queue, NOW_MS + 1000, 10, &settlement), "the first is over");
    require(queue_apply(queue, &settlement), "it fits");
    require_same(get(queue, NOW_MS + 1000, 1000), 20, "the second's turn");
}

/* A search reads a part of them, and the next one goes on from there, whatever else happens in the group. */
TEST(a_long_line_of_expired_members_is_read_once) {
    enum { EXPIRED = 25000 };
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
    struct putting brief = {.now_ms = NOW_MS, .ttl_ms = 1000, .group = "g"}, lasting = brief;
    lasting.ttl_ms = TTL_MS;
    for (uint64_t i = 1; i <= EXPIRED; i++) put_as(queue, i, &brief);
    put_as(queue, EXPIRED + 1, &lasting);
    put_as(queue, EXPIRED + 2, &lasting);
    require_same(get(queue, NOW_MS + 1000, 1000), 0, "not yet reached");
    require(drop(queue, 9000), "one that has been read");
    require_same(get(queue, NOW_MS + 1000, 1000), 0, "nor by the second search");
    require_same(get(queue, NOW_MS + 1000, 1000), EXPIRED + 1, "reached");
    require(drop(queue, EXPIRED + 1), "it is done");
    require_same(get(queue, NOW_MS + 1000, 1000), EXPIRED + 2, "the next one at once");
}

/* A replica's clock may be ahead: what it takes for over may be delivered once more. */
TEST(a_member_that_was_over_and_is_not_comes_first_again) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(1);
    for (uint64_t i = 10; i <= 30; i += 10)
        put_as(queue, i, &(struct putting){.now_ms = NOW_MS, .ttl_ms = TTL_MS, .group = "g"});
    require_same(get(queue, NOW_MS, 1000), 10, "the first, for the last time");
    require_same(get(queue, NOW_MS + 1000, 1000), 20, "the second, for the last time");
    require_depth(queue, NOW_MS + 2000, 1, 0, 2, 0);
    struct queue_change change = {.kind = QUEUE_UPDATE, .id = guid_numbered(20), .visible_ms = NOW_MS + 5000};
    require(queue_apply(queue, &change), "its window is longer");
    require_depth(queue, NOW_MS + 2000, 0, 2, 1, 0);
}

/* --- A queue full of what is over --- */

TEST(expired_messages_are_not_looked_at) {
    enum { EXPIRED = 20000 };
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
    for (uint64_t i = 0; i < EXPIRED; i++)
        put_as(queue, i + 1, &(struct putting){.now_ms = NOW_MS, .ttl_ms = 1000});
    put(queue, EXPIRED + 1);
    struct queue_depth depth = queue_depth(queue, NOW_MS + 1000);
    require_same(depth.expired, EXPIRED, "expired");
    require_same(get(queue, NOW_MS + 1000, 1000), EXPIRED + 1, "the one that is left");
    struct queue_change settlement;
    require(queue_settlement(queue, NOW_MS + 1000, 100, &settlement), "there is much to remove");
    require_same(settlement.ended, 100, "a portion of it");
    require_same(depth.unsettled, EXPIRED, "unsettled");
    require(queue_apply(queue, &settlement), "it fits");
    require_depth(queue, NOW_MS + 1000, 0, 1, 0, EXPIRED - 100);
}

static void sweep_soon(void) {}

TEST(a_cleared_queue_is_freed_in_portions) {
    enum { CLEARED = 5000, PORTION = 1000 };
    struct queue *queue = queue_with_limit(0);
    garbage_pending = sweep_soon;
    for (uint64_t i = 1; i <= CLEARED; i++) put(queue, i);
    require(queue_apply(queue, &(struct queue_change){.kind = QUEUE_CLEAR}), "it fits");
    require_depth(queue, NOW_MS, 0, 0, 0, 0);
    size_t left = queue_allocations(queue);
    require(left > CLEARED - PORTION, "much is left: %zu", left);
    require(garbage_sweep(PORTION), "and more than a portion");
    require_same(queue_allocations(queue), left - PORTION, "what a portion freed");
    queue_free(queue);
    require(!garbage_sweep(PORTION), "the rest is freed with the queue");
    garbage_pending = NULL;
}

/* --- What does not fit --- */

TEST(changes_that_do_not_fit_a_queue_do_nothing) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
    put(queue, 10);
    struct guid none = guid_numbered(77), id = guid_numbered(10);
    struct queue_change misfits[] = {
        {.kind = QUEUE_UPDATE, .id = none},
        {.kind = QUEUE_RELEASE, .id = none},
        {.kind = QUEUE_SETTLE, .instant_ms = NOW_MS, .ended = 1},
        {.kind = QUEUE_SETTLE, .instant_ms = NOW_MS, .died = 1},
        {.kind = QUEUE_SETTLE, .instant_ms = NOW_MS, .forgotten = 1},
        {.kind = QUEUE_MESSAGE, .id = id, .order = 0},
        {.kind = QUEUE_MESSAGE, .id = none, .order = 0},
        {.kind = QUEUE_MESSAGE, .id = none, .order = 1},
        {.kind = QUEUE_DEDUP_ENTRY, .order = 1, .dedup = bytes_text("a")},
        {.kind = QUEUE_CREATE},
        {.kind = QUEUE_DROP},
    };
    for (size_t i = 0; i < ARRAY_SIZE(misfits); i++)
        require(!queue_apply(queue, &misfits[i]), "misfit %zu is taken", i);
    require(!drop(queue, 77), "nobody is deleted");
    require_depth(queue, NOW_MS, 1, 0, 0, 0);
}

/* --- Memory --- */

TEST(the_memory_of_a_queue_is_what_the_allocator_says) {
    static struct queue_trial trial;
    struct dice dice = {99};
    size_t before = allocations_bytes();
    queue_trial_start(&trial);
    for (int step = 0; step < 4000; step++) {
        struct queue_choice choice;
        dice_fill(&dice, &choice, sizeof(choice));
        queue_trial_step(&trial, &choice);
        if (step % 100 == 0)
            require_same(queue_memory(trial.queue), allocations_bytes() - before, "step %d", step);
    }
    queue_trial_end(&trial);
}

TEST(a_queue_can_move_in_memory) {
    static struct queue_trial trial;
    struct dice dice = {5};
    queue_trial_start(&trial);
    for (int round = 0; round < 20; round++) {
        for (int step = 0; step < 60; step++) {
            struct queue_choice choice;
            dice_fill(&dice, &choice, sizeof(choice));
            queue_trial_step(&trial, &choice);
        }
        struct relocation relocation = mover(&dice);
        trial.queue = queue_relocate(trial.queue, &relocation);
        for (size_t place = 0; place < queue_places(trial.queue); place++)
            queue_relocate_place(trial.queue, place, &relocation);
        queue_trial_compare(&trial);
    }
    queue_trial_end(&trial);
}

/* A decision gives its items as a list, and need not give their messages. */
TEST(items_that_are_not_packed_name_messages) {
    struct queue *queue ENDS_BY(queue_release) = queue_with_limit(0);
    for (uint64_t number = 10; number <= 30; number += 10) put(queue, number);
    const struct queue_item items[] = {{.id = guid_numbered(10)}, {.id = guid_numbered(30)}};
    const struct queue_change change = {
        .kind = QUEUE_DELETE, .items.count = ARRAY_SIZE(items), .decided_items = items};
    require(queue_apply(queue, &change), "the delete fits");
    require_depth(queue, NOW_MS, 1, 0, 0, 0);
    require_same(get(queue, NOW_MS, 10), 20, "the one that is left");
}

TEST(all_queues_are_known) {
    struct queue *one = queue_with_limit(0), *other = queue_with_limit(0);
    struct queue_depth sum;
    put(one, 1);
    put_as(other, 3, &(struct putting){.now_ms = NOW_MS - 5, .delay_ms = 100, .ttl_ms = TTL_MS});
    put(other, 2);
    require_same(queue_registry_count(), 2, "queues");
    require_same(queue_census_depth(NOW_MS, 10, &sum), 2, "queues looked at");
    require_same(sum.visible, 2, "visible");
    require_same(sum.invisible, 1, "invisible");
    require_same(sum.arrived_ms, NOW_MS - 5, "the oldest");
    require_same(queue_census_depth(NOW_MS, 1, &sum), 1, "no more than asked for");
    queue_free(one);
    queue_free(other);
    require_same(queue_registry_count(), 0, "none is left");
}
