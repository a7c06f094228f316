/* How the changes of copies are applied: of copies within a server, which are done at once, and from another one.
 *
 *   COPYSTART ──▶ pending ──COPYBEGIN──▶ arriving ──COPYPIECE, COPYBLOCK …──▶ ──COPYEND──▶ done | failed
 *
 * Arriving bytes are written directly to the blob, so its content cannot be read until it is complete. Files have the
 * bytes that have arrived, so that a replica that loads one continues with the next piece. */
#include "blob/blocks.h"
#include "blob/container_apply.h"
#include "blob/snapshots.h"
#include "core/number.h"

/* --- Within a server --- */

static const struct blob *source_of(const struct container *container,
                                    const struct container_change *change) {
    if (change->from_elsewhere) container = change->source_container;
    const struct blob *blob = container ? container_find(container, change->source) : NULL;
    if (blob && change->source_snapshot) blob = snapshots_find(blob, change->source_snapshot);
    return blob_exists(blob) ? blob : NULL;
}

bool apply_copy(struct container *container, struct blob **blob, const struct container_change *change) {
    const struct blob *source = source_of(container, change);
    if (!source || change->copy.untyped || !apply_may_become(*blob, source->kind)) return false;
    struct container_change whole = *change;
    whole.properties = blob_properties(source);
    if (!(change->parts & PART_METADATA)) whole.metadata = blob_metadata(source);
    if (source == *blob) {
        container_unstage(container, *blob, UINT64_MAX);
        apply_redescribe(container, *blob, &whole);
    } else {
        size_t content_bytes = blob_is_inline(source) ? (size_t)blob_length(source) : 0;
        *blob = apply_begin(container, *blob, &whole, source->kind, content_bytes);
        blob_take(&container->account, *blob, source, change->from_elsewhere);
    }
    if (source->kind == KIND_PAGE) blob_need_special(&container->account, *blob)->born = change->stamp.etag;
    container_set_copy(container, *blob, &change->copy);
    return true;
}

/* --- From another server --- */

static bool copy_is_pending(const struct blob *blob, bool arriving) {
    return blob_exists(blob) && blob_is_being_copied(blob) && blob_special(blob)->copy->arriving == arriving;
}

/* A blob of unknown kind may become any kind, so it must have no content: that would be taken for one of the new kind.
 * Nor can it have been of a known kind when its last snapshot was taken. It is a block blob until its kind is known. */
static bool may_be_untyped(const struct blob *blob) {
    const struct snapshots *snapshots = blob_special(blob)->snapshots;
    bool was_typed = snapshots && !blob_is_untyped(snapshots->taken[snapshots->count - 1].blob);
    return blob->kind == KIND_BLOCK && !blob_length(blob) && !was_typed;
}

bool apply_copystate(struct container *container, struct blob **blob, const struct container_change *change) {
    if (!blob_exists(*blob) || (change->copy.untyped && !may_be_untyped(*blob))) return false;
    container_set_copy(container, *blob, &change->copy);
    return true;
}

/* Creates an empty blob if the name has none. */
bool apply_copystart(struct container *container, struct blob **blob, const struct container_change *change) {
    if (change->copy.status != COPY_PENDING || change->copy.arriving) return false;
    if (blob_exists(*blob) && blob_is_being_copied(*blob)) return false;
    struct copy copy = change->copy;
    copy.untyped = !blob_exists(*blob) || blob_is_untyped(*blob);
    if (!*blob)
        *blob = container_add(container, change->name, KIND_BLOCK, 0);
    else if (!blob_exists(*blob))
        (*blob)->kind = KIND_BLOCK;
    if (copy.untyped) (*blob)->created_ms = change->stamp.modified_ms;
    (*blob)->stamp = change->stamp;
    if (change->frees_lease) container_free_lease(container, *blob);
    container_set_copy(container, *blob, &copy);
    return true;
}

static void set_numbers(struct container *container, struct blob *blob,
                        const struct container_change *change) {
    struct blob_special *special = blob_need_special(&container->account, blob);
    special->appended = change->appended;
    special->sequence = change->sequence;
    special->sealed = change->parts & STATE_IS_SEALED;
    if (blob->kind != KIND_PAGE) return;
    special->born = blob->stamp.etag;
    blob_need_pages(&container->account, blob)->length = change->length;
}

bool apply_copybegin(struct container *container, struct blob **blob, const struct container_change *change) {
    if (!copy_is_pending(*blob, false) || !apply_may_become(*blob, change->blob_kind)) return false;
    if (change->appended > APPEND_BLOCKS_MAX) return false;
    container_unstage(container, *blob, UINT64_MAX);
    blob_clear_content(&container->account, *blob);
    (*blob)->kind = change->blob_kind;
    *blob = container_fit(container, *blob, 0);
    (*blob)->created_ms = (*blob)->stamp.modified_ms;
    blob_set_lists(&container->account, *blob, &change->properties, &change->metadata);
    set_numbers(container, *blob, change);
    struct copy *copy = (*blob)->extra->special->copy;
    copy->arriving = true;
    copy->untyped = false;
    copy->done = 0;
    copy->total = change->total;
    return true;
}

/* --- Arriving bytes --- */

/* Whether these bytes may come next. Pages that were never written are left out. */
static bool comes_next(const struct blob *blob, const struct container_change *change) {
    if (!copy_is_pending(blob, true) || !change->content.length) return false;
    if (blob_is_inline(blob) && blob_length(blob)) return false;
    const struct copy *copy = blob_special(blob)->copy;
    if (!size_fits(change->offset, change->content.length, copy->total)) return false;
    return blob->kind == KIND_PAGE ? change->offset >= copy->done : change->offset == blob_length(blob);
}

static struct chunk *chunk_of(const struct container_change *change, size_t capacity) {
    if (change->chunk) return change->chunk;
    struct chunk *chunk = chunk_empty(capacity);
    chunk_extend(chunk, change->content);
    return chunk;
}

static void has_arrived(struct blob *blob, const struct container_change *change) {
    blob->extra->special->copy->done = change->offset + change->content.length;
}

static bool arrive_pages(struct container *container, struct blob *blob,
                         const struct container_change *change) {
    uint64_t length = change->content.length;
    if (change->offset % PAGE_BYTES || length % PAGE_BYTES) return false;
    if (!size_fits(change->offset, length, blob_length(blob))) return false;
    pages_write(&container->account, blob_need_pages(&container->account, blob), change->offset,
                change->content);
    if (change->chunk) chunk_discard(change->chunk);
    return true;
}

/* Adds to the last block, which will have `length` bytes in all. */
static bool arrive_in_block(struct container *container, struct blob *blob,
                            const struct container_change *change) {
    size_t last = content_chunks(blob_content(blob));
    size_t there = last ? chunk_bytes(content_chunk(blob_content(blob), last - 1)).length : 0;
    if (!there || change->length < there || change->content.length > change->length - there) return false;
    content_extend_last(&container->account, blob_need_content(&container->account, blob), change->content,
                        (size_t)change->length);
    if (change->chunk) chunk_discard(change->chunk);
    return true;
}

static void arrive_inline(struct container *container, struct blob **blob,
                          const struct container_change *change) {
    *blob = container_fit(container, *blob, change->content.length);
    blob_fill(&container->account, *blob, change->content, NULL);
}

bool apply_copypiece(struct container *container, struct blob **blob, const struct container_change *change) {
    if (!comes_next(*blob, change)) return false;
    const struct blob_special *special = blob_special(*blob);
    bool whole = change->content.length == special->copy->total;
    if ((*blob)->kind == KIND_PAGE) {
        if (!arrive_pages(container, *blob, change)) return false;
    } else if (special->blocks) {
        if (!arrive_in_block(container, *blob, change)) return false;
    } else if ((*blob)->kind == KIND_BLOCK && whole && !change->chunk &&
               change->content.length <= BLOB_INLINE_MAX) {
        arrive_inline(container, blob, change);
    } else {
        content_add(&container->account, blob_need_content(&container->account, *blob),
                    chunk_of(change, change->content.length));
    }
    has_arrived(*blob, change);
    return true;
}

static void add_block_id(struct container *container, struct blob *blob, struct bytes id) {
    struct blob_special *special = blob_need_special(&container->account, blob);
    special->blocks = block_list_add(&container->account, special->blocks, id);
}

bool apply_copyblock(struct container *container, struct blob **blob, const struct container_change *change) {
    if (!comes_next(*blob, change) || (*blob)->kind != KIND_BLOCK) return false;
    uint64_t blocks = block_list_view(blob_special(*blob)->blocks).count;
    uint64_t left = blob_special(*blob)->copy->total - change->offset;
    if (blocks != content_chunks(blob_content(*blob)) || blocks == BLOCKS_COMMITTED_MAX) return false;
    if (change->length < change->content.length || change->length > left) return false;
    content_add(&container->account, blob_need_content(&container->account, *blob),
                chunk_of(change, (size_t)change->length));
    add_block_id(container, *blob, change->block_id);
    has_arrived(*blob, change);
    return true;
}

/* --- The end --- */

/* Empties a blob whose copy did not succeed. It keeps its kind, and a page blob its sequence number, but the
 * pages begin anew: none of its earlier snapshots can be compared with them. */
static void empty_blob(struct container *container, struct blob **blob, version etag) {
    int64_t sequence = blob_special(*blob)->sequence;
    blob_clear_content(&container->account, *blob);
    *blob = container_fit(container, *blob, 0);
    struct blob_special *special = blob_need_special(&container->account, *blob);
    special->sequence = sequence;
    if ((*blob)->kind == KIND_PAGE) special->born = etag;
    blob_trim(&container->account, *blob);
}

bool apply_abortcopy(struct container *container, struct blob **blob, const struct container_change *change) {
    if (!blob_exists(*blob) || !blob_is_being_copied(*blob)) return false;
    struct copy copy = *blob_special(*blob)->copy;
    copy.status = COPY_ABORTED;
    copy.arriving = false;
    copy.completed_ms = change->stamp.modified_ms;
    container_set_copy(container, *blob, &copy);
    empty_blob(container, blob, change->stamp.etag);
    apply_restamp(container, *blob, change);
    return true;
}

/* Whether the whole content has arrived. */
static bool is_complete(const struct blob *blob) {
    return copy_is_pending(blob, true) &&
           (blob->kind == KIND_PAGE || blob_length(blob) == blob_special(blob)->copy->total);
}

bool apply_copyend(struct container *container, struct blob **blob, const struct container_change *change) {
    if (!blob_exists(*blob) || !blob_is_being_copied(*blob)) return false;
    const struct copy *before = blob_special(*blob)->copy;
    bool arriving = before->arriving;
    struct copy copy = change->copy;
    copy.untyped = before->untyped;
    if (copy.id != before->id || copy.arriving || copy.status == COPY_PENDING) return false;
    if (copy.status == COPY_SUCCESS && !is_complete(*blob)) return false;
    container_set_copy(container, *blob, &copy);
    if (arriving && copy.status != COPY_SUCCESS) empty_blob(container, blob, change->stamp.etag);
    apply_restamp(container, *blob, change);
    return true;
}
