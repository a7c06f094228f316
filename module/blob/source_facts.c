#include "blob/source_facts.h"

#include "blob/blob.h"
#include "blob/blocks.h"
#include "core/base64.h"
#include "core/memory.h"
#include "core/metadata.h"
#include "core/property.h"

#include "ccan/array_size/array_size.h"

void source_facts_start(struct source_facts *facts) {
    *facts = (struct source_facts){.kind = KIND_UNCOMMITTED};
    record_start(&facts->property_writer);
    record_start(&facts->metadata_writer);
    record_start(&facts->blocks);
}

void source_facts_end(struct source_facts *facts) {
    record_end(&facts->property_writer);
    record_end(&facts->metadata_writer);
    record_end(&facts->blocks);
}

/* --- BLOB.STAT --- */

static bool read_source_version(const struct answer *answer, version *v) {
    struct bytes text;
    return answer_is_text(answer, &text) && version_read(text, v);
}

/* A blob without a kind, to which a copy has failed, is an empty block blob until it is written. */
static bool read_source_kind(struct source_facts *facts, const struct answer *field) {
    static const char *const names[] = {"block", "page", "append"}; /* in the order of enum blob_kind */
    struct bytes name;
    facts->kind = KIND_BLOCK;
    if (!field) return !facts->length;
    if (!answer_is_text(field, &name)) return false;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        facts->kind = (enum blob_kind)i;
        if (bytes_equal(name, bytes_text(names[i]))) return true;
    }
    return false;
}

static bool is_default_type(const char *name, struct bytes value) {
    return !strcmp(name, "content-type") && bytes_equal(value, bytes_text(PROPERTY_DEFAULT_TYPE));
}

/* The properties are fields of the map among others; each must be a text. */
static bool read_source_properties(struct source_facts *facts, const struct answer *map) {
    static const char *const names[] = {"content-type",        "content-encoding", "content-language",
                                        "content-disposition", "cache-control",    "content-md5"};
    struct record_writer given;
    uint64_t count = 0;
    struct bytes value;
    bool sound = true;
    record_start(&given);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const struct answer *field = answer_field(map, names[i]);
        if (!field) continue;
        sound = sound && answer_is_text(field, &value);
        if (!sound || is_default_type(names[i], value)) continue;
        record_put_bytes(&given, bytes_text(names[i]));
        record_put_bytes(&given, value);
        count++;
    }
    struct packed_list list = {count, record_written(&given)};
    sound = sound && properties_pack(list, &facts->property_writer, &facts->properties) == OUTCOME_DONE;
    record_end(&given);
    return sound;
}

static bool read_source_metadata(struct source_facts *facts, const struct answer *pairs) {
    struct record_writer *writer = &facts->metadata_writer;
    struct bytes word;
    if (!pairs || pairs->kind != ANSWER_LIST || pairs->count % 2) return false;
    for (uint32_t i = 0; i < pairs->count; i++) {
        if (!answer_is_text(&pairs->items[i], &word)) return false;
        record_put_bytes(writer, word);
    }
    facts->metadata = (struct packed_list){pairs->count / 2, record_written(writer)};
    return metadata_check(facts->metadata) == OUTCOME_DONE;
}

/* Numbers that only some kinds of blobs have. */
static bool read_source_numbers(struct source_facts *facts, const struct answer *map) {
    uint64_t sequence = 0, sealed = 0;
    bool sound = true;
    if (facts->kind == KIND_PAGE)
        sound = facts->length % PAGE_BYTES == 0 && facts->length <= PAGES_MAX_BYTES &&
                answer_is_number(answer_field(map, "sequence-number"), 0, INT64_MAX, &sequence);
    if (facts->kind == KIND_APPEND) {
        const struct answer *field = answer_field(map, "sealed");
        sound =
            answer_is_number(answer_field(map, "block-count"), 0, APPEND_BLOCKS_MAX, &facts->append_blocks) &&
            (!field || answer_is_number(field, 0, 1, &sealed));
    }
    facts->sequence = (int64_t)sequence;
    facts->sealed = sealed;
    return sound;
}

const char *source_facts_read(struct source_facts *facts, const struct answer *answer) {
    struct bytes status;
    if (answer->kind != ANSWER_LIST) return "the source's answer to BLOB.STAT is not valid";
    if (answer_is_text(answer_field(answer, "copy-status"), &status))
        facts->pending = bytes_equal(status, bytes_text("pending"));
    if (facts->pending) return NULL;
    if (!read_source_version(answer_field(answer, "etag"), &facts->etag))
        return "the source's ETag is not valid";
    if (!answer_is_number(answer_field(answer, "content-length"), 0, INT64_MAX, &facts->length))
        return "the source's content-length is not valid";
    if (!read_source_kind(facts, answer_field(answer, "blob-type")))
        return "the source's blob-type is not valid";
    if (!read_source_numbers(facts, answer)) return "the source's numbers do not fit its kind";
    if (!read_source_properties(facts, answer)) return "the source's properties are not valid";
    return read_source_metadata(facts, answer_field(answer, "meta")) ? NULL
                                                                     : "the source's metadata are not valid";
}

/* --- BLOB.GETBLOCKLIST --- */

static bool read_source_block(struct source_facts *facts, const struct answer *block, uint64_t left,
                              uint64_t *length) {
    unsigned char id[BLOCK_ID_MAX_BYTES];
    struct bytes text;
    if (block->kind != ANSWER_LIST || block->count != 2 || !answer_is_text(&block->items[0], &text))
        return false;
    long bytes = base64_read(text, id, sizeof(id));
    if (bytes < 1 || bytes > BLOCK_ID_MAX_BYTES) return false;
    if (!answer_is_number(&block->items[1], 1, INT64_MAX, length) || *length > left) return false;
    record_put_bytes(&facts->blocks, bytes_of((const char *)id, (size_t)bytes));
    record_put_number(&facts->blocks, *length);
    return true;
}

/* A content that was not uploaded in blocks has none; otherwise the blocks make up all of it. */
const char *source_facts_read_blocks(struct source_facts *facts, const struct answer *answer) {
    const struct answer *list = answer_field(answer, "committed");
    uint64_t left = facts->length, length;
    if (!read_source_version(answer_field(answer, "etag"), &facts->etag_of_blocks))
        return "the source's list of blocks has no ETag";
    if (!list || list->kind != ANSWER_LIST || list->count > BLOCKS_COMMITTED_MAX)
        return "the source's list of blocks is not valid";
    for (uint32_t i = 0; i < list->count; i++) {
        if (!read_source_block(facts, &list->items[i], left, &length))
            return "the source's list of blocks has one that is not valid";
        left -= length;
    }
    if (list->count && left) return "the source's blocks are not as long as its content";
    facts->block_count = list->count;
    facts->next_block = record_reader(record_written(&facts->blocks));
    return NULL;
}

void source_facts_next_block(struct source_facts *facts) {
    facts->block_id = record_bytes(&facts->next_block);
    facts->block_bytes = record_number(&facts->next_block);
}

/* --- BLOB.GETPAGES --- */

static bool read_source_range(const struct answer *pair, struct page_range window, uint64_t from,
                              struct page_range *range) {
    if (pair->kind != ANSWER_LIST || pair->count != 2) return false;
    if (!answer_is_number(&pair->items[0], 0, INT64_MAX, &range->offset)) return false;
    if (!answer_is_number(&pair->items[1], PAGE_BYTES, INT64_MAX, &range->length)) return false;
    bool whole = range->offset % PAGE_BYTES == 0 && range->length % PAGE_BYTES == 0;
    uint64_t end = window.offset + window.length;
    return whole && range->offset >= from && range->offset < end && range->length <= end - range->offset;
}

const char *source_ranges_read(const struct answer *answer, struct page_range window,
                               const struct source_facts *facts, struct page_range **ranges, size_t *count) {
    const struct answer *list = answer_field(answer, "pages");
    version etag;
    uint64_t from = window.offset;
    if (!read_source_version(answer_field(answer, "etag"), &etag) || etag != facts->etag)
        return "the source's pages are of another ETag";
    if (!list || list->kind != ANSWER_LIST) return "the source's list of pages is not valid";
    *ranges = memory_resize(*ranges, ((size_t)list->count + 1) * sizeof(**ranges));
    *count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        struct page_range *range = &(*ranges)[i];
        if (!read_source_range(&list->items[i], window, from, range))
            return "the source's list of pages has one that is not valid";
        from = range->offset + range->length;
    }
    *count = list->count;
    return NULL;
}
