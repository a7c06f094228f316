/*
 * What a user would do without the module: strings, a hash, and the customary Lua script for compare-and-set.
 */
#include <string.h>

#include "basics.h"
#include "kinds.h"
#include "workload.h"

enum {
    PING,
    SET,
    GET,
    HSET,
    HGET,
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

static const struct workload workloads[WORKLOADS];

static struct places string_places(const struct dataset *data) {
    return places_within(LARGE_STRING_BYTES, PLACES_APART, (unsigned)data->bytes);
}

static void ping_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "PING");
}

static void set_form(const struct dataset *data, struct form *form) {
    form_print(form, "SET %b %b", name_mark, sizeof name_mark, data->content, data->bytes);
}

static void get_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "GET %b", name_mark, sizeof name_mark);
}

static void hset_form(const struct dataset *data, struct form *form) {
    form_print(form, "HSET hash %b %b", name_mark, sizeof name_mark, data->content, data->bytes);
}

static void hget_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "HGET hash %b", name_mark, sizeof name_mark);
}

static void lua_fill_form(const struct dataset *data, struct form *form) {
    form_print(form, "HSET object:%b version %b value %b", name_mark, sizeof name_mark, token_mark,
               sizeof token_mark, data->content, data->bytes);
}

static void lua_form(const struct dataset *data, struct form *form) {
    struct reply digest = wire_call(data->wires[0], "SCRIPT LOAD %s", compare_and_set);
    form_print(form, "EVALSHA %b 1 object:%b %b %b", digest.text, digest.length, name_mark, sizeof name_mark,
               token_mark, sizeof token_mark, data->content, data->bytes);
}

/* The strings that are appended to stand there already. */
static void append_form(const struct dataset *data, struct form *form) {
    form_print(form, "APPEND %b %b", name_mark, sizeof name_mark, data->content, data->bytes);
}

static void append_large_form(const struct dataset *data, struct form *form) {
    form_print(form, "APPEND " LARGE_STRING " %b", data->content, data->bytes);
}

static void getrange_form(const struct dataset *data, struct form *form) {
    size_t digits = string_places(data).digits;
    form_print(form, "GETRANGE " LARGE_STRING " %b %b", place_mark, digits, last_mark, digits);
}

static void setrange_form(const struct dataset *data, struct form *form) {
    form_print(form, "SETRANGE " LARGE_STRING " %b %b", place_mark, (size_t)string_places(data).digits,
               data->content, data->bytes);
}

static void setrange_whole_form(const struct dataset *data, struct form *form) {
    form_print(form, "SETRANGE %b 0 %b", name_mark, sizeof name_mark, data->content, data->bytes);
}

static const struct workload workloads[WORKLOADS] = {
    [PING] = {.name = "PING", .traits = SMALL_ONLY, .form = ping_form, .is_expected = is_ok},
    [SET] = {.name = "SET",
             .traits = GROWS | INSERTS | REPLICATED | LOCKING | INSERTS_FILES,
             .filler = &workloads[SET],
             .form = set_form,
             .is_expected = is_ok},
    [GET] = {.name = "GET",
             .traits = GROWS | RANGING | FILES | GROWS_FILES,
             .filler = &workloads[SET],
             .form = get_form,
             .is_expected = is_content},
    [HSET] = {.name = "HSET",
              .traits = SMALL_ONLY,
              .filler = &workloads[HSET],
              .form = hset_form,
              .is_expected = is_integer},
    [HGET] = {.name = "HGET",
              .traits = SMALL_ONLY,
              .filler = &workloads[HSET],
              .form = hget_form,
              .is_expected = is_content},
    [LUA_FILL] = {.name = "HSET version value",
                  .traits = UNMEASURED,
                  .filler = &workloads[LUA_FILL],
                  .form = lua_fill_form,
                  .is_expected = is_integer},
    [LUA] = {.name = "Lua compare-and-set",
             .traits = REPLICATED,
             .filler = &workloads[LUA_FILL],
             .form = lua_form,
             .is_expected = is_token},
    [APPEND] = {.name = "APPEND",
                .traits = APPENDING | APART,
                .form = append_form,
                .is_expected = is_integer},
    [APPEND_LARGE] = {.name = "APPEND, large string",
                      .traits = APPENDING | APART,
                      .form = append_large_form,
                      .is_expected = is_integer},
    [GETRANGE] = {.name = "GETRANGE",
                  .traits = RANGING | APART,
                  .form = getrange_form,
                  .is_expected = is_content,
                  .places = string_places},
    [SETRANGE] = {.name = "SETRANGE",
                  .traits = PAGING | APART,
                  .form = setrange_form,
                  .is_expected = is_integer,
                  .places = string_places},
    [SETRANGE_WHOLE] = {.name = "SETRANGE, whole string",
                        .traits = FILES | APART,
                        .filler = &workloads[SET],
                        .form = setrange_whole_form,
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
