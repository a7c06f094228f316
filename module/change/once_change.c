#include "change/once_change.h"

#include "core/packed_reply.h"

#include <stddef.h>

enum { LETTER = 'O' };

static void write_call(const void *field, struct record_writer *writer) {
    const struct logged_call *call = field;
    record_put_number(writer, call->fingerprint);
    record_put_number(writer, (uint64_t)call->called_ms);
}

static void read_call(struct record_reader *reader, void *field) {
    struct logged_call *call = field;
    uint64_t fingerprint = record_number(reader);
    if (fingerprint > UINT32_MAX) reader->failed = true;
    call->fingerprint = (uint32_t)fingerprint;
    call->called_ms = record_instant(reader);
}

static bool token_is_sound(const void *field) {
    return ((const struct bytes *)field)->length != 0;
}

static bool answer_is_sound(const void *field) {
    return packed_reply_is_sound(*(const struct bytes *)field);
}

static bool inside_is_sound(const void *field) {
    return !once_change_is(*(const struct bytes *)field);
}

static const struct own_codec call_codec = {write_call, read_call, NULL};

#define ROW(name, member, ...) {.offset = offsetof(struct once_change, member), __VA_ARGS__},
static const struct field fields[] = {ONCE_FIELDS(ROW)};
#undef ROW

#define HAS(field) ONCE_HAS(field)
static const struct change_kind kinds[ONCE_CHANGE_KINDS] = {
    [ONCE_REMEMBER] = {.fields = HAS(FORGETS) | HAS(TOKEN) | HAS(CALL) | HAS(ANSWER) | HAS(INSIDE),
                       .traits = CHANGE_IN_FILES},
    [ONCE_FORGET] = {.fields = HAS(FORGETS)},
    [ONCE_TAKE_BACK] = {.fields = HAS(TOKEN)},
};
#undef HAS

const struct change_schema once_changes = {
    .letter = LETTER,
    .kind_count = ONCE_CHANGE_KINDS,
    .size = CHANGE_SIZE(once_change),
    .kinds = kinds,
    .kind_bytes = sizeof(kinds[0]),
    .layout = {.fields = fields},
};

bool once_change_is(struct bytes record) {
    return record.length && record.data[0] == LETTER;
}

bool once_change_fits(const struct once_log *once_log, const struct once_change *change) {
    struct logged_call known;
    if (change->forgets > once_log_count(once_log)) return false;
    if (change->kind == ONCE_FORGET) return true;
    bool is_known = once_log_find(once_log, change->call.token, &known);
    if (change->kind == ONCE_TAKE_BACK) return is_known;
    return change->call.called_ms >= once_log_newest_ms(once_log);
}

void once_change_do(struct once_log **place, const struct once_change *change) {
    once_log_forget(place, change->forgets);
    if (change->kind == ONCE_REMEMBER)
        once_log_add(place, &change->call);
    else if (change->kind == ONCE_TAKE_BACK)
        once_log_forget_token(place, change->call.token);
}
