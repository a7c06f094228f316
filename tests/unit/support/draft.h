/* Drafts: sound changes of every kind, made from a few bytes, which come from dice or from a fuzzer. */
#ifndef HOLDFAST_UNIT_DRAFT_H
#define HOLDFAST_UNIT_DRAFT_H

#include "blob/container_change.h"
#include "dice.h"
#include "pairs.h"

/* Each byte is taken modulo the number of choices that there are. */
struct choice {
    uint8_t kind;
    uint8_t name;
    uint8_t size;       /* one of a few sizes around the limits… */
    uint8_t fine;       /* …and a little more */
    uint8_t beside;     /* whether a content comes as a chunk, and which; what is told of an ended lease */
    uint8_t properties; /* of a lease, too */
    uint8_t metadata;   /* of a container's policies and of a lease's event, too */
    uint8_t stamp;
};

/* Not to be copied. */
struct draft {
    struct container_change change; /* the content is set, the chunk is not */
    struct pairs properties, metadata, policies;
    struct record_writer list, feed;
};

enum { DRAFT_NAMES = 24 };

void draft_make(struct draft *draft, const struct choice *choice);
void draft_end(struct draft *draft);

/* The nth of the names that drafts speak of. Some begin others, some are as short or as long as can be. */
struct bytes draft_name(unsigned n);

/* Sets the content: a small one as it is, a large one in a chunk of its own, as commands and files bring it. */
void change_set_content(struct container_change *change, struct bytes content);

/* The chunk that the choice wants for the change's content, or NULL. The
 * caller hands it on with the change. */
struct chunk *draft_chunk(const struct draft *draft, const struct choice *choice);

/* A page blob's length that a draft may give, at most. */
enum { DRAFT_PAGES_MAX = 300 };

/* Whether two leases, or two copies, are the same in all that is told of them. */
bool copy_same(const struct copy *a, const struct copy *b);
bool lease_same(const struct lease *a, const struct lease *b);

/* Whether a lease is one that a record may speak of. */
bool lease_sound(const struct lease *lease);

/* Whether two changes say the same; of their contents nothing is asked. */
bool change_same(const struct container_change *a, const struct container_change *b);

#endif
