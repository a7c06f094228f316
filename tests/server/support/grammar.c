#include "grammar.h"

#include <string.h>

#include "failure.h"
#include "pool.h"
#include "text.h"
#include "wire.h"

bool is_effect_command(const char *command) {
    return !strcmp(command, "HOLDFAST.APPLY") || !strcmp(command, "HFA");
}

struct words grammar_commands(struct client *client) {
    redisReply *names = call(client, "COMMAND LIST FILTERBY MODULE holdfast");
    struct words sorted = {0};
    for (size_t i = 0; i < names->elements; i++) {
        const char *name = text_in_capitals(names->element[i]->str);
        size_t place = 0;
        while (place < sorted.count && strcmp(sorted.word[place], name) < 0) place++;
        words_insert(&sorted, place, name);
    }
    return sorted;
}

static const char *text_field(const redisReply *map, const char *name) {
    redisReply *value = reply_field_if_any(map, name);
    return value ? reply_string(value) : NULL;
}

static bool is_among(const redisReply *flags, const char *flag) {
    for (size_t i = 0; flags && i < flags->elements; i++)
        if (!strcmp(flags->element[i]->str, flag)) return true;
    return false;
}

bool command_has_flag(const redisReply *info, const char *flag) {
    return is_among(info->element[2], flag);
}

static struct argument argument_of(const redisReply *map) {
    struct argument argument = {0};
    const char *shown =
        text_field(map, "display_text"); /* by servers after 7.0, and in their clients' hints */
    argument.name = shown ? shown : text_field(map, "name");
    argument.type = text_field(map, "type");
    argument.token = text_field(map, "token");
    argument.is_optional = is_among(reply_field_if_any(map, "flags"), "optional");
    argument.is_multiple = is_among(reply_field_if_any(map, "flags"), "multiple");
    redisReply *parts = reply_field_if_any(map, "arguments");
    if (!parts) return argument;
    argument.count = parts->elements;
    argument.part = pool_take((argument.count + 1) * sizeof(*argument.part));
    for (size_t i = 0; i < argument.count; i++) argument.part[i] = argument_of(parts->element[i]);
    return argument;
}

struct grammar grammar_of(struct server *server, const char *command) {
    struct wire *wire = wire_open(server);
    redisReply *reply = wire_call(wire, pool_print("COMMAND DOCS %s", command));
    require(reply->elements == 2, "COMMAND DOCS %s answers %s", command, reply_text(reply));
    const redisReply *docs = reply->element[1];
    struct grammar grammar = {.command = text_in_capitals(command)};
    grammar.summary = text_field(docs, "summary");
    grammar.since = text_field(docs, "since");
    grammar.group = text_field(docs, "group");
    grammar.complexity = text_field(docs, "complexity");
    grammar.all = argument_of(docs);
    return grammar;
}

static void add_argument(struct text *line, const struct argument *argument);

static void add_parts(struct text *line, const struct argument *argument, const char *between) {
    for (size_t i = 0; i < argument->count; i++) {
        if (i) text_print(line, "%s", between);
        add_argument(line, &argument->part[i]);
    }
}

/* The argument without its token, brackets and repetition. */
static void add_value(struct text *line, const struct argument *argument) {
    if (argument->count) {
        bool is_choice = argument->type && !strcmp(argument->type, "oneof");
        add_parts(line, argument, is_choice ? "|" : " ");
    } else if (strcmp(argument->type, "pure-token") != 0) {
        text_print(line, "%s", argument->name);
    }
}

static void add_argument(struct text *line, const struct argument *argument) {
    struct text value = EMPTY_TEXT;
    add_value(&value, argument);
    if (argument->is_optional) text_print(line, "[");
    if (argument->token) text_print(line, "%s%s", argument->token, value.length ? " " : "");
    text_print(line, "%s", value.bytes);
    if (argument->is_multiple) text_print(line, " [%s ...]", value.bytes);
    if (argument->is_optional) text_print(line, "]");
}

const char *grammar_line(const struct grammar *grammar) {
    struct text line = {0};
    text_print(&line, "%s", grammar->command);
    for (size_t i = 0; i < grammar->all.count; i++) {
        text_print(&line, " ");
        add_argument(&line, &grammar->all.part[i]);
    }
    return line.bytes;
}
