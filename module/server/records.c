#include "server/records.h"

#include "server/effect.h"
#include "server/noted.h"
#include "server/once.h"
#include "server/upkeep.h"

#include "ccan/build_assert/build_assert.h"

/* A change of any type. */
enum { CHANGE_MAX_BYTES = 1024 };

/* Ten years, as for versions: calls that are dated later than this would stay for good. */
#define ONCE_AHEAD_MAX_MS INT64_C(315360000000)

struct any_change {
    _Alignas(max_align_t) char bytes[CHANGE_MAX_BYTES];
};

/* *content is what the record has inside. */
static bool read_and_believe(const struct data_type *type, struct bytes record, int64_t horizon_ms,
                             void *change, struct bytes *content) {
    if (!change_read_with(type->changes, record, change, content)) return false;
    if (horizon_ms == INT64_MAX) return true;
    return version_plausible(change_newest_version(type->changes, change), horizon_ms) &&
           (!type->is_plausible || type->is_plausible(change, horizon_ms));
}

/* What is minted here from now on is newer than all that this server holds. */
static void observe(const struct data_type *type, const void *change) {
    version_observe(change_newest_version(type->changes, change));
}

/* A content travels inside of the record or beside it, if the change has one; a key only beside it. */
static bool has_its_content(const struct data_type *type, const void *change, struct bytes inside,
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
    observe(type, change);
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
        if (!read_and_believe(type, record, horizon_ms, &change, &inside)) return EFFECT_MALFORMED;
        if (!has_its_content(type, &change, inside, content->given)) return EFFECT_MALFORMED;
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

/* --- Files --- */

static bool attach_loaded(const struct data_type *type, struct loading *loading, void *change,
                          struct bytes inside) {
    if (!change_is(type->changes, change, CHANGE_HAS_CONTENT)) return true;
    struct effect_content content = {.given = true, .bytes = inside, .obeyed = true};
    if (loading->beside) {
        content.argument = loading_content(loading);
        if (!content.argument) return false;
        content.bytes = api_bytes(content.argument);
    }
    type->attach(change, &content);
    return true;
}

/* Each token once, in the order in which the calls were made. */
static bool load_once(const struct data_type *type, struct loading *loading, struct bytes record) {
    struct once_change once;
    struct remembered_call known;
    if (!loading->value || !records_read_once(record, loading->horizon_ms, &once)) return false;
    struct remembered **place = once_place(type, loading->value);
    bool fits = once.kind == ONCE_REMEMBER && !once.forgets && !once.inside.length &&
                !remembered_find(*place, once.call.token, &known) && once_change_fits(*place, &once);
    if (fits) once_change_do(place, &once);
    return fits;
}

/* A file begins with what creates the value. */
bool records_load(const struct data_type *type, struct loading *loading, struct bytes record) {
    struct any_change change;
    struct bytes inside;
    if (once_change_is(record)) return !loading->beside && load_once(type, loading, record);
    if (!read_and_believe(type, record, loading->horizon_ms, &change, &inside)) return false;
    if (!has_its_content(type, &change, inside, loading->beside)) return false;
    bool creates = change_is(type->changes, &change, CHANGE_CREATES);
    if (creates != !loading->value || !(creates || change_is(type->changes, &change, CHANGE_IN_FILES)))
        return false;
    if (type->keeps_order && !type->keeps_order(loading, &change)) return false;
    if (creates)
        loading->value = type->make(&change);
    else if (!attach_loaded(type, loading, &change, inside) || !type->apply(loading->value, &change))
        return false;
    observe(type, &change);
    return true;
}

struct record_saving {
    const struct data_type *type;
    struct saving *saving;
};

static void put_record(void *context, const void *change) {
    const struct record_saving *to = context;
    const struct change_schema *changes = to->type->changes;
    struct record_writer *record = saving_record(to->saving);
    bool has_content = change_is(changes, change, CHANGE_HAS_CONTENT);
    const struct bytes *content = has_content ? to->type->content_of(change) : NULL;
    change_write(changes, change, record);
    if (content && content->length <= CHANGE_CONTENT_INSIDE_MAX) {
        change_add_content(record, *content);
        content = NULL;
    }
    saving_put(to->saving, content);
}

void records_save_remembered(const struct data_type *type, struct saving *saving, const void *value) {
    const struct remembered *remembered = once_remembered(type, value);
    struct remembered_cursor cursor = {0, 0};
    struct once_change change = {.kind = ONCE_REMEMBER};
    while (remembered_next(remembered, &cursor, &change.call)) {
        change_write(&once_changes, &change, saving_record(saving));
        saving_put(saving, NULL);
    }
}

void records_save(const struct data_type *type, struct saving *saving, const void *value) {
    struct record_saving to = {type, saving};
    type->walk(value, &(struct change_walk){saving->piece, true, put_record, &to});
    records_save_remembered(type, saving, value);
}
