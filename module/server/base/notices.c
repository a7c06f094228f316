#include "server/base/notices.h"

#include "core/inlining.h"
#include "core/memory.h"

enum {
    KEPT_MAX = 64, /* the list keeps its memory up to here */
    SAME_DB = -1,  /* of a key that is borrowed */
};

static struct notice {
    RedisModuleString *key;
    int db;
    const char *event;
} * list;

static size_t capacity;
struct notices notices;

ASIDE static void resize_list(size_t size) {
    list = memory_resize(list, size * sizeof(*list));
    capacity = size;
}

/* Whoever alone holds notices back still has its key and database when it sends them. Inner holders may be over. */
ASIDE static void keep_key(RedisModuleCtx *ctx, struct notice *notice) {
    notice->key = RedisModule_HoldString(NULL, notice->key);
    notice->db = RedisModule_GetSelectedDb(ctx);
}

void notices_add(RedisModuleCtx *ctx, RedisModuleString *key, const char *event) {
    if (notices.count == capacity) resize_list(capacity ? 2 * capacity : KEPT_MAX);
    struct notice *notice = &list[notices.count++];
    *notice = (struct notice){key, SAME_DB, event};
    if (notices.holders > 1) keep_key(ctx, notice);
}

static void send_notice(RedisModuleCtx *ctx, const struct notice *notice) {
    RedisModule_NotifyKeyspaceEvent(ctx, REDISMODULE_NOTIFY_MODULE, notice->event, notice->key);
}

/* Takes a copy of the notice: a listener may add notices, and the list may move. */
ASIDE static void send_kept(RedisModuleCtx *ctx, struct notice notice) {
    int db = RedisModule_GetSelectedDb(ctx);
    RedisModule_SelectDb(ctx, notice.db);
    send_notice(ctx, &notice);
    RedisModule_SelectDb(ctx, db);
    RedisModule_FreeString(NULL, notice.key);
}

/* A listener may run commands of this module. Each of them adds its notices after these, and sends them. */
void notices_send(RedisModuleCtx *ctx) {
    const size_t first = notices.sent, end = notices.count;
    notices.sent = end;
    for (size_t at = first; at < end; at++) {
        if (list[at].db == SAME_DB)
            send_notice(ctx, &list[at]);
        else
            send_kept(ctx, list[at]);
    }
    notices.sent = notices.count = first;
    if (!first && capacity > KEPT_MAX) resize_list(KEPT_MAX);
}
