#include "core/pages.h"

#include "core/page_node.h"

/* How many leaves one operation frees itself; the others are freed in the background. */
enum { FREED_BY_DROP_MAX = 64, FREED_BY_CLEAR_MAX = 512 };

static const char zeros[LEAF_BYTES];

/* Neighbouring pages of one leaf. */
struct stretch {
    unsigned at;
    unsigned count;
};

/* The part of [page, end) that lies in the leaf of `page`. */
static struct stretch stretch_at(uint64_t page, uint64_t end) {
    unsigned at = page % LEAF_PAGES;
    uint64_t left = end - page, space = LEAF_PAGES - at;
    return (struct stretch){at, (unsigned)(left < space ? left : space)};
}

static uint64_t bits_of(struct stretch stretch) {
    uint64_t ones = stretch.count == LEAF_PAGES ? UINT64_MAX : (UINT64_C(1) << stretch.count) - 1;
    return ones << stretch.at;
}

/* --- Writing --- */

/* The leaf's chunk with at least this capacity, unshared. */
static struct chunk *changeable_chunk(struct account *account, struct page_node *leaf, size_t capacity) {
    struct chunk *chunk = leaf->below[0];
    if (chunk && chunk_is_sole(chunk)) {
        if (chunk_bytes(chunk).length + chunk_spare(chunk) < capacity)
            chunk = chunk_resize(account, chunk, capacity);
    } else {
        struct chunk *own = chunk_empty(capacity);
        chunk_use(account, own);
        if (chunk) {
            chunk_extend(own, chunk_bytes(chunk));
            chunk_drop(account, chunk);
        }
        chunk = own;
    }
    leaf->below[0] = chunk;
    return chunk;
}

static void leaf_write(struct account *account, struct page_node *leaf, struct stretch stretch,
                       const char *data) {
    uint64_t bits = bits_of(stretch);
    size_t at = (size_t)page_place(leaf, stretch.at) * PAGE_BYTES;
    size_t there = (size_t)page_count(leaf->present & bits) * PAGE_BYTES;
    size_t length = (size_t)stretch.count * PAGE_BYTES;
    struct chunk *chunk =
        changeable_chunk(account, leaf, (size_t)page_count(leaf->present | bits) * PAGE_BYTES);
    if (there < length) chunk_open_gap(chunk, at + there, length - there);
    chunk_overwrite(chunk, at, bytes_of(data, length));
    leaf->present |= bits;
}

void pages_write(struct account *account, struct pages *pages, uint64_t offset, struct bytes bytes) {
    uint64_t page = offset / PAGE_BYTES, end = page + bytes.length / PAGE_BYTES;
    const char *data = bytes.data;
    while (page < end) {
        struct stretch stretch = stretch_at(page, end);
        leaf_write(account, page_leaf_need(account, &pages->root, &pages->height, page / LEAF_PAGES), stretch,
                   data);
        data += (size_t)stretch.count * PAGE_BYTES;
        page += stretch.count;
    }
}

/* --- Written pages --- */

/* The first leaf from index `from` on below a node whose first leaf is `base`. */
static bool next_leaf(const struct page_node *node, unsigned height, uint64_t base, uint64_t from,
                      struct page_leaf *leaf) {
    if (!height) {
        *leaf = (struct page_leaf){base, node->present, node->below[0]};
        return true;
    }
    uint64_t span = page_span(height);
    unsigned place = 0;
    for (uint64_t left = node->present; left; left &= left - 1, place++) {
        uint64_t start = base + (uint64_t)__builtin_ctzll(left) * span;
        if (start + span <= from) continue;
        if (next_leaf(node->below[place], height - 1, start, from, leaf)) return true;
    }
    return false;
}

bool pages_leaf(const struct pages *pages, uint64_t index, struct page_leaf *leaf) {
    if (!pages->root || index >> (NODE_BITS * pages->height)) return false;
    return next_leaf(pages->root, pages->height, 0, index, leaf);
}

/* Where the range that begins with `page` ends. */
static uint64_t range_end(const struct pages *pages, uint64_t page, uint64_t end) {
    while (page < end) {
        const struct page_node *leaf = page_leaf_find(pages->root, pages->height, page / LEAF_PAGES);
        uint64_t gaps = leaf ? ~leaf->present >> page % LEAF_PAGES : 1;
        if (gaps) return page + (unsigned)__builtin_ctzll(gaps);
        page += LEAF_PAGES - page % LEAF_PAGES;
    }
    return page;
}

bool pages_range(const struct pages *pages, uint64_t from, uint64_t to, struct page_range *range) {
    uint64_t page = from / PAGE_BYTES, end = to / PAGE_BYTES;
    struct page_leaf leaf;
    while (page < end && pages_leaf(pages, page / LEAF_PAGES, &leaf)) {
        uint64_t base = leaf.index * LEAF_PAGES;
        uint64_t bits = base < page ? leaf.present >> (page - base) << (page - base) : leaf.present;
        if (!bits) {
            page = base + LEAF_PAGES;
            continue;
        }
        uint64_t first = base + (unsigned)__builtin_ctzll(bits);
        if (first >= end) return false;
        uint64_t last = range_end(pages, first, end);
        *range = (struct page_range){first * PAGE_BYTES, ((last < end ? last : end) - first) * PAGE_BYTES};
        return true;
    }
    return false;
}

/* --- Clearing --- */

/* Returns the leaf that is left; NULL if all its pages are cleared. */
static struct page_node *leaf_clear(struct account *account, struct page_node *leaf, struct stretch stretch,
                                    size_t *leaves) {
    uint64_t bits = bits_of(stretch) & leaf->present;
    if (!bits) return leaf;
    if (bits == leaf->present) {
        *leaves = page_node_drop(account, leaf, 0, *leaves);
        return NULL;
    }
    leaf = page_node_own(account, leaf, 0);
    size_t at = (size_t)page_place(leaf, stretch.at) * PAGE_BYTES,
           length = (size_t)page_count(bits) * PAGE_BYTES;
    size_t left = (size_t)page_count(leaf->present & ~bits) * PAGE_BYTES;
    struct chunk *chunk = changeable_chunk(account, leaf, left + length);
    chunk_close_gap(chunk, at, length);
    leaf->below[0] = chunk_resize(account, chunk, left);
    leaf->present &= ~bits;
    return leaf;
}

/* Clears [page, end), counted from the first page of the node. *leaves is how many may still be
 * freed at once. */
static struct page_node *node_clear(struct account *account, struct page_node *node, unsigned height,
                                    uint64_t page, uint64_t end, size_t *leaves) {
    if (!height)
        return leaf_clear(account, node, stretch_at(page, end < LEAF_PAGES ? end : LEAF_PAGES), leaves);
    uint64_t span = page_span(height) * LEAF_PAGES;
    if (page == 0 && end >= span * NODE_WAYS) {
        *leaves = page_node_drop(account, node, height, *leaves);
        return NULL;
    }
    node = page_node_own(account, node, height);
    unsigned place = 0;
    for (uint64_t left = node->present; left; left &= left - 1, place++) {
        uint64_t start = (uint64_t)__builtin_ctzll(left) * span;
        if (start + span <= page || start >= end) continue;
        node->below[place] = node_clear(account, node->below[place], height - 1,
                                        page > start ? page - start : 0, end - start, leaves);
    }
    return page_node_compact(account, node);
}

/* Removes levels that have only the first child. */
static void lower_root(struct account *account, struct pages *pages) {
    while (pages->height && pages->root->present == 1 && pages->root->uses == 1) {
        struct page_node *root = pages->root;
        pages->root = root->below[0];
        pages->height--;
        account_discard(account, root);
    }
}

void pages_clear(struct account *account, struct pages *pages, uint64_t offset, uint64_t length) {
    uint64_t page = offset / PAGE_BYTES, end = page + length / PAGE_BYTES;
    size_t leaves = FREED_BY_CLEAR_MAX;
    struct page_range range;
    if (!pages_range(pages, offset, offset + length, &range)) return; /* without copying what is shared */
    pages->root = node_clear(account, pages->root, pages->height, page, end, &leaves);
    if (pages->root)
        lower_root(account, pages);
    else
        pages->height = 0;
}

void pages_resize(struct account *account, struct pages *pages, uint64_t length) {
    if (length < pages->length) pages_clear(account, pages, length, pages->length - length);
    pages->length = length;
}

void pages_drop(struct account *account, struct pages *pages) {
    if (pages->root) page_node_drop(account, pages->root, pages->height, FREED_BY_DROP_MAX);
    *pages = (struct pages){0};
}

bool pages_free(struct account *account, struct pages *pages, size_t *effort) {
    if (pages->root && !page_node_free(account, pages->root, pages->height, effort)) return false;
    *pages = (struct pages){0};
    return true;
}

/* --- Reading --- */

/* How many pages from this one on are present, or how many are missing. */
static unsigned count_alike(uint64_t present, unsigned at) {
    uint64_t bits = present >> at;
    if (bits & 1) bits = ~bits;
    unsigned run = bits ? (unsigned)__builtin_ctzll(bits) : LEAF_PAGES;
    return run < LEAF_PAGES - at ? run : LEAF_PAGES - at;
}

void pages_prefetch_bytes(const struct pages *pages) {
    if (!pages->root || pages->height) return;
    const char *chunk = pages->root->below[0];
    prefetch_line(chunk);
    prefetch_line(chunk + 64);
}

struct bytes pages_view(const struct pages *pages, uint64_t offset, uint64_t length) {
    if (offset >= pages->length) return bytes_of("", 0);
    unsigned at = offset / PAGE_BYTES % LEAF_PAGES;
    const struct page_node *leaf = page_leaf_find(pages->root, pages->height, offset / LEAF_BYTES);
    uint64_t run = (uint64_t)count_alike(leaf ? leaf->present : 0, at) * PAGE_BYTES - offset % PAGE_BYTES;
    uint64_t left = pages->length - offset;
    if (left < run) run = left;
    if (length < run) run = length;
    const char *data = zeros;
    if (leaf && page_there(leaf, at))
        data = chunk_bytes(leaf->below[0]).data + (size_t)page_place(leaf, at) * PAGE_BYTES +
               offset % PAGE_BYTES;
    return bytes_of(data, (size_t)run);
}

/* --- Leaves --- */

bool pages_leaf_is_sound(const struct pages *pages, const struct page_leaf *leaf) {
    if (!leaf->present || leaf->index >= PAGES_MAX_BYTES / LEAF_BYTES) return false;
    uint64_t end = leaf->index * LEAF_PAGES + LEAF_PAGES - (unsigned)__builtin_clzll(leaf->present);
    if (end * PAGE_BYTES > pages->length) return false;
    return chunk_bytes(leaf->chunk).length == (size_t)page_count(leaf->present) * PAGE_BYTES;
}

bool pages_leaf_fits(const struct pages *pages, const struct page_leaf *leaf) {
    return pages_leaf_is_sound(pages, leaf) && !page_leaf_find(pages->root, pages->height, leaf->index);
}

void pages_add_leaf(struct account *account, struct pages *pages, const struct page_leaf *leaf) {
    struct page_node *node = page_leaf_need(account, &pages->root, &pages->height, leaf->index);
    chunk_use(account, leaf->chunk);
    node->present = leaf->present;
    node->below[0] = leaf->chunk;
}

/* --- Sharing and moving --- */

void pages_share(struct pages *pages, const struct pages *source) {
    *pages = *source;
    if (pages->root) pages->root->uses++;
}

void pages_twin(struct account *account, struct pages *pages, const struct pages *source) {
    *pages = *source;
    if (source->root) pages->root = page_node_twin(account, source->root, source->height);
}

bool pages_same(const struct pages *pages, const struct pages *other) {
    return pages->length == other->length && pages->root == other->root;
}

void pages_relocate(struct pages *pages, const struct relocation *relocation) {
    if (pages->root) pages->root = page_node_relocate(pages->root, pages->height, relocation);
}
