#include "core/sparse.h"

static uint64_t page_floor(uint64_t offset) {
    return offset - offset % PAGE_BYTES;
}

static uint64_t page_ceiling(uint64_t offset) {
    return page_floor(offset + PAGE_BYTES - 1);
}

static bool page_is_there(const struct sparse_bytes *sparse, uint64_t offset) {
    struct page_range range;
    uint64_t from = page_floor(offset);
    return pages_range(&sparse->pages, from, from + PAGE_BYTES, &range);
}

/* Overwrites bytes within one page; with zeros when data is NULL. */
static void patch_page(struct account *account, struct sparse_bytes *sparse, uint64_t offset,
                       const char *data, size_t length) {
    char page[PAGE_BYTES];
    uint64_t from = page_floor(offset);
    struct bytes view = pages_view(&sparse->pages, from, PAGE_BYTES);
    memcpy(page, view.data, PAGE_BYTES);
    if (data)
        memcpy(page + (offset - from), data, length);
    else
        memset(page + (offset - from), 0, length);
    pages_write(account, &sparse->pages, from, bytes_of(page, PAGE_BYTES));
}

void sparse_write(struct account *account, struct sparse_bytes *sparse, uint64_t offset, struct bytes bytes) {
    const char *data = bytes.data;
    size_t left = bytes.length;
    if (offset % PAGE_BYTES && left) {
        size_t space = PAGE_BYTES - (size_t)(offset % PAGE_BYTES), length = left < space ? left : space;
        patch_page(account, sparse, offset, data, length);
        data += length;
        offset += length;
        left -= length;
    }
    size_t whole = left - left % PAGE_BYTES;
    if (whole) pages_write(account, &sparse->pages, offset, bytes_of(data, whole));
    if (left > whole) patch_page(account, sparse, offset + whole, data + whole, left - whole);
}

static void zero_range(struct account *account, struct sparse_bytes *sparse, uint64_t from, uint64_t to) {
    if (from < to && page_is_there(sparse, from))
        patch_page(account, sparse, from, NULL, (size_t)(to - from));
}

void sparse_clear(struct account *account, struct sparse_bytes *sparse, uint64_t offset, uint64_t length) {
    uint64_t end = offset + length;
    uint64_t from = page_ceiling(offset), to = end == sparse->length ? page_ceiling(end) : page_floor(end);
    if (from > to) { /* all within one page */
        zero_range(account, sparse, offset, end);
        return;
    }
    zero_range(account, sparse, offset, from < end ? from : end);
    if (to < end) zero_range(account, sparse, to, end);
    if (from < to) pages_clear(account, &sparse->pages, from, to - from);
}

void sparse_resize(struct account *account, struct sparse_bytes *sparse, uint64_t length) {
    uint64_t whole = page_ceiling(length);
    bool shrinks = length < sparse->length;
    pages_resize(account, &sparse->pages, whole);
    sparse->length = length;
    if (shrinks) zero_range(account, sparse, length, whole);
}

struct bytes sparse_view(const struct sparse_bytes *sparse, uint64_t offset, uint64_t length) {
    if (offset >= sparse->length) return bytes_of("", 0);
    uint64_t left = sparse->length - offset;
    return pages_view(&sparse->pages, offset, length < left ? length : left);
}

struct page_range sparse_window(struct page_range range) {
    uint64_t from = page_floor(range.offset);
    return (struct page_range){from, page_ceiling(range.offset + range.length) - from};
}
