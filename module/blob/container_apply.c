/* How each change is applied to a container and its blobs: one function for each kind, and the table of them. */
#include "blob/container_apply.h"

#include "blob/block_plan.h"
#include "blob/blocks.h"
#include "blob/snapshots.h"
#include "change/checks.h"
#include "change/feed_change.h"
#include "core/inlining.h"
#include "core/number.h"

/* --- The container --- */

static bool apply_container_setmeta(struct container *container, struct blob **blob,
                                    const struct container_change *change) {
    (void)blob;
    container->stamp = change->stamp;
    packed_replace(&container->account, &container->metadata, change->metadata);
    return true;
}

static bool apply_container_setacl(struct container *container, struct blob **blob,
                                   const struct container_change *change) {
    (void)blob;
    container->stamp = change->stamp;
    container->access = change->access;
    packed_replace(&container->account, &container->policies, change->policies);
    return true;
}

static bool apply_lease(struct container *container, struct blob **blob,
                        const struct container_change *change) {
    if (change->kind == BLOB_LEASE && !*blob) return false;
    container_set_lease(container, *blob, &change->lease);
    return true;
}

/* --- A blob as a whole --- */

bool apply_may_become(const struct blob *blob, enum blob_kind kind) {
    return !blob_exists(blob) || blob->kind == kind || blob_is_untyped(blob);
}

void apply_restamp(struct container *container, struct blob *blob, const struct container_change *change) {
    blob->stamp = change->stamp;
    if (change->frees_lease) container_free_lease(container, blob);
}

/* A blob that is written is no longer a copy; writing pages leaves that. */
static void forget_copy(struct container *container, struct blob *blob) {
    if (blob_special(blob)->copy) container_set_copy(container, blob, NULL);
}

void apply_redescribe(struct container *container, struct blob *blob, const struct container_change *change) {
    blob->created_ms = change->created_ms;
    if (blob->extra || change->properties.count || change->metadata.count) {
        blob_set_lists(&container->account, blob, &change->properties, &change->metadata);
        forget_copy(container, blob);
    }
    apply_restamp(container, blob, change);
}

struct blob *apply_begin(struct container *container, struct blob *blob,
                         const struct container_change *change, enum blob_kind kind, size_t content_bytes) {
    if (!blob) {
        blob = container_add(container, change->name, kind, content_bytes);
    } else {
        container_unstage(container, blob, UINT64_MAX);
        blob_clear_content(&container->account, blob);
        blob->kind = kind;
        blob = container_fit(container, blob, content_bytes);
    }
    apply_redescribe(container, blob, change);
    return blob;
}

static bool apply_blob_put(struct container *container, struct blob **blob,
                           const struct container_change *change) {
    if (!apply_may_become(*blob, KIND_BLOCK)) return false;
    *blob = apply_begin(container, *blob, change, KIND_BLOCK, change->chunk ? 0 : change->content.length);
    blob_fill(&container->account, *blob, change->content, change->chunk);
    return true;
}

static bool apply_blob_setprops(struct container *container, struct blob **blob,
                                const struct container_change *change) {
    if (!blob_exists(*blob)) return false;
    if (change->parts & (PART_LENGTH | PART_SEQUENCE) && (*blob)->kind != KIND_PAGE) return false;
    if (change->parts & PART_PROPERTIES)
        blob_set_lists(&container->account, *blob, &change->properties, NULL);
    if (change->parts & PART_LENGTH)
        pages_resize(&container->account, blob_need_pages(&container->account, *blob), change->length);
    if (change->parts & PART_SEQUENCE) (*blob)->extra->special->sequence = change->sequence;
    forget_copy(container, *blob);
    apply_restamp(container, *blob, change);
    return true;
}

static bool apply_blob_setmeta(struct container *container, struct blob **blob,
                               const struct container_change *change) {
    if (!blob_exists(*blob)) return false;
    blob_set_lists(&container->account, *blob, NULL, &change->metadata);
    forget_copy(container, *blob);
    apply_restamp(container, *blob, change);
    return true;
}

static bool apply_blob_delete(struct container *container, struct blob **blob,
                              const struct container_change *change) {
    bool leaves_marker = container->feed && blob_exists(*blob);
    if (!*blob || (leaves_marker && !change->minted)) return false;
    if (leaves_marker) feed_mark(&container->account, container->feed, &(*blob)->entry, change->minted);
    container_remove(container, *blob);
    *blob = NULL;
    return true;
}

/* --- Page blobs --- */

static bool apply_createpage(struct container *container, struct blob **blob,
                             const struct container_change *change) {
    if (!apply_may_become(*blob, KIND_PAGE)) return false;
    *blob = apply_begin(container, *blob, change, KIND_PAGE, 0);
    struct blob_special *special = blob_need_special(&container->account, *blob);
    special->sequence = change->sequence;
    special->born = change->stamp.etag;
    blob_need_pages(&container->account, *blob)->length = change->length;
    return true;
}

/* Whether these are whole pages within a page blob. */
static bool are_pages(const struct blob *blob, uint64_t offset, uint64_t length) {
    return blob_exists(blob) && blob->kind == KIND_PAGE && length && length % PAGE_BYTES == 0 &&
           size_fits(offset, length, blob_length(blob));
}

static bool apply_putpage(struct container *container, struct blob **blob,
                          const struct container_change *change) {
    if (!are_pages(*blob, change->offset, change->content.length)) return false;
    pages_write(&container->account, blob_need_pages(&container->account, *blob), change->offset,
                change->content);
    apply_restamp(container, *blob, change);
    return true;
}

static bool apply_clearpage(struct container *container, struct blob **blob,
                            const struct container_change *change) {
    if (!are_pages(*blob, change->offset, change->length)) return false;
    pages_clear(&container->account, blob_need_pages(&container->account, *blob), change->offset,
                change->length);
    apply_restamp(container, *blob, change);
    return true;
}

/* --- Append blobs --- */

static bool apply_createappend(struct container *container, struct blob **blob,
                               const struct container_change *change) {
    if (!apply_may_become(*blob, KIND_APPEND)) return false;
    *blob = apply_begin(container, *blob, change, KIND_APPEND, 0);
    return true;
}

static bool apply_append(struct container *container, struct blob **blob,
                         const struct container_change *change) {
    if (!blob_exists(*blob) || (*blob)->kind != KIND_APPEND || !change->content.length) return false;
    if (blob_length(*blob) != change->offset || blob_special(*blob)->appended >= APPEND_BLOCKS_MAX)
        return false;
    if (blob_special(*blob)->sealed) return false;
    struct content *content = blob_need_content(&container->account, *blob);
    if (change->chunk)
        content_add(&container->account, content, change->chunk);
    else
        content_append(&container->account, content, change->content);
    blob_need_special(&container->account, *blob)->appended++;
    forget_copy(container, *blob);
    apply_restamp(container, *blob, change);
    return true;
}

static bool apply_seal(struct container *container, struct blob **blob,
                       const struct container_change *change) {
    if (!blob_exists(*blob) || (*blob)->kind != KIND_APPEND) return false;
    blob_need_special(&container->account, *blob)->sealed = true;
    forget_copy(container, *blob);
    apply_restamp(container, *blob, change);
    return true;
}

/* --- Blocks --- */

/* The staged blocks, also expired ones, which stay until a change removes them. */
static const struct staging *all_staged(const struct blob *blob) {
    return blob ? blob_special(blob)->staging : NULL;
}

bool apply_block_fits(const struct blob *blob, const struct container_change *change) {
    if (!apply_may_become(blob, KIND_BLOCK)) return false;
    const struct staging *staging = all_staged(blob);
    if (!staging) return true;
    if (staging->id_length != change->block_id.length) return false;
    return staging->count < BLOCKS_STAGED_MAX || staging_find(staging, change->block_id);
}

bool apply_block(struct container *container, struct blob **blob, const struct container_change *change,
                 struct chunk *chunk) {
    if (!*blob) *blob = container_add(container, change->name, KIND_UNCOMMITTED, 0);
    container_stage(container, *blob, change, chunk);
    if (change->frees_lease) container_free_lease(container, *blob);
    return true;
}

static bool apply_stage(struct container *container, struct blob **blob,
                        const struct container_change *change) {
    if (!apply_block_fits(*blob, change) || !change->content.length) return false;
    return apply_block(container, blob, change, change->chunk ? change->chunk : chunk_copy(change->content));
}

static void commit_blocks(struct container *container, struct blob **blob,
                          const struct container_change *change, const struct block_plan *plan) {
    if (!*blob) *blob = container_add(container, change->name, KIND_BLOCK, 0);
    (*blob)->kind = KIND_BLOCK;
    block_plan_commit(&container->account, *blob, plan);
    container_unstage(container, *blob, UINT64_MAX);
    *blob = container_fit(container, *blob, 0);
    apply_redescribe(container, *blob, change);
}

static bool apply_commit(struct container *container, struct blob **blob,
                         const struct container_change *change) {
    if (!apply_may_become(*blob, KIND_BLOCK)) return false;
    if (change->plan) {
        commit_blocks(container, blob, change, change->plan);
        return true;
    }
    struct block_plan plan;
    if (block_plan_make(*blob, all_staged(*blob), change->list, &plan) != OUTCOME_DONE) return false;
    commit_blocks(container, blob, change, &plan);
    block_plan_end(&plan);
    return true;
}

static bool apply_unstage(struct container *container, struct blob **blob,
                          const struct container_change *change) {
    if (!all_staged(*blob)) return false;
    container_unstage(container, *blob, change->unstaged_max);
    if (blob_exists(*blob) || blob_special(*blob)->staging) return true;
    container_remove(container, *blob);
    *blob = NULL;
    return true;
}

/* --- Snapshots --- */

static bool apply_blob_snapshot(struct container *container, struct blob **blob,
                                const struct container_change *change) {
    if (!*blob || !snapshots_take(&container->account, *blob, change)) return false;
    container_count_snapshots(0, 1);
    return true;
}

static bool apply_deletesnapshots(struct container *container, struct blob **blob,
                                  const struct container_change *change) {
    size_t before = *blob ? snapshots_count(*blob) : 0;
    if (!*blob || !snapshots_drop(&container->account, *blob, change->snapshot)) return false;
    container_count_snapshots(before, snapshots_count(*blob));
    if (change->frees_lease) container_free_lease(container, *blob);
    return true;
}

/* --- The feed --- */

_Static_assert(offsetof(struct blob, stamp.etag) == offsetof(struct feed_entry, v),
               "a blob is a feed's object");

static bool belongs_in_feed(const struct entry *entry) {
    return blob_exists((const struct blob *)entry);
}

FEED_KINDS_IN_ORDER(CONTAINER_FEED);

static bool apply_feed(struct container *container, struct blob **blob,
                       const struct container_change *change) {
    (void)blob;
    const struct feed_owner owner = {
        .account = &container->account,
        .feed = &container->feed,
        .objects = &container->blobs.by_order,
        .belongs = belongs_in_feed,
        .name_is_sound = name_is_sound,
    };
    return feed_change_apply(&owner, &(struct feed_change){
                                         .kind = change->kind - CONTAINER_FEEDON,
                                         .beginning = change->minted,
                                         .keep = change->keep,
                                         .bytes = change->feed,
                                     });
}

/* Whether the feed lets a blob from a file be added. A blob has the states of its snapshots first, and those with
 * metadata of their own may be newer than the feed: container_fits_feed() checks its last state. */
static bool feed_admits_change(const struct container *container, const struct container_change *change) {
    if (!container->feed || !container_change_has_name(change) || !change->stamp.etag) return true;
    return feed_admits_name(container->feed, change->name);
}

/* The blob may have a new ETag; `before` is the old one, 0 when it did not exist. */
ASIDE static void follow_blob(struct container *container, struct blob *blob, version before) {
    if (!blob_exists(blob)) return;
    if (!before)
        feed_add(&container->account, container->feed, &blob->entry);
    else if (before != blob->stamp.etag)
        feed_move(&container->account, container->feed, &blob->entry, before);
}

/* --- The table --- */

#define HAS(field) CONTAINER_HAS(field)
#define NAMED      (HAS(NAME) | HAS(STAMP))
#define NEW_BLOB   (NAMED | HAS(CREATED) | HAS(PROPERTIES) | HAS(METADATA))
#define STATE_OF_BLOB                                                                                        \
    (NEW_BLOB | HAS(KIND) | HAS(PARTS) | HAS(LENGTH) | HAS(COUNT) | HAS(SEQUENCE) | HAS(BORN))
const struct container_kind container_change_kinds[CONTAINER_CHANGE_KINDS] = {
    [CONTAINER_CREATE] = {.is = {.event = "container.create",
                                 .fields =
                                     HAS(STAMP) | HAS(CREATED) | HAS(ACCESS) | HAS(METADATA) | HAS(POLICIES),
                                 .traits = CHANGE_CREATES | CHANGE_IN_FILES}},
    [CONTAINER_SETMETA] = {{.event = "container.setmeta", .fields = HAS(STAMP) | HAS(METADATA)},
                           .apply = apply_container_setmeta},
    [CONTAINER_SETACL] = {{.event = "container.setacl", .fields = HAS(STAMP) | HAS(ACCESS) | HAS(POLICIES)},
                          .apply = apply_container_setacl},
    [CONTAINER_DROP] = {.is = {.event = "container.delete", .traits = CHANGE_DROPS}},
    [CONTAINER_LEASE] = {{.fields = HAS(LEASE_EVENT) | HAS(LEASE),
                          .traits = CHANGE_IN_FILES | CHANGE_COMES_LAST},
                         .apply = apply_lease},
    [BLOB_PUT] = {{.event = "blob.put",
                   .fields = NAMED | HAS(CREATED) | HAS(ADDITIONS),
                   .traits = CHANGE_HAS_CONTENT | CHANGE_IN_FILES},
                  .apply = apply_blob_put},
    [BLOB_SETPROPS] = {{.event = "blob.setprops",
                        .fields =
                            NAMED | HAS(PARTS) | HAS(PROPERTIES) | HAS(LENGTH) | HAS(SEQUENCE) | HAS(FLAGS)},
                       .apply = apply_blob_setprops,
                       .paged = true},
    [BLOB_SETMETA] = {{.event = "blob.setmeta", .fields = NAMED | HAS(METADATA) | HAS(FLAGS)},
                      .apply = apply_blob_setmeta},
    [BLOB_DELETE] = {{.event = "blob.delete", .fields = HAS(NAME) | HAS(FLAGS)}, .apply = apply_blob_delete},
    [BLOB_LEASE] = {{.fields = HAS(NAME) | HAS(LEASE_EVENT) | HAS(LEASE),
                     .traits = CHANGE_IN_FILES | CHANGE_COMES_LAST},
                    .apply = apply_lease},
    [BLOB_CREATEPAGE] = {{.event = "blob.createpage",
                          .fields = NEW_BLOB | HAS(LENGTH) | HAS(SEQUENCE) | HAS(FLAGS)},
                         .apply = apply_createpage,
                         .paged = true},
    [BLOB_PUTPAGE] = {{.event = "blob.putpage",
                       .fields = NAMED | HAS(OFFSET) | HAS(FLAGS),
                       .traits = CHANGE_HAS_CONTENT},
                      .apply = apply_putpage,
                      .paged = true},
    [BLOB_CLEARPAGE] = {{.event = "blob.clearpage", .fields = NAMED | HAS(OFFSET) | HAS(LENGTH) | HAS(FLAGS)},
                        .apply = apply_clearpage,
                        .paged = true},
    [BLOB_CREATEAPPEND] = {{.event = "blob.createappend", .fields = NEW_BLOB | HAS(FLAGS)},
                           .apply = apply_createappend},
    [BLOB_APPEND] = {{.event = "blob.append",
                      .fields = NAMED | HAS(OFFSET) | HAS(FLAGS),
                      .traits = CHANGE_HAS_CONTENT},
                     .apply = apply_append},
    [BLOB_STAGE] = {{.event = "blob.putblock",
                     .fields = HAS(NAME) | HAS(BLOCK) | HAS(TOUCHED) | HAS(FLAGS),
                     .traits = CHANGE_HAS_CONTENT},
                    .apply = apply_stage},
    [BLOB_COMMIT] = {{.event = "blob.putblocklist", .fields = NEW_BLOB | HAS(LIST) | HAS(FLAGS)},
                     .apply = apply_commit},
    [BLOB_UNSTAGE] = {{.event = "blob.unstage", .fields = HAS(NAME) | HAS(COUNT)}, .apply = apply_unstage},
    [BLOB_SNAPSHOT] = {{.event = "blob.snapshot",
                        .fields = NAMED | HAS(PARTS) | HAS(METADATA) | HAS(SNAPSHOT),
                        .traits = CHANGE_IN_FILES},
                       .apply = apply_blob_snapshot},
    [BLOB_DELETESNAPSHOTS] = {{.event = "blob.delete", .fields = HAS(NAME) | HAS(SNAPSHOT) | HAS(FLAGS)},
                              .apply = apply_deletesnapshots},
    [BLOB_COPY] = {{.event = "blob.copy",
                    .fields = NAMED | HAS(CREATED) | HAS(PARTS) | HAS(METADATA) | HAS(SOURCE) | HAS(COPY) |
                              HAS(FLAGS),
                    .traits = CHANGE_COMES_FIRST},
                   .apply = apply_copy},
    [BLOB_ABORTCOPY] = {{.event = "blob.abortcopy", .fields = NAMED}, .apply = apply_abortcopy},
    [BLOB_COPYSTATE] = {{.fields = HAS(NAME) | HAS(COPY), .traits = CHANGE_IN_FILES},
                        .apply = apply_copystate},
    [BLOB_SEAL] = {{.event = "blob.seal", .fields = NAMED | HAS(FLAGS)}, .apply = apply_seal},

    [CONTAINER_CHUNK] = {{.fields = HAS(LENGTH), .traits = CHANGE_HAS_CONTENT | CHANGE_IN_FILES},
                         .apply = apply_chunk},
    [BLOB_STATE] = {{.fields = STATE_OF_BLOB, .traits = CHANGE_IN_FILES}, .apply = apply_state},
    [BLOB_SPANS] = {{.fields = HAS(NAME) | HAS(LIST), .traits = CHANGE_IN_FILES}, .apply = apply_spans},
    [BLOB_BLOCKS] = {{.fields = HAS(NAME) | HAS(LIST), .traits = CHANGE_IN_FILES}, .apply = apply_spans},
    [BLOB_LEAVES] = {{.fields = HAS(NAME) | HAS(LIST), .traits = CHANGE_IN_FILES}, .apply = apply_leaves},
    [BLOB_STAGED] = {{.fields = HAS(NAME) | HAS(COUNT) | HAS(BLOCK) | HAS(TOUCHED),
                      .traits = CHANGE_IN_FILES},
                     .apply = apply_staged},
    [CONTAINER_LOADED] = {{.traits = CHANGE_IN_FILES}, .apply = apply_loaded},

    [BLOB_COPYSTART] = {{.event = "blob.copy", .fields = NAMED | HAS(COPY) | HAS(FLAGS)},
                        .apply = apply_copystart},
    [BLOB_COPYBEGIN] = {{.fields = HAS(NAME) | HAS(KIND) | HAS(PARTS) | HAS(PROPERTIES) | HAS(METADATA) |
                                   HAS(OFFSET) | HAS(LENGTH) | HAS(COUNT) | HAS(SEQUENCE)},
                        .apply = apply_copybegin},
    [BLOB_COPYPIECE] = {{.fields = HAS(NAME) | HAS(OFFSET) | HAS(LENGTH), .traits = CHANGE_HAS_CONTENT},
                        .apply = apply_copypiece},
    [BLOB_COPYBLOCK] = {{.fields = HAS(NAME) | HAS(OFFSET) | HAS(LENGTH) | HAS(BLOCK),
                         .traits = CHANGE_HAS_CONTENT},
                        .apply = apply_copyblock},
    [BLOB_COPYEND] = {{.event = "blob.copied", .fields = NAMED | HAS(COPY) | HAS(DESCRIPTION)},
                      .apply = apply_copyend},
    [BLOB_COPYTOLD] = {{.fields = HAS(NAME) | HAS(COPY) | HAS(DESCRIPTION), .traits = CHANGE_IN_FILES},
                       .apply = apply_copystate},

    [CONTAINER_FEEDON] = {{.event = "container.feed", .fields = HAS(MINTED) | HAS(COUNT)},
                          .apply = apply_feed},
    [CONTAINER_FEEDKEEP] = {{.event = "container.feed", .fields = HAS(COUNT)}, .apply = apply_feed},
    [CONTAINER_FEEDOFF] = {{.event = "container.feed"}, .apply = apply_feed},
    [CONTAINER_FEEDBUILT] = {{.fields = HAS(FEED)}, .apply = apply_feed},
    [CONTAINER_FEEDSTATE] = {{.fields = HAS(FEEDSTATE), .traits = CHANGE_IN_FILES}, .apply = apply_feed},
    [CONTAINER_FEEDMARKERS] = {{.fields = HAS(FEED), .traits = CHANGE_IN_FILES}, .apply = apply_feed},
};

static struct blob *blob_before(const struct container *container, const struct container_change *change) {
    if (change->sought) return change->blob;
    return container_change_has_name(change) ? container_find(container, change->name) : NULL;
}

bool container_apply(struct container *container, const struct container_change *change) {
    const struct container_kind *kind = &container_change_kinds[change->kind];
    struct blob *blob = container_own(container, blob_before(container, change));
    const bool existed = blob_exists(blob);
    const version etag = existed ? blob->stamp.etag : 0;
    const uint64_t bytes = blob_content_bytes(blob);
    if (container_may_be_loading(container) && !(kind->is.traits & CHANGE_IN_FILES))
        container_end_load(container);
    if (!feed_admits_change(container, change) || !kind->apply || !kind->apply(container, &blob, change)) {
        if (change->chunk) chunk_discard(change->chunk);
        return false;
    }
    if (container->feed) follow_blob(container, blob, etag);
    container_count_content(container, blob, bytes, existed);
    return true;
}
