/* Edits of changes: one field of a sound record becomes another one, so that the record says
 * something else, and says it well. */
#ifndef HOLDFAST_UNIT_CHANGE_EDIT_H
#define HOLDFAST_UNIT_CHANGE_EDIT_H

#include "change/change.h"

/* Changes the nth field of a change, taken modulo how many there are, by a value from dice or from a fuzzer: a number
 * becomes a little greater or smaller, or one of some at the limits; bytes and lists become shorter. Leaves alone
 * fields with a codec of their own. */
void change_edit_field(const struct change_schema *schema, void *change, unsigned n, uint8_t value);

#endif
