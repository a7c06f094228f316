/* Changes of a container and its blobs, and how they are written as records; see change/change.h. Bytes of a content,
 * and the key of a copy's source, travel beside the record. */
#ifndef HOLDFAST_CONTAINER_CHANGE_H
#define HOLDFAST_CONTAINER_CHANGE_H

#include "change/change.h"
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
    CONTAINER_LOADED, /* last record of a file: forgets the chunks' numbers */
    BLOB_SETPROPS,
    BLOB_SETMETA,
    BLOB_DELETE,     /* with all its snapshots */
    CONTAINER_LEASE, /* lease of the container */
    BLOB_LEASE,      /* lease of a blob */
    BLOB_CREATEPAGE,
    BLOB_PUTPAGE,
    BLOB_CLEARPAGE,
    BLOB_CREATEAPPEND,
    BLOB_APPEND,
    BLOB_STAGE, /* stages a block */
    BLOB_COMMIT,
    BLOB_UNSTAGE, /* drops expired staged blocks, this many, the first by id */
    BLOB_SNAPSHOT,
    BLOB_DELETESNAPSHOTS, /* one, or all */
    BLOB_COPY,
    BLOB_ABORTCOPY,
    BLOB_COPYSTATE,

    /* Records that are only in files. Each chunk gets the next number; later records refer to it by that number, so
     * that what is shared stays shared. */
    CONTAINER_CHUNK, /* a chunk, or the next piece of one */
    BLOB_STATE,      /* a blob without its content */
    BLOB_SPANS,      /* chunks of its content */
    BLOB_BLOCKS,     /* chunks of its content, with their block ids */
    BLOB_LEAVES,     /* leaves of its pages */
    BLOB_STAGED,     /* a staged block */

    BLOB_SEAL, /* seals an append blob */

    /* Copies from another server; see container_apply_copy.c. */
    BLOB_COPYSTART, /* begins a pending copy; an existing blob keeps its content */
    BLOB_COPYBEGIN, /* the source has replied: the blob is emptied and gets the source's kind */
    BLOB_COPYPIECE, /* more bytes, up to the maximum of one effect; also for the last block */
    BLOB_COPYBLOCK, /* the first bytes of the next block */
    BLOB_COPYEND,   /* the copy is complete, or has failed */
    BLOB_COPYTOLD,  /* in files: a BLOB_COPYSTATE that has a description */

    /* The feed, in the order of enum feed_change_kind: see change/feed_change.h. */
    CONTAINER_FEEDON,
    CONTAINER_FEEDKEEP,
    CONTAINER_FEEDOFF,
    CONTAINER_FEEDBUILT,
    CONTAINER_FEEDSTATE,
    CONTAINER_FEEDMARKERS,
    CONTAINER_CHANGE_KINDS
};

enum container_access { ACCESS_PRIVATE, ACCESS_BLOB, ACCESS_CONTAINER, ACCESS_KINDS };

enum blob_kind {
    KIND_BLOCK,
    KIND_PAGE,
    KIND_APPEND,
    KIND_UNCOMMITTED, /* a name that so far has only staged blocks */
    BLOB_KINDS
};

enum { BLOCK_ID_MAX_BYTES = 64, COPY_SOURCE_MAX_BYTES = 4096, COPY_DESCRIPTION_MAX_BYTES = 1024 };

enum copy_status { COPY_NONE, COPY_PENDING, COPY_SUCCESS, COPY_ABORTED, COPY_FAILED, COPY_STATUSES };

/* The copy that a blob came from. */
struct copy {
    enum copy_status status;
    version id;
    struct bytes source; /* for people; borrowed */
    uint64_t done;
    uint64_t total;
    int64_t completed_ms;     /* 0 while it is in progress */
    bool arriving;            /* pending, and the blob has been emptied for bytes from another server */
    bool untyped;             /* the blob is new, and its kind is not known from the source yet */
    struct bytes description; /* why it failed, for people; borrowed */
};

/* Parts that are optional in some kinds of changes. */
enum container_change_part {
    PART_PROPERTIES = 1,
    PART_METADATA = 2,
    PART_LENGTH = 4,
    PART_SEQUENCE = 8,
    PARTS_ALL = 63, /* with the flags */
};

/* What the same field says of a BLOB_STATE. */
enum container_state_flag {
    STATE_KEEPS_CONTENT = 16, /* of the previous state */
    STATE_IS_SEALED = 32,     /* an append blob */
};

/* What it says of a BLOB_SNAPSHOT; the flags of a BLOB_DELETESNAPSHOTS say it, too. */
enum container_snapshot_flag {
    SNAPSHOT_IS_HELPER = 32, /* it lasts as long as one transaction, and nobody is told of it */
};

struct blob;
struct block_plan;
struct container;
struct copy_order;

struct container_change {
    enum container_change_kind kind;
    enum container_access access;
    enum blob_kind blob_kind;
    unsigned parts; /* bits of enum container_change_part, and flags of the kind */
    struct bytes name;
    struct stamp stamp;
    int64_t created_ms;
    struct packed_list properties;
    struct packed_list metadata;
    struct packed_list policies;
    struct packed_list list; /* blocks, or their numbers in files; see blocks.h and load_chunks.h */
    struct lease lease;
    struct copy copy;
    enum lease_event event;
    bool frees_lease;    /* the write clears an ended lease */
    bool expired;        /* the lease was found to have expired here */
    bool from_elsewhere; /* a copy's source is in another container, whose key travels beside the record */
    /* One field of a record, by the names that it has in changes of one kind or another. */
    union {
        uint64_t offset; /* where bytes go */
        uint64_t total;  /* BLOB_COPYBEGIN: the length of the source */
    };
    uint64_t length; /* of a page blob, of a cleared range, or of a chunk */
    union {
        uint64_t count;
        uint64_t appended;     /* BLOB_STATE, BLOB_COPYBEGIN: the number of an append blob's blocks */
        uint64_t unstaged_max; /* BLOB_UNSTAGE: how many blocks are dropped at most */
        uint64_t chunk_number; /* BLOB_STAGED */
        uint64_t keep;         /* CONTAINER_FEEDON, CONTAINER_FEEDKEEP: how many deletions are kept */
    };
    int64_t sequence;    /* a page blob's */
    int64_t touched_ms;  /* when a block was staged */
    version born;        /* which pages a page blob started with */
    version snapshot;    /* snapshot id; 0 for none, or for all */
    version minted;      /* version of a deletion where a feed is on, or at which a feed begins */
    struct bytes feed;   /* state or markers of a feed: see core/feed.h */
    struct bytes source; /* name of a copy's source */
    version source_snapshot;
    struct bytes block_id;
    struct bytes content;
    struct chunk *chunk; /* the content, when it is too large to be stored in the blob */

    /* What the decision has already looked up; not in records. */
    bool sought;                              /* the blob has been looked up, … */
    struct blob *blob;                        /* … and is this one; NULL if there is none */
    const struct container *source_container; /* of a copy from another container */
    const struct block_plan *plan;            /* of a commit */
    version kept; /* of a copy: the snapshot of its target that other copies of the transaction read */
    const struct copy_order *order; /* of a copy that starts */
};

/* The fields of a record, in order: the rows of the layout. A codec of its own gets the whole change if the member is
 * `kind`, the first one. */
/* clang-format off */
#define CONTAINER_FIELDS(X)                                                                                        \
    X(NAME,        name,             .codec = CODEC_BYTES, .sound = name_is_sound)                                 \
    X(STAMP,       stamp,            .codec = CODEC_STAMP)                                                         \
    X(CREATED,     kind,             .codec = CODEC_OWN, .own = &created)                                          \
    X(ACCESS,      access,           .codec = CODEC_ENUM, .max = ACCESS_KINDS - 1)                                 \
    X(KIND,        blob_kind,        .codec = CODEC_ENUM, .max = KIND_APPEND)                                      \
    X(PARTS,       parts,            .codec = CODEC_ENUM, .max = PARTS_ALL)                                        \
    X(PROPERTIES,  properties,       .codec = CODEC_LIST, .part = PART_PROPERTIES, .sound = properties_are_sound)  \
    X(METADATA,    metadata,         .codec = CODEC_LIST, .part = PART_METADATA, .sound = metadata_is_sound)       \
    X(POLICIES,    policies,         .codec = CODEC_LIST, .sound = policies_are_sound)                             \
    X(OFFSET,      offset,           .codec = CODEC_NUMBER)                                                        \
    X(LENGTH,      length,           .codec = CODEC_NUMBER, .part = PART_LENGTH)                                   \
    X(COUNT,       count,            .codec = CODEC_NUMBER)                                                        \
    X(SEQUENCE,    sequence,         .codec = CODEC_INSTANT, .part = PART_SEQUENCE)                                \
    X(BORN,        born,             .codec = CODEC_MAYBE_VERSION)                                                 \
    X(SNAPSHOT,    snapshot,         .codec = CODEC_MAYBE_VERSION)                                                 \
    X(BLOCK,       block_id,         .codec = CODEC_BYTES, .max = BLOCK_ID_MAX_BYTES, .sound = block_id_is_sound)  \
    X(TOUCHED,     touched_ms,       .codec = CODEC_INSTANT)                                                       \
    X(SOURCE,      kind,             .codec = CODEC_OWN, .own = &source)                                           \
    X(COPY,        copy,             .codec = CODEC_OWN, .own = &copy)                                             \
    X(LIST,        list,             .codec = CODEC_LIST)                                                          \
    X(LEASE_EVENT, kind,             .codec = CODEC_OWN, .own = &lease_event)                                      \
    X(LEASE,       lease,            .codec = CODEC_OWN, .own = &lease_codec)                                      \
    X(FLAGS,       kind,             .codec = CODEC_OWN, .own = &flags)                                            \
    X(DESCRIPTION, copy.description, .codec = CODEC_BYTES, .max = COPY_DESCRIPTION_MAX_BYTES)                      \
    X(ADDITIONS,   kind,             .codec = CODEC_OWN, .own = &additions)                                        \
    X(MINTED,      minted,           .codec = CODEC_VERSION)                                                       \
    X(FEED,        feed,             .codec = CODEC_BYTES)                                                         \
    X(FEEDSTATE,   feed,             .codec = CODEC_OWN, .own = &feed_state_codec)
/* clang-format on */

#define CONTAINER_FIELD(name, ...) CONTAINER_FIELD_##name,
enum container_field { CONTAINER_FIELDS(CONTAINER_FIELD) };
#define CONTAINER_HAS(field) (UINT64_C(1) << CONTAINER_FIELD_##field)

extern const struct change_schema container_changes;

/* Applies a change of one kind. Takes ownership of the change's chunk on success. `blob` points to the pointer to
 * the blob, which is NULL if there is none. */
typedef bool container_change_apply(struct container *container, struct blob **blob,
                                    const struct container_change *change);

/* A row of the table of kinds, next to the functions that apply them. */
struct container_kind {
    struct change_kind is;
    container_change_apply *apply; /* NULL for kinds that create or drop */
    bool paged;                    /* offset and length are multiples of the page size */
};

extern const struct container_kind container_change_kinds[CONTAINER_CHANGE_KINDS];

/* Whether it concerns a named blob, and not the container itself. */
static inline bool container_change_has_name(const struct container_change *change) {
    return container_change_kinds[change->kind].is.fields & CONTAINER_HAS(NAME);
}

/* Whether the key of a copy's source travels beside the record. */
bool container_change_has_source(const void *record);

/* The keyspace notification; NULL for none. */
const char *container_change_event(const struct container_change *change);

#endif
