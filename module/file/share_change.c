#include "file/share_change.h"

#include "core/metadata.h"
#include "core/policy.h"
#include "core/property.h"
#include "file/node.h"
#include "file/opens.h"
#include "file/share.h"

enum { FORMAT = 1 };

enum field {
    STAMP = 1 << 0,
    CREATED = 1 << 1,
    QUOTA = 1 << 2,
    METADATA = 1 << 3,
    POLICIES = 1 << 4,
    PROPERTIES = 1 << 5,
    SNAPSHOT = 1 << 6,
    PATH = 1 << 7,
    TARGET = 1 << 8,
    PARTS = 1 << 9,
    OFFSET = 1 << 10,
    LENGTH = 1 << 11,
    ATTRIBUTES = 1 << 12,
    LEASE = 1 << 13,
    SESSION = 1 << 14,
    HANDLE = 1 << 15,
    HANDLES = 1 << 16,
    OWNER = 1 << 17,
    TTL = 1 << 18,
    INSTANT = 1 << 19,
    CLOSING = 1 << 20,
    SHARING = 1 << 21,
    ON = 1 << 22,
    LOCK = 1 << 23,
    COUNT = 1 << 24,
    NUMBER = 1 << 25,
};

enum load_field {
    NAME = 1,
    NODE_KIND = 2,
    PARENT = 4,
    NODE = 8,
    PLACE = 16,
    CHANGED = 32,
    LEAF = 64,
    PRESENT = 128
};

enum trait { BRINGS_CONTENT = 1, IN_FILES = 2 };

/* clang-format off */
static const struct { const char *event; unsigned fields, loads, traits; } kinds[SHARE_CHANGE_KINDS] = {
    [SHARE_CREATE]      = {"share.create",       STAMP | CREATED | QUOTA | METADATA | POLICIES | NUMBER, 0, IN_FILES},
    [SHARE_SETMETA]     = {"share.setmeta",      STAMP | METADATA, 0, 0},
    [SHARE_SETPROPS]    = {"share.setprops",     STAMP | QUOTA, 0, 0},
    [SHARE_SETACL]      = {"share.setacl",       STAMP | POLICIES, 0, 0},
    [SHARE_DROP]        = {"share.delete",       0, 0, 0},
    [SHARE_SNAPSHOT]    = {"share.snapshot",     SNAPSHOT | STAMP | METADATA, 0, IN_FILES},
    [SHARE_LEASE]       = {NULL,                 LEASE, 0, IN_FILES},
    [SHARE_CONNECT]     = {"share.connect",      SESSION | OWNER | TTL | INSTANT | CLOSING | NUMBER, 0, IN_FILES},
    [SHARE_PING]        = {"share.ping",         SESSION | INSTANT, 0, 0},
    [SHARE_DISCONNECT]  = {"share.disconnect",   SESSION, 0, IN_FILES},
    [SHARE_EXPIRE]      = {"share.expired",      SESSION, 0, 0},
    [SHARE_SWEEP]       = {NULL,                 SESSION | HANDLES | ON, 0, 0},
    [FILE_MKDIR]        = {"file.mkdir",         PATH | STAMP | METADATA, 0, 0},
    [FILE_RMDIR]        = {"file.rmdir",         PATH, 0, 0},
    [FILE_CREATE]       = {"file.create",        PATH | STAMP | LENGTH | ATTRIBUTES | PROPERTIES | METADATA, 0, 0},
    [FILE_PUTRANGE]     = {"file.putrange",      PATH | STAMP | OFFSET, 0, BRINGS_CONTENT},
    [FILE_CLEARRANGE]   = {"file.clearrange",    PATH | STAMP | OFFSET | LENGTH, 0, 0},
    [FILE_SETPROPS]     = {"file.setprops",      PATH | STAMP | PARTS | LENGTH | ATTRIBUTES | PROPERTIES, 0, 0},
    [FILE_SETMETA]      = {"file.setmeta",       PATH | STAMP | METADATA, 0, 0},
    [FILE_DELETE]       = {"file.delete",        PATH, 0, 0},
    [FILE_COPY]         = {"file.copy",          PATH | TARGET | STAMP | PARTS | METADATA, 0, 0},
    [FILE_RENAME]       = {"file.rename",        PATH | TARGET | STAMP, 0, 0},
    [FILE_LEASE]        = {NULL,                 PATH | LEASE, 0, IN_FILES},
    [FILE_SETTLE]       = {NULL,                 PATH, 0, 0},
    [FILE_OPEN]         = {"file.open",          PATH | SESSION | HANDLE | SHARING | INSTANT, 0, 0},
    [FILE_CLOSE]        = {"file.close",         HANDLES, 0, 0},
    [FILE_CLOSEHANDLES] = {"file.closehandles",  HANDLES, 0, 0},
    [FILE_WRITE]        = {"file.write",         HANDLE | STAMP | OFFSET, 0, BRINGS_CONTENT},
    [FILE_TRUNCATE]     = {"file.truncate",      HANDLE | STAMP | LENGTH, 0, 0},
    [FILE_LOCK]         = {"file.lock",          HANDLE | LOCK | OFFSET | LENGTH, 0, 0},
    [FILE_UNLOCK]       = {"file.unlock",        HANDLE | OFFSET | LENGTH, 0, 0},
    [FILE_DISPOSE]      = {"file.dispose",       HANDLE | ON, 0, 0},
    [LOAD_NODE]         = {NULL,                 0, NODE_KIND | PARENT | NAME | PLACE, IN_FILES},
    [LOAD_GHOST]        = {NULL,                 0, PARENT | NODE | NAME | PLACE, IN_FILES},
    [LOAD_LENGTH]       = {NULL,                 LENGTH, 0, IN_FILES},
    [LOAD_LEAF]         = {NULL,                 0, LEAF | PRESENT, BRINGS_CONTENT | IN_FILES},
    [LOAD_GAP]          = {NULL,                 0, LEAF, IN_FILES},
    [LOAD_STATE]        = {NULL,                 STAMP | CREATED | ATTRIBUTES | PARTS | PROPERTIES | METADATA, CHANGED, IN_FILES},
    [LOAD_END]          = {NULL,                 0, 0, IN_FILES},
    [LOAD_OPEN]         = {NULL,                 PATH | SESSION | HANDLE | SHARING | INSTANT | NUMBER, 0, IN_FILES},
    [LOAD_LOCK]         = {NULL,                 HANDLE | LOCK | OFFSET | LENGTH | COUNT, 0, IN_FILES},
    [LOAD_MARK]         = {NULL,                 PATH, 0, IN_FILES},
    [FILE_UNOPEN]       = {"file.close",         HANDLE, 0, 0},
};
/* clang-format on */

bool share_change_has_content(enum share_change_kind kind) {
    return kinds[kind].traits & BRINGS_CONTENT;
}

bool share_change_has_path(enum share_change_kind kind) {
    return kinds[kind].fields & PATH;
}

bool share_change_is_in_files(enum share_change_kind kind) {
    return kinds[kind].traits & IN_FILES;
}

const char *share_change_event(const struct share_change *change) {
    if (kinds[change->kind].fields & LEASE) return lease_event_name(change->event);
    return kinds[change->kind].event;
}

/* --- To write --- */

static void put_guid(struct record_writer *writer, struct guid guid) {
    record_put_word(writer, guid.high);
    record_put_word(writer, guid.low);
}

void share_handle_put(struct record_writer *writer, struct guid handle) {
    put_guid(writer, handle);
}

static void put_stamp(struct record_writer *writer, struct stamp stamp) {
    record_put_word(writer, stamp.etag);
    record_put_number(writer, (uint64_t)stamp.modified_ms);
}

static void put_lease(struct record_writer *writer, const struct share_change *change) {
    lease_write(&change->lease, writer);
    record_put_byte(writer, (uint8_t)change->event);
    record_put_byte(writer, change->expired);
}

static void put_sharing(struct record_writer *writer, const struct share_change *change) {
    record_put_byte(writer, change->sharing.access);
    record_put_byte(writer, change->sharing.share);
    record_put_byte(writer, change->deletes_on_close);
}

static void write_of_files(unsigned fields, const struct share_change *change, struct record_writer *writer) {
    if (fields & NAME) record_put_bytes(writer, change->name);
    if (fields & NODE_KIND) record_put_byte(writer, change->node_kind);
    if (fields & PARENT) record_put_number(writer, change->parent);
    if (fields & NODE) record_put_number(writer, change->node);
    if (fields & PLACE) {
        record_put_byte(writer, change->born);
        record_put_byte(writer, change->last);
    }
    if (fields & CHANGED) {
        record_put_byte(writer, change->changed);
        record_put_byte(writer, change->last);
    }
    if (fields & LEAF) record_put_number(writer, change->leaf);
    if (fields & PRESENT) record_put_word(writer, change->present);
}

static void write_of_holders(unsigned fields, const struct share_change *change,
                             struct record_writer *writer) {
    if (fields & SESSION) put_guid(writer, change->session);
    if (fields & HANDLE) put_guid(writer, change->handle);
    if (fields & HANDLES) record_put_list(writer, change->handles);
    if (fields & OWNER) record_put_bytes(writer, change->owner);
    if (fields & TTL) record_put_number(writer, (uint64_t)change->ttl_ms);
    if (fields & INSTANT) record_put_number(writer, (uint64_t)change->instant_ms);
    if (fields & CLOSING) record_put_byte(writer, change->ends_with_connection);
    if (fields & SHARING) put_sharing(writer, change);
    if (fields & ON) record_put_byte(writer, change->on);
    if (fields & LOCK) record_put_byte(writer, (uint8_t)change->lock);
    if (fields & COUNT) record_put_number(writer, change->count);
    if (fields & NUMBER) record_put_number(writer, change->number);
}

void share_change_write(const struct share_change *change, struct record_writer *writer) {
    unsigned fields = kinds[change->kind].fields;
    record_put_byte(writer, SHARE_FAMILY);
    record_put_byte(writer, FORMAT);
    record_put_byte(writer, (uint8_t)change->kind);
    if (fields & PATH) record_put_bytes(writer, change->path);
    if (fields & TARGET) record_put_bytes(writer, change->target);
    if (fields & STAMP) put_stamp(writer, change->stamp);
    if (fields & CREATED) record_put_number(writer, (uint64_t)change->created_ms);
    if (fields & QUOTA) record_put_number(writer, change->quota);
    if (fields & SNAPSHOT) record_put_word(writer, change->snapshot);
    if (fields & PARTS) record_put_byte(writer, (uint8_t)change->parts);
    if (fields & OFFSET) record_put_number(writer, change->offset);
    if (fields & LENGTH) record_put_number(writer, change->length);
    if (fields & ATTRIBUTES) record_put_byte(writer, change->attributes);
    if (fields & METADATA) record_put_list(writer, change->metadata);
    if (fields & POLICIES) record_put_list(writer, change->policies);
    if (fields & PROPERTIES) record_put_list(writer, change->properties);
    if (fields & LEASE) put_lease(writer, change);
    write_of_holders(fields, change, writer);
    write_of_files(kinds[change->kind].loads, change, writer);
}

/* --- To read --- */

static struct guid guid_field(struct record_reader *reader) {
    uint64_t high = record_word(reader);
    return (struct guid){high, record_word(reader)};
}

static uint64_t number_field(struct record_reader *reader, uint64_t most) {
    uint64_t number = record_number(reader);
    if (number > most) reader->failed = true;
    return reader->failed ? 0 : number;
}

static uint8_t byte_field(struct record_reader *reader, uint8_t most) {
    uint8_t byte = record_byte(reader);
    if (byte > most) reader->failed = true;
    return reader->failed ? 0 : byte;
}

static struct bytes path_field(struct record_reader *reader) {
    struct bytes path = record_bytes(reader);
    if (!reader->failed && path_check(path) != PATH_SOUND) reader->failed = true;
    return path;
}

static version version_field(struct record_reader *reader) {
    version v = record_word(reader);
    if (!v || v > VERSION_MOST) reader->failed = true;
    return v;
}

static void read_stamp(struct record_reader *reader, struct stamp *stamp) {
    stamp->etag = version_field(reader);
    stamp->modified_ms = record_instant(reader);
}

static void read_lease(struct record_reader *reader, struct share_change *change) {
    if (!lease_read(reader, &change->lease)) reader->failed = true;
    change->event = (enum lease_event)byte_field(reader, LEASE_EVENTS - 1);
    change->expired = byte_field(reader, 1);
}

static void read_owner(struct record_reader *reader, struct share_change *change) {
    change->owner = record_bytes(reader);
    if (change->owner.length > SESSION_OWNER_MAX_BYTES) reader->failed = true;
}

static void read_sharing(struct record_reader *reader, struct share_change *change) {
    change->sharing.access = byte_field(reader, SHARING_ALL);
    change->sharing.share = byte_field(reader, SHARING_ALL);
    change->deletes_on_close = byte_field(reader, 1);
}

static void read_of_files(unsigned fields, struct record_reader *reader, struct share_change *change) {
    if (fields & NAME) {
        change->name = record_bytes(reader);
        if (!reader->failed && path_check_name(change->name) != PATH_SOUND) reader->failed = true;
    }
    if (fields & NODE_KIND) change->node_kind = byte_field(reader, NODE_KINDS - 1);
    if (fields & PARENT) change->parent = record_number(reader);
    if (fields & NODE) change->node = record_number(reader);
    if (fields & PLACE) {
        change->born = byte_field(reader, SHARE_SNAPSHOTS_MOST);
        change->last = byte_field(reader, SHARE_SNAPSHOTS_MOST);
    }
    if (fields & CHANGED) {
        change->changed = byte_field(reader, SHARE_SNAPSHOTS_MOST);
        change->last = byte_field(reader, SHARE_SNAPSHOTS_MOST);
    }
    if (fields & LEAF) change->leaf = number_field(reader, PAGES_MOST_BYTES / LEAF_BYTES - 1);
    if (fields & PRESENT) change->present = record_word(reader);
}

static void read_of_holders(unsigned fields, struct record_reader *reader, struct share_change *change) {
    if (fields & SESSION) change->session = guid_field(reader);
    if (fields & HANDLE) change->handle = guid_field(reader);
    if (fields & HANDLES) change->handles = record_list(reader);
    if (fields & OWNER) read_owner(reader, change);
    if (fields & TTL) change->ttl_ms = record_instant(reader);
    if (fields & INSTANT) change->instant_ms = record_instant(reader);
    if (fields & CLOSING) change->ends_with_connection = byte_field(reader, 1);
    if (fields & SHARING) read_sharing(reader, change);
    if (fields & ON) change->on = byte_field(reader, 1);
    if (fields & LOCK) change->lock = (enum lock_kind)byte_field(reader, LOCK_KINDS - 1);
    if (fields & COUNT) change->count = record_number(reader);
    if (fields & NUMBER) change->number = number_field(reader, SHARE_NUMBERS_MOST);
}

static void read_fields(unsigned fields, struct record_reader *reader, struct share_change *change) {
    if (fields & PATH) change->path = path_field(reader);
    if (fields & TARGET) change->target = path_field(reader);
    if (fields & STAMP) read_stamp(reader, &change->stamp);
    if (fields & CREATED) change->created_ms = record_instant(reader);
    if (fields & QUOTA) change->quota = number_field(reader, INT64_MAX);
    if (fields & SNAPSHOT) change->snapshot = version_field(reader);
    if (fields & PARTS) change->parts = byte_field(reader, SAYS_ALL);
    if (fields & OFFSET) change->offset = record_number(reader);
    if (fields & LENGTH) change->length = record_number(reader);
    if (fields & ATTRIBUTES) change->attributes = byte_field(reader, ATTRIBUTES_ALL);
    if (fields & METADATA) change->metadata = record_list(reader);
    if (fields & POLICIES) change->policies = record_list(reader);
    if (fields & PROPERTIES) change->properties = record_list(reader);
    if (fields & LEASE) read_lease(reader, change);
    read_of_holders(fields, reader, change);
    read_of_files(kinds[change->kind].loads, reader, change);
}

bool share_handle_next(struct record_reader *reader, struct guid *handle) {
    if (reader->failed || reader->at == reader->end) return false;
    *handle = guid_field(reader);
    return !reader->failed;
}

static bool handles_sound(const struct share_change *change) {
    struct packed_list handles = change->handles;
    return (handles.count || change->kind == SHARE_SWEEP) &&
           handles.items.length % sizeof(struct guid) == 0 &&
           handles.items.length / sizeof(struct guid) == handles.count;
}

/* Locks lie anywhere below 2^64, all else inside of the largest file. */
static bool range_sound(unsigned fields, const struct share_change *change) {
    const uint64_t most = (uint64_t)FILE_MOST_BYTES;
    if (!(fields & (OFFSET | LENGTH))) return true;
    if (change->kind == FILE_LOCK || change->kind == FILE_UNLOCK || change->kind == LOAD_LOCK)
        return lock_range_sound((struct lock_range){change->offset, change->length});
    return change->offset <= most && change->length <= most && change->offset + change->length <= most;
}

static bool fields_sound(unsigned fields, const struct share_change *change) {
    if (fields & METADATA && metadata_check(change->metadata) != OUTCOME_DONE) return false;
    if (fields & POLICIES && policies_check(change->policies) != OUTCOME_DONE) return false;
    if (fields & PROPERTIES && !properties_sound(change->properties)) return false;
    if (fields & HANDLES && !handles_sound(change)) return false;
    if (kinds[change->kind].loads & PRESENT && !change->present) return false;
    return range_sound(fields, change);
}

bool share_change_read(struct bytes record, struct share_change *change) {
    struct record_reader reader = record_reader(record);
    *change = (struct share_change){.path = {"", 0}};
    uint8_t family = record_byte(&reader), format = record_byte(&reader), kind = record_byte(&reader);
    if (reader.failed || family != SHARE_FAMILY || format != FORMAT || kind >= SHARE_CHANGE_KINDS)
        return false;
    change->kind = (enum share_change_kind)kind;
    unsigned fields = kinds[change->kind].fields;
    read_fields(fields, &reader, change);
    return record_complete(&reader) && fields_sound(fields, change);
}
