#include "traces.h"

#include <string.h>

#include "harness.h"
#include "notifications.h"
#include "pool.h"
#include "same_everywhere.h"

static struct {
    struct client *watcher;
    struct client *listener;
    const char *digest;
    long long offset;
    long long changes;
} witness;

static void witness_forget(void *target) {
    (void)target;
    memset(&witness, 0, sizeof(witness));
}

static void witness_prepare(void) {
    if (witness.watcher) return;
    pool_keep(&witness, witness_forget);
    witness.watcher = test_client(primary->server);
    witness.listener = notifications_listener(primary->server);
}

static void watch(const char *absent) {
    struct words words = words_of_line("WATCH");
    words_add_line(&words, absent);
    redisReply *keys = call(witness.watcher, "KEYS *");
    for (size_t i = 0; i < keys->elements; i++)
        words_add_bytes(&words, keys->element[i]->str, keys->element[i]->len);
    expect_ok(call(witness.watcher, "UNWATCH"));
    if (words.count > 1) expect_ok(call_words(witness.watcher, &words));
}

void traces_begin(const char *absent) {
    witness_prepare();
    traces_notifications();
    watch(absent);
    witness.digest = digest_of(primary);
    witness.offset = info_of(primary, "master_repl_offset");
    witness.changes = info_of(primary, "rdb_changes_since_last_save");
}

const char *traces_notifications(void) {
    return notifications_heard(witness.listener);
}

int watched_transaction_aborts(void) {
    expect_ok(call(witness.watcher, "MULTI"));
    call(witness.watcher, "PING");
    return reply_is_null(call(witness.watcher, "EXEC"));
}

void expect_notification(const char *command, const char *notification) {
    traces_begin("box");
    redisReply *reply = call_line(primary, command);
    require(!reply_is_error(reply), "%s gave %s", command, reply_text(reply));
    const char *notifications = traces_notifications();
    require(!strcmp(notifications, notification), "%s notified \"%s\"", command, notifications);
    require(watched_transaction_aborts(), "%s let a transaction pass", command);
}

void expect_so_many_notifications(const struct noticed *rows, size_t count) {
    for (size_t i = 0; i < count; i++) expect_notification(rows[i].command, rows[i].notification);
}

void traces_require_none(void) {
    const char *notifications = traces_notifications();
    require(!*notifications, "there were notifications: %s", notifications);
    require(!watched_transaction_aborts(), "a transaction of somebody who watched the keys was aborted");
    require(info_of(primary, "master_repl_offset") == witness.offset, "something went to the replicas");
    require(info_of(primary, "rdb_changes_since_last_save") == witness.changes, "a change was counted");
    require(!strcmp(digest_of(primary), witness.digest), "the data changed");
}
