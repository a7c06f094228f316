#include "blob/block_plan.h"

#include "core/hash.h"
#include "core/memory.h"
#include "core/prefetch.h"

enum { CHUNKS_AHEAD = 8 }; /* chunks that are prefetched before they are used */

/* A list of ids with a hash table of the places of the first occurrences. */
struct id_table {
    uint32_t *places; /* from 1; 0 is empty */
    size_t mask;
    struct bytes *ids;
    size_t count;
};

static void id_table_start(struct id_table *table, uint64_t ids) {
    size_t size = 16;
    while (size < ids * 2) size *= 2;
    *table = (struct id_table){memory_zeroed(size * sizeof(uint32_t)), size - 1, NULL, 0};
    table->ids = memory_alloc((size_t)(ids + 1) * sizeof(struct bytes));
}

static void id_table_end(struct id_table *table) {
    memory_free(table->places);
    memory_free(table->ids);
}

/* The place of the id in the list; table->count if it is missing. */
static size_t id_table_find(const struct id_table *table, struct bytes id, uint32_t **slot) {
    size_t at = hash_bytes(id) & table->mask;
    for (; table->places[at]; at = (at + 1) & table->mask)
        if (bytes_equal(table->ids[table->places[at] - 1], id)) break;
    if (slot) *slot = &table->places[at];
    return table->places[at] ? table->places[at] - 1 : table->count;
}

/* Appends an id; returns the place of its first occurrence. */
static size_t id_table_add(struct id_table *table, struct bytes id) {
    uint32_t *slot;
    size_t place = id_table_find(table, id, &slot);
    table->ids[table->count++] = id;
    if (place == table->count - 1) *slot = (uint32_t)table->count;
    return place;
}

/* What a plan is made from. */
struct sources {
    const struct blob *blob;
    const struct staging *staging;
    struct order_cursor next;  /* behind the staged block that was found last */
    struct id_table committed; /* read when the first one is sought */
    struct id_table asked;
    uint8_t *choices; /* as requested, by place in the list */
};

static void read_committed(struct sources *sources) {
    struct packed_list ids = {0, {"", 0}};
    if (sources->blob) ids = block_list_view(blob_special(sources->blob)->blocks);
    struct record_reader reader = record_reader(ids.items);
    id_table_start(&sources->committed, ids.count);
    for (uint64_t i = 0; i < ids.count; i++) id_table_add(&sources->committed, record_bytes(&reader));
}

/* Callers mostly list blocks in the order of their ids. */
static struct chunk *find_staged(struct sources *sources, struct bytes id) {
    if (!sources->staging) return NULL;
    const struct staged_block *block = staging_find_next(sources->staging, &sources->next, id);
    return block ? block->chunk : NULL;
}

static struct chunk *find_committed(struct sources *sources, struct bytes id) {
    if (!sources->committed.ids) read_committed(sources);
    size_t place = id_table_find(&sources->committed, id, NULL);
    return place < sources->committed.count ? content_chunk(blob_content(sources->blob), place) : NULL;
}

/* Adds a block to the plan; false if there is none, or if the id has another choice elsewhere in the list. */
static bool choose_block(struct sources *sources, struct block_plan *plan, enum block_choice choice,
                         struct bytes id) {
    size_t place = sources->asked.count, first = id_table_add(&sources->asked, id);
    sources->choices[place] = (uint8_t)choice;
    if (sources->choices[first] != choice) return false; /* an id names one block of a blob */
    struct chunk *chunk = choice == BLOCK_COMMITTED ? NULL : find_staged(sources, id);
    enum block_choice found = chunk ? BLOCK_UNCOMMITTED : BLOCK_COMMITTED;
    if (!chunk && choice != BLOCK_UNCOMMITTED) chunk = find_committed(sources, id);
    if (!chunk) return false;
    plan->chunks[plan->count++] = chunk;
    block_choice_put(&plan->choices, found, id);
    record_put_bytes(&plan->ids, id);
    return true;
}

static bool choose_all(struct sources *sources, struct packed_list asked, struct block_plan *plan) {
    struct record_reader reader = record_reader(asked.items);
    for (uint64_t i = 0; i < asked.count; i++) {
        enum block_choice choice = record_byte(&reader);
        struct bytes id = record_bytes(&reader);
        bool sound = !reader.failed && choice < BLOCK_CHOICES && id.length && id.length <= BLOCK_ID_MAX_BYTES;
        if (!sound || !choose_block(sources, plan, choice, id)) return false;
    }
    return record_complete(&reader);
}

enum outcome block_plan_make(const struct blob *blob, const struct staging *staging, struct packed_list asked,
                             struct block_plan *plan) {
    if (asked.count > BLOCKS_COMMITTED_MAX || asked.count > asked.items.length)
        return OUTCOME_BLOCK_LIST_TOO_LONG;
    struct sources sources = {.blob = blob, .staging = staging};
    if (staging) sources.next = staging_walk(staging);
    id_table_start(&sources.asked, asked.count);
    sources.choices = memory_alloc((size_t)asked.count + 1);
    *plan = (struct block_plan){.chunks = memory_alloc((size_t)(asked.count + 1) * sizeof(struct chunk *))};
    record_start(&plan->choices);
    record_start(&plan->ids);
    bool whole = choose_all(&sources, asked, plan);
    id_table_end(&sources.committed);
    id_table_end(&sources.asked);
    memory_free(sources.choices);
    if (whole) return OUTCOME_DONE;
    block_plan_end(plan);
    return OUTCOME_INVALID_BLOCK_LIST;
}

void block_plan_end(struct block_plan *plan) {
    memory_free(plan->chunks);
    record_end(&plan->choices);
    record_end(&plan->ids);
}

struct packed_list block_plan_list(const struct block_plan *plan) {
    return (struct packed_list){plan->count, record_written(&plan->choices)};
}

void block_plan_commit(struct account *account, struct blob *blob, const struct block_plan *plan) {
    struct content content = {0};
    struct packed_list ids = {plan->count, record_written(&plan->ids)};
    content_reserve(account, &content, plan->count);
    for (size_t i = 0; i < plan->count; i++) {
        if (i + CHUNKS_AHEAD < plan->count) prefetch_line(plan->chunks[i + CHUNKS_AHEAD]);
        content_add(account, &content, plan->chunks[i]);
    }
    blob_clear_content(account, blob);
    if (plan->count) *blob_need_content(account, blob) = content;
    if (plan->count) blob_need_special(account, blob)->blocks = block_list_new(account, ids);
}
