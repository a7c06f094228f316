/* The parser of filters: recursive descent, one function for each level of the grammar, bounded by FILTER_MAX_DEPTH. */
#ifndef HOLDFAST_TABLE_FILTER_PARSER_H
#define HOLDFAST_TABLE_FILTER_PARSER_H

#include "table/filter.h"

/* Compiles a filter; an empty or blank text matches everything. False, with nothing to free, when the text is not a
 * valid filter. The filter borrows from the text and from itself: it must not be copied. */
bool filter_compile(struct bytes text, struct filter *filter, struct filter_fault *fault);

#endif
