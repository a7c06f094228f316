/* TABLE.FEED and TABLE.CHANGES. */
#include "server/following.h"
#include "table/redis/entity_reply.h"
#include "table/redis/handlers.h"

enum outcome table_feed(struct call *call) {
    const struct table *table = call->value;
    struct feed_asked asked;
    enum outcome outcome = feed_switch_asked(call, table->feed, &asked);
    if (outcome != OUTCOME_DONE) return outcome;
    static const enum table_change_kind kinds[] = {
        [FEED_BEGINS] = TABLE_FEEDON, [FEED_KEEPS] = TABLE_FEEDKEEP, [FEED_ENDS] = TABLE_FEEDOFF};
    if (asked.what != FEED_STAYS) {
        struct table_change *change = call_decide(call, kinds[asked.what]);
        change->minted = asked.beginning;
        change->keep = asked.keep;
    }
    reply_ok(&call->out);
    return OUTCOME_DONE;
}

static void reply_changed_keys(struct reply_map *map, struct bytes name) {
    struct stored_key key;
    stored_key_split(name, &key);
    reply_field(map, "pk");
    reply_key(map->out, key.partition);
    reply_field(map, "rk");
    reply_key(map->out, key.row);
}

enum outcome table_changes_since(struct call *call) {
    static const struct following entities = {.name = reply_changed_keys};
    return following_answer(call, ((const struct table *)call->value)->feed, &entities);
}
