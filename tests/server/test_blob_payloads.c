/* Hostile payloads and files with blobs of all kinds: doctored bytes, records in another order, and records
 * written by hand that say what cannot be. Each is an error, or gives a value that is whole. No server dies, and
 * all hold the same. */
#include <stdlib.h>
#include <string.h>

#include "blob/container_change.h"
#include "effects.h"
#include "harness.h"
#include "payload.h"
#include "pool.h"
#include "random.h"
#include "records.h"

TEST(bytes_changed_anywhere) {
    random_begin();
    configure(primary, "rdbcompression", "no");
    redisReply *dump = hostile_dump_kinds("box");
    struct tally tally = {0};
    for (int round = 0; round < 1500; round++) {
        char *payload = pool_copy(dump->str, dump->len);
        for (int change = random_below(3); change >= 0; change--)
            payload[1 + random_size(dump->len - PAYLOAD_FOOTER - 1)] = (char)random_below(256);
        hostile_restore(payload, dump->len, &tally);
    }
    assert_true(tally.refused > 0 && tally.accepted > 0);
}

/* The bytes of the records themselves, each in turn, and not those of the contents beside them. */
TEST(every_byte_of_every_record_changed) {
    random_begin();
    configure(primary, "rdbcompression", "no");
    redisReply *dump = hostile_dump_kinds("box");
    const struct records *records = records_of(dump);
    struct tally tally = {0};
    for (size_t i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->length > 200) continue;
        size_t start = (size_t)(record->bytes - dump->str);
        for (size_t place = start; place < start + record->length; place++) {
            const char changed[] = {(char)(dump->str[place] ^ 1 << random_below(8)),
                                    random_below(2) ? '\xff' : (char)0x80};
            for (size_t which = 0; which < sizeof(changed); which++) {
                char *payload = pool_copy(dump->str, dump->len);
                payload[place] = changed[which];
                hostile_restore(payload, dump->len, &tally);
            }
        }
    }
    assert_true(tally.refused > 0 && tally.accepted > 0);
}

TEST(records_in_another_order) {
    random_begin();
    configure(primary, "rdbcompression", "no");
    redisReply *dump = hostile_dump_kinds("box");
    records_restore_shuffled(dump, hostile_dump_kinds("other"), 1000);
}

TEST(records_left_out_at_the_end) {
    configure(primary, "rdbcompression", "no");
    redisReply *dump = hostile_dump_kinds("box");
    const struct records *whole = records_of(dump);
    struct tally tally = {0};
    for (size_t count = 0; count < whole->count; count++) {
        struct records records = *whole;
        records.count = count;
        records_restore(dump, &records, &tally);
    }
    assert_int_equal(tally.accepted, 0);
}

/* --- Records by hand --- */

enum { IS_BORN = 256, ETAG = 100, CREATED_MS = 1000 };

static struct records *hand;
static redisReply *hand_dump;

static void hand_add(const struct text *record) {
    records_add(hand, record->bytes, record->length);
}

static void hand_content(size_t length, char letter) {
    char *content = pool_take(length + 1);
    memset(content, letter, length);
    records_add_content(hand, content, length);
}

static void hand_begin(void) {
    struct text record = effect_start(CONTAINER_CREATE, NULL);
    hand = pool_take(sizeof(*hand));
    effect_word(&record, ETAG);
    effect_number(&record, CREATED_MS);
    effect_number(&record, CREATED_MS);
    effect_byte(&record, 0);
    effect_number(&record, 0);
    effect_number(&record, 0);
    hand_add(&record);
}

static void chunk_of(uint64_t told, size_t length) {
    struct text record = effect_start(CONTAINER_CHUNK, NULL);
    effect_number(&record, told);
    hand_add(&record);
    hand_content(length, 'x');
}

static void state_of(const char *name, int kind, int parts, uint64_t length, uint64_t count) {
    struct text record = effect_start(BLOB_STATE, name);
    effect_word(&record, ETAG + 1);
    effect_number(&record, CREATED_MS);
    effect_number(&record, CREATED_MS);
    effect_byte(&record, (unsigned char)kind);
    effect_byte(&record, (unsigned char)(parts & ~IS_BORN));
    if (parts & PART_LENGTH) effect_number(&record, length);
    effect_number(&record, count);
    if (parts & PART_SEQUENCE) effect_number(&record, 0);
    effect_word(&record, kind == KIND_PAGE || parts & IS_BORN ? ETAG + 1 : 0);
    hand_add(&record);
}

/* A list of one record of numbers; `count` is what it says. */
static void list_of(enum container_change_kind kind, const char *name, uint64_t count,
                    const struct text *items) {
    struct text record = effect_start(kind, name);
    effect_number(&record, count);
    if (count) effect_bytes(&record, items->bytes, items->length);
    hand_add(&record);
}

static void leaf(struct text *items, uint64_t index, uint64_t present, uint64_t chunk) {
    effect_number(items, index);
    effect_word(items, present);
    effect_number(items, chunk);
}

static void snapshot_of(uint64_t id) {
    struct text record = effect_start(BLOB_SNAPSHOT, "blob");
    effect_word(&record, ETAG + 1);
    effect_number(&record, CREATED_MS);
    effect_byte(&record, 0);
    effect_word(&record, id);
    hand_add(&record);
}

static void settle(void) {
    struct text record = effect_start(CONTAINER_LOADED, NULL);
    hand_add(&record);
}

/* Ends the value, and offers it. */
static void hand_offer(const char *what, bool is_sound) {
    struct tally tally = {0};
    records_end(hand, 1);
    records_restore(hand_dump, hand, &tally);
    require(tally.accepted == is_sound, "%s is %s", what, tally.accepted ? "accepted" : "refused");
}

static void hand_open(void) {
    configure(primary, "rdbcompression", "no");
    create("sample");
    hand_dump = call(primary, "DUMP sample");
    hand_begin();
    hand_offer("an empty container", true);
}

enum { PAGE = 512, TWO_PAGES = 1024, DISK = 65536, TWO_DISKS = 131072 };

static void begin_disk(uint64_t length) {
    hand_begin();
    state_of("disk", KIND_PAGE, PART_LENGTH | PART_SEQUENCE, length, 0);
}

/* One row is one leaf: what is wrong with it, told of a chunk of `bytes`. */
TEST(pages_that_cannot_be) {
    static const struct {
        const char *what;
        uint64_t index, present, chunk;
        size_t bytes;
        bool is_sound;
    } rows[] = {
        {"a page", 0, 1, 1, PAGE, true},
        {"two pages apart", 0, 5, 1, TWO_PAGES, true},
        {"the last page", 1, UINT64_C(1) << 63, 1, PAGE, true},
        {"a leaf of none", 0, 0, 1, PAGE, false},
        {"less bytes than pages", 0, 3, 1, PAGE, false},
        {"more bytes than pages", 0, 1, 1, TWO_PAGES, false},
        {"half a page", 0, 1, 1, 100, false},
        {"a page beyond the end", 2, 1, 1, PAGE, false},
        {"a page far beyond the end", UINT64_C(1) << 40, 1, 1, PAGE, false},
        {"a page at the end of numbers", UINT64_MAX, 1, 1, PAGE, false},
        {"a chunk that never came", 0, 1, 2, PAGE, false},
        {"the chunk 0", 0, 1, 0, PAGE, false},
        {"the last number of a chunk", 0, 1, UINT64_MAX, PAGE, false},
    };
    hand_open();
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        struct text items = {0};
        begin_disk(DISK);
        chunk_of(rows[row].bytes, rows[row].bytes);
        leaf(&items, rows[row].index, rows[row].present, rows[row].chunk);
        list_of(BLOB_LEAVES, "disk", 1, &items);
        settle();
        hand_offer(rows[row].what, rows[row].is_sound);
    }
}

/* All lists of a content but the last one have as many entries. */
enum { LIST_MAX = 4096 };

static void leaves_of(uint64_t first, uint64_t count) {
    struct text items = {0};
    for (uint64_t i = first; i < first + count; i++) leaf(&items, i, 1, 1);
    list_of(BLOB_LEAVES, "disk", count, &items);
}

/* The same pages twice: in one list, in two, and out of order. */
TEST(pages_that_overlap) {
    static const struct {
        uint64_t first, second;
        bool is_sound;
    } rows[] = {{0, 1, true}, {0, 0, false}, {1, 0, false}},
      next_lists[] = {{0, LIST_MAX, true}, {0, LIST_MAX - 1, false}, {0, 0, false}, {1, 1, false}};
    hand_open();
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        struct text items = {0};
        begin_disk(DISK);
        chunk_of(PAGE, PAGE);
        leaf(&items, rows[row].first, 1, 1);
        leaf(&items, rows[row].second, 1, 1);
        list_of(BLOB_LEAVES, "disk", 2, &items);
        settle();
        hand_offer("an overlap in a list", rows[row].is_sound);
    }
    for (size_t row = 0; row < ARRAY_SIZE(next_lists); row++) {
        begin_disk(UINT64_C(1) * (LIST_MAX + 1) * DISK);
        chunk_of(PAGE, PAGE);
        leaves_of(next_lists[row].first, LIST_MAX);
        leaves_of(next_lists[row].second, 1);
        settle();
        hand_offer("an overlap of two lists", next_lists[row].is_sound);
    }
}

/* Lists of one content; each is sound for itself. */
static void offer_lists(enum container_change_kind kind, const char *what, size_t lists, uint64_t count,
                        bool is_sound) {
    hand_begin();
    state_of("blob", KIND_BLOCK, 0, 0, 0);
    chunk_of(1, 1);
    for (size_t list = 0; list < lists; list++) {
        struct text items = {0};
        for (uint64_t entry = 0; entry < count; entry++) {
            if (kind == BLOB_BLOCKS) effect_text(&items, "id");
            effect_number(&items, 1);
        }
        list_of(kind, "blob", count, &items);
    }
    settle();
    hand_offer(what, is_sound);
}

/* Each list makes work that grows with what came before it, so a payload must not consist of them. */
TEST(lists_in_many_small_records) {
    static const enum container_change_kind kinds[] = {BLOB_SPANS, BLOB_BLOCKS};
    hand_open();
    for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
        offer_lists(kinds[kind], "a short list", 1, 1, true);
        offer_lists(kinds[kind], "two short lists", 2, 1, false);
        offer_lists(kinds[kind], "many short lists", 3000, 1, false);
        offer_lists(kinds[kind], "two lists that are not quite long", 2, LIST_MAX - 1, false);
        offer_lists(kinds[kind], "long lists", 3, LIST_MAX, true);
    }
    for (uint64_t count = LIST_MAX - 1; count <= LIST_MAX; count++) {
        begin_disk(UINT64_C(1) * (LIST_MAX + 1) * DISK);
        chunk_of(PAGE, PAGE);
        leaves_of(0, count);
        leaves_of(count, 1);
        settle();
        hand_offer("a list of pages behind another one", count == LIST_MAX);
    }
}

TEST(counts_without_an_end) {
    static const uint64_t counts[] = {0, 2, 3, 1000000, UINT64_C(1) << 32, UINT64_C(1) << 62, UINT64_MAX};
    static const enum container_change_kind kinds[] = {BLOB_SPANS, BLOB_BLOCKS, BLOB_LEAVES};
    hand_open();
    for (size_t row = 0; row < ARRAY_SIZE(counts); row++) {
        for (int kind = 0; kind < 3; kind++) {
            struct text items = {0};
            hand_begin();
            state_of("blob", kind == 2 ? KIND_PAGE : KIND_BLOCK, kind == 2 ? PART_LENGTH | PART_SEQUENCE : 0,
                     DISK, 0);
            chunk_of(PAGE, PAGE);
            if (kind == 1) effect_text(&items, "id");
            if (kind == 2) leaf(&items, 0, 1, 1);
            if (kind < 2) effect_number(&items, 1);
            list_of(kinds[kind], "blob", counts[row], &items);
            settle();
            hand_offer("a list that is not as long as it says", kind == 2 && !counts[row]);
        }
    }
}

TEST(chunks_that_are_not_whole) {
    static const struct {
        const char *what;
        uint64_t told;
        size_t pieces[3];
        bool is_sound;
    } rows[] = {
        {"one piece", 10, {10}, true},
        {"three pieces", 10, {4, 3, 3}, true},
        {"too little", 10, {4, 3}, false},
        {"too much", 10, {4, 7}, false},
        {"a first piece that is too much", 10, {11}, false},
        {"no bytes", 0, {0}, false},
        {"an empty piece", 10, {4, 0, 6}, false},
        {"nearly without end", UINT64_MAX, {10}, false},
        {"much more than comes", UINT64_C(1) << 40, {10, 10}, false},
    };
    hand_open();
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        struct text items = {0};
        hand_begin();
        state_of("blob", KIND_BLOCK, 0, 0, 0);
        chunk_of(rows[row].told, rows[row].pieces[0]);
        for (int piece = 1; piece < 3 && (rows[row].pieces[piece] || (piece == 1 && rows[row].pieces[2]));
             piece++)
            chunk_of(rows[row].told, rows[row].pieces[piece]);
        effect_number(&items, 1);
        list_of(BLOB_SPANS, "blob", 1, &items);
        settle();
        hand_offer(rows[row].what, rows[row].is_sound);
    }
}

/* A value ends with its chunks settled. */
TEST(chunks_that_nobody_settles) {
    hand_open();
    hand_begin();
    chunk_of(10, 10);
    hand_offer("a chunk at the end", false);
    hand_begin();
    chunk_of(10, 4);
    settle();
    hand_offer("a part of a chunk that nobody has", true);
}

TEST(snapshots_that_do_not_grow) {
    static const struct {
        uint64_t first, second;
        bool is_sound;
    } rows[] = {{200, 201, true}, {200, 200, false}, {201, 200, false},
                {0, 200, false},  {200, 0, false},   {200, UINT64_MAX, false}};
    hand_open();
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        hand_begin();
        state_of("blob", KIND_APPEND, 0, 0, 0);
        snapshot_of(rows[row].first);
        state_of("blob", KIND_APPEND, 0, 0, 0);
        snapshot_of(rows[row].second);
        hand_offer("two snapshots", rows[row].is_sound);
    }
    hand_begin();
    snapshot_of(200);
    hand_offer("a snapshot of nothing", false);
    hand_begin();
    state_of("blob", KIND_APPEND, 0, 0, 0);
    snapshot_of(200);
    snapshot_of(201);
    hand_offer("two snapshots of one state", false);
}

TEST(states_that_cannot_be) {
    static const struct {
        const char *what;
        int kind, parts;
        uint64_t length, count;
        bool is_sound;
    } rows[] = {
        {"an append blob", KIND_APPEND, 0, 0, 50000, true},
        {"too many appends", KIND_APPEND, 0, 0, 50001, false},
        {"appends without end", KIND_APPEND, 0, 0, UINT64_MAX, false},
        {"half a page", KIND_PAGE, PART_LENGTH | PART_SEQUENCE, 100, 0, false},
        {"the largest disk", KIND_PAGE, PART_LENGTH | PART_SEQUENCE, UINT64_C(1) << 43, 0, true},
        {"a disk that is too large", KIND_PAGE, PART_LENGTH | PART_SEQUENCE, (UINT64_C(1) << 43) + PAGE, 0,
         false},
        {"a disk without end", KIND_PAGE, PART_LENGTH | PART_SEQUENCE, UINT64_MAX - 511, 0, false},
        {"an unknown kind", 3, 0, 0, 0, false},
        {"a kind without name", 255, 0, 0, 0, false},
        {"unknown parts", KIND_BLOCK, 32, 0, 0, false},
        {"a block blob with appends", KIND_BLOCK, 0, 0, 1, false},
        {"pages with appends", KIND_PAGE, PART_LENGTH | PART_SEQUENCE, DISK, 1, false},
        {"a block blob with a sequence number", KIND_BLOCK, PART_SEQUENCE, 0, 0, false},
        {"an append blob with a length", KIND_APPEND, PART_LENGTH, 0, 0, false},
        {"a block blob born of pages", KIND_BLOCK, IS_BORN, 0, 0, false},
        {"what is kept of nothing", KIND_APPEND, STATE_KEEPS_CONTENT, 0, 0, false},
        {"pages kept of nothing", KIND_PAGE, STATE_KEEPS_CONTENT | PART_LENGTH | PART_SEQUENCE, DISK, 0,
         false},
    };
    hand_open();
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        hand_begin();
        state_of("blob", rows[row].kind, rows[row].parts, rows[row].length, rows[row].count);
        hand_offer(rows[row].what, rows[row].is_sound);
    }
}

/* What follows a state has to fit it. */
TEST(contents_of_another_kind) {
    static const struct {
        int kind;
        enum container_change_kind list;
        bool is_sound;
    } rows[] = {
        {KIND_BLOCK, BLOB_SPANS, true},  {KIND_BLOCK, BLOB_BLOCKS, true},   {KIND_BLOCK, BLOB_LEAVES, false},
        {KIND_APPEND, BLOB_SPANS, true}, {KIND_APPEND, BLOB_BLOCKS, false}, {KIND_APPEND, BLOB_LEAVES, false},
        {KIND_PAGE, BLOB_SPANS, false},  {KIND_PAGE, BLOB_BLOCKS, false},   {KIND_PAGE, BLOB_LEAVES, true}};
    hand_open();
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        struct text items = {0};
        hand_begin();
        bool is_disk = rows[row].kind == KIND_PAGE;
        state_of("blob", rows[row].kind, is_disk ? PART_LENGTH | PART_SEQUENCE : 0, DISK, 0);
        chunk_of(PAGE, PAGE);
        if (rows[row].list == BLOB_BLOCKS) effect_text(&items, "id");
        if (rows[row].list == BLOB_LEAVES) leaf(&items, 0, 1, 1);
        if (rows[row].list != BLOB_LEAVES) effect_number(&items, 1);
        list_of(rows[row].list, "blob", 1, &items);
        settle();
        hand_offer("a content", rows[row].is_sound);
    }
}

/* A file brings one state after the other, each with its content behind it, and blobs in the order of their names. */
TEST(records_that_come_too_early_or_too_late) {
    struct text items = {0};
    effect_number(&items, 1);
    hand_open();
    hand_begin();
    chunk_of(PAGE, PAGE);
    list_of(BLOB_SPANS, "blob", 1, &items);
    state_of("blob", KIND_APPEND, 0, 0, 0);
    settle();
    hand_offer("a content before its blob", false);
    hand_begin();
    state_of("b", KIND_APPEND, 0, 0, 0);
    state_of("a", KIND_APPEND, 0, 0, 0);
    hand_offer("a name that falls", false);
    hand_begin();
    state_of("blob", KIND_APPEND, 0, 0, 0);
    state_of("blob", KIND_APPEND, 0, 0, 0);
    hand_offer("two states in a row", false);
    hand_begin();
    chunk_of(PAGE, PAGE);
    state_of("blob", KIND_APPEND, 0, 0, 0);
    list_of(BLOB_SPANS, "blob", 1, &items);
    snapshot_of(200);
    state_of("blob", KIND_APPEND, STATE_KEEPS_CONTENT, 0, 0);
    list_of(BLOB_SPANS, "blob", 1, &items);
    settle();
    hand_offer("more for a content that is kept", false);
}

/* What is kept has to be there, be large, and stay as long as it was. */
TEST(states_that_keep_a_content) {
    static const struct {
        const char *what;
        uint64_t then, now;
        int kind;
        bool is_sound;
    } rows[] = {{"the same", DISK, DISK, KIND_PAGE, true},
                {"a longer disk", DISK, TWO_DISKS, KIND_PAGE, false},
                {"a shorter disk", DISK, PAGE, KIND_PAGE, false},
                {"an empty blob", 0, 0, KIND_APPEND, false}};
    hand_open();
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        int parts = rows[row].kind == KIND_PAGE ? PART_LENGTH | PART_SEQUENCE : 0;
        hand_begin();
        state_of("blob", rows[row].kind, parts, rows[row].then, 0);
        snapshot_of(200);
        state_of("blob", rows[row].kind, parts | STATE_KEEPS_CONTENT, rows[row].now, 0);
        hand_offer(rows[row].what, rows[row].is_sound);
    }
}

/* Of one blob, or of two: the same bytes stand in many places, and stay there when one of them changes. */
TEST(chunks_that_many_share) {
    hand_open();
    hand_begin();
    struct text items = {0};
    state_of("a", KIND_APPEND, 0, 0, 2);
    chunk_of(1000, 1000);
    for (int use = 0; use < 20; use++) effect_number(&items, 1);
    list_of(BLOB_SPANS, "a", 20, &items);
    state_of("b", KIND_BLOCK, 0, 0, 0);
    list_of(BLOB_SPANS, "b", 20, &items);
    settle();
    records_end(hand, 1);
    struct tally tally = {0};
    records_restore(hand_dump, hand, &tally);
    assert_int_equal(tally.accepted, 1);
}

/* A commit has at most 50,000 blocks, whatever a file says. */
TEST(blocks_beyond_the_limit) {
    hand_open();
    for (uint64_t max = 50000; max <= 50001; max++) {
        struct text items = {0};
        hand_begin();
        state_of("blob", KIND_BLOCK, 0, 0, 0);
        chunk_of(1, 1);
        for (uint64_t block = 0; block < max; block++) {
            effect_text(&items, "id");
            effect_number(&items, 1);
        }
        list_of(BLOB_BLOCKS, "blob", max, &items);
        settle();
        hand_offer("50,000 blocks or one more", max == 50000);
    }
}

static void staged_of(const char *name, uint64_t chunk, const char *id, size_t length) {
    struct text record = effect_start(BLOB_STAGED, name);
    effect_number(&record, chunk);
    effect_bytes(&record, id, length);
    effect_number(&record, CREATED_MS);
    hand_add(&record);
}

TEST(staged_blocks_that_cannot_be) {
    static const char long_id[65] = "";
    static const struct {
        uint64_t chunk;
        size_t first, second;
        bool is_sound;
    } rows[] = {{1, 3, 3, true},  {1, 64, 64, true}, {1, 3, 4, false}, {1, 65, 65, false},
                {1, 0, 0, false}, {2, 3, 3, false},  {0, 3, 3, false}};
    hand_open();
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        hand_begin();
        chunk_of(10, 10);
        staged_of("blob", rows[row].chunk, long_id, rows[row].first);
        staged_of("blob", rows[row].chunk, long_id, rows[row].second);
        settle();
        hand_offer("two staged blocks", rows[row].is_sound);
    }
    hand_begin();
    chunk_of(10, 10);
    state_of("blob", KIND_APPEND, 0, 0, 0);
    staged_of("blob", 1, "id", 2);
    settle();
    hand_offer("a block staged for an append blob", false);
}
