#include "core/policy.h"

#include "core/number.h"

bool policy_instant_read(struct bytes text, int64_t *instant_ms) {
    *instant_ms = POLICY_INSTANT_NONE;
    if (bytes_equal(text, bytes_text("-"))) return true;
    return number_read(text, instant_ms) && *instant_ms >= 0 && *instant_ms < INT64_MAX;
}

void policy_pack(struct record_writer *writer, const struct policy *policy) {
    record_put_bytes(writer, policy->id);
    record_put_number(writer, (uint64_t)(policy->start_ms + 1));
    record_put_number(writer, (uint64_t)(policy->expiry_ms + 1));
    record_put_bytes(writer, policy->permissions);
}

bool policy_next(struct record_reader *reader, struct policy *policy) {
    if (!record_more(reader)) return false;
    policy->id = record_bytes(reader);
    policy->start_ms = record_instant(reader) - 1;
    policy->expiry_ms = record_instant(reader) - 1;
    policy->permissions = record_bytes(reader);
    return !reader->failed;
}

/* Each letter at most once. */
static bool permissions_sound(struct bytes permissions) {
    uint32_t seen = 0;
    for (size_t i = 0; i < permissions.length; i++) {
        char c = permissions.data[i];
        if (c < 'a' || c > 'z' || seen & UINT32_C(1) << (c - 'a')) return false;
        seen |= UINT32_C(1) << (c - 'a');
    }
    return true;
}

enum outcome policies_check_letters(struct packed_list list, const char *letters) {
    struct record_reader reader = record_reader(list.items);
    struct policy policy;
    while (policy_next(&reader, &policy))
        for (size_t i = 0; i < policy.permissions.length; i++)
            if (!strchr(letters, policy.permissions.data[i])) return OUTCOME_INVALID_POLICY_VALUE;
    return OUTCOME_DONE;
}

enum outcome policies_check(struct packed_list list) {
    struct bytes ids[POLICIES_MAX];
    struct record_reader reader = record_reader(list.items);
    struct policy policy;
    size_t count = 0;
    while (policy_next(&reader, &policy)) {
        if (count == POLICIES_MAX || !policy.id.length || policy.id.length > POLICY_ID_MAX_BYTES)
            return OUTCOME_INVALID_POLICIES;
        for (size_t i = 0; i < count; i++)
            if (bytes_equal(ids[i], policy.id)) return OUTCOME_INVALID_POLICIES;
        ids[count++] = policy.id;
        if (!permissions_sound(policy.permissions)) return OUTCOME_INVALID_POLICY_VALUE;
    }
    return record_complete(&reader) && count == list.count ? OUTCOME_DONE : OUTCOME_INVALID_POLICIES;
}
