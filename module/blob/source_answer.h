/* Replies of another server, as a tree of bounded size. hiredis parses the protocol; the tree is our own, so that it
 * never uses more memory than a valid reply needs, whatever lengths the reply announces. */
#ifndef HOLDFAST_SOURCE_ANSWER_H
#define HOLDFAST_SOURCE_ANSWER_H

#include "core/bytes.h"

#include <stdint.h>

enum {
    SOURCE_PIECE_BYTES = 1 << 20,                       /* of content, in one reply */
    SOURCE_LIST_MAX = 50000,                            /* blocks or page ranges */
    SOURCE_TEXT_MAX_BYTES = SOURCE_PIECE_BYTES + 65536, /* of a reply that is still being received */
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

/* The input of one connection. */
struct source_answers;

struct source_answers *source_answers_new(void);
void source_answers_free(struct source_answers *answers);

/* False for protocol errors and for replies that are too large; nothing more can be read then. */
bool source_answers_feed(struct source_answers *answers, struct bytes bytes);

/* The next complete reply, valid until the next call; NULL when there is none yet. *failed as above. */
const struct answer *source_answers_next(struct source_answers *answers, bool *failed);

/* A field of a map; NULL when this is not a map, or has no such field. */
const struct answer *answer_field(const struct answer *map, const char *name);

/* The value of a reply of this kind; false for any other kind. */
bool answer_is_text(const struct answer *answer, struct bytes *text);
bool answer_is_number(const struct answer *answer, int64_t min, int64_t max, uint64_t *number);

#endif
