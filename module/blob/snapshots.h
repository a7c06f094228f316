/* Snapshots: how a blob was, by the version that names the moment. They stand in the order in which they were taken,
 * which is that of their ids. */
#ifndef HOLDFAST_SNAPSHOTS_H
#define HOLDFAST_SNAPSHOTS_H

#include "blob/blob.h"

struct snapshot {
    version id;
    struct blob *blob;
};

struct snapshots {
    size_t count;
    size_t capacity;
    struct snapshot taken[];
};

/* How many a blob has. */
size_t snapshots_count(const struct blob *base);

/* NULL if there is none of this id. */
struct blob *snapshots_find(const struct blob *base, version id);

/* The place of the first one that is not older. */
size_t snapshots_seek(const struct snapshots *snapshots, version id);

/* Keeps how the blob is, with this stamp, and with metadata of its own if there are any. False, and nothing done, for
 * an id that is not greater than all others. */
bool snapshots_take(struct account *account, struct blob *base, const struct container_change *change);

/* Drops one, or all for the id 0. False if there is none. */
bool snapshots_drop(struct account *account, struct blob *base, version id);

void snapshots_free(struct account *account, struct snapshots *snapshots);
struct snapshots *snapshots_relocate(struct snapshots *snapshots, const struct relocation *relocation);

#endif
