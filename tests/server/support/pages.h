/* The pages of documentation, wherever they lie in the sources. */
#ifndef HOLDFAST_TESTS_PAGES_H
#define HOLDFAST_TESTS_PAGES_H

#include <stddef.h>

struct page {
    const char *path; /* from the top of the sources */
    const char *text;
};

struct pages {
    size_t count;
    struct page *page;
};

/* All pages: *.md at the top, in module/, in its rooms, in deploy/, in its recipes and in tests/. */
struct pages pages_read(void);

/* The path of a file of the sources, given from their top. */
const char *pages_source(const char *path);

#endif
