/* HOLDFAST.HELP and HOLDFAST.VERSION: what they say is what the table says, and the examples are sound. */
#include <string.h>

#include "grammar.h"
#include "harness.h"
#include "pool.h"
#include "redis_cli.h"
#include "release.h"
#include "text.h"

static const char *line_at(const redisReply *help, size_t index) {
    require(help->type == REDIS_REPLY_ARRAY && help->elements > index, "no line %zu in %s", index,
            reply_text(help));
    return help->element[index]->str;
}

TEST(help_shows_syntax_summary_and_an_example) {
    struct words commands = grammar_commands(primary);
    for (size_t i = 0; i < commands.count; i++) {
        const char *command = commands.word[i];
        struct grammar grammar = grammar_of(primary->server, command);
        redisReply *help = call(primary, "HOLDFAST.HELP %s", command);
        expect_text(help->element[0], grammar_line(&grammar));
        expect_text(help->element[1], grammar.summary);
        if (is_effect_command(command)) continue; /* nobody sends it */
        require(text_begins(line_at(help, 2), pool_print("Example: %s", command)), "%s has no example",
                command);
    }
}

/* On an empty server it finds nothing, or makes something; its form is never what is wrong. The 512 bytes of a page
 * are no line to read, so the example of BLOB.PUTPAGE only says what is there. */
static void play_example(const char *command) {
    const char *example = line_at(call(primary, "HOLDFAST.HELP %s", command), 2);
    struct words words = redis_cli_words(example + strlen("Example: "));
    expect_ok(call(primary, "FLUSHALL"));
    redisReply *reply = call_words(primary, &words);
    require(!reply_is_error(reply) || text_begins(reply->str, "NOTFOUND ") ||
                (!strcmp(command, "BLOB.PUTPAGE") && text_begins(reply->str, "INVALID InvalidPageRange")),
            "%s gives %s", example, reply_text(reply));
}

TEST(the_examples_are_of_the_right_form) {
    struct words commands = grammar_commands(primary);
    for (size_t i = 0; i < commands.count; i++)
        if (!is_effect_command(commands.word[i])) play_example(commands.word[i]);
}

TEST(help_lists_a_family) {
    redisReply *help = call(primary, "HOLDFAST.HELP queue");
    for (size_t i = 0; i < help->elements; i++)
        require(text_begins(line_at(help, i), "QUEUE."), "%s", line_at(help, i));
    expect_text(help->element[0], "QUEUE.CREATE: Creates a queue, unless it exists with the same metadata.");
    redisReply *lower = call(primary, "HOLDFAST.HELP queue.delete");
    expect_text(lower->element[0], "QUEUE.DELETE queue id receipt [ONCE token]");
}

TEST(help_without_a_topic_lists_all_but_what_nobody_sends) {
    struct words commands = grammar_commands(primary);
    redisReply *help = call(primary, "HOLDFAST.HELP");
    assert_int_equal(help->elements, commands.count - 2); /* HOLDFAST.APPLY, and HFA */
    for (size_t i = 0; i < help->elements; i++)
        require(!text_begins(line_at(help, i), "HOLDFAST.APPLY") && !text_begins(line_at(help, i), "HFA"),
                "%s", line_at(help, i));
}

TEST(an_unknown_topic_is_refused) {
    static const char *const topics[] = {"BLOB.", "BLO", "BLOB.PUTX", "SET", "APPLY", "*", NULL};
    for (const char *const *topic = topics; *topic; topic++)
        expect_error(call(primary, "HOLDFAST.HELP %s", *topic),
                     "INVALID InvalidQueryParameterValue no command or family has this name");
    expect_error(call(primary, "HOLDFAST.HELP %b", "", (size_t)0),
                 "INVALID InvalidQueryParameterValue no command or family has this name");
    expect_error(call(primary, "HOLDFAST.HELP BLOB PUT"), "ERR syntax error near 'PUT'");
}

TEST(the_version_is_that_of_info) {
    expect_text(call(primary, "HOLDFAST.VERSION"), RELEASE_TEXT);
    expect_text(call(primary, "HOLDFAST.VERSION"),
                info_field(call(primary, "INFO holdfast"), "holdfast_version"));
    expect_text(call(replica, "HOLDFAST.VERSION"), RELEASE_TEXT);
}
