/* The TABLE.* commands on entities. */
#include "core/text.h"
#include "table/redis/drafts.h"
#include "table/redis/entity_reply.h"

/* --- Lookup --- */

void table_prefetch(struct call *call) {
    struct bytes partition = call_word(call, ARG_PARTITION), row = call_word(call, ARG_ROW);
    if (partition.length > KEY_MAX_BYTES || row.length > KEY_MAX_BYTES) return;
    const struct table *table = call->value;
    char *key = call_alloc(call, stored_key_length(partition, row));
    struct bytes stored = stored_key_write(partition, row, key);
    call->search = (struct call_search){row.data, catalog_prefetch(&table->entities, stored)};
}

static struct entity *entity_named(const struct call *call) {
    const struct table *table = call->value;
    return (struct entity *)catalog_found(&table->entities, &call->search.lookup);
}

static enum outcome refuse_missing(struct call *call) {
    return refusal_because(call, OUTCOME_RESOURCE_NOT_FOUND, "no entity with these keys");
}

/* --- Reading --- */

/* For a missing table, faults in the arguments are reported first. Otherwise the handler reads them itself: a selection
 * is too large to be kept for it. */
enum outcome table_get_check(struct call *call) {
    struct selection selection;
    return call->value ? OUTCOME_DONE : selection_read(call, &selection);
}

enum outcome table_get_decide(struct call *call) {
    struct selection selection;
    enum outcome outcome = selection_read(call, &selection);
    if (outcome != OUTCOME_DONE) return outcome;
    const struct entity *entity = entity_named(call);
    if (!entity) return refuse_missing(call);
    reply_array(&call->out, 2);
    reply_version(&call->out, entity->etag);
    reply_entity(&call->out, entity, &selection);
    return OUTCOME_DONE;
}

/* --- Writing --- */

/* Commands on a single entity have prefetched it. */
static struct entity *existing_entity(const struct call *call, const struct drafts *drafts,
                                      struct bytes key) {
    return drafts->numbered ? table_find(call->value, key) : entity_named(call);
}

static struct verdict judge_operation(struct call *call, struct entity *existing, struct bytes condition,
                                      struct operation *operation) {
    if (!condition.data) return operation_judge(existing, operation);
    struct filter filter;
    struct verdict verdict = {.outcome = filter_read(call, condition, &filter)};
    if (verdict.outcome != OUTCOME_DONE) return verdict;
    operation->filter = &filter;
    verdict = operation_judge(existing, operation);
    operation->filter = NULL;
    filter_end(&filter);
    return verdict;
}

static bool etag_differs(const struct draft *draft, const struct entity *entity) {
    return draft->match.kind == TAG_VERSION && draft->match.version != entity->etag;
}

static void note_verdict(struct call *call, const struct drafts *drafts, unsigned number,
                         const struct verdict *verdict) {
    char etag[VERSION_TEXT_LENGTH];
    if (verdict->outcome == OUTCOME_RESOURCE_NOT_FOUND) refuse_missing(call);
    if (verdict->outcome == OUTCOME_UPDATE_CONDITION_NOT_MET && verdict->entity) {
        struct text text = text_start(call->note, sizeof(call->note));
        version_write(verdict->entity->etag, etag);
        bool by_tag = etag_differs(&drafts->items[number], verdict->entity);
        text_put(&text, by_tag ? "the entity's ETag is " : "the entity does not match IF, its ETag is ");
        text_put_bytes(&text, etag, sizeof(etag));
    }
    drafts_note(call, drafts, number, verdict->outcome);
}

/* Decides all operations on the table as it is now; no two are on the same entity. */
static enum outcome judge_all(struct call *call, const struct drafts *drafts, struct table_step *steps) {
    for (unsigned i = 0; i < drafts->count; i++) {
        const struct draft *draft = &drafts->items[i];
        struct operation operation = draft_operation(drafts, draft);
        struct entity *existing = existing_entity(call, drafts, operation.key);
        struct verdict verdict = judge_operation(call, existing, draft->condition, &operation);
        if (verdict.outcome != OUTCOME_DONE) {
            note_verdict(call, drafts, i, &verdict);
            return verdict.outcome;
        }
        steps[i] = (struct table_step){.kind = verdict.step,
                                       .key = operation.key,
                                       .properties = operation.properties,
                                       .existing = verdict.entity};
    }
    return OUTCOME_DONE;
}

static void reply_step(struct reply *out, const struct table_step *step) {
    if (table_step_removes(step))
        reply_ok(out);
    else
        reply_version(out, step->etag);
}

/* Gives each step a new ETag and Timestamp. Deletions get an ETag if a feed has to remember them. */
static void stamp_steps(struct call *call, struct table_step *steps, size_t count) {
    const struct table *table = call->value;
    int64_t now_us = call_now_us(call), ticks = table->ticks;
    for (size_t i = 0; i < count; i++) {
        bool ends = table_step_removes(&steps[i]);
        if (ends && !table->feed) continue;
        steps[i].etag = version_mint(now_us / 1000);
        if (ends) steps[i].kind = STEP_MARK;
        if (ends) continue;
        steps[i].ticks = ticks = table_next_ticks(ticks, now_us);
    }
}

/* Returns the steps, or NULL with the outcome. */
static const struct table_step *decide_steps(struct call *call, enum table_change_kind kind,
                                             enum outcome *outcome) {
    const struct drafts *drafts = drafts_of_call(call);
    struct table_step *steps = call_alloc(call, drafts->count * sizeof(*steps));
    *outcome = judge_all(call, drafts, steps);
    if (*outcome != OUTCOME_DONE) return NULL;
    stamp_steps(call, steps, drafts->count);
    struct table_change *change = table_decide(call, kind);
    change->steps.count = drafts->count;
    change->decided = steps;
    return steps;
}

/* --- One operation --- */

static enum verb verb_of(const struct call *call) {
    return (enum verb)call->command->variant;
}

enum outcome table_write_check(struct call *call) {
    return drafts_read_one(call, verb_of(call));
}

enum outcome table_write_decide(struct call *call) {
    enum outcome outcome;
    const struct table_step *step = decide_steps(call, verb_change(verb_of(call)), &outcome);
    if (step) reply_step(&call->out, step);
    return outcome;
}

/* --- Batches --- */

enum outcome table_batch_check(struct call *call) {
    enum outcome outcome = drafts_read_batch(call);
    if (outcome == OUTCOME_DONE && call->opened == OUTCOME_TABLE_NOT_FOUND)
        drafts_note(call, drafts_of_call(call), 0, OUTCOME_TABLE_NOT_FOUND);
    return outcome;
}

enum outcome table_batch_decide(struct call *call) {
    enum outcome outcome;
    const struct table_step *steps = decide_steps(call, TABLE_BATCH, &outcome);
    if (!steps) return outcome;
    reply_array(&call->out, (long)drafts_of_call(call)->count);
    for (unsigned i = 0; i < drafts_of_call(call)->count; i++) reply_step(&call->out, &steps[i]);
    return OUTCOME_DONE;
}
