#include "pages.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "ccan/array_size/array_size.h"
#include "failure.h"
#include "pool.h"
#include "text.h"

static const char *top(void) {
    const char *folder = getenv("HOLDFAST_SOURCES");
    return folder && *folder ? folder : ".";
}

const char *pages_source(const char *path) {
    return pool_print("%s/%s", top(), path);
}

struct pages pages_read(void) {
    static const char *const folders[] = {"", "module/", "module/*/", "deploy/", "deploy/*/", "tests/"};
    glob_t found = {0};
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
        glob(pages_source(pool_print("%s*.md", folders[i])), i ? GLOB_APPEND : 0, NULL, &found);
    require(found.gl_pathc >= 8, "only %zu pages in %s", found.gl_pathc, top());
    struct pages pages = {found.gl_pathc, pool_take(found.gl_pathc * sizeof(*pages.page))};
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        pages.page[i] = (struct page){pool_copy(path + strlen(top()) + 1, strlen(path) - strlen(top()) - 1),
                                      text_of_file(path, NULL)};
    }
    globfree(&found);
    return pages;
}

static struct fence fence_in(const struct page *page, const char *info, size_t number, const char **rest) {
    struct fence fence = {.path = page->path, .line = number + 1, .info = pool_copy(info, strlen(info))};
    struct text text = EMPTY_TEXT;
    for (const char *line; (line = text_line(rest)) && !text_begins(line, "```");)
        text_print(&text, "%s\n", line);
    fence.text = text.bytes;
    return fence;
}

static size_t lines_between(const char *from, const char *to) {
    size_t lines = 0;
    for (; from < to; from++) lines += *from == '\n';
    return lines;
}

struct fences fences_of(const struct page *page) {
    struct fences fences = {0};
    const char *rest = page->text;
    for (const char *line; (line = text_line(&rest));) {
        if (!text_begins(line, "```")) continue;
        fences.fence = pool_grow(fences.fence, (fences.count + 1) * sizeof(*fences.fence));
        fences.fence[fences.count++] = fence_in(page, line + 3, lines_between(page->text, rest), &rest);
    }
    return fences;
}

/* Up to the end, whatever comes first of the two. */
static const char *up_to(const char *text, const char *end, const char *other_end) {
    const char *one = strstr(text, end), *other = strstr(text, other_end);
    if (!one || (other && other < one)) one = other;
    return pool_copy(text, one ? (size_t)(one - text) : strlen(text));
}

const char *section_of(const struct pages *pages, const char *command) {
    const char *heading = pool_print("\n### %s\n", command);
    for (size_t i = 0; i < pages->count; i++) {
        const char *found = strstr(pages->page[i].text, heading);
        if (found) return up_to(found + strlen(heading), "\n### ", "\n## ");
    }
    return NULL;
}

const char *paragraph_of(const char *text, const char *beginning) {
    const char *found = strstr(text, pool_print("\n%s", beginning));
    return found ? up_to(found + 1 + strlen(beginning), "\n\n", "\n```") : NULL;
}
