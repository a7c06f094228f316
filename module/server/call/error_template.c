#include "server/call/error_template.h"

#include "core/inlining.h"
#include "server/base/alarm.h"
#include "server/base/server_clock.h"
#include "server/call/sample_reply.h"

#include "ccan/array_size/array_size.h"

#include <string.h>

enum {
    LENGTH_MIN = 16, /* any class fits */
    LENGTH_MAX = 255,
    CLASS_BYTES = 8, /* tell the classes apart */
    OFTEN = 64,      /* answers without a template until it is worth a call to make one */
};

static const char *const classes[] = {"PRECONDITION ", "CONFLICT ", "NOTFOUND ", "INVALID "};

struct error_template {
    RedisModuleCallReply *reply;
    char *text;     /* of the reply, without what the protocol puts around it */
    unsigned times; /* answered without a template */
};

static struct error_template templates[ARRAY_SIZE(classes)][LENGTH_MAX + 1];
static struct error_template *to_be_made;
static bool unobtainable;

/* --- Making a template --- */

static char sample[LENGTH_MAX + 1];

/* Its class, and dots. */
static size_t write_sample(const struct error_template *template) {
    size_t place = (size_t)(template - templates[0]);
    size_t length = place % ARRAY_SIZE(templates[0]);
    const char *class = classes[place / ARRAY_SIZE(templates[0])];
    memset(sample, '.', length);
    memcpy(sample, class, strlen(class));
    sample[length] = '\0';
    return length;
}

/* Where the text is in the reply, if that is "-text\r\n"; otherwise NULL. */
static char *text_within(RedisModuleCallReply *reply, size_t length) {
    size_t size;
    char *protocol = sample_reply_bytes(reply, &size);
    if (size != length + 3 || protocol[0] != '-' || memcmp(protocol + 1, sample, length) != 0) return NULL;
    return protocol + 1;
}

static void answer_sample(RedisModuleCtx *ctx) {
    RedisModule_ReplyWithError(ctx, sample);
}

static void make_template(RedisModuleCtx *ctx) {
    struct error_template *template = to_be_made;
    to_be_made = NULL;
    if (!template) return;
    size_t length = write_sample(template);
    RedisModuleCallReply *reply = sample_reply_take(ctx, answer_sample);
    template->text = reply ? text_within(reply, length) : NULL;
    if (template->text)
        template->reply = reply;
    else
        unobtainable = true;
    if (reply && unobtainable) RedisModule_FreeCallReply(reply);
}

static struct alarm alarm = {.ring = make_template};

void error_templates_start(void) {
    alarm_register(&alarm);
}

/* --- Answering --- */

static struct error_template *template_for(const char *error, size_t length) {
    if (length < LENGTH_MIN || length > LENGTH_MAX) return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
        if (!memcmp(error, classes[i], CLASS_BYTES)) return &templates[i][length];
    return NULL;
}

/* One after the other: the next time is soon enough. */
RARELY static void ask_for_template(struct error_template *template) {
    if (to_be_made || unobtainable) return;
    to_be_made = template;
    alarm_set(&alarm, server_now_ms());
}

/* What the server would make a space of. */
static bool has_line_break(const char *error, size_t length) {
    return memchr(error, '\n', length) || memchr(error, '\r', length);
}

void error_template_reply(RedisModuleCtx *ctx, const char *error) {
    size_t length = strlen(error);
    struct error_template *template = template_for(error, length);
    if (!template || !template->reply || has_line_break(error, length)) {
        if (template && !template->reply && ++template->times >= OFTEN) ask_for_template(template);
        RedisModule_ReplyWithError(ctx, error);
        return;
    }
    memcpy(template->text, error, length);
    RedisModule_ReplyWithCallReply(ctx, template->reply);
}
