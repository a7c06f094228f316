/* A node: a directory or a file, with all that is said of it.
 *
 *   node, one allocation:
 *     ┌───────┬───────┬─────────┬────┬────────┬──────────────────────┬───────┬──────┬──────────────┬──────┐
 *     │ entry │ stamp │ created │ id │ parent │ content or directory │ extra │ life │ key          │ name │
 *     └───────┴───────┴─────────┴────┴────────┴──────────────────────┴───────┴──────┴──────────────┴──────┘
 *     key        the id of the directory that has the node, and the folded name: by it nodes are found and in order
 *     name       as it was given, where that is not the folded form
 *     directory  of a directory: what its children know it by, wherever the node moves
 *     extra      properties, metadata, and the past: absent for most
 *     life       of a file that is open or leased: see opens.h
 *
 * The past of a node are its states that a snapshot of the share still sees. A state is kept when the node is about to
 * change for the first time since a snapshot was taken, and shares its pages with what follows. Snapshots have numbers
 * for that, in the order in which they were taken, from 1 on; 0 is before all of them.
 *
 * Whatever belongs to a node stands on the account of its share. */
#ifndef HOLDFAST_NODE_H
#define HOLDFAST_NODE_H

#include "core/condition.h"
#include "core/entry.h"
#include "core/packed.h"
#include "core/sparse.h"
#include "file/path.h"

enum node_kind { NODE_FILE, NODE_DIRECTORY, NODE_KINDS };

enum {
    ATTRIBUTE_READONLY = 1,
    ATTRIBUTE_HIDDEN = 2,
    ATTRIBUTE_SYSTEM = 4,
    ATTRIBUTE_ARCHIVE = 8,
    ATTRIBUTES_ALL = 15,
};

#define FILE_MAX_BYTES (INT64_C(4) << 40)

struct file_node;
struct file_life;

/* How far something goes down: the names of a way, and its characters with the slashes in front. */
struct path_reach {
    uint64_t names;
    uint64_t characters;
};

struct directory {
    uint64_t id;
    struct file_node *node;
    uint64_t children;       /* those that are there now, also pending ones */
    uint64_t opens;          /* handles of files in it and below */
    uint64_t leases;         /* active leases of those files */
    struct path_reach reach; /* of the longest way that there has been below, since it was empty */
};

/* How a node was. Without lists of its own it has those of the next state, or of the node. */
struct file_state {
    unsigned last; /* the last snapshot that sees it */
    bool has_lists;
    uint8_t attributes;
    struct stamp stamp;
    int64_t created_ms;
    struct sparse content;
    struct packed *properties;
    struct packed *metadata;
};

struct file_past {
    struct file_node *node;
    size_t ghosts; /* places in the tree at which only snapshots see the node */
    size_t count;
    struct file_state *states; /* in their order */
};

struct file_extra {
    struct packed *properties;
    struct packed *metadata;
    struct file_past *past;
};

enum { NODE_KEY_ID_BYTES = 8, NODE_KEY_MAX_BYTES = NODE_KEY_ID_BYTES + NAME_FOLDED_MAX_BYTES };

struct file_node {
    struct entry entry; /* its name is the key */
    struct stamp stamp;
    int64_t created_ms;
    uint64_t id;              /* for as long as the process lives; no other node of the share ever has it */
    struct directory *parent; /* NULL for the root, and for what only snapshots see */
    union {
        struct sparse content;
        struct directory *directory;
    };
    struct file_extra *extra;
    struct file_life *life;
    uint16_t name_length; /* 0 when the folded form is the name */
    uint8_t kind;
    uint8_t attributes;
    uint8_t born;    /* the last snapshot when the node came to this place */
    uint8_t changed; /* the last one that has its state, or that there was when it was made */
    char key[];
};

static inline struct file_node *node_of_entry(struct entry *entry) {
    return (struct file_node *)entry; /* the entry is the node's head */
}

static inline bool node_is_file(const struct file_node *node) {
    return node->kind == NODE_FILE;
}

/* Writes a key for a sound name that is folded already; there must be room for NODE_KEY_MAX_BYTES. */
struct bytes node_key(char *room, uint64_t directory, struct bytes folded);

struct bytes node_name(const struct file_node *node);
struct bytes node_folded_name(const struct file_node *node);

/* The path, from the root: how long it is, and itself, for which there must be room. */
size_t node_path_length(const struct file_node *node);
struct bytes node_path(const struct file_node *node, char *room);

size_t node_name_characters(struct bytes name);

/* Whether a directory is the node, or above it. */
bool node_is_within(const struct file_node *node, const struct file_node *directory);

/* --- Change --- */

/* A file is empty; a directory has nothing in it. */
struct file_node *node_new(struct account *account, enum node_kind kind, uint64_t id,
                           const struct directory *parent, struct bytes name);

/* The node itself under another name: what points to the old one is told, except its entries in indexes. The old one
 * is freed. */
struct file_node *node_renamed(struct account *account, struct file_node *node,
                               const struct directory *parent, struct bytes name);

/* The allocation has moved: what the node has learns of it. */
void node_moved(struct file_node *node);

/* It has no life any more. */
void node_free(struct account *account, struct file_node *node);

struct packed_list node_properties(const struct file_node *node);
struct packed_list node_metadata(const struct file_node *node);

/* NULL leaves a list as it is. A new list may be a view of the old one. */
void node_set_lists(struct account *account, struct file_node *node, const struct packed_list *properties,
                    const struct packed_list *metadata);

/* The parts that hang from a node go when nothing is in them. */
void node_settle(struct account *account, struct file_node *node);

/* --- The past --- */

/* Before the node changes: keeps its state for the last snapshot, if that sees it. `lists` if properties or metadata
 * are about to change. */
void node_keep(struct account *account, struct file_node *node, unsigned snapshots, bool lists);

/* Likewise for a state that a file brings; it must be the next one. The lists and the content are taken over. */
bool node_may_have_state(const struct file_node *node, unsigned last);
void node_add_state(struct account *account, struct file_node *node, const struct file_state *state);

struct file_past *node_need_past(struct account *account, struct file_node *node);

/* How a node is, or was when a snapshot was taken: borrowed. Only for one that the snapshot sees; 0 for now. */
struct node_view {
    struct stamp stamp;
    int64_t created_ms;
    uint8_t attributes;
    const struct sparse *content; /* NULL for a directory */
    struct packed_list properties;
    struct packed_list metadata;
};

struct node_view node_view(const struct file_node *node, unsigned snapshot);

void node_relocate_parts(struct file_node *node, const struct relocation *relocation);

#endif
