/* Ranges: the part of a content that a call asks for, and replies that are lists of ranges. */
#ifndef HOLDFAST_RANGES_H
#define HOLDFAST_RANGES_H

#include "core/pages.h"
#include "server/call/call.h"
#include "server/call/reply.h"
#include "server/call/reply_limit.h"

/* Refuses so many bytes of content that they cannot be one string of a reply. */
enum outcome range_check_size(struct call *call, uint64_t length, bool one_piece);

/* Refuses a list with more ranges than fit into a reply. */
enum outcome range_list_check_size(struct call *call, size_t count);

/* The part of the content that a SHAPE_RANGE option selects, cut at the end of the content; all of it
 * without the option. */
enum outcome range_read(const struct call *call, int slot, uint64_t all, struct page_range *range);

void reply_ranges(struct reply *out, const struct page_range *ranges, size_t count);

#endif
