#include "blob/change.h"

#include "core/metadata.h"
#include "core/name.h"
#include "core/policy.h"
#include "core/property.h"

enum { FORMAT = 1, EXPIRED = 0x80 };

enum field {
    NAME = 1,
    STAMP = 2,
    CREATED = 4,
    ACCESS = 8,
    PROPERTIES = 16,
    METADATA = 32,
    POLICIES = 64,
    LEASE = 128,
    FREES = 256,   /* whether the write frees an ended lease */
    CONTENT = 512, /* beside the record */
};

/* clang-format off */
static const struct { const char *event; unsigned fields; } kinds[CHANGE_KINDS] = {
    [CHANGE_CREATE]       = {"container.create",  STAMP | CREATED | ACCESS | METADATA | POLICIES},
    [CHANGE_SETMETA]      = {"container.setmeta", STAMP | METADATA},
    [CHANGE_SETACL]       = {"container.setacl",  STAMP | ACCESS | POLICIES},
    [CHANGE_DROP]         = {"container.delete",  0},
    [CHANGE_PUT]          = {"blob.put",          NAME | STAMP | CREATED | PROPERTIES | METADATA | FREES | CONTENT},
    [CHANGE_EXTEND]       = {NULL,                NAME | CONTENT},
    [CHANGE_SETBLOBPROPS] = {"blob.setprops",     NAME | STAMP | PROPERTIES | FREES},
    [CHANGE_SETBLOBMETA]  = {"blob.setmeta",      NAME | STAMP | METADATA | FREES},
    [CHANGE_DELETE]       = {"blob.delete",       NAME | FREES},
    [CHANGE_LEASE]        = {NULL,                LEASE},
    [CHANGE_BLOBLEASE]    = {NULL,                NAME | LEASE},
};
/* clang-format on */

bool change_has_content(enum change_kind kind) {
    return kinds[kind].fields & CONTENT;
}

bool change_has_name(enum change_kind kind) {
    return kinds[kind].fields & NAME;
}

const char *change_event(const struct change *change) {
    const char *event = kinds[change->kind].event;
    return event ? event : lease_event_name(change->event);
}

void change_write(const struct change *change, struct record_writer *writer) {
    unsigned fields = kinds[change->kind].fields;
    record_put_byte(writer, CHANGE_FAMILY);
    record_put_byte(writer, FORMAT);
    record_put_byte(writer, (uint8_t)change->kind);
    if (fields & NAME) record_put_bytes(writer, change->name);
    if (fields & STAMP) {
        record_put_word(writer, change->stamp.etag);
        record_put_number(writer, (uint64_t)change->stamp.modified_ms);
    }
    if (fields & CREATED) record_put_number(writer, (uint64_t)change->created_ms);
    if (fields & ACCESS) record_put_byte(writer, (uint8_t)change->access);
    if (fields & PROPERTIES) record_put_list(writer, change->properties);
    if (fields & METADATA) record_put_list(writer, change->metadata);
    if (fields & POLICIES) record_put_list(writer, change->policies);
    if (fields & LEASE) {
        record_put_byte(writer, (uint8_t)(change->event | (change->expired ? EXPIRED : 0)));
        lease_write(&change->lease, writer);
    }
    if (fields & FREES)
        record_put_byte(writer, (uint8_t)(change->frees_lease | (change->expired ? EXPIRED : 0)));
}

/* A byte whose top bit tells that a lease has run out. */
static uint8_t flagged_byte(struct record_reader *reader, struct change *change) {
    uint8_t byte = record_byte(reader);
    change->expired = byte & EXPIRED;
    return byte & (EXPIRED - 1);
}

static void read_fields(unsigned fields, struct record_reader *reader, struct change *change) {
    if (fields & NAME) change->name = record_bytes(reader);
    if (fields & STAMP) {
        change->stamp.etag = record_word(reader);
        change->stamp.modified_ms = record_instant(reader);
    }
    if (fields & CREATED) change->created_ms = record_instant(reader);
    if (fields & ACCESS) change->access = record_byte(reader);
    if (fields & PROPERTIES) change->properties = record_list(reader);
    if (fields & METADATA) change->metadata = record_list(reader);
    if (fields & POLICIES) change->policies = record_list(reader);
    if (fields & LEASE) {
        change->event = flagged_byte(reader, change);
        if (!lease_read(reader, &change->lease)) reader->failed = true;
    }
    if (fields & FREES) {
        uint8_t frees = flagged_byte(reader, change);
        if (frees > 1) reader->failed = true;
        change->frees_lease = frees;
    }
}

static bool fields_sound(unsigned fields, const struct change *change) {
    if (fields & NAME && name_check(change->name) != OUTCOME_DONE) return false;
    if (fields & STAMP && (!change->stamp.etag || change->stamp.etag > VERSION_MOST)) return false;
    if (fields & LEASE && change->event >= LEASE_EVENTS) return false;
    if (fields & ACCESS && change->access >= ACCESS_KINDS) return false;
    if (fields & PROPERTIES && !properties_sound(change->properties)) return false;
    if (fields & METADATA && metadata_check(change->metadata) != OUTCOME_DONE) return false;
    return !(fields & POLICIES) || policies_check(change->policies) == OUTCOME_DONE;
}

bool change_read(struct bytes record, struct change *change) {
    struct record_reader reader = record_reader(record);
    *change = (struct change){0};
    uint8_t family = record_byte(&reader), format = record_byte(&reader), kind = record_byte(&reader);
    if (reader.failed || family != CHANGE_FAMILY || format != FORMAT || kind >= CHANGE_KINDS) return false;
    change->kind = kind;
    read_fields(kinds[kind].fields, &reader, change);
    return record_complete(&reader) && fields_sound(kinds[kind].fields, change);
}
