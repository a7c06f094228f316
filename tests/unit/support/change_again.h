/* Changes that are written as records, and read back. */
#ifndef HOLDFAST_UNIT_CHANGE_AGAIN_H
#define HOLDFAST_UNIT_CHANGE_AGAIN_H

#include "change/change.h"

/* Reads into `again` what a change is written as. It borrows from the record, which the caller frees. */
void change_again(const struct change_schema *schema, const void *change, void *again, char **record);

/* That a change which was read has one way to be written, whichever way it came in. */
void change_require_repeatable(const struct change_schema *schema, const void *change);

#endif
