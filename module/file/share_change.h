/* Changes of a share, and their records.
 *
 * A change is a fact: it carries paths, ids, instants, versions and bytes, and no condition. The same record goes to
 * replicas, append-only files and snapshots. The decoder trusts nothing that it reads. */
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
    /* In files only: see share_walk.h. */
    LOAD_NODE,
    LOAD_SNAPSHOT_PLACE,
    LOAD_LENGTH,
    LOAD_LEAF,
    LOAD_GAP,
    LOAD_STATE,
    LOAD_END,
    LOAD_OPEN,
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
struct file_open;
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
    struct packed_list handles; /* each 16 bytes */
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
    struct file_open *opened;     /* of the handle */
    struct share_session *holder; /* of the session */
    /* Not in records: the name of the changed file's line of waiters, looked up before the change. */
    uint64_t line_id;
    struct guid party;
};

/* The fields of a record, in order: the rows of the layout. */
enum share_field {
    SHARE_FIELD_PATH,
    SHARE_FIELD_TARGET,
    SHARE_FIELD_STAMP,
    SHARE_FIELD_CREATED,
    SHARE_FIELD_QUOTA,
    SHARE_FIELD_SNAPSHOT,
    SHARE_FIELD_PARTS,
    SHARE_FIELD_OFFSET,
    SHARE_FIELD_LENGTH,
    SHARE_FIELD_ATTRIBUTES,
    SHARE_FIELD_METADATA,
    SHARE_FIELD_POLICIES,
    SHARE_FIELD_PROPERTIES,
    SHARE_FIELD_LEASE,
    SHARE_FIELD_LEASE_EVENT,
    SHARE_FIELD_LEASE_EXPIRED,
    SHARE_FIELD_SESSION,
    SHARE_FIELD_HANDLE,
    SHARE_FIELD_HANDLES,
    SHARE_FIELD_OWNER,
    SHARE_FIELD_TTL,
    SHARE_FIELD_INSTANT,
    SHARE_FIELD_CLOSING,
    SHARE_FIELD_ACCESS,
    SHARE_FIELD_SHARED,
    SHARE_FIELD_DELETES,
    SHARE_FIELD_ON,
    SHARE_FIELD_LOCK,
    SHARE_FIELD_COUNT,
    SHARE_FIELD_NUMBER,
    SHARE_FIELD_NAME,
    SHARE_FIELD_NODE_KIND,
    SHARE_FIELD_PARENT,
    SHARE_FIELD_NODE,
    SHARE_FIELD_BORN,
    SHARE_FIELD_CHANGED,
    SHARE_FIELD_LAST,
    SHARE_FIELD_LEAF,
    SHARE_FIELD_PRESENT,
};

#define SHARE_HAS(field) (UINT64_C(1) << SHARE_FIELD_##field)

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

/* Append a handle to a list; read the next one, false at the end. */
void share_handle_put(struct record_writer *writer, struct guid handle);
bool share_handle_next(struct record_reader *reader, struct guid *handle);

#endif
