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

/* A block of code between lines of ```. */
struct fence {
    const char *path; /* of its page */
    size_t line;      /* of its first line of code */
    const char *info; /* what comes behind the first ``` */
    const char *text;
};

struct fences {
    size_t count;
    struct fence *fence;
};

struct fences fences_of(const struct page *page);

/* What the pages say below the heading of a command, up to the next heading; NULL if there is none. */
const char *section_of(const struct pages *pages, const char *command);

/* The paragraph of a text that begins so, behind its beginning; NULL if there is none. */
const char *paragraph_of(const char *text, const char *beginning);

/* The path of a file of the sources, given from their top. */
const char *pages_source(const char *path);

#endif
