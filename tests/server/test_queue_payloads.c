/* Hostile payloads for queues: RESTORE with a valid checksum around a doctored value, and doctored effects. Each is
 * answered with an error, or gives a queue that is whole and safe. No server dies, and all hold the same. */

#include "harness.h"
#include "hostile.h"
#include "pool.h"
#include "queues.h"
#include "random.h"
#include "steps.h"

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

static void keep(struct parcel parcel, char id, char receipt) {
    step_keep(id, parcel.id);
    step_keep(receipt, parcel.receipt);
}

TEST(effects_with_bytes_changed) {
    static const char *const lines[] = {"QUEUE.SETMETA jobs META 1 c d",
                                        "QUEUE.SETACL jobs",
                                        "QUEUE.PUT jobs text GROUP h DEDUP e WITHIN 100",
                                        "QUEUE.UPDATE jobs $i $r VISIBILITY 5 MESSAGE longer",
                                        "QUEUE.RELEASE jobs $k $s VISIBILITY 5",
                                        "QUEUE.DELETE jobs $d $t",
                                        "QUEUE.GET jobs COUNT 3 VISIBILITY 100",
                                        "QUEUE.CONFIGURE jobs MAXDELIVERIES 3",
                                        "QUEUE.REDRIVE jobs COUNT 1",
                                        "QUEUE.CLEAR jobs",
                                        "QUEUE.DROP jobs",
                                        "QUEUE.CREATE jobs META 1 a b",
                                        NULL};
    dump_of_everything();
    keep(put_job("updated", "VISIBILITY 1000"), 'i', 'r');
    keep(put_job("deleted", "VISIBILITY 1000"), 'd', 't');
    keep(get_job("known", "VISIBILITY 1000"), 'k', 's');
    hostile_doctor_effects("jobs", lines, require_sound);
}
