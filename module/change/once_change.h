/* Changes of what a value remembers of calls that were made with a token (core/remembered.h): the same for all
 * families, so they have a letter of their own. The change of the family that the call brought about travels inside of
 * the one that remembers it, so that nobody ever has one without the other. */
#ifndef HOLDFAST_ONCE_CHANGE_H
#define HOLDFAST_ONCE_CHANGE_H

#include "change/change.h"
#include "core/remembered.h"

enum once_change_kind {
    ONCE_REMEMBER,  /* some of the oldest go, the change inside happens, and the call is remembered */
    ONCE_FORGET,    /* some of the oldest go */
    ONCE_TAKE_BACK, /* one call is forgotten, since what it did is taken back */
    ONCE_CHANGE_KINDS
};

struct once_change {
    enum once_change_kind kind;
    uint64_t forgets; /* so many of the oldest */
    struct remembered_call call;
    struct bytes inside; /* a record of the family's; empty for none */
};

/* The fields of a record, in their order: the rows of the layout. */
enum once_field {
    ONCE_HAS_FORGETS = 1 << 0,
    ONCE_HAS_TOKEN = 1 << 1,
    ONCE_HAS_CALL = 1 << 2, /* its fingerprint and when it was made */
    ONCE_HAS_ANSWER = 1 << 3,
    ONCE_HAS_INSIDE = 1 << 4,
};

extern const struct change_family once_changes;

/* Whether the record is one of these. */
bool once_change_is(struct bytes record);

/* False, and nothing done, when it does not fit what is remembered. What stands inside is not looked at. */
bool once_change_fits(const struct remembered *remembered, const struct once_change *change);
/* Does what fits. */
void once_change_do(struct remembered **place, const struct once_change *change);

#endif
