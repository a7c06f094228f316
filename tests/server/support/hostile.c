#include "hostile.h"

#include <string.h>

#include "cpu_time.h"
#include "files.h"
#include "harness.h"
#include "payload.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"
#include "steps.h"
#include "stream.h"
#include "text.h"

enum { READ_WHOLE_MAX = 1 << 17, BLOBS_LISTED = 5000, ATTEMPTS = 10 };

/* What only some kinds of blobs answer; `tail` names the snapshot, if it is one. A blob says no kind
 * while its first copy is pending. */
static void read_parts(const char *key, const redisReply *item, const redisReply *name, const char *tail) {
    static const char *const questions[] = {"BLOB.GETBLOCKLIST", "BLOB.GETPAGES", "BLOB.STAT",
                                            "BLOB.GETMETA"};
    const redisReply *type = reply_field_if_any(item, "blob-type");
    const char *kind = type ? reply_string(type) : NULL;
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
        struct words words = words_of_line(questions[i]);
        words_add(&words, key);
        words_add_bytes(&words, name->str, name->len);
        words_add_line(&words, tail);
        redisReply *reply = call_words(primary, &words);
        bool is_of_all = i > 1, says_kind = is_of_all || kind;
        bool fits = is_of_all || (kind && !strcmp(kind, i ? "page" : "block"));
        require(!says_kind || fits != reply_is_error(reply), "%s gave %s", words_text(&words),
                reply_text(reply));
    }
}

/* Answers the bytes that count for the container. */
static long long read_item(const char *key, const redisReply *item) {
    const redisReply *name = field(item, "name"), *id = reply_field_if_any(item, "snapshot");
    long long length = field(item, "content-length")->integer;
    if (!reply_field_if_any(item, "etag")) {
        expect_elements(call(primary, "BLOB.GETBLOCKLIST %s %b ALL", key, name->str, name->len), 4);
        return 0;
    }
    const char *tail = id ? pool_print("SNAPSHOT %s", reply_string(id)) : "";
    struct words words = words_of_line(pool_print("BLOB.GET %s", key));
    words_add_bytes(&words, name->str, name->len);
    words_add_line(&words, tail);
    if (length > READ_WHOLE_MAX) words_add_line(&words, "RANGE 0 1000");
    redisReply *blob = expect_elements(call_words(primary, &words), 2);
    if (length <= READ_WHOLE_MAX) assert_int_equal(blob->element[1]->len, length);
    read_parts(key, item, name, tail);
    return id ? 0 : length;
}

static void require_sums(const char *key) {
    redisReply *container = call(primary, "CONTAINER.GET %s", key);
    redisReply *page = expect_elements(
        call(primary, "BLOB.LIST %s COUNT %d INCLUDE 4 META SNAPSHOTS UNCOMMITTED COPY", key, BLOBS_LISTED),
        2);
    long long blobs = 0, bytes = 0;
    for (size_t i = 0; i < page->element[1]->elements; i++) {
        const redisReply *item = page->element[1]->element[i];
        bool is_blob = reply_field_if_any(item, "etag") && !reply_field_if_any(item, "snapshot");
        if (is_blob) blobs++;
        bytes += read_item(key, item);
    }
    expect_number(field(container, "blobs"), blobs);
    expect_number(field(container, "bytes"), bytes);
}

/* Time may end something in the value, or in its double, between two questions; so they are asked again. */
void hostile_double(const char *key) {
    const char *digest = NULL, *twin = NULL;
    for (int attempt = 0; attempt < ATTEMPTS && !(attempt && !strcmp(digest, twin)); attempt++) {
        digest = value_digest(primary, key);
        redisReply *dump = call(primary, "DUMP %s", key);
        expect_ok(call(primary, "RESTORE again 0 %b REPLACE", dump->str, dump->len));
        twin = value_digest(primary, "again");
    }
    assert_string_equal(digest, twin);
}

void require_whole(const char *key) {
    redisReply *container = call(primary, "CONTAINER.GET %s", key);
    require(!reply_is_error(container), "CONTAINER.GET gives %s", reply_text(container));
    call(primary, "CONTAINER.GETACL %s", key);
    call(primary, "MEMORY USAGE %s SAMPLES 0", key);
    require_sums(key);
    hostile_double(key);
    call(primary, "BLOB.PUT %s after x", key);
    call(primary, "BLOB.APPEND %s log x", key);
    call(primary, "BLOB.CLEARPAGE %s disk 0 512", key);
    call(primary, "BLOB.PUTBLOCKLIST %s parts 0", key);
    call(primary, "DEL again %s", key);
}

void hostile_offer(char *payload, size_t length, look_at_value *look, struct tally *tally) {
    payload_sign(payload, length);
    redisReply *reply = call(primary, "RESTORE doctored 0 %b REPLACE", payload, length);
    if (reply_is_error(reply)) {
        tally->refused++;
        expect_number(call(primary, "EXISTS doctored"), 0);
    } else {
        tally->accepted++;
        if (text_begins(call(primary, "TYPE doctored")->str, "holdfast")) look("doctored");
    }
}

void hostile_restore(char *payload, size_t length, struct tally *tally) {
    hostile_offer(payload, length, require_whole, tally);
}

void hostile_change_every_byte(const redisReply *dump, look_at_value *look) {
    struct tally tally = {0};
    /* The first byte would make it a value of Redis's own, whose reader is not the one under test. */
    for (size_t place = 1; place < dump->len - PAYLOAD_FOOTER; place++) {
        const char changed[] = {(char)(dump->str[place] ^ 1 << random_below(8)),
                                '\0',
                                '\xff',
                                (char)(dump->str[place] + 1),
                                (char)(dump->str[place] - 1),
                                (char)0x80,
                                (char)0x40};
        for (size_t i = 0; i < sizeof(changed); i++) {
            char *payload = pool_copy(dump->str, dump->len);
            payload[place] = changed[i];
            hostile_offer(payload, dump->len, look, &tally);
        }
    }
    assert_true(tally.refused > 0);
}

void hostile_cut_at_every_length(const redisReply *dump, look_at_value *look) {
    struct tally tally = {0};
    for (size_t length = 0; length < dump->len - PAYLOAD_FOOTER; length++) {
        char *payload = pool_take(length + PAYLOAD_FOOTER);
        memcpy(payload, dump->str, length);
        memcpy(payload + length, dump->str + dump->len - PAYLOAD_FOOTER, PAYLOAD_FOOTER);
        hostile_offer(payload, length + PAYLOAD_FOOTER, look, &tally);
    }
    assert_int_equal(tally.accepted, 0);
}

/* --- Effects --- */

/* A content at the end of a record ends wherever it is cut off. */
enum { COSTS_MAX_US = 300000, LOOKS_BETWEEN = 8, CONTENT_INSIDE = 0x80 };

static void put_back(const char *key, const redisReply *dump) {
    call(primary, "DEL %s", key);
    if (!reply_is_null(dump)) expect_ok(call(primary, "RESTORE %s 0 %b", key, dump->str, dump->len));
}

/* The effect with another record. */
static redisReply *apply(const redisReply *effect, const char *record, size_t length) {
    struct words words = {0};
    for (size_t i = 0; i < effect->elements; i++)
        words_add_bytes(&words, i == 2 ? record : effect->element[i]->str,
                        i == 2 ? length : effect->element[i]->len);
    long long before = cpu_time_us(primary->server);
    redisReply *reply = call_words(primary, &words);
    long long worked = cpu_time_us(primary->server) - before;
    require(worked < COSTS_MAX_US, "%s costs %lld us", words_text(&words), worked);
    return reply;
}

static void doctor(const char *key, const redisReply *met, const redisReply *effect, look_at_value *look) {
    const redisReply *record = effect->element[2];
    for (size_t place = 0; place < record->len; place++) {
        if (place % LOOKS_BETWEEN == 0) put_back(key, met);
        redisReply *reply = apply(effect, record->str, place);
        if (!(record->str[1] & CONTENT_INSIDE)) expect_error(reply, "ERR the effect cannot be read");
        char *changed = pool_copy(record->str, record->len);
        changed[place] = (char)(random_below(2) ? changed[place] ^ 1 << random_below(8) : random_below(256));
        apply(effect, changed, record->len);
        if (place % LOOKS_BETWEEN == LOOKS_BETWEEN - 1 && call(primary, "EXISTS %s", key)->integer) look(key);
    }
    put_back(key, met);
    expect_ok(apply(effect, record->str, record->len));
}

/* An index or a feed that is built has effects of its own, behind the first one. */
static const redisReply *effect_of(struct stream *stream, const char *line) {
    stream_commands(stream, primary);
    act_by(primary, line, NULL);
    redisReply *sent = stream_commands(stream, primary);
    for (size_t i = 0; i < sent->elements; i++)
        if (!strcmp(sent->element[i]->element[0]->str, "HFA")) return sent->element[i];
    failure("%s has no effect", line);
}

void hostile_doctor_effects(const char *key, const char *const *lines, look_at_value *look) {
    struct stream *stream = stream_attach(primary->server);
    random_begin();
    expect_misfits();
    configure(primary, "holdfast.accept-effects", "yes");
    for (; *lines; lines++) {
        const redisReply *met = call(primary, "DUMP %s", key);
        doctor(key, met, effect_of(stream, *lines), look);
    }
}

/* --- Containers --- */

void hostile_fill(const char *container, int blobs) {
    expect_etag(call(primary, "CONTAINER.CREATE %s META 2 a b c d ACCESS BLOB", container));
    expect_etag(
        call(primary, "CONTAINER.SETACL %s ACCESS CONTAINER POLICIES 2 one 0 99 rw two - - l", container));
    for (int i = 0; i < blobs; i++) {
        expect_etag(call(primary,
                         "BLOB.PUT %s blob-%d %s META 1 name %d PROPS 2 content-type text/plain "
                         "cache-control %d",
                         container, i, pool_print("%0*d", i * 9 + 1, i), i, i));
    }
}

void hostile_fill_kinds(const char *container) {
    static const char *const commands[] = {
        "BLOB.PUTBLOCK %s parts AAAA 5000*a",
        "BLOB.PUTBLOCK %s parts AAAB 100*b",
        "BLOB.PUTBLOCKLIST %s parts 3 LATEST AAAB LATEST AAAA LATEST AAAB META 1 a b",
        "BLOB.SNAPSHOT %s parts META 1 c d",
        "BLOB.PUTBLOCK %s parts AAAC 70*c",
        "BLOB.PUTBLOCK %s waiting AA== 7*c",
        "BLOB.CREATEPAGE %s disk 131072 SEQUENCE 7",
        "BLOB.PUTPAGE %s disk 512 1024*p",
        "BLOB.PUTPAGE %s disk 65536 512*q",
        "BLOB.SNAPSHOT %s disk",
        "BLOB.PUTPAGE %s disk 1024 512*r",
        "BLOB.SNAPSHOT %s disk",
        "BLOB.CREATEAPPEND %s log",
        "BLOB.APPEND %s log 30*l",
        "BLOB.SNAPSHOT %s log",
        "BLOB.APPEND %s log 50*m",
    };
    hostile_fill(container, 2);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        const char *blank = strchr(commands[i], '%');
        const char *line =
            pool_print("%.*s%s%s", (int)(blank - commands[i]), commands[i], container, blank + 2);
        struct words words = step_words(line);
        redisReply *reply = call_words(primary, &words);
        require(!reply_is_error(reply), "%s gave %s", line, reply_text(reply));
    }
    expect_elements(call(primary, "BLOB.COPY %s twin %s disk", container, container), 3);
}

static redisReply *dump_of(const char *container) {
    redisReply *dump = call(primary, "DUMP %s", container);
    require(payload_checksum(dump->str, dump->len - 8) ==
                *(const uint64_t *)(const void *)(dump->str + dump->len - 8),
            "the checksum of the tests is not that of the server");
    return dump;
}

redisReply *hostile_dump_kinds(const char *container) {
    hostile_fill_kinds(container);
    return dump_of(container);
}

redisReply *hostile_dump(const char *container, int blobs) {
    hostile_fill(container, blobs);
    return dump_of(container);
}
