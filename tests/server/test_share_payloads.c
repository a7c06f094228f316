/* Hostile payloads for shares: RESTORE with a valid checksum around a doctored value, and doctored
 * effects. Each is answered with an error, or gives a share that is whole and safe; and none costs much.
 * No server dies, and all hold the same. */
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "cpu_time.h"
#include "files.h"
#include "harness.h"
#include "hostile.h"
#include "payload.h"
#include "pool.h"
#include "random.h"
#include "records.h"
#include "stream.h"
#include "text.h"

enum { COSTS_MAX_US = 300000, READ_MAX = 1 << 17, EVERY_SO_MANY = 6 };

/* One of everything that a share can hold. */
static const char *const everything[] = {"SHARE.CREATE fs",
                                         "s = SHARE.CONNECT fs 86400 OWNER tester",
                                         "SHARE.SETPROPS fs QUOTA 900000000000",
                                         "SHARE.SETMETA fs META 1 a b",
                                         "SHARE.SETACL fs POLICIES 1 one 0 - rl",
                                         "LEASE.ACQUIRE fs -1 ID A OWNER me",
                                         "mkdir Dir META 1 c d",
                                         "mkdir dir/Sub",
                                         "create dir/Sub/x 3000 PROPS 1 content-type text/x META 1 e f",
                                         "put dir/sub/x 600 700*x",
                                         "create sparse 68719476736 ATTRIBUTES 1 HIDDEN",
                                         "put sparse 34359738368 9*y",
                                         "SHARE.SNAPSHOT fs",
                                         "put dir/sub/x 0 5*z",
                                         "rename dir/sub Top",
                                         "create moved 20",
                                         "SHARE.SNAPSHOT fs META 1 g h",
                                         "setmeta top/x META 0",
                                         "delete moved",
                                         "copy top/x twin",
                                         "SHARE.SNAPSHOT fs",
                                         "setprops twin SIZE 100000",
                                         "t = SHARE.CONNECT fs 50000 OWNER other ONCLOSE END",
                                         "h = open s twin RW/RWD",
                                         "i = open t twin RW/RWD",
                                         "lock $h EXCLUSIVE 0 10",
                                         "lock $i SHARED 20 5",
                                         "lock $i SHARED 20 5",
                                         "lock $i SHARED 25 0",
                                         "create leased 1",
                                         "LEASE.ACQUIRE fs -1 ID B OWNER me FILE leased",
                                         "create doomed 5",
                                         "j = open s doomed D/RWD",
                                         "dispose $j ON",
                                         "create closing 5",
                                         "k = open t closing D/- DELETEONCLOSE",
                                         NULL};

static void fill(void) {
    time_passes(0);
    for (const char *const *line = everything; *line; line++) act_by(primary, *line, NULL);
}

static redisReply *dump_of_everything(void) {
    configure(primary, "rdbcompression", "no");
    fill();
    return call(primary, "DUMP fs");
}

/* --- Whether it is whole -------------------------------------------------------------------------------- */

struct sums {
    long long files, directories, bytes;
    int left; /* so many things more are looked at */
};

static void look_at_file(const char *key, const char *path, const char *rest, long long length,
                         struct sums *sums) {
    struct words words = words_of_line(pool_print("FILE.STAT %s", key));
    words_add(&words, path);
    words_add_line(&words, rest);
    expect_number(field(call_words(primary, &words), "content-length"), length);
    words_replace(&words, 0, "FILE.GET");
    if (length > READ_MAX) words_add_line(&words, "RANGE 0 1000");
    redisReply *content = call_words(primary, &words);
    if (!reply_is_error(content) && length <= READ_MAX) assert_int_equal(content->element[1]->len, length);
    words_replace(&words, 0, "FILE.GETRANGES");
    call_words(primary, &words);
    sums->files++;
    sums->bytes += length;
}

static void look_below(const char *key, const char *path, const char *rest, struct sums *sums) {
    struct words words = words_of_line(pool_print("FILE.LIST %s", key));
    words_add(&words, path);
    words_add_line(&words, rest);
    redisReply *items = expect_elements(call_words(primary, &words), 2)->element[1];
    const char *previous = "";
    for (size_t i = 0; i < items->elements && sums->left-- > 0; i++) {
        const char *name = reply_string(field(items->element[i], "name"));
        require(strcasecmp(name, previous), "%s is there twice", name);
        previous = name;
        const char *below = *path ? pool_print("%s/%s", path, name) : name;
        redisReply *length = reply_field_if_any(items->element[i], "content-length");
        if (length)
            look_at_file(key, below, rest, length->integer, sums);
        else
            sums->directories++, look_below(key, below, rest, sums);
    }
}

static struct sums look(const char *key, const char *rest) {
    struct sums sums = {0, 0, 0, 1000};
    look_below(key, "", rest, &sums);
    return sums;
}

/* What nobody has open any more is there as it is counted. */
static void require_sums(const char *key) {
    expect_number(call(primary, "COPY %s twin REPLACE", key), 1);
    redisReply *share = call(primary, "SHARE.GET twin");
    struct sums sums = look("twin", "");
    expect_number(field(share, "files"), sums.files);
    expect_number(field(share, "directories"), sums.directories);
    expect_number(field(share, "bytes"), sums.bytes);
    redisReply *snapshots = field(share, "snapshots");
    for (size_t i = 0; i < snapshots->elements; i++)
        look("twin", pool_print("SNAPSHOT %s", reply_string(snapshots->element[i])));
}

static void require_whole_share(const char *key) {
    if (strcmp(call(primary, "TYPE %s", key)->str, "holdfastS") != 0) {
        call(primary, "DEL %s", key);
        return;
    }
    look(key, "");
    call(primary, "SHARE.GETACL %s", key);
    call(primary, "LEASE.LIST %s", key);
    call(primary, "FILE.HANDLES %s", key);
    call(primary, "MEMORY USAGE %s", key);
    redisReply *dump = call(primary, "DUMP %s", key);
    expect_ok(call(primary, "RESTORE again 0 %b REPLACE", dump->str, dump->len));
    require_sums(key);
    redisReply *closed = call(primary, "FILE.CLOSEHANDLES again %s * RECURSIVE", "");
    require(closed->type == REDIS_REPLY_INTEGER, "they cannot be closed: %s", reply_text(closed));
    call(primary, "SHARE.SNAPSHOT again");
    call(primary, "FILE.DELETE again twin");
    call(primary, "FILE.RENAME again top deeper");
    call(primary, "FILE.CREATE again new 5");
    call(primary, "DEL again twin %s", key);
}

/* --- Values --------------------------------------------------------------------------------------------- */

static void restore(char *payload, size_t length, struct tally *tally) {
    long long before = cpu_time_us(primary->server);
    hostile_offer(payload, length, require_whole_share, tally);
    long long worked = cpu_time_us(primary->server) - before;
    require(worked < COSTS_MAX_US, "%zu bytes cost %lld us", length, worked);
}

TEST(payloads_with_every_byte_changed) {
    random_begin();
    redisReply *dump = dump_of_everything();
    struct tally tally = {0, 0};
    for (size_t place = 1; place < dump->len - PAYLOAD_FOOTER; place += 1 + random_size(EVERY_SO_MANY)) {
        const char changed[] = {(char)(dump->str[place] ^ 1 << random_below(8)),
                                '\0',
                                '\xff',
                                (char)(dump->str[place] + 1),
                                (char)(dump->str[place] - 1),
                                (char)random_below(256)};
        char *payload = pool_copy(dump->str, dump->len);
        payload[place] = changed[random_below(6)];
        restore(payload, dump->len, &tally);
    }
    require(tally.refused > 100 && tally.accepted > 10, "%d refused, %d accepted", tally.refused,
            tally.accepted);
}

TEST(payloads_cut_at_every_length) {
    hostile_cut_at_every_length(dump_of_everything(), require_whole_share);
}

/* Each record sound, the whole not. */
TEST(payloads_in_another_order) {
    random_begin();
    redisReply *dump = dump_of_everything();
    call(primary, "DEL fs");
    share_setup();
    acts_by(primary, {"mkdir d", NULL}, {"create d/x 700", NULL}, {"put d/x 0 600*q", NULL},
            {"SHARE.SNAPSHOT fs", NULL}, {"delete d/x", "OK"}, {"mkdir d/x", NULL},
            {"h = open s d/y RWD/RWD DISPOSITION CREATE", NULL}, {"lock $h EXCLUSIVE 0 0", "OK"},
            {"dispose $h ON", "OK"});
    records_offer_shuffled(dump, call(primary, "DUMP fs"), 300, require_whole_share);
}

/* Numbers of the largest kind, or none at all, in each place of each record. */
TEST(payloads_that_lie_about_numbers) {
    static const char *const lies[] = {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\xff\xff\xff\xff\x0f",
                                       "\x80\x80\x80\x80\x80\x80\x01",
                                       "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"};
    random_begin();
    redisReply *dump = dump_of_everything();
    const struct records *whole = records_of(dump);
    struct tally tally = {0, 0};
    for (size_t i = 0; i < whole->count; i++) {
        const struct record *sound = &whole->record[i];
        for (size_t place = 2; !sound->is_content && place < sound->length && place < 60;
             place += 1 + random_size(EVERY_SO_MANY)) {
            const char *lie = lies[random_below(4)];
            struct text record = {0};
            text_add(&record, sound->bytes, place);
            text_add(&record, lie, strlen(lie));
            size_t skipped = place + (random_below(3) ? 1 : 0);
            text_add(&record, sound->bytes + skipped, sound->length - skipped);
            struct records records = {.count = 0};
            memcpy(records.record, whole->record, whole->count * sizeof(*whole->record));
            records.count = whole->count;
            records_add(&records, record.bytes, record.length);
            records.record[i] = records.record[--records.count];
            records.record[i].has_content = sound->has_content;
            long long before = cpu_time_us(primary->server);
            records_offer(dump, &records, require_whole_share, &tally);
            require(cpu_time_us(primary->server) - before < COSTS_MAX_US, "record %zu costs %lld us", i,
                    cpu_time_us(primary->server) - before);
        }
    }
    require(tally.refused > 100, "%d refused, %d accepted", tally.refused, tally.accepted);
}

/* What is sound, but not all of it. */
TEST(payloads_with_parts_left_out) {
    enum { PARTS_MAX = 3 };
    redisReply *dump = dump_of_everything();
    const struct records *whole = records_of(dump);
    struct tally tally = {0, 0};
    for (size_t first = 0; first < whole->count; first++) {
        for (size_t count = 1; count <= PARTS_MAX && first + count <= whole->count; count++) {
            for (size_t other = first + count; other < whole->count; other += 1 + whole->count / 8) {
                struct records records = {.count = 0};
                for (size_t i = 0; i < whole->count; i++) {
                    bool left_out = (i >= first && i < first + count) || i == other;
                    if (!left_out) records.record[records.count++] = whole->record[i];
                }
                records_offer(dump, &records, require_whole_share, &tally);
            }
        }
    }
    require(tally.refused > 0, "all %d are accepted", tally.accepted);
}

/* The end of the tree, and the state of the last thing in it, which the end would miss. Nothing follows the tree here
 * that is refused before the tree has ended. */
TEST(payloads_without_the_end_of_the_tree) {
    enum { STATE = 0x25, END = 0x26, KIND_AT = 1 };
    configure(primary, "rdbcompression", "no");
    expect_etag(call(primary, "SHARE.CREATE fs"));
    act("mkdir d", NULL);
    redisReply *dump = call(primary, "DUMP fs");
    const struct records *whole = records_of(dump);
    struct tally tally = {0, 0};
    for (int way = 0; way < 2; way++) {
        struct records records = {.count = 0};
        for (size_t i = 0, states = 0; i < whole->count; i++) {
            const struct record *record = &whole->record[i];
            bool last_state = record->bytes[KIND_AT] == STATE && ++states == 2;
            if (record->bytes[KIND_AT] == END || (way && last_state)) continue;
            records.record[records.count++] = whole->record[i];
        }
        require(records.count + 1 + (size_t)way == whole->count, "the records are others");
        records_offer(dump, &records, require_whole_share, &tally);
    }
    require(!tally.accepted, "a tree without its end is accepted");
}

/* What is sound, once more: things that are there twice. */
TEST(payloads_with_parts_doubled) {
    enum { PARTS_MAX = 5 };
    redisReply *dump = dump_of_everything();
    const struct records *whole = records_of(dump);
    struct tally tally = {0, 0};
    for (size_t first = 0; first < whole->count; first++) {
        for (size_t count = 1; count <= PARTS_MAX && first + count <= whole->count; count++) {
            struct records records = {.count = whole->count + count};
            memcpy(records.record, whole->record, (first + count) * sizeof(*whole->record));
            memcpy(records.record + first + count, whole->record + first,
                   (whole->count - first) * sizeof(*whole->record));
            records_offer(dump, &records, require_whole_share, &tally);
        }
    }
    require(tally.refused > tally.accepted, "%d refused, %d accepted", tally.refused, tally.accepted);
}

/* --- Effects -------------------------------------------------------------------------------------------- */

/* All that went to the replicas: every kind of effect is among it. */
static const char *const more[] = {"write $h 5 abc",
                                   "truncate $h 50",
                                   "unlock $h 0 10",
                                   "unlock $i 20 5",
                                   "unlock $i 20 5",
                                   "unlock $i 25 0",
                                   "clear twin 0 1",
                                   "SHARE.PING fs $s",
                                   "closeall twin *",
                                   "dispose $j OFF",
                                   "close $j",
                                   "SHARE.DISCONNECT fs $t",
                                   "create closing 2",
                                   "mkdir gone",
                                   "rmdir gone",
                                   "rename twin leased REPLACE NEWLEASE B",
                                   NULL};

TEST(effects_with_bytes_changed) {
    time_passes(0);
    hostile_doctor_effects("fs", everything, require_whole_share);
    hostile_doctor_effects("fs", more, require_whole_share);
}

static void apply(const redisReply *effect) {
    struct words words = words_of_line("HOLDFAST.APPLY fs");
    for (size_t i = 2; i < effect->elements; i++)
        words_add_bytes(&words, effect->element[i]->str, effect->element[i]->len);
    call_words(primary, &words);
}

/* The same effects twice, in any order, in a share that has something else. */
TEST(effects_in_any_order) {
    enum { ROUNDS = 2000 };
    random_begin();
    expect_misfits();
    struct stream *stream = stream_attach(primary->server);
    fill();
    for (const char *const *line = more; *line; line++) act_by(primary, *line, NULL);
    redisReply *effects = stream_commands(stream, primary);
    configure(primary, "holdfast.accept-effects", "yes");
    for (int round = 0; round < ROUNDS; round++) {
        apply(effects->element[random_size(effects->elements)]);
        if (!call(primary, "EXISTS fs")->integer) apply(effects->element[0]);
    }
    call(primary, "COPY fs other REPLACE");
    require_whole_share("other");
}
