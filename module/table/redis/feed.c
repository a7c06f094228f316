/* TABLE.FEED and TABLE.CHANGES. */
#include "server/call/feed_switch.h"
#include "server/effects/followed.h"
#include "server/effects/upkeep.h"
#include "server/waiting/feed_commands.h"
#include "table/redis/entity_reply.h"

static void set_table_feed(void *decided, const struct feed_change *given) {
    struct table_change *change = decided;
    change->minted = given->beginning;
    change->keep = given->keep;
}

enum outcome table_feed_decide(struct call *call) {
    const struct table *table = call->value;
    return feed_switch(call, table->feed, TABLE_FEEDON, set_table_feed);
}

static void reply_changed_keys(struct reply_map *map, struct bytes name) {
    struct stored_key key;
    stored_key_split(name, &key);
    reply_field(map, "pk");
    reply_key(map->out, key.partition);
    reply_field(map, "rk");
    reply_key(map->out, key.row);
}

enum outcome table_changes_since_decide(struct call *call) {
    static const struct feed_view entities = {.name = reply_changed_keys};
    if (followed_is_read(call)) upkeep_insist(call);
    return feed_answer(call, ((const struct table *)call->value)->feed, &entities);
}
