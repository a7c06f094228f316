/* Packed lists: owned and borrowed ones, in records and pair by pair. */
#include "core/packed.h"

#include "pairs.h"
#include "unit.h"

static const char *const texts[] = {"a=1", "b=", "long_name=a value of some length", NULL};

TEST(an_owned_list_is_a_copy) {
    struct pairs pairs;
    pairs_start(&pairs);
    pairs_add_texts(&pairs, texts);
    struct account account = {0};
    struct packed *packed = NULL;
    packed_replace(&account, &packed, pairs_list(&pairs));
    struct packed_list view = packed_view(packed);
    require_same(view.count, 3, "three pairs");
    require_bytes(view.items, pairs_list(&pairs).items, "the items");
    require(view.items.data != pairs_list(&pairs).items.data, "the bytes are borrowed");
    require_same(allocations_count(), 1, "a list is one allocation");
    pairs_end(&pairs);
    packed_replace(&account, &packed, (struct packed_list){0, {"", 0}});
    require(!packed && !account.memory, "an empty list has memory");
}

TEST(an_empty_list_is_nothing) {
    struct packed_list view = packed_view(NULL);
    require(view.count == 0 && view.items.length == 0 && view.items.data, "nothing is not an empty list");
}

TEST(a_list_goes_through_a_record) {
    PAIR_LIST(pairs);
    RECORD_WRITER(writer);
    record_put_list(&writer, pairs_list(&pairs));
    require_same(writer.length, 1, "an empty list is one byte");
    pairs_add_texts(&pairs, texts);
    record_put_list(&writer, pairs_list(&pairs));
    struct record_reader reader = record_reader(record_written(&writer));
    struct packed_list list = record_list(&reader);
    require(list.count == 0 && list.items.length == 0 && list.items.data, "the empty list has changed");
    list = record_list(&reader);
    require_same(list.count, 3, "three pairs");
    require_bytes(list.items, pairs_list(&pairs).items, "the items");
    require(record_complete(&reader), "something is left over");
}

TEST(a_list_is_walked_pair_by_pair) {
    struct bytes name, value;
    PAIR_LIST(pairs);
    pairs_add_texts(&pairs, texts);
    struct bytes items = pairs_list(&pairs).items;
    struct record_reader reader = record_reader(items);
    for (size_t i = 0; i < 3; i++) {
        size_t length = strcspn(texts[i], "=");
        require(packed_next_pair(&reader, &name, &value), "there is no pair %zu", i);
        require_bytes(name, bytes_of(texts[i], length), "name %zu", i);
        require_bytes(value, bytes_text(texts[i] + length + 1), "value %zu", i);
    }
    require(!packed_next_pair(&reader, &name, &value), "there is a fourth pair");
    require(record_complete(&reader), "the end is not the end");
}

TEST(half_a_pair_is_refused) {
    struct bytes name, value;
    const struct bytes halves[] = {bytes_of("\1a", 2), bytes_of("\1", 1), bytes_of("\1a\2v", 4),
                                   bytes_of("\0", 1)};
    for (size_t i = 0; i < ARRAY_SIZE(halves); i++) {
        struct record_reader reader = record_reader(halves[i]);
        require(!packed_next_pair(&reader, &name, &value), "half %zu is a pair", i);
        require(!record_complete(&reader), "half %zu is complete", i);
        require(!packed_next_pair(&reader, &name, &value), "half %zu is a pair at the second look", i);
    }
}
