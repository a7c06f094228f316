/*
 * What one would use in the place of tables: a hash for each entity, and for those that are changed only if they are as
 * they were read a version beside the fields, and a script.
 */
#include "entities.h"
#include "workload.h"

enum { INSERT, GET, FILL_VERSIONED, COMPARE_AND_SET, COMPARE_AND_SET_50, WORKLOADS };

/* KEYS: the hash. ARGV: the version that the caller has seen, and the fields that it sets. */
static const char compare_and_set[] =
    "local version = redis.call('HGET', KEYS[1], 'version') "
    "if version ~= ARGV[1] then return redis.error_reply('PRECONDITION version is ' .. tostring(version)) "
    "end "
    "version = string.format('%018d', version + 1) "
    "redis.call('HSET', KEYS[1], 'version', version, ARGV[2], ARGV[3], ARGV[4], ARGV[5]) "
    "return version";

static const struct workload workloads[WORKLOADS];

static void insert_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "HSET %b " FIELDS, name_mark, sizeof name_mark, file_mark, sizeof file_mark);
}

static void get_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "HGETALL %b", name_mark, sizeof name_mark);
}

static void fill_versioned_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "HSET kept:%b version %b " FIELDS, name_mark, sizeof name_mark, token_mark,
               sizeof token_mark, file_mark, sizeof file_mark);
}

static void compare_and_set_form(const struct dataset *data, struct form *form) {
    struct reply digest = wire_call(data->wires[0], "SCRIPT LOAD %s", compare_and_set);
    form_print(form, "EVALSHA %b 1 kept:%b %b " MERGED_FIELDS, digest.text, digest.length, name_mark,
               sizeof name_mark, token_mark, sizeof token_mark);
}

static void compare_and_set_50_form(const struct dataset *data, struct form *form) {
    for (unsigned index = 0; index < MERGED_AT_ONCE; index++) compare_and_set_form(data, form);
}

static bool is_hash(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)lane;
    (void)object;
    return reply->kind == '*' && reply->length == ENTITY_WORDS;
}

static const struct workload workloads[WORKLOADS] = {
    [INSERT] = {.name = "HSET of 10 fields",
                .traits = NEW_ENTITIES | INSERTS_ENTITIES | APART,
                .filler = &workloads[INSERT],
                .form = insert_form,
                .is_expected = is_integer},
    [GET] = {.name = "HGETALL",
             .traits = ENTITIES | GROWS_ENTITIES | APART,
             .filler = &workloads[INSERT],
             .form = get_form,
             .is_expected = is_hash},
    [FILL_VERSIONED] = {.name = "HSET of 10 fields and a version",
                        .traits = UNMEASURED,
                        .filler = &workloads[FILL_VERSIONED],
                        .form = fill_versioned_form,
                        .is_expected = is_integer},
    [COMPARE_AND_SET] = {.name = "Lua compare, HSET of 2",
                         .traits = ENTITIES | APART,
                         .filler = &workloads[FILL_VERSIONED],
                         .form = compare_and_set_form,
                         .is_expected = is_token},
    [COMPARE_AND_SET_50] = {.name = "Lua compare, HSET of 2: 50",
                            .traits = ENTITIES | APART,
                            .batch = MERGED_AT_ONCE,
                            .filler = &workloads[FILL_VERSIONED],
                            .form = compare_and_set_50_form,
                            .is_expected = is_token},
};

const struct family hash_family = {.name = "hash", .workloads = workloads, .workload_count = WORKLOADS};
