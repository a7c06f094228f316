/* A sound record of any family's changes, tried in the ways in which all records are. */
#ifndef HOLDFAST_UNIT_RECORD_TRIAL_H
#define HOLDFAST_UNIT_RECORD_TRIAL_H

#include "change/change.h"
#include "dice.h"

/* Whether it is read, in a piece of memory of its own, so that a step beyond its end is seen. */
bool record_is_read(const struct change_schema *schema, struct bytes record);

/* What is read of it is written as the same record. */
void record_require_same_again(const struct change_schema *schema, struct bytes record);

/* Cut off at any length, or with a byte behind it, it is none. */
void record_require_whole(const struct change_schema *schema, struct bytes record);

/* With some bytes changed it is refused, or what is written of it is sound, too; answers which. */
bool record_is_sound_doctored(const struct change_schema *schema, struct bytes record, struct dice *dice);

#endif
