/* Drafts: operations parsed from arguments, and checked as far as possible without a table.
 *
 *   TABLE.MERGE t eu 17 IFMATCH * PROPS 1 sold:bool true      one draft
 *   TABLE.BATCH t eu 2 INSERT 18 PROPS 0 DELETE 17 IFMATCH *  a draft for each operation
 *
 * A single command is parsed like a batch of one; only its error texts differ. Keys and properties are
 * in one buffer. */
#ifndef HOLDFAST_TABLE_DRAFTS_H
#define HOLDFAST_TABLE_DRAFTS_H

#include "table/redis/table_commands.h"

struct draft {
    enum verb verb;
    struct tag match;
    struct bytes condition;    /* IF; data is NULL for none */
    size_t key_at, key_length; /* offsets in the buffer */
    size_t properties_at, properties_length;
    uint64_t property_count;
};

struct drafts {
    unsigned count;
    bool numbered;                /* refusals name the operation */
    bool measured;                /* the size of the request is checked: properties have been reached */
    struct record_writer *buffer; /* lasts as long as the call */
    size_t skipped_bytes;         /* of conditions and values that are not in the buffer */
    struct draft items[];
};

/* Reads the call's own operation, or those of a batch, for its handler: see drafts_of_call. On refusal the call's note
 * tells why. */
enum outcome drafts_read_one(struct call *call, enum verb verb);
enum outcome drafts_read_batch(struct call *call);

/* What the call's check has read. */
static inline const struct drafts *drafts_of_call(const struct call *call) {
    return call->form;
}

/* The operation of a draft, without its filter. */
struct operation draft_operation(const struct drafts *drafts, const struct draft *draft);

/* Adds the number of an operation to the call's note, in a batch. */
void drafts_note(struct call *call, const struct drafts *drafts, unsigned number, enum outcome outcome);

/* Compiles a filter. On refusal the call's note tells where it is wrong. */
enum outcome filter_read(struct call *call, struct bytes text, struct filter *filter);

#endif
