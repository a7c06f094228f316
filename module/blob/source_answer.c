#include "blob/source_answer.h"

#include "core/arena.h"
#include "core/memory.h"

#include <hiredis/read.h>

enum { DEPTH_MAX = 4 }; /* of nested lists; BLOB.GETBLOCKLIST has 3 */

struct source_answers {
    redisReader *reader;
    struct arena arena; /* the tree being read, or the last one */
    size_t left;        /* bytes that the tree may still take */
    struct answer root;
};

/* --- The tree: callbacks of hiredis --- */

static struct source_answers *answers_of(const redisReadTask *task) {
    return task->privdata;
}

/* The place of an answer in the tree. */
static struct answer *place_of(const redisReadTask *task) {
    if (!task->parent) return &answers_of(task)->root;
    struct answer *parent = task->parent->obj;
    return &parent->items[task->idx];
}

/* NULL when the tree is too large, which makes hiredis give up. */
static void *answer_alloc(const redisReadTask *task, size_t bytes) {
    struct source_answers *answers = answers_of(task);
    if (bytes > answers->left) return NULL;
    answers->left -= bytes;
    return arena_alloc(&answers->arena, bytes);
}

static void *put_answer_text(const redisReadTask *task, char *text, size_t length) {
    struct answer *answer = place_of(task);
    char *copy = answer_alloc(task, length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    *answer = (struct answer){.kind = task->type == REDIS_REPLY_ERROR ? ANSWER_ERROR : ANSWER_TEXT,
                              .text = {copy, length}};
    return answer;
}

static bool is_deep(const redisReadTask *task) {
    unsigned depth = 0;
    for (; task->parent; task = task->parent) depth++;
    return depth > DEPTH_MAX;
}

static void *put_answer_list(const redisReadTask *task, size_t count) {
    struct answer *answer = place_of(task);
    if (count > SOURCE_LIST_MAX || is_deep(task)) return NULL;
    struct answer *items = answer_alloc(task, (count ? count : 1) * sizeof(*items));
    if (!items) return NULL;
    memset(items, 0, count * sizeof(*items));
    *answer = (struct answer){.kind = ANSWER_LIST, .count = (uint32_t)count, .items = items};
    return answer;
}

static void *put_answer_number(const redisReadTask *task, long long number) {
    struct answer *answer = place_of(task);
    *answer = (struct answer){.kind = ANSWER_NUMBER, .number = number};
    return answer;
}

static void *put_answer_null(const redisReadTask *task) {
    struct answer *answer = place_of(task);
    *answer = (struct answer){.kind = ANSWER_NULL};
    return answer;
}

/* We do not ask for RESP3, so its types are errors. */
/* NOLINTNEXTLINE(readability-non-const-parameter): so hiredis has it. */
static void *refuse_double(const redisReadTask *task, double number, char *text, size_t length) {
    (void)task;
    (void)number;
    (void)text;
    (void)length;
    return NULL;
}

static void *refuse_bool(const redisReadTask *task, int value) {
    (void)task;
    (void)value;
    return NULL;
}

/* The arena frees it. */
static void leave_to_arena(void *answer) {
    (void)answer;
}

static redisReplyObjectFunctions functions = {
    .createString = put_answer_text,
    .createArray = put_answer_list,
    .createInteger = put_answer_number,
    .createDouble = refuse_double,
    .createNil = put_answer_null,
    .createBool = refuse_bool,
    .freeObject = leave_to_arena,
};

/* --- Input --- */

static void clear_answer(struct source_answers *answers) {
    arena_end(&answers->arena);
    arena_start(&answers->arena);
    answers->left = SOURCE_ANSWER_MAX_BYTES;
}

struct source_answers *source_answers_new(void) {
    struct source_answers *answers = memory_alloc(sizeof(*answers));
    arena_start(&answers->arena);
    clear_answer(answers);
    answers->reader = redisReaderCreateWithFunctions(&functions);
    answers->reader->privdata = answers;
    answers->reader->maxbuf = 0; /* keep the buffer of one piece for the next one */
    return answers;
}

void source_answers_free(struct source_answers *answers) {
    redisReaderFree(answers->reader);
    arena_end(&answers->arena);
    memory_free(answers);
}

bool source_answers_feed(struct source_answers *answers, struct bytes bytes) {
    redisReader *reader = answers->reader;
    if (reader->err || reader->len - reader->pos + bytes.length > (size_t)2 * SOURCE_TEXT_MAX_BYTES)
        return false;
    return redisReaderFeed(reader, bytes.data, bytes.length) == REDIS_OK;
}

/* Frees the last tree, unless hiredis is in the middle of the next one. */
const struct answer *source_answers_next(struct source_answers *answers, bool *failed) {
    void *found = NULL;
    redisReader *reader = answers->reader;
    if (reader->ridx == -1) clear_answer(answers);
    bool sound = redisReaderGetReply(reader, &found) == REDIS_OK;
    *failed = !sound || (!found && reader->len - reader->pos > SOURCE_TEXT_MAX_BYTES);
    return *failed ? NULL : found;
}

/* --- Access --- */

const struct answer *answer_field(const struct answer *map, const char *name) {
    struct bytes wanted = bytes_text(name);
    if (map->kind != ANSWER_LIST) return NULL;
    for (uint32_t i = 0; i + 1 < map->count; i += 2)
        if (map->items[i].kind == ANSWER_TEXT && bytes_equal(map->items[i].text, wanted))
            return &map->items[i + 1];
    return NULL;
}

bool answer_is_text(const struct answer *answer, struct bytes *text) {
    if (!answer || answer->kind != ANSWER_TEXT) return false;
    *text = answer->text;
    return true;
}

bool answer_is_number(const struct answer *answer, int64_t min, int64_t max, uint64_t *number) {
    if (!answer || answer->kind != ANSWER_NUMBER || answer->number < min || answer->number > max)
        return false;
    *number = (uint64_t)answer->number;
    return true;
}
