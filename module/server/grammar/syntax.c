#include "server/grammar/syntax.h"

static void put_argument(struct text *line, const struct syntax_arg *arg);

static void put_parts(struct text *line, const struct syntax_arg *arg, const char *between) {
    for (; arg->name; arg++) {
        put_argument(line, arg);
        if (arg[1].name) text_put(line, between);
    }
}

/* The argument without its token, brackets and dots. */
static void put_value(struct text *line, const struct syntax_arg *arg) {
    if (arg->subargs)
        put_parts(line, arg->subargs, arg->type == REDISMODULE_ARG_TYPE_ONEOF ? "|" : " ");
    else
        text_put(line, arg->name);
}

static void put_argument(struct text *line, const struct syntax_arg *arg) {
    bool is_optional = arg->flags & REDISMODULE_CMD_ARG_OPTIONAL;
    if (is_optional) text_put(line, "[");
    if (arg->token) text_put(line, arg->token);
    if (arg->type != REDISMODULE_ARG_TYPE_PURE_TOKEN) {
        if (arg->token) text_put(line, " ");
        put_value(line, arg);
    }
    if (arg->flags & REDISMODULE_CMD_ARG_MULTIPLE) {
        text_put(line, " [");
        put_value(line, arg);
        text_put(line, " ...]");
    }
    if (is_optional) text_put(line, "]");
}

void syntax_put(struct text *line, const struct syntax_arg *args) {
    for (; args && args->name; args++) {
        text_put(line, " ");
        put_argument(line, args);
    }
}
