/* The vocabulary of changes, told a second time: what each kind brings along, and how it is heard of. And records of
 * drafts, each in exactly as many bytes as it has, so that reading beyond is found out. */
#ifndef HOLDFAST_UNIT_CHANGE_VOCABULARY_H
#define HOLDFAST_UNIT_CHANGE_VOCABULARY_H

#include "draft.h"

/* What a kind brings along. */
enum {
    NAME = 1 << 0,
    STAMP = 1 << 1,
    CREATED = 1 << 2,
    ACCESS = 1 << 3,
    PROPERTIES = 1 << 4,
    METADATA = 1 << 5,
    POLICIES = 1 << 6,
    LEASE = 1 << 7,
    FREES = 1 << 8,
    CONTENT = 1 << 9,
    KIND = 1 << 10,
    PARTS = 1 << 11,
    OFFSET = 1 << 12,
    LENGTH = 1 << 13,
    COUNT = 1 << 14,
    SEQUENCE = 1 << 15,
    BORN = 1 << 16,
    SNAPSHOT = 1 << 17,
    BLOCK = 1 << 18,
    TOUCHED = 1 << 19,
    SOURCE = 1 << 20,
    COPY = 1 << 21,
    LIST = 1 << 22,
    DESCRIPTION = 1 << 23,
    IN_FILES = 1 << 24,
    MINTED = 1 << 25,
    FEED = 1 << 26,
};

struct change_word {
    const char *event; /* NULL for none */
    enum container_change_kind kind;
    unsigned brings;
};

extern const struct change_word vocabulary[CONTAINER_CHANGE_KINDS];

/* What a change really brings: where it tells of its parts, those that are not among them do not come. */
unsigned change_brings(const struct container_change *change);

/* Takes away all that such a change does not bring. */
void change_leave_only(struct container_change *change, unsigned brings);

/* A lease as it stands in records that were once written: one without an end, or one that has been broken off. */
struct lease lease_once_written(bool ends);

/* A draft's change as a record. */
struct sample {
    struct draft draft;
    char *data;
    size_t length;
};

/* Of a draft that has been made already. */
void sample_write(struct sample *sample);
/* By chance; the largest metadata take long where each byte is looked at by itself. */
void sample_draw(struct sample *sample, struct dice *dice, bool large);
void sample_end(struct sample *sample);

#endif
