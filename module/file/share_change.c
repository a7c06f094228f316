#include "file/share_change.h"

#include "change/checks.h"
#include "file/node.h"
#include "file/share.h"
#include "file/usage.h"

#include <stddef.h>

/* --- Handles --- */

void share_handle_put(struct record_writer *writer, struct guid handle) {
    record_put_word(writer, handle.high);
    record_put_word(writer, handle.low);
}

bool share_handle_next(struct record_reader *reader, struct guid *handle) {
    if (!record_more(reader)) return false;
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

#define AT(member) .offset = offsetof(struct share_change, member)
static const struct field fields[] = {
    [SHARE_FIELD_PATH] = {AT(path), .codec = CODEC_BYTES, .sound = path_is_sound},
    [SHARE_FIELD_TARGET] = {AT(target), .codec = CODEC_BYTES, .sound = path_is_sound},
    [SHARE_FIELD_STAMP] = {AT(stamp), .codec = CODEC_STAMP},
    [SHARE_FIELD_CREATED] = {AT(created_ms), .codec = CODEC_INSTANT},
    [SHARE_FIELD_QUOTA] = {AT(quota), .codec = CODEC_NUMBER, .max = INT64_MAX},
    [SHARE_FIELD_SNAPSHOT] = {AT(snapshot), .codec = CODEC_VERSION},
    [SHARE_FIELD_PARTS] = {AT(parts), .codec = CODEC_ENUM, .max = FILE_PARTS_ALL},
    [SHARE_FIELD_OFFSET] = {AT(offset), .codec = CODEC_NUMBER},
    [SHARE_FIELD_LENGTH] = {AT(length), .codec = CODEC_NUMBER},
    [SHARE_FIELD_ATTRIBUTES] = {AT(attributes), .codec = CODEC_BYTE, .max = ATTRIBUTES_ALL},
    [SHARE_FIELD_METADATA] = {AT(metadata), .codec = CODEC_LIST, .sound = metadata_is_sound},
    [SHARE_FIELD_POLICIES] = {AT(policies), .codec = CODEC_LIST, .sound = policies_are_sound},
    [SHARE_FIELD_PROPERTIES] = {AT(properties), .codec = CODEC_LIST, .sound = properties_are_sound},
    [SHARE_FIELD_LEASE] = {AT(lease), .codec = CODEC_OWN, .own = &lease},
    [SHARE_FIELD_LEASE_EVENT] = {AT(event), .codec = CODEC_ENUM, .max = LEASE_EVENTS - 1},
    [SHARE_FIELD_LEASE_EXPIRED] = {AT(expired), .codec = CODEC_FLAG},
    [SHARE_FIELD_SESSION] = {AT(session), .codec = CODEC_GUID},
    [SHARE_FIELD_HANDLE] = {AT(handle), .codec = CODEC_GUID},
    [SHARE_FIELD_HANDLES] = {AT(handles), .codec = CODEC_LIST},
    [SHARE_FIELD_OWNER] = {AT(owner), .codec = CODEC_BYTES, .max = SESSION_OWNER_MAX_BYTES},
    [SHARE_FIELD_TTL] = {AT(ttl_ms), .codec = CODEC_INSTANT},
    [SHARE_FIELD_INSTANT] = {AT(instant_ms), .codec = CODEC_INSTANT},
    [SHARE_FIELD_CLOSING] = {AT(ends_with_connection), .codec = CODEC_FLAG},
    [SHARE_FIELD_ACCESS] = {AT(sharing.access), .codec = CODEC_BYTE, .max = SHARING_ALL},
    [SHARE_FIELD_SHARED] = {AT(sharing.share), .codec = CODEC_BYTE, .max = SHARING_ALL},
    [SHARE_FIELD_DELETES] = {AT(deletes_on_close), .codec = CODEC_FLAG},
    [SHARE_FIELD_ON] = {AT(on), .codec = CODEC_FLAG},
    [SHARE_FIELD_LOCK] = {AT(lock), .codec = CODEC_ENUM, .max = LOCK_KINDS - 1},
    [SHARE_FIELD_COUNT] = {AT(count), .codec = CODEC_NUMBER},
    [SHARE_FIELD_NUMBER] = {AT(number), .codec = CODEC_NUMBER, .max = SHARE_NUMBERS_MAX},
    [SHARE_FIELD_NAME] = {AT(name), .codec = CODEC_BYTES, .sound = node_name_is_sound},
    [SHARE_FIELD_NODE_KIND] = {AT(node_kind), .codec = CODEC_BYTE, .max = NODE_KINDS - 1},
    [SHARE_FIELD_PARENT] = {AT(parent_number), .codec = CODEC_NUMBER},
    [SHARE_FIELD_NODE] = {AT(node_number), .codec = CODEC_NUMBER},
    [SHARE_FIELD_BORN] = {AT(born), .codec = CODEC_BYTE, .max = SHARE_SNAPSHOTS_MAX},
    [SHARE_FIELD_CHANGED] = {AT(changed), .codec = CODEC_BYTE, .max = SHARE_SNAPSHOTS_MAX},
    [SHARE_FIELD_LAST] = {AT(last), .codec = CODEC_BYTE, .max = SHARE_SNAPSHOTS_MAX},
    [SHARE_FIELD_LEAF] = {AT(leaf), .codec = CODEC_NUMBER, .max = PAGES_MAX_BYTES / LEAF_BYTES - 1},
    [SHARE_FIELD_PRESENT] = {AT(present), .codec = CODEC_WORD, .sound = has_any_page},
};
#undef AT

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

const struct change_schema share_changes = {
    .letter = 'S',
    .kind_count = SHARE_CHANGE_KINDS,
    .size = CHANGE_SIZE(share_change),
    .kinds = &share_change_kinds[0].is,
    .kind_bytes = sizeof(share_change_kinds[0]),
    .layout = {.fields = fields},
    .sound = is_sound_share,
};
