/* The tree: which directory has which nodes, now and when snapshots were taken. */
#ifndef HOLDFAST_TREE_H
#define HOLDFAST_TREE_H

#include "file/share.h"

/* The result of looking up a valid path. */
struct tree_place {
    struct directory *parent; /* NULL when it is missing or a file; also for the root */
    struct file_node *node;   /* NULL when it does not exist */
    struct bytes name;        /* last name of the path */
};

struct tree_place tree_find(const struct share *share, struct bytes path);

/* Two-step lookup. tree_prefetch finds the directory, writes the node's key to a buffer of NODE_KEY_MAX_BYTES and
 * prefetches the node; the path need not be valid. False when it cannot: then use tree_find. */
bool tree_prefetch(const struct share *share, struct bytes path, char *key, struct catalog_search *search);
struct tree_place tree_found(const struct share *share, struct bytes path,
                             const struct catalog_search *search);

/* Looks up a path in the snapshot with this number; 0 for now. */
struct file_node *tree_find_in_snapshot(const struct share *share, struct bytes path, unsigned snapshot);

/* Adds a new node to a directory that has none of this name. */
struct file_node *tree_add(struct share *share, struct directory *parent, struct bytes name,
                           enum node_kind kind);

/* Removes the node from its place; snapshots that saw it still see it. It must have no usage and no children. */
void tree_remove(struct share *share, struct file_node *node);

/* Hides the node from the latest snapshot. */
void tree_hide(struct share *share, struct file_node *node);

/* Moves the node with everything below it to another place, which must be free. Returns its new address. */
struct file_node *tree_move(struct share *share, struct file_node *node, struct directory *parent,
                            struct bytes name);

/* Whether a node could move there without making a path too long or too deep: its own path, or
 * one that is or was below it. */
bool tree_fits(const struct file_node *node, const struct directory *parent, struct bytes name);

/* Adds to the number of handles of a directory and of all above it. */
void tree_count_handles(struct directory *directory, int64_t by);
void tree_count_leases(struct directory *directory, int64_t by);

/* --- Listing --- */

/* An item of a directory, now or in a snapshot. */
struct tree_item {
    const struct file_node *node;
    struct bytes name;
};

struct tree_walk {
    const struct share *share;
    uint64_t directory;
    unsigned snapshot; /* 0 for now */
    struct order_cursor nodes, snapshot_places;
};

/* A walk that starts at the first name whose folded form is not less than this one. Valid until the next change. */
struct tree_walk tree_walk(const struct share *share, const struct directory *directory, unsigned snapshot,
                           struct bytes folded);

enum tree_step { TREE_ITEM, TREE_PASSED, TREE_END };

/* Advances: to an item, or past something that the snapshot does not see. */
enum tree_step tree_next(struct tree_walk *walk, struct tree_item *item);

/* --- For files and for freeing --- */

/* Whether no node had this name in the directory after the snapshot `born`, up to `last`, or until now if that is 0. */
bool tree_was_free(const struct share *share, uint64_t directory, struct bytes name, unsigned born,
                   unsigned last);

void tree_add_snapshot_place(struct share *share, struct file_past *past, uint64_t directory,
                             struct bytes name, unsigned born, unsigned last);
static inline struct snapshot_place *snapshot_place_of_entry(struct entry *entry) {
    return (struct snapshot_place *)entry; /* the entry is the snapshot place's head */
}
struct bytes snapshot_place_name(const struct snapshot_place *snapshot_place);

/* Frees all nodes and snapshot places. */
void tree_free(struct share *share);

#endif
