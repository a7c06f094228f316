/* DOCTOR: what endangers the module's guarantees, now and with these settings.
 *
 *   rules (tables) ──check──▶ findings ─▶ HOLDFAST.DOCTOR    the most severe first
 *                                      ─▶ the log at load    dangers alone
 *
 * A rule is a row: severity, subject, check, and advice. A check calls doctor_find once for each problem; its text
 * says what was found, the advice what to do. The server side and each data type have tables of their own. Rules about
 * keys have no subject: they are checked for every listed key (doctor_keys.h), and the key is the subject.
 *
 * All of it is bounded: settings, counters, lines that are long, listed keys. Owners' labels are shown, ids never. */
#ifndef HOLDFAST_DOCTOR_H
#define HOLDFAST_DOCTOR_H

#include "core/arena.h"
#include "server/base/key_name.h"
#include "server/call/call.h"

enum severity {
    SEVERITY_DANGER,  /* a guarantee does not hold with this, or did not */
    SEVERITY_WARNING, /* something is wrong, or soon will be */
    SEVERITY_NOTE,
    SEVERITIES
};

struct doctor;

struct doctor_rule {
    enum severity severity;
    const char *subject; /* NULL for the key under examination */
    void (*check)(struct doctor *doctor);
    const char *advice;
};

enum {
    DOCTOR_FINDINGS_MAX = 200,
    DOCTOR_TEXT_BYTES = 240,
    DOCTOR_LOOKS_MAX = 20000, /* parts of values that one examination reads: a few milliseconds */
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
    /* For rules about keys. */
    struct key_name key;
    const struct data_type *type;
    const void *value;
    int looks_left; /* a rule that reads many parts of a value subtracts them here */
    /* What has been found. */
    const struct doctor_rule *rule; /* rule whose check is running */
    struct finding *first, **end;
    size_t count;
    struct arena arena;
};

/* Once, at load: the tables of rules that belong to no data type, ended by NULL; and the rules for all keys. Each
 * table is ended by a rule without a check. */
void doctor_start(RedisModuleCtx *ctx, const struct doctor_rule *const *rules,
                  const struct doctor_rule *for_keys);

void doctor_find(struct doctor *doctor, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
