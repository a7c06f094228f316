/* The tree: which directory has which nodes, now and when snapshots were taken. */
#ifndef HOLDFAST_TREE_H
#define HOLDFAST_TREE_H

#include "file/share.h"

/* Where a sound path leads. */
struct tree_place {
    struct directory *parent; /* NULL when it is not there, or is a file; for the root, too */
    struct file_node *node;   /* NULL when nothing is there */
    struct bytes name;        /* the last one of the path */
};

struct tree_place tree_find(const struct share *share, struct bytes path);

/* The same in two steps, for who has something else to do while the memory comes: the first one goes down to the directory,
 * writes the key of what is looked for into room for NODE_KEY_MAX_BYTES, and sends for it. False when it is tree_find
 * that has to look. The path need not be sound yet. */
bool tree_expect(const struct share *share, struct bytes path, char *room, struct catalog_search *search);
struct tree_place tree_found(const struct share *share, struct bytes path,
                             const struct catalog_search *search);

/* Where a path led when a snapshot was taken, by its number; 0 for now. */
struct file_node *tree_find_then(const struct share *share, struct bytes path, unsigned snapshot);

/* A new node in a directory that has none of this name. */
struct file_node *tree_add(struct share *share, struct directory *parent, struct bytes name,
                           enum node_kind kind);

/* The node leaves its place, which snapshots that saw it go on seeing. It has no life, and no children. */
void tree_remove(struct share *share, struct file_node *node);

/* The snapshot that was taken last does not see the node. */
void tree_hide(struct share *share, struct file_node *node);

/* The node goes to another place, where nothing is, and takes along what is below it. Answers where it is now. */
struct file_node *tree_move(struct share *share, struct file_node *node, struct directory *parent,
                            struct bytes name);

/* Whether the paths of a node, and of all that is or has been below it, are not too long or too deep there. */
bool tree_fits(const struct file_node *node, const struct directory *parent, struct bytes name);

/* A handle in a directory and all above it more, or so many less. */
void tree_count_opens(struct directory *directory, int64_t by);
void tree_count_leases(struct directory *directory, int64_t by);

/* --- Listing --- */

/* One thing in a directory, now or then. */
struct tree_item {
    const struct file_node *node;
    struct bytes name;
};

struct tree_walk {
    const struct share *share;
    uint64_t directory;
    unsigned snapshot; /* 0 for now */
    struct order_cursor nodes, ghosts;
};

/* From the first name on whose folded form is not below this one. Valid until the next change. */
struct tree_walk tree_walk(const struct share *share, const struct directory *directory, unsigned snapshot,
                           struct bytes folded);

enum tree_step { TREE_ITEM, TREE_PASSED, TREE_END };

/* A step, over an item or over something that the snapshot does not see. */
enum tree_step tree_next(struct tree_walk *walk, struct tree_item *item);

/* --- For files and for the end --- */

/* Whether nothing has been of this name in a directory behind the snapshot `born`, up to `last`, or, for 0, until now. */
bool tree_was_free(const struct share *share, uint64_t directory, struct bytes name, unsigned born,
                   unsigned last);

void tree_add_ghost(struct share *share, struct file_past *past, uint64_t directory, struct bytes name,
                    unsigned born, unsigned last);
static inline struct ghost *ghost_of_entry(struct entry *entry) {
    return (struct ghost *)entry; /* the entry is the ghost's head */
}
struct bytes ghost_name(const struct ghost *ghost);

/* All nodes and ghosts go. */
void tree_free(struct share *share);

#endif
