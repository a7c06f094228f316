#include "same_everywhere.h"

#include <string.h>

#include "expect.h"
#include "harness.h"
#include "pool.h"
#include "text.h"

enum { DATABASES = 16, ATTEMPTS = 10 };

static const char restored_prefix[] = "restored:";
static const char copied_prefix[] = "copied:";
static const char compared_prefix[] = "compared:";

const char *digest_of(struct client *client) {
    return reply_string(call(client, "DEBUG DIGEST"));
}

const char *value_digest(struct client *client, const char *key) {
    redisReply *digests = expect_elements(call(client, "DEBUG DIGEST-VALUE %b", key, strlen(key)), 1);
    return reply_string(digests->element[0]);
}

static bool database_is_used(const redisReply *keyspace, int database) {
    return info_field(keyspace, pool_print("db%d", database)) != NULL;
}

static const char *type_of(struct client *client, const redisReply *key) {
    return call(client, "TYPE %b", key->str, key->len)->str;
}

static bool is_ours(struct client *client, const redisReply *key) {
    return text_begins(type_of(client, key), "holdfast");
}

static redisReply *key_digest(struct client *client, const redisReply *key) {
    return call(client, "DEBUG DIGEST-VALUE %b", key->str, key->len)->element[0];
}

/* Names the keys whose values differ, for the message of a failure. */
static const char *differing_keys(struct client *one, struct client *other) {
    struct text differing = EMPTY_TEXT;
    const redisReply *in_one = call(one, "INFO keyspace"), *in_other = call(other, "INFO keyspace");
    for (int database = 0; database < DATABASES; database++) {
        if (!database_is_used(in_one, database) && !database_is_used(in_other, database)) continue;
        call(one, "SELECT %d", database);
        call(other, "SELECT %d", database);
        redisReply *keys = call(one, "KEYS *");
        redisReply *there = call(other, "DBSIZE");
        text_print(&differing, "\n    db %d: %zu and %lld keys", database, keys->elements, there->integer);
        for (size_t i = 0; i < keys->elements; i++) {
            redisReply *key = keys->element[i];
            if (reply_same(key_digest(one, key), key_digest(other, key))) continue;
            text_print(&differing, ", differing: %s", text_quoted(key->str, key->len));
        }
    }
    call(one, "SELECT 0");
    call(other, "SELECT 0");
    return differing.bytes;
}

/* Where a container has no feed, the version of its newest change is the server's own. */
static redisReply *ask(struct client *client, const char *question, const redisReply *key) {
    redisReply *answer = call(client, question, key->str, key->len);
    if (!text_begins(question, "CONTAINER.GET ") || reply_is_error(answer)) return answer;
    redisReply *change = reply_field_if_any(answer, "change");
    if (!strcmp(field(answer, "feed")->str, "off")) memset(change->str, '-', change->len);
    return answer;
}

/* Digests are what the module says of a value; what it answers about it must be the same as well. */
static void require_same_answers(struct client *one, struct client *other, const redisReply *key,
                                 const char *when) {
    static const struct {
        const char *type, *line;
    } questions[] = {
        {"holdfastC", "CONTAINER.GET %b"},
        {"holdfastC", "CONTAINER.GETACL %b"},
        {"holdfastC", "BLOB.LIST %b COUNT 300 INCLUDE 4 META SNAPSHOTS UNCOMMITTED COPY"},
        {"holdfastQ", "QUEUE.GETMETA %b"},
        {"holdfastQ", "QUEUE.GETACL %b"},
        {"holdfastT", "TABLE.GETACL %b"},
        {"holdfastT", "TABLE.INDEXES %b"},
        {"holdfastT", "TABLE.QUERY %b TOP 300"},
        {"holdfastS", "SHARE.GET %b"},
        {"holdfastS", "SHARE.GETACL %b"},
    };
    const char *type = type_of(one, key);
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
        if (strcmp(type, questions[i].type) != 0) continue;
        const redisReply *answer = ask(one, questions[i].line, key);
        const redisReply *other_answer = ask(other, questions[i].line, key);
        require(reply_same(answer, other_answer), "%s and %s differ in %s %s:\n%s\n%s", one->server->name,
                other->server->name, questions[i].line, when, reply_text(answer), reply_text(other_answer));
    }
}

static void require_all_same_answers(struct client *one, struct client *other, const char *when) {
    const redisReply *keyspace = call(one, "INFO keyspace");
    for (int database = 0; database < DATABASES; database++) {
        if (!database_is_used(keyspace, database)) continue;
        call(one, "SELECT %d", database);
        call(other, "SELECT %d", database);
        redisReply *keys = call(one, "KEYS *");
        for (size_t i = 0; i < keys->elements; i++) require_same_answers(one, other, keys->element[i], when);
    }
    call(one, "SELECT 0");
    call(other, "SELECT 0");
}

void require_same(struct client *one, struct client *other, const char *when) {
    if (strcmp(digest_of(one), digest_of(other)) != 0) {
        failure("%s and %s differ %s:%s", one->server->name, other->server->name, when,
                differing_keys(one, other));
    }
}

static void require_digest(struct client *client, const char *digest, const char *when) {
    require(!strcmp(digest_of(client), digest), "%s holds something else %s:%s", client->server->name, when,
            differing_keys(client, client == replica ? primary : replica));
}

static void everywhere_replicated(const char *when) {
    await_replicas();
    require_same(primary, replica, when);
    require_same(replica, chained, when);
}

static bool is_at_files(struct client *client) {
    redisReply *info = call(client, "INFO persistence");
    return info_number(info, "aof_rewrite_in_progress") || info_number(info, "aof_rewrite_scheduled") ||
           info_number(info, "loading");
}

void await_settled_files(struct client *client) {
    AWAIT_OR(!is_at_files(client), "the rewrite does not end:\n%s", server_log(client->server));
    const char *status = info_field(call(client, "INFO persistence"), "aof_last_bgrewrite_status");
    require(!strcmp(status, "ok"), "the rewrite ended badly:\n%s", server_log(client->server));
}

void rewrite_append_only_file(struct client *client, bool with_preamble) {
    expect_ok(call(client, "CONFIG SET aof-use-rdb-preamble %s", with_preamble ? "yes" : "no"));
    /* A server that forks while another thread frees memory leaves a child that a sanitizer's allocator can stop
     * for ever. */
    await_info(client, "lazyfree_pending_objects", 0);
    call(client, "BGREWRITEAOF");
    await_settled_files(client);
}

/* The chained replica is the one that keeps a file, so it is compared with what the primary has in memory. */
static void everywhere_loaded(const char *digest, const char *when) {
    expect_ok(call(chained, "DEBUG LOADAOF"));
    require_digest(chained, digest, when);
    require_all_same_answers(primary, chained, when);
}

static void everywhere_persisted(void) {
    const char *digest = digest_of(primary);
    expect_ok(call(primary, "DEBUG RELOAD"));
    require_digest(primary, digest, "after DEBUG RELOAD");
    require_all_same_answers(primary, replica, "after DEBUG RELOAD");
    await_settled_files(chained);
    everywhere_loaded(digest, "after loading the append-only file");
    rewrite_append_only_file(chained, false);
    everywhere_loaded(digest, "after a rewrite without preamble");
    rewrite_append_only_file(chained, true);
    everywhere_loaded(digest, "after a rewrite with preamble");
}

static const char *prefixed(const char *prefix, const redisReply *key, size_t *length) {
    struct text name = {0};
    text_add(&name, prefix, strlen(prefix));
    text_add(&name, key->str, key->len);
    *length = name.length;
    return name.bytes;
}

static void remove_duplicate(const char *prefix, const redisReply *key) {
    size_t length;
    const char *name = prefixed(prefix, key, &length);
    expect_number(call(primary, "UNLINK %b", name, length), 1);
}

/* COPY leaves leases and sessions behind. Where there may be some, a copy is held against a copy of
 * what was restored. */
static redisReply *digest_to_copy(const redisReply *key, const redisReply *restored) {
    bool whole = !info_of(primary, "holdfast_lease_grants") && !info_of(primary, "holdfast_share_sessions");
    if (whole) return key_digest(primary, key);
    redisReply compared = {.type = REDIS_REPLY_STRING};
    compared.str = (char *)prefixed(compared_prefix, key, &compared.len);
    expect_number(call(primary, "COPY %b %b", restored->str, restored->len, compared.str, compared.len), 1);
    redisReply *digest = key_digest(primary, &compared);
    remove_duplicate(compared_prefix, key);
    return digest;
}

/* Puts the same value under two other names, by the two ways that Redis has. The name of one that is not the same then;
 * NULL if both are. */
static const char *differing_duplicate(const redisReply *key, const redisReply names[2]) {
    redisReply *digest = key_digest(primary, key);
    redisReply *dump = call(primary, "DUMP %b", key->str, key->len);
    expect_ok(call(primary, "RESTORE %b 0 %b REPLACE", names[0].str, names[0].len, dump->str, dump->len));
    expect_number(call(primary, "COPY %b %b REPLACE", key->str, key->len, names[1].str, names[1].len), 1);
    redisReply *digests[] = {digest, digest_to_copy(key, &names[0])};
    for (int i = 0; i < 2; i++)
        if (!reply_same(digests[i], key_digest(primary, &names[i]))) return names[i].str;
    return NULL;
}

/* Time may end something between two questions; so they are asked again. */
static void duplicate(const redisReply *key) {
    redisReply names[2] = {{.type = REDIS_REPLY_STRING}, {.type = REDIS_REPLY_STRING}};
    names[0].str = (char *)prefixed(restored_prefix, key, &names[0].len);
    names[1].str = (char *)prefixed(copied_prefix, key, &names[1].len);
    const char *differing = differing_duplicate(key, names);
    for (int attempt = 1; differing && attempt < ATTEMPTS; attempt++)
        differing = differing_duplicate(key, names);
    require(!differing, "%s is not what %s is", differing, key->str);
}

void pass_through_copies(const char *key) {
    expect_number(call(primary, "COPY %s passing", key), 1);
    expect_number(call(primary, "UNLINK %s", key), 1);
    expect_ok(call(primary, "RENAME passing %s", key));
    redisReply *dump = call(primary, "DUMP %s", key);
    expect_ok(call(primary, "RESTORE %s 0 %b REPLACE", key, dump->str, dump->len));
}

static void everywhere_under_other_names(void) {
    const redisReply *keyspace = call(primary, "INFO keyspace");
    for (int database = 0; database < DATABASES; database++) {
        if (!database_is_used(keyspace, database)) continue;
        call(primary, "SELECT %d", database);
        redisReply *keys = call(primary, "KEYS *");
        for (size_t i = 0; i < keys->elements; i++) {
            if (is_ours(primary, keys->element[i])) duplicate(keys->element[i]);
        }
        everywhere_replicated("after RESTORE and COPY");
        for (size_t i = 0; i < keys->elements; i++) {
            if (!is_ours(primary, keys->element[i])) continue;
            remove_duplicate(restored_prefix, keys->element[i]);
            remove_duplicate(copied_prefix, keys->element[i]);
        }
    }
    call(primary, "SELECT 0");
}

/* What time has ended is removed by and by, and makes no difference any more then. */
static void await_settled_values(void) {
    await_info(primary, "holdfast_copies_pending", 0);
    await_info(primary, "holdfast_queue_unsettled", 0);
    await_info(primary, "holdfast_share_sessions_ended", 0);
}

void require_same_everywhere(void) {
    call(primary, "SELECT 0");
    await_settled_values();
    everywhere_replicated("at the end of the test");
    everywhere_under_other_names();
    everywhere_replicated("when the copies are gone again");
    everywhere_persisted();
}
