/* Bundles: the records of several changes as one, so that all that a command changes is one effect.
 *
 *   letter, then for each record   key, beside: words of the effect, by number     length, record
 *
 * Each word of the effect but the bundle itself is a key, or travels beside one of the records. */
#ifndef HOLDFAST_BUNDLE_H
#define HOLDFAST_BUNDLE_H

#include "core/record.h"

enum { BUNDLE_LETTER = 'B' }; /* no data type's */

/* The words of an effect: HFA key bundle [word …] */
enum { BUNDLE_KEY_AT = 1, BUNDLE_MORE_AT = 3 };

struct bundle_item {
    uint64_t key;    /* the word that is the key */
    uint64_t beside; /* the word that travels beside the record; 0 for none */
    struct bytes record;
};

void bundle_start(struct record_writer *writer);
void bundle_add(struct record_writer *writer, const struct bundle_item *item);

/* Whether the record is a bundle. */
static inline bool bundle_is(struct bytes record) {
    return record.length && record.data[0] == BUNDLE_LETTER;
}

struct record_reader bundle_reader(struct bytes bundle);

/* The next record of an effect that has so many words. False after the last one, which record_complete tells from what
 * is malformed. */
bool bundle_next(struct record_reader *reader, int words, struct bundle_item *item);

#endif
