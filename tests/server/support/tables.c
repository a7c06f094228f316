#include "tables.h"

#include <string.h>

#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "text.h"

enum { PAGES_MAX = 100000, ROWS_IN_BATCH = 100 };

void table_setup(void) {
    expect_ok(call(primary, "TABLE.CREATE t"));
}

redisReply *ask_at(struct client *client, const char *line) {
    struct words words = step_words(line);
    return call_words(client, &words);
}

redisReply *ask(const char *line) {
    return ask_at(primary, line);
}

const char *written_at(struct place place, const char *line) {
    return expect_etag_at(place, ask(line));
}

void play_so_many_answers(const struct answered *rows, size_t count) {
    for (size_t i = 0; i < count; i++) step_play(rows[i].line, rows[i].answer, 0);
}

/* Adds NEXT and its keys. False at the end. */
static bool go_on(struct words *words, size_t asked, const redisReply *page) {
    const redisReply *next = page->element[0];
    words->count = asked;
    if (reply_is_null(next)) return false;
    words_add(words, "NEXT");
    for (size_t key = 0; key < 2; key++)
        words_add_bytes(words, next->element[key]->str, next->element[key]->len);
    return true;
}

static const char *walk(struct client *client, struct words *words, int *pages) {
    struct text keys = EMPTY_TEXT;
    size_t asked = words->count;
    *pages = 0;
    do {
        redisReply *page = call_words(client, words);
        require(!reply_is_error(page), "%s gives %s", words_text(words), reply_text(page));
        require(++*pages < PAGES_MAX, "%s does not end", words_text(words));
        const redisReply *rows = expect_elements(page, 2)->element[1];
        for (size_t i = 0; i < rows->elements; i++) {
            const redisReply *row = expect_elements(rows->element[i], 4);
            text_print(&keys, "%s%s/%s", keys.length ? " " : "", reply_string(row->element[0]),
                       reply_string(row->element[1]));
        }
        if (!go_on(words, asked, page)) return keys.bytes;
    } while (true);
}

const char *found_at(struct client *client, const char *rest, int *pages) {
    struct words words = step_words(pool_print("TABLE.QUERY t %s", rest));
    return walk(client, &words, pages);
}

const char *found(const char *rest) {
    int pages;
    return found_at(primary, rest, &pages);
}

const char *found_by(const char *filter) {
    struct words words = words_of_line("TABLE.QUERY t FILTER");
    int pages;
    words_add(&words, filter);
    return walk(primary, &words, &pages);
}

redisReply *explained(struct client *client, const char *table, const char *filter) {
    return call(client, "TABLE.QUERY %s FILTER %s EXPLAIN", table, filter);
}

const char *plan_of(const char *filter) {
    return field(explained(primary, "t", filter), "plan")->str;
}

const char *some_properties(int count) {
    struct text text = {0};
    text_print(&text, "PROPS %d", count);
    for (int i = 0; i < count; i++) text_print(&text, " p%d %d", i, i);
    return text.bytes;
}

const char *timestamp_of(const char *keys) {
    redisReply *entity = ask(pool_print("TABLE.GET t %s SELECT 1 Timestamp", keys));
    return field(expect_elements(entity, 2)->element[1], "Timestamp:datetime")->str;
}

void fill_table(struct client *client, int count) {
    for (int first = 0, batches = 0; first < count; first += ROWS_IN_BATCH) {
        struct words words = words_of_line("TABLE.BATCH t p");
        int rows = count - first < ROWS_IN_BATCH ? count - first : ROWS_IN_BATCH;
        words_add_number(&words, rows);
        for (int number = first; number < first + rows; number++)
            words_add_line(&words, pool_print("INSERT %06d PROPS 2 n:int32 %d ten:int32 %d", number, number,
                                              number % 10));
        send_words(client, &words);
        if (++batches % 10 && first + rows < count) continue;
        for (; batches; batches--) {
            redisReply *reply = receive(client);
            require(!reply_is_error(reply), "a batch gives %s", reply_text(reply));
        }
    }
}

static bool uses_index(struct client *client, const char *table, const char *property) {
    redisReply *plan = explained(client, table, pool_print("%s eq 5", property));
    return !strcmp(field(plan, "plan")->str, "index");
}

void await_index(struct client *client, const char *table, const char *property) {
    AWAIT_OR(uses_index(client, table, property), "the index of %s does not become complete", property);
}
