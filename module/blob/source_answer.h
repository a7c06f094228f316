/* What another server answers, as a tree of bounded size. hiredis reads the protocol; the tree is ours, since it is to
 * take no more memory than an answer that is sound needs, whatever the answer says of itself. */
#ifndef HOLDFAST_SOURCE_ANSWER_H
#define HOLDFAST_SOURCE_ANSWER_H

#include "core/bytes.h"

#include <stdint.h>

enum {
    SOURCE_PIECE_BYTES = 1 << 20,                       /* of content, in one answer */
    SOURCE_LIST_MAX = 50000,                            /* blocks, or ranges of pages */
    SOURCE_TEXT_MAX_BYTES = SOURCE_PIECE_BYTES + 65536, /* of an answer that has not been read yet */
    SOURCE_ANSWER_MAX_BYTES = 9 << 20,                  /* of a tree */
};

enum answer_kind { ANSWER_NULL, ANSWER_TEXT, ANSWER_ERROR, ANSWER_NUMBER, ANSWER_LIST };

struct answer {
    enum answer_kind kind;
    uint32_t count; /* of a list */
    union {
        struct bytes text; /* also of an error */
        int64_t number;
        struct answer *items;
    };
};

/* What comes in on one connection. */
struct source_answers;

struct source_answers *source_answers_new(void);
void source_answers_free(struct source_answers *answers);

/* False for what is no protocol, or more than there may be; then nothing more can be read. */
bool source_answers_feed(struct source_answers *answers, struct bytes bytes);

/* The next answer that is whole, valid until the next call; NULL when there is none yet. *failed as above. */
const struct answer *source_answers_next(struct source_answers *answers, bool *failed);

/* One field of an answer that is a map; NULL when it is none, or has no such field. */
const struct answer *answer_field(const struct answer *map, const char *name);

/* Those of a kind that is wanted; false for any other. */
bool answer_is_text(const struct answer *answer, struct bytes *text);
bool answer_is_number(const struct answer *answer, int64_t least, int64_t most, uint64_t *number);

#endif
