/* The examples of the pages: each is sent to a server, and what it answers is what the page shows. */
#include <string.h>
#include <strings.h>

#include "example.h"
#include "grammar.h"
#include "harness.h"
#include "pool.h"
#include "text.h"

static bool is_example(const struct fence *fence) {
    return text_begins(fence->info, "redis") && !strstr(fence->info, "not run");
}

/* The examples of a page build on each other; one that says 'fresh' begins with nothing. */
static void (*tell)(const struct words *command, const redisReply *reply);

static void begin(struct reading *reading, bool is_resp3) {
    expect_ok(call(primary, "FLUSHALL"));
    *reading = (struct reading){.server = primary->server, .is_resp3 = is_resp3, .tell = tell};
}

static void play_page(struct text *faults, const struct page *page, bool is_resp3) {
    struct fences fences = fences_of(page);
    struct reading reading;
    begin(&reading, is_resp3);
    for (size_t i = 0; i < fences.count; i++) {
        const struct fence *fence = &fences.fence[i];
        if (!is_example(fence)) continue;
        if (strstr(fence->info, "fresh")) begin(&reading, is_resp3);
        const char *fault = example_play(&reading, fence);
        if (fault) text_print(faults, "%s:%zu: %s\n", fence->path, fence->line, fault);
        if (fault) return;
    }
}

static void play_all(bool is_resp3) {
    struct pages pages = pages_read();
    struct text faults = EMPTY_TEXT;
    for (size_t i = 0; i < pages.count; i++) play_page(&faults, &pages.page[i], is_resp3);
    require(!faults.length, "%s", faults.bytes);
}

TEST(the_examples_answer_what_they_show) {
    play_all(false);
}

TEST(examples_answer_the_same_in_resp3) {
    play_all(true);
}

/* What the examples show of the commands: the types of their replies, and their errors. */
static struct {
    size_t count;
    struct {
        const char *command;
        const redisReply *reply;
    } * item;
} seen;

static void see(const struct words *command, const redisReply *reply) {
    seen.item = pool_grow(seen.item, (seen.count + 1) * sizeof(*seen.item));
    seen.item[seen.count].command = command->word[0];
    seen.item[seen.count++].reply = reply;
}

static const char *type_of(const redisReply *reply) {
    switch (reply->type) {
    case REDIS_REPLY_STRING: return "string";
    case REDIS_REPLY_INTEGER: return "integer";
    case REDIS_REPLY_STATUS: return "OK";
    case REDIS_REPLY_NIL: return "null";
    case REPLY_MAP: return "map";
    default: return "array";
    }
}

/* What ONCE answers is told once for all commands. */
static const char said_once[] = "IdempotentParameterMismatch";

/* What the page has to say of a reply: its type behind **Returns**, or the code of the error behind **Errors**. */
static bool is_told(const char *section, const redisReply *reply) {
    const char *told = paragraph_of(section, reply_is_error(reply) ? "**Errors**" : "**Returns**");
    if (!told) return false;
    if (!reply_is_error(reply)) return strstr(told, type_of(reply)) != NULL;
    if (text_begins(reply->str, "ERR ") || strstr(reply->str, said_once)) return true;
    const char *code = strchr(reply->str, ' ') + 1;
    return strstr(told, pool_print("`%.*s`", (int)strcspn(code, " "), code)) != NULL;
}

TEST(the_pages_tell_what_each_command_returns) {
    struct pages pages = pages_read();
    struct words commands = grammar_commands(primary);
    struct text faults = EMPTY_TEXT;
    memset(&seen, 0, sizeof(seen));
    tell = see;
    for (size_t i = 0; i < pages.count; i++) play_page(&faults, &pages.page[i], true);
    tell = NULL;
    for (size_t i = 0; i < commands.count; i++) {
        const char *section = section_of(&pages, commands.word[i]);
        bool is_shown = false;
        if (!section || is_effect_command(commands.word[i])) continue;
        for (size_t place = 0; place < seen.count; place++) {
            if (strcasecmp(seen.item[place].command, commands.word[i]) != 0) continue;
            is_shown = true;
            if (is_told(section, seen.item[place].reply)) continue;
            text_print(&faults, "\n%s does not tell of %s", commands.word[i],
                       reply_text(seen.item[place].reply));
        }
        if (!is_shown) text_print(&faults, "\n%s has no example", commands.word[i]);
    }
    require(!faults.length, "%s", faults.bytes);
}
