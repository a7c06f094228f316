#include "file/node.h"

#include "core/memory.h"
#include "file/usage.h"

/* --- Names and paths --- */

struct bytes node_key(char *buffer, uint64_t directory, struct bytes folded) {
    node_put_number(buffer, directory);
    memcpy(buffer + NODE_KEY_ID_BYTES, folded.data, folded.length);
    return bytes_of(buffer, NODE_KEY_ID_BYTES + folded.length);
}

struct bytes node_name(const struct file_node *node) {
    size_t folded = node->entry.name_length;
    if (node->name_length) return bytes_of(node->key + folded, node->name_length);
    return bytes_of(node->key + NODE_KEY_ID_BYTES, folded - NODE_KEY_ID_BYTES);
}

size_t node_path_length(const struct file_node *node) {
    size_t length = 0;
    for (; node->parent; node = node->parent->node) length += node_name(node).length + 1;
    return length ? length - 1 : 0;
}

/* Written backwards, since nodes refer to their parents. */
char *node_path_new(const struct file_node *node, struct bytes *path) {
    size_t length = node_path_length(node), at = length;
    char *buffer = memory_alloc(length + 1);
    for (; node->parent; node = node->parent->node) {
        struct bytes name = node_name(node);
        at -= name.length;
        memcpy(buffer + at, name.data, name.length);
        if (at) buffer[--at] = '/';
    }
    *path = bytes_of(buffer, length);
    return buffer;
}

size_t node_name_characters(struct bytes name) {
    size_t count = 0;
    for (size_t i = 0; i < name.length; i++) count += ((unsigned char)name.data[i] & 0xc0) != 0x80;
    return count;
}

bool node_is_within(const struct file_node *node, const struct file_node *directory) {
    while (node != directory && node->parent) node = node->parent->node;
    return node == directory;
}

/* --- Nodes --- */

static struct file_node *allocate_node(struct account *account, const struct directory *parent,
                                       struct bytes name) {
    char folded[NAME_FOLD_BUFFER];
    struct bytes fold = bytes_of(folded, path_fold(folded, name));
    bool same = bytes_equal(fold, name);
    size_t key_length = NODE_KEY_ID_BYTES + fold.length;
    struct file_node *node =
        account_add(account, memory_alloc(sizeof(*node) + key_length + (same ? 0 : name.length)));
    memset(node, 0, sizeof(*node));
    node->entry.name_at = offsetof(struct file_node, key);
    node->entry.name_length = (uint16_t)key_length;
    node_key(node->key, parent ? parent->id : 0, fold);
    if (!same) memcpy(node->key + key_length, name.data, name.length);
    node->name_length = same ? 0 : (uint16_t)name.length;
    return node;
}

struct file_node *node_new(struct account *account, enum node_kind kind, uint64_t id,
                           const struct directory *parent, struct bytes name) {
    struct file_node *node = allocate_node(account, parent, name);
    node->kind = (uint8_t)kind;
    node->id = id;
    if (kind == NODE_DIRECTORY) {
        node->directory = account_add(account, memory_zeroed(sizeof(*node->directory)));
        node->directory->id = id;
        node->directory->node = node;
    }
    return node;
}

struct file_node *node_renamed(struct account *account, struct file_node *node,
                               const struct directory *parent, struct bytes name) {
    struct file_node *renamed = allocate_node(account, parent, name);
    struct entry entry = renamed->entry;
    uint16_t name_length = renamed->name_length;
    *renamed = *node;
    renamed->entry = entry;
    renamed->name_length = name_length;
    node_moved(renamed);
    account_discard(account, node);
    return renamed;
}

void node_moved(struct file_node *node) {
    if (node->kind == NODE_DIRECTORY) node->directory->node = node;
    if (node->usage) node->usage->node = node;
    if (node->extra && node->extra->past) node->extra->past->node = node;
}

static void drop_lists(struct account *account, struct packed **properties, struct packed **metadata) {
    account_discard(account, *properties);
    account_discard(account, *metadata);
    *properties = *metadata = NULL;
}

static void drop_past(struct account *account, struct file_past *past) {
    for (size_t i = 0; i < past->count; i++) {
        struct file_state *state = &past->states[i];
        pages_drop(account, &state->content.pages);
        drop_lists(account, &state->properties, &state->metadata);
    }
    account_discard(account, past->states);
    account_discard(account, past);
}

void node_free(struct account *account, struct file_node *node) {
    if (node->extra) {
        drop_lists(account, &node->extra->properties, &node->extra->metadata);
        if (node->extra->past) drop_past(account, node->extra->past);
        account_discard(account, node->extra);
    }
    if (node->kind == NODE_DIRECTORY)
        account_discard(account, node->directory);
    else
        pages_drop(account, &node->content.pages);
    account_discard(account, node);
}

/* --- Properties and metadata --- */

static struct file_extra *node_need_extra(struct account *account, struct file_node *node) {
    if (!node->extra) node->extra = account_add(account, memory_zeroed(sizeof(*node->extra)));
    return node->extra;
}

struct packed_list node_properties(const struct file_node *node) {
    return packed_view(node->extra ? node->extra->properties : NULL);
}

struct packed_list node_metadata(const struct file_node *node) {
    return packed_view(node->extra ? node->extra->metadata : NULL);
}

void node_set_lists(struct account *account, struct file_node *node, const struct packed_list *properties,
                    const struct packed_list *metadata) {
    bool any = (properties && properties->count) || (metadata && metadata->count);
    if (!node->extra && !any) return;
    struct file_extra *extra = node_need_extra(account, node);
    if (properties) packed_replace(account, &extra->properties, *properties);
    if (metadata) packed_replace(account, &extra->metadata, *metadata);
    if (extra->properties || extra->metadata || extra->past) return;
    account_discard(account, extra);
    node->extra = NULL;
}

/* --- The past --- */

struct file_past *node_need_past(struct account *account, struct file_node *node) {
    struct file_extra *extra = node_need_extra(account, node);
    if (!extra->past) {
        extra->past = account_add(account, memory_zeroed(sizeof(*extra->past)));
        extra->past->node = node;
    }
    return extra->past;
}

static struct file_state *newest_state(const struct file_node *node) {
    const struct file_past *past = node->extra ? node->extra->past : NULL;
    return past && past->count ? &past->states[past->count - 1] : NULL;
}

static struct file_state *append_state(struct account *account, struct file_node *node) {
    struct file_past *past = node_need_past(account, node);
    size_t size = (past->count + 1) * sizeof(*past->states);
    past->states =
        past->states ? account_resize(account, past->states, size) : account_add(account, memory_alloc(size));
    struct file_state *state = &past->states[past->count++];
    *state = (struct file_state){0};
    return state;
}

/* Gives the state lists of its own, as those of the node are about to change. */
static void keep_lists(struct account *account, struct file_node *node, struct file_state *state) {
    struct packed_list properties = node_properties(node), metadata = node_metadata(node);
    packed_replace(account, &state->properties, properties);
    packed_replace(account, &state->metadata, metadata);
    state->has_lists = true;
}

void node_keep(struct account *account, struct file_node *node, unsigned snapshots, bool lists) {
    if (node->changed < snapshots) {
        struct file_state *state = append_state(account, node);
        state->last = snapshots;
        state->stamp = node->stamp;
        state->created_ms = node->created_ms;
        state->attributes = node->attributes;
        if (node_is_file(node)) {
            state->content.length = node->content.length;
            pages_share(&state->content.pages, &node->content.pages);
        }
        node->changed = (uint8_t)snapshots;
    }
    struct file_state *newest = lists ? newest_state(node) : NULL;
    if (newest && !newest->has_lists && newest->last == snapshots) keep_lists(account, node, newest);
}

bool node_may_have_state(const struct file_node *node, unsigned last) {
    const struct file_state *newest = newest_state(node);
    return !newest || newest->last < last;
}

void node_add_state(struct account *account, struct file_node *node, const struct file_state *state) {
    *append_state(account, node) = *state;
    node->changed = (uint8_t)state->last;
}

static struct node_view view_of_state(const struct file_node *node, const struct file_state *state,
                                      const struct file_state *end) {
    struct node_view view = {state->stamp, state->created_ms,     state->attributes,
                             NULL,         node_properties(node), node_metadata(node)};
    if (node_is_file(node)) view.content = &state->content;
    for (; state < end; state++) {
        if (!state->has_lists) continue;
        view.properties = packed_view(state->properties);
        view.metadata = packed_view(state->metadata);
        break;
    }
    return view;
}

struct node_view node_view(const struct file_node *node, unsigned snapshot) {
    const struct file_past *past = snapshot && node->extra ? node->extra->past : NULL;
    for (size_t i = 0; past && i < past->count; i++)
        if (past->states[i].last >= snapshot)
            return view_of_state(node, &past->states[i], past->states + past->count);
    return (struct node_view){
        .stamp = node->stamp,
        .created_ms = node->created_ms,
        .attributes = node->attributes,
        .content = node_is_file(node) ? &node->content : NULL,
        .properties = node_properties(node),
        .metadata = node_metadata(node),
    };
}

/* --- Moving --- */

static void relocate_past(struct file_past *past, const struct relocation *relocation) {
    past->states = relocate(relocation, past->states);
    for (size_t i = 0; i < past->count; i++) {
        past->states[i].properties = relocate(relocation, past->states[i].properties);
        past->states[i].metadata = relocate(relocation, past->states[i].metadata);
        pages_relocate(&past->states[i].content.pages, relocation);
    }
}

void node_relocate_parts(struct file_node *node, const struct relocation *relocation) {
    if (node_is_file(node)) pages_relocate(&node->content.pages, relocation);
    if (!node->extra) return;
    node->extra = relocate(relocation, node->extra);
    node->extra->properties = relocate(relocation, node->extra->properties);
    node->extra->metadata = relocate(relocation, node->extra->metadata);
    if (node->extra->past) relocate_past(node->extra->past, relocation);
}
