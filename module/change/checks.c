#include "change/checks.h"

#include "core/metadata.h"
#include "core/name.h"
#include "core/policy.h"
#include "core/property.h"

bool metadata_is_sound(const void *list) {
    return metadata_check(*(const struct packed_list *)list) == OUTCOME_DONE;
}

bool policies_are_sound(const void *list) {
    return policies_check(*(const struct packed_list *)list) == OUTCOME_DONE;
}

bool properties_are_sound(const void *list) {
    return properties_sound(*(const struct packed_list *)list);
}

bool name_is_sound(const void *name) {
    return name_check(*(const struct bytes *)name) == OUTCOME_DONE;
}
