/* What hiredis hands over for each shape of reply; see tests/clients.sh. */
#include "holdfast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static const char *type_of(const redisReply *reply) {
    static const char *const names[] = {
        [REDIS_REPLY_STRING] = "string", [REDIS_REPLY_ARRAY] = "array",   [REDIS_REPLY_INTEGER] = "integer",
        [REDIS_REPLY_NIL] = "nil",       [REDIS_REPLY_STATUS] = "status", [REDIS_REPLY_ERROR] = "error",
#ifdef REDIS_REPLY_MAP
        [REDIS_REPLY_DOUBLE] = "double", [REDIS_REPLY_BOOL] = "bool",     [REDIS_REPLY_MAP] = "map",
#endif
    };
    return names[reply->type];
}

static void tell(const char *shape, const redisReply *reply, bool holds) {
    printf("%s\t%s\n", shape, holds ? type_of(reply) : "WRONG");
}

static bool is_text(const redisReply *reply, const char *text) {
    return reply->str && !strcmp(reply->str, text);
}

/* A number in the environment; 0 when it is not there. */
static int number_of(const char *name) {
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

static redisContext *server;

static redisReply *ask(const char *command) {
    redisReply *reply = redisCommand(server, command);
    if (!reply) exit(1);
    return reply;
}

static void probe_entity(void) {
    redisReply *reply = ask("TABLE.GET t p r");
    const redisReply *all = reply->element[1], *number = holdfast_field(all, "n:int64");
    const redisReply *real = holdfast_field(all, "d:double"), *flag = holdfast_field(all, "f:bool");
    tell("int64", number, holdfast_number(all, "n:int64") == INT64_MAX);
    tell("double", real, real->str && strtod(real->str, NULL) == 0.5);
    tell("bool", flag, flag->integer == 1);
    freeReplyObject(reply);
}

static void probe_maps(void) {
    redisReply *reply = ask("CONTAINER.GET c");
    tell("map", reply, holdfast_number(reply, "blobs") == 2);
    reply = ask("BLOB.STAT c b");
    tell("map in map", holdfast_field(reply, "meta"),
         !strcmp(holdfast_text(holdfast_field(reply, "meta"), "k"), "v"));
    reply = ask("QUEUE.PEEK q");
    tell("map in list", reply->element[0], !strcmp(holdfast_text(reply->element[0], "message"), "hello"));
}

static void probe_hasty(void) {
    redisContext *hasty = redisConnect("127.0.0.1", number_of("PORT"));
    redisSetTimeout(hasty, (struct timeval){.tv_usec = 300000});
    redisReply *reply = redisCommand(hasty, "QUEUE.GET h BLOCK 2");
    redisFree(hasty); /* a context with an error is good for nothing else */
    if (reply) {
        printf("hasty\twaits\n");
        return;
    }
    freeReplyObject(ask("QUEUE.PUT h work"));
    printf("hasty\t%s\n", ask("QUEUE.PEEK h")->elements ? "hangs up" : "loses the message");
}

int main(void) {
    server = holdfast_connect("127.0.0.1", number_of("PORT"));
    if (!server) return 1;
    if (number_of("RESP") == 3) freeReplyObject(ask("HELLO 3"));
    redisReply *reply = ask("QUEUE.CREATE made");
    tell("status", reply, is_text(reply, "OK"));
    reply = ask("BLOB.GET c b");
    tell("pair", reply, reply->elements == 2 && is_text(reply->element[1], "text"));
    const redisReply *raw = ask("BLOB.GET c raw")->element[1];
    printf("bytes\t%s\n", raw->len == 4 && !memcmp(raw->str, "\0\r\n\xff", 4) ? "exact" : "WRONG");
    reply = redisCommand(server, "BLOB.GET c b IFNONEMATCH %s", reply->element[0]->str);
    tell("null", reply, reply->type == REDIS_REPLY_NIL);
    probe_maps();
    reply = ask("BLOB.LIST c");
    tell("null in list", reply->element[0], reply->element[0]->type == REDIS_REPLY_NIL);
    probe_entity();
    reply = ask("QUEUE.PEEK e");
    tell("empty", reply, reply->type == REDIS_REPLY_ARRAY && !reply->elements);
    reply = ask("QUEUE.GET e BLOCK 0.2");
    tell("wait", reply, reply->type == REDIS_REPLY_ARRAY && !reply->elements);
    reply = ask("BLOB.GET c none");
    printf("error\t%s\n",
           holdfast_refused(reply, "NOTFOUND BlobNotFound") ? strtok(reply->str, " ") : "WRONG");
    probe_hasty();
    return 0;
}
