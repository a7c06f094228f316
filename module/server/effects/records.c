#include "server/effects/records.h"

#include "core/inlining.h"
#include "server/effects/doctor_keys.h"
#include "server/effects/once.h"
#include "server/effects/telling.h"
#include "server/effects/upkeep.h"

/* Ten years, as for versions: calls that are dated later than this would stay for good. */
#define ONCE_AHEAD_MAX_MS INT64_C(315360000000)

bool records_read(const struct data_type *type, struct bytes record, int64_t horizon_ms,
                  struct read_change *read) {
    if (!change_read_with(type->changes, record, &read->change, &read->inside, &read->newest)) return false;
    if (horizon_ms == INT64_MAX) return true;
    return version_plausible(read->newest, horizon_ms) &&
           (!type->is_plausible || type->is_plausible(&read->change, horizon_ms));
}

bool records_have_content(const struct data_type *type, const struct read_change *read, bool beside) {
    if (records_traits(type, read) & CHANGE_HAS_CONTENT) return (read->inside.data != NULL) != beside;
    return !read->inside.data && beside == (type->has_source && type->has_source(&read->change));
}

/* --- Effects --- */

static enum effect_result apply_to_target(const struct data_type *type, struct effect_target *target,
                                          struct read_change *read, const struct effect_content *content) {
    unsigned traits = records_traits(type, read);
    bool creates = traits & CHANGE_CREATES;
    if (creates != !target->value) return EFFECT_MISFIT;
    if (creates) {
        target->value = type->make(&read->change);
    } else if (traits & CHANGE_DROPS) {
        target->drop = true;
    } else {
        if (content->given) type->attach(&read->change, content);
        if (!type->apply(target->value, &read->change)) return EFFECT_MISFIT;
    }
    version_observe(read->newest);
    return EFFECT_APPLIED;
}

/* So that a replica, once promoted, clears what expires even if no command comes. */
static void bring_look_forward(const struct data_type *type, struct effect_target *target) {
    int64_t due_ms = upkeep_next_ms(type, target->value);
    struct value_head *head = target->value;
    if (due_ms >= head->upkeep_ms) return;
    head->upkeep_ms = due_ms;
    target->upkeep_ms = due_ms;
}

bool records_read_once(struct bytes record, int64_t horizon_ms, struct once_change *once) {
    if (!change_read(&once_changes, record, once)) return false;
    return horizon_ms == INT64_MAX || once->call.called_ms <= horizon_ms + ONCE_AHEAD_MAX_MS;
}

/* A key without a value remembers no calls. */
static bool once_fits(const struct effect_target *target, const struct once_change *once) {
    const struct once_log *once_log = target->value ? value_head(target->value)->once_log : NULL;
    return once_change_fits(once_log, once);
}

/* Applies the change of the data type that a record is. */
static enum effect_result apply_read(const struct data_type *type, struct effect_target *target,
                                     struct read_change *read, struct effect_content *content) {
    if (read->inside.data) {
        content->given = true;
        content->bytes = read->inside;
    }
    target->told = telling_of(type, &read->change);
    if (type->object_name) target->name = type->object_name(&read->change);
    return apply_to_target(type, target, read, content);
}

/* What a change of the value means for its upkeep and for DOCTOR. */
static void look_after(const struct data_type *type, struct effect_target *target, const void *change) {
    if (target->drop) return;
    bring_look_forward(type, target);
    target->notable = doctor_keys_wants(type, target->value, change);
}

ASIDE static enum effect_result apply_once(const struct data_type *type, struct effect_target *target,
                                           const struct once_change *once) {
    if (!once_fits(target, once)) return EFFECT_MISFIT;
    once_change_do(&value_head(target->value)->once_log, once);
    look_after(type, target, NULL);
    return EFFECT_APPLIED;
}

/* Also whether what comes with the record fits it. */
static bool read_with_company(const struct data_type *type, struct bytes record,
                              const struct once_change *once, bool beside, int64_t horizon_ms,
                              struct read_change *read) {
    if (!records_read(type, record, horizon_ms, read)) return false;
    return records_have_content(type, read, beside) && !(once && records_traits(type, read) & CHANGE_DROPS);
}

bool records_fit_bundle(struct bytes record, bool beside, int64_t horizon_ms) {
    struct once_change once;
    struct read_change read;
    bool remembers = once_change_is(record);
    if (remembers) {
        if (!records_read_once(record, horizon_ms, &once)) return false;
        record = once.inside;
        if (!record.length) return !beside;
    }
    const struct data_type *type = data_type_of_letter((uint8_t)record.data[0]);
    if (!type || !read_with_company(type, record, remembers ? &once : NULL, beside, horizon_ms, &read))
        return false;
    return !(records_traits(type, &read) & CHANGE_DROPS);
}

enum effect_result records_apply(const struct data_type *type, struct effect_target *target,
                                 struct bytes record, const struct once_change *once,
                                 struct effect_content *content, int64_t horizon_ms) {
    struct read_change read;
    if (!record.length) return content->given ? EFFECT_MALFORMED : apply_once(type, target, once);
    if (!read_with_company(type, record, once, content->given, horizon_ms, &read)) return EFFECT_MALFORMED;
    if (once && !once_fits(target, once)) return EFFECT_MISFIT;
    enum effect_result result = apply_read(type, target, &read, content);
    if (result != EFFECT_APPLIED) return result;
    if (once) once_change_do(&value_head(target->value)->once_log, once);
    look_after(type, target, &read.change);
    return EFFECT_APPLIED;
}
