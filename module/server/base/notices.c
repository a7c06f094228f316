#include "server/base/notices.h"

#include "core/inlining.h"
#include "core/memory.h"

enum { KEPT_MAX = 64 }; /* the list keeps its memory up to here */

struct notices notices;

ASIDE static void resize_list(size_t capacity) {
    notices.list = memory_resize(notices.list, capacity * sizeof(*notices.list));
    notices.capacity = capacity;
}

ASIDE void notices_grow(void) {
    resize_list(notices.capacity ? 2 * notices.capacity : KEPT_MAX);
}

ASIDE void notices_keep_key(RedisModuleCtx *ctx, struct notice *notice) {
    notice->key = RedisModule_HoldString(NULL, notice->key);
    notice->db = RedisModule_GetSelectedDb(ctx);
}

ASIDE static void send_kept(RedisModuleCtx *ctx, struct notice notice) {
    int db = RedisModule_GetSelectedDb(ctx);
    RedisModule_SelectDb(ctx, notice.db);
    notice_send(ctx, &notice);
    RedisModule_SelectDb(ctx, db);
    RedisModule_FreeString(NULL, notice.key);
}

/* The list may move, and shrinks when nobody else has notices. */
void notices_send(RedisModuleCtx *ctx) {
    const size_t first = notices.first, end = notices.end;
    for (size_t at = first; at < end; at++) {
        const struct notice *notice = &notices.list[at];
        if (notice->db == NOTICE_SAME_DB)
            notice_send(ctx, notice);
        else
            send_kept(ctx, *notice);
    }
    if (!first && notices.capacity > KEPT_MAX) resize_list(KEPT_MAX);
}
