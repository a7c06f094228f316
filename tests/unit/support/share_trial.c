#include "share_trial.h"

#include "change_again.h"
#include "file/share.h"
#include "file/tree.h"
#include "require.h"

#include <stdlib.h>

bool share_trial_take(struct share **share, struct bytes record, struct bytes content) {
    struct share_change change;
    if (!change_read(&share_changes, record, &change)) return false;
    change_require_repeatable(&share_changes, &change);
    if (change.kind == SHARE_DROP || (change.kind == SHARE_CREATE) != !*share) return false;
    if (!*share) {
        *share = share_new(&change);
        return true;
    }
    if (change_is(&share_changes, &change, CHANGE_HAS_CONTENT)) change.content = content;
    if (change.kind == LOAD_LEAF && content.length <= LEAF_BYTES) change.chunk = chunk_copy(content);
    return share_apply(*share, &change);
}

/* --- Built anew --- */

struct tape {
    struct record_writer bytes;
    struct share *share;
    unsigned save_every; /* records; 0 for never */
    unsigned records;
};

static struct share *rebuild(const struct share *share, struct record_writer *bytes, unsigned save_every,
                             bool open);

/* What there is so far takes its own place, by way of a file. */
static void save_and_load(struct tape *tape) {
    struct record_writer *bytes = malloc(sizeof(*bytes));
    struct share *saved = tape->share;
    tape->share = rebuild(saved, bytes, 0, true);
    share_free(saved);
    record_end(bytes);
    free(bytes);
}

static void write_down(void *context, const void *walked) {
    const struct share_change *change = walked;
    struct tape *tape = context;
    struct record_writer record ENDS_BY(record_end);
    struct share_change read;
    record_start(&record);
    change_write(&share_changes, change, &record);
    struct bytes written = record_written(&record);
    record_put_bytes(&tape->bytes, written);
    if (change_is(&share_changes, change, CHANGE_HAS_CONTENT))
        record_put_bytes(&tape->bytes, change->content);
    require(change_read(&share_changes, written, &read), "kind %d is read", change->kind);
    require(change_is(&share_changes, &read, CHANGE_IN_FILES) || read.kind == SHARE_CREATE,
            "kind %d stands in files", change->kind);
    require(share_trial_take(&tape->share, written, change->content), "kind %d fits", change->kind);
    if (tape->save_every && ++tape->records % tape->save_every == 0) save_and_load(tape);
}

static struct share *rebuild(const struct share *share, struct record_writer *bytes, unsigned save_every,
                             bool open) {
    struct tape tape = {.save_every = save_every};
    record_start(&tape.bytes);
    share_walk(share,
               &(struct change_walk){.holders = true, .open = open, .take = write_down, .context = &tape});
    *bytes = tape.bytes;
    if (bytes->data == tape.bytes.buffer) bytes->data = bytes->buffer;
    return tape.share;
}

struct share *share_rebuilt(const struct share *share, struct record_writer *bytes) {
    return rebuild(share, bytes, 0, false);
}

/* --- Whole --- */

static void require_counted(const struct share *share) {
    struct order_cursor cursor = catalog_seek(&share->nodes, bytes_of("", 0));
    size_t files = 0, directories = 0;
    uint64_t bytes = 0;
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor)) {
        const struct file_node *node = node_of_entry(entry);
        if (node_is_file(node))
            files++, bytes += node->content.length;
        else
            directories++;
    }
    require_same(share->files, files, "files");
    require_same(share->directories, directories, "directories");
    require_same(share->bytes, bytes, "bytes of files");
}

/* Handles and active leases of files that are in a directory or below it. */
static void require_held(const struct share *share, const struct directory *directory) {
    struct order_cursor cursor = catalog_seek(&share->nodes, bytes_of("", 0));
    uint64_t handles = 0, leases = 0;
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor)) {
        const struct file_node *node = node_of_entry(entry);
        if (!node_is_file(node) || !node_is_within(node, directory->node)) continue;
        handles += node->usage ? node->usage->tally.handles : 0;
        leases += file_lease_of(node)->kind == LEASE_HELD;
    }
    require_same(directory->handles, handles, "handles below a directory");
    require_same(directory->leases, leases, "leases below a directory");
}

static void require_all_held(const struct share *share) {
    struct order_cursor cursor = catalog_seek(&share->nodes, bytes_of("", 0));
    require_held(share, share->root->directory);
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor))
        if (!node_is_file(node_of_entry(entry))) require_held(share, node_of_entry(entry)->directory);
}

/* Nothing is below itself, then and now: a way down ends before it has been through more nodes than there are. */
static void require_ends(const struct share *share, const struct directory *directory, unsigned snapshot,
                         uint64_t depth) {
    struct tree_walk walk = tree_walk(share, directory, snapshot, bytes_of("", 0));
    struct tree_item item;
    enum tree_step step;
    require(depth <= share->ids, "a directory is below itself in snapshot %u", snapshot);
    while ((step = tree_next(&walk, &item)) != TREE_END)
        if (step == TREE_ITEM && !node_is_file(item.node))
            require_ends(share, item.node->directory, snapshot, depth + 1);
}

/* It gives the records once more of which it was built. Ends both. */
static void require_same_again(struct share *again, struct record_writer *first, const char *how) {
    struct record_writer *second = malloc(sizeof(*second));
    struct share *third = share_rebuilt(again, second);
    require_counted(again);
    require_all_held(again);
    require_bytes(record_written(second), record_written(first), "%s", how);
    share_free(third);
    share_free(again);
    record_end(first);
    record_end(second);
    free(first);
    free(second);
}

void share_require_buildable(const struct share *share, unsigned save_every) {
    struct record_writer *first = malloc(sizeof(*first));
    struct share *again = rebuild(share, first, save_every, false);
    require(!again->load, "a file leaves a load behind");
    require_same_again(again, first, "built on");
}

void share_require_whole(const struct share *share) {
    struct record_writer *first = malloc(sizeof(*first));
    require_counted(share);
    require_all_held(share);
    for (unsigned i = 0; i <= share->snapshot_count; i++) require_ends(share, share->root->directory, i, 1);
    require_same_again(share_rebuilt(share, first), first, "built anew");
    struct share *twin = share_copy(share);
    require_counted(twin);
    require_all_held(twin);
    share_free(twin);
}

/* --- Listed --- */

size_t share_count_listed(const struct share *share, const struct directory *directory, unsigned snapshot) {
    struct tree_walk walk = tree_walk(share, directory, snapshot, bytes_of("", 0));
    struct tree_item item;
    enum tree_step step;
    size_t count = 0;
    while ((step = tree_next(&walk, &item)) != TREE_END) {
        if (step != TREE_ITEM) continue;
        count++;
        if (!node_is_file(item.node)) count += share_count_listed(share, item.node->directory, snapshot);
    }
    return count;
}
