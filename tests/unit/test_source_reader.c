/* Reading from another server without one: what is asked and when, what answers are told as, how much may be on the
 * way, and what an answer may take. What a source can do wrong stands in tests/server/test_copy_sources.c. */
#include "blob/source_reader.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#define ETAG "0x65A0000000000009"

static const struct copy_order order = {.container = {"c", 1}, .blob = {"b", 1}};

struct talk {
    struct source_reader *reader;
    struct source_answers *answers;
    char told[2000];
};

static void talk_start(struct talk *talk) {
    talk->reader = source_reader_new(&order);
    talk->answers = source_answers_new();
}

static void talk_end(struct talk *talk) {
    source_reader_free(talk->reader);
    source_answers_free(talk->answers);
}

#define TALK(name)                                                                                           \
    struct talk name ENDS_BY(talk_end);                                                                      \
    talk_start(&(name))

/* All that is asked by now, "; " behind each question. */
static const char *asked_by(struct talk *talk) {
    struct source_question question;
    size_t length = 0;
    talk->told[0] = '\0';
    while (source_reader_ask(talk->reader, &question)) {
        for (unsigned i = 0; i < question.count; i++)
            length += (size_t)snprintf(talk->told + length, sizeof(talk->told) - length, "%s%.*s",
                                       i ? " " : "", (int)question.word[i].length, question.word[i].data);
        length += (size_t)snprintf(talk->told + length, sizeof(talk->told) - length, "; ");
    }
    return talk->told;
}

static size_t tell_change(char *to, size_t size, const struct container_change *change) {
    static const char *const kinds[] = {"block", "page", "append"};
    if (change->kind == BLOB_COPYBEGIN)
        return (size_t)snprintf(to, size, "%s of %d; ", kinds[change->blob_kind], (int)change->offset);
    const char *what = change->kind == BLOB_COPYBLOCK ? "block" : "piece";
    return (size_t)snprintf(to, size, "%s %d+%d of %d%.*s; ", what, (int)change->offset,
                            (int)change->content.length, (int)change->length, (int)change->block_id.length,
                            change->block_id.data);
}

/* One answer, and the changes that come of it. */
static const char *told_by(struct talk *talk, const char *bytes, size_t length) {
    struct container_change change;
    size_t told = 0;
    bool failed;
    require(source_answers_feed(talk->answers, bytes_of(bytes, length)), "what was said cannot be read");
    const struct answer *answer = source_answers_next(talk->answers, &failed);
    require(answer && !failed, "no answer");
    source_reader_take(talk->reader, answer);
    talk->told[0] = '\0';
    while (source_reader_next(talk->reader, &change))
        told += tell_change(talk->told + told, sizeof(talk->told) - told, &change);
    return talk->told;
}

static const char *told(struct talk *talk, const char *text) {
    return told_by(talk, text, strlen(text));
}

static const char *told_content(struct talk *talk, size_t length) {
    char *bytes = malloc(length + 100);
    int head = sprintf(bytes, "*2\r\n$18\r\n" ETAG "\r\n$%zu\r\n", length);
    memset(bytes + head, 'x', length);
    bytes[(size_t)head + length] = '\r';
    bytes[(size_t)head + length + 1] = '\n';
    const char *result = told_by(talk, bytes, (size_t)head + length + 2);
    free(bytes);
    return result;
}

#define require_told(actual, expected)                                                                       \
    require_bytes(bytes_text(actual), bytes_text(expected), "what was told")

#define STAT_OF(kind, length, more, words)                                                                   \
    "*" words "\r\n$9\r\nblob-type\r\n$" kind "\r\n$4\r\netag\r\n$18\r\n" ETAG                               \
    "\r\n$14\r\ncontent-length\r\n:" length "\r\n" more "$4\r\nmeta\r\n*0\r\n"

/* --- What is asked --- */

TEST(a_block_blob_is_read_from_its_source) {
    TALK(talk);
    require_told(asked_by(&talk), "BLOB.STAT c b; ");
    require_told(told(&talk, STAT_OF("5\r\nblock", "4", "", "8")), "");
    require_told(asked_by(&talk),
                 "BLOB.GETBLOCKLIST c b COMMITTED; BLOB.GET c b RANGE 0 4 IFMATCH " ETAG "; ");
    require_told(told(&talk, "*4\r\n$4\r\netag\r\n$18\r\n" ETAG "\r\n$9\r\ncommitted\r\n*0\r\n"),
                 "block of 4; ");
    require(!source_reader_is_done(talk.reader), "done before the content");
    require_told(told_content(&talk, 4), "piece 0+4 of 0; ");
    require_told(asked_by(&talk), "");
    require(source_reader_is_done(talk.reader), "not done");
}

/* Blocks end where they end, pieces at each MiB; a piece may bring several blocks. */
TEST(blocks_are_read_in_pieces) {
    TALK(talk);
    asked_by(&talk);
    told(&talk, STAT_OF("5\r\nblock", "1600010", "", "8"));
    asked_by(&talk);
    require_told(told(&talk, "*4\r\n$4\r\netag\r\n$18\r\n" ETAG
                             "\r\n$9\r\ncommitted\r\n*3\r\n*2\r\n$4\r\nYWFh\r\n:1500000\r\n"
                             "*2\r\n$4\r\nYmJi\r\n:10\r\n*2\r\n$4\r\nYWFh\r\n:100000\r\n"),
                 "block of 1600010; ");
    require_told(told_content(&talk, 1 << 20), "block 0+1048576 of 1500000aaa; ");
    asked_by(&talk);
    require_told(
        told_content(&talk, 1600010 - (1 << 20)),
        "piece 1048576+451424 of 1500000; block 1500000+10 of 10bbb; block 1500010+100000 of 100000aaa; ");
    require(source_reader_is_done(talk.reader), "not done");
}

#define APPEND_OF(length) STAT_OF("6\r\nappend", length, "$11\r\nblock-count\r\n:1\r\n", "10")

TEST(requests_in_flight_are_bounded) {
    TALK(talk);
    asked_by(&talk);
    require_told(told(&talk, APPEND_OF("5000000")), "append of 5000000; ");
    require_told(asked_by(&talk), "BLOB.GET c b RANGE 0 1048576 IFMATCH " ETAG
                                  "; BLOB.GET c b RANGE 1048576 1048576 IFMATCH " ETAG "; ");
    require_told(told_content(&talk, 1 << 20), "piece 0+1048576 of 0; ");
    require_told(asked_by(&talk), "BLOB.GET c b RANGE 2097152 1048576 IFMATCH " ETAG "; ");
}

/* What came is not asked for again. */
TEST(a_new_connection_asks_again) {
    TALK(talk);
    asked_by(&talk);
    source_reader_reconnected(talk.reader);
    require_told(asked_by(&talk), "BLOB.STAT c b; ");
    told(&talk, APPEND_OF("3000000"));
    asked_by(&talk);
    told_content(&talk, 1 << 20);
    source_reader_reconnected(talk.reader);
    require_told(asked_by(&talk), "BLOB.GET c b RANGE 1048576 1048576 IFMATCH " ETAG
                                  "; BLOB.GET c b RANGE 2097152 902848 IFMATCH " ETAG "; ");
}

#define PAGES_OF(length)    STAT_OF("4\r\npage", length, "$15\r\nsequence-number\r\n:7\r\n", "10")
#define RANGES(count, list) "*4\r\n$4\r\netag\r\n$18\r\n" ETAG "\r\n$5\r\npages\r\n*" count "\r\n" list

/* By windows: halved where there are too many ranges, doubled where there are few. */
TEST(page_blobs_go_by_windows) {
    TALK(talk);
    asked_by(&talk);
    require_told(told(&talk, PAGES_OF("3221225472")), "page of -1073741824; ");
    require_told(asked_by(&talk), "BLOB.GETPAGES c b RANGE 0 1073741824 IFMATCH " ETAG "; ");
    require_told(told(&talk, "-INVALID InvalidRange too many\r\n"), "");
    require_told(asked_by(&talk), "BLOB.GETPAGES c b RANGE 0 536870912 IFMATCH " ETAG "; ");
    require_told(told(&talk, RANGES("2", "*2\r\n:512\r\n:512\r\n*2\r\n:2048\r\n:1049088\r\n")), "");
    require_told(asked_by(&talk), "BLOB.GET c b RANGE 512 512 IFMATCH " ETAG
                                  "; BLOB.GET c b RANGE 2048 1048576 IFMATCH " ETAG "; ");
    require_told(told_content(&talk, 512), "piece 512+512 of 0; ");
    require_told(asked_by(&talk), "BLOB.GET c b RANGE 1050624 512 IFMATCH " ETAG "; ");
    require_told(told_content(&talk, 1 << 20), "piece 2048+1048576 of 0; ");
    require_told(asked_by(&talk), "BLOB.GETPAGES c b RANGE 536870912 1073741824 IFMATCH " ETAG "; ");
    require_told(told_content(&talk, 512), "piece 1050624+512 of 0; ");
    told(&talk, RANGES("0", ""));
    require_told(asked_by(&talk), "BLOB.GETPAGES c b RANGE 1610612736 1610612736 IFMATCH " ETAG "; ");
    told(&talk, RANGES("0", ""));
    require(source_reader_is_done(talk.reader), "not done");
}

#define TOO_LARGE "-INVALID InvalidRange too large\r\n"

/* What was asked behind a piece that is refused is asked anew, and its answers are passed over. */
TEST(pieces_that_are_too_large_are_halved) {
    TALK(talk);
    asked_by(&talk);
    told(&talk, APPEND_OF("3000000"));
    asked_by(&talk);
    require_told(told_content(&talk, 1 << 20), "piece 0+1048576 of 0; ");
    asked_by(&talk);
    require_told(told(&talk, TOO_LARGE), "");
    require_told(asked_by(&talk), "BLOB.GET c b RANGE 1048576 524288 IFMATCH " ETAG
                                  "; BLOB.GET c b RANGE 1572864 524288 IFMATCH " ETAG
                                  "; BLOB.GET c b RANGE 2097152 524288 IFMATCH " ETAG "; ");
    require_told(told_content(&talk, 902848), "");
    require_told(told_content(&talk, 524288), "piece 1048576+524288 of 0; ");
    require_told(told(&talk, TOO_LARGE), "");
    source_reader_reconnected(talk.reader);
    require_told(asked_by(&talk), "BLOB.GET c b RANGE 1572864 262144 IFMATCH " ETAG
                                  "; BLOB.GET c b RANGE 1835008 262144 IFMATCH " ETAG
                                  "; BLOB.GET c b RANGE 2097152 262144 IFMATCH " ETAG
                                  "; BLOB.GET c b RANGE 2359296 262144 IFMATCH " ETAG
                                  "; BLOB.GET c b RANGE 2621440 262144 IFMATCH " ETAG "; ");
    for (int i = 0; i < 5; i++) told_content(&talk, 262144);
    require_told(asked_by(&talk), "BLOB.GET c b RANGE 2883584 116416 IFMATCH " ETAG "; ");
    require_told(told_content(&talk, 116416), "piece 2883584+116416 of 0; ");
    require(source_reader_is_done(talk.reader), "not done");
}

/* Down to a page, which is always answered. */
TEST(a_page_that_is_too_large_fails_the_copy) {
    TALK(talk);
    asked_by(&talk);
    told(&talk, APPEND_OF("1000"));
    asked_by(&talk);
    told(&talk, TOO_LARGE);
    require_told(asked_by(&talk),
                 "BLOB.GET c b RANGE 0 512 IFMATCH " ETAG "; BLOB.GET c b RANGE 512 488 IFMATCH " ETAG "; ");
    told(&talk, TOO_LARGE);
    require_told(source_reader_failure(talk.reader)->text, "INVALID InvalidRange too large");
}

/* From range to range, and before the next window. */
TEST(pages_that_are_too_large_are_halved) {
    TALK(talk);
    asked_by(&talk);
    told(&talk, PAGES_OF("3221225472"));
    asked_by(&talk);
    told(&talk, RANGES("2", "*2\r\n:512\r\n:1024\r\n*2\r\n:2048\r\n:512\r\n"));
    require_told(asked_by(&talk),
                 "BLOB.GET c b RANGE 512 1024 IFMATCH " ETAG "; BLOB.GET c b RANGE 2048 512 IFMATCH " ETAG
                 "; BLOB.GETPAGES c b RANGE 1073741824 2147483648 IFMATCH " ETAG "; ");
    require_told(told(&talk, TOO_LARGE), "");
    require_told(asked_by(&talk),
                 "BLOB.GET c b RANGE 512 512 IFMATCH " ETAG "; BLOB.GET c b RANGE 1024 512 IFMATCH " ETAG
                 "; BLOB.GET c b RANGE 2048 512 IFMATCH " ETAG
                 "; BLOB.GETPAGES c b RANGE 1073741824 2147483648 IFMATCH " ETAG "; ");
    require_told(told_content(&talk, 512), "");
    require_told(told(&talk, RANGES("0", "")), "");
    require_told(told_content(&talk, 512), "piece 512+512 of 0; ");
    require_told(told_content(&talk, 512), "piece 1024+512 of 0; ");
    require_told(told_content(&talk, 512), "piece 2048+512 of 0; ");
    told(&talk, RANGES("0", ""));
    require(source_reader_is_done(talk.reader), "not done");
}

TEST(an_empty_blob_is_read_from_its_source) {
    TALK(talk);
    asked_by(&talk);
    require_told(told(&talk, STAT_OF("5\r\nblock", "0", "", "8")), "block of 0; ");
    require_told(asked_by(&talk), "");
    require(source_reader_is_done(talk.reader), "not done");
    require(!source_reader_take(talk.reader, &(struct answer){.kind = ANSWER_NULL}),
            "an answer that nobody asked for");
}

/* --- What an answer may take --- */

/* In whatever portions it comes. */
TEST(answers_may_come_byte_by_byte) {
    static const char text[] = STAT_OF("5\r\nblock", "4", "", "8");
    bool failed = false;
    uint64_t length;
    struct source_answers *answers = source_answers_new();
    for (size_t i = 0; i + 1 < sizeof(text); i++) {
        require(!source_answers_next(answers, &failed) && !failed, "an answer after %zu bytes", i);
        require(source_answers_feed(answers, bytes_of(text + i, 1)), "byte %zu", i);
    }
    const struct answer *answer = source_answers_next(answers, &failed);
    require(answer && answer_is_number(answer_field(answer, "content-length"), 0, 9, &length), "no length");
    require_same(length, 4, "the length");
    source_answers_free(answers);
}

/* Not by what it says of itself, and not when all of it has come. */
TEST(replies_of_the_source_are_bounded) {
    static const char *const heads[] = {"$100000000\r\n",
                                        "*50001\r\n",
                                        "*-2\r\n",
                                        "*4\r\n*4\r\n*4\r\n*4\r\n*4\r\n*4\r\n",
                                        "$536870912\r\n",
                                        "*2\r\n$1\r\nx\r\n$30000000\r\n",
                                        "+"};
    static char portion[65536];
    memset(portion, 'x', sizeof(portion));
    for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
        struct source_answers *answers = source_answers_new();
        bool failed = !source_answers_feed(answers, bytes_text(heads[i]));
        size_t fed = 0;
        while (!failed && fed < (size_t)2 * SOURCE_TEXT_MAX_BYTES) {
            source_answers_next(answers, &failed);
            failed = failed || !source_answers_feed(answers, bytes_of(portion, sizeof(portion)));
            fed += sizeof(portion);
        }
        require(failed && fed <= (size_t)SOURCE_TEXT_MAX_BYTES + 2 * sizeof(portion), "'%s' takes %zu bytes",
                heads[i], fed);
        source_answers_free(answers);
    }
}

/* As many blocks as there may be, under the longest ids. */
TEST(the_longest_list_of_blocks_fits) {
    enum { BLOCKS = 50000 };
    char *text = malloc(BLOCKS * 120 + 1000), *at = text;
    TALK(talk);
    asked_by(&talk);
    told(&talk, STAT_OF("5\r\nblock", "50000", "", "8"));
    asked_by(&talk);
    at += sprintf(at, "*4\r\n$4\r\netag\r\n$18\r\n" ETAG "\r\n$9\r\ncommitted\r\n*%d\r\n", BLOCKS);
    for (int i = 0; i < BLOCKS; i++) at += sprintf(at, "*2\r\n$88\r\n%084dAA==\r\n:1\r\n", i);
    const struct answer *answer = NULL;
    for (size_t fed = 0, length = (size_t)(at - text); fed < length; fed += 65536) {
        bool failed;
        size_t portion = length - fed < 65536 ? length - fed : 65536;
        require(source_answers_feed(talk.answers, bytes_of(text + fed, portion)), "it cannot be fed");
        answer = source_answers_next(talk.answers, &failed);
        require(!failed, "it is refused");
    }
    require(answer && source_reader_take(talk.reader, answer), "it is not taken");
    free(text);
}

TEST(an_error_without_a_text_has_a_description) {
    TALK(talk);
    asked_by(&talk);
    told(&talk, "-\r\n");
    const struct source_failure *failure = source_reader_failure(talk.reader);
    require(failure, "it has not failed");
    require_same((int)failure->reason, COPY_FAILED_REFUSED, "the reason");
    require(failure->text[0], "nothing is said");
}

TEST(descriptions_can_be_shown) {
    char noise[3000];
    struct source_failure failure;
    memset(noise, 'x', sizeof(noise));
    noise[1] = '\n', noise[2] = '\0', noise[3] = '\x80', noise[4] = '\x7f';
    source_failure_say(&failure, COPY_FAILED_REFUSED, bytes_of(noise, sizeof(noise)));
    require_same(strlen(failure.text), COPY_DESCRIPTION_MAX_BYTES, "the length");
    require_bytes(bytes_of(failure.text, 6), bytes_text("x????x"), "the beginning");
}
