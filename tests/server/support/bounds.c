#include "bounds.h"

#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu_time.h"
#include "expect.h"
#include "harness.h"
#include "pool.h"
#include "text.h"

enum { TRIES = 3, MAX_US = 50000, REPLY_MAX_BYTES = 64 << 20, SLACK_BYTES = 2 << 20, KEPT_MAX = 64 };

struct server *bounds_server;
struct client *bounds_client;

static struct { const char *name, *value; } kept[KEPT_MAX];
static int kept_count, awaited;
static long long native_us; /* what the server's own GET of the longest reply takes */

void bounds_begin(const char *settings) {
    if (getenv("HOLDFAST_PRELOAD")) skip(); /* what a sanitizer adds is not what a command takes */
    kept_count = awaited = 0;
    native_us = 0;
    bounds_server = server_start("bounds", settings);
    bounds_client = test_client(bounds_server);
}

/* --- Lines --- */

const char *bounds_kept(const char *name) {
    for (int i = kept_count - 1; i >= 0; i--)
        if (!strcmp(kept[i].name, name)) return kept[i].value;
    failure("nothing is kept as %s", name);
}

static void keep(const char *name, const char *value) {
    for (int i = 0; i < kept_count; i++)
        if (!strcmp(kept[i].name, name)) {
            kept[i].value = value;
            return;
        }
    require(kept_count < KEPT_MAX, "too much is kept");
    kept[kept_count].name = name;
    kept[kept_count++].value = value;
}

static void expand(struct words *words, size_t at) {
    const char *word = words->word[at], *letters = text_letters_of(word);
    for (char *space = strchr(word, '~'); space; space = strchr(space, '~')) *space = ' ';
    if (word[0] == '@') {
        words_replace(words, at, bounds_kept(word + 1));
    } else if (letters) {
        words_replace(words, at, letters);
    }
}

static struct words words_of(const char *line) {
    struct words words = words_of_line(line);
    for (size_t i = 0; i < words.count; i++) expand(&words, i);
    return words;
}

/* What later lines want to know of a reply. */
static const char *gist(const redisReply *reply) {
    static const char *const fields[] = {"handle", "id"};
    const redisReply *receipt = reply_field_if_any(reply, "receipt");
    if (receipt) keep("r", reply_string(receipt));
    if (reply->type == REDIS_REPLY_STRING) return reply_string(reply);
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        const redisReply *field = reply_field_if_any(reply, fields[i]);
        if (field && field->type == REDIS_REPLY_STRING) {
            keep(fields[i], reply_string(field));
            return reply_string(field);
        }
    }
    return reply->elements ? gist(reply->element[0]) : "";
}

redisReply *bounds_do(const char *line) {
    const char *equals = strstr(line, " = ");
    struct words words = words_of(equals ? equals + 3 : line);
    redisReply *reply = call_words(bounds_client, &words);
    require(!reply_is_error(reply), "%s: %s", line, reply_text(reply));
    if (equals) keep(pool_copy(line, (size_t)(equals - line)), gist(reply));
    return reply;
}

void bounds_receive_all(void) {
    const void *mark = pool_mark();
    for (; awaited; awaited--) {
        redisReply *reply = receive(bounds_client);
        require(!reply_is_error(reply), "%s", reply_text(reply));
        pool_release(mark);
    }
}

void bounds_send_words(const struct words *words) {
    send_words(bounds_client, words);
    if (++awaited == 1000) bounds_receive_all();
}

void bounds_send(const char *format, ...) {
    const void *mark = pool_mark();
    va_list arguments;
    va_start(arguments, format);
    const char *line = pool_print_list(format, arguments);
    va_end(arguments);
    struct words words = words_of_line(line);
    bounds_send_words(&words);
    pool_release(mark);
}

void bounds_later(int seconds) {
    static long long offset_ms;
    offset_ms += seconds * 1000LL;
    bounds_do(pool_print("CONFIG SET holdfast.clock-offset-ms %lld", offset_ms));
}

/* --- Measuring --- */

static void prepare(const struct bound *row) {
    if (row->build) row->build();
    bounds_receive_all();
    if (row->before) bounds_do(row->before);
}

/* Sends the words and waits for the beginning of the reply: the rest is sent in portions,
 * between which others have their turn. */
static long long worked_for_us(const struct words *words) {
    int sent = 0;
    long long before = cpu_time_us(bounds_server);
    struct pollfd input = {.fd = bounds_client->context->fd, .events = POLLIN};
    send_words(bounds_client, words);
    while (!sent)
        require(redisBufferWrite(bounds_client->context, &sent) == REDIS_OK, "the server does not listen");
    require(poll(&input, 1, -1) == 1, "the server does not answer");
    return cpu_time_us(bounds_server) - before;
}

/* The server rests before and after: what it does by and by has its own bounds. */
static long long once_us(const struct bound *row) {
    prepare(row);
    struct words words = words_of(row->line);
    usleep(20000);
    expect_ok(call(bounds_client, "CONFIG RESETSTAT"));
    long long took = worked_for_us(&words);
    redisReply *reply = receive(bounds_client);
    require(!reply_is_error(reply) || strstr(reply->str, "NoPendingCopyOperation"), "%s: %s", row->line,
            reply_text(reply));
    return took;
}

static long long measure_native_us(void) {
    const struct bound get = {"GET native", NULL, NULL, 0};
    long long min = LLONG_MAX;
    char *value = pool_take(REPLY_MAX_BYTES);
    expect_ok(call(bounds_client, "SET native %b", value, (size_t)REPLY_MAX_BYTES));
    for (int i = 0; i < TRIES; i++) {
        long long next = once_us(&get);
        if (next < min) min = next;
    }
    call(bounds_client, "DEL native");
    return min;
}

static long long max_us(const struct bound *row) {
    if (row->known_ms != LIKE_NATIVE) return row->known_ms ? row->known_ms * 1000 : MAX_US;
    if (!native_us) native_us = measure_native_us();
    long long like_native_us = native_us * 3 / 2;
    return like_native_us > MAX_US ? like_native_us : MAX_US;
}

static void measure_time(const struct bound *row) {
    long long min = once_us(row), max = max_us(row);
    for (int i = 1; i < TRIES && min > max / 4; i++) {
        long long next = once_us(row);
        if (next < min) min = next;
    }
    if (min > MAX_US / 10) print_message("# %s: %lld us\n", row->line, min);
    if (min > max) print_error("%s takes %lld us\n", row->line, min);
    require(min <= max || getenv("HOLDFAST_BOUNDS_ALL"), "%s takes %lld us", row->line, min);
}

/* In a transaction the reply is still in memory when it is asked how much there is. */
static void measure_reply(const struct bound *row) {
    prepare(row);
    struct words words = words_of(row->line);
    expect_ok(call(bounds_client, "MULTI"));
    call(bounds_client, "INFO memory");
    call_words(bounds_client, &words);
    call(bounds_client, "INFO memory");
    redisReply *replies = expect_elements(call(bounds_client, "EXEC"), 3);
    long long grown =
        info_number(replies->element[2], "used_memory") - info_number(replies->element[0], "used_memory");
    require(grown <= REPLY_MAX_BYTES + SLACK_BYTES, "the reply to %s takes %lld bytes", row->line, grown);
}

void bounds_measure(const struct bound *rows) {
    for (; rows->line; rows++) {
        measure_time(rows);
        measure_reply(rows);
    }
}
