#include "file/share_change.h"

#include "change/checks.h"
#include "file/node.h"
#include "file/usage.h"

#include <stddef.h>

/* --- Fields --- */

static bool path_is_sound(const void *path) {
    return path_check(*(const struct bytes *)path) == PATH_SOUND;
}

static bool node_name_is_sound(const void *name) {
    return path_check_name(*(const struct bytes *)name) == PATH_SOUND;
}

static bool has_any_page(const void *present) {
    return *(const uint64_t *)present;
}

#define ROW(name, member, ...) {.offset = offsetof(struct share_change, member), __VA_ARGS__},
static const struct field fields[] = {SHARE_FIELDS(ROW)};
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

const struct change_schema share_changes = {
    .letter = 'S',
    SCHEMA_ROWS(share),
    .layout = {.fields = fields},
    .sound = is_sound_share,
};
