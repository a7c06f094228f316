/* Drafts: operations as callers write them, read and checked as far as that needs no table.
 *
 *   TABLE.MERGE t eu 17 IFMATCH * PROPS 1 sold:bool true      one draft
 *   TABLE.BATCH t eu 2 INSERT 18 PROPS 0 DELETE 17 IFMATCH *  a draft for each operation
 *
 * A single command is a batch of one; only the words of its refusals differ. Keys and properties stand in one room,
 * behind each other. */
#ifndef HOLDFAST_TABLE_DRAFT_H
#define HOLDFAST_TABLE_DRAFT_H

#include "table/redis/handlers.h"

struct draft {
    enum verb verb;
    struct tag match;
    struct bytes condition; /* IF; data is NULL for none */
    size_t key_at, key_length;
    size_t properties_at, properties_length;
    uint64_t property_count;
};

struct drafts {
    unsigned count;
    bool numbered; /* refusals name the operation */
    bool
        measured; /* what has been read so far counts in the size of the request, and is looked at behind it */
    struct record_writer *room; /* lasts as long as the call */
    size_t beside;              /* bytes of conditions, and of what is passed over */
    struct draft items[TABLE_BATCH_MAX];
};

/* Reads the call's own operation, or those of a batch. On refusal the call's note tells why. */
enum outcome drafts_read_one(struct call *call, enum verb verb, struct drafts *drafts);
enum outcome drafts_read_batch(struct call *call, struct drafts *drafts);

/* Without its filter. */
struct operation draft_operation(const struct drafts *drafts, const struct draft *draft);

/* The call's note becomes that of one operation of a batch. */
void drafts_note(struct call *call, const struct drafts *drafts, unsigned number, enum outcome outcome);

/* Compiles what an option has for a filter. On refusal the call's note tells where it is wrong. */
enum outcome filter_read(struct call *call, struct bytes text, struct filter *filter);

#endif
