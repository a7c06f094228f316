/* DOCTOR: what endangers the promises, now and with these settings.
 *
 *   rules (tables) ──check──▶ findings ─▶ HOLDFAST.DOCTOR    the most severe first
 *                                      ─▶ the log at load    dangers alone
 *
 * A rule is a row: how severe it is, what it is about, a check, and what to do about it. A check looks, and says what it
 * finds by doctor_find, once for each thing; its text tells what is there, the advice what to do. The server side and each
 * family have tables of their own. Rules about keys have no subject: they are asked for every key that is noted
 * (noted.h), and the subject is the key.
 *
 * All of it is bounded: settings, counters, lines that are long, noted keys. Owners' labels are shown, ids never. */
#ifndef HOLDFAST_DOCTOR_H
#define HOLDFAST_DOCTOR_H

#include "core/arena.h"
#include "server/command.h"

enum severity {
    SEVERITY_DANGER,  /* a promise does not hold with this, or did not */
    SEVERITY_WARNING, /* something is wrong, or soon will be */
    SEVERITY_NOTE,
    SEVERITIES
};

struct doctor;

struct doctor_rule {
    enum severity severity;
    const char *subject; /* NULL for the key that is looked at */
    void (*check)(struct doctor *doctor);
    const char *advice;
};

enum {
    DOCTOR_FINDINGS_MAX = 200,
    DOCTOR_TEXT_BYTES = 240,
    DOCTOR_LOOKS_MAX = 20000, /* parts of values that one examination looks at, some milliseconds' worth */
};

struct finding {
    struct finding *next;
    enum severity severity;
    struct bytes subject;
    char text[DOCTOR_TEXT_BYTES];
    const char *advice;
};

/* One examination. */
struct doctor {
    RedisModuleCtx *ctx;
    int64_t now_ms;
    /* What rules about keys look at. */
    int db;
    struct bytes key;
    const struct aggregate *type;
    const void *value;
    int looks_left; /* a rule that looks at many parts of a value takes from these */
    /* What has been found. */
    const struct doctor_rule *rule; /* whose check is going on */
    struct finding *first, **end;
    size_t count;
    struct arena arena;
};

/* Rules that belong to no family, beside the server side's own; ended by one without a check. */
void doctor_start(RedisModuleCtx *ctx, const struct doctor_rule *more);

void doctor_find(struct doctor *doctor, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A setting of the server as text; empty when it has none of this name. */
struct doctor_setting {
    char text[64];
};
struct doctor_setting doctor_setting(const struct doctor *doctor, const char *name);

/* Whether this server has replicas, or is one. */
bool doctor_sees_replication(const struct doctor *doctor);

extern const struct doctor_rule doctor_rules[];     /* of the server side */
extern const struct doctor_rule doctor_key_rules[]; /* likewise, about keys */

enum outcome doctor_decide(struct call *call);

#endif
