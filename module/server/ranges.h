/* Ranges: the part of a content that a call asks for, and lists of ranges as answers. */
#ifndef HOLDFAST_RANGES_H
#define HOLDFAST_RANGES_H

#include "core/pages.h"
#include "server/command.h"
#include "server/reply.h"
#include "server/reply_room.h"

/* Whether so many bytes of a content can be one string of a reply. */
enum outcome range_fits_reply(struct call *call, uint64_t length, bool one_piece);

/* Whether a list of so many ranges can be a reply. */
enum outcome range_list_fits_reply(struct call *call, size_t count);

/* The part that an option of the shape SHAPE_RANGE names, as far as there is anything; all of it without the option. */
enum outcome range_asked(const struct call *call, int slot, uint64_t all, struct page_range *range);

void reply_ranges(struct reply *out, const struct page_range *ranges, size_t count);

#endif
