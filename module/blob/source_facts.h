/* What another server says of a blob, looked at: whether it is what a Holdfast says, and whether it fits together. */
#ifndef HOLDFAST_SOURCE_FACTS_H
#define HOLDFAST_SOURCE_FACTS_H

#include "blob/container_change.h"
#include "blob/source_answer.h"
#include "core/pages.h"

struct source_facts {
    enum blob_kind kind;
    version etag;
    uint64_t length;
    bool pending; /* a copy to it goes on */
    bool sealed;
    uint64_t append_blocks;
    int64_t sequence;
    struct packed_list properties;
    struct packed_list metadata;

    version etag_of_blocks;
    size_t block_count;
    struct bytes block_id; /* of the block that source_facts_next_block came to */
    uint64_t block_bytes;

    struct record_writer property_room, metadata_room,
        blocks; /* blocks: id and length, one after the other */
    struct record_reader next_block;
};

void source_facts_start(struct source_facts *facts);
void source_facts_end(struct source_facts *facts);

/* The answers of BLOB.STAT and BLOB.GETBLOCKLIST. NULL, or what is wrong with them. */
const char *source_facts_read(struct source_facts *facts, const struct answer *answer);
const char *source_facts_read_blocks(struct source_facts *facts, const struct answer *answer);

/* Goes on by one block; there is one more. */
void source_facts_next_block(struct source_facts *facts);

/* The answer of BLOB.GETPAGES about a window, likewise: the ranges in their order, in the place of those that are there. */
const char *source_ranges_read(const struct answer *answer, struct page_range window,
                               const struct source_facts *facts, struct page_range **ranges, size_t *count);

#endif
