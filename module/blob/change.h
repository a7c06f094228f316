/* Changes: the vocabulary in which the state of a container moves, and how it is written down.
 *
 * A change is a fact: it carries the new ETag, instants and bytes, and never a condition or a choice. The
 * same record travels to replicas, stands in append-only files and snapshots, and is read back by one decoder
 * that takes nothing on trust. Bytes of a content do not stand in the record; they travel beside it, so that
 * nobody copies them. */
#ifndef HOLDFAST_CHANGE_H
#define HOLDFAST_CHANGE_H

#include "core/chunk.h"
#include "core/condition.h"
#include "core/packed.h"
#include "lease/lease.h"

enum change_kind {
    CHANGE_CREATE,
    CHANGE_SETMETA,
    CHANGE_SETACL,
    CHANGE_DROP,
    CHANGE_PUT,
    CHANGE_EXTEND, /* a further piece of a content: nothing but the way in which a file builds a large blob
                      anew */
    CHANGE_SETBLOBPROPS,
    CHANGE_SETBLOBMETA,
    CHANGE_DELETE,
    CHANGE_LEASE,     /* the container's own */
    CHANGE_BLOBLEASE, /* a blob's */
    CHANGE_KINDS
};

enum container_access { ACCESS_PRIVATE, ACCESS_BLOB, ACCESS_CONTAINER, ACCESS_KINDS };

struct change {
    enum change_kind kind;
    enum container_access access;
    struct bytes name;
    struct stamp stamp;
    int64_t created_ms;
    struct packed_list properties;
    struct packed_list metadata;
    struct packed_list policies;
    struct lease lease;
    enum lease_event event;
    bool frees_lease; /* the write ends what is left of a lease that has ended */
    bool expired;     /* this is the moment at which it shows that a lease has run out */
    struct bytes content;
    struct chunk *chunk; /* the content, when it is too large for the blob itself */
};

/* The first byte of every record; other families have other ones. */
enum { CHANGE_FAMILY = 'C' };

void change_write(const struct change *change, struct record_writer *writer);

/* Reads and checks a record; content and chunk stay empty. The change borrows from the record. */
bool change_read(struct bytes record, struct change *change);

/* Whether a content travels beside the record. */
bool change_has_content(enum change_kind kind);
bool change_has_name(enum change_kind kind);

/* The keyspace notification for this change; NULL for none. */
const char *change_event(const struct change *change);

#endif
