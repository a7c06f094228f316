/* Containers and the blobs in them: one value of one key.
 *
 *   container ─▶ catalog ─▶ blob blob blob …   (found by name, listed in the order of names)
 *             ─▶ leased                        (blobs with a lease held or breaking, even if ended)
 *             ─▶ copying                       (blobs with a copy from another server in progress)
 *             ─▶ stagings                      (blobs with staged blocks, by when these expire)
 *             ─▶ feed                          (what has changed, if followers want to know)
 *             ─▶ metadata, policies            (packed lists, absent for most)
 *
 * The rules:
 *   - A small content is copied into the blob; for a large one the argument that has it is kept.
 *   - Every allocation is counted in the account; what blobs and snapshots share is counted once. */
#ifndef HOLDFAST_CONTAINER_H
#define HOLDFAST_CONTAINER_H

#include "blob/blob.h"
#include "change/value_functions.h"
#include "change/value_head.h"
#include "core/catalog.h"
#include "core/deadlines.h"
#include "core/once_log.h"

struct feed;
struct load_chunks;

struct container {
    struct value_head head;
    struct stamp stamp;
    int64_t created_ms;
    enum container_access access;
    struct packed *metadata;
    struct packed *policies;
    struct lease *lease;
    struct catalog blobs;
    struct order_index leased;
    struct order_index copying; /* blobs with a copy in progress */
    struct deadlines stagings;
    struct load_chunks *load_chunks; /* only while a file builds the container */
    struct feed *feed;               /* what has changed; NULL while the feed is off */
    int64_t copies_look_ms;          /* next upkeep of copies in progress; 0 for at once */
    struct bytes copies_seen;        /* the last name that this upkeep has seen; empty before the first */
    size_t committed;                /* number of blobs that exist; the catalog has others, too */
    uint64_t content_bytes;          /* sum of their lengths */
    struct account account;          /* all allocations but those of the catalog and the lease index */
};

/* Totals over all containers of the process, for INFO; containers may be freed on another thread. */
struct container_census {
    size_t containers;
    size_t blobs;
    size_t snapshots;
    size_t leases; /* held or breaking, including expired ones */
    uint64_t content_bytes;
};

struct container_census container_census(void);

/* A copy shares the bytes of large contents, and has small blobs in common with its source. In a walk,
 * a CONTAINER_CHUNK that is a whole chunk comes with that chunk. */
VALUE_FUNCTIONS(container)

/* Also finds uncommitted blobs; NULL if there is none. */
struct blob *container_find(const struct container *container, struct bytes name);

/* Two-step lookup: prefetch, then find. */
static inline struct catalog_search container_prefetch(const struct container *container, struct bytes name) {
    return catalog_prefetch(&container->blobs, name);
}
static inline void container_prefetch_blob(const struct container *container,
                                           const struct catalog_search *search) {
    catalog_prefetch_entry(&container->blobs, search);
}
struct blob *container_found(const struct container *container, const struct catalog_search *search);

/* Whether a file, or a slot that arrives, has begun to build it and not completed it. */
bool container_is_loading(const struct container *container);
/* Discards what that needs. */
void container_end_load(struct container *container);
/* False for most containers: then there is nothing to discard. */
static inline bool container_may_be_loading(const struct container *container) {
    return container->load_chunks || container->feed;
}

/* Whether no blob is newer than the container's feed: true of all but doctored files. */
bool container_fits_feed(const struct container *container);

/* The container has come from a file: see tell_again in server/base/data_type.h. */
void container_tell_again(void *value);

/* When staged blocks expire or copies need upkeep; INT64_MAX if there are none. */
int64_t container_due_ms(const void *value);

/* The name of a blob whose staged blocks have expired; false if there is none. */
bool container_overdue(const struct container *container, int64_t now_ms, struct bytes *name);

/* The next blob with a copy in progress, in the order of names; NULL after the last one, and then begins anew. */
struct blob *container_next_copying(struct container *container);

const struct lease *container_lease(const struct container *container);

/* --- For container_apply.c: changes of the catalog and the indexes beside it --- */

struct blob *container_add(struct container *container, struct bytes name, enum blob_kind kind,
                           size_t content_bytes);
void container_remove(struct container *container, struct blob *blob);

/* A copy takes the place of a blob that other containers have in common. */
struct blob *container_replace_common(struct container *container, struct blob *blob);

/* The blob as one that may change. NULL for none. */
static inline struct blob *container_own(struct container *container, struct blob *blob) {
    return blob && entry_is_common(&blob->entry) ? container_replace_common(container, blob) : blob;
}

/* Makes the blob as large as a small content of this length needs; it may move. */
struct blob *container_fit(struct container *container, struct blob *blob, size_t content_bytes);

/* NULL, or a lease without a token, removes the lease. */
void container_set_lease(struct container *container, struct blob *blob, const struct lease *lease);
/* Clears an ended lease after a write; its last id stays. */
void container_free_lease(struct container *container, struct blob *blob);

/* For a blob in the catalog; NULL removes it. */
void container_set_copy(struct container *container, struct blob *blob, const struct copy *copy);

/* Adds a block; the first one creates a staging. */
void container_stage(struct container *container, struct blob *blob, const struct container_change *change,
                     struct chunk *chunk);
/* Drops this many blocks, the first by id; without blocks the staging is dropped. */
void container_unstage(struct container *container, struct blob *blob, uint64_t max);

/* For INFO: counts that have changed. */
void container_count_snapshots(size_t before, size_t after);
void container_count_blobs(struct container *container, size_t blobs, uint64_t bytes);
void container_count_content(struct container *container, const struct blob *blob, uint64_t bytes_before,
                             bool existed_before);

#endif
