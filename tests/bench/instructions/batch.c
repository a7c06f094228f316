/* Batches: a row's calls as a pipeline, and what they cost.
 *
 * A pipeline is sent in pieces that the server reads at once, so that the turns of the server's loop are the same in each
 * run. Of several batches the cheapest counts: what the server does once a second falls into some of them only. */
#include "instructions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BATCHES = 15,
    WARMING_BATCHES = 2,
    PIECE_BYTES = 15000, /* the server reads 16 KiB at once */
    WORDS = 96,
    WORD_BYTES = 1024,
    KEPT_BYTES = 64,
    VALUE_BYTES = 100,
    PAGE_BYTES = 512,
    WAIT_POLLS = 2000,
    WAIT_POLL_US = 10000
};

/* The words of one call. */
struct words {
    int count;
    char text[WORDS][WORD_BYTES];
    const char *starts[WORDS];
    size_t lengths[WORDS];
};

struct run {
    struct counted *counted;
    const struct row *row;
    unsigned calls;
    unsigned batch;
    char kept[CALLS][KEPT][KEPT_BYTES];
    redisContext *waiters[CALLS];
};

#define KEEP_MARK " => "

static size_t print_run(char *target, size_t count) {
    for (size_t i = 0; i < count; i++) target[i] = (char)('a' + i % 26);
    return count;
}

/* Writes what the letter behind a % stands for and answers its length. */
static size_t letter_expand(const struct run *run, unsigned call, char letter, char *target) {
    switch (letter) {
    case 'i': return (size_t)sprintf(target, "%04u", call);
    case 'n': return (size_t)sprintf(target, "%06u", run->batch * run->calls + call);
    case 'v': return print_run(target, VALUE_BYTES);
    case 'p': return print_run(target, PAGE_BYTES);
    case 'a':
    case 'b':
    case 'c': return (size_t)sprintf(target, "%s", run->kept[call][letter - 'a']);
    default: give_up("%s: what is %%%c?", run->row->name, letter);
    }
}

static void words_add(struct words *words, size_t length) {
    require(words->count < WORDS, "too many words");
    words->starts[words->count] = words->text[words->count];
    words->lengths[words->count++] = length;
}

static void words_fill(struct words *words, const struct run *run, unsigned call, const char *step) {
    const char *keep_mark = strstr(step, KEEP_MARK);
    const char *end = keep_mark ? keep_mark : step + strlen(step);
    words->count = 0;
    while (step < end) {
        bool is_held_together = *step == '{';
        if (is_held_together) step++;
        size_t length = 0;
        while (step < end && *step != (is_held_together ? '}' : ' ')) {
            require(length + PAGE_BYTES < WORD_BYTES, "%s: a word is too long", run->row->name);
            char *target = words->text[words->count] + length;
            if (*step == '%') {
                length += letter_expand(run, call, step[1], target);
                step += 2;
            } else {
                *target = *step++;
                length++;
            }
        }
        words_add(words, length);
        while (step < end && (*step == '}' || *step == ' ')) step++;
    }
}

static bool is_as_expected(const redisReply *reply, bool is_refused) {
    if (reply->type == REDIS_REPLY_ERROR || reply->type == REDIS_REPLY_NIL) return is_refused;
    if (is_refused) return false;
    return reply->type != REDIS_REPLY_ARRAY || reply->elements > 0;
}

static const redisReply *find_element(const redisReply *reply, const char *path) {
    while (reply && *path >= '0' && *path <= '9') {
        char *end;
        size_t index = strtoul(path, &end, 10);
        bool is_there = reply->type == REDIS_REPLY_ARRAY && index < reply->elements;
        reply = is_there ? reply->element[index] : NULL;
        path = *end == '.' ? end + 1 : end;
    }
    return reply;
}

/* Keeps what the step wants to keep of its reply, for the calls from `first` to before `end`. */
static void reply_keep(struct run *run, const char *step, const redisReply *reply, unsigned first,
                       unsigned end) {
    const char *wish = strstr(step, KEEP_MARK);
    for (wish = wish ? wish + strlen(KEEP_MARK) : ""; *wish;
         wish += strcspn(wish, " "), wish += strspn(wish, " ")) {
        unsigned which = (unsigned)(*wish - 'a');
        wish += 2;
        const redisReply *found = find_element(reply, wish);
        require(which < KEPT && found && found->str && found->len < KEPT_BYTES, "%s: %s: nothing to keep",
                run->row->name, step);
        for (unsigned call = first; call < end; call++)
            memcpy(run->kept[call][which], found->str, found->len + 1);
    }
}

static void send_all(redisContext *client) {
    int is_done = 0;
    while (!is_done) require(redisBufferWrite(client, &is_done) == REDIS_OK, "%s", client->errstr);
}

/* Whether it is different in each call. */
static bool is_for_each_call(const char *step) {
    for (const char *mark = strchr(step, '%'); mark; mark = strchr(mark + 1, '%'))
        if (mark[1] && strchr("inabc", mark[1])) return true;
    return false;
}

static redisReply *receive_reply(struct run *run, redisContext *client, const char *step) {
    redisReply *reply = NULL;
    require(redisGetReply(client, (void **)&reply) == REDIS_OK, "%s: %s: %s", run->row->name, step,
            client->errstr);
    require(is_as_expected(reply, run->row->is_refused && step == run->row->counted), "%s: %s: %s",
            run->row->name, step, reply->str ? reply->str : "answers nothing");
    return reply;
}

static void receive_calls(struct run *run, const char *step, unsigned first, unsigned end) {
    send_all(run->counted->called->context);
    for (unsigned call = first; call < end; call++) {
        redisReply *reply = receive_reply(run, run->counted->called->context, step);
        reply_keep(run, step, reply, call, is_for_each_call(step) ? call + 1 : run->calls);
        freeReplyObject(reply);
    }
}

/* Sends a step `calls` times, as many at a time as the server reads at once. */
static void step_run(struct run *run, const char *step, unsigned calls) {
    static struct words words;
    unsigned first = 0;
    long bytes = 0;
    for (unsigned call = 0; call < calls; call++) {
        words_fill(&words, run, call, step);
        char *text;
        long length = redisFormatCommandArgv(&text, words.count, words.starts, words.lengths);
        require(length > 0, "out of memory");
        if (bytes > 0 && bytes + length > PIECE_BYTES) {
            receive_calls(run, step, first, call);
            first = call;
            bytes = 0;
        }
        redisAppendFormattedCommand(run->counted->called->context, text, (size_t)length);
        redisFreeCommand(text);
        bytes += length;
    }
    receive_calls(run, step, first, calls);
}

/* Sends steps that are not counted. */
static void steps_run(struct run *run, const char *const *steps, unsigned calls) {
    for (int i = 0; i < STEPS && steps[i]; i++)
        step_run(run, steps[i], is_for_each_call(steps[i]) ? calls : 1);
}

static void require_blocked(struct run *run) {
    char expected[32];
    snprintf(expected, sizeof(expected), "blocked_clients:%u\r", run->calls);
    for (int poll = 0; poll < WAIT_POLLS; poll++) {
        redisReply *reply = server_command(run->counted->called, "INFO clients");
        bool are_blocked = strstr(reply->str, expected);
        freeReplyObject(reply);
        if (are_blocked) return;
        usleep(WAIT_POLL_US);
    }
    give_up("%s: %s does not wait", run->row->name, run->row->waiter);
}

static void waiters_send(struct run *run) {
    static struct words words;
    if (!run->row->waiter) return;
    for (unsigned call = 0; call < run->calls; call++) {
        if (!run->waiters[call]) run->waiters[call] = redisConnectUnix(run->counted->called->socket);
        words_fill(&words, run, call, run->row->waiter);
        redisAppendCommandArgv(run->waiters[call], words.count, words.starts, words.lengths);
        send_all(run->waiters[call]);
    }
    require_blocked(run);
}

static void waiters_receive(struct run *run) {
    if (!run->row->waiter) return;
    for (unsigned call = 0; call < run->calls; call++)
        freeReplyObject(receive_reply(run, run->waiters[call], run->row->waiter));
}

static double count_one_batch(struct run *run) {
    steps_run(run, run->row->before, run->calls);
    waiters_send(run);
    count_start(run->counted);
    step_run(run, run->row->counted, run->calls);
    waiters_receive(run);
    double instructions = (double)count_stop(run->counted);
    steps_run(run, run->row->after, run->calls);
    return instructions / run->calls;
}

double batch_count(struct counted *counted, const struct row *row) {
    static struct run run;
    run = (struct run){.counted = counted, .row = row, .calls = row->calls ? row->calls : CALLS};
    server_tell(counted->called, "FLUSHALL");
    steps_run(&run, row->once, CALLS);
    double least = 0;
    for (; run.batch < WARMING_BATCHES + BATCHES; run.batch++) {
        double instructions = count_one_batch(&run);
        if (run.batch < WARMING_BATCHES) continue;
        if (least == 0 || instructions < least) least = instructions;
    }
    for (unsigned call = 0; call < run.calls && run.waiters[call]; call++) redisFree(run.waiters[call]);
    return least;
}
