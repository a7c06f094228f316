/* Changes of a share, and their records: see change/change.h. */
#ifndef HOLDFAST_SHARE_CHANGE_H
#define HOLDFAST_SHARE_CHANGE_H

#include "change/change.h"
#include "core/chunk.h"
#include "core/condition.h"
#include "core/guid.h"
#include "core/packed.h"
#include "file/range_locks.h"
#include "file/sharing.h"
#include "lease/lease.h"

enum share_change_kind {
    SHARE_CREATE,
    SHARE_SETMETA,
    SHARE_SETPROPS,
    SHARE_SETACL,
    SHARE_DROP,
    SHARE_SNAPSHOT,
    SHARE_LEASE,
    SHARE_CONNECT,
    SHARE_PING,
    SHARE_DISCONNECT,
    SHARE_EXPIRE, /* the time of a session is up */
    SHARE_SWEEP,  /* removes handles of an ended session, and with `on` the session */
    FILE_MKDIR,
    FILE_RMDIR,
    FILE_CREATE, /* replaces an existing file */
    FILE_PUTRANGE,
    FILE_CLEARRANGE,
    FILE_SETPROPS,
    FILE_SETMETA,
    FILE_DELETE,
    FILE_COPY,
    FILE_RENAME,
    FILE_LEASE,
    FILE_SETTLE, /* takes the handles of ended sessions away from a file */
    FILE_OPEN,
    FILE_CLOSE,
    FILE_CLOSEHANDLES,
    FILE_WRITE,
    FILE_TRUNCATE,
    FILE_LOCK,
    FILE_UNLOCK,
    FILE_DISPOSE,
    /* In files only: see share_walk.c. */
    LOAD_NODE,
    LOAD_SNAPSHOT_PLACE,
    LOAD_LENGTH,
    LOAD_LEAF,
    LOAD_GAP,
    LOAD_STATE,
    LOAD_END,
    LOAD_HANDLE,
    LOAD_LOCK,
    LOAD_MARK,
    FILE_UNOPEN, /* closes a handle that no client has got; deletes nothing */
    SHARE_CHANGE_KINDS
};

/* The parts that a FILE_SETPROPS or FILE_COPY sets. */
enum {
    FILE_PART_PROPERTIES = 1,
    FILE_PART_METADATA = 2,
    FILE_PART_LENGTH = 4,
    FILE_PART_ATTRIBUTES = 8,
    FILE_PARTS_ALL = 15
};

struct file_node;
struct file_handle;
struct share_session;

/* Members are grouped by meaning, not packed. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct share_change {
    enum share_change_kind kind;
    struct stamp stamp;
    int64_t created_ms;
    uint64_t quota;
    struct packed_list metadata;
    struct packed_list policies;
    struct packed_list properties;
    version snapshot;
    struct bytes path;
    struct bytes target; /* the path of a copy or move */
    unsigned parts;
    uint64_t offset;
    uint64_t length;
    uint8_t attributes;
    struct lease lease;
    enum lease_event event;
    bool expired;
    struct guid session;
    struct guid handle;
    struct packed_list handles; /* guids */
    struct bytes owner;
    int64_t ttl_ms;
    int64_t instant_ms; /* when a session ends, or when a handle was opened */
    bool ends_with_connection;
    struct sharing sharing;
    bool deletes_on_close;
    bool on; /* marked for deletion; in a sweep: removes the session, too */
    enum lock_kind lock;
    uint64_t count;  /* of a lock: its recursion count */
    uint64_t number; /* of a session or handle, 0 for the next one; of a share: the last one assigned */
    /* In files: */
    struct bytes name;
    uint8_t node_kind;
    uint64_t parent_number, node_number; /* in the order of the walk, from the root's 0 */
    uint8_t born, last, changed;
    uint64_t leaf;
    uint64_t present;
    /* Beside the record: */
    struct bytes content;
    struct chunk *chunk; /* of a leaf */
    /* Not in records: objects that the decision has already looked up; NULL for those that must be found. */
    struct file_node *node;       /* of the path, or of the handle */
    struct file_handle *opened;   /* of the handle */
    struct share_session *holder; /* of the session */
    /* Not in records: who may be woken, looked up before the change. */
    uint64_t line_id;  /* the name of the changed file's line of waiters; 0 for none */
    struct guid party; /* the session of the changed handle */
};

/* The fields of a record, in order: the rows of the layout. */
/* clang-format off */
#define SHARE_FIELDS(X)                                                                                    \
    X(PATH,          path,                 .codec = CODEC_BYTES, .sound = path_is_sound)                   \
    X(TARGET,        target,               .codec = CODEC_BYTES, .sound = path_is_sound)                   \
    X(STAMP,         stamp,                .codec = CODEC_STAMP)                                           \
    X(CREATED,       created_ms,           .codec = CODEC_INSTANT)                                         \
    X(QUOTA,         quota,                .codec = CODEC_NUMBER, .max = INT64_MAX)                        \
    X(SNAPSHOT,      snapshot,             .codec = CODEC_VERSION)                                         \
    X(PARTS,         parts,                .codec = CODEC_ENUM, .max = FILE_PARTS_ALL)                     \
    X(OFFSET,        offset,               .codec = CODEC_NUMBER)                                          \
    X(LENGTH,        length,               .codec = CODEC_NUMBER)                                          \
    X(ATTRIBUTES,    attributes,           .codec = CODEC_BYTE, .max = ATTRIBUTES_ALL)                     \
    X(METADATA,      metadata,             .codec = CODEC_LIST, .sound = metadata_is_sound)                \
    X(POLICIES,      policies,             .codec = CODEC_LIST, .sound = policies_are_sound)               \
    X(PROPERTIES,    properties,           .codec = CODEC_LIST, .sound = properties_are_sound)             \
    X(LEASE,         lease,                .codec = CODEC_OWN, .own = &lease_codec)                              \
    X(LEASE_EVENT,   event,                .codec = CODEC_ENUM, .max = LEASE_EVENTS - 1)                   \
    X(LEASE_EXPIRED, expired,              .codec = CODEC_FLAG)                                            \
    X(SESSION,       session,              .codec = CODEC_GUID)                                            \
    X(HANDLE,        handle,               .codec = CODEC_GUID)                                            \
    X(HANDLES,       handles,              .codec = CODEC_LIST)                                            \
    X(OWNER,         owner,                .codec = CODEC_BYTES, .max = SESSION_OWNER_MAX_BYTES)           \
    X(TTL,           ttl_ms,               .codec = CODEC_INSTANT)                                         \
    X(INSTANT,       instant_ms,           .codec = CODEC_INSTANT)                                         \
    X(CLOSING,       ends_with_connection, .codec = CODEC_FLAG)                                            \
    X(ACCESS,        sharing.access,       .codec = CODEC_BYTE, .max = SHARING_ALL)                        \
    X(SHARED,        sharing.share,        .codec = CODEC_BYTE, .max = SHARING_ALL)                        \
    X(DELETES,       deletes_on_close,     .codec = CODEC_FLAG)                                            \
    X(ON,            on,                   .codec = CODEC_FLAG)                                            \
    X(LOCK,          lock,                 .codec = CODEC_ENUM, .max = LOCK_KINDS - 1)                     \
    X(COUNT,         count,                .codec = CODEC_NUMBER)                                          \
    X(NUMBER,        number,               .codec = CODEC_NUMBER, .max = SHARE_NUMBERS_MAX)                \
    X(NAME,          name,                 .codec = CODEC_BYTES, .sound = node_name_is_sound)              \
    X(NODE_KIND,     node_kind,            .codec = CODEC_BYTE, .max = NODE_KINDS - 1)                     \
    X(PARENT,        parent_number,        .codec = CODEC_NUMBER)                                          \
    X(NODE,          node_number,          .codec = CODEC_NUMBER)                                          \
    X(BORN,          born,                 .codec = CODEC_BYTE, .max = SHARE_SNAPSHOTS_MAX)                \
    X(CHANGED,       changed,              .codec = CODEC_BYTE, .max = SHARE_SNAPSHOTS_MAX)                \
    X(LAST,          last,                 .codec = CODEC_BYTE, .max = SHARE_SNAPSHOTS_MAX)                \
    X(LEAF,          leaf,                 .codec = CODEC_NUMBER, .max = PAGES_MAX_BYTES / LEAF_BYTES - 1) \
    X(PRESENT,       present,              .codec = CODEC_WORD, .sound = has_any_page)
/* clang-format on */

#define SHARE_FIELD(name, ...) SHARE_FIELD_##name,
enum share_field { SHARE_FIELDS(SHARE_FIELD) };
#define SHARE_HAS(field) (UINT64_C(1) << SHARE_FIELD_##field)

enum { SHARE_SNAPSHOTS_MAX = 200 };
/* Numbers of sessions and handles are less than this. */
#define SHARE_NUMBERS_MAX (UINT64_C(1) << 62)

extern const struct change_schema share_changes;

struct share;

/* Applies a change of one kind. */
typedef bool share_change_apply(struct share *share, const struct share_change *change);

/* The waiters that are probed after a change. */
enum share_wake {
    WAKES_NOBODY = 0,  /* not named in the table of kinds */
    WAKES_FOR_SHARE,   /* waiters for the share's lease */
    WAKES_FOR_FILE,    /* waiters for the file */
    WAKES_FOR_BARRED,  /* waiters for the file, if it becomes read-only */
    WAKES_FOR_HANDLE,  /* waiters for the file, and the session that had it open */
    WAKES_FOR_SESSION, /* the session, and all waiters of the key */
    WAKES_FOR_KEY,     /* all waiters of the key */
    WAKES_FOR_MOVE,    /* all waiters of the key, and waiters for the file */
};

/* A row of the table of kinds, which is in share_apply.c beside the functions that apply them. */
struct share_kind {
    struct change_kind is;
    share_change_apply *apply; /* NULL for kinds that create or drop */
    enum share_wake wakes;
};

extern const struct share_kind share_change_kinds[SHARE_CHANGE_KINDS];

#endif
