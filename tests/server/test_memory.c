/* What values take: MEMORY USAGE against what the server really has in use, limits, and giving it back. */
#include <string.h>

#include "blobs.h"
#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "steps.h"
#include "text.h"

enum { PERCENT = 100, TOLERANCE_PERCENT = 5 };

static struct server *single;
static struct client *client;

/* A server without replicas, whose buffers would count as memory in use. */
static void begin_alone(void) {
    single = server_start("single", "");
    client = test_client(single);
    expect_etag(call(client, "CONTAINER.CREATE warm"));
    expect_etag(call(client, "BLOB.PUT warm up x"));
    expect_number(call(client, "DEL warm"), 1);
}

static void put_many(const char *container, int count, size_t length, const char *clauses) {
    char *content = pool_take(length + 1);
    memset(content, 'x', length);
    struct client *filler = client_open(single);
    expect_etag(call(filler, "CONTAINER.CREATE %s", container));
    for (int i = 0; i < count; i++) {
        struct words words = {0};
        words_add_line(&words, pool_print("BLOB.PUT %s", container));
        words_add(&words, pool_print("blob-%011d", i));
        words_add_bytes(&words, content, length);
        words_add_line(&words, clauses);
        expect_etag(call_words(filler, &words));
    }
    client_close(filler);
}

static long long memory_usage(const char *container) {
    return call(client, "MEMORY USAGE %s SAMPLES 0", container)->integer;
}

static const struct load {
    const char *name;
    int count;
    size_t length;
    const char *clauses;
} loads[] = {
    {"tiny", 20000, 1, ""},
    {"small", 20000, 100, ""},
    {"dressed", 10000, 100,
     "META 2 colour red size large PROPS 2 content-type text/plain content-language en"},
    {"middle", 2000, 4096, ""},
    {"large", 100, 200000, ""},
};

BEFORE_EACH {
    begin_alone();
}

TEST(memory_usage_tells_what_is_used) {
    for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
        const struct load *load = &loads[i];
        long long before = memory_in_use(single);
        put_many(load->name, load->count, load->length, load->clauses);
        long long used = memory_in_use(single) - before;
        long long told = memory_usage(load->name);
        long long difference = told > used ? told - used : used - told;
        print_message("# %s: %lld bytes used, %lld told, %lld a blob\n", load->name, used, told,
                      used / load->count);
        require(difference * PERCENT <= used * TOLERANCE_PERCENT, "%s uses %lld bytes, but tells of %lld",
                load->name, used, told);
    }
}

/* Blobs of the other kinds: what makes each of them, on a blob of its own; %s is its name. */
static const struct {
    const char *name;
    int count;
    const char *steps[6];
} kinds[] = {
    {"blocks",
     500,
     {"BLOB.PUTBLOCK kind %s AAAA 5000*x", "BLOB.PUTBLOCK kind %s AAAB 100*x",
      "BLOB.PUTBLOCKLIST kind %s 3 LATEST AAAB LATEST AAAA LATEST AAAB"}},
    {"staged", 500, {"BLOB.PUTBLOCK kind %s AAAA 5000*x", "BLOB.PUTBLOCK kind %s AAAB 100*x"}},
    {"pages",
     500,
     {"BLOB.CREATEPAGE kind %s 8796093022208", "BLOB.PUTPAGE kind %s 0 8192*x",
      "BLOB.PUTPAGE kind %s 1099511627776 512*x", "BLOB.CLEARPAGE kind %s 512 1024"}},
    {"appended",
     300,
     {"BLOB.CREATEAPPEND kind %s", "BLOB.APPEND kind %s 10*x", "BLOB.APPEND kind %s 5000*x",
      "BLOB.APPEND kind %s 70000*x", "BLOB.APPEND kind %s 10*x"}},
    {"snapshots",
     500,
     {"BLOB.PUT kind %s 100*x META 1 a b", "BLOB.SNAPSHOT kind %s", "BLOB.PUT kind %s 9000*x",
      "BLOB.SNAPSHOT kind %s META 1 c d", "BLOB.SNAPSHOT kind %s", "BLOB.SETMETA kind %s META 0"}},
    {"copies", 500, {"BLOB.PUT kind %s 9000*x", "BLOB.COPY kind copy-%s kind %s"}},
};

static struct words words_for(const char *step, const char *name) {
    struct text line = EMPTY_TEXT;
    for (const char *blank = strstr(step, "%s"); blank; step = blank + 2, blank = strstr(step, "%s"))
        text_print(&line, "%.*s%s", (int)(blank - step), step, name);
    text_print(&line, "%s", step);
    return step_words(line.bytes);
}

TEST(memory_usage_tells_what_all_kinds_use) {
    for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
        long long before = memory_in_use(single);
        struct client *filler = client_open(single);
        expect_etag(call(filler, "CONTAINER.CREATE kind"));
        for (int i = 0; i < kinds[kind].count; i++) {
            for (int step = 0; step < 6 && kinds[kind].steps[step]; step++) {
                struct words words = words_for(kinds[kind].steps[step], pool_print("blob-%d", i));
                redisReply *reply = call_words(filler, &words);
                require(!reply_is_error(reply), "%s gave %s", kinds[kind].steps[step], reply_text(reply));
            }
        }
        client_close(filler);
        long long used = memory_in_use(single) - before, told = memory_usage("kind");
        long long difference = told > used ? told - used : used - told;
        print_message("# %s: %lld bytes used, %lld told, %lld a blob\n", kinds[kind].name, used, told,
                      used / kinds[kind].count);
        require(difference * PERCENT <= used * TOLERANCE_PERCENT, "%s use %lld bytes, but tell of %lld",
                kinds[kind].name, used, told);
        expect_number(call(client, "DEL kind"), 1);
        long long left = memory_in_use(single) - before;
        require(left * PERCENT < used * 3, "%s leave %lld of %lld bytes", kinds[kind].name, left, used);
    }
}

TEST(deleted_blobs_give_back_their_memory) {
    long long before = memory_in_use(single);
    put_many("box", 20000, 100, "META 1 a b");
    long long full = memory_in_use(single) - before;
    for (int i = 0; i < 20000; i++) expect_ok(call(client, "BLOB.DELETE box blob-%011d", i));
    long long emptied = memory_in_use(single) - before;
    require(emptied * PERCENT < full * 20, "%lld of %lld bytes are still used by no blobs", emptied, full);
    long long told = memory_usage("box");
    require(told * PERCENT < full * 20, "%lld of %lld bytes are still told for no blobs", told, full);
    expect_ok(call(client, "CONTAINER.DELETE box"));
    long long left = memory_in_use(single) - before;
    require(left * PERCENT < full * 2, "%lld of %lld bytes are left", left, full);
}

TEST(overwriting_does_not_grow) {
    put_many("box", 100, 1000, "META 1 a b");
    long long before = memory_in_use(single);
    for (int round = 0; round < 200; round++) {
        call_many(client, 100, pool_print("BLOB.PUT box blob-%%011d %01000d META 1 a b", round));
    }
    long long grown = memory_in_use(single) - before;
    require(grown < 200000, "overwriting left %lld bytes more", grown);
}

TEST(a_full_server_takes_nothing_in_and_lets_go) {
    static const char *const growing[] = {
        "BLOB.PUT box new x",
        "BLOB.PUT box one x",
        "BLOB.SETMETA box one META 1 a b",
        "CONTAINER.CREATE new",
        "CONTAINER.SETACL box",
        "CONTAINER.SETMETA box META 0",
        "BLOB.SETPROPS box one PROPS 0",
        "BLOB.PUTBLOCK box one AAAA x",
        "BLOB.PUTBLOCKLIST box one 0",
        "BLOB.CREATEPAGE box disk 512",
        "BLOB.PUTPAGE box disk 0 x",
        "BLOB.CREATEAPPEND box log",
        "BLOB.APPEND box log x",
        "BLOB.SNAPSHOT box one",
        "BLOB.COPY box two box one",
        NULL,
    };
    begin_alone();
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_etag(call(client, "BLOB.PUT box one 1"));
    expect_etag(call(client, "BLOB.PUT box two 2"));
    expect_etag(call(client, "BLOB.CREATEPAGE box disk 512"));
    expect_ok(call(client, "CONFIG SET maxmemory-policy noeviction"));
    expect_ok(call(client, "CONFIG SET maxmemory 1"));
    expect_each_error(client, growing, "OOM");
    expect_text(call(client, "BLOB.GET box one")->element[1], "1");
    expect_elements(call(client, "BLOB.LIST box"), 2);
    expect_ok(call(client, "BLOB.DELETE box one"));
    expect_elements(call(client, "BLOB.CLEARPAGE box disk 0 512"), 2);
    expect_ok(call(client, "CONTAINER.DELETE box"));
    expect_ok(call(client, "CONFIG SET maxmemory 0"));
    expect_error(call(client, "CONTAINER.GET new"), "NOTFOUND ContainerNotFound");
}

/* Who has taken a message can go on with it and end it, but not make it longer; nor does
 * being refused cost the receipt. */
TEST(a_full_server_lets_consumers_go_on) {
    expect_ok(call(client, "QUEUE.CREATE jobs"));
    redisReply *put = call(client, "QUEUE.PUT jobs four");
    const char *id = field(put, "id")->str, *first = field(put, "receipt")->str, *receipt = first;
    expect_ok(call(client, "CONFIG SET maxmemory-policy noeviction"));
    expect_ok(call(client, "CONFIG SET maxmemory 1"));
    expect_error(call(client, "QUEUE.PUT jobs x"), "OOM");
    expect_error(call(client, "QUEUE.UPDATE jobs %s %s VISIBILITY 5 MESSAGE longer", id, receipt),
                 "OOM command not allowed");
    expect_error(
        call(client, "HOLDFAST.ATOMIC 1 8 QUEUE.UPDATE jobs %s %s VISIBILITY 5 MESSAGE longer", id, receipt),
        "OOM command not allowed");
    receipt = field(call(client, "QUEUE.UPDATE jobs %s %s VISIBILITY 5", id, receipt), "receipt")->str;
    expect_elements(call(client, "QUEUE.UPDATE jobs %s %s VISIBILITY 0 MESSAGE five", id, receipt), 4);
    expect_error(call(client, "QUEUE.UPDATE jobs %s %s VISIBILITY 0 MESSAGE longer", id, first), "NOTFOUND");
    put = expect_elements(call(client, "QUEUE.GET jobs"), 1)->element[0];
    expect_text(field(put, "message"), "five");
    expect_ok(call(client, "CONFIG SET maxmemory 0"));
    receipt = field(put, "receipt")->str;
    expect_elements(call(client, "QUEUE.UPDATE jobs %s %s VISIBILITY 0 MESSAGE longer", id, receipt), 4);
}

/* As administrators do who let nobody use CONFIG. */
TEST(a_full_server_without_config_refuses_what_grows) {
    single = server_start("single", "rename-command CONFIG \"\"\nmaxmemory 24mb\n");
    client = test_client(single);
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_ok(call(client, "QUEUE.CREATE jobs"));
    redisReply *put = call(client, "QUEUE.PUT jobs four");
    const char *id = field(put, "id")->str, *receipt = field(put, "receipt")->str;
    for (int i = 0; !reply_is_error(call(client, "SETRANGE filler-%d 1000000 x", i)); i++)
        require(i < 24, "the server is never full");
    expect_error(call(client, "HOLDFAST.ATOMIC 1 4 BLOB.PUT box one x"), "OOM");
    expect_error(call(client, "QUEUE.UPDATE jobs %s %s VISIBILITY 0 MESSAGE longer", id, receipt), "OOM");
    expect_error(call(client, "CONTAINER.FEED box ON"), "OOM");
}

/* --- Where the server evicts --- */

enum { FILLERS = 20000 };

/* A server that is full of keys that it may evict. */
static void begin_full_of_fillers(void) {
    single = server_start("single", "maxmemory-policy volatile-lru\n");
    client = test_client(single);
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_ok(call(client, "QUEUE.CREATE jobs"));
    call_many(client, FILLERS,
              "SET filler-%d xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx EX 9000");
    expect_ok(call(client, "CONFIG SET maxmemory %lld", info_of(client, "used_memory")));
}

/* Before each command the server evicts what is too much. What the transaction itself takes comes on top. */
TEST(a_full_server_that_evicts_refuses_no_transaction) {
    begin_full_of_fillers();
    struct words words = words_of_line("HOLDFAST.ATOMIC 50");
    for (int i = 0; i < 50; i++) words_add_line(&words, pool_print("4 BLOB.PUT box %d x", i));
    for (int i = 0; i < 20; i++) {
        expect_ok(call(client, "SET more-%d x EX 9000", i));
        expect_elements(call_words(client, &words), 50);
    }
}

/* The server takes what it is sent while it evicts, a few keys before each command. */
TEST(a_server_that_is_still_evicting_takes_what_grows) {
    begin_full_of_fillers();
    redisReply *put = call(client, "QUEUE.PUT jobs four");
    const char *id = field(put, "id")->str, *receipt = field(put, "receipt")->str;
    expect_ok(call(client, "CONFIG SET maxmemory-eviction-tenacity 0 maxmemory %lld",
                   info_of(client, "used_memory") - 2000000));
    expect_etag(call(client, "BLOB.PUT box one x"));
    expect_elements(call(client, "HOLDFAST.ATOMIC 1 4 BLOB.PUT box two x"), 1);
    expect_elements(call(client, "QUEUE.UPDATE jobs %s %s VISIBILITY 0 MESSAGE longer", id, receipt), 4);
    expect_ok(call(client, "CONTAINER.FEED box ON"));
    require(info_of(client, "used_memory") > info_of(client, "maxmemory"),
            "the server has evicted all that it must");
}

/* --- What is freed by and by --- */

enum { PART = 4 << 20, PARTS = 16 };

static void fill_disk(void) {
    char *part = pool_take(PART);
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk %d", PARTS * PART));
    for (int i = 0; i < PARTS; i++)
        expect_etag(call(primary, "BLOB.PUTPAGE box disk %d %b", i * PART, part, (size_t)PART)->element[0]);
    await_replicas();
    require(memory_of(replica, "box") > (long long)PARTS * PART, "the replica has not got the pages");
}

/* Until the container takes as little as before it was filled. */
static void await_little(struct client *client, long long max) {
    AWAIT_OR(memory_of(client, "box") <= max, "%s keeps %lld bytes", client->server->name,
             memory_of(client, "box"));
}

static const char *const emptied_by[] = {
    "BLOB.CLEARPAGE box disk 512 67107840",
    "BLOB.SETPROPS box disk SIZE 512",
    "BLOB.CREATEPAGE box disk 512",
    "BLOB.DELETE box disk",
};

/* Nobody asks a replica to: it frees what the effects of its primary leave. */
TEST(replicas_free_large_contents_too) {
    create("box");
    long long max = memory_of(replica, "box") + 100000;
    for (size_t i = 0; i < ARRAY_SIZE(emptied_by); i++) {
        fill_disk();
        redisReply *reply = call_line(primary, emptied_by[i]);
        require(!reply_is_error(reply), "%s: %s", emptied_by[i], reply_text(reply));
        await_replicas();
        await_little(primary, max);
        await_little(replica, max);
        await_little(chained, max);
        assert_string_equal(digest_of(replica), digest_of(primary));
    }
}

static void fill_and_empty(void) {
    fill_disk();
    expect_etag(call(primary, "BLOB.COPY box twin box disk"));
    expect_etag(call(primary, "BLOB.CLEARPAGE box disk 512 67107840")->element[0]);
    expect_ok(call(primary, "BLOB.DELETE box twin"));
    await_replicas();
}

/* While some is left to be freed, the value can be loaded anew and dropped, and the replica take over. */
TEST(replicas_go_on_while_contents_are_being_freed) {
    create("box");
    long long max = memory_of(replica, "box") + 100000;
    fill_and_empty();
    expect_ok(call(replica, "DEBUG RELOAD"));
    await_little(replica, max);
    fill_and_empty();
    expect_ok(call(replica, "REPLICAOF NO ONE"));
    await_little(replica, max);
    follow(replica, primary);
    fill_and_empty();
    expect_number(call(primary, "DEL box"), 1);
    await_replicas();
    assert_int_equal(memory_of(replica, "box"), 0);
}

/* A replica that is full must still take what its primary sends. */
TEST(a_full_replica_follows_on) {
    create("box");
    await_replicas();
    configure(replica, "maxmemory", "1");
    configure(replica, "maxmemory-policy", "noeviction");
    put("box", "cat", "meow");
    await_replicas();
    expect_text(call(replica, "BLOB.GET box cat")->element[1], "meow");
}

TEST(unlink_frees_in_the_background) {
    put_many("box", 20000, 100, "");
    put_many("small", 1, 1, "");
    long long freed = info_of(client, "lazyfreed_objects");
    expect_number(call(client, "UNLINK box"), 1);
    await_info(client, "lazyfreed_objects", freed + 1);
    assert_int_equal(info_of(client, "lazyfree_pending_objects"), 0);
}

/* Both share the large content, so freeing one of them on another thread must leave the other whole. */
TEST(a_copy_outlives_its_original) {
    enum { LENGTH = 100000, BLOBS = 100 };
    put_many("box", BLOBS, LENGTH, "");
    expect_number(call(client, "COPY box twin"), 1);
    expect_number(call(client, "UNLINK box"), 1);
    char *content = pool_take(LENGTH);
    memset(content, 'x', LENGTH);
    for (int i = 0; i < BLOBS; i++)
        expect_bytes(call(client, "BLOB.GET twin blob-%011d", i)->element[1], content, LENGTH);
    expect_ok(call(client, "CONTAINER.DELETE twin"));
}

/* Containers that share bytes are freed on another thread, while what is left of them is read and written. */
TEST(copies_are_freed_beside_their_sources) {
    enum { ROUNDS = 60, LENGTH = 300000 };
    char *content = pool_take(LENGTH);
    memset(content, 'x', LENGTH);
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_etag(call(client, "BLOB.PUT box large %b", content, (size_t)LENGTH));
    expect_etag(call(client, "BLOB.CREATEAPPEND box log"));
    expect_elements(call(client, "BLOB.APPEND box log %b", content, (size_t)LENGTH), 3);
    expect_etag(call(client, "BLOB.CREATEPAGE box disk 4194304"));
    expect_elements(call(client, "BLOB.PUTPAGE box disk 0 %b", content, (size_t)LENGTH / 512 * 512), 2);
    for (int round = 0; round < ROUNDS; round++) {
        expect_etag(call(client, "CONTAINER.CREATE other"));
        for (int copy = 0; copy < 70; copy++) {
            expect_elements(call(client, "BLOB.COPY other large-%d box large", copy), 3);
            expect_elements(call(client, "BLOB.COPY other disk-%d box disk", copy), 3);
            expect_elements(call(client, "BLOB.COPY other log-%d box log", copy), 3);
            expect_etag(call(client, "BLOB.SNAPSHOT other log-%d", copy));
        }
        expect_number(call(client, "UNLINK other"), 1);
        expect_elements(call(client, "BLOB.PUTPAGE box disk %d %b", round * 512, content, (size_t)512), 2);
        expect_elements(call(client, "BLOB.APPEND box log x"), 3);
        expect_elements(call(client, "BLOB.COPY box twin box large"), 3);
        expect_bytes(call(client, "BLOB.GET box large")->element[1], content, LENGTH);
    }
    assert_true(info_of(client, "lazyfreed_objects") > 0);
}
