#define _GNU_SOURCE
#include "template.h"

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPLY_BYTES_SHOWN = 80, WORDS_MAX = 600, FIRST_MARK = 14 /* behind the ends of lines */ };

/* What is known beforehand, besides what is different in each request. */
enum { CONTENT = PLACEHOLDER_KINDS, SIZE, SCRIPT, KEY, PARTS };

/* The parts of requests, and how many bytes the placeholders take. Offsets take as many as they have digits; one byte
 * holds the place of a word of any length. */
static const struct {
    const char *name;
    size_t bytes;
} parts[PARTS] = {
    [PLACEHOLDER_NAME] = {"{name}", NAME_BYTES},
    [PLACEHOLDER_FOLDER] = {"{folder}", FOLDER_BYTES},
    [PLACEHOLDER_FILE] = {"{file}", FILE_BYTES},
    [PLACEHOLDER_TOKEN] = {"{token}", TOKEN_BYTES},
    [PLACEHOLDER_RANDOM] = {"{random}", RANDOM_BYTES},
    [PLACEHOLDER_NUMBER] = {"{number}", NUMBER_BYTES},
    [PLACEHOLDER_OFFSET] = {"{offset}", 0},
    [PLACEHOLDER_LAST] = {"{last}", 0},
    [PLACEHOLDER_ID] = {"{id}", 1},
    [PLACEHOLDER_RECEIPT] = {"{receipt}", 1},
    [PLACEHOLDER_GRANTED] = {"{granted}", 1},
    [PLACEHOLDER_OWN] = {"{own}", 1},
    [CONTENT] = {"{content}", 0},
    [SIZE] = {"{size}", 0},
    [SCRIPT] = {"{script}", 0},
    [KEY] = {"{key}", 0},
};

size_t placeholder_bytes(const struct template *template, enum placeholder_kind kind) {
    return parts[kind].bytes ? parts[kind].bytes : template->offsets.digits;
}

static void part_write(const struct template *template, int part, FILE *word) {
    const struct dataset *data = template->data;
    struct reply digest;
    switch (part) {
    case CONTENT: fwrite(data->content, 1, data->bytes, word); break;
    case SIZE: fprintf(word, "%zu", data->bytes); break;
    case KEY: fputs(template->key, word); break;
    case SCRIPT:
        digest = connection_call(data->connections[0], "SCRIPT LOAD %s", template->workload->script);
        fwrite(digest.text, 1, digest.length, word);
        break;
    default: /* bytes that no request contains, to be found again */
        for (size_t i = 0; i < placeholder_bytes(template, (enum placeholder_kind)part); i++)
            putc(FIRST_MARK + part, word);
    }
}

/* Writes the part with which the text begins, or one letter; answers what is behind it. */
static const char *word_write(const struct template *template, const char *text, FILE *word) {
    for (int part = 0; part < PARTS; part++) {
        size_t length = strlen(parts[part].name);
        if (strncmp(text, parts[part].name, length) != 0) continue;
        part_write(template, part, word);
        return text + length;
    }
    putc(*text, word);
    return text + 1;
}

static char *word_read(const struct template *template, const char **text, size_t *length) {
    char *bytes;
    bool is_quoted = **text == '"';
    FILE *word = open_memstream(&bytes, length);
    require(word, "out of memory");
    *text += is_quoted;
    while (**text && !strchr(is_quoted ? "\"" : " ;", **text)) *text = word_write(template, *text, word);
    *text += is_quoted;
    *text += strspn(*text, " ");
    fclose(word);
    return bytes;
}

static void placeholders_find(struct template *template) {
    unsigned numbers[PLACEHOLDER_KINDS] = {0};
    for (size_t at = 0; at < template->length; at++) {
        int mark = template->bytes[at] - FIRST_MARK;
        if (mark < 0 || mark >= PLACEHOLDER_KINDS) continue;
        enum placeholder_kind kind = (enum placeholder_kind)mark;
        require(template->placeholder_count < PLACEHOLDERS_MAX, "a template has too many gaps");
        template->placeholders[template->placeholder_count++] =
            (struct placeholder){at, kind, numbers[kind]++};
        at += placeholder_bytes(template, kind) - 1;
    }
}

/* Adds the command with which the text begins; answers the next one. */
static const char *command_add(struct template *template, const char *text) {
    char *words[WORDS_MAX], *command;
    size_t lengths[WORDS_MAX];
    int count = 0;
    while (*text && *text != ';') {
        require(count < WORDS_MAX, "%s has too many words", template->workload->name);
        words[count] = word_read(template, &text, &lengths[count]);
        count++;
    }
    long long length = redisFormatCommandArgv(&command, count, (const char **)words, lengths);
    require(length > 0, "out of memory");
    template->bytes = realloc(template->bytes, template->length + (size_t)length);
    require(template->bytes, "out of memory");
    memcpy(template->bytes + template->length, command, (size_t)length);
    template->length += (size_t)length;
    template->commands++;
    redisFreeCommand(command);
    while (count) free(words[--count]);
    return text + strspn(text, "; ");
}

/* What is in brackets so many times. */
static char *brackets_repeat(const char *request, unsigned times) {
    char *text = allocate(strlen(request) * times + 1, 1), *to = text;
    while (*request) {
        size_t length = strcspn(request, "[]");
        bool repeats = request[length] == ']';
        for (unsigned time = 0; time < (repeats ? times : 1); time++) to = mempcpy(to, request, length);
        request += length + (request[length] != '\0');
    }
    return text;
}

struct template template_make(const struct workload *workload, struct dataset *data,
                              struct object_set *object_set, const char *key) {
    struct template template = {.workload = workload, .data = data, .object_set = object_set, .key = key};
    template.batch = workload->batch ? workload->batch : 1;
    if (workload->offsets) template.offsets = workload->offsets(data);
    char *requests = brackets_repeat(workload->request, template.batch);
    for (const char *text = requests; *text;) text = command_add(&template, text);
    free(requests);
    placeholders_find(&template);
    return template;
}

void template_end(struct template *template) {
    free(template->bytes);
}

static uint64_t offset_of_object(const struct offsets *offsets, unsigned object) {
    return offsets->first + object * FAR_APART % offsets->count * offsets->step;
}

static void digits_write(char *text, uint64_t number, unsigned digits) {
    for (; digits; number /= 10) text[--digits] = (char)('0' + number % 10);
}

/* Of all requests of the run. */
static uint64_t last_number;

void placeholder_fill(const struct template *template, unsigned object, enum placeholder_kind kind,
                      char *to) {
    const struct offsets *offsets = &template->offsets;
    const char *name = template->data->names[object];
    switch (kind) {
    case PLACEHOLDER_NAME: memcpy(to, name, NAME_BYTES); break;
    case PLACEHOLDER_FOLDER: memcpy(to, name, FOLDER_BYTES); break;
    case PLACEHOLDER_FILE: memcpy(to, name + NAME_BYTES - FILE_BYTES, FILE_BYTES); break;
    case PLACEHOLDER_TOKEN: memcpy(to, template->object_set->tokens[object], TOKEN_BYTES); break;
    case PLACEHOLDER_NUMBER: digits_write(to, ++last_number, NUMBER_BYTES); break;
    case PLACEHOLDER_RANDOM: letters_write(to, RANDOM_BYTES, object); break;
    case PLACEHOLDER_OFFSET: digits_write(to, offset_of_object(offsets, object), offsets->digits); break;
    case PLACEHOLDER_LAST:
        digits_write(to, offset_of_object(offsets, object) + offsets->span - 1, offsets->digits);
        break;
    default: give_up("%s: a word that only sequences have", template->workload->name);
    }
}

void answer_check(struct answer answer, unsigned connection) {
    const struct workload *workload = answer.template->workload;
    struct reply *reply = &answer.reply;
    *reply = connection_receive_any(answer.template->data->connections[connection]);
    if (workload->is_expected(&answer)) return;
    int shown = reply->length < REPLY_BYTES_SHOWN ? (int)reply->length : REPLY_BYTES_SHOWN;
    give_up("%s was answered by something unexpected: %c%.*s",
            workload->name ? workload->name : workload->request, reply->kind, reply->kind == '*' ? 0 : shown,
            reply->text);
}
