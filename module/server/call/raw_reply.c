#include "server/call/raw_reply.h"

#include "core/inlining.h"
#include "core/number.h"
#include "server/call/sample_reply.h"

/* The samples are the elements of one reply. Four of them are arrays in arrays of one element, of which each is as much
 * shorter as the one around it begins with: "*1\r\n". The innermost ones differ by a byte. So each length has a sample,
 * and few bytes are written over again and again. The fifth is made of pages, for all but the last bytes of a
 * long answer.
 *
 *   *1 *1 *1 … +          *1 *1 *1 … +.          …          *2 +… *2 +… *2 +…
 *         └──────┘              └───────┘                         └─────────┘ */
enum {
    HEAD = 4,     /* "*1\r\n" */
    LINE_END = 2, /* "\r\n" */
    SHORTEST = 1 + LINE_END,
    SHORTER = 96, /* samples in each of the four: what QUEUE.GET answers with a text of 100 bytes takes one */
    SHORT_MAX = SHORTEST + HEAD * SHORTER - 1,
    PAGE = 256,
    PAGES = 16,
    GATHERED_MAX = PAGE * PAGES + PAGE, /* the rest, behind pages, has a sample, too */
    ALONE_MAX = 384,                    /* a longer string without anything before it is not copied twice */
    STRING_MAX = 1024,                  /* nor is one that is longer than this */
    VALUE_HEAD_MAX = 1 + NUMBER_TEXT_MAX + LINE_END,
    SMALL_MAX = 16, /* names */
    FIXED_HEAD = 5, /* "$18\r\n" */
};
_Static_assert(VERSION_TEXT_LENGTH == 18 && GUID_TEXT_LENGTH == 36 && GUID_DIGITS == 32, "heads tell of it");

struct sample {
    RedisModuleCallReply *reply;
    char *bytes;
};

static struct sample shorts[SHORT_MAX + 1], pages[PAGES + 1]; /* by length */
static RedisModuleCallReply *all_samples;                     /* NULL when the server has given none */

/* What is to be handed over to the client of a context. */
static struct {
    RedisModuleCtx *ctx;
    bool asked, resp3; /* whether the client's protocol is known, and is the newer one */
    size_t length;
    char bytes[GATHERED_MAX];
} gathered;

/* --- Handing over --- */

static void copy_piece(const struct sample *sample, const char *bytes, size_t length) {
    memcpy(sample->bytes, bytes, length);
    RedisModule_ReplyWithCallReply(gathered.ctx, sample->reply);
}

static void copy_gathered(size_t length) {
    size_t paged = length <= SHORT_MAX ? 0 : (length - SHORTEST) / PAGE;
    if (paged) copy_piece(&pages[paged], gathered.bytes, paged * PAGE);
    copy_piece(&shorts[length - paged * PAGE], gathered.bytes + paged * PAGE, length - paged * PAGE);
}

/* Lets the server write the value that begins here. Returns where the next one begins. */
static char *write_value(RedisModuleCtx *ctx, char *at) {
    char *word = at + 1, *end = word + strcspn(word, "\r"), *next = end + LINE_END;
    int64_t number = 0;
    *end = '\0';
    number_read(bytes_of(word, (size_t)(end - word)), &number);
    switch (*at) {
    case '*': RedisModule_ReplyWithArray(ctx, (long)number); return next;
    case '%': RedisModule_ReplyWithMap(ctx, (long)number); return next;
    case ':': RedisModule_ReplyWithLongLong(ctx, number); return next;
    case '+': RedisModule_ReplyWithSimpleString(ctx, word); return next;
    default: RedisModule_ReplyWithStringBuffer(ctx, next, (size_t)number); return next + number + LINE_END;
    }
}

RARELY static void write_gathered(size_t length) {
    for (char *at = gathered.bytes; at < gathered.bytes + length;) at = write_value(gathered.ctx, at);
}

void raw_reply_end(void) {
    size_t length = gathered.length;
    gathered.length = 0;
    gathered.asked = false;
    if (length && all_samples)
        copy_gathered(length);
    else if (length)
        write_gathered(length);
}

/* --- Gathering --- */

/* The place for a value of at most so many bytes. */
static char *value_place(RedisModuleCtx *ctx, size_t most) {
    if (gathered.ctx != ctx || gathered.length + most > GATHERED_MAX) {
        raw_reply_end();
        gathered.ctx = ctx;
    }
    return gathered.bytes + gathered.length;
}

static char *put_line_end(char *at) {
    memcpy(at, "\r\n", LINE_END);
    return at + LINE_END;
}

static char *put_value_head(char *at, char kind, int64_t number) {
    *at++ = kind;
    return put_line_end(at + number_write(number, at));
}

/* Two copies that overlap take less than a call. */
static void copy_few(char *target, const char *bytes, size_t length) {
    if (length >= 8) {
        memcpy(target, bytes, 8);
        memcpy(target + length - 8, bytes + length - 8, 8);
    } else if (length >= 4) {
        memcpy(target, bytes, 4);
        memcpy(target + length - 4, bytes + length - 4, 4);
    } else {
        for (size_t i = 0; i < length; i++) target[i] = bytes[i];
    }
}

/* Whose length has one digit, or two of which the first one is 1. */
static char *put_small(char *at, struct bytes bytes) {
    const bool two = bytes.length >= 10;
    at[0] = '$';
    at[1] = '1';
    at += 1 + two;
    *at++ = (char)('0' + bytes.length - (two ? 10 : 0));
    at = put_line_end(at);
    copy_few(at, bytes.data, bytes.length);
    return put_line_end(at + bytes.length);
}

ASIDE static char *put_large(char *at, struct bytes bytes) {
    at = put_value_head(at, '$', (int64_t)bytes.length);
    memcpy(at, bytes.data, bytes.length);
    return put_line_end(at + bytes.length);
}

static char *put_string(char *at, struct bytes bytes) {
    return bytes.length <= SMALL_MAX ? put_small(at, bytes) : put_large(at, bytes);
}

static void keep_gathered(const char *end) {
    gathered.length = (size_t)(end - gathered.bytes);
}

static bool is_worth_gathering(size_t length) {
    return length <= ALONE_MAX || (length <= STRING_MAX && gathered.length);
}

ASIDE static void copy_at_once(RedisModuleCtx *ctx, struct bytes bytes) {
    raw_reply_end();
    RedisModule_ReplyWithStringBuffer(ctx, bytes.data, bytes.length);
}

void raw_reply_bytes(RedisModuleCtx *ctx, struct bytes bytes) {
    if (is_worth_gathering(bytes.length))
        keep_gathered(put_string(value_place(ctx, VALUE_HEAD_MAX + bytes.length + LINE_END), bytes));
    else
        copy_at_once(ctx, bytes);
}

/* The place for a string of so many bytes, whose head is known. Its line has ended already. */
static char *place_fixed(RedisModuleCtx *ctx, const char head[FIXED_HEAD], size_t length) {
    char *at = value_place(ctx, FIXED_HEAD + length + LINE_END);
    memcpy(at, head, FIXED_HEAD);
    at += FIXED_HEAD;
    keep_gathered(put_line_end(at + length));
    return at;
}

void raw_reply_version(RedisModuleCtx *ctx, version v) {
    version_write(v, place_fixed(ctx, "$18\r\n", VERSION_TEXT_LENGTH));
}

void raw_reply_guid(RedisModuleCtx *ctx, struct guid id) {
    guid_write(id, place_fixed(ctx, "$36\r\n", GUID_TEXT_LENGTH));
}

void raw_reply_guid_digits(RedisModuleCtx *ctx, struct guid id) {
    guid_write_digits(id, place_fixed(ctx, "$32\r\n", GUID_DIGITS));
}

void raw_reply_number(RedisModuleCtx *ctx, long long number) {
    keep_gathered(put_value_head(value_place(ctx, VALUE_HEAD_MAX), ':', number));
}

void raw_reply_named_number(RedisModuleCtx *ctx, struct bytes name, long long number) {
    char *at = value_place(ctx, VALUE_HEAD_MAX + name.length + LINE_END + VALUE_HEAD_MAX);
    keep_gathered(put_value_head(put_string(at, name), ':', number));
}

void raw_reply_array(RedisModuleCtx *ctx, long count) {
    keep_gathered(put_value_head(value_place(ctx, VALUE_HEAD_MAX), '*', count));
}

/* To ask the server costs less than to let it write the head of a map. */
static bool is_resp3(RedisModuleCtx *ctx) {
    if (!gathered.asked) gathered.resp3 = RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_RESP3;
    gathered.asked = true;
    return gathered.resp3;
}

void raw_reply_map(RedisModuleCtx *ctx, long count) {
    char *at = value_place(ctx, VALUE_HEAD_MAX);
    bool is_map = is_resp3(ctx);
    keep_gathered(put_value_head(at, is_map ? '%' : '*', is_map ? count : 2 * count));
}

void raw_reply_line(RedisModuleCtx *ctx, struct bytes line) {
    char *at = value_place(ctx, SHORTEST + line.length);
    *at = '+';
    memcpy(at + 1, line.data, line.length);
    keep_gathered(put_line_end(at + 1 + line.length));
}

/* --- Taking samples --- */

static void answer_filler(RedisModuleCtx *ctx, size_t length) {
    char filler[PAGE] = "";
    memset(filler, '.', length - SHORTEST);
    RedisModule_ReplyWithSimpleString(ctx, filler);
}

static void answer_samples(RedisModuleCtx *ctx) {
    RedisModule_ReplyWithArray(ctx, HEAD + 1);
    for (size_t more = 0; more < HEAD; more++) {
        for (int around = 1; around < SHORTER; around++) RedisModule_ReplyWithArray(ctx, 1);
        answer_filler(ctx, SHORTEST + more);
    }
    for (int around = 1; around < PAGES; around++) {
        RedisModule_ReplyWithArray(ctx, 2);
        answer_filler(ctx, PAGE - HEAD);
    }
    answer_filler(ctx, PAGE);
}

static bool take_sample(struct sample *sample, RedisModuleCallReply *reply, size_t length) {
    size_t size;
    *sample = (struct sample){reply, sample_reply_bytes(reply, &size)};
    return size == length;
}

static bool take_samples(RedisModuleCallReply *all) {
    for (size_t more = 0; more < HEAD; more++) {
        RedisModuleCallReply *reply = RedisModule_CallReplyArrayElement(all, more);
        for (size_t around = SHORTER; around--;) {
            size_t length = SHORTEST + more + around * HEAD;
            if (!take_sample(&shorts[length], reply, length)) return false;
            reply = RedisModule_CallReplyArrayElement(reply, 0);
        }
    }
    RedisModuleCallReply *reply = RedisModule_CallReplyArrayElement(all, HEAD);
    for (size_t count = PAGES; count; count--) {
        if (!take_sample(&pages[count], reply, count * PAGE)) return false;
        reply = RedisModule_CallReplyArrayElement(reply, 1);
    }
    return true;
}

/* --- A trial --- */

/* An answer that takes samples of both sorts. */
static void answer_trial(RedisModuleCtx *ctx) {
    char word[ALONE_MAX];
    memset(word, 'x', sizeof(word));
    raw_reply_bytes(ctx, bytes_of(word, sizeof(word)));
    raw_reply_end();
}

/* Whether a client gets what was written over the samples. */
static bool samples_are_copied(RedisModuleCtx *ctx) {
    size_t length = 0;
    RedisModuleCallReply *reply = sample_reply_take(ctx, answer_trial);
    const char *text = reply ? RedisModule_CallReplyStringPtr(reply, &length) : NULL;
    bool are_copied = text && length == ALONE_MAX && strspn(text, "x") == ALONE_MAX;
    if (reply) RedisModule_FreeCallReply(reply);
    return are_copied;
}

int raw_reply_start(RedisModuleCtx *ctx) {
    all_samples = sample_reply_take(ctx, answer_samples);
    bool usable = all_samples && take_samples(all_samples) && samples_are_copied(ctx);
    if (usable || !all_samples) return REDISMODULE_OK;
    RedisModule_FreeCallReply(all_samples);
    all_samples = NULL;
    return REDISMODULE_OK;
}
