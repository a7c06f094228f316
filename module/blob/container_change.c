#include "blob/container_change.h"

#include "change/checks.h"
#include "change/feed_change.h"
#include "core/name.h"
#include "core/pages.h"

#include <stddef.h>

/* --- Fields with codecs of their own --- */

enum { EXPIRED = 0x80, FREES_LEASE = 1, MINTED = 2, HELPER = 4 };

static uint8_t expired_bit(const struct container_change *change) {
    return change->expired ? EXPIRED : 0;
}

/* Reads a byte whose top bit says that a lease has expired. */
static uint8_t read_flagged(struct record_reader *reader, struct container_change *change) {
    uint8_t byte = record_byte(reader);
    change->expired = byte & EXPIRED;
    return byte & (EXPIRED - 1);
}

static bool is_of_helper(const struct container_change *change) {
    bool of_snapshot = change->kind == BLOB_SNAPSHOT || change->kind == BLOB_DELETESNAPSHOTS;
    return of_snapshot && change->parts & SNAPSHOT_IS_HELPER;
}

/* Whether a write clears an ended lease, and what a deletion says of itself. */
static void write_flags(const void *field, struct record_writer *writer) {
    const struct container_change *change = field;
    bool minted = change->kind == BLOB_DELETE && change->minted;
    unsigned flags = (change->frees_lease ? FREES_LEASE : 0U) | (minted ? MINTED : 0U) |
                     (is_of_helper(change) ? HELPER : 0U);
    record_put_byte(writer, (uint8_t)(flags | expired_bit(change)));
    if (minted) record_put_word(writer, change->minted);
}

static void read_flags(struct record_reader *reader, void *field) {
    struct container_change *change = field;
    uint8_t flags = read_flagged(reader, change);
    change->frees_lease = flags & FREES_LEASE;
    bool minted = flags & MINTED;
    if (minted) change->minted = record_word(reader);
    if (flags & HELPER) change->parts = SNAPSHOT_IS_HELPER;
    bool fits = !minted || (change->kind == BLOB_DELETE && change->minted && change->minted <= VERSION_MAX);
    if (flags & HELPER && change->kind != BLOB_DELETESNAPSHOTS) fits = false;
    if (flags & ~(FREES_LEASE | MINTED | HELPER) || !fits) reader->failed = true;
}

static version minted_version(const void *field) {
    return ((const struct container_change *)field)->minted;
}

/* Relative to the last change, which is often soon after the creation, so that it takes a byte or two. */
static void write_created(const void *field, struct record_writer *writer) {
    const struct container_change *change = field;
    record_put_number(writer, (uint64_t)change->stamp.modified_ms - (uint64_t)change->created_ms);
}

static void read_created(struct record_reader *reader, void *field) {
    struct container_change *change = field;
    change->created_ms = (int64_t)((uint64_t)change->stamp.modified_ms - record_number(reader));
    if (change->created_ms < 0) reader->failed = true;
}

/* Properties, metadata and flags, in one byte when there are none: bits beside FREES_LEASE and EXPIRED. */
enum { ADDS_PROPERTIES = 2, ADDS_METADATA = 4 };

static void write_additions(const void *field, struct record_writer *writer) {
    const struct container_change *change = field;
    unsigned properties = change->properties.count ? ADDS_PROPERTIES : 0;
    unsigned metadata = change->metadata.count ? ADDS_METADATA : 0;
    unsigned frees = change->frees_lease ? FREES_LEASE : 0;
    record_put_byte(writer, (uint8_t)(expired_bit(change) | frees | properties | metadata));
    if (properties) record_put_list(writer, change->properties);
    if (metadata) record_put_list(writer, change->metadata);
}

static void read_addition(struct record_reader *reader, struct packed_list *list,
                          bool (*sound)(const void *list)) {
    *list = record_list(reader);
    if (!list->count || !sound(list)) reader->failed = true;
}

static void read_additions(struct record_reader *reader, void *field) {
    struct container_change *change = field;
    uint8_t added = read_flagged(reader, change);
    change->frees_lease = added & FREES_LEASE;
    if (added & ADDS_PROPERTIES) read_addition(reader, &change->properties, properties_are_sound);
    if (added & ADDS_METADATA) read_addition(reader, &change->metadata, metadata_is_sound);
    if (added & ~(FREES_LEASE | ADDS_PROPERTIES | ADDS_METADATA)) reader->failed = true;
}

static void write_lease_event(const void *field, struct record_writer *writer) {
    const struct container_change *change = field;
    record_put_byte(writer, (uint8_t)(change->event | expired_bit(change)));
}

static void read_lease_event(struct record_reader *reader, void *field) {
    struct container_change *change = field;
    change->event = read_flagged(reader, change);
    if (change->event >= LEASE_EVENTS) reader->failed = true;
}

static void write_source(const void *field, struct record_writer *writer) {
    const struct container_change *change = field;
    record_put_byte(writer, change->from_elsewhere);
    record_put_bytes(writer, change->source);
    record_put_word(writer, change->source_snapshot);
}

static void read_source(struct record_reader *reader, void *field) {
    struct container_change *change = field;
    uint8_t elsewhere = record_byte(reader);
    change->from_elsewhere = elsewhere;
    change->source = record_bytes(reader);
    change->source_snapshot = record_word(reader);
    if (elsewhere > 1 || change->source_snapshot > VERSION_MAX || name_check(change->source) != OUTCOME_DONE)
        reader->failed = true;
}

static version source_version(const void *field) {
    return ((const struct container_change *)field)->source_snapshot;
}

/* Bits of the byte with the status. */
enum { COPY_ARRIVING = 0x10, COPY_UNTYPED = 0x20 };

static void write_copy(const void *field, struct record_writer *writer) {
    const struct copy *copy = field;
    record_put_byte(writer, (uint8_t)((unsigned)copy->status | (copy->arriving ? COPY_ARRIVING : 0U) |
                                      (copy->untyped ? COPY_UNTYPED : 0U)));
    record_put_word(writer, copy->id);
    record_put_bytes(writer, copy->source);
    record_put_number(writer, copy->done);
    record_put_number(writer, copy->total);
    record_put_number(writer, (uint64_t)copy->completed_ms);
}

static void read_copy(struct record_reader *reader, void *field) {
    struct copy *copy = field;
    uint8_t status = record_byte(reader);
    copy->arriving = status & COPY_ARRIVING;
    copy->untyped = status & COPY_UNTYPED;
    copy->status = status & ~(COPY_ARRIVING | COPY_UNTYPED);
    copy->id = record_word(reader);
    copy->source = record_bytes(reader);
    copy->done = (uint64_t)record_instant(reader);
    copy->total = (uint64_t)record_instant(reader);
    copy->completed_ms = record_instant(reader);
    bool sound = copy->status > COPY_NONE && copy->status < COPY_STATUSES && copy->id &&
                 copy->id <= VERSION_MAX && copy->source.length <= COPY_SOURCE_MAX_BYTES;
    if (copy->arriving && (copy->untyped || copy->status != COPY_PENDING)) sound = false;
    if (copy->untyped && copy->status == COPY_SUCCESS) sound = false;
    if (!sound) reader->failed = true;
}

static version copy_version(const void *field) {
    return ((const struct copy *)field)->id;
}

static const struct own_codec flags = {write_flags, read_flags, minted_version};
static const struct own_codec created = {write_created, read_created, NULL};
static const struct own_codec additions = {write_additions, read_additions, NULL};
static const struct own_codec lease_event = {write_lease_event, read_lease_event, NULL};
static const struct own_codec source = {write_source, read_source, source_version};
static const struct own_codec copy = {write_copy, read_copy, copy_version};

/* --- Fields --- */

static bool block_id_is_sound(const void *id) {
    return ((const struct bytes *)id)->length != 0;
}

#define ROW(name, member, ...) {.offset = offsetof(struct container_change, member), __VA_ARGS__},
static const struct field fields[] = {CONTAINER_FIELDS(ROW)};
#undef ROW

/* --- Checks of several fields --- */

static bool is_paged(uint64_t number) {
    return number % PAGE_BYTES == 0 && number <= PAGES_MAX_BYTES;
}

/* A state has only the fields that blobs of its kind have. */
static bool kind_is_sound(const struct container_change *change) {
    bool page = change->blob_kind == KIND_PAGE;
    bool numbered = change->parts & (PART_LENGTH | PART_SEQUENCE) || change->born;
    return (page || !numbered) && (change->blob_kind == KIND_APPEND || !change->appended) &&
           (change->blob_kind == KIND_APPEND || !(change->parts & STATE_IS_SEALED)) &&
           is_paged(change->length);
}

static bool is_sound_container(const void *record) {
    const struct container_change *change = record;
    const struct container_kind *kind = &container_change_kinds[change->kind];
    if (kind->is.fields & CONTAINER_HAS(KIND) && !kind_is_sound(change)) return false;
    return !kind->paged || (is_paged(change->offset) && is_paged(change->length));
}

const struct change_schema container_changes = {
    .letter = 'C',
    SCHEMA_ROWS(container),
    .layout = {.fields = fields,
               .parts = CONTAINER_HAS(PARTS),
               .parts_offset = offsetof(struct container_change, parts)},
    .sound = is_sound_container,
};

bool container_change_has_source(const void *record) {
    const struct container_change *change = record;
    return change->kind == BLOB_COPY && change->from_elsewhere;
}

const char *container_change_event(const struct container_change *change) {
    const char *event = container_change_kinds[change->kind].is.event;
    if (change->kind == BLOB_COPYEND && change->copy.status == COPY_FAILED) return "blob.copyfailed";
    if (is_of_helper(change)) return NULL;
    return event ? event : lease_event_name(change->event);
}
