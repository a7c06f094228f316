#include "atomic.h"

#include "harness.h"
#include "leases.h"
#include "steps.h"

static void add_all(struct words *words, const struct words *more) {
    for (size_t i = 0; i < more->count; i++) words_add_bytes(words, more->word[i], more->length[i]);
}

struct words atomic_words(const char *const *lines) {
    struct words whole = words_of_line("HOLDFAST.ATOMIC");
    long long count = 0;
    while (lines[count]) count++;
    words_add_number(&whole, count);
    for (; *lines; lines++) {
        struct words one = step_words(*lines);
        words_add_number(&whole, (long long)one.count);
        add_all(&whole, &one);
    }
    return whole;
}

redisReply *atomic_of(struct client *client, const char *const *lines) {
    struct words words = atomic_words(lines);
    return call_words(client, &words);
}

void atomic_setup(void) {
    lease_setup();
    create("c");
    put("c", "a", "alpha");
    put("c", "b", "beta");
    expect_ok(call(primary, "QUEUE.CREATE q"));
    expect_ok(call(primary, "TABLE.CREATE t"));
    expect_etag(call(primary, "TABLE.INSERT t p r PROPS 1 n:int32 1"));
    expect_etag(call(primary, "SHARE.CREATE s"));
    expect_etag(call(primary, "FILE.CREATE s f 10"));
    expect_etag(call(primary, "FILE.MKDIR s d"));
    expect_ok(call(primary, "SET text x"));
}

const char *atomic_content(const char *blob) {
    redisReply *reply = call(primary, "BLOB.GET c %s", blob);
    return reply_is_error(reply) ? "(none)" : reply_string(reply->element[1]);
}

void atomic_put_message(char id, char receipt) {
    redisReply *reply = call(primary, "QUEUE.PUT q work");
    step_keep(id, reply_string(field(reply, "id")));
    step_keep(receipt, reply_string(field(reply, "receipt")));
}
