/* Whether what a server answered is what a page shows, although ETags, ids and instants are new each time.
 *
 * Where a page shows an ETag, a GUID, a receipt, an instant, a time in seconds with three decimals, or a number
 * behind a name that ends in -ms, any other one will do. But the page's ETags, GUIDs and receipts stand for those
 * that the server gave first in their place: shown again they must be the same again, and the next commands of the
 * page are sent with them. A line '...' stands for any lines. */
#ifndef HOLDFAST_TESTS_EXAMPLE_MATCH_H
#define HOLDFAST_TESTS_EXAMPLE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

struct example_match {
    size_t count;
    struct {
        const char *shown;
        const char *real;
    } * pair;
};

/* Several lines each; the ends of lines count, but not spaces before them. */
bool example_matches(struct example_match *example_match, const char *shown, const char *real);

/* The text with the real ETags, GUIDs and receipts in the place of the shown ones that are known. */
const char *example_real(const struct example_match *example_match, const char *shown);

#endif
