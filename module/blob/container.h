/* Containers and the blobs in them: one value of one key.
 *
 *   container ─▶ catalog ─▶ blob blob blob …                (found by name, listed in the order of names)
 *             ─▶ leased                                      (the blobs whose lease is held or was broken off)
 *             ─▶ copying                                     (the blobs to which a copy from another server goes on)
 *             ─▶ stagings                                    (the blobs that have staged blocks, by how long still)
 *             ─▶ feed                                        (what has changed, if anybody wants to follow)
 *             ─▶ metadata, policies                          (packed lists, absent for most)
 *
 * The rules:
 *   - Only container_apply changes a value, and only by a change: a fact with absolute numbers, whoever decided it.
 *   - A small content is copied into the blob, a large one keeps the argument that brought it.
 *   - The account follows each allocation. What blobs and snapshots of the container share stands there once.
 *   - Values know no key and no clock. */
#ifndef HOLDFAST_CONTAINER_H
#define HOLDFAST_CONTAINER_H

#include "blob/blob.h"
#include "core/catalog.h"
#include "core/deadlines.h"
#include "core/remembered.h"

struct feed;
struct pool;

struct container {
    struct stamp stamp;
    int64_t created_ms;
    enum container_access access;
    struct packed *metadata;
    struct packed *policies;
    struct lease *lease;
    struct catalog blobs;
    struct order_index leased;  /* without a root while there are none */
    struct order_index copying; /* the blobs to which a copy goes on; likewise */
    struct deadlines stagings;
    struct remembered *remembered; /* calls that were made with a token; NULL for none */
    struct pool *pool;             /* while a file builds it */
    struct feed *feed;             /* what has changed; NULL while it is off */
    int64_t upkeep_ms;             /* when somebody will look after staged blocks and copies; 0 for nobody */
    int64_t copies_look_ms;        /* when copies that go on are to be looked after; 0 for at once */
    size_t committed;              /* blobs that exist; the catalog has the others, too */
    uint64_t content_bytes;        /* the sum of their content lengths */
    struct account account;        /* all allocations but those of the catalog and the lease index */
    bool noted;                    /* its key is known to those who report to the operator */
};

/* Counts over all containers of the process, for INFO; containers may be freed on another thread. */
struct container_census {
    size_t containers;
    size_t blobs;
    size_t snapshots;
    size_t leases; /* held or broken off, also those whose time is up */
    uint64_t content_bytes;
};

struct container_census container_census(void);

/* From a change of the kind CONTAINER_CREATE. */
struct container *container_new(const struct container_change *change);
void container_free(struct container *container);
/* A twin with the same versions, without leases, sharing the bytes of large contents. */
struct container *container_copy(const struct container *source);

/* Also one that is not committed; NULL if there is none. */
struct blob *container_find(const struct container *container, struct bytes name);

/* Likewise in steps, for who has something to do while the memory comes. */
static inline struct catalog_search container_expect(const struct container *container, struct bytes name) {
    return catalog_expect(&container->blobs, name);
}
static inline void container_expect_blob(const struct container *container,
                                         const struct catalog_search *search) {
    catalog_expect_entry(&container->blobs, search);
}
struct blob *container_found(const struct container *container, const struct catalog_search *search);

/* Moves the state. False, and nothing done, when the change does not fit the state that it meets. The change's chunk is
 * taken over in either case. */
bool container_apply(struct container *container, const struct container_change *change);

/* Forgets what a file has begun to build and not ended. */
void container_settle(struct container *container);

/* When staged blocks will have waited too long, or copies want to be looked after; INT64_MAX if there are none. */
int64_t container_due_ms(const struct container *container);

/* The name of a blob whose staged blocks have waited too long; false if there is none. */
bool container_overdue(const struct container *container, int64_t now_ms, struct bytes *name);

/* The first blob to which a copy goes on whose name is not below this one; NULL if there is none. */
struct blob *container_copying(const struct container *container, struct bytes from);

/* The container and its lists; the container itself may move. */
struct container *container_relocate(struct container *container, const struct relocation *relocation);
/* All blobs at one of so many places of the hash index, and the index itself there. */
size_t container_places(const struct container *container);
void container_relocate_blobs(struct container *container, size_t place, const struct relocation *relocation);

size_t container_held(const struct container *container);
/* How many allocations freeing it touches. */
static inline size_t container_parts(const struct container *container) {
    return container->account.parts + remembered_parts(container->remembered);
}

const struct lease *container_lease(const struct container *container);

/* --- For apply.c: the ways in which the catalog and what goes with it change --- */

struct blob *container_add(struct container *container, struct bytes name, enum blob_kind kind, size_t room);
void container_remove(struct container *container, struct blob *blob);

/* Room for a small content; the blob may move. */
struct blob *container_fit(struct container *container, struct blob *blob, size_t room);

/* A NULL, or a lease without a token, is none at all. */
void container_set_lease(struct container *container, struct blob *blob, const struct lease *lease);
/* A write ends what is left of a lease that has ended; its last id stays. */
void container_free_lease(struct container *container, struct blob *blob);

/* Of a blob that is in the catalog; NULL forgets it. */
void container_set_copy(struct container *container, struct blob *blob, const struct copy *copy);

/* A block more; the first one begins a staging. */
void container_stage(struct container *container, struct blob *blob, const struct container_change *change,
                     struct chunk *chunk);
/* Blocks less, the first so many; when none is left, the staging goes. */
void container_unstage(struct container *container, struct blob *blob, uint64_t most);

void container_replace_list(struct container *container, struct packed **place, struct packed_list list);

/* For INFO: something has become more or less. */
void container_count_snapshots(size_t before, size_t after);
void container_count_content(struct container *container, const struct blob *blob, uint64_t bytes_before,
                             bool existed_before);

#endif
