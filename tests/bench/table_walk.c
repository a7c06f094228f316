#include "table_walk.h"

#include <stdio.h>
#include <string.h>

#include "basics.h"

enum { WORDS_AT_MOST = ASK_WORDS + 4 };

struct words {
    const char *items[WORDS_AT_MOST];
    int count;
};

static struct words words_of(const struct ask *ask) {
    struct words words = {.items = {"TABLE.QUERY"}, .count = 1};
    for (int index = 0; index < ASK_WORDS && ask->words[index]; index++)
        words.items[words.count++] = ask->words[index];
    return words;
}

static redisReply *answer_of(struct server *server, const struct words *words) {
    redisReply *reply = redisCommandArgv(server->context, words->count, (const char **)words->items, NULL);
    require(reply && reply->type == REDIS_REPLY_ARRAY, "TABLE.QUERY was answered by: %s",
            reply && reply->str ? reply->str : "nothing");
    return reply;
}

struct table_walk table_walk(const struct ask *ask) {
    return (struct table_walk){.ask = ask};
}

void table_walk_on(struct table_walk *walk, struct server *server) {
    struct words words = words_of(walk->ask);
    require(!walk->has_ended, "there is no next page");
    if (walk->has_begun) {
        words.items[words.count++] = "NEXT";
        words.items[words.count++] = walk->partition;
        words.items[words.count++] = walk->row;
    }
    redisReply *reply = answer_of(server, &words);
    const redisReply *next = reply->element[0];
    walk->rows += reply->element[1]->elements;
    walk->has_begun = true;
    walk->has_ended = next->type == REDIS_REPLY_NIL;
    if (!walk->has_ended) {
        snprintf(walk->partition, sizeof walk->partition, "%s", next->element[0]->str);
        snprintf(walk->row, sizeof walk->row, "%s", next->element[1]->str);
    }
    freeReplyObject(reply);
}

bool table_plan_is(struct server *server, const struct ask *ask, const char *plan) {
    struct words words = words_of(ask);
    words.items[words.count++] = "EXPLAIN";
    redisReply *reply = answer_of(server, &words);
    bool is_it = text_is(reply->element[1]->str, plan);
    freeReplyObject(reply);
    return is_it;
}
