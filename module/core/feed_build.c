#include "core/feed_build.h"

struct bytes feed_portion(const struct feed *feed, const struct order_index *objects) {
    struct order_cursor cursor = order_index_seek_after(objects, feed_frontier(feed));
    struct bytes last = {"", 0};
    struct entry *entry = order_cursor_entry(&cursor);
    for (int left = FEED_PORTION; entry && left; left--) {
        last = entry_name(entry);
        order_cursor_next(&cursor);
        entry = order_cursor_entry(&cursor);
    }
    return entry ? last : bytes_of("", 0);
}

void feed_build(struct account *account, struct feed *feed, const struct order_index *objects,
                struct bytes last, bool (*exists)(const struct entry *entry)) {
    if (!feed->building) return;
    struct order_cursor cursor = order_index_seek_after(objects, feed_frontier(feed));
    struct entry *entry = order_cursor_entry(&cursor);
    for (; entry && (!last.length || bytes_compare(entry_name(entry), last) <= 0);
         entry = order_cursor_entry(&cursor)) {
        if (!exists || exists(entry)) feed_take(account, feed, entry);
        order_cursor_next(&cursor);
    }
    feed_advance(account, feed, entry ? last : bytes_of("", 0));
}
