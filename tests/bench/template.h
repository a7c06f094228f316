/* Templates: the bytes of a workload's request, with gaps that each request fills. Names, tokens and offsets are written
 * over them; words of any length, which only sequences have, are put in their place. */
#ifndef BENCH_TEMPLATE_H
#define BENCH_TEMPLATE_H

#include "answers.h"
#include "workload.h"

enum { PLACEHOLDERS_MAX = 128 };

enum placeholder_kind {
    PLACEHOLDER_NAME,
    PLACEHOLDER_FOLDER,
    PLACEHOLDER_FILE,
    PLACEHOLDER_TOKEN,
    PLACEHOLDER_OFFSET,
    PLACEHOLDER_RANDOM,
    PLACEHOLDER_NUMBER,
    PLACEHOLDER_LAST, /* the last byte of the range that begins at the offset */
    PLACEHOLDER_ID,   /* from here on words of any length */
    PLACEHOLDER_RECEIPT,
    PLACEHOLDER_GRANTED,
    PLACEHOLDER_OWN,
    PLACEHOLDER_KINDS
};

/* A request may consist of several commands that are one operation together, or of one for each of several objects. */
struct template {
    const struct workload *workload;
    struct dataset *data;
    struct object_set *object_set; /* NULL when the workload needs no objects */
    struct offsets offsets;
    unsigned batch;  /* how many objects a request takes */
    const char *key; /* of a sequence, or NULL */
    char *bytes;
    size_t length;
    struct placeholder {
        size_t at;
        enum placeholder_kind kind;
        unsigned number; /* how many of its kind stand before it */
    } placeholders[PLACEHOLDERS_MAX];
    unsigned placeholder_count;
    unsigned commands;
};

/* The key is that of a sequence, or NULL. */
struct template template_make(const struct workload *workload, struct dataset *data,
                              struct object_set *object_set, const char *key);
void template_end(struct template *template);

size_t placeholder_bytes(const struct template *template, enum placeholder_kind kind);

/* Writes what is different in each request over the gap at `to`. */
void placeholder_fill(const struct template *template, unsigned object, enum placeholder_kind kind, char *to);

/* Takes the next reply of a connection of the dataset, and gives up unless it is as expected. */
void answer_check(struct answer answer, unsigned connection);

#endif
