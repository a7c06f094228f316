/* Hostile payloads for queues: RESTORE with a valid checksum around a doctored value, and doctored effects. Each is
 * answered with an error, or gives a queue that is whole and safe. No server dies, and all hold the same. */
#include <string.h>

#include "harness.h"
#include "hostile.h"
#include "pool.h"
#include "queues.h"
#include "random.h"
#include "text.h"

enum { ATTEMPTS = 10 };

/* One of everything that a queue can hold. */
static redisReply *dump_of_everything(void) {
    queue_setup("META 1 a b MAXDELIVERIES 1");
    expect_ok(call(primary, "QUEUE.SETACL jobs POLICIES 1 one 0 - raup"));
    put_job("dead", "GROUP g");
    expect_ok(act_on("RELEASE", get_job("dead", ""), "REASON busy"));
    put_job("taken", "TTL -1");
    get_job("taken", "VISIBILITY 600000");
    put_job("first", "GROUP g VISIBILITY 600000");
    put_job("second", "GROUP g");
    put_job("doomed", "TTL 700 VISIBILITY 600");
    put_job("known", "DEDUP d WITHIN 100000");
    return call(primary, "DUMP jobs");
}

/* Time may show a message, or end one, between looking and taking; so both are done again. */
static void require_all_seen_can_be_taken(const char *key) {
    size_t seen = 1, taken = 0;
    for (int attempt = 0; attempt < ATTEMPTS && seen != taken; attempt++) {
        hostile_double(key);
        seen = call(primary, "QUEUE.PEEK %s COUNT 32", key)->elements;
        taken = call(primary, "QUEUE.GET again COUNT 32")->elements;
    }
    require(seen == taken, "%zu messages seen, %zu taken", seen, taken);
}

/* All that can be asked, then all that can be done. */
static void require_sound(const char *key) {
    redisReply *stat = call(primary, "QUEUE.STAT %s", key);
    require(!reply_is_error(stat), "QUEUE.STAT gives %s", reply_text(stat));
    call(primary, "QUEUE.GETACL %s", key);
    call(primary, "MEMORY USAGE %s", key);
    call(primary, "QUEUE.DEAD %s", key);
    require_all_seen_can_be_taken(key);
    call(primary, "QUEUE.PUT again text GROUP g");
    call(primary, "QUEUE.REDRIVE again");
    call(primary, "QUEUE.CLEAR again");
    call(primary, "DEL again %s", key);
}

TEST(payloads_with_every_byte_changed) {
    random_begin();
    hostile_change_every_byte(dump_of_everything(), require_sound);
}

TEST(payloads_cut_at_every_length) {
    hostile_cut_at_every_length(dump_of_everything(), require_sound);
}

/* Effects of every kind with bytes changed, on a queue that has something in it. */
TEST(effects_with_bytes_changed) {
    static const struct {
        const char *bytes;
        size_t length;
    } effects[] = {{"Q\7aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb\1\0", 36},
                   {"Q\x9\1\x10"
                    "aaaaaaaaaaaaaaaa",
                    20},
                   {"Q\xd\x7f\1\1\1", 6},
                   {"Q\xe\4aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb\1\x7f\1\1\1\0\0\4text", 47},
                   {"Q\5\x20\1\x7f\1\0\0\1\x25"
                    "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb\4text",
                    47},
                   {"Q\xa", 2}};
    random_begin();
    expect_misfits();
    dump_of_everything();
    configure(primary, "holdfast.accept-effects", "yes");
    for (int round = 0; round < 3000; round++) {
        size_t chosen = random_size(ARRAY_SIZE(effects));
        char *effect = pool_copy(effects[chosen].bytes, effects[chosen].length);
        if (random_below(3)) effect[1 + random_size(effects[chosen].length - 1)] = (char)random_below(256);
        call(primary, "HOLDFAST.APPLY jobs %b", effect, effects[chosen].length);
        if (!call(primary, "EXISTS jobs")->integer) expect_ok(call(primary, "QUEUE.CREATE jobs"));
    }
    require_sound("jobs");
}
