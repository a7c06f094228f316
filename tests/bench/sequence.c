#define _GNU_SOURCE
#include "sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_HEAD_BYTES = 4 }; /* of a word of one byte: "$1\r\n" */

void word_keep(struct word *word, struct reply element) {
    require(element.kind == '$' && element.length <= HELD_BYTES, "what should be an id is none");
    memcpy(word->text, element.text, element.length);
    word->length = element.length;
}

struct client_pool *client_pool_open(const struct sequence *sequence, struct dataset *data, const char *key) {
    struct client_pool *pool = allocate(1, sizeof(*pool));
    size_t longest = 0;
    pool->sequence = sequence;
    pool->data = data;
    snprintf(pool->key, sizeof(pool->key), "%s", key);
    for (unsigned step = 0; sequence->steps[step]; step++) {
        pool->steps[step] = template_make(sequence->steps[step], data, NULL, pool->key);
        const struct template *template = &pool->steps[step];
        size_t length = template->length + (size_t) template->placeholder_count * HELD_BYTES;
        if (length > longest) longest = length;
    }
    pool->requests = allocate(PIPELINE, longest);
    return pool;
}

void client_pool_close(struct client_pool *pool) {
    for (unsigned step = 0; pool->sequence->steps[step]; step++) template_end(&pool->steps[step]);
    free(pool->granted);
    free(pool->requests);
    free(pool);
}

void client_pool_prepare(struct client_pool *pool) {
    if (pool->sequence->create)
        connection_call(pool->data->connections[0], pool->sequence->create, pool->key);
    if (pool->sequence->prepare) pool->sequence->prepare(pool);
}

static unsigned object_of(const struct client_pool *pool, const struct client *client) {
    return pool->data->order[client->number % pool->data->objects];
}

static struct word own_word(const struct client_pool *pool, const struct client *client) {
    struct word word;
    uint64_t number = pool->sequence->own(client->number);
    word.length = (size_t)snprintf(word.text, sizeof(word.text), "%llu", (unsigned long long)number);
    return word;
}

static struct word word_of(const struct client_pool *pool, const struct client *client,
                           const struct placeholder *placeholder, unsigned batch) {
    unsigned number = placeholder->number % batch;
    switch (placeholder->kind) {
    case PLACEHOLDER_ID: return client->held[number].id;
    case PLACEHOLDER_RECEIPT: return client->held[number].receipt;
    case PLACEHOLDER_GRANTED: return pool->granted[client->number % pool->granted_count];
    default: return own_word(pool, client);
    }
}

/* Writes a word with its length, which has at most two digits. */
static char *word_append(char *to, const struct word *word) {
    *to++ = '$';
    if (word->length > 9) *to++ = (char)('0' + word->length / 10);
    *to++ = (char)('0' + word->length % 10);
    to = mempcpy(to, "\r\n", 2);
    return mempcpy(to, word->text, word->length);
}

/* The template with its gaps filled: some in place, those that are words of any length together with that. */
static char *client_write(const struct client_pool *pool, const struct client *client,
                          const struct template *template, char *to) {
    size_t from = 0;
    for (unsigned i = 0; i < template->placeholder_count; i++) {
        const struct placeholder *placeholder = &template->placeholders[i];
        bool is_word = placeholder->kind >= PLACEHOLDER_ID;
        size_t bytes = placeholder_bytes(template, placeholder->kind);
        to = mempcpy(to, template->bytes + from, placeholder->at - from - (is_word ? WORD_HEAD_BYTES : 0));
        if (is_word) {
            struct word word = word_of(pool, client, placeholder, template->batch);
            to = word_append(to, &word);
        } else {
            placeholder_fill(template, object_of(pool, client), placeholder->kind, to);
            to += bytes;
        }
        from = placeholder->at + bytes;
    }
    return mempcpy(to, template->bytes + from, template->length - from);
}

void clients_ask(struct client_pool *pool, const struct client *clients, unsigned step, unsigned connection) {
    char *end = pool->requests;
    for (unsigned i = 0; i < PIPELINE; i++) end = client_write(pool, &clients[i], &pool->steps[step], end);
    connection_send(pool->data->connections[connection], pool->requests, (size_t)(end - pool->requests));
}

void clients_await(struct client_pool *pool, struct client *clients, unsigned step, unsigned connection) {
    const struct template *template = &pool->steps[step];
    for (unsigned i = 0; i < PIPELINE; i++)
        for (unsigned command = 0; command < template->commands; command++)
            answer_check((struct answer){.template = template,
                                         .object = object_of(pool, &clients[i]),
                                         .client = &clients[i]},
                         connection);
}

static void pipeline_start(struct client_pool *pool, unsigned which) {
    struct pipeline *pipeline = &pool->pipelines[which];
    pipeline->is_busy = true;
    pipeline->step = 0;
    for (unsigned i = 0; i < PIPELINE; i++) pipeline->clients[i].number = ++pool->started;
    clients_ask(pool, pipeline->clients, 0, which);
}

/* What the replies bring is kept, and the next step begins, if there is one. */
static void pipeline_continue(struct client_pool *pool, unsigned which) {
    struct pipeline *pipeline = &pool->pipelines[which];
    clients_await(pool, pipeline->clients, pipeline->step, which);
    pipeline->is_busy = pool->sequence->steps[++pipeline->step];
    if (pipeline->is_busy) clients_ask(pool, pipeline->clients, pipeline->step, which);
}

void client_pool_run(struct client_pool *pool, uint64_t operations) {
    bool is_anybody_busy = true;
    for (uint64_t started = 0; is_anybody_busy;) {
        is_anybody_busy = false;
        for (unsigned which = 0; which < CONNECTIONS; which++) {
            struct pipeline *pipeline = &pool->pipelines[which];
            if (pipeline->is_busy) pipeline_continue(pool, which);
            if (!pipeline->is_busy && started < operations) {
                pipeline_start(pool, which);
                started += PIPELINE;
            }
            is_anybody_busy = is_anybody_busy || pipeline->is_busy;
        }
    }
}
