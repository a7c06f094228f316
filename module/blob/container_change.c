#include "blob/container_change.h"

#include "core/metadata.h"
#include "core/name.h"
#include "core/pages.h"
#include "core/policy.h"
#include "core/property.h"

enum { FORMAT = 1, EXPIRED = 0x80, FREES_LEASE = 1, DROPS_STAGED = 2 };

/* What a record has, in the order in which it stands there. */
enum field {
    NAME = 1 << 0,
    STAMP = 1 << 1,
    CREATED = 1 << 2,
    ACCESS = 1 << 3,
    KIND = 1 << 4,
    PARTS =
        1
        << 5, /* which of properties, metadata, length and sequence there are; without it, all in the table */
    PROPERTIES = 1 << 6,
    METADATA = 1 << 7,
    POLICIES = 1 << 8,
    OFFSET = 1 << 9,
    LENGTH = 1 << 10,
    COUNT = 1 << 11,
    SEQUENCE = 1 << 12,
    BORN = 1 << 13,
    SNAPSHOT = 1 << 14,
    BLOCK = 1 << 15,
    TOUCHED = 1 << 16,
    SOURCE = 1 << 17,
    COPY = 1 << 18,
    LIST = 1 << 19,
    LEASE = 1 << 20,
    FREES = 1 << 21,     /* whether the write frees an ended lease */
    CONTENT = 1 << 22,   /* beside the record */
    PAGED = 1 << 23,     /* no field: offset and length are multiples of a page */
    FOR_FILES = 1 << 24, /* no field */
};

/* clang-format off */
static const struct { const char *event; unsigned fields; } kinds[CONTAINER_CHANGE_KINDS] = {
    [CONTAINER_CREATE]       = {"container.create",  STAMP | CREATED | ACCESS | METADATA | POLICIES},
    [CONTAINER_SETMETA]      = {"container.setmeta", STAMP | METADATA},
    [CONTAINER_SETACL]       = {"container.setacl",  STAMP | ACCESS | POLICIES},
    [CONTAINER_DROP]         = {"container.delete",  0},
    [BLOB_PUT]          = {"blob.put",          NAME | STAMP | CREATED | PROPERTIES | METADATA | FREES | CONTENT},
    [BLOB_EXTEND]       = {NULL,                NAME | CONTENT | FOR_FILES},
    [BLOB_SETPROPS] = {"blob.setprops",     NAME | STAMP | PARTS | PROPERTIES | LENGTH | SEQUENCE | PAGED | FREES},
    [BLOB_SETMETA]  = {"blob.setmeta",      NAME | STAMP | METADATA | FREES},
    [BLOB_DELETE]       = {"blob.delete",       NAME | FREES},
    [CONTAINER_LEASE]        = {NULL,                LEASE},
    [BLOB_LEASE]    = {NULL,                NAME | LEASE},
    [BLOB_CREATEPAGE]   = {"blob.createpage",   NAME | STAMP | CREATED | PROPERTIES | METADATA | LENGTH | SEQUENCE | PAGED | FREES},
    [BLOB_PUTPAGE]      = {"blob.putpage",      NAME | STAMP | OFFSET | PAGED | FREES | CONTENT},
    [BLOB_CLEARPAGE]    = {"blob.clearpage",    NAME | STAMP | OFFSET | LENGTH | PAGED | FREES},
    [BLOB_CREATEAPPEND] = {"blob.createappend", NAME | STAMP | CREATED | PROPERTIES | METADATA | FREES},
    [BLOB_APPEND]       = {"blob.append",       NAME | STAMP | OFFSET | FREES | CONTENT},
    [BLOB_STAGE]        = {"blob.putblock",     NAME | BLOCK | TOUCHED | FREES | CONTENT},
    [BLOB_COMMIT]       = {"blob.putblocklist", NAME | STAMP | CREATED | PROPERTIES | METADATA | LIST | FREES},
    [BLOB_UNSTAGE]      = {"blob.unstage",                NAME | COUNT},
    [BLOB_SNAPSHOT]     = {"blob.snapshot",     NAME | STAMP | PARTS | METADATA | SNAPSHOT},
    [BLOB_DELETESNAPSHOTS] = {"blob.delete",    NAME | SNAPSHOT | FREES},
    [BLOB_COPY]         = {"blob.copy",         NAME | STAMP | CREATED | PARTS | METADATA | SOURCE | COPY | FREES},
    [BLOB_ABORTCOPY]    = {"blob.abortcopy",    NAME | STAMP},
    [BLOB_COPYSTATE]    = {NULL,                NAME | COPY},
    [CONTAINER_CHUNK]        = {NULL,                LENGTH | CONTENT | FOR_FILES},
    [BLOB_STATE]        = {NULL,                NAME | STAMP | CREATED | KIND | PARTS | PROPERTIES | METADATA | LENGTH | COUNT | SEQUENCE | BORN | FOR_FILES},
    [BLOB_SPANS]        = {NULL,                NAME | LIST | FOR_FILES},
    [BLOB_BLOCKS]       = {NULL,                NAME | LIST | FOR_FILES},
    [BLOB_LEAVES]       = {NULL,                NAME | LIST | FOR_FILES},
    [BLOB_STAGED]       = {NULL,                NAME | COUNT | BLOCK | TOUCHED | FOR_FILES},
    [CONTAINER_LOADED]       = {NULL,                FOR_FILES},
};
/* clang-format on */

bool container_change_has_content(const struct container_change *change) {
    return kinds[change->kind].fields & CONTENT;
}

bool container_change_has_source_key(const struct container_change *change) {
    return change->kind == BLOB_COPY && change->from_elsewhere;
}

bool container_change_has_name(enum container_change_kind kind) {
    return kinds[kind].fields & NAME;
}

bool container_change_is_in_files(enum container_change_kind kind) {
    switch (kind) {
    case CONTAINER_CREATE:
    case CONTAINER_LEASE:
    case BLOB_PUT:
    case BLOB_LEASE:
    case BLOB_SNAPSHOT:
    case BLOB_COPYSTATE: return true;
    default: return kinds[kind].fields & FOR_FILES;
    }
}

const char *container_change_event(const struct container_change *change) {
    const char *event = kinds[change->kind].event;
    return event ? event : lease_event_name(change->event);
}

/* The fields that this change really has. */
static unsigned fields_of(const struct container_change *change) {
    unsigned fields = kinds[change->kind].fields;
    if (!(fields & PARTS)) return fields;
    if (!(change->parts & PART_PROPERTIES)) fields &= ~(unsigned)PROPERTIES;
    if (!(change->parts & PART_METADATA)) fields &= ~(unsigned)METADATA;
    if (!(change->parts & PART_LENGTH)) fields &= ~(unsigned)LENGTH;
    if (!(change->parts & PART_SEQUENCE)) fields &= ~(unsigned)SEQUENCE;
    return fields;
}

/* --- Writing --- */

static void write_source(const struct container_change *change, struct record_writer *writer) {
    record_put_byte(writer, change->from_elsewhere);
    record_put_bytes(writer, change->source);
    record_put_word(writer, change->source_snapshot);
}

static void write_copy(const struct copy *copy, struct record_writer *writer) {
    record_put_byte(writer, (uint8_t)copy->status);
    record_put_word(writer, copy->id);
    record_put_bytes(writer, copy->source);
    record_put_number(writer, copy->done);
    record_put_number(writer, copy->total);
    record_put_number(writer, (uint64_t)copy->completed_ms);
}

static void write_numbers(const struct container_change *change, unsigned fields,
                          struct record_writer *writer) {
    if (fields & OFFSET) record_put_number(writer, change->offset);
    if (fields & LENGTH) record_put_number(writer, change->length);
    if (fields & COUNT) record_put_number(writer, change->count);
    if (fields & SEQUENCE) record_put_number(writer, (uint64_t)change->sequence);
    if (fields & BORN) record_put_word(writer, change->born);
    if (fields & SNAPSHOT) record_put_word(writer, change->snapshot);
    if (fields & BLOCK) record_put_bytes(writer, change->block_id);
    if (fields & TOUCHED) record_put_number(writer, (uint64_t)change->touched_ms);
}

static uint8_t flags_of(const struct container_change *change) {
    unsigned flags = change->expired ? EXPIRED : 0;
    if (change->frees_lease) flags |= FREES_LEASE;
    if (change->drops_staged) flags |= DROPS_STAGED;
    return (uint8_t)flags;
}

void container_change_write(const struct container_change *change, struct record_writer *writer) {
    unsigned fields = fields_of(change);
    record_put_byte(writer, CONTAINER_FAMILY);
    record_put_byte(writer, FORMAT);
    record_put_byte(writer, (uint8_t)change->kind);
    if (fields & NAME) record_put_bytes(writer, change->name);
    if (fields & STAMP) {
        record_put_word(writer, change->stamp.etag);
        record_put_number(writer, (uint64_t)change->stamp.modified_ms);
    }
    if (fields & CREATED) record_put_number(writer, (uint64_t)change->created_ms);
    if (fields & ACCESS) record_put_byte(writer, (uint8_t)change->access);
    if (fields & KIND) record_put_byte(writer, (uint8_t)change->blob_kind);
    if (fields & PARTS) record_put_byte(writer, (uint8_t)change->parts);
    if (fields & PROPERTIES) record_put_list(writer, change->properties);
    if (fields & METADATA) record_put_list(writer, change->metadata);
    if (fields & POLICIES) record_put_list(writer, change->policies);
    write_numbers(change, fields, writer);
    if (fields & SOURCE) write_source(change, writer);
    if (fields & COPY) write_copy(&change->copy, writer);
    if (fields & LIST) record_put_list(writer, change->list);
    if (fields & LEASE) {
        record_put_byte(writer, (uint8_t)(change->event | (change->expired ? EXPIRED : 0)));
        lease_write(&change->lease, writer);
    }
    if (fields & FREES) record_put_byte(writer, flags_of(change));
}

/* --- Reading --- */

/* A byte whose top bit tells that a lease has run out. */
static uint8_t flagged_byte(struct record_reader *reader, struct container_change *change) {
    uint8_t byte = record_byte(reader);
    change->expired = byte & EXPIRED;
    return byte & (EXPIRED - 1);
}

static void read_flags(struct record_reader *reader, struct container_change *change) {
    uint8_t flags = flagged_byte(reader, change);
    change->frees_lease = flags & FREES_LEASE;
    change->drops_staged = flags & DROPS_STAGED;
    if (flags & ~(FREES_LEASE | DROPS_STAGED)) reader->failed = true;
}

static void read_source(struct record_reader *reader, struct container_change *change) {
    uint8_t elsewhere = record_byte(reader);
    if (elsewhere > 1) reader->failed = true;
    change->from_elsewhere = elsewhere;
    change->source = record_bytes(reader);
    change->source_snapshot = record_word(reader);
}

static void read_copy(struct record_reader *reader, struct copy *copy) {
    copy->status = record_byte(reader);
    copy->id = record_word(reader);
    copy->source = record_bytes(reader);
    copy->done = record_number(reader);
    copy->total = record_number(reader);
    copy->completed_ms = record_instant(reader);
}

static void read_numbers(unsigned fields, struct record_reader *reader, struct container_change *change) {
    if (fields & OFFSET) change->offset = record_number(reader);
    if (fields & LENGTH) change->length = record_number(reader);
    if (fields & COUNT) change->count = record_number(reader);
    if (fields & SEQUENCE) change->sequence = record_instant(reader);
    if (fields & BORN) change->born = record_word(reader);
    if (fields & SNAPSHOT) change->snapshot = record_word(reader);
    if (fields & BLOCK) change->block_id = record_bytes(reader);
    if (fields & TOUCHED) change->touched_ms = record_instant(reader);
}

static unsigned read_head(struct record_reader *reader, struct container_change *change) {
    unsigned fields = kinds[change->kind].fields;
    if (fields & NAME) change->name = record_bytes(reader);
    if (fields & STAMP) {
        change->stamp.etag = record_word(reader);
        change->stamp.modified_ms = record_instant(reader);
    }
    if (fields & CREATED) change->created_ms = record_instant(reader);
    if (fields & ACCESS) change->access = record_byte(reader);
    if (fields & KIND) change->blob_kind = record_byte(reader);
    if (fields & PARTS) change->parts = record_byte(reader);
    return fields_of(change);
}

static void read_fields(struct record_reader *reader, struct container_change *change) {
    unsigned fields = read_head(reader, change);
    if (fields & PROPERTIES) change->properties = record_list(reader);
    if (fields & METADATA) change->metadata = record_list(reader);
    if (fields & POLICIES) change->policies = record_list(reader);
    read_numbers(fields, reader, change);
    if (fields & SOURCE) read_source(reader, change);
    if (fields & COPY) read_copy(reader, &change->copy);
    if (fields & LIST) change->list = record_list(reader);
    if (fields & LEASE) {
        change->event = flagged_byte(reader, change);
        if (!lease_read(reader, &change->lease)) reader->failed = true;
    }
    if (fields & FREES) read_flags(reader, change);
}

/* --- Soundness --- */

static bool version_sound(version v) {
    return v && v <= VERSION_MOST;
}

static bool copy_sound(const struct copy *copy) {
    return copy->status > COPY_NONE && copy->status < COPY_STATUSES && version_sound(copy->id) &&
           copy->source.length <= COPY_SOURCE_MAX_BYTES && copy->done <= INT64_MAX &&
           copy->total <= INT64_MAX;
}

static bool paged(uint64_t number) {
    return number % PAGE_BYTES == 0 && number <= PAGES_MOST_BYTES;
}

/* A state has only what blobs of its kind have. */
static bool kind_sound(const struct container_change *change) {
    if (change->blob_kind > KIND_APPEND) return false;
    bool page = change->blob_kind == KIND_PAGE;
    bool numbered = change->parts & (PART_LENGTH | PART_SEQUENCE) || change->born;
    return (page || !numbered) && (change->blob_kind == KIND_APPEND || !change->count) &&
           paged(change->length);
}

static bool numbers_sound(unsigned fields, const struct container_change *change) {
    if (fields & KIND && !kind_sound(change)) return false;
    if (fields & PARTS && change->parts > PARTS_ALL) return false;
    if (fields & BORN && change->born > VERSION_MOST) return false;
    if (fields & SNAPSHOT && change->snapshot > VERSION_MOST) return false;
    if (fields & SOURCE && change->source_snapshot > VERSION_MOST) return false;
    if (fields & BLOCK && (!change->block_id.length || change->block_id.length > BLOCK_ID_MAX_BYTES))
        return false;
    return !(fields & PAGED) || (paged(change->offset) && paged(change->length));
}

static bool fields_sound(unsigned fields, const struct container_change *change) {
    if (fields & NAME && name_check(change->name) != OUTCOME_DONE) return false;
    if (fields & STAMP && !version_sound(change->stamp.etag)) return false;
    if (fields & LEASE && change->event >= LEASE_EVENTS) return false;
    if (fields & ACCESS && change->access >= ACCESS_KINDS) return false;
    if (fields & PROPERTIES && !properties_sound(change->properties)) return false;
    if (fields & METADATA && metadata_check(change->metadata) != OUTCOME_DONE) return false;
    if (fields & SOURCE && name_check(change->source) != OUTCOME_DONE) return false;
    if (fields & COPY && !copy_sound(&change->copy)) return false;
    if (!numbers_sound(fields, change)) return false;
    return !(fields & POLICIES) || policies_check(change->policies) == OUTCOME_DONE;
}

bool container_change_read(struct bytes record, struct container_change *change) {
    struct record_reader reader = record_reader(record);
    *change = (struct container_change){0};
    uint8_t family = record_byte(&reader), format = record_byte(&reader), kind = record_byte(&reader);
    if (reader.failed || family != CONTAINER_FAMILY || format != FORMAT || kind >= CONTAINER_CHANGE_KINDS)
        return false;
    change->kind = kind;
    read_fields(&reader, change);
    return record_complete(&reader) && fields_sound(fields_of(change), change);
}
