#define _GNU_SOURCE
#include "files.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "text.h"
#include "traces.h"
#include "waiting.h"

enum { SWEPT_SOON_US = 5000 };

void share_setup(void) {
    time_passes(0);
    act("SHARE.CREATE fs", NULL);
    act("s = SHARE.CONNECT fs 86400 OWNER tester", NULL);
}

void file_setup(const char *path, const char *content) {
    size_t length = strlen(content);
    expect_etag(call(primary, "FILE.CREATE fs %s %d", path, (int)length));
    if (length) expect_etag(call(primary, "FILE.PUTRANGE fs %s 0 %s", path, content));
}

/* --- Short forms ---------------------------------------------------------------------------------------- */

static const char *const verbs[] = {
    "READ",   "WRITE",  "TRUNCATE", "LOCK",  "UNLOCK", "DISPOSE", "CLOSE",   "GET",
    "PUT",    "STAT",   "LIST",     "MKDIR", "RMDIR",  "SETMETA", "CREATE",  "SETPROPS",
    "DELETE", "RENAME", "RANGES",   "COPY",  "META",   "CLEAR",   "HANDLES", "CLOSEALL",
};

static const char *command_of(const char *verb) {
    if (!strcmp(verb, "PUT")) return "FILE.PUTRANGE";
    if (!strcmp(verb, "CLEAR")) return "FILE.CLEARRANGE";
    if (!strcmp(verb, "RANGES")) return "FILE.GETRANGES";
    if (!strcmp(verb, "META")) return "FILE.GETMETA";
    if (!strcmp(verb, "CLOSEALL")) return "FILE.CLOSEHANDLES";
    return pool_print("FILE.%s", verb);
}

static void add_letters(struct words *words, const char *token, const char *letters, size_t length) {
    static const struct {
        char letter;
        const char *word;
    } names[] = {{'R', "READ"}, {'W', "WRITE"}, {'D', "DELETE"}, {'A', "ATTRIBUTES"}, {'-', "NONE"}};
    words_add(words, token);
    words_add_number(words, (long long)length);
    for (size_t at = 0; at < length; at++)
        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
            if (names[i].letter == letters[at]) words_add(words, names[i].word);
}

/* session path access/share, and what else there is */
static struct words opening(struct words given) {
    require(given.count >= 4 && strchr(given.word[3], '/'), "to open takes a session, a path and R/W");
    const char *access = given.word[3], *share = strchr(access, '/') + 1;
    struct words words = words_of_line("FILE.OPEN fs");
    words_add(&words, strlen(given.word[1]) == 1 ? step_kept(*given.word[1]) : given.word[1]);
    words_add_bytes(&words, given.word[2], given.length[2]);
    add_letters(&words, "ACCESS", access, (size_t)(share - access) - 1);
    add_letters(&words, "SHARE", share, strlen(share));
    for (size_t i = 4; i < given.count; i++) words_add_bytes(&words, given.word[i], given.length[i]);
    return words;
}

struct words act_words(const char *line) {
    struct words words = step_words(line);
    if (!islower((unsigned char)*words.word[0])) return words;
    if (!strcmp(words.word[0], "open")) return opening(words);
    const char *verb = text_in_capitals(words.word[0]);
    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
        if (strcmp(verbs[i], verb) != 0) continue;
        words_replace(&words, 0, command_of(verb));
        words_insert(&words, 1, "fs");
        return words;
    }
    failure("nobody knows how to %s", line);
}

/* --- Acts ----------------------------------------------------------------------------------------------- */

static const redisReply *worth_keeping(const redisReply *reply) {
    if (!reply_is_aggregate(reply)) return reply;
    redisReply *handle = reply_field_if_any(reply, "handle");
    return handle ? handle : reply->element[0];
}

static const redisReply *content_in(const redisReply *reply) {
    return reply_is_aggregate(reply) && reply->elements == 2 ? reply->element[1] : reply;
}

static bool is_as_told(const redisReply *reply, const char *answer) {
    if (!answer || *answer != '=') return reply_is_answer(reply, answer);
    const redisReply *content = content_in(reply);
    return content->type == REDIS_REPLY_STRING && content->len == strlen(answer + 1) &&
           !memcmp(content->str, answer + 1, content->len);
}

static char kept_by(const char *line) {
    return strncmp(line + 1, " = ", 3) ? '\0' : *line;
}

redisReply *act_by_at(struct place place, struct client *client, const char *line, const char *answer) {
    char keep = kept_by(line);
    struct words words = act_words(keep ? line + 4 : line);
    redisReply *reply = call_words(client, &words);
    if (!is_as_told(reply, answer)) {
        failure_at(place.file, place.line, "%s\n    should give %s\n    but gave    %s", line,
                   answer ? answer : "no error", reply_shape(reply));
    }
    if (keep) step_keep(keep, reply_string(worth_keeping(reply)));
    return reply;
}

void acts_play_by_at(struct place place, struct client *client, const struct act *acts) {
    for (; acts->line; acts++) act_by_at(place, client, acts->line, acts->answer);
}

/* Something has ended that will be swept away behind the scenes, which is no trace of what is refused meanwhile. */
static bool is_unswept;

static void await_swept(void) {
    if (!is_unswept) return;
    is_unswept = false;
    usleep(SWEPT_SOON_US);
    await_info(primary, "holdfast_share_sessions_ended", 0);
}

redisReply *act_at(struct place place, const char *line, const char *answer) {
    bool passes = step_lets_time_pass(line);
    is_unswept |= passes || strstr(line, "SHARE.DISCONNECT");
    if (passes) return NULL;
    bool refused = answer_is_refusal(answer);
    if (refused) await_swept();
    if (refused) traces_begin("none");
    redisReply *reply = act_by_at(place, primary, line, answer);
    if (refused) traces_require_none();
    return reply;
}

void acts_play_at(struct place place, const struct act *acts) {
    for (; acts->line; acts++) act_at(place, acts->line, acts->answer);
}

struct client *act_waiting_at(struct server *server, const char *line) {
    struct words words = act_words(line);
    struct text plain = {0};
    for (size_t i = 0; i < words.count; i++)
        text_print(&plain, "%s%s", i ? " " : "", *words.word[i] ? words.word[i] : "''");
    return waiting_at(server, 0, plain.bytes);
}

struct client *act_waiting(const char *line) {
    return act_waiting_at(primary->server, line);
}

/* --- Looking -------------------------------------------------------------------------------------------- */

const char *listed_at(struct client *client, const char *path, const char *rest) {
    struct text names = EMPTY_TEXT;
    struct words words = words_of_line("FILE.LIST fs");
    words_add(&words, path);
    words_add_line(&words, rest);
    redisReply *items = expect_elements(call_words(client, &words), 2)->element[1];
    for (size_t i = 0; i < items->elements; i++) {
        const redisReply *item = items->element[i];
        bool is_file = !strcmp(reply_string(field(item, "kind")), "file");
        text_print(&names, "%s%s%s", i ? " " : "", reply_string(field(item, "name")), is_file ? "" : "/");
    }
    return names.bytes;
}

const char *listed(const char *path) {
    return listed_at(primary, path, "");
}

const char *opened(const char *rest) {
    struct text paths = EMPTY_TEXT;
    struct words words = words_of_line(pool_print("FILE.HANDLES fs %s", rest));
    redisReply *items = expect_elements(call_words(primary, &words), 2)->element[1];
    for (size_t i = 0; i < items->elements; i++) {
        const redisReply *item = items->element[i];
        text_print(&paths, "%s%s%s", i ? " " : "", reply_string(field(item, "path")),
                   field(item, "pending")->integer ? "!" : "");
    }
    return paths.bytes;
}

long long share_number(const char *name) {
    return field(call(primary, "SHARE.GET fs"), name)->integer;
}

redisReply *file_field(const char *path, const char *name) {
    return field(call(primary, "FILE.STAT fs %s", path), name);
}
