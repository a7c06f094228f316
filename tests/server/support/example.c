#include "example.h"

#include <ctype.h>
#include <string.h>

#include "await.h"
#include "client.h"
#include "failure.h"
#include "pool.h"
#include "redis_cli.h"
#include "text.h"
#include "wire.h"

/* A command or a reply, and what is below it. */
struct passage {
    const char *name; /* of the speaker */
    const char *first;
    const char *rest;
};

/* How long the prompt is with which the line begins, or 0. */
static size_t prompt_length(const char *line) {
    size_t length = 0;
    while (islower((unsigned char)line[length]) || isdigit((unsigned char)line[length])) length++;
    return line[length] == '>' && line[length + 1] == ' ' ? length + 2 : 0;
}

static bool next_passage(const char **text, struct passage *passage) {
    const char *line = text_line(text);
    if (!line) return false;
    size_t prompt = prompt_length(line);
    require(prompt, "an example does not begin with a prompt: %s", line);
    *passage = (struct passage){pool_copy(line, prompt - 2), line + prompt, ""};
    struct text rest = EMPTY_TEXT;
    while (**text && !prompt_length(*text)) {
        line = text_line(text);
        text_print(&rest, "%s\n", line);
    }
    passage->rest = rest.bytes;
    return true;
}

static struct speaker *speaker_named(struct reading *reading, const char *name) {
    struct speaker *speaker = reading->speaker;
    while (speaker->name && strcmp(speaker->name, name) != 0) speaker++;
    require(speaker < reading->speaker + SPEAKERS_MAX - 1, "too many names in one example: %s", name);
    if (!speaker->name) {
        speaker->name = name;
        speaker->wire = reading->is_resp3 ? wire_open_resp3(reading->server) : wire_open(reading->server);
    }
    return speaker;
}

static long long waiting(struct reading *reading) {
    long long count = 0;
    for (size_t i = 0; i < SPEAKERS_MAX; i++) count += reading->speaker[i].waits != NULL;
    return count;
}

/* So that those who wait come in the order of the page, and before what serves them. */
static void await_waiters(struct reading *reading) {
    struct client *looker = test_client(reading->server);
    AWAIT_OR(info_number(call(looker, "INFO clients"), "blocked_clients") >= waiting(reading),
             "a command that shows no reply does not wait");
}

static void send_typed(struct reading *reading, struct speaker *speaker, const char *command) {
    struct words words = redis_cli_words(example_real(&reading->example_match, command));
    wire_send(speaker->wire, &words);
    speaker->waits = command;
}

/* The reply's first line may stand behind the prompt; then the others stand as far to the right, or at the margin. */
static const char *without_indent(const struct passage *passage) {
    struct text shown = {0};
    size_t indent = strlen(passage->name) + 2;
    text_print(&shown, "%s\n", passage->first);
    for (const char *rest = passage->rest, *line; (line = text_line(&rest));)
        text_print(&shown, "%s\n", strspn(line, " ") >= indent ? line + indent : line);
    return shown.bytes;
}

static const char *compare(struct reading *reading, struct speaker *speaker, const char *shown) {
    const char *command = speaker->waits;
    redisReply *reply = wire_receive(speaker->wire);
    speaker->waits = NULL;
    struct words words = redis_cli_words(command);
    if (reading->tell) reading->tell(&words, reply);
    const char *real = redis_cli_text(reply);
    if (example_matches(&reading->example_match, shown, real)) return NULL;
    return pool_print("%s> %s\nshown:\n%sanswered%s:\n%s", speaker->name, command, shown,
                      reading->is_resp3 ? " (RESP3, as RESP2 would show it)" : "", real);
}

const char *example_play(struct reading *reading, const struct fence *fence) {
    const char *rest = fence->text;
    for (struct passage passage; next_passage(&rest, &passage);) {
        struct speaker *speaker = speaker_named(reading, passage.name);
        bool is_reply = speaker->waits != NULL;
        if (!is_reply) send_typed(reading, speaker, passage.first);
        const char *shown = is_reply ? without_indent(&passage) : passage.rest;
        const char *other = *shown ? compare(reading, speaker, shown) : NULL;
        if (other) return other;
        if (!*shown) await_waiters(reading);
    }
    return waiting(reading) ? "a command waits at the end of the example" : NULL;
}
