/* What each change does to a container and its blobs: one function for each kind, and the table of them. */
#include "blob/blocks.h"
#include "blob/container.h"
#include "blob/pool.h"
#include "blob/snapshots.h"

/* Each takes over the change's chunk if it succeeds. The blob's place follows the blob, NULL when it goes. */
typedef bool apply_change(struct container *container, struct blob **blob, const struct change *change);

/* --- The container's own --- */

static bool apply_setmeta(struct container *container, struct blob **blob, const struct change *change) {
    (void)blob;
    container->stamp = change->stamp;
    container_replace_list(container, &container->metadata, change->metadata);
    return true;
}

static bool apply_setacl(struct container *container, struct blob **blob, const struct change *change) {
    (void)blob;
    container->stamp = change->stamp;
    container->access = change->access;
    container_replace_list(container, &container->policies, change->policies);
    return true;
}

static bool apply_lease(struct container *container, struct blob **blob, const struct change *change) {
    if (change_has_name(change->kind) && !*blob) return false;
    container_set_lease(container, change_has_name(change->kind) ? *blob : NULL, &change->lease);
    return true;
}

/* --- A blob as a whole --- */

/* Whether a change may make the blob one of this kind; a blob that exists keeps its kind for life. */
static bool may_become(const struct blob *blob, enum blob_kind kind) {
    return !blob_exists(blob) || blob->kind == kind;
}

/* What a write says of the blob besides its content. */
static void restamp(struct container *container, struct blob *blob, const struct change *change) {
    blob->stamp = change->stamp;
    if (change->frees_lease) container_free_lease(container, blob);
}

static void redescribe(struct container *container, struct blob *blob, const struct change *change) {
    blob->created_ms = change->created_ms;
    blob_set_lists(&container->account, blob, &change->properties, &change->metadata);
    blob_set_copy(&container->account, blob, NULL);
    restamp(container, blob, change);
}

/* An empty blob of the name, whatever was there before, with room for a small content. */
static struct blob *begin(struct container *container, struct blob *blob, const struct change *change,
                          enum blob_kind kind, size_t room) {
    if (!blob) {
        blob = container_add(container, change->name, kind, room);
    } else {
        container_unstage(container, blob, UINT64_MAX);
        blob_clear_content(&container->account, blob);
        blob->kind = (uint8_t)kind;
        blob = container_fit(container, blob, room);
    }
    redescribe(container, blob, change);
    return blob;
}

static bool apply_put(struct container *container, struct blob **blob, const struct change *change) {
    if (!may_become(*blob, BLOB_BLOCK)) return false;
    *blob = begin(container, *blob, change, BLOB_BLOCK, change->chunk ? 0 : change->content.length);
    blob_fill(&container->account, *blob, change->content, change->chunk);
    return true;
}

static bool apply_setprops(struct container *container, struct blob **blob, const struct change *change) {
    if (!blob_exists(*blob)) return false;
    if (change->parts & (PART_LENGTH | PART_SEQUENCE) && (*blob)->kind != BLOB_PAGE) return false;
    if (change->parts & PART_PROPERTIES)
        blob_set_lists(&container->account, *blob, &change->properties, NULL);
    if (change->parts & PART_LENGTH) pages_resize(&container->account, &(*blob)->pages, change->length);
    if (change->parts & PART_SEQUENCE) (*blob)->extra->special->sequence = change->sequence;
    blob_set_copy(&container->account, *blob, NULL);
    restamp(container, *blob, change);
    return true;
}

static bool apply_setblobmeta(struct container *container, struct blob **blob, const struct change *change) {
    if (!blob_exists(*blob)) return false;
    blob_set_lists(&container->account, *blob, NULL, &change->metadata);
    blob_set_copy(&container->account, *blob, NULL);
    restamp(container, *blob, change);
    return true;
}

static bool apply_delete(struct container *container, struct blob **blob, const struct change *change) {
    (void)change;
    if (!*blob) return false;
    container_remove(container, *blob);
    *blob = NULL;
    return true;
}

/* --- Page blobs --- */

static bool apply_createpage(struct container *container, struct blob **blob, const struct change *change) {
    if (!may_become(*blob, BLOB_PAGE)) return false;
    *blob = begin(container, *blob, change, BLOB_PAGE, 0);
    struct blob_special *special = blob_need_special(&container->account, *blob);
    special->sequence = change->sequence;
    special->born = change->stamp.etag;
    (*blob)->pages.length = change->length;
    return true;
}

/* Whether these are pages of the blob. */
static bool are_pages(const struct blob *blob, uint64_t offset, uint64_t length) {
    return blob_exists(blob) && blob->kind == BLOB_PAGE && length && length % PAGE_BYTES == 0 &&
           length <= blob->length && offset <= blob->length - length;
}

static bool apply_putpage(struct container *container, struct blob **blob, const struct change *change) {
    if (!are_pages(*blob, change->offset, change->content.length)) return false;
    pages_write(&container->account, &(*blob)->pages, change->offset, change->content);
    restamp(container, *blob, change);
    return true;
}

static bool apply_clearpage(struct container *container, struct blob **blob, const struct change *change) {
    if (!are_pages(*blob, change->offset, change->length)) return false;
    pages_clear(&container->account, &(*blob)->pages, change->offset, change->length);
    restamp(container, *blob, change);
    return true;
}

/* --- Append blobs --- */

static bool apply_createappend(struct container *container, struct blob **blob, const struct change *change) {
    if (!may_become(*blob, BLOB_APPEND)) return false;
    *blob = begin(container, *blob, change, BLOB_APPEND, 0);
    return true;
}

static bool apply_append(struct container *container, struct blob **blob, const struct change *change) {
    if (!blob_exists(*blob) || (*blob)->kind != BLOB_APPEND || !change->content.length) return false;
    if ((*blob)->length != change->offset || blob_special(*blob)->appended >= APPEND_BLOCKS_MAX) return false;
    if (change->chunk)
        content_add(&container->account, &(*blob)->content, change->chunk);
    else
        content_append(&container->account, &(*blob)->content, change->content);
    blob_need_special(&container->account, *blob)->appended++;
    blob_set_copy(&container->account, *blob, NULL);
    restamp(container, *blob, change);
    return true;
}

/* --- Blocks --- */

/* Whether a block of this id can stand beside those that wait already. */
static bool block_fits(const struct blob *blob, const struct change *change) {
    if (!may_become(blob, BLOB_BLOCK)) return false;
    const struct staging *staging = blob ? blob_special(blob)->staging : NULL;
    if (!staging || change->drops_staged) return true;
    if (staging->id_length != change->block_id.length) return false;
    return staging->count < BLOCKS_STAGED_MAX || staging_find(staging, change->block_id);
}

static bool stage(struct container *container, struct blob **blob, const struct change *change,
                  struct chunk *chunk) {
    if (!*blob) *blob = container_add(container, change->name, BLOB_UNCOMMITTED, 0);
    if (change->drops_staged) container_unstage(container, *blob, UINT64_MAX);
    container_stage(container, *blob, change, chunk);
    if (change->frees_lease) container_free_lease(container, *blob);
    return true;
}

static bool apply_stage(struct container *container, struct blob **blob, const struct change *change) {
    if (!block_fits(*blob, change) || !change->content.length) return false;
    struct chunk *chunk = change->chunk ? change->chunk : chunk_copy(change->content);
    return chunk && stage(container, blob, change, chunk);
}

static bool apply_staged(struct container *container, struct blob **blob, const struct change *change) {
    struct chunk *chunk = pool_chunk(container->pool, change->count);
    return chunk && block_fits(*blob, change) && stage(container, blob, change, chunk);
}

static void commit(struct container *container, struct blob **blob, const struct change *change,
                   const struct block_plan *plan) {
    if (!*blob) *blob = container_add(container, change->name, BLOB_BLOCK, 0);
    (*blob)->kind = BLOB_BLOCK;
    blocks_commit(&container->account, *blob, plan);
    container_unstage(container, *blob, UINT64_MAX);
    *blob = container_fit(container, *blob, 0);
    redescribe(container, *blob, change);
}

static bool apply_commit(struct container *container, struct blob **blob, const struct change *change) {
    if (!may_become(*blob, BLOB_BLOCK)) return false;
    if (change->plan) {
        commit(container, blob, change, change->plan);
        return true;
    }
    struct block_plan plan;
    const struct staging *staging = *blob ? blob_special(*blob)->staging : NULL;
    if (block_plan_make(*blob, staging, change->list, &plan) != OUTCOME_DONE) return false;
    commit(container, blob, change, &plan);
    block_plan_end(&plan);
    return true;
}

static bool apply_unstage(struct container *container, struct blob **blob, const struct change *change) {
    if (!*blob || !blob_special(*blob)->staging) return false;
    container_unstage(container, *blob, change->count);
    if (blob_exists(*blob) || blob_special(*blob)->staging) return true;
    container_remove(container, *blob);
    *blob = NULL;
    return true;
}

/* --- Snapshots and copies --- */

static bool apply_snapshot(struct container *container, struct blob **blob, const struct change *change) {
    return *blob && snapshots_take(&container->account, *blob, change);
}

static bool apply_deletesnapshots(struct container *container, struct blob **blob,
                                  const struct change *change) {
    return *blob && snapshots_drop(&container->account, *blob, change->snapshot);
}

static const struct blob *source_of(const struct container *container, const struct change *change) {
    if (change->from_elsewhere) container = change->source_container;
    const struct blob *blob = container ? container_find(container, change->source) : NULL;
    if (blob && change->source_snapshot) blob = snapshots_find(blob, change->source_snapshot);
    return blob_exists(blob) ? blob : NULL;
}

static bool apply_copy(struct container *container, struct blob **blob, const struct change *change) {
    const struct blob *source = source_of(container, change);
    if (!source || !may_become(*blob, source->kind)) return false;
    struct change whole = *change;
    whole.properties = blob_properties(source);
    if (!(change->parts & PART_METADATA)) whole.metadata = blob_metadata(source);
    if (source == *blob) {
        container_unstage(container, *blob, UINT64_MAX);
        redescribe(container, *blob, &whole);
    } else {
        size_t room = blob_is_inline(source) ? (size_t)source->length : 0;
        *blob = begin(container, *blob, &whole, source->kind, room);
        blob_take(&container->account, *blob, source, change->from_elsewhere);
    }
    if (source->kind == BLOB_PAGE) blob_need_special(&container->account, *blob)->born = change->stamp.etag;
    blob_set_copy(&container->account, *blob, &change->copy);
    return true;
}

static bool apply_abortcopy(struct container *container, struct blob **blob, const struct change *change) {
    if (!blob_exists(*blob) || !blob_is_being_copied(*blob)) return false;
    struct copy *copy = (*blob)->extra->special->copy;
    copy->status = COPY_ABORTED;
    copy->completed_ms = change->stamp.modified_ms;
    blob_clear_content(&container->account, *blob);
    *blob = container_fit(container, *blob, 0);
    restamp(container, *blob, change);
    return true;
}

static bool apply_copystate(struct container *container, struct blob **blob, const struct change *change) {
    if (!blob_exists(*blob)) return false;
    blob_set_copy(&container->account, *blob, &change->copy);
    return true;
}

/* --- What files hold --- */

static bool apply_chunk(struct container *container, struct blob **blob, const struct change *change) {
    (void)blob;
    return pool_add(&container->account, &container->pool, change->length, change->content, change->chunk);
}

/* A state without its content, or with the one that is there. */
static bool apply_state(struct container *container, struct blob **blob, const struct change *change) {
    bool kept = change->parts & PART_KEPT;
    if (!may_become(*blob, change->blob_kind) || (kept && !blob_exists(*blob))) return false;
    if (change->count > APPEND_BLOCKS_MAX || change->length % PAGE_BYTES || change->length > PAGES_MOST_BYTES)
        return false;
    if (kept)
        redescribe(container, *blob, change);
    else
        *blob = begin(container, *blob, change, change->blob_kind, 0);
    if (change->blob_kind == BLOB_BLOCK) return true;
    struct blob_special *special = blob_need_special(&container->account, *blob);
    special->sequence = change->sequence;
    special->born = change->born;
    special->appended = change->count;
    if (change->blob_kind == BLOB_PAGE) pages_resize(&container->account, &(*blob)->pages, change->length);
    blob_settle(&container->account, *blob);
    return true;
}

/* An entry of a list: perhaps an id, and the number of a chunk. */
static struct chunk *read_span(const struct container *container, const struct change *change,
                               struct record_reader *reader, struct record_writer *ids) {
    if (change->kind == CHANGE_BLOCKS) {
        struct bytes id = record_bytes(reader);
        if (!id.length || id.length > BLOCK_ID_MAX_BYTES) reader->failed = true;
        if (ids) record_put_bytes(ids, id);
    }
    uint64_t number = record_number(reader);
    return reader->failed ? NULL : pool_chunk(container->pool, number);
}

static bool spans_sound(const struct container *container, const struct change *change) {
    struct record_reader reader = record_reader(change->list.items);
    for (uint64_t i = 0; i < change->list.count; i++)
        if (!read_span(container, change, &reader, NULL)) return false;
    return record_complete(&reader);
}

/* The blob's block ids with those of the change behind them. */
static void extend_blocks(struct container *container, struct blob *blob, struct record_writer *ids,
                          uint64_t more) {
    struct blob_special *special = blob_need_special(&container->account, blob);
    struct packed_list all = {more, bytes_of(ids->data, ids->length)};
    if (special->blocks) all.count += block_list_view(special->blocks).count;
    struct block_list *list = block_list_new(&container->account, all);
    if (special->blocks) block_list_drop(&container->account, special->blocks);
    special->blocks = list;
}

static bool takes_spans(const struct blob *blob, const struct change *change) {
    if (!blob_exists(blob) || blob->kind == BLOB_PAGE || (blob_is_inline(blob) && blob->length)) return false;
    size_t blocks = (size_t)block_list_view(blob_special(blob)->blocks).count,
           chunks = content_chunks(&blob->content);
    if (change->kind == CHANGE_SPANS) return !blocks;
    return blob->kind == BLOB_BLOCK && blocks == chunks &&
           change->list.count <= BLOCKS_COMMITTED_MAX - blocks;
}

static bool apply_spans(struct container *container, struct blob **blob, const struct change *change) {
    if (!change->list.count || !takes_spans(*blob, change) || !spans_sound(container, change)) return false;
    struct record_reader reader = record_reader(change->list.items);
    struct packed_list before = block_list_view(blob_special(*blob)->blocks);
    struct record_writer ids;
    record_start(&ids);
    record_put_raw(&ids, before.items);
    for (uint64_t i = 0; i < change->list.count; i++)
        content_add(&container->account, &(*blob)->content, read_span(container, change, &reader, &ids));
    if (change->kind == CHANGE_BLOCKS) extend_blocks(container, *blob, &ids, change->list.count);
    record_end(&ids);
    return true;
}

static bool read_leaf(const struct container *container, struct record_reader *reader,
                      struct page_leaf *leaf) {
    leaf->index = record_number(reader);
    leaf->present = record_word(reader);
    leaf->chunk = pool_chunk(container->pool, record_number(reader));
    return !reader->failed && leaf->chunk;
}

static bool leaves_sound(const struct container *container, const struct blob *blob,
                         const struct change *change) {
    struct record_reader reader = record_reader(change->list.items);
    struct page_leaf leaf;
    uint64_t least = 0;
    for (uint64_t i = 0; i < change->list.count; i++, least = leaf.index + 1) {
        if (!read_leaf(container, &reader, &leaf) || leaf.index < least) return false;
        if (!pages_leaf_fits(&blob->pages, &leaf)) return false;
    }
    return record_complete(&reader);
}

static bool apply_leaves(struct container *container, struct blob **blob, const struct change *change) {
    if (!blob_exists(*blob) || (*blob)->kind != BLOB_PAGE || !leaves_sound(container, *blob, change))
        return false;
    struct record_reader reader = record_reader(change->list.items);
    struct page_leaf leaf;
    for (uint64_t i = 0; i < change->list.count && read_leaf(container, &reader, &leaf); i++)
        pages_add_leaf(&container->account, &(*blob)->pages, &leaf);
    return true;
}

static bool apply_settle(struct container *container, struct blob **blob, const struct change *change) {
    (void)blob;
    (void)change;
    pool_drop(&container->account, &container->pool);
    return true;
}

/* --- The table --- */

static apply_change *const changes[CHANGE_KINDS] = {
    [CHANGE_SETMETA] = apply_setmeta,
    [CHANGE_SETACL] = apply_setacl,
    [CHANGE_PUT] = apply_put,
    [CHANGE_SETBLOBPROPS] = apply_setprops,
    [CHANGE_SETBLOBMETA] = apply_setblobmeta,
    [CHANGE_DELETE] = apply_delete,
    [CHANGE_LEASE] = apply_lease,
    [CHANGE_BLOBLEASE] = apply_lease,
    [CHANGE_CREATEPAGE] = apply_createpage,
    [CHANGE_PUTPAGE] = apply_putpage,
    [CHANGE_CLEARPAGE] = apply_clearpage,
    [CHANGE_CREATEAPPEND] = apply_createappend,
    [CHANGE_APPEND] = apply_append,
    [CHANGE_STAGE] = apply_stage,
    [CHANGE_COMMIT] = apply_commit,
    [CHANGE_UNSTAGE] = apply_unstage,
    [CHANGE_SNAPSHOT] = apply_snapshot,
    [CHANGE_DELETESNAPSHOTS] = apply_deletesnapshots,
    [CHANGE_COPY] = apply_copy,
    [CHANGE_ABORTCOPY] = apply_abortcopy,
    [CHANGE_COPYSTATE] = apply_copystate,
    [CHANGE_CHUNK] = apply_chunk,
    [CHANGE_STATE] = apply_state,
    [CHANGE_SPANS] = apply_spans,
    [CHANGE_BLOCKS] = apply_spans,
    [CHANGE_LEAVES] = apply_leaves,
    [CHANGE_STAGED] = apply_staged,
    [CHANGE_SETTLE] = apply_settle,
};

static void observe(const struct change *change) {
    version_observe(change->stamp.etag);
    version_observe(change->lease.token);
    version_observe(change->snapshot);
    version_observe(change->copy.id);
    version_observe(change->born);
}

bool container_apply(struct container *container, struct blob *blob, const struct change *change) {
    bool existed = blob_exists(blob);
    uint64_t bytes = existed ? blob->length : 0;
    size_t snapshots = blob ? snapshots_count(blob) : 0;
    observe(change);
    if (!change_is_in_files(change->kind)) pool_drop(&container->account, &container->pool);
    bool applied = changes[change->kind] && changes[change->kind](container, &blob, change);
    if (!applied) {
        if (change->chunk) chunk_discard(change->chunk);
        return false;
    }
    if (change->kind != CHANGE_DELETE) container_count_snapshots(snapshots, blob ? snapshots_count(blob) : 0);
    container_count_content(container, blob, bytes, existed);
    return true;
}
