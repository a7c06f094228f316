/* TABLE.QUERY: from a parsed call to a plan, and from a page to a reply. */
#include "server/reply_room.h"
#include "table/redis/drafts.h"
#include "table/redis/entity_reply.h"

#include <string.h>

static const char *const plan_words[] = {
    [PLAN_POINT] = "point", [PLAN_RANGE] = "range", [PLAN_INDEX] = "index", [PLAN_SCAN] = "scan"};

/* A query as it was asked. */
struct asked {
    struct filter filter;
    struct selection selection;
    struct record_writer from; /* stored key */
};

/* --- Form --- */

/* What a continuation says: the keys of the entity with which to go on. */
static enum outcome read_next_entity(struct call *call, struct asked *asked) {
    if (!args_given(&call->args, SLOT_NEXT)) return OUTCOME_DONE;
    int at = call->args.slots[SLOT_NEXT].at;
    struct bytes partition = call_word(call, at), row = call_word(call, at + 1);
    if (key_check(partition) != OUTCOME_DONE || key_check(row) != OUTCOME_DONE) {
        call_note(call, "NEXT takes the two keys that a query has answered");
        return OUTCOME_INVALID_INPUT;
    }
    stored_key_put(&asked->from, partition, row);
    return OUTCOME_DONE;
}

static struct bytes asked_filter(const struct call *call) {
    bool given = args_given(&call->args, SLOT_FILTER);
    return given ? call_word(call, call->args.slots[SLOT_FILTER].at) : bytes_of("", 0);
}

static void asked_end(struct asked *asked) {
    filter_end(&asked->filter);
    record_end(&asked->from);
}

/* On success it has to be ended. */
static enum outcome asked_read(struct call *call, struct asked *asked) {
    record_start(&asked->from);
    enum outcome outcome = read_next_entity(call, asked);
    if (outcome == OUTCOME_DONE) outcome = selection_read(call, &asked->selection);
    if (outcome == OUTCOME_DONE) outcome = filter_read(call, asked_filter(call), &asked->filter);
    if (outcome != OUTCOME_DONE) record_end(&asked->from);
    return outcome;
}

enum outcome table_query_check(struct call *call) {
    if (call->value) return OUTCOME_DONE;
    struct asked asked;
    enum outcome outcome = asked_read(call, &asked);
    if (outcome == OUTCOME_DONE) asked_end(&asked);
    return outcome;
}

/* --- Answers --- */

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

static void explain(struct call *call, const struct plan *plan) {
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        reply_field_bytes(&map, "plan", bytes_text(plan_words[plan->kind]));
        if (plan->index) reply_field_bytes(&map, "index", plan->index->name);
        reply_field_number(&map, "ranges", plan->index ? plan->values.count : plan->keys.count);
        reply_field_number(&map, "entities-estimated", (long long)plan_estimate(call->value, plan));
    }
}

static size_t asked_rows(const struct call *call) {
    if (!args_given(&call->args, SLOT_TOP)) return QUERY_ROWS_MAX;
    int64_t top = call->args.slots[SLOT_TOP].number;
    return top < QUERY_ROWS_MAX ? (size_t)top : QUERY_ROWS_MAX;
}

static void answer_query(struct call *call, const struct asked *asked, const struct plan *plan) {
    struct query query = {
        .table = call->value,
        .filter = &asked->filter,
        .plan = plan,
        .from = bytes_of(asked->from.data, asked->from.length),
        .rows_max = asked_rows(call),
        .bytes_max = reply_room_up_to(QUERY_BYTES_MAX),
    };
    struct query_page page;
    query_run(&query, &page);
    table_stats.queries[plan->kind]++;
    table_stats.rows += page.count;
    table_stats.examined += page.examined;
    reply_query_page(&call->out, &page, &asked->selection);
}

enum outcome table_query(struct call *call) {
    struct asked asked;
    struct plan plan;
    enum outcome outcome = asked_read(call, &asked);
    if (outcome != OUTCOME_DONE) return outcome;
    plan_make(call->value, &asked.filter, &plan);
    if (args_given(&call->args, SLOT_EXPLAIN))
        explain(call, &plan);
    else
        answer_query(call, &asked, &plan);
    plan_end(&plan);
    asked_end(&asked);
    return OUTCOME_DONE;
}
