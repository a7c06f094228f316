#include "expect_container.h"

#include "expect.h"
#include "failure.h"
#include "pool.h"
#include "random.h"
#include "text.h"
#include "words.h"

#include <stdlib.h>

/* A blob, or one of its snapshots, on a server. */
struct place_of_blob {
    struct client *client;
    const char *key;
    const struct model_blob *blob;
    const char *snapshot; /* as a clause; empty for the blob itself */
};

static redisReply *ask(const struct place_of_blob *at, const char *name, const char *rest) {
    struct words words = words_of_line(name);
    words_add(&words, at->key);
    words_add_bytes(&words, at->blob->name.data, at->blob->name.length);
    words_add_line(&words, at->snapshot);
    words_add_line(&words, rest);
    redisReply *reply = call_words(at->client, &words);
    require(!reply_is_error(reply), "%s gave %s", words_text(&words), reply_text(reply));
    return reply;
}

const char *etag_text(uint64_t etag) {
    return pool_print("0x%016llX", (unsigned long long)etag);
}

static void expect_list(const redisReply *list, struct text *items) {
    text_add(items, "]", 1);
    expect_shape(list, items->bytes);
}

static void expect_pages(const redisReply *pages, const struct model_state *state) {
    struct text ranges = {0};
    text_add(&ranges, "[", 1);
    for (size_t place = 0, end; place < state->page_count; place = end) {
        end = model_page_run(state, place);
        text_print(&ranges, "%s[%d, %d]", place ? ", " : "",
                   (int)state->pages[place].number * MODEL_PAGE_BYTES, (int)(end - place) * MODEL_PAGE_BYTES);
    }
    expect_list(pages, &ranges);
}

static void expect_blocks(const redisReply *list, const struct model_blocks *blocks) {
    struct text items = {0};
    text_add(&items, "[", 1);
    for (size_t i = 0; i < blocks->count; i++) {
        const struct model_block *block = &blocks->all[i];
        text_print(&items, "%s[\"%.*s\", %zu]", i ? ", " : "", (int)block->id.length, block->id.data,
                   block->bytes.length);
    }
    expect_list(list, &items);
}

static void expect_metadata(const redisReply *told, const struct model_bytes *metadata) {
    expect_shape(field(told, "meta"), pool_print("[%.*s]", (int)metadata->length, metadata->data));
}

/* As BLOB.STAT and BLOB.LIST tell of it. */
static void expect_told(const redisReply *told, const struct model_state *state) {
    static const char *const kinds[] = {"block", "page", "append"};
    expect_text(field(told, "blob-type"), kinds[state->kind]);
    expect_text(field(told, "etag"), etag_text(state->etag));
    expect_number(field(told, "content-length"), (long long)state->length);
    expect_metadata(told, &state->metadata);
    redisReply *language = reply_field_if_any(told, "content-language");
    require(!language == !state->properties.length, "the language is %s", language ? language->str : "lost");
    if (language) expect_bytes(language, state->properties.data, state->properties.length);
    require(!reply_field_if_any(told, "sealed") == !state->sealed, "sealed: %d", state->sealed);
    if (state->kind == MODEL_PAGE) expect_number(field(told, "sequence-number"), state->sequence);
    if (state->kind == MODEL_APPEND) expect_number(field(told, "block-count"), (long long)state->appended);
}

void expect_content(const redisReply *reply, const struct model_state *state, size_t offset, size_t length) {
    char *content = model_resized(NULL, length);
    pool_keep(content, free);
    model_read(state, offset, content, length);
    expect_bytes(reply, content, length);
}

static void expect_state(const struct place_of_blob *at, const struct model_state *state) {
    expect_told(ask(at, "BLOB.STAT", ""), state);
    size_t whole = (size_t)state->length, offset = random_below(3) && whole ? random_size(whole) : 0;
    const char *range = offset ? pool_print("RANGE %zu %zu", offset, whole - offset + random_size(9)) : "";
    expect_content(expect_elements(ask(at, "BLOB.GET", range), 2)->element[1], state, offset, whole - offset);
    if (state->kind == MODEL_PAGE) expect_pages(field(ask(at, "BLOB.GETPAGES", ""), "pages"), state);
    if (state->kind == MODEL_BLOCK)
        expect_blocks(field(ask(at, "BLOB.GETBLOCKLIST", ""), "committed"), &state->blocks);
}

static void expect_blob(struct client *client, const char *key, const struct model_blob *blob) {
    struct place_of_blob at = {client, key, blob, ""};
    if (blob->state.kind == MODEL_UNCOMMITTED || blob->state.kind == MODEL_BLOCK)
        expect_blocks(field(ask(&at, "BLOB.GETBLOCKLIST", "UNCOMMITTED"), "uncommitted"), &blob->staged);
    if (!model_exists(blob)) return;
    expect_state(&at, &blob->state);
    for (size_t taken = 0; taken < blob->snapshot_count; taken++) {
        at.snapshot = pool_print("SNAPSHOT %s", etag_text(blob->snapshots[taken].id));
        expect_state(&at, &blob->snapshots[taken].state);
    }
}

/* The blobs of a listing are those of the model, in their order, and staged blocks alone are none. */
static void expect_listing(struct client *client, const char *key, const struct container_model *model) {
    redisReply *reply = call(client, "BLOB.LIST %s INCLUDE 1 META", key);
    redisReply *items = expect_elements(reply, 2)->element[1];
    expect_elements(items, container_model_blobs(model));
    for (size_t i = 0, place = 0; i < items->elements; i++, place++) {
        while (!model_exists(&model->blobs[place])) place++;
        const struct model_blob *blob = &model->blobs[place];
        expect_bytes(field(items->element[i], "name"), blob->name.data, blob->name.length);
        expect_told(items->element[i], &blob->state);
    }
}

void expect_container(struct client *client, const char *key, const struct container_model *model) {
    redisReply *all = call(client, "CONTAINER.GET %s", key);
    if (!model->exists) {
        expect_error(all, "NOTFOUND ContainerNotFound");
        return;
    }
    expect_text(field(all, "etag"), etag_text(model->etag));
    expect_metadata(all, &model->metadata);
    expect_number(field(all, "blobs"), (long long)container_model_blobs(model));
    expect_number(field(all, "bytes"), (long long)container_model_bytes(model));
    expect_listing(client, key, model);
    for (size_t i = 0; i < model->count; i++) expect_blob(client, key, &model->blobs[i]);
}
