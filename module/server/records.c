#include "server/records.h"

#include "server/noted.h"
#include "server/once.h"
#include "server/upkeep.h"

/* Ten years, as for versions: calls that are dated later than this would stay for good. */
#define ONCE_AHEAD_MAX_MS INT64_C(315360000000)

/* *content is what the record has inside. */
bool records_read(const struct data_type *type, struct bytes record, int64_t horizon_ms, void *change,
                  struct bytes *content) {
    if (!change_read_with(type->changes, record, change, content)) return false;
    if (horizon_ms == INT64_MAX) return true;
    return version_plausible(change_newest_version(type->changes, change), horizon_ms) &&
           (!type->is_plausible || type->is_plausible(change, horizon_ms));
}

/* What is minted here from now on is newer than all that this server holds. */
void records_observe(const struct data_type *type, const void *change) {
    version_observe(change_newest_version(type->changes, change));
}

/* A content travels inside of the record or beside it, if the change has one; a key only beside it. */
bool records_have_content(const struct data_type *type, const void *change, struct bytes inside,
                          bool beside) {
    if (change_is(type->changes, change, CHANGE_HAS_CONTENT)) return (inside.data != NULL) != beside;
    return !inside.data && beside == (type->has_source && type->has_source(change));
}

/* --- Effects --- */

static enum effect_result apply_to_target(const struct data_type *type, struct effect_target *target,
                                          void *change, const struct effect_content *content) {
    bool creates = change_is(type->changes, change, CHANGE_CREATES);
    if (creates != !target->value) return EFFECT_MISFIT;
    if (creates) {
        target->value = type->make(change);
    } else if (change_is(type->changes, change, CHANGE_DROPS)) {
        target->drop = true;
    } else {
        if (content->given) type->attach(change, content);
        if (!type->apply(target->value, change)) return EFFECT_MISFIT;
    }
    records_observe(type, change);
    return EFFECT_APPLIED;
}

/* So that a replica, once promoted, ends what expires without a command. */
static void bring_look_forward(const struct data_type *type, struct effect_target *target) {
    int64_t due_ms = upkeep_next_ms(type, target->value);
    int64_t *look_ms = upkeep_look_at(type, target->value);
    if (due_ms == UPKEEP_NEVER || (*look_ms && *look_ms <= due_ms)) return;
    *look_ms = due_ms;
    target->upkeep_ms = due_ms ? due_ms : 1;
}

bool records_read_once(struct bytes record, int64_t horizon_ms, struct once_change *once) {
    if (!change_read(&once_changes, record, once)) return false;
    return horizon_ms == INT64_MAX || once->call.called_ms <= horizon_ms + ONCE_AHEAD_MAX_MS;
}

/* A key without a value remembers no calls. */
static bool once_fits(const struct data_type *type, const struct effect_target *target,
                      const struct once_change *once) {
    const struct remembered *remembered = target->value ? *once_place(type, target->value) : NULL;
    return once_change_fits(remembered, once);
}

/* The change of the data type that a record is. */
static enum effect_result apply_record(const struct data_type *type, struct effect_target *target,
                                       void *change, const struct effect_content *content) {
    target->events[0] = change_kind(type->changes, change)->event;
    if (type->events) type->events(change, target->events);
    if (type->subject) target->name = type->subject(change);
    return apply_to_target(type, target, change, content);
}

enum effect_result records_apply(const struct data_type *type, struct effect_target *target,
                                 struct bytes record, const struct once_change *once,
                                 const struct effect_content *content, int64_t horizon_ms) {
    struct any_change change;
    struct effect_content given = *content;
    enum effect_result result = EFFECT_APPLIED;
    if (record.length) {
        struct bytes inside;
        if (!records_read(type, record, horizon_ms, &change, &inside)) return EFFECT_MALFORMED;
        if (!records_have_content(type, &change, inside, content->given)) return EFFECT_MALFORMED;
        if (once && change_is(type->changes, &change, CHANGE_DROPS)) return EFFECT_MALFORMED;
        given.given = content->given || inside.data;
        if (inside.data) given.bytes = inside;
    } else if (content->given) {
        return EFFECT_MALFORMED;
    }
    if (once && !once_fits(type, target, once)) return EFFECT_MISFIT;
    if (record.length) result = apply_record(type, target, &change, &given);
    if (result != EFFECT_APPLIED || target->drop) return result;
    if (once) once_change_do(once_place(type, target->value), once);
    bring_look_forward(type, target);
    target->notable = noted_wants(type, target->value, record.length ? &change : NULL);
    return result;
}
