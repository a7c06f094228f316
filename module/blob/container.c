#include "blob/container.h"

#include "core/memory.h"

#include <stdatomic.h>

/* A blob whose room is larger than its content needs keeps it, up to this much. */
enum { SPARE_ROOM_MAX = 128 };

static atomic_size_t all_containers, all_blobs, all_leases;
static _Atomic uint64_t all_content_bytes;

struct container_census container_census(void) {
    return (struct container_census){all_containers, all_blobs, all_leases, all_content_bytes};
}

static const struct lease no_lease;

/* Each allocation that belongs to the container is counted by one of these two. */
static void *counted(struct container *container, void *memory) {
    container->held += memory_size(memory);
    container->parts++;
    return memory;
}

static void discard(struct container *container, void *memory) {
    if (!memory) return;
    container->held -= memory_size(memory);
    container->parts--;
    memory_free(memory);
}

/* The new list may be a view of the old one. */
static void replace_list(struct container *container, struct packed **place, struct packed_list list) {
    struct packed *packed = packed_new(list);
    discard(container, *place);
    *place = packed ? counted(container, packed) : NULL;
}

static void add_content_bytes(struct container *container, uint64_t more, uint64_t less) {
    if (more == less) return;
    container->content_bytes += more - less;
    atomic_fetch_add_explicit(&all_content_bytes, more - less, memory_order_relaxed);
}

struct container *container_new(const struct change *change) {
    struct container *container = memory_zeroed(sizeof(*container));
    counted(container, container);
    catalog_start(&container->blobs);
    container->stamp = change->stamp;
    container->created_ms = change->created_ms;
    container->access = change->access;
    replace_list(container, &container->metadata, change->metadata);
    replace_list(container, &container->policies, change->policies);
    version_observe(change->stamp.etag);
    atomic_fetch_add_explicit(&all_containers, 1, memory_order_relaxed);
    return container;
}

struct blob *container_find(const struct container *container, struct bytes name) {
    struct catalog_search search = container_expect(container, name);
    return container_found(container, &search);
}

struct blob *container_found(const struct container *container, const struct catalog_search *search) {
    struct entry *entry = catalog_found(&container->blobs, search);
    return entry ? blob_of_entry(entry) : NULL;
}

size_t container_held(const struct container *container) {
    return container->held + catalog_held(&container->blobs) +
           (container->leased.root ? container->leased.held : 0);
}

static bool is_inline(const struct content *content) {
    return !content->chunk && !content->rope;
}

static char *inline_content(struct blob *blob) {
    return blob->room + blob->entry.name_length;
}

struct bytes blob_view(const struct blob *blob, uint64_t offset, uint64_t length) {
    if (!is_inline(&blob->content)) return content_view(&blob->content, offset, length);
    if (offset >= blob->content.length) return bytes_of("", 0);
    uint64_t left = blob->content.length - offset;
    return bytes_of(blob->room + blob->entry.name_length + offset, (size_t)(left < length ? left : length));
}

void blob_read(const struct blob *blob, uint64_t offset, char *to, size_t length) {
    while (length) {
        struct bytes piece = blob_view(blob, offset, length);
        memcpy(to, piece.data, piece.length);
        to += piece.length;
        offset += piece.length;
        length -= piece.length;
    }
}

struct packed_list blob_properties(const struct blob *blob) {
    return packed_view(blob->extra ? blob->extra->properties : NULL);
}

struct packed_list blob_metadata(const struct blob *blob) {
    return packed_view(blob->extra ? blob->extra->metadata : NULL);
}

const struct lease *blob_lease(const struct blob *blob) {
    return blob->extra && blob->extra->lease ? blob->extra->lease : &no_lease;
}

const struct lease *container_lease(const struct container *container) {
    return container->lease ? container->lease : &no_lease;
}

/* What the blob's allocation has beyond its head and name is room for a small content. */
static void note_capacity(struct blob *blob) {
    size_t capacity = memory_size(blob) - sizeof(*blob) - blob->entry.name_length;
    blob->capacity = capacity > UINT16_MAX ? UINT16_MAX : (uint16_t)capacity;
}

static struct blob *blob_new(struct container *container, struct bytes name, size_t room) {
    struct blob *blob = memory_alloc(sizeof(*blob) + name.length + room);
    memset(blob, 0, sizeof(*blob));
    blob->entry.name_length = (uint16_t)name.length;
    blob->entry.name_at = offsetof(struct blob, room);
    memcpy(blob->room, name.data, name.length);
    note_capacity(blob);
    return counted(container, blob);
}

static void drop_content(struct container *container, struct blob *blob) {
    if (!is_inline(&blob->content)) {
        container->held -= content_held(&blob->content);
        container->parts -= content_parts(&blob->content);
    }
    content_clear(&blob->content);
}

static void count_content(struct container *container, const struct blob *blob) {
    container->held += content_held(&blob->content);
    container->parts += content_parts(&blob->content);
}

static void drop_empty_extra(struct container *container, struct blob *blob) {
    struct blob_extra *extra = blob->extra;
    if (!extra || extra->properties || extra->metadata || extra->lease) return;
    discard(container, extra);
    blob->extra = NULL;
}

static struct blob_extra *need_extra(struct container *container, struct blob *blob) {
    if (!blob->extra) blob->extra = counted(container, memory_zeroed(sizeof(*blob->extra)));
    return blob->extra;
}

/* NULL leaves a list as it is. */
static void set_lists(struct container *container, struct blob *blob, const struct packed_list *properties,
                      const struct packed_list *metadata) {
    bool any = (properties && properties->count) || (metadata && metadata->count);
    if (!any && !blob->extra) return;
    struct blob_extra *extra = need_extra(container, blob);
    if (properties) replace_list(container, &extra->properties, *properties);
    if (metadata) replace_list(container, &extra->metadata, *metadata);
    drop_empty_extra(container, blob);
}

/* --- Leases --- */

static bool stands(const struct lease *lease) {
    return lease && lease->kind != LEASE_FREE;
}

/* The lease at a place becomes another one; a NULL, or one without a token, is none at all. */
static void replace_lease(struct container *container, struct lease **place, const struct lease *lease) {
    bool before = stands(*place), after = stands(lease);
    struct lease *standing = lease && lease->token ? counted(container, lease_new(lease)) : NULL;
    discard(container, *place);
    *place = standing;
    if (after && !before) atomic_fetch_add_explicit(&all_leases, 1, memory_order_relaxed);
    if (before && !after) atomic_fetch_sub_explicit(&all_leases, 1, memory_order_relaxed);
}

static void list_leased(struct container *container, struct blob *blob, bool before, bool after) {
    if (before == after) return;
    if (!container->leased.root) order_index_start(&container->leased);
    if (after) {
        order_index_add(&container->leased, &blob->entry);
        return;
    }
    order_index_remove(&container->leased, &blob->entry);
    if (!order_index_empty(&container->leased)) return;
    order_index_end(&container->leased);
    container->leased.root = NULL;
}

static void set_lease(struct container *container, struct blob *blob, const struct lease *lease) {
    if (!blob->extra && !lease) return;
    struct blob_extra *extra = need_extra(container, blob);
    bool before = stands(extra->lease);
    replace_lease(container, &extra->lease, lease);
    list_leased(container, blob, before, stands(lease));
    drop_empty_extra(container, blob);
}

/* A write ends what is left of a lease that has ended; its last id stays. */
static void free_lease(struct container *container, struct blob *blob) {
    if (!stands(blob_lease(blob))) return;
    struct lease freed = lease_freed(blob_lease(blob));
    set_lease(container, blob, &freed);
}

/* --- Blobs --- */

static void blob_free(struct container *container, struct blob *blob) {
    add_content_bytes(container, 0, blob->content.length);
    drop_content(container, blob);
    if (blob->extra) {
        static const struct packed_list nothing = {0, {"", 0}};
        replace_lease(container, &blob->extra->lease, NULL);
        set_lists(container, blob, &nothing, &nothing);
    }
    discard(container, blob);
    atomic_fetch_sub_explicit(&all_blobs, 1, memory_order_relaxed);
}

void container_free(struct container *container) {
    struct order_cursor cursor = catalog_seek(&container->blobs, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_entry(&cursor));) {
        order_cursor_next(&cursor);
        blob_free(container, blob_of_entry(entry));
    }
    catalog_end(&container->blobs);
    if (container->leased.root) order_index_end(&container->leased);
    replace_lease(container, &container->lease, NULL);
    memory_free(container->metadata);
    memory_free(container->policies);
    memory_free(container);
    atomic_fetch_sub_explicit(&all_containers, 1, memory_order_relaxed);
}

/* All of the container's pointers to one blob. */
struct blob_slots {
    struct catalog_slots named;
    unsigned leased_count;
    void **leased[ORDER_INDEX_MAX_HEIGHT];
};

static struct blob_slots slots_of(const struct container *container, const struct blob *blob) {
    struct blob_slots slots = {.leased_count = 0};
    catalog_slots(&container->blobs, &blob->entry, &slots.named);
    if (stands(blob_lease(blob)))
        slots.leased_count = order_index_slots(&container->leased, &blob->entry, slots.leased);
    return slots;
}

static void slots_set(const struct blob_slots *slots, struct blob *blob) {
    catalog_slots_set(&slots->named, &blob->entry);
    for (unsigned i = 0; i < slots->leased_count; i++) *slots->leased[i] = &blob->entry;
}

/* A blob that is there gets an allocation of another size. */
static struct blob *blob_resize(struct container *container, struct blob *blob, size_t room) {
    struct blob_slots slots = slots_of(container, blob);
    container->held -= memory_size(blob);
    blob = memory_resize(blob, sizeof(*blob) + blob->entry.name_length + room);
    container->held += memory_size(blob);
    note_capacity(blob);
    slots_set(&slots, blob);
    return blob;
}

static bool room_fits(const struct blob *blob, size_t room) {
    return room <= blob->capacity && blob->capacity <= room + room / 2 + SPARE_ROOM_MAX;
}

static void put_content(struct container *container, struct blob *blob, struct bytes content,
                        struct chunk *chunk) {
    add_content_bytes(container, content.length, blob->content.length);
    if (!is_inline(&blob->content)) drop_content(container, blob);
    blob->content.length = 0;
    if (chunk) {
        content_append(&blob->content, chunk);
        count_content(container, blob);
        return;
    }
    if (content.length) memcpy(inline_content(blob), content.data, content.length);
    blob->content.length = content.length;
}

/* A blob without content becomes one that shares the bytes of another. */
static void share_content(struct container *container, struct blob *blob, const struct content *source) {
    content_share(&blob->content, source);
    count_content(container, blob);
    add_content_bytes(container, source->length, 0);
}

static void apply_put(struct container *container, struct blob *blob, const struct change *change) {
    size_t room = change->chunk ? 0 : change->content.length;
    bool fresh = !blob;
    if (fresh) {
        blob = blob_new(container, change->name, room);
        atomic_fetch_add_explicit(&all_blobs, 1, memory_order_relaxed);
        catalog_add(&container->blobs, &blob->entry);
    } else if (!room_fits(blob, room)) {
        blob = blob_resize(container, blob, room);
    }
    blob->stamp = change->stamp;
    blob->created_ms = change->created_ms;
    put_content(container, blob, change->content, change->chunk);
    set_lists(container, blob, &change->properties, &change->metadata);
    if (change->frees_lease) free_lease(container, blob);
}

/* A content that stands in the blob becomes a chunk, so that more can follow: the first piece of a content
 * may be small, however large the content is. */
static bool lift_content(struct container *container, struct blob *blob) {
    if (!is_inline(&blob->content) || !blob->content.length) return true;
    struct chunk *chunk = chunk_copy(blob_view(blob, 0, UINT64_MAX));
    if (!chunk) return false;
    blob->content.length = 0;
    content_append(&blob->content, chunk);
    count_content(container, blob);
    return true;
}

static bool apply_extend(struct container *container, struct blob *blob, const struct change *change) {
    struct chunk *chunk = change->chunk ? change->chunk : chunk_copy(change->content);
    if (!chunk || !lift_content(container, blob)) {
        if (chunk) chunk_release(chunk);
        return false;
    }
    container->held -= content_held(&blob->content);
    container->parts -= content_parts(&blob->content);
    content_append(&blob->content, chunk);
    count_content(container, blob);
    add_content_bytes(container, change->content.length, 0);
    return true;
}

static bool apply_to_blob(struct container *container, struct blob *blob, const struct change *change) {
    switch (change->kind) {
    case CHANGE_EXTEND: return apply_extend(container, blob, change);
    case CHANGE_SETBLOBPROPS:
        blob->stamp = change->stamp;
        set_lists(container, blob, &change->properties, NULL);
        if (change->frees_lease) free_lease(container, blob);
        return true;
    case CHANGE_SETBLOBMETA:
        blob->stamp = change->stamp;
        set_lists(container, blob, NULL, &change->metadata);
        if (change->frees_lease) free_lease(container, blob);
        return true;
    case CHANGE_BLOBLEASE: set_lease(container, blob, &change->lease); return true;
    case CHANGE_DELETE:
        set_lease(container, blob, NULL);
        catalog_remove(&container->blobs, &blob->entry);
        blob_free(container, blob);
        return true;
    default: return false;
    }
}

bool container_apply(struct container *container, struct blob *blob, const struct change *change) {
    version_observe(change->stamp.etag);
    version_observe(change->lease.token);
    switch (change->kind) {
    case CHANGE_LEASE: replace_lease(container, &container->lease, &change->lease); return true;
    case CHANGE_PUT: apply_put(container, blob, change); return true;
    case CHANGE_SETMETA:
        container->stamp = change->stamp;
        replace_list(container, &container->metadata, change->metadata);
        return true;
    case CHANGE_SETACL:
        container->stamp = change->stamp;
        container->access = change->access;
        replace_list(container, &container->policies, change->policies);
        return true;
    default:
        if (blob) return apply_to_blob(container, blob, change);
        if (change->chunk) chunk_release(change->chunk);
        return false;
    }
}

struct change container_as_change(const struct container *container) {
    return (struct change){
        .kind = CHANGE_CREATE,
        .access = container->access,
        .stamp = container->stamp,
        .created_ms = container->created_ms,
        .metadata = packed_view(container->metadata),
        .policies = packed_view(container->policies),
    };
}

struct change blob_as_change(const struct blob *blob, uint64_t most) {
    return (struct change){
        .kind = CHANGE_PUT,
        .name = blob_name(blob),
        .stamp = blob->stamp,
        .created_ms = blob->created_ms,
        .properties = blob_properties(blob),
        .metadata = blob_metadata(blob),
        .content = blob_view(blob, 0, most),
    };
}

struct container *container_copy(const struct container *source) {
    struct change change = container_as_change(source);
    struct container *container = container_new(&change);
    struct order_cursor cursor = catalog_seek(&source->blobs, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor)) {
        const struct blob *blob = blob_of_entry(entry);
        change = blob_as_change(blob, UINT64_MAX);
        bool shared = !is_inline(&blob->content);
        if (shared) change.content = bytes_of("", 0);
        apply_put(container, NULL, &change);
        if (shared) share_content(container, container_find(container, blob_name(blob)), &blob->content);
    }
    return container;
}

static struct lease *move_lease(const struct relocation *relocation, struct lease *lease) {
    lease = relocate(relocation, lease);
    if (lease) lease_moved(lease);
    return lease;
}

struct container *container_relocate(struct container *container, const struct relocation *relocation) {
    container = relocate(relocation, container);
    container->metadata = relocate(relocation, container->metadata);
    container->policies = relocate(relocation, container->policies);
    container->lease = move_lease(relocation, container->lease);
    return container;
}

struct moving {
    struct container *container;
    const struct relocation *relocation;
};

static void move_blob(void *context, struct entry *entry) {
    const struct moving *moving = context;
    struct blob_slots slots = slots_of(moving->container, blob_of_entry(entry));
    struct blob *blob = relocate(moving->relocation, blob_of_entry(entry));
    slots_set(&slots, blob);
    content_relocate(&blob->content, moving->relocation);
    if (!blob->extra) return;
    blob->extra = relocate(moving->relocation, blob->extra);
    blob->extra->properties = relocate(moving->relocation, blob->extra->properties);
    blob->extra->metadata = relocate(moving->relocation, blob->extra->metadata);
    blob->extra->lease = move_lease(moving->relocation, blob->extra->lease);
}

void container_relocate_blobs(struct container *container, size_t place,
                              const struct relocation *relocation) {
    struct moving moving = {container, relocation};
    hash_index_relocate(&container->blobs.by_hash, place, relocation);
    hash_index_visit(&container->blobs.by_hash, place, move_blob, &moving);
}
