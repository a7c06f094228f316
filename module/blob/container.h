/* Containers and the blobs in them: one value of one key.
 *
 *   container ─▶ catalog ─▶ blob blob blob …                (found by name, listed in the order of names)
 *             ─▶ metadata, policies                          (packed lists, absent for most)
 *
 *   blob, one allocation:
 *     ┌───────┬───────┬─────────┬─────────┬───────┬──────┬───────────────┐
 *     │ entry │ stamp │ created │ content │ extra │ name │ small content │
 *     └───────┴───────┴─────────┴─────────┴───────┴──────┴───────────────┘
 *     content   the rope of a large content; without one the bytes stand behind the name
 *     extra     properties and metadata, absent for most
 *
 * The rules:
 *   - Only container_apply changes a value, and only by a change: a fact with absolute numbers, whoever
 * decided it.
 *   - A small content is copied into the blob, a large one keeps the argument that brought it.
 *   - `held` and `parts` follow each allocation, so memory use and the effort of freeing are known without a
 * walk.
 *   - Values know no key and no clock. */
#ifndef HOLDFAST_CONTAINER_H
#define HOLDFAST_CONTAINER_H

#include "blob/change.h"
#include "core/catalog.h"
#include "core/condition.h"
#include "core/content.h"

enum { BLOB_INLINE_MAX = 4096 };

struct blob_extra {
    struct packed *properties;
    struct packed *metadata;
    struct lease *lease; /* also one that has ended, for its last id */
};

struct blob {
    struct entry entry;
    struct stamp stamp;
    int64_t created_ms;
    struct content content;
    struct blob_extra *extra;
    uint16_t capacity; /* room for a small content behind the name */
    char room[];
};

struct container {
    struct stamp stamp;
    int64_t created_ms;
    enum container_access access;
    struct packed *metadata;
    struct packed *policies;
    struct lease *lease;
    struct catalog blobs;
    struct order_index
        leased; /* the blobs whose lease is held or was broken off; without a root while there are none */
    uint64_t content_bytes; /* the sum of the content lengths */
    size_t held;  /* allocations of the blobs, the lists and the container itself, not of the catalog */
    size_t parts; /* their number */
};

/* Counts over all containers of the process, for INFO; containers may be freed on another thread. */
struct container_census {
    size_t containers;
    size_t blobs;
    size_t leases; /* held or broken off, also those whose time is up */
    uint64_t content_bytes;
};

struct container_census container_census(void);

/* From a change of the kind CHANGE_CREATE. */
struct container *container_new(const struct change *change);
void container_free(struct container *container);
/* A twin with the same versions, sharing the bytes of large contents. */
struct container *container_copy(const struct container *source);

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

/* Moves the state. blob is the one that the change names, NULL if there is none. False, and nothing done,
 * when the change does not fit the state that it meets. The change's chunk is taken over in either case. */
bool container_apply(struct container *container, struct blob *blob, const struct change *change);

/* The container and its lists; the container itself may move. */
struct container *container_relocate(struct container *container, const struct relocation *relocation);
/* All blobs at one place of the hash index, and the index itself there. */
void container_relocate_blobs(struct container *container, size_t place, const struct relocation *relocation);

size_t container_held(const struct container *container);

/* The change that would build the container's own part anew, without its blobs. */
struct change container_as_change(const struct container *container);
/* Likewise for a blob: a CHANGE_PUT with the first piece of the content, at most `most` bytes. */
struct change blob_as_change(const struct blob *blob, uint64_t most);
/* The next piece of a content, for a CHANGE_EXTEND; empty behind its end. */
struct bytes blob_view(const struct blob *blob, uint64_t offset, uint64_t length);

/* Copies bytes that lie inside the content. */
void blob_read(const struct blob *blob, uint64_t offset, char *to, size_t length);

struct packed_list blob_properties(const struct blob *blob);
struct packed_list blob_metadata(const struct blob *blob);

/* A lease of zeros when there never was one. */
const struct lease *blob_lease(const struct blob *blob);
const struct lease *container_lease(const struct container *container);

static inline struct bytes blob_name(const struct blob *blob) {
    return entry_name(&blob->entry);
}

static inline struct blob *blob_of_entry(struct entry *entry) {
    return (struct blob *)entry; /* the entry is the blob's head */
}

#endif
