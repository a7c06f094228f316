/* The pages show the grammar that the module really has, each command on one line of its own. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "core/outcome.h"
#include "grammar.h"
#include "harness.h"
#include "pages.h"
#include "pool.h"
#include "text.h"

static bool pages_show(const struct pages *pages, const char *line) {
    for (size_t i = 0; i < pages->count; i++) {
        if (strstr(pages->page[i].text, line)) return true;
    }
    return false;
}

TEST(the_reference_shows_every_command_as_it_is) {
    struct pages pages = pages_read();
    struct words commands = grammar_commands(primary);
    struct text missing = EMPTY_TEXT;
    for (size_t i = 0; i < commands.count; i++) {
        if (is_effect_command(commands.word[i])) continue;
        struct grammar grammar = grammar_of(primary->server, commands.word[i]);
        const char *line = pool_print("`%s`", grammar_line(&grammar));
        if (!pages_show(&pages, line)) text_print(&missing, "\n%s", line);
    }
    require(!missing.length, "the pages lack:%s", missing.bytes);
}

/* The words in `code`, one after the other. */
static const char *next_code(const char **text) {
    const char *begin = strchr(*text, '`'), *end = begin ? strchr(begin + 1, '`') : NULL;
    if (!end) return NULL;
    *text = end + 1;
    return pool_copy(begin + 1, (size_t)(end - begin - 1));
}

static bool is_code_of_an_error(const char *code) {
    for (int outcome = 0; outcome < OUTCOME_COUNT; outcome++) {
        const char *known = outcome_text(outcome)->code;
        if (known && !strcmp(known, code)) return true;
    }
    return false;
}

/* Codes begin with a capital and go on with small letters; commands and options do not. */
static bool looks_like_a_code(const char *code) {
    return isupper((unsigned char)code[0]) && islower((unsigned char)code[strlen(code) - 1]) &&
           strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz5") == strlen(code);
}

TEST(the_errors_of_the_commands_are_those_of_the_module) {
    struct pages pages = pages_read();
    struct words commands = grammar_commands(primary);
    struct text faults = EMPTY_TEXT;
    for (size_t i = 0; i < commands.count; i++) {
        const char *section = section_of(&pages, commands.word[i]);
        const char *errors = section ? paragraph_of(section, "**Errors**") : NULL;
        for (const char *code; errors && (code = next_code(&errors));) {
            if (looks_like_a_code(code) && !is_code_of_an_error(code))
                text_print(&faults, "\n%s: %s", commands.word[i], code);
        }
    }
    require(!faults.length, "no such errors:%s", faults.bytes);
}

/* `…` stands for any letters: `LeaseIdMismatchWith…Operation`. */
static bool names_code(const char *shown, const char *code) {
    const char *gap = strstr(shown, "…");
    if (!gap) return !strcmp(shown, code);
    size_t before = (size_t)(gap - shown), length = strlen(code);
    const char *behind = gap + strlen("…");
    return !strncmp(shown, code, before) && length >= before + strlen(behind) &&
           !strcmp(code + length - strlen(behind), behind);
}

static const char *list_of_errors(void) {
    static const char heading[] = "\n## Errors\n";
    struct pages pages = pages_read();
    for (size_t i = 0; i < pages.count; i++) {
        const char *begin = strstr(pages.page[i].text, heading);
        if (!begin) continue;
        return pool_copy(begin, (size_t)(strstr(begin + strlen(heading), "\n## ") - begin));
    }
    return NULL;
}

static bool list_has(const char *list, const char *code) {
    for (const char *shown; (shown = next_code(&list));)
        if (names_code(shown, code)) return true;
    return false;
}

TEST(the_list_of_errors_has_every_code) {
    const char *list = list_of_errors();
    struct text missing = EMPTY_TEXT;
    require(list, "the pages have no list of errors");
    for (int outcome = OUTCOME_FIRST; outcome < OUTCOME_COUNT; outcome++) {
        const struct outcome_text *text = outcome_text(outcome);
        if (!text->redis_own && !list_has(list, text->code)) text_print(&missing, "\n%s", text->code);
    }
    require(!missing.length, "the list of errors lacks:%s", missing.bytes);
}

/* As Redis's own: a command does something or returns something, in one sentence. */
TEST(summaries_are_in_the_words_of_redis) {
    struct words commands = grammar_commands(primary);
    struct text faults = EMPTY_TEXT;
    for (size_t i = 0; i < commands.count; i++) {
        const char *summary = grammar_of(primary->server, commands.word[i]).summary;
        size_t first = strcspn(summary, " ");
        bool is_sound = isupper((unsigned char)summary[0]) && first > 1 && summary[first - 1] == 's' &&
                        summary[strlen(summary) - 1] == '.' && !strstr(summary, "nswers");
        if (!is_sound && strncmp(commands.word[i], "HFA", 3) != 0)
            text_print(&faults, "\n%s: %s", commands.word[i], summary);
    }
    require(!faults.length, "%s", faults.bytes);
}
