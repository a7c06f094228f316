/* Tables, next to hashes and scripts: single entities, batches, few and very many; and with a million entities what
 * scans cost, how long queries hold the server, and what entities take.
 *
 * A dataset's names are its entities' keys, the folder the partition key and the file the row key. Writes keep the ETag
 * that they are answered with. */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

/* The entity: ten properties, strings mostly, and a hash with the same names and values. As a hash it
 * takes 328 bytes, by MEMORY USAGE. */
enum { ENTITY_WORDS = 20 }; /* names and values */

/* The property `number` differs between entities. */
#define ENTITY(INT32, INT64, BOOL, DATETIME)                                                                 \
    "customer K-2048193755 number {file} status dispatched carrier Northmail-07 delivery_city Copenhagen "   \
    "reference PO-8831-0742 quantity" INT32 " 184250 total" INT64 " 8812345678901 invoice_sent" BOOL         \
    " true placed" DATETIME " 2026-11-18T09:30:00.123Z"
#define PROPERTIES "10 " ENTITY(":int32", ":int64", ":bool", ":datetime")
#define FIELDS     ENTITY("", "", "", "")

/* What a merge changes. */
#define MERGED_PROPERTIES "2 status delivered1 quantity:int32 184249"
#define MERGE_FIELDS      "EVALSHA {script} 1 kept:{name} {token} status delivered1 quantity 184249"

enum { MERGED_AT_ONCE = 50 };

/* Tables: with the dataset's entities, with entities of a single partition, with indexes. */
#define TABLE           "table"
#define BATCH_TABLE     "batches"
#define BATCH_PARTITION "batch"
#define ONE_INDEX       "indexed"
#define FOUR_INDEXES    "indexed:4"
#define FIRST_INDEX     "number"

#define CREATE_TABLE     "TABLE.CREATE " TABLE
#define CREATE_ONE_INDEX "TABLE.CREATE " ONE_INDEX "; TABLE.INDEX " ONE_INDEX " " FIRST_INDEX
#define CREATE_FOUR_INDEXES                                                                                  \
    "TABLE.CREATE " FOUR_INDEXES "; TABLE.INDEX " FOUR_INDEXES " " FIRST_INDEX " status quantity placed"

static bool is_entity(const struct answer *answer) {
    if (!is_array_of(answer, 2)) return false;
    struct reply etag = reply_element(&answer->reply, 0), properties = reply_element(&answer->reply, 1);
    return is_own_token(answer, &etag) && properties.length == ENTITY_WORDS;
}

/* The end of the answer, and one row: its keys, its ETag, its properties. */
static bool is_point(const struct answer *answer) {
    if (!is_array_of(answer, 2) || !reply_element(&answer->reply, 0).is_null) return false;
    struct reply rows = reply_element(&answer->reply, 1);
    if (rows.length != 1) return false;
    struct reply row = reply_element(&rows, 0), etag = reply_element(&row, 2);
    return is_own_token(answer, &etag) && reply_element(&row, 3).length == ENTITY_WORDS;
}

#define INSERT_INTO(table) "TABLE.INSERT " table " {folder} {file} PROPS " PROPERTIES

static const struct workload workloads[] = {
    {.name = "TABLE.INSERT",
     .request = INSERT_INTO(TABLE),
     .filler = "TABLE.INSERT",
     .creates = CREATE_TABLE,
     .is_expected = is_token},
    {.name = "TABLE.INSERT, an index",
     .request = INSERT_INTO(ONE_INDEX),
     .filler = "TABLE.INSERT, an index",
     .creates = CREATE_ONE_INDEX,
     .is_expected = is_token},
    {.name = "TABLE.INSERT, 4 indexes",
     .request = INSERT_INTO(FOUR_INDEXES),
     .filler = "TABLE.INSERT, 4 indexes",
     .creates = CREATE_FOUR_INDEXES,
     .is_expected = is_token},
    {.name = "TABLE.GET",
     .request = "TABLE.GET " TABLE " {folder} {file}",
     .filler = "TABLE.INSERT",
     .flat_limit = 1.3,
     .is_expected = is_entity},
    {.name = "TABLE.QUERY by both keys",
     .request = "TABLE.QUERY " TABLE " FILTER \"PartitionKey eq '{folder}' and RowKey eq '{file}'\"",
     .filler = "TABLE.INSERT",
     .flat_limit = 1.3,
     .is_expected = is_point},
    {.name = "TABLE.MERGE of 2, IFMATCH",
     .request = "TABLE.MERGE " TABLE " {folder} {file} IFMATCH {token} PROPS " MERGED_PROPERTIES,
     .filler = "TABLE.INSERT",
     .flat_limit = 1.3,
     .is_expected = is_token},
    /* Of an entity that is not there: its partition key is the name's other part. */
    {.name = "TABLE.INSERT, DELETE",
     .request = "TABLE.INSERT " TABLE " {file} {folder} PROPS " PROPERTIES "; "
                "TABLE.DELETE " TABLE " {file} {folder} IFMATCH *",
     .filler = "TABLE.INSERT",
     .is_expected = is_anything},
    {.name = "TABLE.INSERT, one partition",
     .request = "TABLE.INSERT " BATCH_TABLE " " BATCH_PARTITION " {file} PROPS " PROPERTIES,
     .filler = "TABLE.INSERT, one partition",
     .creates = "TABLE.CREATE " BATCH_TABLE,
     .is_expected = is_token},
    {.name = "TABLE.BATCH of 50 such merges",
     .request = "TABLE.BATCH " BATCH_TABLE " " BATCH_PARTITION
                " 50 [MERGE {file} IFMATCH {token} PROPS " MERGED_PROPERTIES " ]",
     .batch = MERGED_AT_ONCE,
     .filler = "TABLE.INSERT, one partition",
     .is_expected = is_tokens},
};

static const struct comparison comparisons[] = {
    {"TABLE.GET", "HGETALL", {1.1, 0, 0}},
    {"TABLE.QUERY by both keys", "TABLE.GET", {2, 0, 0}},
    {"TABLE.MERGE of 2, IFMATCH", "Lua compare, HSET of 2", {0.4, 0, 0}},
    {"TABLE.BATCH of 50 such merges", "Lua compare, HSET of 2: 50", {0.5, 0, 0}},
    {"TABLE.BATCH of 50 such merges", "TABLE.MERGE of 2, IFMATCH", {0}},
    {"TABLE.INSERT", "HSET of 10 fields", {1.4, 0, 0}},
    {"TABLE.INSERT, an index", "TABLE.INSERT", {0}},
    {"TABLE.INSERT, 4 indexes", "TABLE.INSERT", {0}},
};

const struct family table_family = FAMILY("table", workloads, comparisons);

/* --- Hashes in the place of tables --- */

/* What one would use in the place of tables: a hash for each entity, and for those that are changed only if they are as
 * they were read a version beside the fields, and a script. */

/* KEYS: the hash. ARGV: the version that the caller has seen, and the fields that it sets. */
static const char compare_and_set_hash[] =
    "local version = redis.call('HGET', KEYS[1], 'version') "
    "if version ~= ARGV[1] then return redis.error_reply('PRECONDITION version is ' .. tostring(version)) "
    "end "
    "version = string.format('%018d', version + 1) "
    "redis.call('HSET', KEYS[1], 'version', version, ARGV[2], ARGV[3], ARGV[4], ARGV[5]) "
    "return version";

static bool is_hash(const struct answer *answer) {
    return is_array_of(answer, ENTITY_WORDS);
}

static const struct workload hash_workloads[] = {
    {.name = "HSET of 10 fields",
     .request = "HSET {name} " FIELDS,
     .filler = "HSET of 10 fields",
     .is_expected = is_integer},
    {.name = "HGETALL", .request = "HGETALL {name}", .filler = "HSET of 10 fields", .is_expected = is_hash},
    {.name = "HSET of 10 fields and a version",
     .request = "HSET kept:{name} version {token} " FIELDS,
     .filler = "HSET of 10 fields and a version",
     .is_expected = is_integer},
    {.name = "Lua compare, HSET of 2",
     .request = MERGE_FIELDS,
     .script = compare_and_set_hash,
     .filler = "HSET of 10 fields and a version",
     .is_expected = is_token},
    {.name = "Lua compare, HSET of 2: 50",
     .request = "[" MERGE_FIELDS "; ]",
     .script = compare_and_set_hash,
     .batch = MERGED_AT_ONCE,
     .filler = "HSET of 10 fields and a version",
     .is_expected = is_token},
};

const struct family hash_family = FAMILY_ALONE("hash", hash_workloads);

/* --- Next to hashes and scripts, few and very many --- */

/* As many as are on their way at once, and more. */
enum { BATCHED_ENTITIES = 10000 };

/* Written for the first time in each round: everything is made anew before it. */
static void tables_renew(struct server *server, const struct dataset *data) {
    server_tell(server, "FLUSHALL SYNC");
    commands_call(data->connections[0], CREATE_TABLE "; " CREATE_ONE_INDEX "; " CREATE_FOUR_INDEXES);
}

static void measure_table_ratio(const struct context *context, const char *title, const char *names,
                                unsigned objects) {
    struct fixture fixture = fixture_open(context, "", objects, sizes[0].bytes);
    workloads_measure(&fixture, (struct setting){.title = title}, names);
    fixture_close(&fixture);
}

static void measure_table_insertions(const struct context *context) {
    struct fixture fixture = fixture_open(context, "", BATCHED_ENTITIES, sizes[0].bytes);
    changes_measure(&fixture, (struct setting){.title = "new entities of 10 properties, pipeline 16"},
                    "HSET of 10 fields; TABLE.INSERT; TABLE.INSERT, an index; TABLE.INSERT, 4 indexes", 1,
                    tables_renew);
    fixture_close(&fixture);
}

/* --- Page after page --- */

/* A query that is asked again and again, each time from where the answer before has ended. */
enum { QUERY_WORDS = 8, KEY_ROOM = 40 };

/* What stands behind TABLE.QUERY: the table, a filter and whatever else. Ends with NULL, or when it is full. */
struct query {
    const char *words[QUERY_WORDS];
};

struct query_cursor {
    const struct query *query;
    char partition[KEY_ROOM], row[KEY_ROOM];
    bool has_begun, has_ended;
    uint64_t rows; /* answered so far */
};

enum { WORDS_MAX = QUERY_WORDS + 4 };

struct words {
    const char *items[WORDS_MAX];
    int count;
};

static struct words words_of(const struct query *query) {
    struct words words = {.items = {"TABLE.QUERY"}, .count = 1};
    for (int i = 0; i < QUERY_WORDS && query->words[i]; i++) words.items[words.count++] = query->words[i];
    return words;
}

static redisReply *answer_of(struct server *server, const struct words *words) {
    return server_command_words(server, words->count, (const char **)words->items);
}

static struct query_cursor query_cursor(const struct query *query) {
    return (struct query_cursor){.query = query};
}

static void query_cursor_next(struct query_cursor *cursor, struct server *server) {
    struct words words = words_of(cursor->query);
    require(!cursor->has_ended, "there is no next page");
    if (cursor->has_begun) {
        words.items[words.count++] = "NEXT";
        words.items[words.count++] = cursor->partition;
        words.items[words.count++] = cursor->row;
    }
    redisReply *reply = answer_of(server, &words);
    const redisReply *next = reply->element[0];
    cursor->rows += reply->element[1]->elements;
    cursor->has_begun = true;
    cursor->has_ended = next->type == REDIS_REPLY_NIL;
    if (!cursor->has_ended) {
        snprintf(cursor->partition, sizeof(cursor->partition), "%s", next->element[0]->str);
        snprintf(cursor->row, sizeof(cursor->row), "%s", next->element[1]->str);
    }
    freeReplyObject(reply);
}

static bool is_answered_by_index(struct server *server, const struct query *query) {
    struct words words = words_of(query);
    words.items[words.count++] = "EXPLAIN";
    redisReply *reply = answer_of(server, &words);
    bool is_index = text_is(reply->element[1]->str, "index");
    freeReplyObject(reply);
    return is_index;
}

/* --- Memory --- */

/* What an entity of ten properties takes, and a hash of the same fields: the growth of used_memory, which is what
 * maxmemory counts, over a million of them. */

enum { MORE_THAN_A_HASH = 150 };

static void measure_table_memory(const struct context *context, const struct fixture *million) {
    double entity = bytes_per_object(million, "TABLE.INSERT");
    double hash = bytes_per_object(million, "HSET of 10 fields");
    redisReply *usage = server_command(million->server, "MEMORY USAGE " TABLE);
    add_fact(context, "an entity of 10 properties, used_memory", entity, "bytes");
    add_fact(context, "an entity, MEMORY USAGE", (double)usage->integer / MILLION, "bytes");
    add_fact(context, "a hash of the same 10 fields, used_memory", hash, "bytes");
    add_bar(context, ABOUT_MEMORY, "bytes per entity, more than for a hash", entity - hash, MORE_THAN_A_HASH,
            "bytes");
    freeReplyObject(usage);
}

/* --- Scans --- */

/* Filters that no plan helps: what it costs to compare a property of each of a million entities,
 * in processor time of the server. */

enum { SCAN_ROUNDS = 9, SCAN_ROUNDS_QUICK = 3 };
enum { COMPARISON_NS = 500 }; /* two million a second */

/* No entity fits, and each has to be compared as often. */
static const struct scan {
    const char *name;
    unsigned comparisons;
    double limit_ns;
    struct query query;
} scans[] = {
    {"a comparison", 1, COMPARISON_NS, {{TABLE, "FILTER", "quantity eq 7"}}},
    {"a comparison of three", 3, 0, {{TABLE, "FILTER", "quantity eq 7 or status eq 'lost' or total lt 0L"}}},
};
enum { SCANS = ARRAY_SIZE(scans) };

static void scan_measure(const struct fixture *million, const struct scan *scan,
                         struct measurement *measurement, unsigned round) {
    struct query_cursor cursor = query_cursor(&scan->query);
    struct meter meter = meter_start(million->server);
    while (!cursor.has_ended) query_cursor_next(&cursor, million->server);
    meter_stop(&meter, million->server, measurement, round, (double)MILLION * scan->comparisons);
    require(!cursor.rows, "%s: nothing should fit", scan->name);
}

static void measure_table_scans(const struct context *context, const struct fixture *million) {
    unsigned rounds = context->is_quick ? SCAN_ROUNDS_QUICK : SCAN_ROUNDS;
    const struct setting *setting =
        context_setting(context, (struct setting){.title = "scans of a million entities, for each comparison",
                                                  .objects = MILLION});
    struct measurement *measurements[SCANS];
    for (unsigned i = 0; i < SCANS; i++)
        measurements[i] =
            results_add_measurement(context->results, setting, scans[i].name, &table_family, rounds);
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < SCANS; i++) scan_measure(million, &scans[i], measurements[i], round);
    for (unsigned i = 0; i < SCANS; i++) {
        const struct scan *scan = &scans[i];
        double ns = spread_of(measurements[i]->cpu_ns, rounds).median;
        add_fact(context, format_text("scan, %s: comparisons a second", scan->name), 1e3 / ns, "million");
        if (scan->limit_ns > 0)
            results_add_bar(context->results, ABOUT_TABLES,
                            format_text("scan of a million entities, %s", scan->name), ns, scan->limit_ns,
                            "ns");
    }
}

/* --- The longest queries --- */

/* How long single calls of TABLE.QUERY hold the server, with a million entities: page after page, with and without
 * indexes, and with entities that have as many properties as there may be. And how long another client waits while an
 * index is built, given up, and while all of it is dropped. */

enum { PAGES_MAX = 25, PAGES_MAX_QUICK = 8, LONGEST_MS = 10 };
enum { WIDE_PROPERTIES = 252, WIDE_ENTITIES = 5000, WIDE_AT_ONCE = 100, WORD_BYTES = 16 };

#define WIDE "wide"
#define ROUND_COMPARISONS                                                                                    \
    "quantity eq 1 or quantity eq 2 or quantity eq 3 or quantity eq 4 or quantity eq 5 or quantity eq 6 or " \
    "quantity eq 7 or quantity eq 8 or quantity eq 9 or total eq 1L or total eq 2L or total eq 3L or "       \
    "reference eq 'a' or reference eq 'b' or reference eq 'c'"
#define LAST_COMPARISONS                                                                                     \
    "p251 eq '1' or p251 eq '2' or p251 eq '3' or p251 eq '4' or p251 eq '5' or p251 eq '6' or "             \
    "p251 eq '7' or p251 eq '8' or p251 eq '9' or p251 eq '10' or p251 eq '11' or p251 eq '12' or "          \
    "p251 eq '13' or p251 eq '14' or p251 eq '15'"

struct named_query {
    const char *name;
    struct query query;
};

static const struct named_query plain_queries[] = {
    {"all", {{TABLE}}},
    {"SELECT of 2", {{TABLE, "SELECT", "2", "status", "quantity"}}},
    {"a comparison, none fits", {{TABLE, "FILTER", "quantity eq 7"}}},
    {"a comparison, all fit", {{TABLE, "FILTER", "quantity ne 7"}}},
    {"a comparison, one of a thousand fits", {{TABLE, "FILTER", "number lt '000000001000'"}}},
    {"a property that is not there", {{TABLE, "FILTER", "nothing eq 7"}}},
    {"15 comparisons, none fits", {{TABLE, "FILTER", ROUND_COMPARISONS}}},
    {"partitions 100 to 899, none fits",
     {{TABLE, "FILTER", "PartitionKey ge '100' and PartitionKey lt '900' and quantity eq 7"}}},
    {"one partition", {{TABLE, "FILTER", "PartitionKey eq '500'"}}},
};

static const struct named_query wide_queries[] = {
    {"252 properties each", {{WIDE}}},
    {"252 properties each, SELECT of the last", {{WIDE, "SELECT", "1", "p251"}}},
    {"252 properties each, the last one, none fits", {{WIDE, "FILTER", "p251 eq 'nothing'"}}},
    {"252 properties each, 15 comparisons of the last", {{WIDE, "FILTER", LAST_COMPARISONS}}},
};

static const struct named_query indexed_queries[] = {
    {"a value by an index", {{TABLE, "FILTER", "number eq '000000500000'"}}},
    {"3000 values by an index", {{TABLE, "FILTER", "number ge '000000500000' and number lt '000000503000'"}}},
    {"100 thousand values of an index",
     {{TABLE, "FILTER", "number ge '000000500000' and number lt '000000600000'"}}},
    {"a value that all have, by an index, none fits",
     {{TABLE, "FILTER", "status eq 'dispatched' and quantity eq 7"}}},
    {"two values by two indexes", {{TABLE, "FILTER", "status eq 'dispatched' and number eq '000000500000'"}}},
};

/* Page after page. */
static double query_longest_ms(struct server *server, const struct query *query, unsigned pages) {
    struct query_cursor cursor = query_cursor(query);
    double longest_ms = 0;
    for (unsigned page = 0; page < pages && !cursor.has_ended; page++) {
        struct command_timer timer = command_timer_start(server);
        query_cursor_next(&cursor, server);
        longest_ms = greater(longest_ms, command_timer_stop_ms(server, &timer));
    }
    return longest_ms;
}

static void queries_measure(const struct fixture *million, struct longest *longest,
                            const struct named_query *queries, size_t count) {
    unsigned pages = million->context->is_quick ? PAGES_MAX_QUICK : PAGES_MAX;
    for (size_t i = 0; i < count; i++)
        longest_add(million->context, longest, format_text("TABLE.QUERY, %s", queries[i].name),
                    query_longest_ms(million->server, &queries[i].query, pages));
}

/* --- Entities of very many properties --- */

struct wide {
    char names[WIDE_PROPERTIES][WORD_BYTES], row[WIDE_AT_ONCE][WORD_BYTES];
    const char **words;
    int count;
};

static void word_add(struct wide *wide, const char *word) {
    wide->words[wide->count++] = word;
}

static void properties_add(struct wide *wide) {
    word_add(wide, "PROPS");
    word_add(wide, "252");
    for (unsigned property = 0; property < WIDE_PROPERTIES; property++) {
        word_add(wide, wide->names[property]);
        word_add(wide, "some value");
    }
}

/* Returns how long the server was busy with it. */
static double batch_insert_ms(struct wide *wide, struct server *server, unsigned partition) {
    char *key = format_text("%u", partition), *count = format_text("%d", WIDE_AT_ONCE);
    wide->count = 0;
    word_add(wide, "TABLE.BATCH");
    word_add(wide, WIDE);
    word_add(wide, key);
    word_add(wide, count);
    for (unsigned row = 0; row < WIDE_AT_ONCE; row++) {
        word_add(wide, "INSERT");
        word_add(wide, wide->row[row]);
        properties_add(wide);
    }
    struct command_timer timer = command_timer_start(server);
    freeReplyObject(server_command_words(server, wide->count, wide->words));
    free(key);
    free(count);
    return command_timer_stop_ms(server, &timer);
}

static void wide_make(const struct context *context, struct server *server) {
    struct wide wide = {.words =
                            allocate((size_t)WIDE_AT_ONCE * (2 * WIDE_PROPERTIES + 4) + 4, sizeof(char *))};
    double longest_ms = 0;
    for (unsigned property = 0; property < WIDE_PROPERTIES; property++)
        snprintf(wide.names[property], WORD_BYTES, "p%u", property);
    for (unsigned row = 0; row < WIDE_AT_ONCE; row++) snprintf(wide.row[row], WORD_BYTES, "%u", row);
    server_tell(server, "TABLE.CREATE " WIDE);
    for (unsigned partition = 0; partition < WIDE_ENTITIES / WIDE_AT_ONCE; partition++)
        longest_ms = greater(longest_ms, batch_insert_ms(&wide, server, partition));
    add_fact(context, format_text("TABLE.BATCH, %d insertions of 252 properties", WIDE_AT_ONCE), longest_ms,
             "ms");
    free(wide.words);
}

/* --- What others wait for --- */

static bool is_number_used(struct server *server) {
    static const struct query query = {{TABLE, "FILTER", "number eq '000000500000'"}};
    return is_answered_by_index(server, &query);
}

static bool is_status_used(struct server *server) {
    static const struct query query = {{TABLE, "FILTER", "status eq 'dispatched'"}};
    return is_answered_by_index(server, &query);
}

static void index_build(const struct context *context, const struct fixture *million) {
    struct server *server = million->server;
    int64_t before = server_memory(server), before_ns = monotonic_ns();
    measure_pause(million, "TABLE.INDEX of a million entities", "TABLE.INDEX " TABLE " " FIRST_INDEX,
                  is_number_used, LONGEST_MS);
    add_fact(context, "TABLE.INDEX of a million entities: until it is used",
             (double)(monotonic_ns() - before_ns) / 1e9, "s");
    add_fact(context, "an entity in an index of a string of 12 bytes",
             server_memory_each(server, before, MILLION), "bytes");
}

static void measure_table_longest(const struct context *context, const struct fixture *million) {
    struct longest longest = {.ms = 0};
    queries_measure(million, &longest, plain_queries, ARRAY_SIZE(plain_queries));
    wide_make(context, million->server);
    queries_measure(million, &longest, wide_queries, ARRAY_SIZE(wide_queries));
    index_build(context, million);
    longest_ping_ms(million->server, "TABLE.INDEX " TABLE " status", is_status_used);
    queries_measure(million, &longest, indexed_queries, ARRAY_SIZE(indexed_queries));
    results_add_bar(context->results, ABOUT_PAUSES, format_text("longest %s", longest.name), longest.ms,
                    LONGEST_MS, "ms");
    measure_pause(million, "TABLE.UNINDEX of a million entities", "TABLE.UNINDEX " TABLE " status", NULL,
                  LONGEST_MS);
    measure_pause(million, "TABLE.DROP of a million entities", "TABLE.DROP " TABLE, NULL, LONGEST_MS);
}

/* --- All of it --- */

void measure_tables(const struct context *context) {
    measure_table_ratio(context, "entities of 10 properties, pipeline 16",
                        "HGETALL; Lua compare, HSET of 2; TABLE.GET; TABLE.QUERY by both keys; "
                        "TABLE.MERGE of 2, IFMATCH; TABLE.INSERT, DELETE",
                        sizes[0].objects);
    measure_table_ratio(
        context, "50 entities of 10 properties at once, pipeline 16",
        "Lua compare, HSET of 2: 50; TABLE.MERGE of 2, IFMATCH; TABLE.BATCH of 50 such merges",
        BATCHED_ENTITIES);
    measure_table_insertions(context);
    growth_measure(
        context, "HSET of 10 fields; TABLE.INSERT",
        "HGETALL; TABLE.GET; TABLE.QUERY by both keys; TABLE.MERGE of 2, IFMATCH; TABLE.INSERT, DELETE");
    struct fixture million = fixture_open(context, "", MILLION, sizes[0].bytes);
    measure_table_memory(context, &million);
    measure_table_scans(context, &million);
    measure_table_longest(context, &million);
    fixture_close(&million);
}
