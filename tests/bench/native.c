/* What a user would do without the module: strings, hashes, locks and the customary Lua scripts. */
#include "native.h"

#include <string.h>

#include "tables.h"

enum {
    PING,
    SET,
    GET,
    HSET,
    HGET,
    FILL_STAT,
    STAT,
    LUA_FILL,
    LUA,
    APPEND,
    APPEND_LARGE,
    GETRANGE,
    SETRANGE,
    SETRANGE_WHOLE,
    WORKLOADS
};

/* One hash per object. The caller brings the version that it has seen; the script counts it up and answers
 * the new one. */
static const char compare_and_set[] = "local version = redis.call('HGET', KEYS[1], 'version') "
                                      "if version ~= ARGV[1] then return redis.error_reply('PRECONDITION "
                                      "version is ' .. tostring(version)) end "
                                      "version = string.format('%018d', version + 1) "
                                      "redis.call('HSET', KEYS[1], 'version', version, 'value', ARGV[2]) "
                                      "return version";

enum { STAT_FIELDS = 11 };

static const struct workload workloads[WORKLOADS];

static struct offsets string_offsets(const struct dataset *data) {
    return offsets_within(LARGE_STRING_BYTES, OFFSETS_APART, (unsigned)data->bytes);
}

static void ping_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "PING");
}

static void set_template(const struct dataset *data, struct template *template) {
    template_add(template, "SET %b %b", name_mark, sizeof name_mark, data->content, data->bytes);
}

static void get_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "GET %b", name_mark, sizeof name_mark);
}

static void hset_template(const struct dataset *data, struct template *template) {
    template_add(template, "HSET hash %b %b", name_mark, sizeof name_mark, data->content, data->bytes);
}

static void hget_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "HGET hash %b", name_mark, sizeof name_mark);
}

/* What BLOB.STAT answers of a blob, as a hash. */
static void fill_stat_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(
        template,
        "HSET stat:%b blob-type block etag 0x6AFE5F3F5CC20F52 last-modified 1795055424027 created "
        "1795055424027 content-length 100 content-type application/octet-stream snapshots 0 lease-state "
        "available lease-status unlocked meta {} length 7",
        name_mark, sizeof name_mark);
}

static void stat_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "HGETALL stat:%b", name_mark, sizeof name_mark);
}

static bool is_stat(struct driver *driver, unsigned object, const struct reply *reply) {
    (void)driver;
    (void)object;
    return reply->kind == '*' && reply->length == (size_t)2 * STAT_FIELDS;
}

static void lua_fill_template(const struct dataset *data, struct template *template) {
    template_add(template, "HSET object:%b version %b value %b", name_mark, sizeof name_mark, token_mark,
                 sizeof token_mark, data->content, data->bytes);
}

static void lua_template(const struct dataset *data, struct template *template) {
    struct reply digest = connection_call(data->connections[0], "SCRIPT LOAD %s", compare_and_set);
    template_add(template, "EVALSHA %b 1 object:%b %b %b", digest.text, digest.length, name_mark,
                 sizeof name_mark, token_mark, sizeof token_mark, data->content, data->bytes);
}

/* The strings that are appended to stand there already. */
static void append_template(const struct dataset *data, struct template *template) {
    template_add(template, "APPEND %b %b", name_mark, sizeof name_mark, data->content, data->bytes);
}

static void append_large_template(const struct dataset *data, struct template *template) {
    template_add(template, "APPEND " LARGE_STRING " %b", data->content, data->bytes);
}

static void getrange_template(const struct dataset *data, struct template *template) {
    size_t digits = string_offsets(data).digits;
    template_add(template, "GETRANGE " LARGE_STRING " %b %b", offset_mark, digits, last_mark, digits);
}

static void setrange_template(const struct dataset *data, struct template *template) {
    template_add(template, "SETRANGE " LARGE_STRING " %b %b", offset_mark,
                 (size_t)string_offsets(data).digits, data->content, data->bytes);
}

static void setrange_whole_template(const struct dataset *data, struct template *template) {
    template_add(template, "SETRANGE %b 0 %b", name_mark, sizeof name_mark, data->content, data->bytes);
}

static const struct workload workloads[WORKLOADS] = {
    [PING] = {.name = "PING", .template = ping_template, .is_expected = is_ok},
    [SET] = {.name = "SET", .filler = &workloads[SET], .template = set_template, .is_expected = is_ok},
    [GET] = {.name = "GET", .filler = &workloads[SET], .template = get_template, .is_expected = is_content},
    [HSET] = {.name = "HSET",
              .filler = &workloads[HSET],
              .template = hset_template,
              .is_expected = is_integer},
    [HGET] = {.name = "HGET",
              .filler = &workloads[HSET],
              .template = hget_template,
              .is_expected = is_content},
    [FILL_STAT] = {.name = "HSET of 11 fields",
                   .filler = &workloads[FILL_STAT],
                   .template = fill_stat_template,
                   .is_expected = is_integer},
    [STAT] = {.name = "HGETALL of 11 fields",
              .filler = &workloads[FILL_STAT],
              .template = stat_template,
              .is_expected = is_stat},
    [LUA_FILL] = {.name = "HSET version value",
                  .filler = &workloads[LUA_FILL],
                  .template = lua_fill_template,
                  .is_expected = is_integer},
    [LUA] = {.name = "Lua compare-and-set",
             .filler = &workloads[LUA_FILL],
             .template = lua_template,
             .is_expected = is_token},
    [APPEND] = {.name = "APPEND", .template = append_template, .is_expected = is_integer},
    [APPEND_LARGE] = {.name = "APPEND, large string",
                      .template = append_large_template,
                      .is_expected = is_integer},
    [GETRANGE] = {.name = "GETRANGE",
                  .template = getrange_template,
                  .is_expected = is_content,
                  .offsets = string_offsets},
    [SETRANGE] = {.name = "SETRANGE",
                  .template = setrange_template,
                  .is_expected = is_integer,
                  .offsets = string_offsets},
    [SETRANGE_WHOLE] = {.name = "SETRANGE, whole string",
                        .filler = &workloads[SET],
                        .template = setrange_whole_template,
                        .is_expected = is_integer},
};

static const struct comparison comparisons[] = {
    {"PING", "GET", {0}},
    {"HSET", "SET", {0}},
    {"HGET", "GET", {0}},
    {"Lua compare-and-set", "SET", {0}},
};

const struct family native_family = {
    .name = "native",
    .workloads = workloads,
    .workload_count = WORKLOADS,
    .comparisons = comparisons,
    .comparison_count = sizeof comparisons / sizeof *comparisons,
};

/* --- Locks --- */

enum { LOCK_UNLOCK, HOLD_LOCK, LOCK_REFUSED, RENEW_LOCK, CHECK_SET, LOCK_WORKLOADS };

const char holder_id[] = "5f0c2b9e-3c1d-4e57-9a60-7d1f0e8b4a21";

const char release_script[] =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) "
    "else return 0 end";

static const char renew_script[] = "if redis.call('GET', KEYS[1]) == ARGV[1] then "
                                   "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end";

static const char check_set_script[] = "if redis.call('GET', KEYS[1]) == ARGV[1] then "
                                       "return redis.call('SET', KEYS[2], ARGV[2]) else return "
                                       "redis.error_reply('PRECONDITION the lock is lost') end";

static const struct workload lock_workloads[LOCK_WORKLOADS];

static struct reply digest_of(const struct dataset *data, const char *script) {
    return connection_call(data->connections[0], "SCRIPT LOAD %s", script);
}

static void set_print(struct template *template, const char *prefix) {
    template_add(template, "SET %s:%b %s NX PX %d", prefix, name_mark, sizeof name_mark, holder_id,
                 HOLD_SECONDS * 1000);
}

static void lock_unlock_template(const struct dataset *data, struct template *template) {
    struct reply digest = digest_of(data, release_script);
    set_print(template, "free");
    template_add(template, "EVALSHA %b 1 free:%b %s", digest.text, digest.length, name_mark, sizeof name_mark,
                 holder_id);
}

static void held_template(const struct dataset *data, struct template *template) {
    (void)data;
    set_print(template, "held");
}

static void renew_template(const struct dataset *data, struct template *template) {
    struct reply digest = digest_of(data, renew_script);
    template_add(template, "EVALSHA %b 1 held:%b %s %d", digest.text, digest.length, name_mark,
                 sizeof name_mark, holder_id, HOLD_SECONDS * 1000);
}

static void check_set_template(const struct dataset *data, struct template *template) {
    struct reply digest = digest_of(data, check_set_script);
    template_add(template, "EVALSHA %b 2 held:%b guarded:%b %s %b", digest.text, digest.length, name_mark,
                 sizeof name_mark, name_mark, sizeof name_mark, holder_id, data->content, data->bytes);
}

/* Of setting: OK. Of a script that has found the id: 1. */
static bool is_done(struct driver *driver, unsigned object, const struct reply *reply) {
    return is_ok(driver, object, reply) || (is_integer(driver, object, reply) && *reply->text == '1');
}

static bool is_null(struct driver *driver, unsigned object, const struct reply *reply) {
    (void)driver;
    (void)object;
    return reply->is_null;
}

static const struct workload lock_workloads[LOCK_WORKLOADS] = {
    [LOCK_UNLOCK] = {.name = "SET NX PX, Lua delete",
                     .template = lock_unlock_template,
                     .is_expected = is_done},
    [HOLD_LOCK] = {.name = "SET NX PX", .template = held_template, .is_expected = is_done},
    [LOCK_REFUSED] = {.name = "SET NX PX refused",
                      .filler = &lock_workloads[HOLD_LOCK],
                      .template = held_template,
                      .is_expected = is_null},
    [RENEW_LOCK] = {.name = "Lua renew",
                    .filler = &lock_workloads[HOLD_LOCK],
                    .template = renew_template,
                    .is_expected = is_done},
    [CHECK_SET] = {.name = "Lua check lock, SET",
                   .filler = &lock_workloads[HOLD_LOCK],
                   .template = check_set_template,
                   .is_expected = is_done},
};

static const struct comparison lock_comparisons[] = {
    {"SET NX PX, Lua delete", "SET", {0}},
    {"Lua check lock, SET", "SET", {0}},
};

const struct family lock_family = {
    .name = "lock",
    .workloads = lock_workloads,
    .workload_count = LOCK_WORKLOADS,
    .comparisons = lock_comparisons,
    .comparison_count = sizeof lock_comparisons / sizeof *lock_comparisons,
};

/* --- Hashes in the place of tables --- */

/*
 * What one would use in the place of tables: a hash for each entity, and for those that are changed only if they are as
 * they were read a version beside the fields, and a script.
 */

enum { HSET_ALL, HGETALL, FILL_HASH, LUA_HASH, LUA_HASH_50, HASH_WORKLOADS };

/* KEYS: the hash. ARGV: the version that the caller has seen, and the fields that it sets. */
static const char compare_and_set_hash[] =
    "local version = redis.call('HGET', KEYS[1], 'version') "
    "if version ~= ARGV[1] then return redis.error_reply('PRECONDITION version is ' .. tostring(version)) "
    "end "
    "version = string.format('%018d', version + 1) "
    "redis.call('HSET', KEYS[1], 'version', version, ARGV[2], ARGV[3], ARGV[4], ARGV[5]) "
    "return version";

static const struct workload hash_workloads[HASH_WORKLOADS];

static void hset_all_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "HSET %b " FIELDS, name_mark, sizeof name_mark, file_mark, sizeof file_mark);
}

static void hgetall_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "HGETALL %b", name_mark, sizeof name_mark);
}

static void fill_hash_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "HSET kept:%b version %b " FIELDS, name_mark, sizeof name_mark, token_mark,
                 sizeof token_mark, file_mark, sizeof file_mark);
}

static void lua_hash_template(const struct dataset *data, struct template *template) {
    struct reply digest = connection_call(data->connections[0], "SCRIPT LOAD %s", compare_and_set_hash);
    template_add(template, "EVALSHA %b 1 kept:%b %b " MERGED_FIELDS, digest.text, digest.length, name_mark,
                 sizeof name_mark, token_mark, sizeof token_mark);
}

static void lua_hash_50_template(const struct dataset *data, struct template *template) {
    for (unsigned index = 0; index < MERGED_AT_ONCE; index++) lua_hash_template(data, template);
}

static bool is_hash(struct driver *driver, unsigned object, const struct reply *reply) {
    (void)driver;
    (void)object;
    return reply->kind == '*' && reply->length == ENTITY_WORDS;
}

static const struct workload hash_workloads[HASH_WORKLOADS] = {
    [HSET_ALL] = {.name = "HSET of 10 fields",
                  .filler = &hash_workloads[HSET_ALL],
                  .template = hset_all_template,
                  .is_expected = is_integer},
    [HGETALL] = {.name = "HGETALL",
                 .filler = &hash_workloads[HSET_ALL],
                 .template = hgetall_template,
                 .is_expected = is_hash},
    [FILL_HASH] = {.name = "HSET of 10 fields and a version",
                   .filler = &hash_workloads[FILL_HASH],
                   .template = fill_hash_template,
                   .is_expected = is_integer},
    [LUA_HASH] = {.name = "Lua compare, HSET of 2",
                  .filler = &hash_workloads[FILL_HASH],
                  .template = lua_hash_template,
                  .is_expected = is_token},
    [LUA_HASH_50] = {.name = "Lua compare, HSET of 2: 50",
                     .batch = MERGED_AT_ONCE,
                     .filler = &hash_workloads[FILL_HASH],
                     .template = lua_hash_50_template,
                     .is_expected = is_token},
};

const struct family hash_family = {
    .name = "hash", .workloads = hash_workloads, .workload_count = HASH_WORKLOADS};
