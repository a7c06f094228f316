/* Listings of a container that comes from outside: the first bytes choose what is asked for; the rest are the prefix,
 * the delimiter, the marker and the names, separated by zero bytes. A name's last byte says what there is of it: a
 * blob, a blob with snapshots, or only staged blocks, of now or of long ago.
 *
 * From page to page by the markers, all items come that a look at each name finds, each once and in order, whatever the
 * sizes of the pages. */
#include "allocations.h"
#include "blob/blocks.h"
#include "blob/container_apply.h"
#include "blob/listing.h"
#include "require.h"

#include <stdint.h>
#include <stdlib.h>

enum { HEAD = 3, NAMES_MAX = 40, SNAPSHOTS = 3, TEXT_MAX = 64, ITEMS_MAX = NAMES_MAX * (SNAPSHOTS + 1) };
enum sort { PLAIN, SNAPSHOTTED, STAGED_LATELY, STAGED_LONG_AGO, SORTS };

static const int64_t now_ms = STAGED_LIFE_MS * 3;

struct names {
    struct container *container;
    struct bytes names[NAMES_MAX]; /* sorted */
    size_t count;
};

struct item {
    struct bytes name;
    bool is_common;
    version snapshot;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum sort sort_of(struct bytes name) {
    return (enum sort)((unsigned char)name.data[name.length - 1] % SORTS);
}

static void apply(struct container *container, struct container_change change) {
    require(container_apply(container, &change), "kind %d does not fit", (int)change.kind);
}

static void add(struct names *names, struct bytes name) {
    struct container_change put = {.kind = BLOB_PUT, .name = name, .stamp = {1, 1}};
    struct container_change snapshot = {.kind = BLOB_SNAPSHOT, .name = name, .stamp = {1, 1}};
    struct container_change stage = {.kind = BLOB_STAGE,
                                     .name = name,
                                     .block_id = bytes_text("id"),
                                     .touched_ms = now_ms - STAGED_LIFE_MS,
                                     .content = bytes_text("block")};
    enum sort sort = sort_of(name);
    if (sort == STAGED_LATELY) stage.touched_ms++;
    apply(names->container, sort < STAGED_LATELY ? put : stage);
    for (version id = 1; sort == SNAPSHOTTED && id <= SNAPSHOTS; id++) {
        snapshot.snapshot = id;
        apply(names->container, snapshot);
    }
    size_t place = names->count++;
    for (; place > 0 && bytes_compare(names->names[place - 1], name) > 0; place--)
        names->names[place] = names->names[place - 1];
    names->names[place] = name;
}

static bool is_new(const struct names *names, struct bytes name) {
    for (size_t i = 0; i < names->count; i++)
        if (bytes_equal(names->names[i], name)) return false;
    return true;
}

/* How long the common beginning is to which a name belongs; 0 when it stands alone. */
static size_t common_length(const struct listing_query *query, struct bytes name) {
    size_t length = query->delimiter.length;
    for (size_t at = query->prefix.length; length && at + length <= name.length; at++)
        if (memcmp(name.data + at, query->delimiter.data, length) == 0) return at + length;
    return 0;
}

static size_t expect(const struct names *names, const struct listing_query *query, struct item *items) {
    size_t count = 0;
    for (size_t i = 0; i < names->count; i++) {
        struct bytes name = names->names[i];
        enum sort sort = sort_of(name);
        if (sort == STAGED_LONG_AGO || (sort == STAGED_LATELY && !query->uncommitted)) continue;
        if (!bytes_start_with(name, query->prefix) || bytes_compare(name, query->marker) < 0) continue;
        size_t common = common_length(query, name);
        struct item item = {common ? bytes_of(name.data, common) : name, common > 0, 0};
        if (common && count && items[count - 1].is_common && bytes_equal(items[count - 1].name, item.name))
            continue;
        for (version id = 1; !common && query->snapshots && sort == SNAPSHOTTED && id <= SNAPSHOTS; id++)
            items[count++] = (struct item){name, false, id};
        items[count++] = item;
    }
    return count;
}

static void compare_pages(const struct names *names, struct listing_query query) {
    static struct item items[ITEMS_MAX];
    char marker[LISTING_MARKER_MAX_BYTES];
    size_t count = expect(names, &query, items), seen = 0;
    for (bool more = true; more;) {
        struct listing listing;
        listing_collect(names->container, &query, &listing);
        require(listing.count <= query.max && listing.count <= count - seen, "%zu items too many",
                listing.count);
        for (size_t i = 0; i < listing.count; i++, seen++) {
            require_bytes(listing.items[i].name, items[seen].name, "item %zu", seen);
            require_same(listing.items[i].snapshot, items[seen].snapshot, "item %zu", seen);
            require_same(listing.items[i].blob == NULL, items[seen].is_common, "item %zu", seen);
        }
        more = listing.more;
        require(!more || listing.next_length > 0, "there is more, but nobody knows where");
        require(!more || listing.count > 0, "a page without anything leads on");
        memcpy(marker, listing.next, more ? listing.next_length : 0);
        query.marker = bytes_of(marker, more ? listing.next_length : 0);
        listing_free(&listing);
    }
    require_same(seen, count, "items of all pages");
}

static struct bytes take_text(struct bytes *texts) {
    const char *end = texts->length ? memchr(texts->data, '\0', texts->length) : NULL;
    size_t length = end ? (size_t)(end - texts->data) : texts->length;
    struct bytes text = bytes_of(texts->data, length < TEXT_MAX ? length : TEXT_MAX);
    length += end != NULL;
    *texts = bytes_of(texts->data + length, texts->length - length);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD) return 0;
    allocations_forget();
    struct names names = {
        .container = container_new(&(struct container_change){.kind = CONTAINER_CREATE, .stamp = {1, 1}})};
    struct bytes texts = bytes_of(data + HEAD, size - HEAD);
    struct listing_query query = {.max = 1 + data[0] % 8u,
                                  .budget = data[1] & 1 ? 1 + (size_t)data[2] * 16 : SIZE_MAX,
                                  .now_ms = now_ms,
                                  .snapshots = data[1] & 2,
                                  .uncommitted = data[1] & 4};
    query.prefix = take_text(&texts);
    query.delimiter = take_text(&texts);
    query.marker = take_text(&texts);
    while (texts.length && names.count < NAMES_MAX) {
        struct bytes name = take_text(&texts);
        if (name.length && is_new(&names, name)) add(&names, name);
    }
    compare_pages(&names, query);
    container_free(names.container);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
