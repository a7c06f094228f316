/* What one reply may hold: contents are read in parts beyond the bound, pages of lists end before it. */
#include <stdio.h>
#include <string.h>

#include "blobs.h"
#include "harness.h"
#include "pool.h"
#include "sources.h"
#include "text.h"

enum { MEGABYTE = 1 << 20, BLOCKS = 50000, BLOCK_BYTES = 10240, ITEMS = 1500 };

static struct server *single;
static struct client *client;

static void begin_alone(const char *settings) {
    single = server_start("single", settings);
    client = test_client(single);
}

/* --- Contents --- */

/* Many times the same block, which is in memory once. */
static void list_a_block(const char *container, const char *blob, int times) {
    char *block = pool_take(BLOCK_BYTES);
    struct words words = words_of_line(pool_print("BLOB.PUTBLOCKLIST %s %s %d", container, blob, times));
    expect_ok(call(client, "BLOB.PUTBLOCK %s %s AAAA %b", container, blob, block, (size_t)BLOCK_BYTES));
    for (int i = 0; i < times; i++) words_add_line(&words, "LATEST AAAA");
    expect_etag(call_words(client, &words));
}

static void begin_with_contents(void) {
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_etag(call(client, "BLOB.CREATEPAGE box page 536870912"));
    list_a_block("box", "list", BLOCKS);
    expect_etag(call(client, "SHARE.CREATE fs"));
    expect_etag(call(client, "FILE.CREATE fs f 1099511627776"));
}

static const char *handle_of(const char *path) {
    const char *session = reply_string(call(client, "SHARE.CONNECT fs 3600"));
    redisReply *reply = call(client, "FILE.OPEN fs %s %s ACCESS 1 READ SHARE 1 READ", session, path);
    return reply_string(reply_field_if_any(reply, "handle"));
}

TEST(contents_over_the_bound_are_read_in_parts) {
    begin_alone("");
    begin_with_contents();
    const char *handle = handle_of("f");
    const char *const lines[] = {"BLOB.GET box page",
                                 "BLOB.GET box page RANGE 0 33554433",
                                 "BLOB.GET box list",
                                 "FILE.GET fs f",
                                 pool_print("FILE.READ fs %s 0 33554433", handle),
                                 NULL};
    expect_each_error(client, lines, "INVALID InvalidRange");
    require(
        strstr(
            call(client, "BLOB.GET box page")->str,
            "more than the 33554432 that holdfast.max-reply-bytes allows for a content in pieces, use RANGE"),
        "the refusal does not say what to do");
    redisReply *reply = expect_elements(call(client, "BLOB.GET box page RANGE 5 33554432"), 2);
    assert_int_equal(reply->element[1]->len, 32 * MEGABYTE);
    reply = expect_elements(call(client, "FILE.GET fs f RANGE 1099444518912 33554432"), 2);
    assert_int_equal(reply->element[1]->len, 32 * MEGABYTE);
}

/* To put pieces together takes as much again; one piece is answered from where it is. */
TEST(a_content_in_one_piece_is_read_up_to_the_bound) {
    enum { BOUND = 65536 };
    char *content = pool_take(BOUND + 1);
    begin_alone("holdfast.max-reply-bytes 65536\n");
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_etag(call(client, "BLOB.PUT box whole %b", content, (size_t)BOUND));
    expect_etag(call(client, "BLOB.PUT box longer %b", content, (size_t)BOUND + 1));
    expect_etag(call(client, "BLOB.CREATEPAGE box page %d", BOUND));
    redisReply *reply = expect_elements(call(client, "BLOB.GET box whole"), 2);
    assert_int_equal(reply->element[1]->len, BOUND);
    expect_error(call(client, "BLOB.GET box longer"),
                 "INVALID InvalidRange 65537 bytes are more than the 65536 that holdfast.max-reply-bytes "
                 "allows, use RANGE");
    expect_elements(call(client, "BLOB.GET box longer RANGE 1 65536"), 2);
    expect_error(call(client, "BLOB.GET box page"), "INVALID InvalidRange");
    expect_elements(call(client, "BLOB.GET box page RANGE 0 32768"), 2);
}

/* What is refused has not been made. */
TEST(a_refused_content_takes_no_memory) {
    begin_alone("");
    begin_with_contents();
    long long before = info_of(client, "used_memory_peak");
    expect_error(call(client, "BLOB.GET box page"), "INVALID InvalidRange");
    expect_error(call(client, "BLOB.GET box list"), "INVALID InvalidRange");
    expect_error(call(client, "FILE.GET fs f"), "INVALID InvalidRange");
    long long grown = info_of(client, "used_memory_peak") - before;
    require(grown < MEGABYTE, "the server took %lld bytes for what it refused", grown);
}

TEST(the_server_s_own_bound_holds_as_well) {
    begin_alone("proto-max-bulk-len 1mb\n");
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_etag(call(client, "BLOB.CREATEPAGE box page 2097152"));
    redisReply *refused = call(client, "BLOB.GET box page");
    expect_error(refused,
                 "INVALID InvalidRange 2097152 bytes are more than the 1048576 that proto-max-bulk-len");
    expect_elements(call(client, "BLOB.GET box page RANGE 0 1048576"), 2);
}

/* Replies that nobody reads cannot fill the memory: each takes half of what is left, down to a megabyte. */
TEST(replies_are_smaller_while_memory_is_short) {
    begin_alone("maxmemory 200mb\n");
    begin_with_contents();
    expect_elements(call(client, "BLOB.GET box page RANGE 0 33554432"), 2);
    expect_ok(call(client, "CONFIG SET maxmemory %lld", info_of(client, "used_memory") + 16LL * MEGABYTE));
    expect_error(call(client, "BLOB.GET box page RANGE 0 33554432"), "INVALID InvalidRange");
    expect_elements(call(client, "BLOB.GET box page RANGE 0 4194304"), 2);
    expect_ok(call(client, "CONFIG SET maxmemory 1mb"));
    expect_error(
        call(client, "BLOB.GET box page RANGE 0 1048577"),
        "INVALID InvalidRange 1048577 bytes are more than the 1048576 that the memory that is left allows, "
        "use RANGE");
    expect_elements(call(client, "BLOB.GET box page RANGE 0 1048576"), 2);
    expect_ok(call(client, "CONFIG SET maxmemory 0"));
    expect_elements(call(client, "BLOB.GET box page RANGE 0 33554432"), 2);
}

/* 1,000 blocks, and as many staged ones, with the bound between them and both. */
static void expect_the_other_half_apart(void) {
    enum { HALF = 1000 };
    list_a_block("box", "halves", HALF);
    for (int id = 0; id < HALF; id++) send_call(client, "BLOB.PUTBLOCK box halves %04d x", id);
    for (int id = 0; id < HALF; id++) expect_ok(receive(client));
    expect_error(call(client, "BLOB.GETBLOCKLIST box halves ALL"),
                 "INVALID InvalidRange 105336 bytes are more than the 65536 that holdfast.max-reply-bytes "
                 "allows, ask for COMMITTED and UNCOMMITTED one by one");
    expect_elements(field(call(client, "BLOB.GETBLOCKLIST box halves COMMITTED"), "committed"), HALF);
    expect_elements(field(call(client, "BLOB.GETBLOCKLIST box halves UNCOMMITTED"), "uncommitted"), HALF);
}

TEST(lists_without_pages_are_refused) {
    begin_alone("");
    begin_with_contents();
    expect_ok(call(client, "CONFIG SET holdfast.max-reply-bytes 65536"));
    expect_error(call(client, "BLOB.GETBLOCKLIST box list"), "INVALID InvalidRange");
    expect_the_other_half_apart();
    expect_etag(call(client, "BLOB.CREATEPAGE box striped 4194304"));
    for (int page = 0; page < 4096; page += 2) {
        send_call(client, "BLOB.PUTPAGE box striped %d %b", page * 512, pool_take(512), (size_t)512);
        send_call(client, "FILE.PUTRANGE fs f %d %b", page * 512, pool_take(512), (size_t)512);
    }
    for (int page = 0; page < 4096; page++) receive(client);
    expect_error(call(client, "BLOB.GETPAGES box striped"), "INVALID InvalidRange");
    expect_error(call(client, "FILE.GETRANGES fs f"), "INVALID InvalidRange");
    expect_elements(call(client, "BLOB.GETPAGES box striped RANGE 0 65536"), 6);
    expect_elements(call(client, "FILE.GETRANGES fs f RANGE 0 65536"), 6);
}

/* A transaction answers with one reply. */
TEST(contents_of_a_transaction_share_one_reply) {
    begin_alone("");
    begin_with_contents();
    static const char page[] = "BLOB.GET box page RANGE 0 33554432",
                      file[] = "FILE.GET fs f RANGE 0 33554432";
    expect_error(call_line(client, pool_print("HOLDFAST.ATOMIC 3 6 %s 6 %s 3 FILE.GET fs f", page, file)),
                 "INVALID InvalidRange 2:");
    expect_error(call_line(client, pool_print("HOLDFAST.ATOMIC 3 6 %s 6 %s 6 BLOB.GET box page RANGE 0 1",
                                              page, file)),
                 "INVALID InvalidRange 2: 67108865 bytes are more than the 67108864 that "
                 "holdfast.max-reply-bytes allows, use RANGE");
    expect_elements(call_line(client, pool_print("HOLDFAST.ATOMIC 2 6 %s 6 %s", page, file)), 2);
}

/* --- Pages --- */

/* How many bytes a reply had on the wire. */
static size_t reply_bytes_of(const redisReply *reply) {
    char head[32];
    size_t bytes = 0;
    if (reply->type == REDIS_REPLY_INTEGER)
        return (size_t)snprintf(head, sizeof(head), ":%lld\r\n", reply->integer);
    if (reply_is_null(reply)) return strlen("$-1\r\n");
    if (!reply_is_aggregate(reply))
        return (size_t)snprintf(head, sizeof(head), "$%zu\r\n\r\n", reply->len) + reply->len;
    for (size_t i = 0; i < reply->elements; i++) bytes += reply_bytes_of(reply->element[i]);
    return bytes + (size_t)snprintf(head, sizeof(head), "*%zu\r\n", reply->elements);
}

/* Makes item number `at`; `word` is long. */
struct paged {
    const char *start;   /* lines, one after the other */
    const char *item[3]; /* with the item's number, and a long word */
    const char *list;    /* answers a page; more is asked for with MARKER or NEXT and what it answered */
    const char *go_on;
};

#define MANY_PAIRS                                                                                           \
    "26 a 1 b 1 c 1 d 1 e 1 f 1 g 1 h 1 i 1 j 1 k 1 l 1 m 1 n 1 o 1 p 1 q 1 r 1 s 1 t 1 u 1 v 1 w 1 x 1 y "  \
    "1 "                                                                                                     \
    "z 1"

static const struct paged paged[] = {
    {"CONTAINER.CREATE box",
     {"BLOB.PUT box n%04d%s x META 1 m 0123456789"},
     "BLOB.LIST box COUNT 5000",
     "MARKER"},
    {"CONTAINER.CREATE box",
     {"BLOB.PUT box n%04d%s x META 1 m 0123456789"},
     "BLOB.LIST box COUNT 5000 INCLUDE 1 META",
     "MARKER"},
    {"CONTAINER.CREATE box",
     {"BLOB.PUT box n%04d%s x META " MANY_PAIRS},
     "BLOB.LIST box COUNT 5000 INCLUDE 1 META",
     "MARKER"},
    {"CONTAINER.CREATE box",
     {"BLOB.PUT box n%04d%s x", "BLOB.COPY box n%1$04d%2$s box n%1$04d%2$s"},
     "BLOB.LIST box COUNT 5000 INCLUDE 1 COPY",
     "MARKER"},
    {"CONTAINER.CREATE leased",
     {"BLOB.PUT leased n%04d%s x", "LEASE.ACQUIRE leased -1 BLOB n%04d%s OWNER me"},
     "LEASE.LIST leased COUNT 1000",
     "MARKER"},
    {"SHARE.CREATE fs", {"FILE.CREATE fs n%04d%s 0"}, "FILE.LIST fs '' COUNT 5000", "MARKER"},
    {"TABLE.CREATE t", {"TABLE.INSERT t p r%04d PROPS 2 a v%s b 1"}, "TABLE.QUERY t", "NEXT"},
};

static void fill(const struct paged *row, const char *word) {
    call_line(client, "FLUSHALL");
    call_line(client, row->start);
    for (int i = 0; i < ITEMS; i++)
        for (int step = 0; step < 3 && row->item[step]; step++) {
            struct text line = {0};
            text_print(&line, row->item[step], i, word); /* NOLINT: the formats stand above */
            redisReply *reply = call_line(client, line.bytes);
            require(!reply_is_error(reply), "%s: %s", line.bytes, reply_text(reply));
        }
}

/* Answers how many items the pages had. */
static size_t walk_pages(const struct paged *row, size_t max_bytes) {
    size_t items = 0;
    struct words words = words_of_line(row->list);
    const size_t own = words.count;
    for (redisReply *page = NULL; !page || !reply_is_null(page->element[0]);) {
        page = expect_elements(call_words(client, &words), 2);
        require(reply_bytes_of(page) <= max_bytes, "%s: a page of %zu bytes", row->list,
                reply_bytes_of(page));
        items += page->element[1]->elements;
        words.count = own;
        words_add(&words, row->go_on);
        const redisReply *next = page->element[0];
        if (next->type == REDIS_REPLY_STRING) words_add_bytes(&words, next->str, next->len);
        for (size_t i = 0; i < next->elements; i++)
            words_add_bytes(&words, next->element[i]->str, next->element[i]->len);
    }
    return items;
}

TEST(pages_end_before_the_bound) {
    char word[201] = "";
    memset(word, 'w', sizeof(word) - 1);
    begin_alone("holdfast.max-reply-bytes 65536\n");
    for (size_t i = 0; i < ARRAY_SIZE(paged); i++)
        for (size_t cut = 0; cut < sizeof(word); cut += sizeof(word) - 1) {
            fill(&paged[i], cut ? "" : word);
            assert_int_equal(walk_pages(&paged[i], 65536), ITEMS);
        }
}

TEST(pages_of_handles_end_before_the_bound) {
    struct paged row = {.list = "FILE.HANDLES fs COUNT 1000", .go_on = "MARKER"};
    begin_alone("holdfast.max-reply-bytes 65536\n");
    expect_etag(call(client, "SHARE.CREATE fs"));
    expect_etag(call(client, "FILE.CREATE fs f 0"));
    const char *session =
        reply_string(call(client, "SHARE.CONNECT fs 3600 OWNER %s", pool_print("%0200d", 1)));
    call_many(client, ITEMS,
              pool_print("FILE.OPEN fs %s f ACCESS 1 READ SHARE 3 READ WRITE DELETE", session));
    assert_int_equal(walk_pages(&row, 65536), ITEMS);
    row.list = "FILE.HANDLES fs f COUNT 1000";
    assert_int_equal(walk_pages(&row, 65536), ITEMS);
}

/* Why a copy failed may be longer than all else that is told of a blob. */
TEST(pages_with_failed_copies_end_before_the_bound) {
    enum { SNAPSHOTS = 200 };
    const struct told refusing[] = {{"BLOB.STAT", pool_print("-ERR %01000d", 0), 0}, {NULL, NULL, 0}};
    const struct paged row = {.list = "BLOB.LIST box INCLUDE 2 SNAPSHOTS COPY", .go_on = "MARKER"};
    client = primary;
    create("box");
    configure(primary, "holdfast.copy-from", "127.0.0.1:*");
    configure(primary, "holdfast.max-reply-bytes", "65536");
    copy_from("box", "twin", source_port(source_start(refusing)), "");
    assert_true(field(await_copy("twin"), "copy-description")->len > 1000);
    for (int i = 0; i < SNAPSHOTS; i++) snapshot("box", "twin");
    assert_int_equal(walk_pages(&row, 65536), SNAPSHOTS + 1);
    configure(primary, "holdfast.max-reply-bytes", "64mb");
}

/* A batch of messages has fewer than were asked for, and at least one, however long that is. */
TEST(batches_of_messages_end_before_the_bound) {
    enum { MESSAGES = 100, LENGTH = 3000, LONG = 200000 };
    begin_alone("holdfast.max-reply-bytes 65536\nholdfast.queue-max-count "
                "1000\nholdfast.queue-max-message-bytes 1048576\n");
    expect_ok(call(client, "QUEUE.CREATE q MAXDELIVERIES 1"));
    for (int i = 0; i < MESSAGES; i++)
        call(client, "QUEUE.PUT q %b", pool_take(LONG), (size_t)(i == MESSAGES / 2 ? LONG : LENGTH));
    int got = 0;
    redisReply *batch = call(client, "QUEUE.PEEK q COUNT 1000");
    require(reply_bytes_of(batch) <= 65536 && batch->elements > 10, "a batch of %zu bytes",
            reply_bytes_of(batch));
    do {
        batch = call(client, "QUEUE.GET q COUNT 1000 VISIBILITY 1");
        require(reply_bytes_of(batch) <= 65536 || batch->elements == 1, "a batch of %zu bytes",
                reply_bytes_of(batch));
        got += (int)batch->elements;
    } while (batch->elements);
    assert_int_equal(got, MESSAGES);
    expect_ok(call(client, "CONFIG SET holdfast.clock-offset-ms 2000"));
    batch = call(client, "QUEUE.DEAD q COUNT 1000");
    require(reply_bytes_of(batch) <= 65536 && batch->elements > 10, "a batch of %zu bytes",
            reply_bytes_of(batch));
    expect_number(call(client, "QUEUE.REDRIVE q COUNT 1000"), MESSAGES);
}
