/* Active defragmentation: the server moves allocations while values are in use, and what they hold stays what it is.
 *
 * Only a server with its own allocator can do it; the others say so, and the tests are skipped there. */
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "pool.h"
#include "probes.h"
#include "text.h"

enum {
    PARTS = 1500,
    KEPT_OF_EACH = 3, /* one of three stays, so that all pages of memory have holes */
    SHORTEST = 5000,
    LONGEST = 15000,
    SECTOR = 512,
    MOVES_MIN = 100,
    ROUNDS_MIN = 5,
    PATIENCE_MS = 20000
};

/* As eager as it can be, once it is turned on. */
static const char settings[] = "active-defrag-ignore-bytes 1\n"
                               "active-defrag-threshold-lower 0\n"
                               "active-defrag-threshold-upper 1\n"
                               "active-defrag-cycle-min 90\n"
                               "active-defrag-cycle-max 90\n"
                               "maxclients 200\n";

static struct client *client;

/* The number again and again, so that what belongs to another part shows. */
static char content[LONGEST + 1];
static size_t content_of(int number) {
    size_t length = SHORTEST + (size_t)number * 7919 % (LONGEST - SHORTEST);
    length -= length % SECTOR;
    char word[16];
    int word_length = snprintf(word, sizeof(word), "%d;", number);
    for (size_t at = 0; at < length; at++) content[at] = word[at % (size_t)word_length];
    return length;
}

/* --- What holds contents -------------------------------------------------------------------------------- */

static void blob_put(int number, size_t length) {
    expect_etag(call(client, "BLOB.PUT box %d %b", number, content, length));
}

static void blob_append(int number, size_t length) {
    expect_etag(call(client, "BLOB.CREATEAPPEND box %d", number));
    size_t half = length / 2;
    expect_etag(call(client, "BLOB.APPEND box %d %b", number, content, half));
    expect_etag(call(client, "BLOB.APPEND box %d %b", number, content + half, length - half));
}

static void blob_commit(int number, size_t length) {
    size_t half = length / 2;
    call(client, "BLOB.PUTBLOCK box %d AAAA %b", number, content, half);
    call(client, "BLOB.PUTBLOCK box %d AAAB %b", number, content + half, length - half);
    expect_etag(call(client, "BLOB.PUTBLOCKLIST box %d 2 LATEST AAAA LATEST AAAB", number));
}

static void blob_pages(int number, size_t length) {
    expect_etag(call(client, "BLOB.CREATEPAGE box %d %d", number, (int)length));
    expect_etag(call(client, "BLOB.PUTPAGE box %d 0 %b", number, content, length));
}

static void blob_delete(int number) {
    call(client, "BLOB.DELETE box %d", number);
}

static const redisReply *blob_get(int number) {
    return expect_elements(call(client, "BLOB.GET box %d", number), 2)->element[1];
}

static void file_put(int number, size_t length) {
    expect_etag(call(client, "FILE.CREATE share f%d %d", number, (int)length));
    expect_etag(call(client, "FILE.PUTRANGE share f%d 0 %b", number, content, length));
}

static void file_delete(int number) {
    expect_ok(call(client, "FILE.DELETE share f%d", number));
}

static const redisReply *file_get(int number) {
    return expect_elements(call(client, "FILE.GET share f%d", number), 2)->element[1];
}

static void entity_put(int number, size_t length) {
    expect_etag(call(client, "TABLE.INSERT table p %d PROPS 1 v %b", number, content, length));
}

static void entity_delete(int number) {
    call(client, "TABLE.DELETE table p %d IFMATCH *", number);
}

static const redisReply *entity_get(int number) {
    redisReply *entity = expect_elements(call(client, "TABLE.GET table p %d", number), 2);
    return field(entity->element[1], "v");
}

/* A queue each, since a queue answers no message by its number. */
static void queue_put(int number, size_t length) {
    expect_ok(call(client, "QUEUE.CREATE queue-%d", number));
    require(!reply_is_error(call(client, "QUEUE.PUT queue-%d %b", number, content, length)), "no message");
}

static void queue_delete(int number) {
    expect_number(call(client, "DEL queue-%d", number), 1);
}

static const redisReply *queue_get(int number) {
    redisReply *seen = expect_elements(call(client, "QUEUE.PEEK queue-%d", number), 1);
    return field(seen->element[0], "message");
}

static const struct holder {
    const char *name;
    const char *begin;
    void (*put)(int number, size_t length);
    void (*remove)(int number);
    const redisReply *(*get)(int number);
} holders[] = {
    {"a blob", "CONTAINER.CREATE box", blob_put, blob_delete, blob_get},
    {"an append blob", "CONTAINER.CREATE box", blob_append, blob_delete, blob_get},
    {"a blob of blocks", "CONTAINER.CREATE box", blob_commit, blob_delete, blob_get},
    {"a page blob", "CONTAINER.CREATE box", blob_pages, blob_delete, blob_get},
    {"a file", "SHARE.CREATE share", file_put, file_delete, file_get},
    {"an entity", "TABLE.CREATE table", entity_put, entity_delete, entity_get},
    {"a queue", NULL, queue_put, queue_delete, queue_get},
};

static bool is_kept(int number) {
    return number % KEPT_OF_EACH == 0;
}

/* --- The test ------------------------------------------------------------------------------------------- */

static void fill(const struct holder *holder) {
    if (holder->begin) require(!reply_is_error(call_line(client, holder->begin)), "%s", holder->begin);
    for (int number = 0; number < PARTS; number++) holder->put(number, content_of(number));
    for (int number = 0; number < PARTS; number++)
        if (!is_kept(number)) holder->remove(number);
}

static void require_unchanged(const struct holder *holder) {
    for (int number = 0; number < PARTS; number += KEPT_OF_EACH) {
        size_t length = content_of(number);
        const redisReply *got = holder->get(number);
        require(got->len == length && !memcmp(got->str, content, length), "%s %d holds %s", holder->name,
                number, text_quoted(got->str, got->len));
    }
}

/* Other values take the places that were given up, and strings of the same lengths fill them with something else. */
static void scribble(int round) {
    enum { STRINGS = 300 };
    static char other[LONGEST];
    memset(other, 'A' + round % 26, sizeof(other));
    for (int number = 0; number < STRINGS; number++)
        expect_ok(call(client, "SET string-%d %b", number, other, content_of(round * STRINGS + number)));
}

static void play(const struct holder *holder) {
    fill(holder);
    long long before = info_of(client, "active_defrag_hits"), moves = 0;
    expect_ok(call(client, "CONFIG SET activedefrag yes"));
    for (int round = 0; (round < ROUNDS_MIN || moves < MOVES_MIN) && round < PATIENCE_MS / 10; round++) {
        scribble(round);
        usleep(10000);
        moves = info_of(client, "active_defrag_hits") - before;
    }
    require(moves >= MOVES_MIN, "%s: only %lld allocations moved:\n%s", holder->name, moves,
            call(client, "INFO memory")->str);
    print_message("# %s: %lld moves\n", holder->name, moves);
    scribble(PATIENCE_MS);
    require_unchanged(holder);
    expect_ok(call(client, "CONFIG SET activedefrag no"));
    require_unchanged(holder);
    expect_ok(call(client, "FLUSHALL"));
}

static void begin(void) {
    needs(CAN_DEFRAGMENT);
    struct server *single = server_start("single", settings);
    client = test_client(single);
}

TEST(contents_survive_while_memory_moves) {
    begin();
    for (size_t i = 0; i < ARRAY_SIZE(holders); i++) play(&holders[i]);
}
