/* The log of ONCE: against a naive list, with calls that come, go by age and out of turn, and move in memory. */
#include "core/once_log.h"

#include "core/hash.h"

#include "dice.h"
#include "mover.h"
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MODEL_MAX = 2000, TOKENS = 3000, STEPS = 60000, ANSWER_MAX = 9000 };

/* A token by its number: some short, some of 64 bytes. */
struct token {
    char text[TOKEN_MAX_BYTES + 1];
};

static struct token token_of_number(size_t number) {
    struct token token;
    int width = number % 3 ? 4 : TOKEN_MAX_BYTES;
    snprintf(token.text, sizeof(token.text), "%0*zu", width, number);
    return token;
}

struct model_call {
    size_t token;
    uint32_t fingerprint;
    int64_t called_ms;
    size_t answer; /* how many bytes of its letter */
    bool marked;
};

/* The oldest first. */
struct model {
    struct once_log *once_log;
    struct model_call calls[MODEL_MAX];
    size_t count;
    int64_t now_ms;
};

static const char *letters_of(size_t token) {
    static char letters[26][ANSWER_MAX];
    if (!letters[0][0])
        for (int letter = 0; letter < 26; letter++) memset(letters[letter], 'a' + letter, ANSWER_MAX);
    return letters[token % 26];
}

static void model_forget(struct model *model, size_t at) {
    model->count--;
    memmove(&model->calls[at], &model->calls[at + 1], (model->count - at) * sizeof(model->calls[0]));
}

static size_t model_place(const struct model *model, size_t token) {
    size_t at = 0;
    while (at < model->count && model->calls[at].token != token) at++;
    return at;
}

static size_t draw_answer(struct dice *dice) {
    if (dice_percent(dice, 2)) return 3000 + dice_roll(dice, 6000);
    return 1 + dice_roll(dice, dice_percent(dice, 20) ? 300 : 30);
}

static void add_one(struct model *model, struct dice *dice) {
    size_t number = dice_roll(dice, TOKENS), known = model_place(model, number);
    if (known < model->count) model_forget(model, known);
    model->now_ms += (int64_t)dice_roll(dice, 3);
    struct model_call *call = &model->calls[model->count++];
    *call = (struct model_call){number, (uint32_t)dice_word(dice), model->now_ms, draw_answer(dice), false};
    struct token token = token_of_number(number);
    once_log_add(&model->once_log,
                 &(struct logged_call){bytes_text(token.text), call->fingerprint, call->called_ms,
                                       bytes_of(letters_of(number), call->answer)});
}

static void forget_oldest(struct model *model, struct dice *dice) {
    size_t count = dice_roll(dice, model->count + 1);
    if (count > 30 && dice_percent(dice, 95)) count %= 30;
    once_log_forget(&model->once_log, count);
    for (size_t i = 0; i < count; i++) model_forget(model, 0);
}

static void forget_one(struct model *model, struct dice *dice) {
    size_t number = dice_roll(dice, TOKENS), at = model_place(model, number);
    struct token token = token_of_number(number);
    bool was_there = once_log_forget_token(&model->once_log, bytes_text(token.text));
    require_same(was_there, at < model->count, "whether a token was there");
    if (was_there) model_forget(model, at);
}

static void mark_one(struct model *model, struct dice *dice) {
    if (!model->count) return;
    struct model_call *call = &model->calls[dice_roll(dice, model->count)];
    struct token token = token_of_number(call->token);
    call->marked = !call->marked;
    once_log_mark(model->once_log, bytes_text(token.text), call->marked);
}

static void move_all(struct model *model, struct dice *dice) {
    struct relocation relocation = mover(dice);
    once_log_relocate(&model->once_log, &relocation);
    for (size_t place = 0; place < once_log_places(model->once_log); place++)
        once_log_relocate_place(model->once_log, place, &relocation);
}

static void compare_call(const struct model_call *call, const struct logged_call *found) {
    struct token token = token_of_number(call->token);
    require(bytes_equal(found->token, bytes_text(token.text)), "another token");
    require_same(found->fingerprint, call->fingerprint, "the fingerprint");
    require(found->called_ms == call->called_ms, "another instant");
    require(bytes_equal(found->answer, bytes_of(letters_of(call->token), call->answer)), "another answer");
}

static void compare_each(const struct model *model) {
    struct once_log_cursor cursor = {0, 0};
    struct logged_call found;
    for (size_t i = 0; i < model->count; i++) {
        struct token token = token_of_number(model->calls[i].token);
        require(once_log_next(model->once_log, &cursor, &found), "the walk ends at %zu", i);
        compare_call(&model->calls[i], &found);
        require(once_log_find(model->once_log, bytes_text(token.text), &found), "%s is lost", token.text);
        compare_call(&model->calls[i], &found);
        require_same(once_log_is_marked(model->once_log, bytes_text(token.text)), model->calls[i].marked,
                     "the mark");
    }
    require(!once_log_next(model->once_log, &cursor, &found), "the walk goes on");
}

static void compare(const struct model *model, struct dice *dice) {
    const struct once_log *once_log = model->once_log;
    int64_t instant_ms = model->now_ms - (int64_t)dice_roll(dice, 3000);
    size_t made = 0, max = dice_roll(dice, 100);
    while (made < max && made < model->count && model->calls[made].called_ms <= instant_ms) made++;
    require_same(once_log_made_by(once_log, instant_ms, max), made, "those made by an instant");
    require_same(once_log_count(once_log), model->count, "the count");
    require_same(once_log_census(), model->count, "the census");
    size_t all = once_log_bytes(once_log), min = 0, taking = once_log_taking(once_log, all / 2, max);
    require_same(once_log_taking(once_log, all, SIZE_MAX), model->count, "those that take all bytes");
    for (size_t i = 0; i + 1 < taking; i++) min += model->calls[i].answer;
    require(taking <= max && min <= all / 2, "%zu calls take %zu bytes and more", taking, min);
    require_same((size_t)once_log_oldest_ms(once_log),
                 model->count ? (size_t)model->calls[0].called_ms : (size_t)INT64_MAX, "the oldest instant");
    require(!model->count == !once_log, "nothing is remembered, and there is something");
    struct token unknown = token_of_number(TOKENS + 1);
    struct logged_call found;
    require(!once_log_find(once_log, bytes_text(unknown.text), &found), "a token that was never given");
}

/* The module draws the seed of hashes; here dice do. */
static void seed_from_dice(void) {
    unsigned char seed[HASH_SEED_BYTES];
    dice_fill(&(struct dice){7}, seed, sizeof(seed));
    hash_seed(seed);
}

TEST(logged_calls_equal_a_plain_list) {
    seed_from_dice();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct dice dice = {seed};
        struct model *model = calloc(1, sizeof(*model));
        require(model, "there is memory");
        for (int step = 0; step < STEPS; step++) {
            size_t kind = dice_roll(&dice, 100);
            if (model->count >= MODEL_MAX - 1 || kind < 6)
                forget_oldest(model, &dice);
            else if (kind < 16)
                forget_one(model, &dice);
            else if (kind < 20)
                mark_one(model, &dice);
            else
                add_one(model, &dice);
            if (step % 500 == 0) move_all(model, &dice);
            if (step % 100 == 0) compare_each(model);
            compare(model, &dice);
        }
        once_log_end(&model->once_log);
        require_same(once_log_census(), 0, "the census in the end");
        free(model);
    }
}

/* --- Memory --- */

/* A token of 32 bytes, a GUID's digits, and an ETag. */
static size_t bytes_of_one(size_t count) {
    struct once_log *once_log = NULL;
    char token[64];
    for (size_t i = 0; i < count; i++) {
        int length = snprintf(token, sizeof(token), "%08zxd98f4f51bcb92111287cb627", i);
        once_log_add(&once_log, &(struct logged_call){bytes_of(token, (size_t)length), 1, (int64_t)i,
                                                      bytes_of("123456789", 9)});
    }
    size_t memory = once_log_memory(once_log), parts = once_log_allocations(once_log);
    require(parts <= 4 + count / 40, "%zu allocations for %zu calls", parts, count);
    once_log_end(&once_log);
    return memory / count;
}

TEST(a_remembered_call_takes_little_memory) {
    seed_from_dice();
    size_t bytes = bytes_of_one(100000);
    require(bytes <= 80, "%zu bytes for a token of 32 and an ETag", bytes);
    require(bytes_of_one(1) <= 1000, "%zu bytes for the first one", bytes_of_one(1));
}

/* What went leaves nothing: as many bytes as at the beginning, however many have come and gone. */
TEST(forgotten_calls_give_back_their_memory) {
    seed_from_dice();
    struct once_log *once_log = NULL;
    char token[16];
    size_t memory = 0;
    for (int64_t i = 0; i < 200000; i++) {
        snprintf(token, sizeof(token), "%" PRId64, i);
        once_log_add(&once_log, &(struct logged_call){bytes_text(token), 1, i, bytes_text("x")});
        if (once_log_count(once_log) > 1000) once_log_forget(&once_log, 1);
        if (i == 50000) memory = once_log_memory(once_log);
    }
    require(once_log_memory(once_log) <= memory + memory / 8, "%zu bytes, and %zu before",
            once_log_memory(once_log), memory);
    once_log_end(&once_log);
}
