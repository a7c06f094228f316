/* Stored access policies: up to five, each with an id of its own, and letters as permissions. */
#include "core/policy.h"

#include "unit.h"

#include <stdio.h>

static void pack(struct record_writer *writer, const char *id, int64_t start_ms, int64_t expiry_ms,
                 const char *permissions) {
    const struct policy policy = {bytes_text(id), start_ms, expiry_ms, bytes_text(permissions)};
    policy_pack(writer, &policy);
}

static const struct {
    const char *text;
    bool sound;
    int64_t instant_ms;
} instants[] = {
    {"-", true, POLICY_INSTANT_NONE},
    {"0", true, 0},
    {"1700000000000", true, INT64_C(1700000000000)},
    {"9223372036854775806", true, INT64_MAX - 1},
    {"9223372036854775807", false, 0}, /* cannot be written with the none in front */
    {"9223372036854775808", false, 0},
    {"-1", false, 0},
    {"--", false, 0},
    {"", false, 0},
    {"soon", false, 0},
    {"1.5", false, 0},
    {"01", false, 0},
};

TEST(an_instant_is_milliseconds_or_none) {
    for (size_t i = 0; i < ARRAY_SIZE(instants); i++) {
        int64_t instant_ms = 42;
        require_same(policy_instant_read(bytes_text(instants[i].text), &instant_ms), instants[i].sound,
                     "'%s'", instants[i].text);
        if (instants[i].sound) require_same(instant_ms, instants[i].instant_ms, "'%s'", instants[i].text);
    }
}

TEST(packed_policies_are_read_back) {
    const struct policy policies[] = {
        {bytes_text("reader"), 0, INT64_MAX - 1, bytes_text("rl")},
        {bytes_text("w"), POLICY_INSTANT_NONE, POLICY_INSTANT_NONE, bytes_text("")},
        {bytes_of("\0\xff", 2), 1, POLICY_INSTANT_NONE, bytes_text("abcdefghijklmnopqrstuvwxyz")},
    };
    RECORD_WRITER(writer);
    for (size_t i = 0; i < ARRAY_SIZE(policies); i++) policy_pack(&writer, &policies[i]);
    struct packed_list list = {ARRAY_SIZE(policies), record_written(&writer)};
    require_same(policies_check(list), OUTCOME_DONE, "all of them");
    struct record_reader reader = record_reader(list.items);
    struct policy policy;
    for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
        require(policy_next(&reader, &policy), "there is no policy %zu", i);
        require_bytes(policy.id, policies[i].id, "policy %zu", i);
        require_bytes(policy.permissions, policies[i].permissions, "policy %zu", i);
        require_same(policy.start_ms, policies[i].start_ms, "policy %zu", i);
        require_same(policy.expiry_ms, policies[i].expiry_ms, "policy %zu", i);
    }
    require(!policy_next(&reader, &policy), "there is one more");
    for (size_t cut = 1; cut < list.items.length; cut++) {
        struct packed_list piece = {list.count, bytes_of(list.items.data, cut)};
        require_same(policies_check(piece), OUTCOME_INVALID_POLICIES, "cut at %zu", cut);
    }
}

#define LONGEST_ID "0123456789012345678901234567890123456789012345678901234567890123"

/* One policy among others that are sound. */
static const struct {
    const char *why, *id, *permissions;
    enum outcome outcome;
} rules[] = {
    {"a sound one", "id", "rwdl", OUTCOME_DONE},
    {"no permissions", "id", "", OUTCOME_DONE},
    {"the first and the last letter", "id", "az", OUTCOME_DONE},
    {"the longest id", LONGEST_ID, "r", OUTCOME_DONE},
    {"a longer id", LONGEST_ID "4", "r", OUTCOME_INVALID_POLICIES},
    {"no id", "", "r", OUTCOME_INVALID_POLICIES},
    {"the id of another one", "other", "r", OUTCOME_INVALID_POLICIES},
    {"that id in another case", "OTHER", "r", OUTCOME_DONE},
    {"a letter twice", "id", "rr", OUTCOME_INVALID_POLICY_VALUE},
    {"a letter twice, far apart", "id", "rwdlr", OUTCOME_INVALID_POLICY_VALUE},
    {"a capital letter", "id", "R", OUTCOME_INVALID_POLICY_VALUE},
    {"a digit", "id", "r1", OUTCOME_INVALID_POLICY_VALUE},
    {"next to the letters", "id", "`", OUTCOME_INVALID_POLICY_VALUE},
    {"next to the letters", "id", "{", OUTCOME_INVALID_POLICY_VALUE},
    {"beyond ASCII", "id", "\xe1", OUTCOME_INVALID_POLICY_VALUE},
};

TEST(a_policy_keeps_the_rules) {
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        RECORD_WRITER(writer);
        pack(&writer, "other", 1, 2, "r");
        pack(&writer, rules[i].id, 2, 1, rules[i].permissions);
        pack(&writer, "last", 1, 2, "r");
        struct packed_list list = {3, record_written(&writer)};
        require_same(policies_check(list), rules[i].outcome, "%s", rules[i].why);
    }
}

TEST(a_container_has_at_most_five_policies) {
    RECORD_WRITER(writer);
    require_same(policies_check((struct packed_list){0, {"", 0}}), OUTCOME_DONE, "none");
    for (uint64_t count = 1; count <= 8; count++) {
        char id[8];
        (void)snprintf(id, sizeof(id), "id%d", (int)count);
        pack(&writer, id, 1, 2, "r");
        struct packed_list list = {count, record_written(&writer)};
        require_same(policies_check(list), count <= 5 ? OUTCOME_DONE : OUTCOME_INVALID_POLICIES, "%d of them",
                     (int)count);
        list.count = count + 1;
        require_same(policies_check(list), OUTCOME_INVALID_POLICIES, "one more counted than there are");
        list.count = count - 1;
        require_same(policies_check(list), OUTCOME_INVALID_POLICIES, "one less counted than there are");
    }
}

/* A number that no instant is written as. */
TEST(instants_of_policies_beyond_63_bits_are_refused) {
    const uint64_t written[] = {0, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
        RECORD_WRITER(writer);
        record_put_bytes(&writer, bytes_text("id"));
        record_put_number(&writer, written[i]);
        record_put_number(&writer, 0);
        record_put_bytes(&writer, bytes_text("r"));
        struct packed_list list = {1, record_written(&writer)};
        require_same(policies_check(list), written[i] <= INT64_MAX ? OUTCOME_DONE : OUTCOME_INVALID_POLICIES,
                     "case %zu", i);
    }
}

/* Sound permissions that a family does not know. */
TEST(permissions_use_only_the_letters_of_their_family) {
    static const struct {
        const char *first, *last, *letters;
        enum outcome outcome;
    } lists[] = {
        {"", "", "", OUTCOME_DONE},
        {"raud", "r", "raud", OUTCOME_DONE},
        {"duar", "ua", "raud", OUTCOME_DONE},
        {"", "d", "raud", OUTCOME_DONE},
        {"r", "rl", "raud", OUTCOME_INVALID_POLICY_VALUE},
        {"w", "r", "raud", OUTCOME_INVALID_POLICY_VALUE},
        {"raudp", "", "raud", OUTCOME_INVALID_POLICY_VALUE},
        {"r", "", "", OUTCOME_INVALID_POLICY_VALUE},
    };
    require_same(policies_check_letters((struct packed_list){0, {"", 0}}, ""), OUTCOME_DONE, "none");
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        RECORD_WRITER(writer);
        pack(&writer, "first", 1, 2, lists[i].first);
        pack(&writer, "last", 1, 2, lists[i].last);
        struct packed_list list = {2, record_written(&writer)};
        require_same(policies_check(list), OUTCOME_DONE, "list %zu is sound", i);
        require_same(policies_check_letters(list, lists[i].letters), lists[i].outcome, "list %zu", i);
    }
}
