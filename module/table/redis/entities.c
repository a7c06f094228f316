/* TABLE.* for entities: from a parsed call to a decision, and from an entity to a reply. */
#include "core/text.h"
#include "table/redis/drafts.h"
#include "table/redis/entity_reply.h"

/* --- The way to an entity --- */

/* The stored key of the entity that the call is about, from table_expect until it is found: nothing
 * that runs another call comes between the two. */
static char sought_key[STORED_KEY_MAX_BYTES];

static struct bytes seek_key(struct bytes partition, struct bytes row) {
    key_store(partition, sought_key);
    sought_key[partition.length] = '\0';
    key_store(row, sought_key + partition.length + 1);
    return bytes_of(sought_key, partition.length + 1 + row.length);
}

void table_expect(struct call *call) {
    struct bytes partition = call_word(call, ARG_PARTITION), row = call_word(call, ARG_ROW);
    if (partition.length > KEY_MAX_BYTES || row.length > KEY_MAX_BYTES) return;
    const struct table *table = call->value;
    call->search = catalog_expect(&table->entities, seek_key(partition, row));
}

static const struct entity *entity_named(const struct call *call) {
    const struct table *table = call->value;
    return (const struct entity *)catalog_found(&table->entities, &call->search);
}

static enum outcome refuse_missing(struct call *call) {
    call_note(call, "there is no entity of these keys");
    return OUTCOME_RESOURCE_NOT_FOUND;
}

/* --- Reading --- */

/* The form of a call for a table that is not there counts more than that it is not there; otherwise the handlers look at
 * it. */
enum outcome table_get_check(struct call *call) {
    struct selection selection;
    return call->value ? OUTCOME_DONE : selection_read(call, &selection);
}

enum outcome table_get(struct call *call) {
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

static struct verdict judge(struct call *call, const struct drafts *drafts, unsigned number) {
    const struct draft *draft = &drafts->items[number];
    struct operation operation = draft_operation(drafts, draft);
    struct verdict verdict = {.outcome = OUTCOME_DONE};
    struct filter filter;
    if (draft->condition.data) {
        verdict.outcome = filter_read(call, draft->condition, &filter);
        if (verdict.outcome != OUTCOME_DONE) return verdict;
        operation.filter = &filter;
    }
    verdict = operation_judge(call->value, &operation);
    if (operation.filter) filter_end(&filter);
    return verdict;
}

static bool etag_differs(const struct draft *draft, const struct entity *entity) {
    return draft->match.kind == TAG_VERSION && draft->match.version != entity->etag;
}

static void note_verdict(struct call *call, const struct drafts *drafts, unsigned number,
                         const struct verdict *verdict) {
    char note[CALL_NOTE_BYTES], etag[VERSION_TEXT_LENGTH + 1] = "";
    if (verdict->outcome == OUTCOME_RESOURCE_NOT_FOUND) refuse_missing(call);
    if (verdict->outcome == OUTCOME_UPDATE_CONDITION_NOT_MET && verdict->entity) {
        struct text text = text_start(note, sizeof(note));
        version_write(verdict->entity->etag, etag);
        bool by_tag = etag_differs(&drafts->items[number], verdict->entity);
        text_put(&text, by_tag ? "the entity's ETag is " : "the entity is not as IF wants it, its ETag is ");
        text_put(&text, etag);
        call_note(call, "%s", note);
    }
    drafts_note(call, drafts, number, verdict->outcome);
}

/* What the operations do to the table as it is now; each has an entity of its own. */
static enum outcome judge_all(struct call *call, const struct drafts *drafts, struct table_step *steps) {
    for (unsigned i = 0; i < drafts->count; i++) {
        struct verdict verdict = judge(call, drafts, i);
        if (verdict.outcome != OUTCOME_DONE) {
            note_verdict(call, drafts, i, &verdict);
            return verdict.outcome;
        }
        struct operation operation = draft_operation(drafts, &drafts->items[i]);
        steps[i] = (struct table_step){verdict.step, operation.key, .properties = operation.properties,
                                       .there = verdict.entity};
    }
    return OUTCOME_DONE;
}

static void reply_step(struct reply *out, const struct table_step *step) {
    if (step->kind == STEP_REMOVE)
        reply_ok(out);
    else
        reply_version(out, step->etag);
}

static enum outcome check_one(struct call *call, enum verb verb) {
    if (call->value) return OUTCOME_DONE;
    struct drafts drafts;
    enum outcome outcome = drafts_read_one(call, verb, &drafts);
    drafts_end(&drafts);
    return outcome;
}

static enum outcome write_one(struct call *call, enum verb verb) {
    struct drafts drafts;
    struct table_step step;
    enum outcome outcome = drafts_read_one(call, verb, &drafts);
    if (outcome == OUTCOME_DONE) outcome = judge_all(call, &drafts, &step);
    if (outcome == OUTCOME_DONE) {
        table_commit_steps(call, verb_change(verb), &step, 1);
        reply_step(&call->out, &step);
    }
    drafts_end(&drafts);
    return outcome;
}

enum outcome table_insert_check(struct call *call) {
    return check_one(call, VERB_INSERT);
}

enum outcome table_insert(struct call *call) {
    return write_one(call, VERB_INSERT);
}

enum outcome table_replace_check(struct call *call) {
    return check_one(call, VERB_REPLACE);
}

enum outcome table_replace(struct call *call) {
    return write_one(call, VERB_REPLACE);
}

enum outcome table_merge_check(struct call *call) {
    return check_one(call, VERB_MERGE);
}

enum outcome table_merge(struct call *call) {
    return write_one(call, VERB_MERGE);
}

enum outcome table_delete_check(struct call *call) {
    return check_one(call, VERB_DELETE);
}

enum outcome table_delete(struct call *call) {
    return write_one(call, VERB_DELETE);
}

enum outcome table_insertorreplace_check(struct call *call) {
    return check_one(call, VERB_INSERTORREPLACE);
}

enum outcome table_insertorreplace(struct call *call) {
    return write_one(call, VERB_INSERTORREPLACE);
}

enum outcome table_insertormerge_check(struct call *call) {
    return check_one(call, VERB_INSERTORMERGE);
}

enum outcome table_insertormerge(struct call *call) {
    return write_one(call, VERB_INSERTORMERGE);
}

/* --- Batches --- */

enum outcome table_batch_check(struct call *call) {
    if (call->value) return OUTCOME_DONE;
    struct drafts drafts;
    enum outcome outcome = drafts_read_batch(call, &drafts);
    bool missing = RedisModule_KeyType(call->key) == REDISMODULE_KEYTYPE_EMPTY;
    if (outcome == OUTCOME_DONE && missing) drafts_note(call, &drafts, 0, OUTCOME_TABLE_NOT_FOUND);
    drafts_end(&drafts);
    return outcome;
}

enum outcome table_batch(struct call *call) {
    struct drafts drafts;
    struct table_step steps[TABLE_BATCH_MOST];
    enum outcome outcome = drafts_read_batch(call, &drafts);
    if (outcome == OUTCOME_DONE) outcome = judge_all(call, &drafts, steps);
    if (outcome == OUTCOME_DONE) {
        table_commit_steps(call, TABLE_BATCH, steps, drafts.count);
        reply_array(&call->out, (long)drafts.count);
        for (unsigned i = 0; i < drafts.count; i++) reply_step(&call->out, &steps[i]);
    }
    drafts_end(&drafts);
    return outcome;
}
