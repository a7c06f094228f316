/* What precedes and follows a change of a container: events, counters, copiers, waiters; its upkeep, and INFO. */
#include "blob/blocks.h"
#include "blob/redis/blob_commands.h"
#include "blob/redis/copier.h"
#include "core/feed.h"
#include "core/inlining.h"
#include "core/name.h"
#include "lease/redis/lease_home.h"
#include "lease/redis/leases.h"
#include "server/base/info.h"
#include "server/effects/commit.h"
#include "server/effects/followed.h"
#include "server/waiting/feed_commands.h"
#include "server/waiting/wait.h"

#include "ccan/array_size/array_size.h"

enum { UNSTAGED_AT_ONCE = 1000, COPIES_LOOK_EVERY_MS = 1000 };

struct wait_kind blob_news = {.discipline = WAIT_TOGETHER};

/* An expiry is noticed by the change that follows it, so its event comes first. */
void container_events(const void *decided, const char *events[EVENTS_MAX]) {
    const struct container_change *change = decided;
    events[0] = container_change_event(change);
    if (!change->expired) return;
    events[1] = events[0];
    events[0] = LEASE_EXPIRED_EVENT;
}

static const struct lease *lease_before(const struct container *container,
                                        const struct container_change *change) {
    if (change->kind == CONTAINER_LEASE) return container_lease(container);
    return blob_lease(change->sought ? change->blob : container_find(container, change->name));
}

ASIDE static void count_blob_lease(struct call *call, const struct container_change *change) {
    lease_count(call, lease_before(call->value, change), &change->lease, change->event, change->expired);
}

void container_before_change(struct call *call, void *decided) {
    const struct container_change *change = decided;
    if (!call->value) return;
    if (container_may_be_loading(call->value)) container_end_load(call->value);
    if (change->expired || container_leases.set_by(change)) count_blob_lease(call, change);
}

void container_changed(struct call *call, const void *decided) {
    const struct container_change *change = decided;
    if (change->kind == CONTAINER_FEEDOFF) followed_ends(call_key_name(call));
    if (change->kind == BLOB_COPYSTART) copier_new(call, change);
    if (change->kind == BLOB_ABORTCOPY || change->kind == BLOB_DELETE || change->kind == CONTAINER_DROP)
        copiers_look_soon();
}

/* A change of a blob may concern those who wait for its content and those who wait for its lease. */
void container_wake(struct call *call, const void *decided) {
    const struct container_change *change = decided;
    bool named = container_change_has_name(change);
    if (named && change->kind != BLOB_LEASE) wait_look(call, &blob_news, change->name);
    if (named || change->kind == CONTAINER_LEASE) wait_look(call, &lease_wait, change->name);
    if (change->kind != CONTAINER_DROP) feed_wake(call);
}

/* --- Upkeep --- */

/* Drops at most `max` staged blocks of a blob. */
static void drop_staged(struct call *call, struct blob *blob, uint64_t max) {
    char name[NAME_MAX_BYTES];
    struct bytes named = blob_name(blob);
    memcpy(name, named.data, named.length); /* the change may free the blob */
    struct container_change change = {.kind = BLOB_UNSTAGE,
                                      .name = bytes_of(name, named.length),
                                      .unstaged_max = max,
                                      .sought = true,
                                      .blob = blob};
    commit_at_once(call, &change, NULL);
}

static void unstage_overdue(struct call *call) {
    struct bytes name;
    if (container_overdue(call->value, call_now_ms(call), &name))
        drop_staged(call, container_find(call->value, name), UNSTAGED_AT_ONCE);
}

/* A write to a name drops its expired staged blocks first; those of other names are dropped in passing. */
void container_clear_staged(struct call *call) {
    const struct container *container = call->value;
    if (!deadlines_first(&container->stagings)) return;
    struct blob *blob = call->search.word ? blob_found(call) : NULL;
    bool overdue = blob && blob_special(blob)->staging && !blob_staging(blob, call_now_ms(call));
    if (overdue) drop_staged(call, blob, UINT64_MAX);
    unstage_overdue(call);
}

/* As CONTAINER.FEED OFF and ON do, so that followers at replicas are told, too. */
static void restart_container_feed(struct call *call) {
    const struct container *container = call->value;
    struct container_change off = {.kind = CONTAINER_FEEDOFF}, on = {.kind = CONTAINER_FEEDON};
    on.keep = container->feed->keep;
    on.minted = decision_new_version(call);
    commit_both(call, &off, &on);
}

static void build_container_feed(struct call *call) {
    const struct container *container = call->value;
    struct container_change change = {
        .kind = CONTAINER_FEEDBUILT,
        .feed = feed_portion(container->feed, &container->blobs.by_order),
    };
    commit_at_once(call, &change, NULL);
}

int64_t container_upkeep(struct call *call) {
    struct container *container = call->value;
    unstage_overdue(call);
    if (container->feed && container->feed->foreign) restart_container_feed(call);
    if (feed_is_unfinished(container->feed)) build_container_feed(call);
    bool more = copies_fail_orphans(call);
    container->copies_look_ms = call_now_ms(call) + (more ? 0 : COPIES_LOOK_EVERY_MS);
    return feed_is_unfinished(container->feed) ? call_now_ms(call) : container_due_ms(container);
}

/* --- INFO --- */

void container_info(RedisModuleInfoCtx *ctx) {
    struct container_census census = container_census();
    const struct info_number numbers[] = {
        {"containers", census.containers},    {"blobs", census.blobs},   {"blob_bytes", census.content_bytes},
        {"blob_snapshots", census.snapshots}, {"leases", census.leases}, {"blob_waiters", blob_news.waiting},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
    copiers_info(ctx);
    feed_info(ctx);
}
