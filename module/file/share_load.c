#include "file/share_load.h"

#include "core/memory.h"
#include "core/number.h"
#include "core/pointer_map.h"
#include "file/tree.h"

enum { FIRST_CAPACITY = 64 };

/* The snapshots in which a node has a place, one bit for each. */
struct times {
    uint64_t bits[SHARE_SNAPSHOTS_MAX / 64 + 1];
};

struct share_loader {
    struct file_node **nodes; /* by number */
    size_t count, capacity;
    struct file_node *current; /* its states come next; NULL: a node comes next */
    struct pointer_map timed;  /* from nodes with several places to indexes in `times`, from 1 */
    struct times *times;
    size_t times_count, times_capacity;
};

bool share_load_is(enum share_change_kind kind) {
    return kind >= LOAD_NODE && kind <= LOAD_END;
}

static void add_loaded(struct share_loader *loader, struct file_node *node) {
    if (loader->count == loader->capacity) {
        loader->capacity = loader->capacity ? loader->capacity * 2 : FIRST_CAPACITY;
        loader->nodes = memory_resize(loader->nodes, loader->capacity * sizeof(*loader->nodes));
    }
    loader->nodes[loader->count++] = node;
    loader->current = node;
}

static struct times *times_of(struct share_loader *loader, const struct file_node *node) {
    uintptr_t *place = pointer_map_at(&loader->timed, node);
    if (*place) return &loader->times[*place - 1];
    if (loader->times_count == loader->times_capacity) {
        loader->times_capacity = loader->times_capacity ? loader->times_capacity * 2 : FIRST_CAPACITY;
        loader->times = memory_resize(loader->times, loader->times_capacity * sizeof(*loader->times));
    }
    loader->times[loader->times_count++] = (struct times){{0}};
    *place = loader->times_count;
    return &loader->times[*place - 1];
}

/* Remembers that the node has a place in the snapshots after `born`, up to `last`. False if it has another one there:
 * then a directory could be below itself. */
static bool take_times(struct share_loader *loader, const struct file_node *node, unsigned born,
                       unsigned last) {
    struct times *times = times_of(loader, node);
    bool free = true;
    for (unsigned i = born + 1; i <= last; i++) free = free && !(times->bits[i / 64] >> i % 64 & 1);
    for (unsigned i = born + 1; free && i <= last; i++) times->bits[i / 64] |= UINT64_C(1) << i % 64;
    return free;
}

/* A load can only begin in a new share. */
static struct share_loader *loader_of(struct share *share) {
    if (!share->load && share->ids == 1) {
        share->load = memory_zeroed(sizeof(struct share_loader));
        add_loaded(share->load, share->root);
    }
    return share->load;
}

const struct file_node *share_load_current(const struct share *share) {
    return share->load ? share->load->current : NULL;
}

void share_load_end(struct share *share) {
    struct share_loader *loader = share->load;
    if (!loader) return;
    memory_free(loader->nodes);
    memory_free(loader->times);
    pointer_map_end(&loader->timed);
    memory_free(loader);
    share->load = NULL;
}

static struct directory *directory_at(const struct share_loader *loader, uint64_t number) {
    if (number >= loader->count || node_is_file(loader->nodes[number])) return NULL;
    return loader->nodes[number]->directory;
}

static bool is_live(const struct share *share, const struct file_node *node) {
    return node == share->root || node->parent;
}

static bool snapshot_place_fits(const struct share *share, const struct directory *parent,
                                const struct share_change *change) {
    if (change->born >= change->last || change->last > share->snapshot_count) return false;
    return tree_was_free(share, parent->id, change->name, change->born, change->last);
}

/* Until its state is read, a node is as old as the share. So a load that is cut short leaves a share that can be saved
 * and loaded. */
static void take_age(const struct share *share, struct file_node *node) {
    node->stamp = share->stamp;
    node->created_ms = share->created_ms;
}

static bool load_node(struct share *share, struct share_loader *loader, const struct share_change *change) {
    struct directory *parent = directory_at(loader, change->parent_number);
    struct file_node *node;
    if (!parent || loader->current) return false;
    if (change->last) {
        if (!snapshot_place_fits(share, parent, change)) return false;
        node = node_new(&share->account, change->node_kind, ++share->ids, NULL, change->name);
        tree_add_snapshot_place(share, node_need_past(&share->account, node), parent->id, change->name,
                                change->born, change->last);
        take_times(loader, node, change->born, change->last);
    } else {
        if (!is_live(share, parent->node) || change->born > share->snapshot_count) return false;
        if (!tree_was_free(share, parent->id, change->name, change->born, 0)) return false;
        node = tree_add(share, parent, change->name, change->node_kind);
        node->born = change->born;
        node->changed = 0;
    }
    take_age(share, node);
    add_loaded(loader, node);
    return true;
}

static bool load_snapshot_place(struct share *share, struct share_loader *loader,
                                const struct share_change *change) {
    const struct directory *parent = directory_at(loader, change->parent_number);
    if (!parent || loader->current || !change->node_number || change->node_number >= loader->count)
        return false;
    if (!snapshot_place_fits(share, parent, change)) return false;
    struct file_node *node = loader->nodes[change->node_number];
    if (is_live(share, node) && node->born < change->last) return false;
    if (!take_times(loader, node, change->born, change->last)) return false;
    struct file_past *past = node_need_past(&share->account, node);
    tree_add_snapshot_place(share, past, parent->id, change->name, change->born, change->last);
    return true;
}

static void clear_leaf(struct share *share, struct pages *pages, uint64_t leaf) {
    uint64_t offset = leaf * LEAF_BYTES;
    if (offset >= pages->length) return;
    uint64_t left = pages->length - offset;
    pages_clear(&share->account, pages, offset, size_min(left, LEAF_BYTES));
}

static void load_length(struct share *share, struct file_node *node, uint64_t length) {
    if (is_live(share, node)) share_count_length(share, node, length);
    sparse_resize(&share->account, &node->content, length);
}

/* A leaf takes the place of the one that an earlier state of the node has. */
static bool load_leaf(struct share *share, struct pages *pages, const struct share_change *change) {
    struct page_leaf leaf = {change->leaf, change->present, change->chunk};
    if (change->kind == LOAD_LEAF && !(change->chunk && pages_leaf_is_sound(pages, &leaf))) return false;
    clear_leaf(share, pages, change->leaf);
    if (change->kind == LOAD_LEAF) pages_add_leaf(&share->account, pages, &leaf);
    return true;
}

/* Takes ownership of the change's chunk only on success. */
static bool load_content(struct share *share, struct share_loader *loader,
                         const struct share_change *change) {
    if (!loader->current || !node_is_file(loader->current)) return false;
    if (change->kind != LOAD_LENGTH) return load_leaf(share, &loader->current->content.pages, change);
    load_length(share, loader->current, change->length);
    return true;
}

static bool load_older(struct share *share, struct file_node *node, const struct share_change *change) {
    struct file_state state = {
        .last = change->last,
        .has_lists = change->parts,
        .attributes = change->attributes,
        .stamp = change->stamp,
        .created_ms = change->created_ms,
    };
    if (change->last > share->snapshot_count || !node_may_have_state(node, change->last)) return false;
    if (state.has_lists) {
        packed_replace(&share->account, &state.properties, change->properties);
        packed_replace(&share->account, &state.metadata, change->metadata);
    }
    if (node_is_file(node)) {
        state.content.length = node->content.length;
        pages_share(&state.content.pages, &node->content.pages);
    }
    node_add_state(&share->account, node, &state);
    return true;
}

static bool load_state(struct share *share, struct share_loader *loader, const struct share_change *change) {
    struct file_node *node = loader->current;
    if (!node) return false;
    if (change->last) return load_older(share, node, change);
    if (change->changed > share->snapshot_count || change->changed < node->changed) return false;
    node->stamp = change->stamp;
    node->created_ms = change->created_ms;
    node->attributes = change->attributes;
    node->changed = change->changed;
    node_set_lists(&share->account, node, &change->properties, &change->metadata);
    loader->current = NULL;
    return true;
}

static bool share_load_step(struct share *share, struct share_loader *loader,
                            const struct share_change *change) {
    switch (change->kind) {
    case LOAD_NODE: return load_node(share, loader, change);
    case LOAD_SNAPSHOT_PLACE: return load_snapshot_place(share, loader, change);
    case LOAD_STATE: return load_state(share, loader, change);
    case LOAD_END: return !loader->current;
    default: return load_content(share, loader, change);
    }
}

bool share_load(struct share *share, const struct share_change *change) {
    struct share_loader *loader = loader_of(share);
    bool loaded = loader && share_load_step(share, loader, change);
    if (!loaded && change->chunk) chunk_discard(change->chunk);
    if (loaded && change->kind == LOAD_END) share_load_end(share);
    return loaded;
}
