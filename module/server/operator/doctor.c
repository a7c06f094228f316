#include "server/operator/doctor.h"

#include "server/effects/doctor_keys.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const severity_names[SEVERITIES] = {"danger", "warning", "note"};

static const struct doctor_rule *const *tables, *key_rules;

/* --- Findings --- */

static struct finding *finding_new(struct doctor *doctor, enum severity severity, struct bytes subject) {
    char *kept = arena_alloc(&doctor->arena, subject.length + 1);
    struct finding *finding = arena_zeroed(&doctor->arena, sizeof(*finding));
    if (subject.length) memcpy(kept, subject.data, subject.length);
    finding->severity = severity;
    finding->subject = bytes_of(kept, subject.length);
    *doctor->end = finding;
    doctor->end = &finding->next;
    doctor->count++;
    return finding;
}

static void find_no_more(struct doctor *doctor, const char *why) {
    struct finding *last = finding_new(doctor, SEVERITY_NOTE, bytes_text("findings"));
    snprintf(last->text, sizeof(last->text), "%s", why);
    last->advice = "deal with what is shown first, then ask again";
}

static void tell_database(struct finding *finding, int db) {
    size_t used = strlen(finding->text);
    if (db) snprintf(finding->text + used, sizeof(finding->text) - used, " (database %d)", db);
}

void doctor_find(struct doctor *doctor, const char *format, ...) {
    const struct doctor_rule *rule = doctor->rule;
    if (doctor->count == DOCTOR_FINDINGS_MAX)
        find_no_more(doctor, "there are more findings than can be shown");
    if (doctor->count > DOCTOR_FINDINGS_MAX) return;
    struct finding *finding =
        finding_new(doctor, rule->severity, rule->subject ? bytes_text(rule->subject) : doctor->key.key);
    va_list values;
    va_start(values, format);
    vsnprintf(finding->text, sizeof(finding->text), format, values);
    va_end(values);
    finding->advice = rule->advice;
    if (!rule->subject) tell_database(finding, doctor->key.db);
}

/* --- Examining --- */

static void check_rules(struct doctor *doctor, const struct doctor_rule *rules) {
    for (; rules && rules->check; rules++) {
        doctor->rule = rules;
        rules->check(doctor);
    }
}

static void examine_key(struct doctor *doctor, struct key_name name) {
    struct seen_key seen = key_name_see(doctor->ctx, name);
    doctor->key = name;
    doctor->type = seen.type;
    doctor->value = seen.value;
    if (doctor->type) {
        check_rules(doctor, key_rules);
        check_rules(doctor, doctor->type->rules);
    }
    seen_key_end(&seen);
}

static void examine_keys(struct doctor *doctor) {
    size_t count;
    int db = RedisModule_GetSelectedDb(doctor->ctx);
    const struct key_name *names = doctor_keys_names(&doctor->arena, &count);
    for (size_t i = 0; i < count; i++) examine_key(doctor, names[i]);
    if (doctor->looks_left <= 0)
        find_no_more(doctor, "there is too much to look at: not all holders were seen");
    RedisModule_SelectDb(doctor->ctx, db);
}

static void examine_server(struct doctor *doctor, RedisModuleCtx *ctx) {
    *doctor = (struct doctor){.ctx = ctx, .now_ms = server_now_ms(), .looks_left = DOCTOR_LOOKS_MAX};
    doctor->end = &doctor->first;
    arena_start(&doctor->arena);
    for (const struct doctor_rule *const *rules = tables; *rules; rules++) check_rules(doctor, *rules);
}

static void log_dangers(RedisModuleCtx *ctx) {
    struct doctor doctor;
    examine_server(&doctor, ctx);
    for (const struct finding *finding = doctor.first; finding; finding = finding->next)
        if (finding->severity == SEVERITY_DANGER)
            RedisModule_Log(ctx, "warning", "danger: %.*s: %s; %s", (int)finding->subject.length,
                            finding->subject.data, finding->text, finding->advice);
    arena_end(&doctor.arena);
}

void doctor_start(RedisModuleCtx *ctx, const struct doctor_rule *const *rules,
                  const struct doctor_rule *for_keys) {
    tables = rules;
    key_rules = for_keys;
    log_dangers(ctx);
}

/* --- The command --- */

static void reply_finding(struct reply *out, const struct finding *finding) {
    struct reply_map map = reply_map(out, 4);
    reply_field_bytes(&map, "severity", bytes_text(severity_names[finding->severity]));
    reply_field_bytes(&map, "subject", finding->subject);
    reply_field_bytes(&map, "finding", bytes_text(finding->text));
    reply_field_bytes(&map, "advice", bytes_text(finding->advice));
}

enum outcome doctor_decide(struct call *call) {
    struct doctor doctor;
    examine_server(&doctor, call->ctx);
    examine_keys(&doctor);
    reply_array(&call->out, (long)doctor.count);
    for (enum severity severity = 0; severity < SEVERITIES; severity++)
        for (const struct finding *finding = doctor.first; finding; finding = finding->next)
            if (finding->severity == severity) reply_finding(&call->out, finding);
    arena_end(&doctor.arena);
    return OUTCOME_DONE;
}
