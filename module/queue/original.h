/* Originals: what is known of messages that were put with an id of the producer's, so that a second put with the same
 * id is known as a duplicate and answered as the first one was. They outlive their messages. */
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
    struct guid receipt; /* that the put was answered with, whatever has become of it */
    int64_t inserted_ms;
    int64_t expires_ms;
    int64_t shows_ms;
    char name[];
};

struct originals {
    struct hash_index by_name; /* without segments before the first one */
    struct timeline by_end;
    size_t held; /* allocations of the originals, not of the indexes */
};

void originals_start(struct originals *originals);
void originals_end(struct originals *originals);

/* Also one that is to be forgotten by now; NULL when there is none. */
struct original *originals_find(const struct originals *originals, struct bytes name);
/* From a QUEUE_ORIGINAL. One of the same name goes. */
void originals_add(struct originals *originals, const struct queue_change *change);
/* Drops the first to be forgotten; there must be one. */
void originals_forget_first(struct originals *originals);

struct queue_change original_as_change(const struct original *original);

size_t originals_held(const struct originals *originals);

static inline struct original *original_of_moment(struct moment *moment) {
    return moment ? (struct original *)((char *)moment - offsetof(struct original, moment)) : NULL;
}

#endif
