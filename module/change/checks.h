/* Checks of fields that several data types share, for their layouts. */
#ifndef HOLDFAST_CHECKS_H
#define HOLDFAST_CHECKS_H

#include <stdbool.h>

bool metadata_is_sound(const void *list);
bool policies_are_sound(const void *list);
bool properties_are_sound(const void *list);
bool name_is_sound(const void *name);

#endif
