/* Changes of what a value remembers of calls made with a token (core/once_log.h). They are the same for all data types,
 * so they have a letter of their own. The data type's change travels inside the change that remembers the call, so that
 * no replica or file ever has one without the other. A change that drops a value carries no call: nothing is left to
 * remember it. */
#ifndef HOLDFAST_ONCE_CHANGE_H
#define HOLDFAST_ONCE_CHANGE_H

#include "change/change.h"
#include "core/once_log.h"

enum once_change_kind {
    ONCE_REMEMBER,  /* forgets some of the oldest, applies the change inside, remembers the call */
    ONCE_FORGET,    /* forgets some of the oldest */
    ONCE_TAKE_BACK, /* forgets one call, because its effect is undone */
    ONCE_CHANGE_KINDS
};

struct once_change {
    enum once_change_kind kind;
    uint64_t forgets; /* number of oldest calls to forget */
    struct logged_call call;
    struct bytes inside; /* the data type's record; empty for none */
};

/* The fields of a record, in order: the rows of the layout. */
/* clang-format off */
#define ONCE_FIELDS(X)                                                                              \
    X(FORGETS, forgets,     .codec = CODEC_NUMBER)                                                  \
    X(TOKEN,   call.token,  .codec = CODEC_BYTES, .max = TOKEN_MAX_BYTES, .sound = token_is_sound)  \
    X(CALL,    call,        .codec = CODEC_OWN, .own = &call_codec) /* its fingerprint and time */  \
    X(ANSWER,  call.answer, .codec = CODEC_BYTES, .max = ONCE_BYTES_MAX, .sound = answer_is_sound)  \
    X(INSIDE,  inside,      .codec = CODEC_BYTES, .sound = inside_is_sound)
/* clang-format on */

#define ONCE_FIELD(name, ...) ONCE_FIELD_##name,
enum once_field { ONCE_FIELDS(ONCE_FIELD) };
#define ONCE_HAS(field) (UINT64_C(1) << ONCE_FIELD_##field)

extern const struct change_schema once_changes;

/* Whether the record is a once_change. */
bool once_change_is(struct bytes record);

/* False, and nothing done, when it does not fit what the log has. Does not look at the change inside. */
bool once_change_fits(const struct once_log *once_log, const struct once_change *change);
/* Applies a change that fits. */
void once_change_do(struct once_log **place, const struct once_change *change);

#endif
