#include "blob/container.h"

#include "blob/blocks.h"
#include "blob/load_chunks.h"
#include "blob/snapshots.h"
#include "core/census.h"
#include "core/feed.h"
#include "core/garbage.h"
#include "core/memory.h"
#include "core/number.h"

#include "ccan/container_of/container_of.h"

/* --- Counts --- */

static struct census all_containers, all_blobs, all_snapshots, all_leases, all_content_bytes;

struct container_census container_census(void) {
    return (struct container_census){census_sum(&all_containers), census_sum(&all_blobs),
                                     census_sum(&all_snapshots), census_sum(&all_leases),
                                     census_sum(&all_content_bytes)};
}

void container_count_snapshots(size_t before, size_t after) {
    census_count(&all_snapshots, before, after);
}

void container_count_blobs(struct container *container, size_t blobs, uint64_t bytes) {
    container->committed += blobs;
    census_count(&all_blobs, 0, blobs);
    container->content_bytes += bytes;
    census_count(&all_content_bytes, 0, bytes);
}

void container_count_content(struct container *container, const struct blob *blob, uint64_t bytes_before,
                             bool existed_before) {
    container_count_blobs(container, (size_t)blob_exists(blob) - (size_t)existed_before,
                          blob_content_bytes(blob) - bytes_before);
}

/* --- The container itself --- */

struct container *container_new(const struct container_change *change) {
    struct container *container = memory_zeroed(sizeof(*container));
    account_add(&container->account, container);
    container->stamp = change->stamp;
    container->created_ms = change->created_ms;
    container->access = change->access;
    container->head.upkeep_ms = INT64_MAX;
    container->copies_seen = bytes_of("", 0);
    packed_replace(&container->account, &container->metadata, change->metadata);
    packed_replace(&container->account, &container->policies, change->policies);
    census_count(&all_containers, 0, 1);
    return container;
}

struct blob *container_find(const struct container *container, struct bytes name) {
    struct catalog_search search = container_prefetch(container, name);
    return container_found(container, &search);
}

struct blob *container_found(const struct container *container, const struct catalog_search *search) {
    struct entry *entry = catalog_found(&container->blobs, search);
    return entry ? blob_of_entry(entry) : NULL;
}

size_t container_memory(const struct container *container) {
    return container->account.memory + catalog_memory(&container->blobs) + container->leased.memory +
           container->copying.memory + container->stagings.capacity * sizeof(*container->stagings.heap) +
           once_log_memory(container->head.once_log) + feed_memory(container->feed);
}

size_t container_allocations(const struct container *container) {
    return container->account.allocations + once_log_allocations(container->head.once_log);
}

const struct lease *container_lease(const struct container *container) {
    return lease_or_none(container->lease);
}

/* --- Leases --- */

static void replace_lease(struct container *container, struct lease **place, const struct lease *lease) {
    bool before = lease_is_set(*place), after = lease_is_set(lease);
    lease_replace(&container->account, place, lease);
    census_count(&all_leases, before, after);
}

static void list_blob(struct order_index *index, struct blob *blob, bool before, bool after) {
    if (after && !before) order_index_add(index, &blob->entry);
    if (before && !after) order_index_remove(index, &blob->entry);
}

void container_set_lease(struct container *container, struct blob *blob, const struct lease *lease) {
    if (!blob) {
        replace_lease(container, &container->lease, lease);
        return;
    }
    if (!blob->extra && !lease) return;
    struct blob_extra *extra = blob_need_extra(&container->account, blob);
    bool before = lease_is_set(extra->lease);
    replace_lease(container, &extra->lease, lease);
    list_blob(&container->leased, blob, before, lease_is_set(lease));
    blob_trim(&container->account, blob);
}

void container_free_lease(struct container *container, struct blob *blob) {
    if (!lease_is_set(blob_lease(blob))) return;
    struct lease freed = lease_freed(blob_lease(blob));
    container_set_lease(container, blob, &freed);
}

/* --- Copies --- */

void container_set_copy(struct container *container, struct blob *blob, const struct copy *copy) {
    bool before = blob_is_being_copied(blob);
    blob_set_copy(&container->account, blob, copy);
    list_blob(&container->copying, blob, before, blob_is_being_copied(blob));
}

struct blob *container_next_copying(struct container *container) {
    struct order_cursor cursor = order_index_seek_after(&container->copying, container->copies_seen);
    struct entry *entry = order_cursor_entry(&cursor);
    struct blob *blob = entry ? blob_of_entry(entry) : NULL;
    account_keep(&container->account, &container->copies_seen, blob ? blob_name(blob) : bytes_of("", 0));
    return blob;
}

/* --- Staged blocks --- */

void container_stage(struct container *container, struct blob *blob, const struct container_change *change,
                     struct chunk *chunk) {
    struct blob_special *special = blob_need_special(&container->account, blob);
    if (!special->staging) special->staging = staging_new(&container->account, blob, change->block_id.length);
    staging_add(&container->account, special->staging, change->block_id, chunk);
    special->staging->touched_ms = change->touched_ms;
    deadlines_set(&container->stagings, &special->staging->deadline, staging_due_ms(change->touched_ms));
}

void container_unstage(struct container *container, struct blob *blob, uint64_t max) {
    struct blob_special *special = blob->extra ? blob->extra->special : NULL;
    struct staging *staging = special ? special->staging : NULL;
    if (!staging) return;
    if (max < staging->count) {
        staging_drop(&container->account, staging, max);
        return;
    }
    deadlines_unset(&container->stagings, &staging->deadline);
    staging_free(&container->account, staging);
    special->staging = NULL;
    blob_trim(&container->account, blob);
}

bool container_is_loading(const struct container *container) {
    return container->load_chunks || feed_is_loading(container->feed);
}

void container_end_load(struct container *container) {
    load_chunks_drop(&container->account, &container->load_chunks);
    feed_loaded(container->feed);
}

bool container_fits_feed(const struct container *container) {
    return !container->feed || !feed_has_newer(container->feed);
}

void container_tell_again(void *value) {
    feed_tell_again(((struct container *)value)->feed);
}

/* A feed that is being built needs upkeep at once. */
int64_t container_due_ms(const void *value) {
    const struct container *container = value;
    if (feed_needs_upkeep(container->feed)) return 0;
    const struct deadline *first = deadlines_first(&container->stagings);
    int64_t due_ms = first ? first->due_ms : INT64_MAX;
    return !order_index_empty(&container->copying) ? number_min(container->copies_look_ms, due_ms) : due_ms;
}

bool container_overdue(const struct container *container, int64_t now_ms, struct bytes *name) {
    const struct deadline *first = deadlines_first(&container->stagings);
    if (!first || first->due_ms > now_ms) return false;
    *name = blob_name(container_of(first, struct staging, deadline)->blob);
    return true;
}

/* --- Blobs --- */

struct blob *container_add(struct container *container, struct bytes name, enum blob_kind kind,
                           size_t content_bytes) {
    struct blob *blob = blob_new(&container->account, name, kind, content_bytes);
    catalog_add(&container->blobs, &blob->entry);
    return blob;
}

static void free_blob(struct container *container, struct blob *blob) {
    if (!entry_let_go(&blob->entry)) return;
    container_count_snapshots(snapshots_count(blob), 0);
    container_unstage(container, blob, UINT64_MAX);
    blob_free(&container->account, blob);
}

void container_remove(struct container *container, struct blob *blob) {
    container_set_lease(container, blob, NULL);
    if (blob_special(blob)->copy) container_set_copy(container, blob, NULL);
    catalog_remove(&container->blobs, &blob->entry);
    free_blob(container, blob);
}

void container_free(struct container *container) {
    struct order_cursor cursor = catalog_seek(&container->blobs, bytes_of("", 0));
    garbage_end(&container->account);
    feed_free(&container->account, container->feed);
    container->feed = NULL;
    load_chunks_drop(&container->account, &container->load_chunks);
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) {
        struct blob *blob = blob_of_entry(entry);
        container_count_content(container, NULL, blob_content_bytes(blob), blob_exists(blob));
        if (blob->extra) replace_lease(container, &blob->extra->lease, NULL);
        free_blob(container, blob);
    }
    catalog_end(&container->blobs);
    once_log_end(&container->head.once_log);
    order_index_end(&container->leased);
    order_index_end(&container->copying);
    account_keep(&container->account, &container->copies_seen, bytes_of("", 0));
    replace_lease(container, &container->lease, NULL);
    memory_free(container->metadata);
    memory_free(container->policies);
    memory_free(container);
    census_count(&all_containers, 1, 0);
}

static void blob_slots(const struct container *container, const struct blob *blob,
                       struct entry_slots *slots) {
    slots->count = 0;
    feed_slots(container->feed, &blob->entry, slots);
    catalog_slots(&container->blobs, &blob->entry, slots);
    if (lease_is_set(blob_lease(blob))) order_index_slots(&container->leased, &blob->entry, slots);
    if (blob_is_being_copied(blob)) order_index_slots(&container->copying, &blob->entry, slots);
}

static void blob_slots_set(const struct entry_slots *slots, struct blob *blob) {
    entry_slots_set(slots, &blob->entry);
    struct staging *staging = blob_special(blob)->staging;
    if (staging) staging->blob = blob;
}

struct blob *container_replace_common(struct container *container, struct blob *blob) {
    struct entry_slots slots;
    blob_slots(container, blob, &slots);
    struct blob *own = blob_twin(&container->account, blob);
    blob_slots_set(&slots, own);
    entry_drop(&container->account, &blob->entry);
    return own;
}

struct blob *container_fit(struct container *container, struct blob *blob, size_t content_bytes) {
    if (blob_fits(blob, content_bytes)) return blob;
    struct entry_slots slots;
    blob_slots(container, blob, &slots);
    blob = account_resize(&container->account, blob, blob_bytes(blob->entry.name_length, content_bytes));
    blob_note_capacity(blob);
    blob_slots_set(&slots, blob);
    return blob;
}

/* --- Moving --- */

struct container *container_relocate(struct container *container, const struct relocation *relocation) {
    container = relocate(relocation, container);
    garbage_follow(&container->account);
    container->metadata = relocate(relocation, container->metadata);
    container->policies = relocate(relocation, container->policies);
    container->lease = relocate(relocation, container->lease);
    if (container->copies_seen.length)
        container->copies_seen.data = relocate(relocation, (char *)container->copies_seen.data);
    once_log_relocate(&container->head.once_log, relocation);
    if (container->lease) lease_moved(container->lease);
    return container;
}

size_t container_places(const struct container *container) {
    return size_max(container->blobs.by_hash.buckets, feed_places(container->feed));
}

static void move_blob(void *owner, struct entry *entry, const struct relocation *relocation) {
    const struct container *container = owner;
    struct entry_slots slots;
    if (entry_is_common(entry)) return;
    blob_slots(container, blob_of_entry(entry), &slots);
    struct blob *blob = relocate(relocation, blob_of_entry(entry));
    blob_slots_set(&slots, blob);
    blob_relocate_parts(blob, relocation);
}

void container_relocate_place(struct container *container, size_t place,
                              const struct relocation *relocation) {
    feed_relocate(container->feed, place, relocation);
    hash_index_move(&container->blobs.by_hash, place, relocation, move_blob, container);
}
