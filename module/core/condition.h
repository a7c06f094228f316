/* Conditions: optimistic concurrency. IFMATCH, IFNONEMATCH, IFMODIFIEDSINCE and IFUNMODIFIEDSINCE against the
 * state of one object, with the three ways in which an operation can use them.
 *
 *   a read     passes if IFMATCH and IFUNMODIFIEDSINCE hold, and IFNONEMATCH or IFMODIFIEDSINCE does
 *   a write    takes one condition, or IFNONEMATCH + IFMODIFIEDSINCE (only the first counts),
 *              or IFMATCH + IFUNMODIFIEDSINCE (only the first counts)
 *   a creating write is a write that may meet nothing at all
 *
 * A tag that is not a well-formed ETag never matches: IFMATCH fails with it, IFNONEMATCH passes. */
#ifndef HOLDFAST_CONDITION_H
#define HOLDFAST_CONDITION_H

#include "core/bytes.h"
#include "core/outcome.h"
#include "core/version.h"

enum condition_use { CONDITIONS_NONE, CONDITIONS_READ, CONDITIONS_WRITE, CONDITIONS_CREATE };

enum condition_kind {
    IF_MATCH = 1,
    IF_NONE_MATCH = 2,
    IF_MODIFIED_SINCE = 4,
    IF_UNMODIFIED_SINCE = 8,
};

enum tag_kind { TAG_ANY, TAG_VERSION, TAG_MALFORMED };

struct tag {
    enum tag_kind kind;
    version version;
};

struct conditions {
    unsigned given; /* bits of enum condition_kind */
    struct tag match;
    struct tag none_match;
    int64_t modified_since_ms;
    int64_t unmodified_since_ms;
};

/* What conditions look at. A missing object is a NULL pointer. */
struct stamp {
    version etag;
    int64_t modified_ms;
};

struct tag tag_read(struct bytes text);

/* Refuses conditions that may not be combined, or make no sense, for this use. Looks at no object. */
enum outcome conditions_check_form(const struct conditions *conditions, enum condition_use use);

/* Only for legal conditions. An object without a stamp (a name that has only staged blocks) is found only by
 * calls without conditions. Only blobs can be missing, or there already: the refusals say so. */
enum outcome conditions_check(const struct conditions *conditions, enum condition_use use,
                              const struct stamp *object);

#endif
