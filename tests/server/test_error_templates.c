/* Errors that are answered often come from a template, of which the server copies the bytes. Nobody notices: whichever
 * way the call takes, the text is the same, and INFO counts the same. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "single_server.h"
#include "text.h"
#include "wire.h"

/* More answers than a template is waited for. */
enum { MANY = 100 };

/* On what begin_with_something makes. The texts of the first three have a template in common. */
static const char *const lines[] = {
    "BLOB.PUT box cat x IFMATCH 0x0000000000000001",
    "BLOB.PUT box dog x IFMATCH 0x0000000000000001",
    "BLOB.DELETE box cat IFMATCH 0x0000000000000001",
    "LEASE.ACQUIRE box 60 BLOB leased",
    "LEASE.ACQUIRE box 60 BLOB leased BLOCK 0.005",
    "LEASE.RENEW box 00000000-0000-0000-0000-000000000001 BLOB leased",
    "BLOB.GET box none",
    "BLOB.GET none none",
    "BLOB.GET box cat RANGE 100 1",
    "BLOB.GET box cat NONSENSE",
    "BLOB.GET text cat",
};

enum { LINES = ARRAY_SIZE(lines), TEMPLATES = 6 };

static struct client *client;

static void begin_with_something(void) {
    client = test_client(server_start(
        "refusing", pool_print("loadmodule %s\n%s", test_library("listener.so"), settings_with_file)));
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_etag(call(client, "BLOB.PUT box cat meow"));
    expect_etag(call(client, "BLOB.PUT box dog woof"));
    expect_etag(call(client, "BLOB.PUT box leased x"));
    expect_elements(call(client, "LEASE.ACQUIRE box -1 BLOB leased"), 2);
    expect_ok(call(client, "SET text x"));
    expect_ok(call(client, "CONFIG RESETSTAT"));
}

/* --- What INFO counts --- */

static const char *const counted[] = {
    "total_error_replies", "unexpected_error_replies", "errorstat_PRECONDITION", "errorstat_CONFLICT",
    "errorstat_NOTFOUND",  "errorstat_INVALID",        "errorstat_ERR",          "errorstat_WRONGTYPE",
};

/* How often the command was called, rejected, and failed. */
static const char *stats_of(const redisReply *info, const char *command) {
    const char *stats = info_field(info, pool_print("cmdstat_%s", command));
    return stats ? pool_print("%.*s%s", (int)strcspn(stats, ","), stats, strstr(stats, ",rejected")) : "";
}

static const char *counts(const char *line) {
    struct text text = {0};
    redisReply *info = call(client, "INFO everything");
    for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
        const char *count = info_field(info, counted[i]);
        if (count) text_print(&text, "%s %s, ", counted[i], count);
    }
    text_print(&text, "%s", stats_of(info, pool_copy(line, strcspn(line, " "))));
    return text.bytes;
}

static long long templates_made(void) {
    return info_calls_of(client, "HOLDFAST.HELP");
}

/* --- Ways of a call --- */

static const char *plainly(const char *line) {
    return reply_text(call_line(client, line));
}

static const char *by_the_newer_protocol(const char *line) {
    return reply_text(wire_call(wire_open_resp3(client->server), line));
}

static const char *with_words(const char *before, const char *line) {
    struct words words = words_of_line(before), more = words_of_line(line);
    for (size_t i = 0; i < more.count; i++) words_add(&words, more.word[i]);
    return reply_text(call_words(client, &words));
}

static const char *in_script(const char *line, const char *script) {
    struct words words = words_of_line("EVAL"), more = words_of_line(line);
    words_add(&words, script);
    words_add_number(&words, 0);
    for (size_t i = 0; i < more.count; i++) words_add(&words, more.word[i]);
    return reply_text(call_words(client, &words));
}

static const char *caught_by_a_script(const char *line) {
    return in_script(line, "return redis.pcall(unpack(ARGV)).err");
}

static const char *passed_on_by_a_script(const char *line) {
    return in_script(line, "return redis.pcall(unpack(ARGV))");
}

static const char *ending_a_script(const char *line) {
    return in_script(line, "return redis.call(unpack(ARGV))");
}

static const char *in_a_transaction(const char *line) {
    expect_ok(call(client, "MULTI"));
    call_line(client, line);
    return reply_text(call(client, "EXEC"));
}

static const char *by_another_module(const char *line) {
    return with_words("LISTENER.ASK", line);
}

/* Only the last command is answered. */
static const char *unheard(const char *line) {
    struct words words = words_of_line(line);
    send_call(client, "CLIENT REPLY OFF");
    send_words(client, &words);
    send_call(client, "CLIENT REPLY ON");
    return reply_text(receive(client));
}

static const char *protocol_of(const char *line) {
    struct words words = words_of_line(line);
    struct text text = {0};
    text_print(&text, "*%zu\r\n", words.count);
    for (size_t i = 0; i < words.count; i++)
        text_print(&text, "$%zu\r\n%s\r\n", words.length[i], words.word[i]);
    return text.bytes;
}

/* As if somebody had written it into the append-only file. */
static const char *from_a_file(const char *line) {
    const char *protocol = protocol_of(line);
    FILE *file = fopen(append_only_path(client->server, ".incr.aof"), "a");
    require(file && fputs(protocol, file) >= 0 && !fclose(file), "the file cannot be written");
    const char *answer = reply_text(call(client, "DEBUG LOADAOF"));
    append_only_cut(client->server, (long)strlen(protocol));
    return answer;
}

static const struct {
    const char *name;
    const char *(*answer)(const char *line);
} ways[] = {
    {"plainly", plainly},
    {"by the newer protocol", by_the_newer_protocol},
    {"caught by a script", caught_by_a_script},
    {"passed on by a script", passed_on_by_a_script},
    {"ending a script", ending_a_script},
    {"in a transaction", in_a_transaction},
    {"by another module", by_another_module},
    {"unheard", unheard},
    {"from a file", from_a_file},
};

enum { WAYS = ARRAY_SIZE(ways) };

/* --- Tests --- */

static const char *outcomes[LINES][WAYS];

static const char *outcome(const char *line, int way) {
    expect_ok(call(client, "CONFIG RESETSTAT"));
    const char *answer = ways[way].answer(line);
    return pool_print("%s\n    %s", answer, counts(line));
}

static void play_without_templates(void) {
    for (int line = 0; line < LINES; line++)
        for (int way = 0; way < WAYS; way++) outcomes[line][way] = outcome(lines[line], way);
}

static void require_same(const char *line, int way, const char *before) {
    const char *after = outcome(line, way);
    require(!strcmp(before, after), "%s, %s: without a template\n    %s\nand with one\n    %s", line,
            ways[way].name, before, after);
}

static void answer_often(const char *line) {
    for (int i = 0; i < MANY; i++) require(reply_is_error(call_line(client, line)), "%s", line);
}

static void make_templates(void) {
    long long refused = info_of(client, "holdfast_refused");
    expect_ok(call(client, "CONFIG RESETSTAT"));
    for (int line = 0; line < LINES; line++) answer_often(lines[line]);
    assert_int_equal(templates_made(), TEMPLATES);
    assert_int_equal(info_of(client, "holdfast_refused"), refused + (long long)LINES * MANY);
}

TEST(errors_are_the_same_whichever_way_they_go) {
    begin_with_something();
    play_without_templates();
    assert_int_equal(templates_made(), 0);
    make_templates();
    for (int line = 0; line < LINES; line++)
        for (int way = 0; way < WAYS; way++) require_same(lines[line], way, outcomes[line][way]);
}

static void expect_etag_told(redisReply *refused, const char *etag) {
    expect_error(refused, pool_print("PRECONDITION ConditionNotMet the blob's ETag is %s", etag));
}

/* Both in one packet: the texts lie one behind the other in the same buffer. */
TEST(each_error_has_its_own_text) {
    create("box");
    put("box", "dog", "woof");
    for (int i = 0; i < 2 * MANY; i++) {
        const char *cat = put("box", "cat", "meow"),
                   *dog = expect_etag(call(primary, "BLOB.PUT box dog woof"));
        send_call(primary, "BLOB.PUT box cat x IFMATCH 0x0000000000000001");
        send_call(primary, "BLOB.PUT box dog x IFMATCH 0x0000000000000001");
        expect_etag_told(receive(primary), cat);
        expect_etag_told(receive(primary), dog);
    }
}

/* A template is made when the script is over. */
TEST(a_script_gets_the_same_error_again_and_again) {
    begin_with_something();
    redisReply *reply = call(client, "EVAL %s 0 BLOB.GET box none",
                             "local texts = {} "
                             "for i = 1, 200 do texts[redis.pcall(unpack(ARGV)).err] = i end "
                             "local several = {} "
                             "for text in pairs(texts) do several[#several + 1] = text end "
                             "return several");
    expect_elements(reply, 1);
    expect_ok(call(client, "SET text x"));
    assert_int_equal(templates_made(), 1);
    expect_error(call(client, "BLOB.GET box none"), "NOTFOUND BlobNotFound the blob does not exist");
}

TEST(nodes_of_a_cluster_have_templates) {
    client = cluster_of_one("");
    expect_ok(call(client, "CONFIG RESETSTAT"));
    answer_often("BLOB.GET none none");
    assert_int_equal(templates_made(), 1);
    expect_error(call(client, "BLOB.GET none none"),
                 "NOTFOUND ContainerNotFound the container does not exist");
}
