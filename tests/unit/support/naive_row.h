/* Naive entities as what filters look at. */
#ifndef HOLDFAST_UNIT_NAIVE_ROW_H
#define HOLDFAST_UNIT_NAIVE_ROW_H

#include "naive_filter.h"
#include "table/filter.h"
#include "table/filter_match.h"
#include "table/key.h"
#include "table/property.h"

/* Not to be copied. */
struct naive_row {
    struct row row;
    struct record_writer properties;
    char key[2 * NAIVE_TEXT_MAX + 1]; /* as it is stored */
    size_t key_length;
};

/* The value is read from the text that a caller would write; it borrows from the room. */
struct value naive_value_read(const struct naive_value *naive, char room[NAIVE_TEXT_MAX]);

void naive_row_start(struct naive_row *row, const struct naive_entity *entity);
void naive_row_end(struct naive_row *row);

static inline struct bytes naive_row_key(const struct naive_row *row) {
    return bytes_of(row->key, row->key_length);
}

/* Compiles what must be a filter. */
void filter_of(struct bytes text, struct filter *filter);

#endif
