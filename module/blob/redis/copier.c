#include "blob/redis/copier.h"

#include "blob/redis/blob_commands.h"
#include "blob/redis/source_link.h"
#include "blob/redis/source_server.h"
#include "core/hash_index.h"
#include "core/host_list.h"
#include "core/memory.h"
#include "server/base/alarm.h"
#include "server/base/events.h"
#include "server/base/info.h"
#include "server/base/propagation.h"
#include "server/base/server_config.h"
#include "server/effects/commit.h"

#include "ccan/array_size/array_size.h"
#include "ccan/container_of/container_of.h"
#include "ccan/list/list.h"

#include <stdatomic.h>
#include <unistd.h>

enum {
    LOOK_EVERY_MS = 1000,
    TURN_US = 1000,             /* spent on deliveries in one turn of the event loop */
    STARTS_MAX = 32,            /* copiers started in one turn of the event loop */
    SHUTDOWN_WAIT_US = 1000000, /* how long a shutdown waits for links */
    PATH_BYTES = 1024,
    BEYOND_MEMORY_MAX = 64 << 20, /* what copies may take on top of maxmemory until a command comes */
};

struct copier {
    struct list_node node; /* in in_line or at_work */
    struct entry entry;    /* its name is the copy's id */
    version id;
    int db;
    RedisModuleString *key;
    struct bytes name;
    struct copy_order order;
    struct source_link *link; /* NULL while it waits in line */
    bool gone;                /* its deliveries are dropped */
    bool has_begun;           /* it has brought a beginning, */
    uint64_t done;            /* and so much of the content */
    struct arena arena;       /* memory of name and order */
};

static LIST_HEAD(in_line);
static LIST_HEAD(at_work);
static size_t in_line_count, at_work_count;
static struct hash_index copiers; /* those of both lists that are not gone, by the id of the copy */

struct setting_text copy_from = {.is_sound = host_list_is_sound,
                                 .fault = "it takes host:port patterns with blanks between them, or *"};
struct setting_text copy_user, copy_password = {.secret = true};
bool copy_tls = false;
struct setting_duration copy_timeout = {.ms = 10000};
long long copy_max = 8;

static struct { unsigned long long bytes, done, failed[COPY_FAILURES]; } counts;

static void on_copies_alarm(RedisModuleCtx *ctx);
static struct alarm copies_alarm = {.ring = on_copies_alarm};

bool copier_is_on(void) {
    return setting_text(&copy_from).length != 0;
}

bool copier_may_read_from(struct bytes host, int port) {
    return host_list_allows(setting_text(&copy_from), host, port);
}

/* --- News from links --- */

static atomic_bool news_posted;

/* Only sets the alarm: this may run while a script does. */
static void on_news(void *context) {
    (void)context;
    atomic_store(&news_posted, false);
    alarm_set_by(&copies_alarm, server_now_ms());
}

/* Called in a link's thread. */
static void post_news(void) {
    if (!atomic_exchange(&news_posted, true)) RedisModule_EventLoopAddOneShot(on_news, NULL);
}

void copiers_look_soon(void) {
    if (in_line_count || at_work_count) alarm_set_by(&copies_alarm, server_now_ms());
}

/* --- Copiers --- */

static void keep_order(struct copier *copier, const struct copy_order *order) {
    copier->order = *order;
    copier->order.host = arena_copy(&copier->arena, order->host);
    copier->order.container = arena_copy(&copier->arena, order->container);
    copier->order.blob = arena_copy(&copier->arena, order->blob);
    for (unsigned i = 0; i < order->condition_words; i++)
        copier->order.conditions[i] = arena_copy(&copier->arena, order->conditions[i]);
    copier->order.metadata.items = arena_copy(&copier->arena, order->metadata.items);
}

void copier_new(struct call *call, const struct container_change *start) {
    struct copier *copier = memory_zeroed(sizeof(*copier));
    arena_start(&copier->arena);
    copier->id = start->copy.id;
    copier->entry = entry_hashed(bytes_of(&copier->id, sizeof(copier->id)),
                                 offsetof(struct copier, id) - offsetof(struct copier, entry));
    copier->db = RedisModule_GetSelectedDb(call->ctx);
    struct bytes key = call_word(call, ARG_CONTAINER);
    copier->key = RedisModule_CreateString(NULL, key.data, key.length);
    copier->name = arena_copy(&copier->arena, start->name);
    keep_order(copier, start->order);
    hash_index_add(&copiers, &copier->entry);
    list_add_tail(&in_line, &copier->node);
    in_line_count++;
    alarm_set_by(&copies_alarm, server_now_ms());
}

/* Ends a copier; its link then ends by itself. */
static void copier_leave(struct copier *copier) {
    if (copier->gone) return;
    copier->gone = true;
    hash_index_remove(&copiers, &copier->entry);
    if (copier->link) source_link_cancel(copier->link);
}

/* The copier must be in neither list. */
static void copier_free(struct copier *copier) {
    copier_leave(copier);
    if (copier->link) source_link_free(copier->link);
    RedisModule_FreeString(NULL, copier->key);
    arena_end(&copier->arena);
    memory_free(copier);
}

static void leave_copy_line(struct copier *copier) {
    list_del(&copier->node);
    in_line_count--;
}

bool copier_is_there(const struct call *call, version id) {
    struct entry *entry = hash_index_named(&copiers, bytes_of(&id, sizeof(id)));
    if (!entry) return false;
    const struct copier *copier = container_of(entry, struct copier, entry);
    return copier->db == RedisModule_GetSelectedDb(call->ctx) &&
           bytes_equal(api_bytes(copier->key), call_word(call, ARG_CONTAINER));
}

/* --- Ends of copies --- */

/* The change that ends a copy with this status. */
static struct container_change ended_copy(struct call *call, const struct blob *blob,
                                          enum copy_status status) {
    struct copy copy = *blob_special(blob)->copy;
    copy.status = status;
    copy.arriving = copy.untyped = false;
    copy.completed_ms = call_now_ms(call);
    copy.description = bytes_of(NULL, 0);
    return (struct container_change){
        .kind = BLOB_COPYEND, .name = blob_name(blob), .stamp = decision_new_stamp(call), .copy = copy};
}

/* Copies the name of the change: it lies in the blob, which may move. */
static void commit_end(struct call *call, struct container_change *change) {
    change->name = arena_copy(&call->arena, change->name);
    commit_at_once(call, change, NULL);
}

void copier_fail(struct call *call, struct blob *blob, const struct source_failure *failure) {
    struct container_change change = ended_copy(call, blob, COPY_FAILED);
    change.copy.description = bytes_text(failure->text);
    counts.failed[failure->reason]++;
    commit_end(call, &change);
}

static void copy_succeed(struct call *call, struct blob *blob) {
    struct container_change change = ended_copy(call, blob, COPY_SUCCESS);
    change.copy.done = change.copy.total;
    counts.done++;
    commit_end(call, &change);
}

static void fail_for(struct call *call, struct copier *copier, struct blob *blob, enum copy_failure reason,
                     const char *text) {
    struct source_failure failure;
    source_failure_say(&failure, reason, bytes_text(text));
    copier_fail(call, blob, &failure);
    copier_leave(copier);
}

/* --- Deliveries --- */

/* A visit to the key of a copier. */
struct errand {
    struct copier *copier;
    void (*run)(struct call *call,
                const struct errand *errand); /* if the copy is found; NULL only to look for it */
    struct delivery *delivery;
    struct blob *blob; /* that still has the copy; NULL for none */
};

static struct blob *blob_of_copy(const struct container *container, const struct copier *copier) {
    struct blob *blob = container_find(container, copier->name);
    bool ours = blob && blob_is_being_copied(blob) && blob_special(blob)->copy->id == copier->id;
    return ours ? blob : NULL;
}

/* Whether the copy is as its copier left it. An earlier value may have been restored under the key, which lacks bytes
 * that were delivered. */
static bool copy_goes_on(const struct copier *copier, const struct blob *blob) {
    const struct copy *copy = blob_special(blob)->copy;
    return copy->arriving == copier->has_begun && copy->done == copier->done;
}

static void fail_for_another_state(struct call *call, struct copier *copier, struct blob *blob) {
    fail_for(call, copier, blob, COPY_FAILED_INTERRUPTED,
             "another state of the container has come under its key");
}

/* The state in which the change has left the copy. */
static void note_progress(struct copier *copier, const struct container_change *change) {
    copier->done = copier->has_begun ? change->offset + change->content.length : 0;
    copier->has_begun = true;
}

static double bytes_beyond_memory(void) {
    return ((double)RedisModule_GetUsedMemoryRatio() - 1) * (double)server_max_memory;
}

/* A server that evicts makes space before commands, and not for a copy: this goes on until the next one comes. */
static bool lacks_memory(const struct call *call) {
    if (!api_is_over_memory(call->ctx)) return false;
    return !server_evicts || bytes_beyond_memory() > BEYOND_MEMORY_MAX ||
           api_refuses_growth(call->ctx, call->argv[1]);
}

/* Applies one change of a delivery. False when the copy has ended instead. */
static bool take_item(struct call *call, struct copier *copier, struct delivered *item) {
    struct container_change *change = &item->change;
    struct blob *blob = blob_of_copy(call->value, copier);
    if (change->kind == BLOB_COPYBEGIN && blob->kind != change->blob_kind && !blob_is_untyped(blob)) {
        fail_for(call, copier, blob, COPY_FAILED_UNFIT,
                 "CONFLICT InvalidBlobType the source is a blob of another kind than the target");
    } else if (lacks_memory(call)) {
        fail_for(call, copier, blob, COPY_FAILED_MEMORY, "OOM this server has no memory left for the copy");
    } else if (!copy_goes_on(copier, blob)) {
        fail_for_another_state(call, copier, blob);
    } else {
        change->name = copier->name;
        counts.bytes += item->content ? api_bytes(item->content).length : 0;
        commit_at_once(call, change, item->content);
        note_progress(copier, change);
    }
    return !copier->gone;
}

static void take_copy_end(struct call *call, struct copier *copier, const struct delivery *delivery) {
    struct blob *blob = blob_of_copy(call->value, copier);
    if (delivery->failed)
        copier_fail(call, blob, &delivery->failure);
    else if (!copy_goes_on(copier, blob))
        fail_for_another_state(call, copier, blob);
    else
        copy_succeed(call, blob);
    copier_leave(copier);
}

static void take_items(struct call *call, const struct errand *errand) {
    struct delivery *delivery = errand->delivery;
    for (unsigned i = 0; i < delivery->count; i++)
        if (!take_item(call, errand->copier, &delivery->items[i])) return;
    if (delivery->last) take_copy_end(call, errand->copier, delivery);
}

static void give_copy_up(struct call *call, const struct errand *errand) {
    fail_for(call, errand->copier, errand->blob, COPY_FAILED_MEMORY,
             "OOM this server cannot start a thread for the copy");
}

static void run_errand(struct call *call, void *context) {
    struct errand *errand = context;
    errand->blob = blob_of_copy(call->value, errand->copier);
    if (errand->blob && errand->run) errand->run(call, errand);
}

static bool go_on_errand(RedisModuleCtx *ctx, struct errand errand) {
    RedisModule_SelectDb(ctx, errand.copier->db);
    call_visit_key(ctx, errand.copier->key, &container_type, run_errand, &errand);
    return errand.blob;
}

static bool has_copy(RedisModuleCtx *ctx, struct copier *copier) {
    return go_on_errand(ctx, (struct errand){.copier = copier});
}

/* --- Turns --- */

static void take_delivery(RedisModuleCtx *ctx, struct copier *copier) {
    struct delivery *delivery = source_link_take(copier->link);
    if (!delivery) return;
    const struct errand errand = {.copier = copier, .run = take_items, .delivery = delivery};
    if (!copier->gone && !go_on_errand(ctx, errand)) copier_leave(copier);
    delivery_free(delivery);
}

static void remove_copier(struct copier *copier) {
    list_del(&copier->node);
    at_work_count--;
    copier_free(copier);
}

/* Takes a delivery of each copier at work, until the time of the turn is up. A copier that was served moves
 * to the end. Returns whether there may be more. */
static bool take_deliveries(RedisModuleCtx *ctx) {
    int64_t since_us = api_elapsed_us();
    for (size_t left = at_work_count; left; left--) {
        if (api_elapsed_us() - since_us > TURN_US) return true;
        struct copier *copier = list_top(&at_work, struct copier, node);
        list_del(&copier->node);
        list_add_tail(&at_work, &copier->node);
        bool ended = source_link_has_ended(copier->link);
        take_delivery(ctx, copier);
        if (ended) remove_copier(copier);
    }
    return false;
}

static const char *tls_path(RedisModuleCtx *ctx, const char *name, char *path) {
    return copy_tls && server_config_text(ctx, name, path, PATH_BYTES) ? path : NULL;
}

static struct source_link *open_link(RedisModuleCtx *ctx, const struct copier *copier) {
    char paths[4][PATH_BYTES];
    struct source_settings settings = {
        .allowed = setting_text(&copy_from),
        .user = setting_text(&copy_user),
        .password = setting_text(&copy_password),
        .timeout_ms = copy_timeout.ms,
        .tls = copy_tls,
        .ca_file = tls_path(ctx, "tls-ca-cert-file", paths[0]),
        .ca_folder = tls_path(ctx, "tls-ca-cert-dir", paths[1]),
        .certificate = tls_path(ctx, "tls-cert-file", paths[2]),
        .key = tls_path(ctx, "tls-key-file", paths[3]),
    };
    return source_link_start(&copier->order, &settings, post_news);
}

/* Connects only if the blob still has the copy. */
static void begin_work(RedisModuleCtx *ctx, struct copier *copier) {
    leave_copy_line(copier);
    bool wanted = has_copy(ctx, copier);
    if (wanted) copier->link = open_link(ctx, copier);
    if (copier->link) {
        list_add_tail(&at_work, &copier->node);
        at_work_count++;
    } else {
        if (wanted) go_on_errand(ctx, (struct errand){.copier = copier, .run = give_copy_up});
        copier_free(copier);
    }
}

static bool begin_some(RedisModuleCtx *ctx) {
    for (int i = 0; in_line_count && at_work_count < (size_t)copy_max; i++) {
        if (i == STARTS_MAX) return true;
        begin_work(ctx, list_top(&in_line, struct copier, node));
    }
    return false;
}

/* Ends copiers whose blob no longer has the copy. */
static void check_keys(RedisModuleCtx *ctx) {
    struct copier *copier;
    list_for_each (&at_work, copier, node)
        if (!copier->gone && !has_copy(ctx, copier)) copier_leave(copier);
}

/* Ends all copiers. Their copies stay pending until the upkeep of a server that may write fails them. */
static void leave_all(void) {
    struct copier *copier;
    list_for_each (&at_work, copier, node) copier_leave(copier);
    while ((copier = list_top(&in_line, struct copier, node))) {
        leave_copy_line(copier);
        copier_free(copier);
    }
    copiers_look_soon();
}

/* For turns in which this server may not write. */
static void remove_ended(void) {
    struct copier *copier, *next;
    list_for_each_safe (&at_work, copier, next, node)
        if (copier->gone && source_link_has_ended(copier->link)) remove_copier(copier);
}

static void hurry_all(void) {
    struct copier *copier;
    list_for_each (&at_work, copier, node) source_link_hurry(copier->link);
}

/* Returns how long to wait for the next turn. */
static int64_t work_a_turn(RedisModuleCtx *ctx) {
    hurry_all();
    if (!api_may_write(ctx) || !propagation_suffices(ctx)) {
        remove_ended();
        return ALARM_RETRY_MS;
    }
    check_keys(ctx);
    bool more = take_deliveries(ctx);
    more |= begin_some(ctx);
    return more ? 0 : LOOK_EVERY_MS;
}

static void on_copies_alarm(RedisModuleCtx *ctx) {
    int64_t in_ms = work_a_turn(ctx);
    if (in_line_count || at_work_count) alarm_set_by(&copies_alarm, server_now_ms() + in_ms);
}

/* --- Events of the server --- */

static LISTENER(on_copies_role, role) {
    leave_all();
}

static LISTENER(on_copies_loading, stage) {
    if (stage != REDISMODULE_SUBEVENT_LOADING_ENDED && stage != REDISMODULE_SUBEVENT_LOADING_FAILED)
        leave_all();
}

/* Threads must not outlive the module. But the lookup of a name cannot be interrupted, so the
 * wait is limited. */
static LISTENER(on_copies_shutdown, stage) {
    int64_t since_us = api_elapsed_us();
    for (leave_all(); at_work_count && api_elapsed_us() - since_us < SHUTDOWN_WAIT_US; usleep(1000))
        remove_ended();
}

int copiers_start(RedisModuleCtx *ctx) {
    source_server_count_memory();
    alarm_register(&copies_alarm);
    if (events_subscribe(ctx, RedisModuleEvent_ReplicationRoleChanged, on_copies_role) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    if (events_subscribe(ctx, RedisModuleEvent_Shutdown, on_copies_shutdown) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    return events_subscribe(ctx, RedisModuleEvent_Loading, on_copies_loading);
}

/* --- INFO --- */

void copiers_info(RedisModuleInfoCtx *ctx) {
    static const char *const reasons[COPY_FAILURES] = {
        "copies_failed_refused",   "copies_failed_unfit",       "copies_failed_changed",
        "copies_failed_garbled",   "copies_failed_unreachable", "copies_failed_silent",
        "copies_failed_forbidden", "copies_failed_interrupted", "copies_failed_memory",
    };
    unsigned long long failed = 0;
    for (int reason = 0; reason < COPY_FAILURES; reason++) failed += counts.failed[reason];
    const struct info_number numbers[] = {
        {"copies_pending", in_line_count + at_work_count},
        {"copies_at_work", at_work_count},
        {"copies_bytes", counts.bytes},
        {"copies_done", counts.done},
        {"copies_failed", failed},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
    for (int reason = 0; reason < COPY_FAILURES; reason++)
        if (counts.failed[reason])
            RedisModule_InfoAddFieldULongLong(ctx, reasons[reason], counts.failed[reason]);
}
