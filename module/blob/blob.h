/* A blob: the content under a name, with its properties, metadata and history.
 *
 *   blob, one allocation:
 *     ┌───────┬───────┬─────────┬───────┬────────────────┬──────┬───────────────┐
 *     │ entry │ stamp │ created │ extra │ kind, lengths  │ name │ small content │
 *     └───────┴───────┴─────────┴───────┴────────────────┴──────┴───────────────┘
 *     extra     absent for most: properties, metadata and lease, and the content that is not small
 *       content   a rope, or the pages of a page blob
 *       special   what page and append blobs have, blocks, staged blocks, snapshots and where a copy came from
 *
 * The head takes 44 bytes, so that a name of 16 bytes and a content of 100 fit into 160.
 *
 * A snapshot is a blob without a name, a lease, staged blocks and snapshots of its own. It shares content, pages and
 * block list with its base, and nothing that was shared ever changes.
 *
 * A name that has only staged blocks is a blob of the kind KIND_UNCOMMITTED. It can be leased, committed and
 * deleted; for everything else it does not exist.
 *
 * All memory of a blob is counted in its container's account. */
#ifndef HOLDFAST_BLOB_H
#define HOLDFAST_BLOB_H

#include "blob/container_change.h"
#include "core/content.h"
#include "core/entry.h"
#include "core/pages.h"

enum { BLOB_INLINE_MAX = 4096, APPEND_BLOCKS_MAX = 50000 };

struct blob_special {
    struct block_list *blocks; /* committed blocks; NULL for a content that was not uploaded in blocks */
    struct staging *staging;
    struct snapshots *snapshots;
    struct copy *copy;
    int64_t sequence;  /* of a page blob */
    version born;      /* which pages it started with: only blobs with the same value can be compared */
    uint64_t appended; /* blocks of an append blob */
    bool sealed;       /* sealed: appends are refused */
};

struct blob_extra {
    struct packed *properties;
    struct packed *metadata;
    struct lease *lease; /* also an ended one, for its last id */
    struct blob_special *special;
    union {
        uint64_t length; /* the first field of every content */
        struct content content;
        struct pages pages;
    };
};

enum { BLOB_SIZE_BITS = 13, BLOB_SIZE_MAX = (1 << BLOB_SIZE_BITS) - 1 };

struct blob {
    struct entry entry;
    struct stamp stamp;
    int64_t created_ms;
    struct blob_extra *extra;
    enum blob_kind kind : 3;
    bool outside : 1;                       /* the content is in `extra` */
    unsigned capacity : BLOB_SIZE_BITS;     /* bytes reserved after the name for a small content */
    unsigned small_length : BLOB_SIZE_BITS; /* of a small content; 0 if it is outside */
    char bytes[];
};

static inline struct bytes blob_name(const struct blob *blob) {
    return entry_name(&blob->entry);
}

static inline struct blob *blob_of_entry(struct entry *entry) {
    return (struct blob *)entry; /* the entry is the blob's head */
}

/* Whether the blob exists, and not only staged blocks. */
static inline bool blob_exists(const struct blob *blob) {
    return blob && blob->kind != KIND_UNCOMMITTED;
}

static inline uint64_t blob_length(const struct blob *blob) {
    return blob->outside ? blob->extra->length : blob->small_length;
}

/* What the container counts; nothing for a blob that does not exist. */
static inline uint64_t blob_content_bytes(const struct blob *blob) {
    return blob && blob->kind != KIND_UNCOMMITTED ? blob_length(blob) : 0;
}

/* --- Reading --- */

/* Whether the content is stored after the name. */
static inline bool blob_is_inline(const struct blob *blob) {
    return !blob->outside && blob->kind != KIND_PAGE;
}

/* The content of a blob that is no page blob, empty for a small one; the pages of one that is. */
const struct content *blob_content(const struct blob *blob);
const struct pages *blob_pages(const struct blob *blob);

/* The longest contiguous run of bytes from offset on, at most length. Empty only beyond the end. */
struct bytes blob_view(const struct blob *blob, uint64_t offset, uint64_t length);

/* Copies bytes within the content. */
void blob_read(const struct blob *blob, uint64_t offset, char *to, size_t length);

struct packed_list blob_properties(const struct blob *blob);
struct packed_list blob_metadata(const struct blob *blob);

/* A zeroed lease when there never was one. */
const struct lease *blob_lease(const struct blob *blob);

/* All zeros when the blob has none. */
const struct blob_special *blob_special(const struct blob *blob);

static inline bool blob_is_being_copied(const struct blob *blob) {
    const struct copy *copy = blob_special(blob)->copy;
    return copy && copy->status == COPY_PENDING;
}

/* Whether the kind is still unknown: a copy from another server should have determined it, but has not yet, or never
 * will. Such a blob may become any kind. */
static inline bool blob_is_untyped(const struct blob *blob) {
    const struct copy *copy = blob_special(blob)->copy;
    return copy && copy->untyped;
}

/* Whether its content is still being copied. */
static inline bool blob_is_arriving(const struct blob *blob) {
    const struct copy *copy = blob_special(blob)->copy;
    return copy && copy->status == COPY_PENDING && (copy->arriving || copy->untyped);
}

/* --- Changes --- */

static inline size_t blob_bytes(size_t name_length, size_t content_bytes) {
    return offsetof(struct blob, bytes) + name_length + content_bytes;
}

struct blob *blob_new(struct account *account, struct bytes name, enum blob_kind kind, size_t content_bytes);

/* A blob equal to one without an extra. */
struct blob *blob_twin(struct account *account, const struct blob *source);

/* Frees everything but the lease, which belongs to the container. */
void blob_free(struct account *account, struct blob *blob);

/* Frees the content first: false when the effort did not suffice for that. */
bool blob_free_content(struct account *account, struct blob *blob, size_t *effort);

/* Whether a small content of this size fits into the current allocation, without wasting much. */
bool blob_fits(const struct blob *blob, size_t content_bytes);

/* Call it after the allocation was resized. */
void blob_note_capacity(struct blob *blob);

/* Optional parts are created by blob_need_… and freed by blob_trim when empty. */
struct blob_extra *blob_need_extra(struct account *account, struct blob *blob);
struct blob_special *blob_need_special(struct account *account, struct blob *blob);
struct content *blob_need_content(struct account *account, struct blob *blob);
struct pages *blob_need_pages(struct account *account, struct blob *blob);
void blob_trim(struct account *account, struct blob *blob);

/* NULL leaves a list unchanged. A new list may be a view of the old one. */
void blob_set_lists(struct account *account, struct blob *blob, const struct packed_list *properties,
                    const struct packed_list *metadata);

/* NULL removes it. */
void blob_set_copy(struct account *account, struct blob *blob, const struct copy *copy);

/* Removes all bytes, pages and blocks. */
void blob_clear_content(struct account *account, struct blob *blob);

/* Gives an empty blob the bytes, which must fit, or the chunk. */
void blob_fill(struct account *account, struct blob *blob, struct bytes content, struct chunk *chunk);

/* Gives an empty blob the content, kind, blocks and numbers of another one, sharing bytes; an inline content must
 * fit. `foreign`: the source is in another container. */
void blob_take(struct account *account, struct blob *blob, const struct blob *source, bool foreign);

void blob_relocate_parts(struct blob *blob, const struct relocation *relocation);

/* Its staged blocks; NULL without a blob, when there are none, or when they have expired. */
const struct staging *blob_staging(const struct blob *blob, int64_t now_ms);

#endif
