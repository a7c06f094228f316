/* What another server says of a blob, checked: whether it is a reply of Holdfast, and whether it is consistent. */
#ifndef HOLDFAST_SOURCE_FACTS_H
#define HOLDFAST_SOURCE_FACTS_H

#include "blob/container_change.h"
#include "blob/source_answer.h"
#include "core/pages.h"

struct source_facts {
    enum blob_kind kind;
    version etag;
    uint64_t length;
    bool pending; /* it is the target of a pending copy */
    bool sealed;
    uint64_t append_blocks;
    int64_t sequence;
    struct packed_list properties;
    struct packed_list metadata;

    version etag_of_blocks;
    size_t block_count;
    struct bytes block_id; /* of the current block */
    uint64_t block_bytes;

    struct record_writer property_writer, metadata_writer;
    struct record_writer blocks; /* the id and length of each */
    struct record_reader next_block;
};

void source_facts_start(struct source_facts *facts);
void source_facts_end(struct source_facts *facts);

/* Reads the replies of BLOB.STAT and BLOB.GETBLOCKLIST. Returns NULL, or what is wrong with them. */
const char *source_facts_read(struct source_facts *facts, const struct answer *answer);
const char *source_facts_read_blocks(struct source_facts *facts, const struct answer *answer);

/* Advances by one block; there must be one. */
void source_facts_next_block(struct source_facts *facts);

/* Reads the reply of BLOB.GETPAGES for a window in the same way: the ranges in order, replacing those in *ranges. */
const char *source_ranges_read(const struct answer *answer, struct page_range window,
                               const struct source_facts *facts, struct page_range **ranges, size_t *count);

#endif
