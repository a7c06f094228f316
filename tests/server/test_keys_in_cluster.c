/* Commands that name several keys, in a cluster. Servers are not asked to look for keys at no fixed place there: newer
 * ones look in the threads that read from clients, which breaks them. So the commands themselves see to what a server
 * sees to elsewhere: that the caller has the right to the other keys, and that all are in one place. */
#include <string.h>

#include "atomic.h"
#include "grammar.h"
#include "harness.h"
#include "pool.h"
#include "servers.h"
#include "single_server.h"
#include "stream.h"

enum { WRITERS = 16, ROUNDS = 100, AT_ONCE = 50, REPLIES = 2, PUT = WRITERS * AT_ONCE * ROUNDS };

static struct client *node;

static redisReply *done(const char *line) {
    redisReply *reply = call_line(node, line);
    require(!reply_is_error(reply), "%s gives %s", line, reply_text(reply));
    return reply;
}

BEFORE_EACH {
    node = cluster_of_one("appendonly yes\nio-threads 4\n");
    done("CONTAINER.CREATE {1}c");
    done("CONTAINER.CREATE {1}d");
    done("CONTAINER.CREATE far");
    done("BLOB.PUT {1}c a meow");
    done("BLOB.PUT {1}d a woof");
    done("QUEUE.CREATE {1}q");
}

static struct client *user_of(const char *rights) {
    expect_ok(call_line(node, pool_print("ACL SETUSER limited reset on nopass +@all %s", rights)));
    struct client *client = test_client(node->server);
    expect_ok(call(client, "AUTH limited x"));
    return client;
}

static bool moves_keys(const char *command) {
    redisReply *info = expect_elements(call(node, "COMMAND INFO %s", command), 1)->element[0];
    return command_has_flag(info, "movablekeys");
}

/* A command that was to be asked for its keys would have the flag. That of BLOB.COPY is due to its second fixed place. */
TEST(the_server_knows_the_first_key) {
    expect_shape(done("COMMAND GETKEYS HOLDFAST.ATOMIC 2 4 BLOB.PUT {1}c a x 3 QUEUE.PUT {1}q m"),
                 "[\"{1}c\"]");
    expect_shape(done("COMMAND GETKEYS BLOB.COPY {1}c b {1}d a"), "[\"{1}c\"]");
    expect_shape(done("COMMAND GETKEYS HFA {1}c effect {1}d"), "[\"{1}c\"]");
    require(!moves_keys("HOLDFAST.ATOMIC") && !moves_keys("HFA") && !moves_keys("HOLDFAST.APPLY"),
            "the server is to ask for keys");
    expect_number(expect_elements(done("COMMAND INFO HOLDFAST.ATOMIC"), 1)->element[0]->element[3], 4);
}

TEST(a_transaction_without_commands_has_no_keys) {
    struct client *limited = user_of("~{1}c"), *const clients[] = {node, limited};
    for (size_t i = 0; i < ARRAY_SIZE(clients); i++) {
        expect_error(call_line(clients[i], "HOLDFAST.ATOMIC 0"), "INVALID InvalidInput");
        expect_error(call_line(clients[i], "HOLDFAST.ATOMIC 1 1"), "ERR syntax error");
    }
    expect_error(call_line(node, "COMMAND GETKEYS HOLDFAST.ATOMIC 0"), "ERR");
}

TEST(all_keys_are_in_one_slot) {
    expect_elements(atomic_of(node, LINES("BLOB.PUT {1}c a x", "QUEUE.PUT {1}q m")), 2);
    expect_error(atomic_of(node, LINES("BLOB.PUT {1}c a y", "BLOB.PUT far a y")),
                 "CROSSSLOT Keys in request don't hash to the same slot");
    expect_error(atomic_of(node, LINES("BLOB.PUT {1}c a y", "BLOB.COPY {1}d x far a")), "CROSSSLOT");
    expect_error(call_line(node, "BLOB.COPY {1}c b far a"), "CROSSSLOT");
    expect_error(call(node, "EVAL %s 1 {1}c", "return redis.call('BLOB.COPY', KEYS[1], 'b', 'far', 'a')"),
                 "CROSSSLOT");
    expect_text(done("BLOB.GET {1}c a")->element[1], "x");
    expect_error(call_line(node, "BLOB.GET {1}c b"), "NOTFOUND");
}

static void expect_logged(const char *key) {
    redisReply *entry = expect_elements(call(node, "ACL LOG"), 1)->element[0];
    expect_text(field(entry, "reason"), "key");
    expect_text(field(entry, "object"), key);
    expect_text(field(entry, "username"), "limited");
    expect_ok(call(node, "ACL LOG RESET"));
}

TEST(each_key_without_its_right_is_in_the_log_of_refusals) {
    struct client *limited = user_of("~{1}c %R~{1}q");
    expect_ok(call(node, "ACL LOG RESET"));
    expect_error(call_line(limited, "BLOB.COPY {1}c b {1}d a"), "NOPERM");
    expect_logged("{1}d");
    expect_error(atomic_of(limited, LINES("BLOB.PUT {1}c a x", "BLOB.COPY {1}c b {1}d a")), "NOPERM");
    expect_logged("{1}d");
    expect_error(atomic_of(limited, LINES("BLOB.PUT {1}c a x", "QUEUE.PUT {1}q m")), "NOPERM");
    expect_logged("{1}q");
    expect_error(call(limited, "EVAL %s 1 {1}c",
                      "return redis.call('HOLDFAST.ATOMIC', 2, 3, 'BLOB.GET', KEYS[1], 'a', 3, 'BLOB.GET', "
                      "tonumber('17'), 'a')"),
                 "NOPERM");
    expect_logged("17");
}

TEST(each_key_needs_its_right) {
    struct client *limited = user_of("~{1}c ~far %R~{1}q");
    static const char *const denied = "NOPERM this user has no permissions to run 'BLOB.COPY' on its keys";
    expect_error(call_line(limited, "BLOB.COPY {1}c b {1}d a"), denied);
    expect_error(atomic_of(limited, LINES("BLOB.PUT {1}c a x", "BLOB.COPY {1}c b {1}d a")), denied);
    expect_error(atomic_of(limited, LINES("BLOB.PUT {1}c a x", "BLOB.PUT {1}d a x")), "NOPERM");
    expect_error(atomic_of(limited, LINES("BLOB.PUT {1}d a x")), "NOPERM");
    expect_error(atomic_of(limited, LINES("BLOB.PUT {1}c a x", "QUEUE.PUT {1}q m")), "NOPERM");
    expect_text(done("BLOB.GET {1}c a")->element[1], "meow");
    limited = user_of("~{1}c %R~{1}d");
    expect_elements(atomic_of(limited, LINES("BLOB.GET {1}d a", "BLOB.COPY {1}c b {1}d a")), 2);
    expect_elements(call_line(limited, "BLOB.COPY {1}c e {1}d a"), 3);
    limited = user_of("%W~{1}c");
    expect_error(call_line(limited, "BLOB.COPY {1}c b {1}c a"), denied);
    expect_error(atomic_of(limited, LINES("BLOB.COPY {1}c b {1}c a")), denied);
    expect_elements(atomic_of(limited, LINES("BLOB.PUT {1}c a x")), 1);
}

/* What another selector lets the user do with a key is not enough to copy from it. */
TEST(one_selector_allows_a_copy_and_both_of_its_keys) {
    static const char *const denied[] = {
        "+holdfast.atomic ~{1}c (+blob.copy ~{1}c) (+blob.list ~{1}d)",
        "+holdfast.atomic +blob.copy ~{1}c (+blob.list %R~{1}d)",
        "+holdfast.atomic +blob.list ~{1}* (+blob.copy ~{1}c %W~{1}d)",
        "+holdfast.atomic ~{1}c (+blob.copy ~{1}c) (+blob.copy ~{1}d)",
    };
    static const char *const allowed[] = {
        "+holdfast.atomic ~{1}c (+blob.copy ~{1}c ~x(y %R~{1}d)",
        "+holdfast.atomic +blob.copy ~{1}c ~x) %R~{1}d (+blob.list ~{1}e)",
        "+holdfast.atomic ~{1}c (+blob.list ~{1}d) (+blob.copy ~x(y allkeys) (+get ~*)",
    };
    for (size_t i = 0; i < ARRAY_SIZE(denied); i++) {
        struct client *limited = user_of(pool_print("-@all +auth %s", denied[i]));
        expect_error(call_line(limited, "BLOB.COPY {1}c b {1}d a"), "NOPERM");
        expect_error(atomic_of(limited, LINES("BLOB.COPY {1}c b {1}d a")), "NOPERM");
    }
    expect_error(call_line(node, "BLOB.GET {1}c b"), "NOTFOUND");
    for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
        struct client *limited = user_of(pool_print("-@all +auth %s", allowed[i]));
        expect_elements(call_line(limited, "BLOB.COPY {1}c b {1}d a"), 3);
        expect_elements(atomic_of(limited, LINES("BLOB.COPY {1}c b {1}d a")), 1);
    }
}

/* Where clients may send effects: one that was made by a transaction, of two keys. */
TEST(an_effect_changes_no_key_that_its_sender_may_not) {
    create("{1}c");
    create("{1}d");
    struct stream *stream = stream_attach(primary->server);
    expect_elements(atomic("BLOB.PUT {1}c a x", "BLOB.PUT {1}d a x"), 2);
    redisReply *effect = expect_elements(stream_commands(stream, primary), 1)->element[0];
    struct words words = {0}, astray = {0};
    for (size_t i = 0; i < effect->elements; i++) {
        const redisReply *word = effect->element[i];
        words_add_bytes(&words, word->str, word->len);
        bool is_other = word->len == 4 && !memcmp(word->str, "{1}d", 4);
        words_add_bytes(&astray, is_other ? "far" : word->str, is_other ? 3 : word->len);
    }
    done("BLOB.PUT {1}c a y");
    configure(node, "holdfast.accept-effects", "yes");
    expect_error(call_words(user_of("~{1}c"), &words), "NOPERM");
    expect_error(call_words(node, &astray), "CROSSSLOT");
    expect_text(done("BLOB.GET {1}c a")->element[1], "y");
    expect_ok(call_words(user_of("~{1}c ~{1}d"), &words));
    expect_text(done("BLOB.GET {1}c a")->element[1], "x");
}

static void expect_written(struct client *writer) {
    for (int i = 0; i < AT_ONCE * REPLIES; i++) {
        redisReply *reply = receive(writer);
        require(!reply_is_error(reply), "gave %s", reply_text(reply));
    }
}

/* Servers of several threads once asked for keys in all of them at once: within a second nothing reached the file. */
TEST(many_clients_name_several_keys) {
    struct client *writers[WRITERS];
    struct words transaction = atomic_words(LINES("BLOB.PUT {1}c a x", "QUEUE.PUT {1}q m"));
    for (int i = 0; i < WRITERS; i++) writers[i] = test_client(node->server);
    for (int round = 0; round < ROUNDS; round++) {
        const void *mark = pool_mark();
        for (int i = 0; i < WRITERS * AT_ONCE; i++) {
            send_words(writers[i / AT_ONCE], &transaction);
            send_call(writers[i / AT_ONCE], "BLOB.COPY {1}c b {1}d a");
        }
        for (int i = 0; i < WRITERS; i++) send_now(writers[i]);
        for (int i = 0; i < WRITERS; i++) expect_written(writers[i]);
        pool_release(mark);
    }
    node = restarted_as_it_was(node, server_stop);
    AWAIT(strstr(call(node, "CLUSTER INFO")->str, "cluster_state:ok"));
    expect_number(field(call(node, "QUEUE.STAT {1}q"), "messages"), PUT);
}
