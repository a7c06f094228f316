#include "file/share_change.h"

#include "change/checks.h"
#include "file/node.h"
#include "file/opens.h"
#include "file/share.h"

#include <stddef.h>

/* --- Handles --- */

void share_handle_put(struct record_writer *writer, struct guid handle) {
    record_put_word(writer, handle.high);
    record_put_word(writer, handle.low);
}

bool share_handle_next(struct record_reader *reader, struct guid *handle) {
    if (reader->failed || reader->at == reader->end) return false;
    handle->high = record_word(reader);
    handle->low = record_word(reader);
    return !reader->failed;
}

/* --- Fields --- */

static void write_file_lease(const void *field, struct record_writer *writer) {
    lease_write(field, writer);
}

static void read_file_lease(struct record_reader *reader, void *field) {
    if (!lease_read(reader, field)) reader->failed = true;
}

static version token_of_lease(const void *field) {
    return ((const struct lease *)field)->token;
}

static const struct own_codec lease = {write_file_lease, read_file_lease, token_of_lease};

static bool path_is_sound(const void *path) {
    return path_check(*(const struct bytes *)path) == PATH_SOUND;
}

static bool node_name_is_sound(const void *name) {
    return path_check_name(*(const struct bytes *)name) == PATH_SOUND;
}

static bool has_any_page(const void *present) {
    return *(const uint64_t *)present;
}

#define ROW(field, member) [SHARE_FIELD_##field] = {.offset = offsetof(struct share_change, member)
static const struct field fields[] = {ROW(PATH, path), .codec = CODEC_BYTES, .sound = path_is_sound},
                          ROW(TARGET, target), .codec = CODEC_BYTES, .sound = path_is_sound
}
, ROW(STAMP, stamp), .codec = CODEC_STAMP
}
, ROW(CREATED, created_ms), .codec = CODEC_INSTANT
}
, ROW(QUOTA, quota), .codec = CODEC_NUMBER, .max = INT64_MAX
}
, ROW(SNAPSHOT, snapshot), .codec = CODEC_VERSION
}
, ROW(PARTS, parts), .codec = CODEC_ENUM, .max = SAYS_ALL
}
, ROW(OFFSET, offset), .codec = CODEC_NUMBER
}
, ROW(LENGTH, length), .codec = CODEC_NUMBER
}
, ROW(ATTRIBUTES, attributes), .codec = CODEC_BYTE, .max = ATTRIBUTES_ALL
}
, ROW(METADATA, metadata), .codec = CODEC_LIST, .sound = metadata_is_sound
}
, ROW(POLICIES, policies), .codec = CODEC_LIST, .sound = policies_are_sound
}
, ROW(PROPERTIES, properties), .codec = CODEC_LIST, .sound = properties_are_sound
}
, ROW(LEASE, lease), .codec = CODEC_OWN, .own = &lease
}
, ROW(LEASE_EVENT, event), .codec = CODEC_ENUM, .max = LEASE_EVENTS - 1
}
, ROW(LEASE_EXPIRED, expired), .codec = CODEC_FLAG
}
, ROW(SESSION, session), .codec = CODEC_GUID
}
, ROW(HANDLE, handle), .codec = CODEC_GUID
}
, ROW(HANDLES, handles), .codec = CODEC_LIST
}
, ROW(OWNER, owner), .codec = CODEC_BYTES, .max = SESSION_OWNER_MAX_BYTES
}
, ROW(TTL, ttl_ms), .codec = CODEC_INSTANT
}
, ROW(INSTANT, instant_ms), .codec = CODEC_INSTANT
}
, ROW(CLOSING, ends_with_connection), .codec = CODEC_FLAG
}
, ROW(ACCESS, sharing.access), .codec = CODEC_BYTE, .max = SHARING_ALL
}
, ROW(SHARED, sharing.share), .codec = CODEC_BYTE, .max = SHARING_ALL
}
, ROW(DELETES, deletes_on_close), .codec = CODEC_FLAG
}
, ROW(ON, on), .codec = CODEC_FLAG
}
, ROW(LOCK, lock), .codec = CODEC_ENUM, .max = LOCK_KINDS - 1
}
, ROW(COUNT, count), .codec = CODEC_NUMBER
}
, ROW(NUMBER, number), .codec = CODEC_NUMBER, .max = SHARE_NUMBERS_MAX
}
, ROW(NAME, name), .codec = CODEC_BYTES, .sound = node_name_is_sound
}
, ROW(NODE_KIND, node_kind), .codec = CODEC_BYTE, .max = NODE_KINDS - 1
}
, ROW(PARENT, parent_number), .codec = CODEC_NUMBER
}
, ROW(NODE, node_number), .codec = CODEC_NUMBER
}
, ROW(BORN, born), .codec = CODEC_BYTE, .max = SHARE_SNAPSHOTS_MAX
}
, ROW(CHANGED, changed), .codec = CODEC_BYTE, .max = SHARE_SNAPSHOTS_MAX
}
, ROW(LAST, last), .codec = CODEC_BYTE, .max = SHARE_SNAPSHOTS_MAX
}
, ROW(LEAF, leaf), .codec = CODEC_NUMBER, .max = PAGES_MAX_BYTES / LEAF_BYTES - 1
}
, ROW(PRESENT, present), .codec = CODEC_WORD, .sound = has_any_page
}
,
}
;
#undef ROW

/* --- All of them together --- */

static bool handles_are_sound(const struct share_change *change) {
    struct packed_list handles = change->handles;
    return (handles.count || change->kind == SHARE_SWEEP) &&
           handles.items.length % sizeof(struct guid) == 0 &&
           handles.items.length / sizeof(struct guid) == handles.count;
}

/* Locks lie anywhere below 2^64, all else inside of the largest file. */
static bool range_is_sound(const struct share_change *change, bool locks) {
    const uint64_t max = (uint64_t)FILE_MAX_BYTES;
    if (locks) return lock_range_sound((struct lock_range){change->offset, change->length});
    return change->offset <= max && change->length <= max && change->offset + change->length <= max;
}

static bool is_sound_share(const void *record) {
    const struct share_change *change = record;
    uint64_t has = share_change_kinds[change->kind].is.fields;
    bool locks = change->kind == FILE_LOCK || change->kind == FILE_UNLOCK || change->kind == LOAD_LOCK;
    if (has & SHARE_HAS(HANDLES) && !handles_are_sound(change)) return false;
    return !(has & (SHARE_HAS(OFFSET) | SHARE_HAS(LENGTH))) || range_is_sound(change, locks);
}

const struct change_family share_changes = {
    .letter = SHARE_FAMILY,
    .kind_count = SHARE_CHANGE_KINDS,
    .size = sizeof(struct share_change),
    .kinds = &share_change_kinds[0].is,
    .kind_bytes = sizeof(share_change_kinds[0]),
    .layout = {.fields = fields},
    .sound = is_sound_share,
};
