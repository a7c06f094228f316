/* What follows a change of a table: statistics, wake-ups; the upkeep that builds indexes and feeds, and INFO. */
#include "core/feed.h"
#include "server/base/info.h"
#include "server/call/decision.h"
#include "server/effects/commit.h"
#include "server/effects/followed.h"
#include "server/effects/upkeep.h"
#include "server/waiting/feed_commands.h"
#include "table/redis/table_commands.h"

#include "ccan/array_size/array_size.h"

enum {
    UPKEEP_PORTION = 500, /* entities that are added to an index at a time */
};

struct table_stats table_stats;

void table_changed(struct call *call, const void *decided) {
    const struct table_change *change = decided;
    if (change->kind == TABLE_FEEDOFF) followed_ends(call_key_name(call));
    table_stats.steps += change->steps.count;
}

void table_wake(struct call *call, const void *decided) {
    const struct table_change *change = decided;
    if (change->kind != TABLE_DROP) feed_wake(call);
}

/* --- Upkeep --- */

static void build_portion(struct call *call, const struct table_index *index) {
    struct record_writer name;
    record_start(&name);
    record_put_bytes(&name, index->name);
    struct table_change change = {.kind = TABLE_INDEXED,
                                  .names = {1, record_written(&name)},
                                  .key = table_index_next(call->value, index, UPKEEP_PORTION)};
    commit_at_once(call, &change, NULL);
    record_end(&name);
}

/* As TABLE.FEED OFF and ON do, so that followers at replicas are told, too. */
static void restart_table_feed(struct call *call) {
    const struct table *table = call->value;
    struct table_change off = {.kind = TABLE_FEEDOFF}, on = {.kind = TABLE_FEEDON};
    on.keep = table->feed->keep;
    on.minted = decision_new_version(call);
    commit_both(call, &off, &on);
}

static void build_table_feed(struct call *call) {
    const struct table *table = call->value;
    struct table_change change = {.kind = TABLE_FEEDBUILT,
                                  .key = feed_portion(table->feed, &table->entities.by_order)};
    commit_at_once(call, &change, NULL);
}

/* An index or a feed that is being built continues at once, or after a promotion. */
int64_t table_next_look_ms(const void *value) {
    const struct table *table = value;
    return table_unfinished(table) || feed_needs_upkeep(table->feed) ? server_now_ms() : UPKEEP_NEVER;
}

int64_t table_upkeep(struct call *call) {
    const struct table *table = call->value;
    const struct table_index *index = table_unfinished(table);
    if (table->feed && table->feed->foreign)
        restart_table_feed(call);
    else if (index)
        build_portion(call, index);
    else if (feed_is_unfinished(table->feed))
        build_table_feed(call);
    return table_next_look_ms(table);
}

/* --- INFO --- */

void table_info(RedisModuleInfoCtx *ctx) {
    struct table_census census = table_census();
    const struct info_number numbers[] = {
        {"tables", census.tables},
        {"table_entities", census.entities},
        {"table_queries_point", table_stats.queries[PLAN_POINT]},
        {"table_queries_range", table_stats.queries[PLAN_RANGE]},
        {"table_queries_index", table_stats.queries[PLAN_INDEX]},
        {"table_queries_scan", table_stats.queries[PLAN_SCAN]},
        {"table_query_rows", table_stats.rows},
        {"table_query_examined", table_stats.examined},
        {"table_steps", table_stats.steps},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
}
