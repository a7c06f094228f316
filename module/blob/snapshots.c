#include "blob/snapshots.h"

#include "core/garbage.h"
#include "core/memory.h"

enum { FIRST_CAPACITY = 2, FREED_AT_ONCE_MAX = 512 };

static size_t snapshots_size_for(size_t capacity) {
    return sizeof(struct snapshots) + capacity * sizeof(struct snapshot);
}

size_t snapshots_count(const struct blob *base) {
    const struct snapshots *snapshots = blob_special(base)->snapshots;
    return snapshots ? snapshots->count : 0;
}

size_t snapshots_seek(const struct snapshots *snapshots, version id) {
    return version_place(snapshots->taken, snapshots->count, sizeof(struct snapshot), id);
}

struct blob *snapshots_find(const struct blob *base, version id) {
    const struct snapshots *snapshots = blob_special(base)->snapshots;
    if (!snapshots) return NULL;
    size_t place = snapshots_seek(snapshots, id);
    bool there = place < snapshots->count && snapshots->taken[place].id == id;
    return there ? snapshots->taken[place].blob : NULL;
}

static struct snapshot *snapshot_new(struct account *account, struct blob *base) {
    struct blob_special *special = blob_need_special(account, base);
    if (!special->snapshots) {
        special->snapshots = account_add(account, memory_alloc(snapshots_size_for(FIRST_CAPACITY)));
        special->snapshots->count = 0;
        special->snapshots->capacity = FIRST_CAPACITY;
    } else if (special->snapshots->count == special->snapshots->capacity) {
        size_t capacity = special->snapshots->capacity * 2;
        special->snapshots = account_resize(account, special->snapshots, snapshots_size_for(capacity));
        special->snapshots->capacity = capacity;
    }
    return &special->snapshots->taken[special->snapshots->count++];
}

bool snapshots_take(struct account *account, struct blob *base, const struct container_change *change) {
    const struct snapshots *others = blob_special(base)->snapshots;
    if (!change->snapshot || !blob_exists(base)) return false;
    if (others && others->taken[others->count - 1].id >= change->snapshot) return false;
    size_t content_bytes = blob_is_inline(base) ? (size_t)blob_length(base) : 0;
    struct blob *blob = blob_new(account, bytes_of("", 0), base->kind, content_bytes);
    struct packed_list properties = blob_properties(base), metadata = blob_metadata(base);
    blob_take(account, blob, base, false);
    blob->stamp = change->stamp;
    blob->created_ms = base->created_ms;
    blob_set_lists(account, blob, &properties, change->parts & PART_METADATA ? &change->metadata : &metadata);
    if (blob_special(base)->copy) blob_set_copy(account, blob, blob_special(base)->copy);
    *snapshot_new(account, base) = (struct snapshot){change->snapshot, blob};
    return true;
}

/* A snapshot costs one besides its content, which is freed first: blob_free must leave no garbage here. */
static bool free_taken(struct account *account, struct garbage_part *part, size_t *effort) {
    struct snapshots *snapshots = part->root;
    for (; snapshots->count; snapshots->count--) {
        struct blob *last = snapshots->taken[snapshots->count - 1].blob;
        if (!*effort) return false;
        --*effort;
        if (!blob_free_content(account, last, effort)) return false;
        blob_free(account, last);
    }
    account_discard(account, snapshots);
    return true;
}

void snapshots_free(struct account *account, struct snapshots *snapshots) {
    garbage_free(account, (struct garbage_part){.free = free_taken, .root = snapshots}, FREED_AT_ONCE_MAX);
}

static void drop_all(struct account *account, struct blob *base) {
    snapshots_free(account, base->extra->special->snapshots);
    base->extra->special->snapshots = NULL;
    blob_trim(account, base);
}

bool snapshots_drop(struct account *account, struct blob *base, version id) {
    struct blob *blob = snapshots_find(base, id);
    struct snapshots *snapshots = blob_special(base)->snapshots;
    if (!snapshots || (id && !blob)) return false;
    if (!id || snapshots->count == 1) {
        drop_all(account, base);
        return true;
    }
    struct snapshot *place = &snapshots->taken[snapshots_seek(snapshots, id)];
    blob_free(account, blob);
    snapshots->count--;
    memmove(place, place + 1, (size_t)(&snapshots->taken[snapshots->count] - place) * sizeof(*place));
    return true;
}

struct snapshots *snapshots_relocate(struct snapshots *snapshots, const struct relocation *relocation) {
    snapshots = relocate(relocation, snapshots);
    for (size_t i = 0; i < snapshots->count; i++) {
        struct blob *blob = relocate(relocation, snapshots->taken[i].blob);
        snapshots->taken[i].blob = blob;
        blob_relocate_parts(blob, relocation);
    }
    return snapshots;
}
