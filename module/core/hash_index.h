/* A hash index: entries by name in constant time, growing and shrinking one bucket at a time.
 *
 *   segments ─▶ [ bucket bucket … ] [ bucket … ]      a bucket is one cache line: seven entries, seven tags
 *
 * Linear hashing: with n buckets, 2^k ≤ n < 2^(k+1), a hash belongs to bucket hash mod 2^(k+1), or, where
 * there is no such bucket yet, to hash mod 2^k. To grow is to split one bucket, to shrink is to join two, so
 * no insertion ever pays for a table of millions. A full bucket continues in another one, which its last slot
 * points to.
 *
 * It owns its buckets and no entry, compares names only where a tag of eight bits agrees, and keeps no order.
 *
 * The entries of an index of bare entries have no struct entry: they begin with their names, which all have the same
 * length, and the index computes a hash when it needs it. The caller casts them to struct entry *. */
#ifndef HOLDFAST_HASH_INDEX_H
#define HOLDFAST_HASH_INDEX_H

#include "core/entry.h"
#include "core/hash.h"
#include "core/relocation.h"

struct bucket;

/* A zeroed struct is an empty index. */
struct hash_index {
    struct bucket **segments;
    size_t buckets;
    size_t count;
    size_t memory;           /* bytes of segments and buckets */
    size_t bare_name_length; /* 0 for entries that begin with a struct entry */
};

/* Leaves an empty index. */
void hash_index_end(struct hash_index *index);

/* Prefetches the bucket and, once that has arrived, the entry. Use it when there is other
 * work before hash_index_find. */
void hash_index_prefetch(const struct hash_index *index, uint32_t hash);
void hash_index_prefetch_entry(const struct hash_index *index, uint32_t hash);

struct entry *hash_index_find(const struct hash_index *index, uint32_t hash, struct bytes name);
/* The same, for a name whose hash nobody needs any further. */
static inline struct entry *hash_index_named(const struct hash_index *index, struct bytes name) {
    return hash_index_find(index, hash_bytes(name), name);
}

/* Makes an empty index equal to another one; both have the same entries. */
void hash_index_copy(struct hash_index *index, const struct hash_index *source);

/* The name must not be there yet. */
void hash_index_add(struct hash_index *index, struct entry *entry);

/* The entry must be there. */
void hash_index_remove(struct hash_index *index, const struct entry *entry);

/* The address of the index's pointer to an entry in it, for an entry that is about to move in memory. */
void **hash_index_slot(const struct hash_index *index, const struct entry *entry);

/* Visits every entry at one of the `buckets` places. The visitor may update the slot when it moves the entry. */
void hash_index_visit(const struct hash_index *index, size_t place,
                      void (*visit)(void *context, struct entry *entry), void *context);

/* Active defragmentation at one place of all; those behind the last bucket have nothing. Moves the segment that begins
 * there, if one does, and lets `move` move each entry: it updates the slot. */
void hash_index_move(struct hash_index *index, size_t place, const struct relocation *relocation,
                     void (*move)(void *owner, struct entry *entry, const struct relocation *relocation),
                     void *owner);

/* Moves the segment that begins at this place, if one does. A walk over all places moves all segments, one by one. */
void hash_index_relocate(struct hash_index *index, size_t place, const struct relocation *relocation);

#endif
