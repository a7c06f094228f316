/* HOLDFAST.ATOMIC: all is decided on one state, and happens as one: reads, copies, leases, limits
 * that several share. */
#include <string.h>

#include "atomic.h"
#include "clock.h"
#include "harness.h"
#include "lease_states.h"
#include "pool.h"
#include "steps.h"
#include "waiting.h"

/* --- One state --- */

BEFORE_EACH {
    atomic_setup();
}

TEST(reads_of_a_transaction_see_the_state_before_it) {
    redisReply *reply =
        expect_elements(atomic("BLOB.GET c a", "BLOB.PUT c a new", "BLOB.GET c a", "CONTAINER.GET c"), 4);
    expect_text(reply->element[0]->element[1], "alpha");
    expect_text(reply->element[2]->element[1], "alpha");
    expect_number(field(reply->element[3], "blobs"), 2);
    expect_text(call(primary, "BLOB.GET c a")->element[1], "new");
    expect_error(atomic("BLOB.PUT c new x", "BLOB.GET c new"), "NOTFOUND BlobNotFound 1:");
    expect_error(atomic("FILE.MKDIR s e", "FILE.CREATE s e/f 1"), "NOTFOUND ParentNotFound 1:");
    expect_error(atomic("BLOB.PUT c new x", "LEASE.ACQUIRE c 60 BLOB new"), "NOTFOUND BlobNotFound 1:");
}

TEST(an_unchanged_blob_refuses_no_transaction) {
    const char *etag = expect_etag(call(primary, "BLOB.GET c a"));
    redisReply *reply =
        expect_elements(atomic(pool_print("BLOB.GET c a IFNONEMATCH %s", etag), "BLOB.PUT c b x"), 2);
    expect_null(reply->element[0]);
    assert_string_equal(atomic_content("b"), "x");
}

TEST(each_write_has_an_etag_of_its_own_in_order) {
    redisReply *reply = expect_elements(atomic("BLOB.PUT c a x", "TABLE.MERGE t p r IFMATCH * PROPS 0",
                                               "BLOB.PUT c b y", "FILE.SETMETA s f META 0"),
                                        4);
    for (size_t i = 1; i < 4; i++)
        assert_true(strcmp(expect_etag(reply->element[i - 1]), expect_etag(reply->element[i])) < 0);
    expect_text(field(stat_of("c", "a"), "etag"), expect_etag(reply->element[0]));
    expect_text(field(stat_of("c", "b"), "etag"), expect_etag(reply->element[2]));
}

TEST(timestamps_of_one_table_differ) {
    expect_elements(
        atomic("TABLE.INSERT t p 1 PROPS 0", "TABLE.INSERT t p 2 PROPS 0", "TABLE.INSERT t p 3 PROPS 0"), 3);
    const char *before = "";
    for (int i = 1; i <= 3; i++) {
        redisReply *map = call(primary, "TABLE.GET t p %d SELECT 1 Timestamp", i)->element[1];
        const char *at = reply_string(map->element[1]);
        require(strcmp(before, at) < 0, "%s is not before %s", before, at);
        before = at;
    }
}

/* Also on servers without a cached clock, where each look at the clock tells another time. */
TEST(a_transaction_has_one_moment_for_all_tables) {
    enum { TABLES = 80 };
    const char *lines[TABLES + 1] = {NULL};
    for (int i = 0; i < TABLES; i++) {
        expect_ok(call(primary, "TABLE.CREATE t%d", i));
        lines[i] = pool_print("TABLE.INSERT t%d p r PROPS 0", i);
    }
    expect_elements(atomic_of(primary, lines), TABLES);
    const char *first = NULL;
    for (int i = 0; i < TABLES; i++) {
        redisReply *map = call(primary, "TABLE.GET t%d p r SELECT 1 Timestamp", i)->element[1];
        const char *at = reply_string(map->element[1]);
        if (!first) first = at;
        require(!strcmp(at, first), "table %d has %s, the first one %s", i, at, first);
    }
}

/* --- Copies --- */

TEST(copies_of_a_transaction_read_the_state_before_it) {
    put("c", "x", "xenon");
    expect_elements(atomic("BLOB.PUT c a new", "BLOB.COPY c copy c a"), 2);
    assert_string_equal(atomic_content("copy"), "alpha");
    assert_string_equal(atomic_content("a"), "new");
    expect_elements(atomic("BLOB.COPY c a c b", "BLOB.COPY c b c a"), 2);
    assert_string_equal(atomic_content("a"), "beta");
    assert_string_equal(atomic_content("b"), "new");
    expect_elements(
        atomic("BLOB.COPY c a c b", "BLOB.COPY c b c x", "BLOB.COPY c x c a", "BLOB.COPY c y c a"), 4);
    assert_string_equal(atomic_content("a"), "new");
    assert_string_equal(atomic_content("b"), "xenon");
    assert_string_equal(atomic_content("x"), "beta");
    assert_string_equal(atomic_content("y"), "beta");
    expect_elements(atomic("BLOB.COPY c moved c x", "BLOB.DELETE c x"), 2);
    assert_string_equal(atomic_content("moved"), "beta");
    assert_string_equal(atomic_content("x"), "(none)");
    expect_elements(atomic("BLOB.DELETE c y", "BLOB.COPY c back c y"), 2);
    assert_string_equal(atomic_content("back"), "beta");
    expect_elements(atomic("BLOB.COPY c a c a META 1 k new", "BLOB.COPY c kin c a"), 2);
    expect_shape(call(primary, "BLOB.GETMETA c kin"), "[<etag>, []]");
    expect_number(field(stat_of("c", "a"), "snapshots"), 0);
}

TEST(copies_between_containers_exchange) {
    create("o");
    put("o", "b", "omega");
    expect_elements(atomic("BLOB.COPY c a o b", "BLOB.COPY o b c a"), 2);
    assert_string_equal(atomic_content("a"), "omega");
    expect_text(call(primary, "BLOB.GET o b")->element[1], "alpha");
}

/* Pages and blocks share their bytes; what the snapshot of an exchange leaves behind must be nothing. */
TEST(large_blobs_are_exchanged) {
    expect_etag(call(primary, "BLOB.PUT c a %s", pool_print("%070000d", 1)));
    expect_etag(call(primary, "BLOB.PUT c b %s", pool_print("%080000d", 2)));
    long long blobs = info_of(primary, "holdfast_blob_snapshots");
    expect_elements(atomic("BLOB.COPY c a c b", "BLOB.COPY c b c a"), 2);
    expect_number(field(stat_of("c", "a"), "content-length"), 80000);
    expect_number(field(stat_of("c", "b"), "content-length"), 70000);
    assert_int_equal(info_of(primary, "holdfast_blob_snapshots"), blobs);
}

/* --- Leases beside what they stand on --- */

TEST(lease_changes_of_a_transaction_come_after_the_writes_they_guard) {
    expect_elements(call(primary, "LEASE.ACQUIRE c 60 BLOB a ID " ID_A " OWNER me"), 2);
    expect_elements(atomic("LEASE.RELEASE c " ID_A " BLOB a", "BLOB.PUT c a final LEASE " ID_A), 2);
    assert_string_equal(atomic_content("a"), "final");
    expect_text(field(call(primary, "LEASE.GET c BLOB a"), "state"), "available");
    expect_elements(call(primary, "LEASE.ACQUIRE c 60 BLOB a ID " ID_A " OWNER me"), 2);
    expect_error(atomic("LEASE.RELEASE c " ID_A " BLOB a", "BLOB.PUT c a late"),
                 "PRECONDITION LeaseIdMissing 1:");
    redisReply *reply =
        expect_elements(atomic("LEASE.RENEW c " ID_A " BLOB a", "BLOB.DELETE c a LEASE " ID_A), 2);
    expect_elements(reply->element[0], 2);
    assert_string_equal(atomic_content("a"), "(none)");
    expect_shape(call(primary, "LEASE.LIST c"), "[null, []]");
}

/* A write frees what is left of a lease that has run out, and a client that renews it beside
 * has its owner's name from there. */
TEST(a_lease_that_has_run_out_is_renewed_beside_a_write) {
    expect_elements(call(primary, "LEASE.ACQUIRE c 15 BLOB a ID " ID_A " OWNER "
                                  "somebody-with-a-long-name"),
                    2);
    long long expiries = info_of(primary, "holdfast_lease_expiries");
    time_passes(16000);
    expect_elements(atomic("BLOB.PUT c a x", "LEASE.RENEW c " ID_A " BLOB a"), 2);
    redisReply *lease = call(primary, "LEASE.GET c BLOB a");
    expect_text(field(lease, "state"), "leased");
    expect_text(field(lease, "owner"), "somebody-with-a-long-name");
    assert_int_equal(info_of(primary, "holdfast_lease_expiries"), expiries + 1);
    time_passes(16000);
    expect_elements(atomic("LEASE.ACQUIRE c 15 BLOB a ID " ID_B, "BLOB.PUT c a y"), 2);
    expect_text(field(call(primary, "LEASE.GET c BLOB a"), "state"), "leased");
    assert_int_equal(info_of(primary, "holdfast_lease_expiries"), expiries + 2);
    time_passes(16000);
    expect_elements(atomic("LEASE.ACQUIRE c 15 BLOB a ID " ID_A, "BLOB.DELETE c a SNAPSHOTS ONLY"), 2);
    expect_text(field(call(primary, "LEASE.GET c BLOB a"), "state"), "leased");
    assert_int_equal(info_of(primary, "holdfast_lease_expiries"), expiries + 3);
}

static const char *const lease_changes[] = {
    "LEASE.BREAK box BLOB cat",           "LEASE.BREAK box BLOB cat PERIOD 5",
    "LEASE.RELEASE box A BLOB cat",       "LEASE.RENEW box A BLOB cat",
    "LEASE.ACQUIRE box 60 BLOB cat ID A", "LEASE.ACQUIRE box 60 BLOB cat ID B",
    "LEASE.CHANGE box A B BLOB cat",
};

/* What becomes of the lease when the two lines are one transaction: its state, and whether A could renew it. */
static const char *lease_after(const struct lease_way *way, const char *preparation, const char *first,
                               const char *second) {
    lease_reach(way, &on_blob);
    if (*preparation) require(!reply_is_error(call_line(primary, preparation)), "%s", preparation);
    struct words words = words_of_line("HOLDFAST.ATOMIC 2");
    for (const char *line = first; line; line = line == first ? second : NULL) {
        struct words part = step_words(line);
        words_add_number(&words, (long long)part.count);
        for (size_t i = 0; i < part.count; i++) words_add(&words, part.word[i]);
    }
    if (reply_is_error(call_words(primary, &words))) return "refused";
    const char *state = reply_string(field(lease_of("box", &on_blob), "state"));
    redisReply *renewed = lease_play("LEASE.RENEW box A", &on_blob);
    return pool_print("%s, %s", state, reply_is_error(renewed) ? renewed->str : "renewed");
}

static void expect_any_order(const struct lease_way *way, const char *preparation, const char *write) {
    bool locked = way->state == LEASED_INFINITE || way->state == LEASED_FINITE || way->state == BREAKING;
    if (locked) write = pool_print("%s LEASE A", write);
    for (size_t i = 0; i < ARRAY_SIZE(lease_changes); i++) {
        const char *change = lease_changes[i];
        const char *before = lease_after(way, preparation, change, write);
        const char *behind = lease_after(way, preparation, write, change);
        require(!strcmp(before, behind), "%s; %s beside %s\n    gives %s\n    and behind it %s",
                lease_way_text(way, &on_blob), change, write, before, behind);
    }
}

/* Deleting no snapshots clears what has ended by a change of the lease, all others by one of the blob. */
TEST(a_lease_that_changes_beside_a_write_is_the_same_in_any_order) {
    for (size_t way = 0; way < lease_ways_count; way++) {
        if (!lease_way_fits(&lease_ways[way], &on_blob)) continue;
        const void *mark = pool_mark();
        expect_any_order(&lease_ways[way], "", "BLOB.DELETE box cat SNAPSHOTS ONLY");
        expect_any_order(&lease_ways[way], "BLOB.SNAPSHOT box cat", "BLOB.DELETE box cat SNAPSHOTS ONLY");
        expect_any_order(&lease_ways[way], "", "BLOB.SETMETA box cat META 0");
        pool_release(mark);
    }
}

TEST(the_lease_of_a_file_goes_with_it) {
    expect_elements(call(primary, "LEASE.ACQUIRE s -1 FILE f ID " ID_A), 2);
    expect_elements(atomic("FILE.DELETE s F LEASE " ID_A, "LEASE.RELEASE s " ID_A " FILE f"), 2);
    expect_error(call(primary, "FILE.STAT s f"), "NOTFOUND ResourceNotFound");
}

TEST(waiters_come_before_a_transaction) {
    expect_elements(call(primary, "LEASE.ACQUIRE c -1 BLOB a ID " ID_A), 2);
    struct client *next = waiting("LEASE.ACQUIRE c 60 BLOB a ID " ID_B " BLOCK 0");
    expect_elements(atomic("BLOB.PUT c a done LEASE " ID_A, "LEASE.RELEASE c " ID_A " BLOB a"), 2);
    assert_string_equal(lease_id(answer_of(next)), ID_B);
    expect_error(atomic("BLOB.PUT c b x", "LEASE.ACQUIRE c 60 BLOB a"), "CONFLICT LeaseAlreadyPresent 1:");
}

/* --- Limits that several share --- */

TEST(the_quota_counts_for_all) {
    expect_etag(call(primary, "SHARE.SETPROPS s QUOTA 100"));
    expect_error(atomic("FILE.CREATE s one 50", "FILE.CREATE s two 50"), "CONFLICT ShareSizeLimitReached 1:");
    expect_error(atomic("FILE.DELETE s f", "FILE.CREATE s one 95"), "CONFLICT ShareSizeLimitReached 1:");
    expect_error(atomic("FILE.SETPROPS s f SIZE 60", "FILE.CREATE s one 41"),
                 "CONFLICT ShareSizeLimitReached 1:");
    expect_elements(atomic("FILE.CREATE s one 50", "FILE.CREATE s two 40"), 2);
    expect_error(call(primary, "FILE.CREATE s three 1"), "CONFLICT ShareSizeLimitReached");
}

TEST(ids_of_new_blocks_have_one_length) {
    expect_error(atomic("BLOB.PUTBLOCK c new AAAA x", "BLOB.PUTBLOCK c new AAAAAAAA y"),
                 "INVALID InvalidBlobOrBlock 1:");
    expect_error(call(primary, "BLOB.GETBLOCKLIST c new ALL"), "NOTFOUND BlobNotFound");
    expect_elements(
        atomic("BLOB.PUTBLOCK c new AAAA x", "BLOB.PUTBLOCK c new BBBB y", "BLOB.PUTBLOCK c two AAAAAAAA z"),
        3);
    expect_etag(call(primary, "BLOB.PUTBLOCKLIST c new 2 LATEST BBBB LATEST AAAA"));
    assert_string_equal(atomic_content("new"), "yx");
}

TEST(a_list_of_deletions_goes_as_a_whole) {
    atomic_put_message('m', 'r');
    atomic_put_message('n', 'o');
    static const char none[] = "aaaaaaaa-0000-4000-8000-00000000000a";
    const char *bad = pool_print("QUEUE.DELETEMANY q 2 $m $r %s $r", none);
    expect_error(atomic("BLOB.PUT c a x", bad), "NOTFOUND MessageNotFound 1:");
    expect_error(atomic("QUEUE.DELETEMANY q 2 $m $r $m $r"), "NOTFOUND MessageNotFound 0:");
    const char *malformed = "QUEUE.DELETEMANY q 2 $m $r $n 00000000000040008000zzzzzzzzzzzz";
    expect_error(atomic("QUEUE.PUT none x", malformed),
                 "INVALID InvalidQueryParameterValue 1: a receipt has 32 hexadecimal digits");
    expect_error(atomic("QUEUE.PUT none x", "QUEUE.DELETEMANY q 1 $m ''"),
                 "INVALID MissingRequiredQueryParameter 1:");
    expect_number(field(call(primary, "QUEUE.STAT q"), "messages"), 2);
    expect_elements(atomic("QUEUE.DELETEMANY q 2 $m $r $n $o", "QUEUE.PUTMANY q 2 x y"), 2);
    expect_number(field(call(primary, "QUEUE.STAT q"), "messages"), 2);
}
