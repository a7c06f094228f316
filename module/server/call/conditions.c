#include "server/call/conditions.h"

#include "server/call/refusal.h"

#include "ccan/build_assert/build_assert.h"

enum { CONDITION_BITS = IF_MATCH | IF_NONE_MATCH | IF_MODIFIED_SINCE | IF_UNMODIFIED_SINCE };

void conditions_read(const struct call *call, int first_slot, struct conditions *conditions) {
    BUILD_ASSERT(1 << SLOT_IFMATCH == IF_MATCH && 1 << SLOT_IFNONEMATCH == IF_NONE_MATCH);
    BUILD_ASSERT(1 << SLOT_IFMODIFIEDSINCE == IF_MODIFIED_SINCE &&
                 1 << SLOT_IFUNMODIFIEDSINCE == IF_UNMODIFIED_SINCE);
    const struct argument *slots = &call->args.slots[first_slot];
    conditions->given = (unsigned)(call->args.given >> first_slot) & CONDITION_BITS;
    if (conditions->given & IF_MATCH) conditions->match = slots[SLOT_IFMATCH].tag;
    if (conditions->given & IF_NONE_MATCH) conditions->none_match = slots[SLOT_IFNONEMATCH].tag;
    if (conditions->given & IF_MODIFIED_SINCE)
        conditions->modified_since_ms = slots[SLOT_IFMODIFIEDSINCE].number;
    if (conditions->given & IF_UNMODIFIED_SINCE)
        conditions->unmodified_since_ms = slots[SLOT_IFUNMODIFIEDSINCE].number;
}

enum outcome conditions_check_object(struct call *call, const struct stamp *object, const char *noun) {
    enum outcome outcome = conditions_check(&call->conditions, call->command->conditions, object);
    if (outcome == OUTCOME_CONDITION_NOT_MET) refusal_describe_object(call, object, noun);
    return outcome;
}
