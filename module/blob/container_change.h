/* Changes: the vocabulary in which the state of a container moves, and how it is written down.
 *
 * A change is a fact: it carries the new ETag, instants and bytes, and never a condition or a choice. The
 * same record travels to replicas, stands in append-only files and snapshots, and is read back by one decoder
 * that takes nothing on trust. Bytes of a content do not stand in the record; they travel beside it, so that
 * nobody copies them. */
#ifndef HOLDFAST_CONTAINER_CHANGE_H
#define HOLDFAST_CONTAINER_CHANGE_H

#include "core/chunk.h"
#include "core/condition.h"
#include "core/packed.h"
#include "lease/lease.h"

enum container_change_kind {
    CONTAINER_CREATE,
    CONTAINER_SETMETA,
    CONTAINER_SETACL,
    CONTAINER_DROP,
    BLOB_PUT,
    BLOB_EXTEND, /* a further piece of a content, as files before the numbers of chunks had it; it is read only */
    BLOB_SETPROPS,
    BLOB_SETMETA,
    BLOB_DELETE,     /* with all snapshots */
    CONTAINER_LEASE, /* the container's own */
    BLOB_LEASE,      /* a blob's */
    BLOB_CREATEPAGE,
    BLOB_PUTPAGE,
    BLOB_CLEARPAGE,
    BLOB_CREATEAPPEND,
    BLOB_APPEND,
    BLOB_STAGE, /* a block that waits to be committed */
    BLOB_COMMIT,
    BLOB_UNSTAGE, /* staged blocks, the first so many by their ids, that have waited too long */
    BLOB_SNAPSHOT,
    BLOB_DELETESNAPSHOTS, /* one, or all */
    BLOB_COPY,
    BLOB_ABORTCOPY,
    BLOB_COPYSTATE,

    /* How a file builds a container anew, and nothing else. A chunk gets the next number and is spoken of by it, so
       that what is shared stays shared. */
    CONTAINER_CHUNK,  /* a chunk, or the next piece of one */
    BLOB_STATE,       /* a blob but for its content */
    BLOB_SPANS,       /* chunks of its content */
    BLOB_BLOCKS,      /* chunks of its content, with their block ids */
    BLOB_LEAVES,      /* leaves of its pages */
    BLOB_STAGED,      /* a staged block */
    CONTAINER_LOADED, /* the numbers of the chunks are forgotten */
    CONTAINER_CHANGE_KINDS
};

enum container_access { ACCESS_PRIVATE, ACCESS_BLOB, ACCESS_CONTAINER, ACCESS_KINDS };

enum blob_kind {
    KIND_BLOCK,
    KIND_PAGE,
    KIND_APPEND,
    KIND_UNCOMMITTED, /* a name that has staged blocks and nothing else yet */
    BLOB_KINDS
};

enum { BLOCK_ID_MAX_BYTES = 64, COPY_SOURCE_MAX_BYTES = 4096 };

enum copy_status { COPY_NONE, COPY_PENDING, COPY_SUCCESS, COPY_ABORTED, COPY_FAILED, COPY_STATUSES };

/* What is known of the copy that a blob came from. */
struct copy {
    enum copy_status status;
    version id;
    struct bytes source; /* for people; borrowed */
    uint64_t done;
    uint64_t total;
    int64_t completed_ms; /* 0 while it goes on */
};

/* Parts that some kinds of changes have or have not. */
enum container_change_part {
    PART_PROPERTIES = 1,
    PART_METADATA = 2,
    PART_LENGTH = 4,
    PART_SEQUENCE = 8,
    PART_KEPT = 16, /* no part: the content is that of the state before */
    PARTS_ALL = 31,
};

struct block_plan;
struct container;

struct container_change {
    enum container_change_kind kind;
    enum container_access access;
    enum blob_kind blob_kind;
    unsigned parts; /* the sum of its change_parts */
    struct bytes name;
    struct stamp stamp;
    int64_t created_ms;
    struct packed_list properties;
    struct packed_list metadata;
    struct packed_list policies;
    struct packed_list list; /* blocks, or what stands for them in files; see blocks.h and pool.h */
    struct lease lease;
    struct copy copy;
    enum lease_event event;
    bool frees_lease;    /* the write ends what is left of a lease that has ended */
    bool drops_staged;   /* what was staged has waited too long */
    bool expired;        /* this is the moment at which it shows that a lease has run out */
    bool from_elsewhere; /* the source of a copy is in another container, whose key travels beside */
    uint64_t offset;     /* where bytes go, or how long an append blob was before */
    uint64_t length;     /* of a page blob, of what is cleared, or of a chunk */
    uint64_t count;      /* of an append blob's blocks, or of blocks; or a chunk's number */
    int64_t sequence;    /* a page blob's */
    int64_t touched_ms;  /* when a block was staged */
    version born;        /* what a page blob's pages began with */
    version snapshot;    /* its id; 0 for none, or for all */
    struct bytes source; /* the name of a copy's source */
    version source_snapshot;
    struct bytes block_id;
    struct bytes content;
    struct chunk *chunk;                      /* the content, when it is too large for the blob itself */
    const struct container *source_container; /* of a copy, when it comes from elsewhere */
    const struct block_plan *plan;            /* of a commit that has just been decided */
};

/* The first byte of every record; other families have other ones. */
enum { CONTAINER_FAMILY = 'C' };

void container_change_write(const struct container_change *change, struct record_writer *writer);

/* Reads and checks a record; what does not travel in it stays empty. The change borrows from the record. */
bool container_change_read(struct bytes record, struct container_change *change);

/* What travels beside the record: bytes of a content, or the key of a copy's source. */
bool container_change_has_content(const struct container_change *change);
bool container_change_has_source_key(const struct container_change *change);

bool container_change_has_name(enum container_change_kind kind);

/* Whether files hold such changes. */
bool container_change_is_in_files(enum container_change_kind kind);

/* The keyspace notification for this change; NULL for none. */
const char *container_change_event(const struct container_change *change);

#endif
