/* The stateless FILE.* commands that read. */
#include "core/property.h"
#include "file/redis/file_access.h"
#include "file/redis/file_commands.h"
#include "lease/redis/leases.h"

const char *const file_attribute_words[] = {"READONLY", "HIDDEN", "SYSTEM", "ARCHIVE", NULL};

enum { ITEM_PAGE_DEFAULT = 1000, ITEM_PAGE_MAX = 5000, ITEMS_LOOKED_AT_MAX = 10000 };

/* What an item of a listing takes in the reply besides its name. */
enum { ITEM_REPLY_BYTES = 96 };

static const char *const kind_names[NODE_KINDS] = {"file", "directory"};
static const char *const attribute_names[] = {"readonly", "hidden", "system", "archive", NULL};

/* --- Content --- */

static struct lock_range given_lock_range(const struct call *call) {
    if (!args_given(&call->args, SLOT_RANGE)) return (struct lock_range){0, UINT64_MAX};
    const struct argument *range = &call->args.slots[SLOT_RANGE];
    uint64_t offset = (uint64_t)range->number;
    return (struct lock_range){offset, range->length < 0 ? UINT64_MAX - offset : (uint64_t)range->length};
}

/* Reads data, so share modes and locks are checked. */
static enum outcome find_data(struct call *call, struct file_found *found) {
    struct file_access access = {
        .class = CLASS_READ,
        .checks_locks = true,
        .range = given_lock_range(call),
        .lease_id = call_lease_id(call),
    };
    return file_find_to_read(call, NODE_FILE, &access, found);
}

static struct bytes view_of_file(const void *content, uint64_t offset, uint64_t length) {
    return sparse_view(content, offset, length);
}

struct range_bytes file_range_bytes(const struct sparse_bytes *content, version etag) {
    return (struct range_bytes){
        .content = content, .view = view_of_file, .length = content->length, .etag = etag};
}

enum outcome file_get_decide(struct call *call) {
    struct file_found found;
    enum outcome outcome = find_data(call, &found);
    if (outcome != OUTCOME_DONE) return outcome;
    pages_prefetch_bytes(&found.view.content->pages);
    const struct range_bytes bytes = file_range_bytes(found.view.content, found.view.stamp.etag);
    return range_answer(call, &bytes);
}

/* --- Properties and metadata --- */

static enum outcome find_description(struct call *call, struct file_found *found) {
    struct file_access access = {.class = CLASS_ATTRIBUTES, .lease_id = call_lease_id(call)};
    return file_find_to_read(call, ANY_NODE, &access, found);
}

static void reply_attributes(struct reply *out, unsigned attributes) {
    reply_array(out, __builtin_popcount(attributes));
    for (int i = 0; attribute_names[i]; i++)
        if (attributes >> i & 1) reply_bytes(out, bytes_text(attribute_names[i]));
}

static void reply_file_fields(struct reply_map *map, const struct node_view *view) {
    reply_field_number(map, "content-length", (long long)view->content->length);
    if (!properties_find(view->properties, "content-type").length)
        reply_field_bytes(map, "content-type", bytes_text(PROPERTY_DEFAULT_TYPE));
    reply_fields(map, view->properties);
    reply_field(map, "attributes");
    reply_attributes(map->out, view->attributes);
}

enum outcome file_stat_decide(struct call *call) {
    struct file_found found;
    enum outcome outcome = find_description(call, &found);
    if (outcome != OUTCOME_DONE) return outcome;
    bool file = node_is_file(found.node);
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        reply_field_bytes(&map, "kind", bytes_text(kind_names[found.node->kind]));
        reply_field_version(&map, "etag", found.view.stamp.etag);
        reply_field_number(&map, "last-modified", found.view.stamp.modified_ms);
        reply_field_number(&map, "created", found.view.created_ms);
        if (file) reply_file_fields(&map, &found.view);
        if (file && !found.snapshot) lease_reply_fields(&map, file_lease_of(found.node), call_now_ms(call));
        reply_field(&map, "meta");
        reply_pairs(map.out, found.view.metadata);
    }
    return OUTCOME_DONE;
}

enum outcome file_getmeta_decide(struct call *call) {
    struct file_found found;
    enum outcome outcome = find_description(call, &found);
    if (outcome != OUTCOME_DONE) return outcome;
    reply_metadata(&call->out, found.view.stamp.etag, found.view.metadata);
    return OUTCOME_DONE;
}

/* --- Ranges --- */

/* The content of the path in the snapshot of SINCE; empty if it was no file then. */
static enum outcome find_previous_file(const struct call *call, unsigned now,
                                       const struct sparse_bytes **previous) {
    static const struct sparse_bytes nothing;
    unsigned since;
    if (file_find_snapshot(call, SLOT_SINCE, &since) != OUTCOME_DONE) return OUTCOME_PREVIOUS_SHARE_SNAPSHOT;
    if (now && since > now) return OUTCOME_PREVIOUS_NEWER;
    const struct file_node *node = tree_find_in_snapshot(call->value, call_word(call, ARG_PATH), since);
    *previous = node && node_is_file(node) ? node_view(node, since).content : &nothing;
    return OUTCOME_DONE;
}

enum outcome file_getranges_decide(struct call *call) {
    struct file_found found;
    struct page_range range;
    const struct sparse_bytes *previous = NULL;
    enum outcome outcome = find_data(call, &found);
    if (outcome == OUTCOME_DONE) outcome = range_read(call, found.view.content->length, &range);
    if (outcome == OUTCOME_DONE && args_given(&call->args, SLOT_SINCE))
        outcome = find_previous_file(call, found.snapshot, &previous);
    if (outcome != OUTCOME_DONE) return outcome;
    const struct range_pages pages = {.noun = "ranges",
                                      .pages = &found.view.content->pages,
                                      .previous = previous ? &previous->pages : NULL,
                                      .length = found.view.content->length,
                                      .etag = found.view.stamp.etag};
    return range_answer_pages(call, &pages, range);
}

/* --- Listing --- */

struct directory_page {
    struct tree_item items[ITEM_PAGE_MAX];
    size_t count;
    struct bytes next; /* empty at the end */
};

static struct bytes folded_word(const struct call *call, int slot, char *buffer) {
    struct bytes word = call_option(call, slot);
    if (word.length > NAME_FOLDED_MAX_BYTES) word.length = NAME_FOLDED_MAX_BYTES;
    return bytes_of(buffer, path_fold(buffer, word));
}

/* Pending and gone files are not shown. */
static bool node_is_shown(struct call *call, const struct file_found *directory,
                          const struct tree_item *item) {
    if (directory->snapshot || !item->node->usage) return true;
    return !file_fate(call, item->node).pending;
}

/* A name that has been given away and used again has several places; a snapshot shows one of them. */
static bool was_listed_last(const struct directory_page *listing, struct bytes name) {
    if (!listing->count) return false;
    return path_same(name, listing->items[listing->count - 1].name);
}

static bool take_bytes(struct page_bytes *taken, const struct tree_item *item) {
    return page_bytes_take(taken, ITEM_REPLY_BYTES + item->name.length);
}

static void collect_items(struct call *call, const struct file_found *directory,
                          struct directory_page *listing) {
    char marker_room[NAME_FOLD_BUFFER], prefix_room[NAME_FOLD_BUFFER];
    struct bytes marker = folded_word(call, SLOT_MARKER, marker_room);
    struct bytes prefix = folded_word(call, SLOT_PREFIX, prefix_room);
    struct bytes from = bytes_compare(marker, prefix) > 0 ? marker : prefix;
    if (from.length > NAME_FOLDED_MAX_BYTES) from.length = NAME_FOLDED_MAX_BYTES;
    struct tree_walk walk = tree_walk(call->value, directory->node->directory, directory->snapshot, from);
    size_t max = reply_page_max(call, SLOT_PAGE_SIZE, ITEM_PAGE_DEFAULT, ITEM_PAGE_MAX);
    struct page_bytes taken = {0};
    struct tree_item item;
    enum tree_step step;
    for (int left = ITEMS_LOOKED_AT_MAX; (step = tree_next(&walk, &item)) != TREE_END; left--) {
        if (!path_starts_with(item.name, prefix)) return;
        bool shown = step == TREE_ITEM && node_is_shown(call, directory, &item);
        bool full = left <= 0 || (shown && (listing->count == max || !take_bytes(&taken, &item)));
        if (full && !was_listed_last(listing, item.name)) {
            listing->next = item.name;
            return;
        }
        if (shown) listing->items[listing->count++] = item;
    }
}

static void reply_listed_file(struct reply *out, const struct tree_item *item, unsigned snapshot) {
    struct reply_map map = reply_map_counted(out);
    while (reply_map_pass(&map)) {
        reply_field_bytes(&map, "name", item->name);
        reply_field_bytes(&map, "kind", bytes_text(kind_names[item->node->kind]));
        if (node_is_file(item->node))
            reply_field_number(&map, "content-length",
                               (long long)node_view(item->node, snapshot).content->length);
    }
}

enum outcome file_list_decide(struct call *call) {
    struct file_access access = {.class = CLASS_ATTRIBUTES};
    struct file_found directory;
    struct directory_page listing;
    listing.count = 0;
    listing.next = bytes_of("", 0);
    enum outcome outcome = file_find_to_read(call, NODE_DIRECTORY, &access, &directory);
    if (outcome != OUTCOME_DONE) return outcome;
    collect_items(call, &directory, &listing);
    reply_page_begin(&call->out, listing.next, listing.count);
    for (size_t i = 0; i < listing.count; i++)
        reply_listed_file(&call->out, &listing.items[i], directory.snapshot);
    return OUTCOME_DONE;
}
