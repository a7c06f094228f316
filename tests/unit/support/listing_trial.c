#include "listing_trial.h"

#include "require.h"

enum { EXPECTED_MAX = 4000 };

static void apply(struct container *container, const struct container_change *change) {
    require(container_apply(container, change), "a change of kind %d does not fit", (int)change->kind);
}

void listing_put(struct container *container, struct bytes name) {
    const struct container_change change = {.kind = BLOB_PUT, .name = name, .stamp = {1, 1}};
    apply(container, &change);
}

void listing_snapshot(struct container *container, struct bytes name, version id) {
    const struct container_change change = {
        .kind = BLOB_SNAPSHOT, .name = name, .stamp = {1, 1}, .snapshot = id};
    apply(container, &change);
}

void listing_stage(struct container *container, struct bytes name, int64_t touched_ms) {
    const struct container_change change = {.kind = BLOB_STAGE,
                                            .name = name,
                                            .block_id = bytes_text("id"),
                                            .touched_ms = touched_ms,
                                            .content = bytes_text("block")};
    apply(container, &change);
}

/* --- A naive listing ------------------------------------------------------------------------------------ */

/* The item that a name belongs to: the name up to and with the first delimiter
 * behind the prefix, or all of it. */
static struct bytes item_of(const struct listing_query *query, struct bytes name, bool *common) {
    *common = false;
    size_t length = query->delimiter.length;
    for (size_t at = query->prefix.length; length && at + length <= name.length; at++)
        if (memcmp(name.data + at, query->delimiter.data, length) == 0) {
            *common = true;
            return bytes_of(name.data, at + length);
        }
    return name;
}

/* What there is of a name follows from its last byte. */
enum sort { PLAIN, STAGED_LATELY, STAGED_LONG_AGO, ONE_SNAPSHOT, MANY_SNAPSHOTS, SORTS };

static enum sort sort_of(struct bytes name) {
    return (enum sort)((unsigned char)name.data[name.length - 1] % SORTS);
}

static version snapshots_of(struct bytes name) {
    enum sort sort = sort_of(name);
    return sort == MANY_SNAPSHOTS ? 7 : sort == ONE_SNAPSHOT;
}

void listing_trial_add(struct listing_trial *trial, struct bytes name) {
    if (roster_find(&trial->roster, name)) return;
    roster_add(&trial->roster, entry_new(name, 0));
    enum sort sort = sort_of(name);
    if (sort == STAGED_LATELY || sort == STAGED_LONG_AGO) {
        listing_stage(trial->container, name, LISTING_NOW_MS - STAGED_LIFE_MS + (sort == STAGED_LATELY));
        return;
    }
    listing_put(trial->container, name);
    for (version id = 1; id <= snapshots_of(name); id++) listing_snapshot(trial->container, name, id * 10);
}

static bool is_shown(const struct listing_query *query, struct bytes name) {
    enum sort sort = sort_of(name);
    if (sort == STAGED_LONG_AGO || (sort == STAGED_LATELY && !query->uncommitted)) return false;
    return bytes_start_with(name, query->prefix) && bytes_compare(name, query->marker) >= 0;
}

struct expected {
    struct bytes name;
    bool common;
    version snapshot;
};

/* All items from the query's marker on, by going over all names. */
static size_t expect_items(const struct roster *roster, const struct listing_query *query,
                           struct expected *items) {
    size_t count = 0;
    for (size_t i = 0; i < roster->count; i++) {
        struct bytes name = entry_name(roster->entries[i]);
        if (!is_shown(query, name)) continue;
        bool common;
        struct bytes item = item_of(query, name, &common);
        bool again = common && count && items[count - 1].common && bytes_equal(items[count - 1].name, item);
        if (again) continue;
        for (version id = 1; !common && query->snapshots && id <= snapshots_of(name); id++)
            items[count++] = (struct expected){name, false, id * 10};
        items[count++] = (struct expected){item, common, 0};
    }
    return count;
}

static void require_item(const struct listing_item *item, const struct expected *expected, size_t place) {
    require_bytes(item->name, expected->name, "item %zu", place);
    require_same(item->snapshot, expected->snapshot, "item %zu", place);
    require_same(item->blob == NULL, expected->common, "item %zu", place);
    if (item->blob && !item->snapshot) require_bytes(blob_name(item->blob), item->name, "item %zu", place);
    if (item->blob) require(item->snapshot == 0 || blob_exists(item->blob), "item %zu is no snapshot", place);
}

void listing_trial_compare(const struct listing_trial *trial, struct listing_query query) {
    static struct expected expected[EXPECTED_MAX];
    char marker[LISTING_MARKER_MAX_BYTES];
    size_t count = expect_items(&trial->roster, &query, expected), seen = 0;
    for (bool more = true; more;) {
        struct listing listing;
        listing_collect(trial->container, &query, &listing);
        require(listing.count <= query.max, "%zu items", listing.count);
        require(listing.count <= count - seen, "there are more than %zu items", count);
        for (size_t i = 0; i < listing.count; i++, seen++)
            require_item(&listing.items[i], &expected[seen], seen);
        more = listing.more;
        require(!more || (listing.count && listing.next_length),
                "a page without anything, or that leads nowhere");
        if (query.budget == SIZE_MAX) require_same(more, seen < count, "more behind %zu items", seen);
        if (query.budget == SIZE_MAX && more)
            require_same(listing.count, query.max, "a page before the last one");
        memcpy(marker, listing.next, more ? listing.next_length : 0);
        query.marker = bytes_of(marker, more ? listing.next_length : 0);
        listing_free(&listing);
    }
    require_same(seen, count, "items of all pages");
}

void listing_trial_start(struct listing_trial *trial) {
    const struct container_change create = {.kind = CONTAINER_CREATE, .stamp = {1, 1}};
    *trial = (struct listing_trial){.container = container_new(&create)};
}

void listing_trial_end(struct listing_trial *trial) {
    roster_free(&trial->roster);
    container_free(trial->container);
}
