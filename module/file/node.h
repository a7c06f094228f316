/* A node: a directory or a file, with its properties, metadata and history.
 *
 *   node, one allocation:
 *     ┌───────┬───────┬─────────┬────┬────────┬──────────────────────┬───────┬───────┬─────────────┬──────┐
 *     │ entry │ stamp │ created │ id │ parent │ content or directory │ extra │ usage │ key         │ name │
 *     └───────┴───────┴─────────┴────┴────────┴──────────────────────┴───────┴───────┴─────────────┴──────┘
 *     key        the id of the parent directory and the folded name; nodes are found and sorted by it
 *     name       as given, if that is not its folded form
 *     directory  of a directory: its children refer to it, and it stays where it is when the node moves
 *     extra      properties, metadata and past: absent for most
 *     usage      of a file that is open or leased: see usage.h
 *
 * The past of a node is the list of states that snapshots of the share still see. A state is kept when the node changes
 * for the first time after a snapshot; it shares its pages with later states. Snapshots are numbered from 1 in the
 * order in which they were taken; 0 means before all of them.
 *
 * All memory of a node is counted in its share's account. */
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
struct file_usage;

/* How deep a subtree is: names, and characters with a leading slash for each name. */
struct path_reach {
    uint64_t names;
    uint64_t characters;
};

struct directory {
    uint64_t id; /* that of its node, where lookups read it: they need not come here */
    struct file_node *node;
    uint64_t children;       /* current children, including pending ones */
    uint64_t handles;        /* handles of files in this directory and below */
    uint64_t leases;         /* active leases of those files */
    struct path_reach reach; /* of the longest path below since the directory was last empty */
};

/* An earlier state of a node. A state without lists of its own has those of the next state, or of the node. */
struct file_state {
    unsigned last; /* the last snapshot that sees it */
    bool has_lists;
    uint8_t attributes;
    struct stamp stamp;
    int64_t created_ms;
    struct sparse_bytes content;
    struct packed *properties;
    struct packed *metadata;
};

struct file_past {
    struct file_node *node;
    size_t snapshot_places; /* places in the tree where only snapshots see the node */
    size_t count;
    struct file_state *states; /* in order */
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
    uint64_t id;              /* never used by another node of the share while the process lives */
    struct directory *parent; /* NULL for the root, and for nodes that only snapshots see */
    union {
        struct sparse_bytes content;
        struct directory *directory;
    };
    struct file_extra *extra;
    struct file_usage *usage;
    uint16_t name_length; /* 0 when the name is its own folded form */
    uint8_t kind;
    uint8_t attributes;
    uint8_t born;    /* the last snapshot when the node came to this place */
    uint8_t changed; /* the last snapshot that has its state, or that existed when it was made */
    char key[];
};

static inline struct file_node *node_of_entry(struct entry *entry) {
    return (struct file_node *)entry; /* the entry is the node's head */
}

static inline bool node_is_file(const struct file_node *node) {
    return node->kind == NODE_FILE;
}

/* Writes a number in eight bytes, the highest first: so names sort by it. */
static inline void node_put_number(void *bytes, uint64_t number) {
    number = __builtin_bswap64(number);
    memcpy(bytes, &number, sizeof(number));
}

/* Writes the key for a valid, folded name to a buffer of NODE_KEY_MAX_BYTES. */
struct bytes node_key(char *buffer, uint64_t directory, struct bytes folded);

struct bytes node_name(const struct file_node *node);

/* The path from the root: its length, and the path itself in a buffer that the caller frees. */
size_t node_path_length(const struct file_node *node);
char *node_path_new(const struct file_node *node, struct bytes *path);

size_t node_name_characters(struct bytes name);

/* Whether the directory is the node, or above it. */
bool node_is_within(const struct file_node *node, const struct file_node *directory);

/* --- Change --- */

/* A new file is empty; a new directory has no children. */
struct file_node *node_new(struct account *account, enum node_kind kind, uint64_t id,
                           const struct directory *parent, struct bytes name);

/* Makes the node anew under another name, frees the old one, and updates what points to it except for indexes. */
struct file_node *node_renamed(struct account *account, struct file_node *node,
                               const struct directory *parent, struct bytes name);

/* The allocation has moved: updates the pointers of its parts. */
void node_moved(struct file_node *node);

/* The node must have no usage. */
void node_free(struct account *account, struct file_node *node);

struct packed_list node_properties(const struct file_node *node);
struct packed_list node_metadata(const struct file_node *node);

/* NULL leaves a list unchanged. A new list may be a view of the old one. */
void node_set_lists(struct account *account, struct file_node *node, const struct packed_list *properties,
                    const struct packed_list *metadata);

/* --- The past --- */

/* Before a change of the node: keeps its state for the last snapshot, if that sees it. `lists`: properties or metadata
 * are about to change. */
void node_keep(struct account *account, struct file_node *node, unsigned snapshots, bool lists);

/* For states from a file, which must come in order. Takes ownership of the lists and the content. */
bool node_may_have_state(const struct file_node *node, unsigned last);
void node_add_state(struct account *account, struct file_node *node, const struct file_state *state);

struct file_past *node_need_past(struct account *account, struct file_node *node);

/* A node as it is, or was in a snapshot: borrowed. Only for a snapshot that sees it; 0 for now. */
struct node_view {
    struct stamp stamp;
    int64_t created_ms;
    uint8_t attributes;
    const struct sparse_bytes *content; /* NULL for a directory */
    struct packed_list properties;
    struct packed_list metadata;
};

struct node_view node_view(const struct file_node *node, unsigned snapshot);

void node_relocate_parts(struct file_node *node, const struct relocation *relocation);

#endif
