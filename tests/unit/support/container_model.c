#include "container_model.h"

#include "core/memory.h"
#include "draft.h"
#include "require.h"

#include <stdlib.h>

static void *own_copy(struct bytes bytes) {
    void *copy = malloc(bytes.length + 1);
    if (!copy) abort();
    if (bytes.length) memcpy(copy, bytes.data, bytes.length);
    return copy;
}

static void list_set(struct model_list *own, struct packed_list list) {
    free(own->data);
    size_t length = list.count ? list.items.length : 0;
    *own = (struct model_list){list.count, own_copy(bytes_of(list.items.data, length)), length};
}

static void lease_forget(struct model_lease *own) {
    free(own->lease);
    free(own->owner);
    *own = (struct model_lease){NULL, NULL};
}

/* A NULL is none at all. */
static void lease_set(struct model_lease *own, const struct lease *lease) {
    lease_forget(own);
    if (!lease) return;
    own->lease = own_copy(bytes_of((const char *)lease, sizeof(*lease)));
    own->owner = own_copy(lease->owner);
    own->lease->owner.data = own->owner;
}

static bool lease_stands(const struct model_lease *own) {
    return own->lease && own->lease->kind != LEASE_FREE;
}

/* Of a lease that has ended nothing is left but what a latecomer may ask for. */
static void lease_end(struct model_lease *own) {
    if (!lease_stands(own)) return;
    const struct lease freed = {LEASE_FREE, own->lease->id, own->lease->token, 0, 0, 0, {"", 0}};
    lease_set(own, &freed);
}

static struct bytes model_name(const struct model_blob *blob) {
    return bytes_of(blob->name, blob->name_length);
}

void model_start(struct model *model, const struct change *create) {
    *model =
        (struct model){.stamp = create->stamp, .created_ms = create->created_ms, .access = create->access};
    list_set(&model->metadata, create->metadata);
    list_set(&model->policies, create->policies);
}

static void blob_end(struct model_blob *blob) {
    free(blob->name);
    free(blob->content);
    free(blob->properties.data);
    free(blob->metadata.data);
    lease_forget(&blob->lease);
}

void model_end(struct model *model) {
    for (size_t i = 0; i < model->count; i++) blob_end(&model->blobs[i]);
    free(model->blobs);
    free(model->metadata.data);
    free(model->policies.data);
    lease_forget(&model->lease);
}

void model_forget_leases(struct model *model) {
    lease_forget(&model->lease);
    for (size_t i = 0; i < model->count; i++) lease_forget(&model->blobs[i].lease);
}

size_t model_standing(const struct model *model) {
    size_t standing = lease_stands(&model->lease);
    for (size_t i = 0; i < model->count; i++) standing += lease_stands(&model->blobs[i].lease);
    return standing;
}

/* The place where a blob of this name stands or would stand. */
static size_t place_of(const struct model *model, struct bytes name) {
    size_t place = 0;
    while (place < model->count && bytes_compare(model_name(&model->blobs[place]), name) < 0) place++;
    return place;
}

static struct model_blob *find(const struct model *model, struct bytes name) {
    size_t place = place_of(model, name);
    bool there = place < model->count && bytes_equal(model_name(&model->blobs[place]), name);
    return there ? &model->blobs[place] : NULL;
}

static struct model_blob *insert(struct model *model, struct bytes name) {
    size_t place = place_of(model, name);
    if (model->count == model->capacity) {
        model->capacity = model->capacity * 2 + 8;
        struct model_blob *grown = realloc(model->blobs, model->capacity * sizeof(*grown));
        if (!grown) abort();
        model->blobs = grown;
    }
    struct model_blob *blob = &model->blobs[place];
    memmove(blob + 1, blob, (model->count++ - place) * sizeof(*blob));
    *blob = (struct model_blob){.name = own_copy(name), .name_length = name.length};
    return blob;
}

static void set_content(struct model *model, struct model_blob *blob, size_t keep, struct bytes more) {
    char *content = malloc(keep + more.length + 1);
    if (!content) abort();
    if (keep) memcpy(content, blob->content, keep);
    if (more.length) memcpy(content + keep, more.data, more.length);
    model->content_bytes += keep + more.length - blob->length;
    free(blob->content);
    blob->content = content;
    blob->length = keep + more.length;
}

static void put(struct model *model, struct model_blob *blob, const struct change *change) {
    if (!blob) blob = insert(model, change->name);
    blob->stamp = change->stamp;
    blob->created_ms = change->created_ms;
    set_content(model, blob, 0, change->content);
    list_set(&blob->properties, change->properties);
    list_set(&blob->metadata, change->metadata);
    if (change->frees_lease) lease_end(&blob->lease);
}

static void drop(struct model *model, struct model_blob *blob) {
    model->content_bytes -= blob->length;
    blob_end(blob);
    model->count--;
    memmove(blob, blob + 1, (size_t)(model->blobs + model->count - blob) * sizeof(*blob));
}

static bool apply_to_blob(struct model *model, struct model_blob *blob, const struct change *change) {
    switch (change->kind) {
    case CHANGE_EXTEND: set_content(model, blob, blob->length, change->content); return true;
    case CHANGE_SETBLOBPROPS: list_set(&blob->properties, change->properties); break;
    case CHANGE_SETBLOBMETA: list_set(&blob->metadata, change->metadata); break;
    case CHANGE_DELETE: drop(model, blob); return true;
    case CHANGE_BLOBLEASE: lease_set(&blob->lease, &change->lease); return true;
    default: return false;
    }
    if (change->frees_lease) lease_end(&blob->lease);
    blob->stamp = change->stamp;
    return true;
}

bool model_apply(struct model *model, const struct change *change) {
    struct model_blob *blob = change_has_name(change->kind) ? find(model, change->name) : NULL;
    switch (change->kind) {
    case CHANGE_PUT: put(model, blob, change); return true;
    case CHANGE_SETMETA: list_set(&model->metadata, change->metadata); break;
    case CHANGE_SETACL:
        list_set(&model->policies, change->policies);
        model->access = change->access;
        break;
    case CHANGE_LEASE: lease_set(&model->lease, &change->lease); return true;
    default: return blob && apply_to_blob(model, blob, change);
    }
    model->stamp = change->stamp;
    return true;
}

static void compare_list(struct packed_list list, const struct model_list *own, const char *what) {
    require_same(list.count, own->count, "%s", what);
    if (own->count) require_bytes(list.items, bytes_of(own->data, own->length), "%s", what);
}

static void compare_stamp(const struct stamp *stamp, const struct stamp *own) {
    require_same(stamp->etag, own->etag, "the ETag");
    require_same(stamp->modified_ms, own->modified_ms, "the instant");
}

static void compare_content(const struct blob *blob, const struct model_blob *own) {
    require_same(blob->content.length, own->length, "the length of a content");
    for (uint64_t at = 0; at < own->length;) {
        struct bytes view = blob_view(blob, at, UINT64_MAX);
        require(view.length && view.length <= own->length - at, "a view of %zu bytes at %zu of %zu",
                view.length, (size_t)at, own->length);
        require_bytes(view, bytes_of(own->content + at, view.length), "a content at %zu", (size_t)at);
        at += view.length;
    }
    require_same(blob_view(blob, own->length, UINT64_MAX).length, 0, "behind the end");
    if (!own->length) return;
    char *whole = malloc(own->length);
    if (!whole) abort();
    size_t from = own->length / 3;
    blob_read(blob, from, whole, own->length - from);
    require_bytes(bytes_of(whole, own->length - from), bytes_of(own->content + from, own->length - from),
                  "two thirds of a content at once");
    free(whole);
}

static void compare_lease(const struct lease *lease, const struct lease *standing,
                          const struct model_lease *own, const char *whose) {
    static const struct lease never;
    require(lease_same(lease, own->lease ? own->lease : &never), "the lease of %s", whose);
    require_same(standing != NULL, own->lease != NULL, "a lease of %s", whose);
    if (!standing) return;
    require(standing == lease, "the lease of %s stands elsewhere", whose);
    require(lease->owner.data == (const char *)(lease + 1), "the owner of %s stands elsewhere", whose);
}

static void compare_blob(const struct blob *blob, const struct model_blob *own) {
    require_bytes(blob_name(blob), model_name(own), "the name");
    compare_stamp(&blob->stamp, &own->stamp);
    require_same(blob->created_ms, own->created_ms, "the creation");
    compare_list(blob_properties(blob), &own->properties, "the properties");
    compare_list(blob_metadata(blob), &own->metadata, "the blob's metadata");
    compare_content(blob, own);
    const struct blob_extra *extra = blob->extra;
    require(!extra || extra->properties || extra->metadata || extra->lease, "there is an extra of nothing");
    compare_lease(blob_lease(blob), extra ? extra->lease : NULL, &own->lease, "a blob");
}

/* The index has those blobs whose lease stands, and no other ones; without any there is no index. */
static void compare_leased(const struct model *model, const struct container *container) {
    size_t i = 0, found = 0, expected = model_standing(model) - lease_stands(&model->lease);
    require_same(container->leased.root != NULL, expected != 0, "an index of %zu leases", expected);
    if (!container->leased.root) return;
    require(!order_index_empty(&container->leased), "the index of %zu leases is empty", expected);
    struct order_cursor cursor = order_index_seek(&container->leased, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor), found++) {
        while (i < model->count && !lease_stands(&model->blobs[i].lease)) i++;
        require(i < model->count, "there are more than %zu leases in the index", expected);
        require(container_find(container, model_name(&model->blobs[i++])) == blob_of_entry(entry),
                "lease %zu of %zu in the index is another blob's", found, expected);
    }
    require_same(found, expected, "leases in the index");
}

/* What can be counted of memory by walking over the public parts. */
struct figures {
    size_t held, parts;
};

static void count(struct figures *figures, const void *memory) {
    if (!memory) return;
    figures->held += memory_size(memory);
    figures->parts++;
}

static void count_blob(struct figures *figures, const struct blob *blob) {
    count(figures, blob);
    count(figures, blob->extra);
    if (blob->extra) {
        count(figures, blob->extra->properties);
        count(figures, blob->extra->metadata);
        count(figures, blob->extra->lease);
    }
    figures->held += content_held(&blob->content);
    figures->parts += content_parts(&blob->content);
}

void model_compare(const struct model *model, const struct container *container) {
    struct figures figures = {0, 0};
    compare_stamp(&container->stamp, &model->stamp);
    require_same(container->created_ms, model->created_ms, "the creation");
    require_same(container->access, model->access, "the access");
    compare_list(packed_view(container->metadata), &model->metadata, "the metadata");
    compare_list(packed_view(container->policies), &model->policies, "the policies");
    require_same(container->content_bytes, model->content_bytes, "the sum of contents");
    require_same(catalog_count(&container->blobs), model->count, "the number of blobs");
    struct order_cursor cursor = catalog_seek(&container->blobs, bytes_of("", 0));
    for (size_t i = 0; i < model->count; i++, order_cursor_next(&cursor)) {
        struct entry *entry = order_cursor_entry(&cursor);
        require(entry, "there are %zu of %zu blobs", i, model->count);
        const struct blob *blob = blob_of_entry(entry);
        require(container_find(container, model_name(&model->blobs[i])) == blob, "blob %zu is not found", i);
        compare_blob(blob, &model->blobs[i]);
        count_blob(&figures, blob);
    }
    compare_lease(container_lease(container), container->lease, &model->lease, "the container");
    compare_leased(model, container);
    require(!order_cursor_entry(&cursor), "there are more than %zu blobs", model->count);
    count(&figures, container);
    count(&figures, container->metadata);
    count(&figures, container->policies);
    count(&figures, container->lease);
    require_same(container->held, figures.held, "%zu blobs", model->count);
    require_same(container->parts, figures.parts, "%zu blobs", model->count);
    size_t indexes = catalog_held(&container->blobs) + (container->leased.root ? container->leased.held : 0);
    require_same(container_held(container), figures.held + indexes, "%zu blobs", model->count);
}
