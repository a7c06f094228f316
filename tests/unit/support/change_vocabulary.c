#include "change_vocabulary.h"

#include "core/duration.h"
#include "require.h"

#include <stdlib.h>

/* --- The table, and what follows from it --- */

/* clang-format off */
const struct change_word vocabulary[CONTAINER_CHANGE_KINDS] = {
    {"container.create",  CONTAINER_CREATE,       STAMP | CREATED | ACCESS | METADATA | POLICIES | IN_FILES},
    {"container.setmeta", CONTAINER_SETMETA,      STAMP | METADATA},
    {"container.setacl",  CONTAINER_SETACL,       STAMP | ACCESS | POLICIES},
    {"container.delete",  CONTAINER_DROP,         0},
    {"blob.put",          BLOB_PUT,          NAME | STAMP | CREATED | PROPERTIES | METADATA | FREES | CONTENT | IN_FILES},
    {NULL,                CONTAINER_LOADED,       IN_FILES},
    {"blob.setprops",     BLOB_SETPROPS, NAME | STAMP | PARTS | PROPERTIES | LENGTH | SEQUENCE | FREES},
    {"blob.setmeta",      BLOB_SETMETA,  NAME | STAMP | METADATA | FREES},
    {"blob.delete",       BLOB_DELETE,       NAME | FREES | MINTED},
    {"lease.acquire",     CONTAINER_LEASE,        LEASE | IN_FILES},
    {"lease.acquire",     BLOB_LEASE,    NAME | LEASE | IN_FILES},
    {"blob.createpage",   BLOB_CREATEPAGE,   NAME | STAMP | CREATED | PROPERTIES | METADATA | LENGTH | SEQUENCE | FREES},
    {"blob.putpage",      BLOB_PUTPAGE,      NAME | STAMP | OFFSET | FREES | CONTENT},
    {"blob.clearpage",    BLOB_CLEARPAGE,    NAME | STAMP | OFFSET | LENGTH | FREES},
    {"blob.createappend", BLOB_CREATEAPPEND, NAME | STAMP | CREATED | PROPERTIES | METADATA | FREES},
    {"blob.append",       BLOB_APPEND,       NAME | STAMP | OFFSET | FREES | CONTENT},
    {"blob.putblock",     BLOB_STAGE,        NAME | BLOCK | TOUCHED | FREES | CONTENT},
    {"blob.putblocklist", BLOB_COMMIT,       NAME | STAMP | CREATED | PROPERTIES | METADATA | LIST | FREES},
    {"blob.unstage",      BLOB_UNSTAGE,      NAME | COUNT},
    {"blob.snapshot",     BLOB_SNAPSHOT,     NAME | STAMP | PARTS | METADATA | SNAPSHOT | IN_FILES},
    {"blob.delete",       BLOB_DELETESNAPSHOTS, NAME | SNAPSHOT | FREES},
    {"blob.copy",         BLOB_COPY,         NAME | STAMP | CREATED | PARTS | METADATA | SOURCE | COPY | FREES},
    {"blob.abortcopy",    BLOB_ABORTCOPY,    NAME | STAMP},
    {NULL,                BLOB_COPYSTATE,    NAME | COPY | IN_FILES},
    {NULL,                CONTAINER_CHUNK,        LENGTH | CONTENT | IN_FILES},
    {NULL,                BLOB_STATE,        NAME | STAMP | CREATED | KIND | PARTS | PROPERTIES | METADATA | LENGTH | COUNT |
                                               SEQUENCE | BORN | IN_FILES},
    {NULL,                BLOB_SPANS,        NAME | LIST | IN_FILES},
    {NULL,                BLOB_BLOCKS,       NAME | LIST | IN_FILES},
    {NULL,                BLOB_LEAVES,       NAME | LIST | IN_FILES},
    {NULL,                BLOB_STAGED,       NAME | COUNT | BLOCK | TOUCHED | IN_FILES},
    {"blob.seal",         BLOB_SEAL,         NAME | STAMP | FREES},
    {"blob.copy",         BLOB_COPYSTART,    NAME | STAMP | COPY | FREES},
    {NULL,                BLOB_COPYBEGIN,    NAME | KIND | PARTS | PROPERTIES | METADATA | OFFSET | LENGTH | COUNT | SEQUENCE},
    {NULL,                BLOB_COPYPIECE,    NAME | OFFSET | LENGTH | CONTENT},
    {NULL,                BLOB_COPYBLOCK,    NAME | OFFSET | LENGTH | BLOCK | CONTENT},
    {"blob.copied",       BLOB_COPYEND,      NAME | STAMP | COPY | DESCRIPTION},
    {NULL,                BLOB_COPYTOLD,     NAME | COPY | DESCRIPTION | IN_FILES},
    {"container.feed",    CONTAINER_FEEDON,       MINTED | COUNT},
    {"container.feed",    CONTAINER_FEEDKEEP,     COUNT},
    {"container.feed",    CONTAINER_FEEDOFF,      0},
    {NULL,                CONTAINER_FEEDBUILT,    FEED},
    {NULL,                CONTAINER_FEEDSTATE,    FEED | IN_FILES},
    {NULL,                CONTAINER_FEEDMARKERS,  FEED | IN_FILES},
};
/* clang-format on */

unsigned change_brings(const struct container_change *change) {
    unsigned brings = vocabulary[change->kind].brings;
    if (!(brings & PARTS)) return brings;
    if (!(change->parts & PART_PROPERTIES)) brings &= ~(unsigned)PROPERTIES;
    if (!(change->parts & PART_METADATA)) brings &= ~(unsigned)METADATA;
    if (!(change->parts & PART_LENGTH)) brings &= ~(unsigned)LENGTH;
    if (!(change->parts & PART_SEQUENCE)) brings &= ~(unsigned)SEQUENCE;
    return brings;
}

static void leave_only_numbers(struct container_change *change, unsigned brings) {
    if (!(brings & KIND)) change->blob_kind = KIND_BLOCK;
    if (!(brings & PARTS)) change->parts &= change->kind == BLOB_DELETESNAPSHOTS ? SNAPSHOT_IS_HELPER : 0U;
    if (!(brings & OFFSET)) change->offset = 0;
    if (!(brings & LENGTH)) change->length = 0;
    if (!(brings & COUNT)) change->count = 0;
    if (!(brings & SEQUENCE)) change->sequence = 0;
    if (!(brings & BORN)) change->born = 0;
    if (!(brings & SNAPSHOT)) change->snapshot = 0;
    if (!(brings & BLOCK)) change->block_id = bytes_of("", 0);
    if (!(brings & TOUCHED)) change->touched_ms = 0;
    if (!(brings & SOURCE)) change->source = bytes_of("", 0);
    if (!(brings & SOURCE)) change->source_snapshot = 0;
    if (!(brings & SOURCE)) change->from_elsewhere = false;
    if (!(brings & MINTED)) change->minted = 0;
    if (!(brings & FEED)) change->feed = bytes_of("", 0);
    struct bytes description = change->copy.description;
    if (!(brings & COPY)) change->copy = (struct copy){.source = {"", 0}};
    change->copy.description = brings & DESCRIPTION ? description : bytes_of("", 0);
}

void change_leave_only(struct container_change *change, unsigned brings) {
    const struct packed_list empty = {0, {"", 0}};
    if (!(brings & NAME)) change->name = bytes_of("", 0);
    if (!(brings & STAMP)) change->stamp = (struct stamp){0, 0};
    if (!(brings & CREATED)) change->created_ms = 0;
    if (!(brings & ACCESS)) change->access = ACCESS_PRIVATE;
    if (!(brings & PROPERTIES)) change->properties = empty;
    if (!(brings & METADATA)) change->metadata = empty;
    if (!(brings & POLICIES)) change->policies = empty;
    if (!(brings & LIST)) change->list = empty;
    if (!(brings & LEASE)) change->lease = (struct lease){.owner = {"", 0}};
    if (!(brings & LEASE)) change->event = LEASE_EVENT_QUIET;
    if (!(brings & FREES)) change->frees_lease = false;
    if (!(brings & (LEASE | FREES))) change->expired = false;
    leave_only_numbers(change, brings);
}

/* --- Samples --- */

void sample_write(struct sample *sample) {
    struct record_writer writer ENDS_BY(record_end);
    record_start(&writer);
    change_write(&container_changes, &sample->draft.change, &writer);
    sample->length = writer.length;
    sample->data = malloc(writer.length);
    require(sample->data, "there is memory");
    memcpy(sample->data, writer.data, writer.length);
}

static void sample_make(struct sample *sample, const struct choice *choice) {
    draft_make(&sample->draft, choice);
    sample_write(sample);
}

void sample_draw(struct sample *sample, struct dice *dice, bool large) {
    struct choice choice;
    dice_fill(dice, &choice, sizeof(choice));
    if (!large) choice.metadata %= 4;
    sample_make(sample, &choice);
}

void sample_end(struct sample *sample) {
    free(sample->data);
    draft_end(&sample->draft);
}

struct lease lease_once_written(bool ends) {
    return (struct lease){
        .kind = ends ? LEASE_ENDING : LEASE_HELD,
        .id = {UINT64_C(0x0102030405060708), UINT64_C(0x1112131415161718)},
        .token = UINT64_C(0x65a0000000000006),
        .duration_ms = ends ? 15000 : DURATION_INFINITE_MS,
        .since_ms = 998,
        .ends_ms = ends ? 1000 : LEASE_FOREVER,
        .owner = bytes_text(ends ? "me" : ""),
    };
}
