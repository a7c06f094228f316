#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "text.h"
#include "traces.h"

enum { LETTERS = 128 };

static const char *kept[LETTERS];

static void forget(void *target) {
    (void)target;
    memset(kept, 0, sizeof(kept));
}

void step_keep(char letter, const char *text) {
    static char all;
    pool_keep(&all, forget);
    kept[(unsigned char)letter] = pool_copy(text, strlen(text));
}

const char *step_kept(char letter) {
    const char *text = kept[(unsigned char)letter];
    require(text, "nothing was kept under %c", letter);
    return text;
}

static const char *id_of(const char *word) {
    if (!strcmp(word, "A")) return ID_A;
    if (!strcmp(word, "B")) return ID_B;
    return strcmp(word, "C") ? NULL : ID_C;
}

static void write_out(struct words *words, size_t index) {
    const char *word = words->word[index], *letters = text_letters_of(word);
    if (id_of(word)) {
        words_replace(words, index, id_of(word));
    } else if (*word == '$' && word[1] && !word[2]) {
        words_replace(words, index, step_kept(word[1]));
    } else if (letters) {
        words_replace(words, index, letters);
    }
}

/* What is in double quotes is one word as it is. */
struct words step_words(const char *line) {
    struct words words = {0};
    for (line += strspn(line, " "); *line; line += strspn(line, " ")) {
        bool is_quoted = *line == '"';
        size_t length = is_quoted ? strcspn(line + 1, "\"") : strcspn(line, " ");
        if (is_quoted) {
            words_add_bytes(&words, line + 1, length);
        } else {
            words_add_line(&words, pool_copy(line, length));
            write_out(&words, words.count - 1);
        }
        line += is_quoted ? length + 2 : length;
    }
    return words;
}

bool answer_is_refusal(const char *answer) {
    static const char *const classes[] = {"PRECONDITION", "CONFLICT", "NOTFOUND",  "INVALID",
                                          "ERR",          "NOPERM",   "WRONGTYPE", NULL};
    return answer && text_is_one_of(pool_copy(answer, strcspn(answer, " ")), classes);
}

bool reply_is_answer(const redisReply *reply, const char *answer) {
    if (!answer) return !reply_is_error(reply);
    if (!answer_is_refusal(answer)) return !strcmp(reply_shape(reply), answer);
    size_t length = strlen(answer);
    return reply_is_error(reply) && text_begins(reply->str, answer) &&
           (!reply->str[length] || strchr(" :", reply->str[length]));
}

bool step_lets_time_pass(const char *command) {
    if (!strstr(command, " s") || strspn(command, "0123456789") != strlen(command) - 2) return false;
    time_passes(atoll(command) * 1000);
    return true;
}

redisReply *step_play(const char *command, const char *answer, char keep) {
    if (step_lets_time_pass(command)) return NULL;
    struct words words = step_words(command);
    if (answer_is_refusal(answer)) traces_begin("none");
    redisReply *reply = call_words(primary, &words);
    require(reply_is_answer(reply, answer), "%s\n    should give %s\n    but gave    %s", command,
            answer ? answer : "no error", reply_shape(reply));
    if (answer_is_refusal(answer)) traces_require_none();
    if (keep) step_keep(keep, expect_etag(reply));
    return reply;
}

void steps_play_so_many(const struct step *steps, size_t count) {
    for (size_t i = 0; i < count; i++) step_play(steps[i].command, steps[i].answer, steps[i].keep);
}
