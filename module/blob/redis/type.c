/* The data type of containers, for the server. */
#include "blob/load_sequence.h"
#include "blob/redis/blob_commands.h"
#include "blob/redis/settings.h"
#include "core/inlining.h"
#include "lease/redis/long_held.h"
#include "server/effects/effect.h"
#include "server/storage/loading.h"
#include "server/storage/type_methods.h"

enum { APPENDED_WHOLE_BYTES = 1 << 16 }; /* appended contents of this size keep their argument */

/* Whether the value keeps the argument with the content; otherwise it copies the bytes, as it does with all
 * that came inside of records. */
static bool keeps_argument(const struct container_change *change) {
    switch (change->kind) {
    case BLOB_PUTPAGE: return false;
    case BLOB_APPEND: return change->content.length >= APPENDED_WHOLE_BYTES;
    default: return change->content.length > BLOB_INLINE_MAX;
    }
}

ASIDE static void attach_source(struct container_change *change, const struct effect_content *content) {
    change->source_container = effect_other_value(content, &container_type);
}

ASIDE static void attach_argument(struct container_change *change, const struct effect_content *content) {
    change->chunk = effect_chunk(content);
    change->content = chunk_bytes(change->chunk);
}

static void container_attach(void *record, const struct effect_content *content) {
    struct container_change *change = record;
    if (container_change_has_source(change)) {
        attach_source(change, content);
        return;
    }
    change->content = content->bytes;
    if (keeps_argument(change)) attach_argument(change, content);
}

static struct bytes object_name(const void *record) {
    const struct container_change *change = record;
    return container_change_has_name(change) ? change->name : bytes_of("", 0);
}

/* --- Files --- */

static void prefetch_blob(const void *value, const void *change) {
    const struct container_change *of_blob = change;
    container_prefetch(value, of_blob->name);
}

static bool container_keeps_order(struct loading *loading, const void *change) {
    return load_sequence_keeps(loading->progress, change);
}

static bool container_is_whole(const void *value) {
    const struct container *container = value;
    return !container_is_loading(container) && container_fits_feed(container);
}

TYPE_METHODS(container)

static void *load_container(RedisModuleIO *io, int encoding) {
    struct load_sequence order = {0};
    return loading_file(io, encoding, &container_type, &order);
}

/* --- For DOCTOR --- */

static unsigned long long container_holdings(void) {
    return container_census().leases;
}

struct data_type container_type = {
    .type_name = "holdfastC",
    .noun = "a container",
    TYPE_ROWS(container),
    .missing = OUTCOME_CONTAINER_NOT_FOUND,
    .leases = &container_leases,
    .settings = blob_settings,
    .attach = container_attach,
    .content_at = offsetof(struct container_change, content),
    .feed_at = offsetof(struct container, feed),
    .has_source = container_change_has_source,
    .prefetch = prefetch_blob,
    .keeps_order = container_keeps_order,
    .is_whole = container_is_whole,
    .tell_again = container_tell_again,
    .object_name = object_name,
    .next_look_ms = container_due_ms,
    .notable = lease_is_notable,
    .rules = lease_key_rules,
    .holdings = container_holdings,
    .events = container_events,
    .before = container_before_change,
    .keep_sources = container_keep_sources,
    .drop_sources = container_drop_sources,
};
