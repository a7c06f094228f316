/* Snapshots: earlier states of a blob, each with a version as its id. They are sorted by id, which is the order in
 * which they were taken. */
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

/* Number of snapshots of a blob. */
size_t snapshots_count(const struct blob *base);

/* NULL if there is none of this id. */
struct blob *snapshots_find(const struct blob *base, version id);

/* The index of the first one that is not older. */
size_t snapshots_seek(const struct snapshots *snapshots, version id);

/* Takes a snapshot with this stamp, and with its own metadata if there are any. False, and nothing done, for an id
 * that is not greater than all others. */
bool snapshots_take(struct account *account, struct blob *base, const struct container_change *change);

/* Drops one, or all for the id 0. False if there is none. */
bool snapshots_drop(struct account *account, struct blob *base, version id);

/* Many are freed in the background: see garbage.h. */
void snapshots_free(struct account *account, struct snapshots *snapshots);
struct snapshots *snapshots_relocate(struct snapshots *snapshots, const struct relocation *relocation);

#endif
