/* Ranges: the part of a content that a call asks for, and answers that are bytes of a content, or lists of ranges. */
#ifndef HOLDFAST_RANGES_H
#define HOLDFAST_RANGES_H

#include "core/pages.h"
#include "server/call/call.h"

/* The part of the content that RANGE selects, cut at the end of the content; all of it without the option. */
enum outcome range_read(const struct call *call, uint64_t all, struct page_range *range);

/* A content that is answered as bytes. */
struct range_bytes {
    const void *content;
    /* The longest contiguous run of bytes from `offset` on, at most `length` of them. */
    struct bytes (*view)(const void *content, uint64_t offset, uint64_t length);
    uint64_t length;
    version etag; /* answered before the bytes; 0 if it is not */
};

/* Answers the bytes that RANGE selects. */
enum outcome range_answer(struct call *call, const struct range_bytes *bytes);

/* Answers bytes within the content, unless they are too many; `advice` tells how to get fewer. */
enum outcome range_answer_part(struct call *call, const struct range_bytes *bytes, struct page_range range,
                               const char *advice);

/* Pages of a content that are answered as ranges. */
struct range_pages {
    const char *noun; /* what an answer calls them */
    const struct pages *pages;
    const struct pages *previous; /* if only the differences from these are asked for */
    uint64_t length;
    version etag;
};

/* Answers which pages around the range are written, or differ. */
enum outcome range_answer_pages(struct call *call, const struct range_pages *pages, struct page_range range);

#endif
