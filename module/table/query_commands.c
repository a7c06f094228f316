/* TABLE.QUERY: from a parsed call to a plan, and from a page to a reply. */
#include "table/draft.h"
#include "table/entity_reply.h"

#include <string.h>

static const char *const plan_words[] = {
    [PLAN_POINT] = "point", [PLAN_RANGE] = "range", [PLAN_INDEX] = "index", [PLAN_SCAN] = "scan"};

/* A query as it was asked. */
struct asked {
    struct filter filter;
    struct selection selection;
    char from[STORED_KEY_MAX_BYTES];
    size_t from_length;
};

/* --- Form --- */

/* What a continuation says: the keys of the entity with which to go on. */
static enum outcome read_next(struct call *call, struct asked *asked) {
    asked->from_length = 0;
    if (!args_given(&call->args, SLOT_NEXT)) return OUTCOME_DONE;
    int at = call->args.slots[SLOT_NEXT].at;
    struct bytes partition = call_word(call, at), row = call_word(call, at + 1);
    if (key_check(partition) != OUTCOME_DONE || key_check(row) != OUTCOME_DONE) {
        call_note(call, "NEXT takes the two keys that a query has answered");
        return OUTCOME_INVALID_INPUT;
    }
    key_store(partition, asked->from);
    asked->from[partition.length] = '\0';
    key_store(row, asked->from + partition.length + 1);
    asked->from_length = partition.length + 1 + row.length;
    return OUTCOME_DONE;
}

/* On success the filter has to be ended. */
static enum outcome read_asked(struct call *call, struct asked *asked) {
    enum outcome outcome = read_next(call, asked);
    if (outcome == OUTCOME_DONE) outcome = selection_read(call, &asked->selection);
    if (outcome != OUTCOME_DONE) return outcome;
    bool filtered = args_given(&call->args, SLOT_FILTER);
    struct bytes text = filtered ? call_word(call, call->args.slots[SLOT_FILTER].at) : bytes_of("", 0);
    return filter_read(call, text, &asked->filter);
}

enum outcome table_query_check(struct call *call) {
    if (call->value) return OUTCOME_DONE;
    struct asked asked;
    enum outcome outcome = read_asked(call, &asked);
    if (outcome == OUTCOME_DONE) filter_end(&asked.filter);
    return outcome;
}

/* --- Answers --- */

static void reply_next(RedisModuleCtx *ctx, struct bytes next) {
    struct stored_key key;
    if (!next.data || !stored_key_split(next, &key)) {
        RedisModule_ReplyWithNull(ctx);
        return;
    }
    RedisModule_ReplyWithArray(ctx, 2);
    reply_key(ctx, key.partition);
    reply_key(ctx, key.row);
}

static void reply_row(RedisModuleCtx *ctx, const struct entity *entity, const struct selection *selection) {
    struct row row = entity_row(entity);
    RedisModule_ReplyWithArray(ctx, 4);
    reply_key(ctx, row.partition);
    reply_key(ctx, row.row);
    reply_version(ctx, entity->etag);
    reply_entity(ctx, entity, selection);
}

static void reply_page(RedisModuleCtx *ctx, const struct query_page *page,
                       const struct selection *selection) {
    RedisModule_ReplyWithArray(ctx, 2);
    reply_next(ctx, page->next);
    RedisModule_ReplyWithArray(ctx, (long)page->count);
    for (size_t i = 0; i < page->count; i++) reply_row(ctx, page->rows[i], selection);
}

static void explain(struct call *call, const struct plan *plan) {
    struct reply_list map = reply_map_start(call->ctx);
    reply_field_bytes(&map, "plan", bytes_text(plan_words[plan->kind]));
    if (plan->index) reply_field_bytes(&map, "index", plan->index->name);
    reply_field_number(&map, "ranges", plan->ranges.count);
    reply_field_number(&map, "entities-estimated", (long long)plan_estimate(call->value, plan));
    reply_map_end(&map);
}

static size_t asked_rows(const struct call *call) {
    if (!args_given(&call->args, SLOT_TOP)) return QUERY_ROWS_MOST;
    int64_t top = call->args.slots[SLOT_TOP].number;
    return top < QUERY_ROWS_MOST ? (size_t)top : QUERY_ROWS_MOST;
}

static void answer(struct call *call, const struct asked *asked, const struct plan *plan) {
    struct query query = {
        .table = call->value,
        .filter = &asked->filter,
        .plan = plan,
        .from = bytes_of(asked->from, asked->from_length),
        .rows_most = asked_rows(call),
    };
    struct query_page page;
    query_run(&query, &page);
    reply_page(call->ctx, &page, &asked->selection);
}

enum outcome table_query(struct call *call) {
    struct asked asked;
    struct plan plan;
    enum outcome outcome = read_asked(call, &asked);
    if (outcome != OUTCOME_DONE) return outcome;
    plan_make(call->value, &asked.filter, &plan);
    if (args_given(&call->args, SLOT_EXPLAIN))
        explain(call, &plan);
    else
        answer(call, &asked, &plan);
    plan_end(&plan);
    filter_end(&asked.filter);
    return OUTCOME_DONE;
}
