#include "queue/original.h"

#include "core/hash.h"
#include "core/memory.h"

void originals_start(struct originals *originals) {
    *originals = (struct originals){.by_end = TIMELINE(BY_END, false)};
}

static struct original *original_of_entry(struct entry *entry) {
    return (struct original *)entry; /* the entry is its head */
}

struct original *originals_find(const struct originals *originals, struct bytes name) {
    if (!originals->by_name.count) return NULL;
    struct entry *entry = hash_index_find(&originals->by_name, hash_bytes(name), name);
    return entry ? original_of_entry(entry) : NULL;
}

static void drop_original(struct originals *originals, struct original *original) {
    timeline_remove(&originals->by_end, &original->moment);
    hash_index_remove(&originals->by_name, &original->entry);
    originals->held -= memory_size(original);
    memory_free(original);
}

void originals_forget_first(struct originals *originals) {
    drop_original(originals, original_of_moment(timeline_first(&originals->by_end)));
}

void originals_add(struct originals *originals, const struct queue_change *change) {
    struct bytes name = change->dedup;
    struct original *before = originals_find(originals, name);
    if (before) drop_original(originals, before);
    if (!originals->by_name.segments) hash_index_start(&originals->by_name);
    struct original *original = memory_alloc(sizeof(*original) + name.length);
    *original = (struct original){
        .entry = {hash_bytes(name), (uint16_t)name.length, offsetof(struct original, name)},
        .moment = {.order = change->order & MOMENT_ORDER_MAX, .ends_ms = change->until_ms},
        .id = change->id,
        .receipt = change->receipt,
        .inserted_ms = change->inserted_ms,
        .expires_ms = change->expires_ms,
        .shows_ms = change->shows_ms,
    };
    memcpy(original->name, name.data, name.length);
    originals->held += memory_size(original);
    hash_index_add(&originals->by_name, &original->entry);
    timeline_add(&originals->by_end, &original->moment);
}

struct queue_change original_as_change(const struct original *original) {
    return (struct queue_change){
        .kind = QUEUE_ORIGINAL,
        .order = original->moment.order,
        .id = original->id,
        .receipt = original->receipt,
        .inserted_ms = original->inserted_ms,
        .expires_ms = original->expires_ms,
        .shows_ms = original->shows_ms,
        .dedup = entry_name(&original->entry),
        .until_ms = original->moment.ends_ms,
    };
}

void originals_end(struct originals *originals) {
    struct timeline_cursor cursor = {0};
    for (struct moment *moment; (moment = timeline_next(&originals->by_end, &cursor));)
        memory_free(original_of_moment(moment));
    timeline_end(&originals->by_end);
    if (originals->by_name.segments) hash_index_end(&originals->by_name);
    originals_start(originals);
}

size_t originals_held(const struct originals *originals) {
    return originals->held + originals->by_end.held +
           (originals->by_name.segments ? originals->by_name.held : 0);
}
