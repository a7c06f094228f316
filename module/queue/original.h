/* Originals: the first puts with a producer's id, kept so that a second put with the same id is recognised as a
 * duplicate and gets the first one's reply. They outlive their messages. */
#ifndef HOLDFAST_ORIGINAL_H
#define HOLDFAST_ORIGINAL_H

#include "core/hash_index.h"
#include "core/relocation.h"
#include "queue/queue_change.h"
#include "queue/timeline.h"

struct original {
    struct entry entry;
    struct moment moment; /* ends when it is forgotten */
    struct guid id;
    struct guid receipt; /* the receipt that the put returned, whatever happened to it since */
    int64_t inserted_ms;
    int64_t expires_ms;
    int64_t shows_ms;
    char name[];
};

struct originals {
    struct hash_index by_name; /* no segments before the first one */
    struct timeline by_end;
    size_t held; /* bytes of the originals, without the indexes */
};

void originals_start(struct originals *originals);
void originals_end(struct originals *originals);

/* Also finds one that is due to be forgotten; NULL when there is none. */
struct original *originals_find(const struct originals *originals, struct bytes name);
/* Adds one from a QUEUE_ORIGINAL change. One of the same name is removed. */
void originals_add(struct originals *originals, const struct queue_change *change);
/* Forgets the one that is due first; there must be one. */
void originals_forget_first(struct originals *originals);

struct queue_change original_as_change(const struct original *original);

size_t originals_held(const struct originals *originals);

static inline struct original *original_of_moment(struct moment *moment) {
    return moment ? (struct original *)((char *)moment - offsetof(struct original, moment)) : NULL;
}

#endif
