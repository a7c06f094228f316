#include "server/call/form.h"

#include "core/inlining.h"
#include "core/metadata.h"
#include "core/policy.h"
#include "core/property.h"
#include "server/call/conditions.h"
#include "server/call/refusal.h"

/* What is read for every command that has it. */
enum {
    CONDITION_SLOTS = (1 << (SLOT_IFUNMODIFIEDSINCE + 1)) - 1,
    LIST_SLOTS = 1 << SLOT_META | 1 << SLOT_PROPS | 1 << SLOT_POLICIES,
};

enum outcome form_check_bytes(struct call *call, size_t length, const char *deed) {
    if (length <= FORM_BYTES_MAX) return OUTCOME_DONE;
    return refusal_because_format(call, OUTCOME_BODY_TOO_LARGE, "at most %d bytes %s at once", FORM_BYTES_MAX,
                                  deed);
}

static const struct argument *given_argument(const struct call *call, int slot) {
    return args_given(&call->args, slot) ? &call->args.slots[slot] : NULL;
}

/* Packs the name-value pairs of an option. */
static void pack_pairs(const struct call *call, const struct argument *pairs, struct call_list *packed) {
    record_start(&packed->buffer);
    for (int i = 0; i < 2 * pairs->count; i++)
        record_put_bytes(&packed->buffer, call_word(call, pairs->at + i));
    packed->list = (struct packed_list){(uint64_t)pairs->count, record_written(&packed->buffer)};
}

static enum outcome read_metadata(struct call *call) {
    const struct argument *pairs = given_argument(call, SLOT_META);
    if (!pairs) return OUTCOME_DONE;
    pack_pairs(call, pairs, &call->metadata);
    return metadata_check(call->metadata.list);
}

static enum outcome read_properties(struct call *call) {
    const struct argument *pairs = given_argument(call, SLOT_PROPS);
    if (!pairs) return OUTCOME_DONE;
    struct call_list asked;
    pack_pairs(call, pairs, &asked);
    record_start(&call->properties.buffer);
    enum outcome outcome = properties_pack(asked.list, &call->properties.buffer, &call->properties.list);
    record_end(&asked.buffer);
    if (outcome == OUTCOME_INVALID_VALUE)
        return refusal_because_format(
            call, outcome, "PROPS takes %s, each once, and %d bytes in all",
            "content-type, -encoding, -language, -disposition, -md5 and cache-control", PROPERTIES_MAX_BYTES);
    return outcome;
}

static enum outcome check_policies(struct call *call, struct packed_list policies) {
    const char *letters = call_type(call)->permissions;
    enum outcome outcome = policies_check(policies);
    if (outcome == OUTCOME_DONE && letters) outcome = policies_check_letters(policies, letters);
    if (outcome == OUTCOME_INVALID_POLICY_VALUE && letters)
        return refusal_because_format(
            call, outcome, "a policy's permissions are some of the letters %s, each at most once", letters);
    return outcome;
}

static enum outcome read_policies(struct call *call) {
    const struct argument *items = given_argument(call, SLOT_POLICIES);
    if (!items) return OUTCOME_DONE;
    struct call_list *packed = &call->policies;
    record_start(&packed->buffer);
    if (items->count > POLICIES_MAX) return OUTCOME_INVALID_POLICIES;
    for (int i = 0; i < items->count; i++) {
        int at = items->at + 4 * i;
        struct policy policy = {.id = call_word(call, at), .permissions = call_word(call, at + 3)};
        if (!policy_instant_read(call_word(call, at + 1), &policy.start_ms))
            return OUTCOME_INVALID_POLICY_VALUE;
        if (!policy_instant_read(call_word(call, at + 2), &policy.expiry_ms))
            return OUTCOME_INVALID_POLICY_VALUE;
        policy_pack(&packed->buffer, &policy);
    }
    packed->list = (struct packed_list){(uint64_t)items->count, record_written(&packed->buffer)};
    return check_policies(call, packed->list);
}

ASIDE static enum outcome read_lists(struct call *call) {
    enum outcome outcome = read_metadata(call);
    if (outcome == OUTCOME_DONE) outcome = read_properties(call);
    return outcome == OUTCOME_DONE ? read_policies(call) : outcome;
}

enum outcome form_check(struct call *call) {
    struct fault fault;
    enum outcome outcome = args_parse(call->command->grammar, call->argv, call->argc, &call->args, &fault);
    if (outcome != OUTCOME_DONE) return refusal_describe(call, &fault);
    if (call->args.given & CONDITION_SLOTS) conditions_read(call, SLOT_IFMATCH, &call->conditions);
    if (call->args.given & LIST_SLOTS) outcome = read_lists(call);
    if (outcome == OUTCOME_DONE && call->command->check) outcome = call->command->check(call);
    if (outcome == OUTCOME_DONE && call->conditions.given)
        outcome = conditions_check_form(&call->conditions, call->command->conditions);
    return outcome;
}

enum outcome form_check_tail(struct call *call, int at) {
    struct fault fault;
    enum outcome outcome =
        args_parse_tail(call->command->grammar, call->argv, call->argc, at, &call->args, &fault);
    return outcome == OUTCOME_DONE ? outcome : refusal_describe(call, &fault);
}
