#include "blob/blob.h"

#include "blob/blocks.h"
#include "blob/snapshots.h"
#include "core/memory.h"

/* How much larger than its content the allocation of a blob may be before it is resized. */
enum { SPARE_BYTES_MAX = 128 };

/* --- Reading --- */

const struct content *blob_content(const struct blob *blob) {
    static const struct content no_content;
    return blob->outside ? &blob->extra->content : &no_content;
}

const struct pages *blob_pages(const struct blob *blob) {
    static const struct pages no_pages;
    return blob->outside ? &blob->extra->pages : &no_pages;
}

struct bytes blob_view(const struct blob *blob, uint64_t offset, uint64_t length) {
    if (blob->kind == KIND_PAGE) return pages_view(blob_pages(blob), offset, length);
    if (!blob_is_inline(blob)) return content_view(blob_content(blob), offset, length);
    if (offset >= blob->small_length) return bytes_of("", 0);
    uint64_t left = blob->small_length - offset;
    return bytes_of(blob->bytes + blob->entry.name_length + offset, (size_t)(left < length ? left : length));
}

void blob_read(const struct blob *blob, uint64_t offset, char *to, size_t length) {
    while (length) {
        struct bytes piece = blob_view(blob, offset, length);
        memcpy(to, piece.data, piece.length);
        to += piece.length;
        offset += piece.length;
        length -= piece.length;
    }
}

struct packed_list blob_properties(const struct blob *blob) {
    return packed_view(blob->extra ? blob->extra->properties : NULL);
}

struct packed_list blob_metadata(const struct blob *blob) {
    return packed_view(blob->extra ? blob->extra->metadata : NULL);
}

const struct lease *blob_lease(const struct blob *blob) {
    return lease_or_none(blob->extra ? blob->extra->lease : NULL);
}

const struct blob_special *blob_special(const struct blob *blob) {
    static const struct blob_special nothing;
    return blob->extra && blob->extra->special ? blob->extra->special : &nothing;
}

/* --- The blob itself --- */

void blob_note_capacity(struct blob *blob) {
    size_t capacity = memory_size(blob) - offsetof(struct blob, bytes) - blob->entry.name_length;
    blob->capacity = (capacity > BLOB_SIZE_MAX ? BLOB_SIZE_MAX : capacity) & BLOB_SIZE_MAX;
}

struct blob *blob_new(struct account *account, struct bytes name, enum blob_kind kind, size_t content_bytes) {
    struct blob *blob = memory_alloc(blob_bytes(name.length, content_bytes));
    memset(blob, 0, offsetof(struct blob, bytes));
    blob->kind = kind;
    blob->entry.name_length = (uint16_t)name.length;
    blob->entry.name_at = offsetof(struct blob, bytes);
    memcpy(blob->bytes, name.data, name.length);
    blob_note_capacity(blob);
    return account_add(account, blob);
}

struct blob *blob_twin(struct account *account, const struct blob *source) {
    size_t bytes = blob_bytes(source->entry.name_length, source->small_length);
    struct blob *blob = memory_alloc(bytes);
    blob->entry = entry_twin(&source->entry);
    memcpy(&blob->stamp, &source->stamp, bytes - offsetof(struct blob, stamp));
    blob_note_capacity(blob);
    return account_add(account, blob);
}

void blob_free(struct account *account, struct blob *blob) {
    static const struct packed_list nothing = {0, {"", 0}};
    blob_clear_content(account, blob);
    if (blob->extra) {
        struct blob_special *special = blob->extra->special;
        if (special && special->staging) staging_free(account, special->staging);
        if (special && special->snapshots) snapshots_free(account, special->snapshots);
        if (special) {
            special->staging = NULL;
            special->snapshots = NULL;
        }
        blob->kind = KIND_BLOCK; /* so that blob_trim frees the special part */
        if (special && special->copy) blob_set_copy(account, blob, NULL);
        blob_set_lists(account, blob, &nothing, &nothing);
        blob_trim(account, blob);
    }
    account_discard(account, blob);
}

bool blob_free_content(struct account *account, struct blob *blob, size_t *effort) {
    if (!blob->outside) return true;
    return blob->kind == KIND_PAGE ? pages_free(account, &blob->extra->pages, effort)
                                   : content_free(account, &blob->extra->content, effort);
}

bool blob_fits(const struct blob *blob, size_t content_bytes) {
    return content_bytes <= blob->capacity &&
           blob->capacity <= content_bytes + content_bytes / 2 + SPARE_BYTES_MAX;
}

/* --- Optional parts --- */

struct blob_extra *blob_need_extra(struct account *account, struct blob *blob) {
    if (!blob->extra) blob->extra = account_add(account, memory_zeroed(sizeof(*blob->extra)));
    return blob->extra;
}

struct blob_special *blob_need_special(struct account *account, struct blob *blob) {
    struct blob_extra *extra = blob_need_extra(account, blob);
    if (!extra->special) extra->special = account_add(account, memory_zeroed(sizeof(*extra->special)));
    return extra->special;
}

struct content *blob_need_content(struct account *account, struct blob *blob) {
    struct blob_extra *extra = blob_need_extra(account, blob);
    blob->outside = true;
    return &extra->content;
}

struct pages *blob_need_pages(struct account *account, struct blob *blob) {
    struct blob_extra *extra = blob_need_extra(account, blob);
    blob->outside = true;
    return &extra->pages;
}

static bool needs_special(const struct blob *blob) {
    const struct blob_special *special = blob->extra->special;
    return blob->kind == KIND_PAGE || special->appended || special->sealed || special->blocks ||
           special->staging || special->snapshots || special->copy;
}

void blob_trim(struct account *account, struct blob *blob) {
    struct blob_extra *extra = blob->extra;
    if (!extra) return;
    if (extra->special && !needs_special(blob)) {
        account_discard(account, extra->special);
        extra->special = NULL;
    }
    if (blob->outside || extra->properties || extra->metadata || extra->lease || extra->special) return;
    account_discard(account, extra);
    blob->extra = NULL;
}

void blob_set_lists(struct account *account, struct blob *blob, const struct packed_list *properties,
                    const struct packed_list *metadata) {
    bool any = (properties && properties->count) || (metadata && metadata->count);
    if (!any && !blob->extra) return;
    struct blob_extra *extra = blob_need_extra(account, blob);
    if (any || extra->properties || extra->metadata) {
        if (properties) packed_replace(account, &extra->properties, *properties);
        if (metadata) packed_replace(account, &extra->metadata, *metadata);
    }
    blob_trim(account, blob);
}

/* The texts follow the struct in its allocation. */
static void copy_place_texts(struct copy *copy) {
    copy->source.data = (const char *)(copy + 1);
    copy->description.data = copy->source.data + copy->source.length;
}

static struct copy *copy_new(const struct copy *copy) {
    struct copy *kept = memory_alloc(sizeof(*kept) + copy->source.length + copy->description.length);
    *kept = *copy;
    copy_place_texts(kept);
    if (copy->source.length) memcpy((char *)(kept + 1), copy->source.data, copy->source.length);
    if (copy->description.length)
        memcpy((char *)(kept + 1) + copy->source.length, copy->description.data, copy->description.length);
    return kept;
}

void blob_set_copy(struct account *account, struct blob *blob, const struct copy *copy) {
    struct copy *kept = copy ? account_add(account, copy_new(copy)) : NULL;
    struct blob_special *special = blob_need_special(account, blob);
    account_discard(account, special->copy);
    special->copy = kept;
    blob_trim(account, blob);
}

/* --- Content --- */

void blob_clear_content(struct account *account, struct blob *blob) {
    if (blob->outside && blob->kind == KIND_PAGE)
        pages_drop(account, &blob->extra->pages);
    else if (blob->outside)
        content_clear(account, &blob->extra->content);
    blob->outside = false;
    blob->small_length = 0;
    if (!blob->extra || !blob->extra->special) return;
    struct blob_special *special = blob->extra->special;
    if (special->blocks) block_list_drop(account, special->blocks);
    special->blocks = NULL;
    special->sequence = 0;
    special->born = 0;
    special->appended = 0;
    special->sealed = false;
}

void blob_fill(struct account *account, struct blob *blob, struct bytes content, struct chunk *chunk) {
    if (chunk) {
        content_add(account, blob_need_content(account, blob), chunk);
        return;
    }
    if (content.length) memcpy(blob->bytes + blob->entry.name_length, content.data, content.length);
    blob->small_length = content.length & BLOB_SIZE_MAX;
}

static void adopt_blocks(struct account *account, struct blob *blob, struct block_list *blocks,
                         bool foreign) {
    if (!blocks) return;
    blob_need_special(account, blob)->blocks =
        foreign ? block_list_new(account, block_list_view(blocks)) : block_list_share(blocks);
}

void blob_take(struct account *account, struct blob *blob, const struct blob *source, bool foreign) {
    const struct blob_special *special = blob_special(source);
    blob->kind = source->kind;
    if (source->kind == KIND_PAGE && foreign)
        pages_twin(account, blob_need_pages(account, blob), blob_pages(source));
    else if (source->kind == KIND_PAGE)
        pages_share(blob_need_pages(account, blob), blob_pages(source));
    else if (blob_is_inline(source))
        blob_fill(account, blob, blob_view(source, 0, UINT64_MAX), NULL);
    else if (foreign)
        content_twin(account, blob_need_content(account, blob), blob_content(source));
    else
        content_share(account, blob_need_content(account, blob), blob_content(source));
    adopt_blocks(account, blob, special->blocks, foreign);
    if (source->kind == KIND_BLOCK) return;
    struct blob_special *own = blob_need_special(account, blob);
    own->sequence = special->sequence;
    own->born = special->born;
    own->appended = special->appended;
    own->sealed = special->sealed;
    blob_trim(account, blob);
}

void blob_relocate_parts(struct blob *blob, const struct relocation *relocation) {
    if (!blob->extra) return;
    struct blob_extra *extra = blob->extra = relocate(relocation, blob->extra);
    if (blob->outside && blob->kind == KIND_PAGE)
        pages_relocate(&extra->pages, relocation);
    else if (blob->outside)
        content_relocate(&extra->content, relocation);
    extra->properties = relocate(relocation, extra->properties);
    extra->metadata = relocate(relocation, extra->metadata);
    extra->lease = relocate(relocation, extra->lease);
    if (extra->lease) lease_moved(extra->lease);
    if (!extra->special) return;
    struct blob_special *special = extra->special = relocate(relocation, extra->special);
    special->copy = relocate(relocation, special->copy);
    if (special->copy) copy_place_texts(special->copy);
    if (special->snapshots) special->snapshots = snapshots_relocate(special->snapshots, relocation);
}

const struct staging *blob_staging(const struct blob *blob, int64_t now_ms) {
    const struct staging *staging = blob ? blob_special(blob)->staging : NULL;
    return staging && now_ms < staging_due_ms(staging->touched_ms) ? staging : NULL;
}
