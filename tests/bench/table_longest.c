/*
 * How long single calls of TABLE.QUERY hold the server, with a million entities: page after page, with and without
 * indexes, and with entities that have as many properties as there may be. And how long another client waits while an
 * index is built, given up, and while all of it is dropped.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "basics.h"
#include "entities.h"
#include "single.h"
#include "table_walk.h"
#include "tables.h"
#include "waits.h"

enum { PAGES_AT_MOST = 25, PAGES_AT_MOST_QUICK = 8, LONGEST_MS = 10 };
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

struct named_ask {
    const char *name;
    struct ask ask;
};

static const struct named_ask plain_asks[] = {
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

static const struct named_ask wide_asks[] = {
    {"252 properties each", {{WIDE}}},
    {"252 properties each, SELECT of the last", {{WIDE, "SELECT", "1", "p251"}}},
    {"252 properties each, the last one, none fits", {{WIDE, "FILTER", "p251 eq 'nothing'"}}},
    {"252 properties each, 15 comparisons of the last", {{WIDE, "FILTER", LAST_COMPARISONS}}},
};

static const struct named_ask indexed_asks[] = {
    {"a value by an index", {{TABLE, "FILTER", "number eq '000000500000'"}}},
    {"3000 values by an index", {{TABLE, "FILTER", "number ge '000000500000' and number lt '000000503000'"}}},
    {"100 thousand values of an index",
     {{TABLE, "FILTER", "number ge '000000500000' and number lt '000000600000'"}}},
    {"a value that all have, by an index, none fits",
     {{TABLE, "FILTER", "status eq 'dispatched' and quantity eq 7"}}},
    {"two values by two indexes", {{TABLE, "FILTER", "status eq 'dispatched' and number eq '000000500000'"}}},
};

/* --- Queries --- */

struct longest {
    const struct part *part;
    struct server *server;
    const char *name;
    double ms;
};

/* Page after page. */
static double walk_longest_ms(struct server *server, const struct ask *ask, unsigned pages) {
    struct table_walk walk = table_walk(ask);
    double longest_ms = 0;
    for (unsigned page = 0; page < pages && !walk.has_ended; page++) {
        struct single single = single_begin(server);
        table_walk_on(&walk, server);
        longest_ms = greater(longest_ms, single_end_ms(server, &single));
    }
    return longest_ms;
}

static void ask_all(struct longest *longest, const struct named_ask *asks, size_t count) {
    unsigned pages = longest->part->is_quick ? PAGES_AT_MOST_QUICK : PAGES_AT_MOST;
    for (size_t index = 0; index < count; index++) {
        double ms = walk_longest_ms(longest->server, &asks[index].ask, pages);
        part_tell(longest->part, print_text("TABLE.QUERY, %s", asks[index].name), ms, "ms");
        if (ms <= longest->ms) continue;
        longest->ms = ms;
        longest->name = asks[index].name;
    }
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
    char *key = print_text("%u", partition), *count = print_text("%d", WIDE_AT_ONCE);
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
    struct single single = single_begin(server);
    redisAppendCommandArgv(server->context, wide->count, wide->words, NULL);
    server_await(server, 1);
    free(key);
    free(count);
    return single_end_ms(server, &single);
}

static void wide_make(const struct part *part, struct server *server) {
    struct wide wide = {.words = take((size_t)WIDE_AT_ONCE * (2 * WIDE_PROPERTIES + 4) + 4, sizeof(char *))};
    double longest_ms = 0;
    for (unsigned property = 0; property < WIDE_PROPERTIES; property++)
        snprintf(wide.names[property], WORD_BYTES, "p%u", property);
    for (unsigned row = 0; row < WIDE_AT_ONCE; row++) snprintf(wide.row[row], WORD_BYTES, "%u", row);
    server_tell(server, "TABLE.CREATE " WIDE);
    for (unsigned partition = 0; partition < WIDE_ENTITIES / WIDE_AT_ONCE; partition++)
        longest_ms = greater(longest_ms, batch_insert_ms(&wide, server, partition));
    part_tell(part, print_text("TABLE.BATCH, %d insertions of 252 properties", WIDE_AT_ONCE), longest_ms,
              "ms");
    free(wide.words);
}

/* --- What others wait for --- */

static bool is_number_used(struct server *server) {
    static const struct ask ask = {{TABLE, "FILTER", "number eq '000000500000'"}};
    return table_plan_is(server, &ask, "index");
}

static bool is_status_used(struct server *server) {
    static const struct ask ask = {{TABLE, "FILTER", "status eq 'dispatched'"}};
    return table_plan_is(server, &ask, "index");
}

static void wait_judge(const struct part *part, struct server *server, const char *what, const char *command,
                       bool (*is_over)(struct server *server)) {
    part_judge(part, print_text("%s of a million entities: longest PING", what),
               longest_ping_ms(server, command, is_over), LONGEST_MS, "ms");
}

static void index_build(const struct part *part, struct server *server) {
    int64_t before = server_info_number(server, "used_memory"), before_ns = monotonic_ns();
    wait_judge(part, server, "TABLE.INDEX", "TABLE.INDEX " TABLE " " FIRST_INDEX, is_number_used);
    part_tell(part, "TABLE.INDEX of a million entities: until it is used",
              (double)(monotonic_ns() - before_ns) / 1e9, "s");
    part_tell(part, "an entity in an index of a string of 12 bytes",
              (double)(server_info_number(server, "used_memory") - before) / MILLION, "bytes");
}

void measure_table_longest(const struct part *part, const struct million *million) {
    struct longest longest = {.part = part, .server = million->server, .name = ""};
    ask_all(&longest, plain_asks, sizeof plain_asks / sizeof *plain_asks);
    wide_make(part, million->server);
    ask_all(&longest, wide_asks, sizeof wide_asks / sizeof *wide_asks);
    index_build(part, million->server);
    longest_ping_ms(million->server, "TABLE.INDEX " TABLE " status", is_status_used);
    ask_all(&longest, indexed_asks, sizeof indexed_asks / sizeof *indexed_asks);
    results_bar(part->results, print_text("longest TABLE.QUERY: %s", longest.name), longest.ms, LONGEST_MS,
                "ms");
    wait_judge(part, million->server, "TABLE.UNINDEX", "TABLE.UNINDEX " TABLE " status", NULL);
    wait_judge(part, million->server, "TABLE.DROP", "TABLE.DROP " TABLE, NULL);
}
