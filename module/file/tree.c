#include "file/tree.h"

#include "core/memory.h"

/* --- The current tree --- */

static struct file_node *find_child(const struct share *share, uint64_t directory, struct bytes folded) {
    char buffer[NODE_KEY_MAX_BYTES];
    struct entry *entry = catalog_find(&share->nodes, node_key(buffer, directory, folded));
    return entry ? node_of_entry(entry) : NULL;
}

struct tree_place tree_find(const struct share *share, struct bytes path) {
    char buffer[PATH_FOLD_BUFFER];
    struct bytes left = bytes_of(buffer, path_fold(buffer, path)), folded;
    struct tree_place place = {NULL, share->root, path_last(path)};
    while (path_next(&left, &folded)) {
        if (!place.node || node_is_file(place.node)) return (struct tree_place){NULL, NULL, place.name};
        place.parent = place.node->directory;
        place.node = find_child(share, place.node->id, folded);
    }
    return place;
}

bool tree_prefetch(const struct share *share, struct bytes path, char *key, struct catalog_search *search) {
    char folded[PATH_FOLD_BUFFER];
    if (!path.length || path.length > PATH_FOLDED_MAX_BYTES) return false;
    struct bytes left = bytes_of(folded, path_fold(folded, path)), name;
    const struct file_node *node = share->root;
    while (path_next(&left, &name)) {
        if (!node || node_is_file(node) || name.length > NAME_FOLDED_MAX_BYTES) return false;
        if (!left.length) {
            *search = catalog_prefetch(&share->nodes, node_key(key, node->id, name));
            return true;
        }
        node = find_child(share, node->id, name);
    }
    return false;
}

struct tree_place tree_found(const struct share *share, struct bytes path,
                             const struct catalog_search *search) {
    struct entry *entry = catalog_found(&share->nodes, search);
    if (!entry) return tree_find(share, path);
    struct file_node *node = node_of_entry(entry);
    return (struct tree_place){node->parent, node, path_last(path)};
}

static struct path_reach reach_of(const struct file_node *node, struct bytes name) {
    struct path_reach below = node_is_file(node) ? (struct path_reach){0, 0} : node->directory->reach;
    return (struct path_reach){below.names + 1, below.characters + node_name_characters(name) + 1};
}

bool tree_fits(const struct file_node *node, const struct directory *parent, struct bytes name) {
    struct path_reach reach = reach_of(node, name);
    for (const struct file_node *above = parent->node; above->parent; above = above->parent->node) {
        reach.names++;
        reach.characters += node_name_characters(node_name(above)) + 1;
    }
    return reach.names <= PATH_MAX_NAMES && reach.characters <= PATH_MAX_CHARACTERS + 1;
}

static void extend_reach(struct directory *directory, struct path_reach reach) {
    while (directory) {
        struct path_reach *known = &directory->reach;
        if (known->names >= reach.names && known->characters >= reach.characters) return;
        if (known->names < reach.names) known->names = reach.names;
        if (known->characters < reach.characters) known->characters = reach.characters;
        reach.names++;
        reach.characters += node_name_characters(node_name(directory->node)) + 1;
        directory = directory->node->parent;
    }
}

static void enter_directory(struct share *share, struct file_node *node, struct directory *parent) {
    node->parent = parent;
    node->born = (uint8_t)share->snapshot_count;
    catalog_add(&share->nodes, &node->entry);
    parent->children++;
    extend_reach(parent, reach_of(node, node_name(node)));
}

static void count_nodes(struct share *share, enum node_kind kind, size_t by) {
    size_t *count = kind == NODE_FILE ? &share->files : &share->directories;
    share_count(kind == NODE_FILE ? CENSUS_FILES : CENSUS_DIRECTORIES, *count, *count + by);
    *count += by;
}

struct file_node *tree_add(struct share *share, struct directory *parent, struct bytes name,
                           enum node_kind kind) {
    struct file_node *node = node_new(&share->account, kind, ++share->ids, parent, name);
    node->changed = (uint8_t)share->snapshot_count;
    enter_directory(share, node, parent);
    count_nodes(share, kind, 1);
    return node;
}

static bool is_seen(const struct file_node *node) {
    return node->extra && node->extra->past && node->extra->past->snapshot_places;
}

static void leave_directory(struct share *share, struct file_node *node) {
    if (node->born < share->snapshot_count) {
        struct file_past *past = node_need_past(&share->account, node);
        tree_add_snapshot_place(share, past, node->parent->id, node_name(node), node->born,
                                share->snapshot_count);
    }
    catalog_remove(&share->nodes, &node->entry);
    if (!--node->parent->children) node->parent->reach = (struct path_reach){0, 0};
    node->parent = NULL;
}

void tree_remove(struct share *share, struct file_node *node) {
    leave_directory(share, node);
    count_nodes(share, node->kind, (size_t)-1);
    if (!is_seen(node)) node_free(&share->account, node);
}

static int64_t handles_of(const struct file_node *node) {
    if (!node_is_file(node)) return (int64_t)node->directory->handles;
    return node->usage ? node->usage->tally.handles : 0;
}

static int64_t leases_of(const struct file_node *node) {
    if (!node_is_file(node)) return (int64_t)node->directory->leases;
    return file_lease_of(node)->kind == LEASE_HELD;
}

void tree_count_handles(struct directory *directory, int64_t by) {
    for (; directory; directory = directory->node->parent) directory->handles += (uint64_t)by;
}

void tree_count_leases(struct directory *directory, int64_t by) {
    if (!by) return;
    for (; directory; directory = directory->node->parent) directory->leases += (uint64_t)by;
}

struct file_node *tree_move(struct share *share, struct file_node *node, struct directory *parent,
                            struct bytes name) {
    int64_t handles = handles_of(node), leases = leases_of(node);
    tree_count_handles(node->parent, -handles);
    tree_count_leases(node->parent, -leases);
    leave_directory(share, node);
    node = node_renamed(&share->account, node, parent, name);
    enter_directory(share, node, parent);
    tree_count_handles(parent, handles);
    tree_count_leases(parent, leases);
    return node;
}

void tree_hide(struct share *share, struct file_node *node) {
    unsigned before = share->snapshot_count - 1;
    if (node->born < before) {
        struct file_past *past = node_need_past(&share->account, node);
        tree_add_snapshot_place(share, past, node->parent->id, node_name(node), node->born, before);
    }
    node->born = (uint8_t)share->snapshot_count;
}

/* --- In snapshots --- */

enum { SNAPSHOT_PLACE_KEY_MAX_BYTES = NODE_KEY_MAX_BYTES + 2 };

static struct bytes snapshot_place_key(char *buffer, struct bytes key, unsigned last) {
    if (buffer != key.data) memcpy(buffer, key.data, key.length);
    buffer[key.length] = '\0';
    buffer[key.length + 1] = (char)last;
    return bytes_of(buffer, key.length + 2);
}

static struct bytes place_key(const struct snapshot_place *snapshot_place) {
    return bytes_of(snapshot_place->key, snapshot_place->entry.name_length - (size_t)2);
}

struct bytes snapshot_place_name(const struct snapshot_place *snapshot_place) {
    if (snapshot_place->name_length)
        return bytes_of(snapshot_place->key + snapshot_place->entry.name_length, snapshot_place->name_length);
    struct bytes key = place_key(snapshot_place);
    return bytes_of(key.data + NODE_KEY_ID_BYTES, key.length - NODE_KEY_ID_BYTES);
}

bool tree_was_free(const struct share *share, uint64_t directory, struct bytes name, unsigned born,
                   unsigned last) {
    char folded[NAME_FOLD_BUFFER], buffer[SNAPSHOT_PLACE_KEY_MAX_BYTES];
    struct bytes key = node_key(buffer, directory, bytes_of(folded, path_fold(folded, name)));
    struct entry *entry = catalog_find(&share->nodes, key);
    if (entry && (!last || node_of_entry(entry)->born < last)) return false;
    struct order_cursor cursor =
        order_index_seek(&share->snapshot_places, snapshot_place_key(buffer, key, 0));
    while ((entry = order_cursor_take(&cursor))) {
        const struct snapshot_place *snapshot_place = snapshot_place_of_entry(entry);
        if (!bytes_equal(place_key(snapshot_place), key)) break;
        if (snapshot_place->last > born && (!last || snapshot_place->born < last)) return false;
    }
    return true;
}

void tree_add_snapshot_place(struct share *share, struct file_past *past, uint64_t directory,
                             struct bytes name, unsigned born, unsigned last) {
    char folded[NAME_FOLD_BUFFER], buffer[SNAPSHOT_PLACE_KEY_MAX_BYTES];
    struct bytes fold = bytes_of(folded, path_fold(folded, name));
    struct bytes key = snapshot_place_key(buffer, node_key(buffer, directory, fold), last);
    size_t extra = bytes_equal(fold, name) ? 0 : name.length;
    struct snapshot_place *snapshot_place =
        account_add(&share->account, memory_alloc(sizeof(*snapshot_place) + key.length + extra));
    *snapshot_place = (struct snapshot_place){
        .entry = {.name_length = (uint16_t)key.length, .name_at = offsetof(struct snapshot_place, key)},
        .past = past,
        .name_length = (uint16_t)extra,
        .born = (uint8_t)born,
        .last = (uint8_t)last,
    };
    memcpy(snapshot_place->key, key.data, key.length);
    if (extra) memcpy(snapshot_place->key + key.length, name.data, extra);
    order_index_add(&share->snapshot_places, &snapshot_place->entry);
    past->snapshot_places++;
}

static struct file_node *find_snapshot_place(const struct share *share, struct bytes key, unsigned snapshot) {
    char buffer[SNAPSHOT_PLACE_KEY_MAX_BYTES];
    struct order_cursor cursor =
        order_index_seek(&share->snapshot_places, snapshot_place_key(buffer, key, snapshot));
    struct entry *entry = order_cursor_entry(&cursor);
    if (!entry) return NULL;
    const struct snapshot_place *snapshot_place = snapshot_place_of_entry(entry);
    bool seen = bytes_equal(place_key(snapshot_place), key) && snapshot_place->born < snapshot;
    return seen ? snapshot_place->past->node : NULL;
}

static struct file_node *find_child_in_snapshot(const struct share *share, uint64_t directory,
                                                struct bytes folded, unsigned snapshot) {
    char buffer[NODE_KEY_MAX_BYTES];
    struct bytes key = node_key(buffer, directory, folded);
    struct entry *entry = catalog_find(&share->nodes, key);
    if (entry && node_of_entry(entry)->born < snapshot) return node_of_entry(entry);
    return find_snapshot_place(share, key, snapshot);
}

struct file_node *tree_find_in_snapshot(const struct share *share, struct bytes path, unsigned snapshot) {
    if (!snapshot) return tree_find(share, path).node;
    char buffer[PATH_FOLD_BUFFER];
    struct bytes left = bytes_of(buffer, path_fold(buffer, path)), folded;
    struct file_node *node = share->root;
    while (node && path_next(&left, &folded))
        node =
            node_is_file(node) ? NULL : find_child_in_snapshot(share, node->directory->id, folded, snapshot);
    return node;
}

/* --- Listing --- */

struct tree_walk tree_walk(const struct share *share, const struct directory *directory, unsigned snapshot,
                           struct bytes folded) {
    char buffer[NODE_KEY_MAX_BYTES];
    struct bytes key = node_key(buffer, directory->id, folded);
    struct tree_walk walk = {.share = share, .directory = directory->id, .snapshot = snapshot};
    walk.nodes = catalog_seek(&share->nodes, key);
    if (snapshot) walk.snapshot_places = order_index_seek(&share->snapshot_places, key);
    return walk;
}

/* The entry at the cursor, if it belongs to the directory. */
static struct entry *entry_in_directory(const struct tree_walk *walk, const struct order_cursor *cursor) {
    char buffer[NODE_KEY_ID_BYTES];
    struct entry *entry = order_cursor_entry(cursor);
    if (!entry) return NULL;
    struct bytes prefix = node_key(buffer, walk->directory, bytes_of("", 0));
    return bytes_start_with(entry_name(entry), prefix) ? entry : NULL;
}

static enum tree_step take_node(struct tree_walk *walk, struct entry *entry, struct tree_item *item) {
    const struct file_node *node = node_of_entry(entry);
    *item = (struct tree_item){node, node_name(node)};
    order_cursor_next(&walk->nodes);
    return !walk->snapshot || node->born < walk->snapshot ? TREE_ITEM : TREE_PASSED;
}

static enum tree_step take_snapshot_place(struct tree_walk *walk, struct entry *entry,
                                          struct tree_item *item) {
    const struct snapshot_place *snapshot_place = snapshot_place_of_entry(entry);
    *item = (struct tree_item){snapshot_place->past->node, snapshot_place_name(snapshot_place)};
    order_cursor_next(&walk->snapshot_places);
    bool seen = snapshot_place->born < walk->snapshot && walk->snapshot <= snapshot_place->last;
    return seen ? TREE_ITEM : TREE_PASSED;
}

/* Merges nodes and snapshot places, both sorted by directory and folded name. */
enum tree_step tree_next(struct tree_walk *walk, struct tree_item *item) {
    struct entry *node = entry_in_directory(walk, &walk->nodes);
    struct entry *snapshot_place = entry_in_directory(walk, &walk->snapshot_places);
    if (!node && !snapshot_place) return TREE_END;
    if (!snapshot_place) return take_node(walk, node, item);
    if (!node || bytes_compare(place_key(snapshot_place_of_entry(snapshot_place)), entry_name(node)) < 0)
        return take_snapshot_place(walk, snapshot_place, item);
    return take_node(walk, node, item);
}

/* --- Freeing --- */

static void free_snapshot_places(struct share *share) {
    struct order_cursor cursor = order_index_seek(&share->snapshot_places, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) {
        struct snapshot_place *snapshot_place = snapshot_place_of_entry(entry);
        struct file_node *node = snapshot_place->past->node;
        bool last = !--snapshot_place->past->snapshot_places && !node->parent && node != share->root;
        account_discard(&share->account, snapshot_place);
        if (last) node_free(&share->account, node);
    }
    order_index_end(&share->snapshot_places);
}

void tree_free(struct share *share) {
    struct order_cursor cursor = catalog_seek(&share->nodes, bytes_of("", 0));
    free_snapshot_places(share);
    for (struct entry *entry; (entry = order_cursor_take(&cursor));)
        node_free(&share->account, node_of_entry(entry));
    catalog_end(&share->nodes);
    node_free(&share->account, share->root);
    share_count(CENSUS_FILES, share->files, 0);
    share_count(CENSUS_DIRECTORIES, share->directories, 0);
}
