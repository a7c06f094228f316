/* TABLE.QUERY. */
#include "server/call/reply_limit.h"
#include "table/filter_match.h"
#include "table/redis/drafts.h"
#include "table/redis/entity_reply.h"

static const char *const plan_words[] = {
    [PLAN_POINT] = "point", [PLAN_RANGE] = "range", [PLAN_INDEX] = "index", [PLAN_SCAN] = "scan"};

/* The arguments of a query. */
struct query_args {
    struct filter filter;
    struct selection selection;
    struct record_writer from; /* stored key */
};

/* --- Arguments --- */

/* NEXT: the keys of the entity at which to continue. */
static enum outcome read_next_entity(struct call *call, struct query_args *args) {
    if (!args_given(&call->args, SLOT_NEXT)) return OUTCOME_DONE;
    int at = call->args.slots[SLOT_NEXT].at;
    struct bytes partition = call_word(call, at), row = call_word(call, at + 1);
    if (key_check(partition) != OUTCOME_DONE || key_check(row) != OUTCOME_DONE)
        return refusal_because(call, OUTCOME_INVALID_INPUT,
                               "NEXT takes the two keys that a query has answered");
    stored_key_put(&args->from, partition, row);
    return OUTCOME_DONE;
}

static void query_args_end(struct query_args *args) {
    filter_end(&args->filter);
    record_end(&args->from);
}

/* On success, query_args_end must follow. */
static enum outcome query_args_read(struct call *call, struct query_args *args) {
    record_start(&args->from);
    enum outcome outcome = read_next_entity(call, args);
    if (outcome == OUTCOME_DONE) outcome = selection_read(call, &args->selection);
    if (outcome == OUTCOME_DONE) outcome = filter_read(call, call_option(call, SLOT_FILTER), &args->filter);
    if (outcome != OUTCOME_DONE) record_end(&args->from);
    return outcome;
}

enum outcome table_query_check(struct call *call) {
    if (call->value) return OUTCOME_DONE;
    struct query_args args;
    enum outcome outcome = query_args_read(call, &args);
    if (outcome == OUTCOME_DONE) query_args_end(&args);
    return outcome;
}

/* --- Replies --- */

static void reply_next(struct reply *out, struct bytes next) {
    struct stored_key key;
    if (!next.data || !stored_key_split(next, &key)) {
        reply_null(out);
        return;
    }
    reply_array(out, 2);
    reply_key(out, key.partition);
    reply_key(out, key.row);
}

static void reply_row(struct reply *out, const struct entity *entity, const struct selection *selection) {
    struct row row = entity_row(entity);
    reply_array(out, 4);
    reply_key(out, row.partition);
    reply_key(out, row.row);
    reply_version(out, entity->etag);
    reply_entity(out, entity, selection);
}

static void reply_query_page(struct reply *out, const struct query_page *page,
                             const struct selection *selection) {
    reply_array(out, 2);
    reply_next(out, page->next);
    reply_array(out, (long)page->count);
    for (size_t i = 0; i < page->count; i++) reply_row(out, page->rows[i], selection);
}

static void explain_plan(struct call *call, const struct plan *plan) {
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        reply_field_bytes(&map, "plan", bytes_text(plan_words[plan->kind]));
        if (plan->index) reply_field_bytes(&map, "index", plan->index->name);
        reply_field_number(&map, "ranges", plan->index ? plan->values.count : plan->keys.count);
        reply_field_number(&map, "entities-estimated", (long long)plan_estimate(call->value, plan));
    }
}

static void answer_query(struct call *call, const struct query_args *args, const struct plan *plan) {
    struct query query = {
        .table = call->value,
        .filter = &args->filter,
        .plan = plan,
        .from = record_written(&args->from),
        .rows_max = reply_page_max(call, SLOT_TOP, QUERY_ROWS_MAX, QUERY_ROWS_MAX),
        .bytes_max = reply_limit_up_to(QUERY_BYTES_MAX),
    };
    struct query_page page;
    query_run(&query, &page);
    decision_count(call, &table_stats.queries[plan->kind], 1);
    decision_count(call, &table_stats.rows, page.count);
    decision_count(call, &table_stats.examined, page.examined);
    reply_query_page(&call->out, &page, &args->selection);
}

enum outcome table_query_decide(struct call *call) {
    struct query_args args;
    struct plan plan;
    enum outcome outcome = query_args_read(call, &args);
    if (outcome != OUTCOME_DONE) return outcome;
    plan_make(call->value, &args.filter, &plan);
    if (args_given(&call->args, SLOT_EXPLAIN))
        explain_plan(call, &plan);
    else
        answer_query(call, &args, &plan);
    plan_end(&plan);
    query_args_end(&args);
    return OUTCOME_DONE;
}
