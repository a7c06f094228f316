#include "locks.h"
#include "workload.h"

enum { LOCK_UNLOCK, HOLD, LOCK_REFUSED, RENEW, CHECK_SET, WORKLOADS };

const char holder_id[] = "5f0c2b9e-3c1d-4e57-9a60-7d1f0e8b4a21";

const char release_script[] =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) "
    "else return 0 end";

static const char renew_script[] = "if redis.call('GET', KEYS[1]) == ARGV[1] then "
                                   "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end";

static const char check_set_script[] = "if redis.call('GET', KEYS[1]) == ARGV[1] then "
                                       "return redis.call('SET', KEYS[2], ARGV[2]) else return "
                                       "redis.error_reply('PRECONDITION the lock is lost') end";

static const struct workload workloads[WORKLOADS];

static struct reply digest_of(const struct dataset *data, const char *script) {
    return wire_call(data->wires[0], "SCRIPT LOAD %s", script);
}

static void set_print(struct form *form, const char *prefix) {
    form_print(form, "SET %s:%b %s NX PX %d", prefix, name_mark, sizeof name_mark, holder_id,
               HOLD_SECONDS * 1000);
}

static void lock_unlock_form(const struct dataset *data, struct form *form) {
    struct reply digest = digest_of(data, release_script);
    set_print(form, "free");
    form_print(form, "EVALSHA %b 1 free:%b %s", digest.text, digest.length, name_mark, sizeof name_mark,
               holder_id);
}

static void held_form(const struct dataset *data, struct form *form) {
    (void)data;
    set_print(form, "held");
}

static void renew_form(const struct dataset *data, struct form *form) {
    struct reply digest = digest_of(data, renew_script);
    form_print(form, "EVALSHA %b 1 held:%b %s %d", digest.text, digest.length, name_mark, sizeof name_mark,
               holder_id, HOLD_SECONDS * 1000);
}

static void check_set_form(const struct dataset *data, struct form *form) {
    struct reply digest = digest_of(data, check_set_script);
    form_print(form, "EVALSHA %b 2 held:%b guarded:%b %s %b", digest.text, digest.length, name_mark,
               sizeof name_mark, name_mark, sizeof name_mark, holder_id, data->content, data->bytes);
}

/* Of setting: OK. Of a script that has found the id: 1. */
static bool is_done(struct lane *lane, unsigned object, const struct reply *reply) {
    return is_ok(lane, object, reply) || (is_integer(lane, object, reply) && *reply->text == '1');
}

static bool is_null(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)lane;
    (void)object;
    return reply->is_null;
}

static const struct workload workloads[WORKLOADS] = {
    [LOCK_UNLOCK] = {.name = "SET NX PX, Lua delete",
                     .traits = LOCKING | APART,
                     .form = lock_unlock_form,
                     .is_expected = is_done},
    [HOLD] = {.name = "SET NX PX", .traits = UNMEASURED, .form = held_form, .is_expected = is_done},
    [LOCK_REFUSED] = {.name = "SET NX PX refused",
                      .traits = LOCKING | APART,
                      .filler = &workloads[HOLD],
                      .form = held_form,
                      .is_expected = is_null},
    [RENEW] = {.name = "Lua renew",
               .traits = LOCKING | APART,
               .filler = &workloads[HOLD],
               .form = renew_form,
               .is_expected = is_done},
    [CHECK_SET] = {.name = "Lua check lock, SET",
                   .traits = LOCKING | APART,
                   .filler = &workloads[HOLD],
                   .form = check_set_form,
                   .is_expected = is_done},
};

static const struct comparison comparisons[] = {
    {"SET NX PX, Lua delete", "SET", {0}},
    {"Lua check lock, SET", "SET", {0}},
};

const struct family lock_family = {
    .name = "lock",
    .workloads = workloads,
    .workload_count = WORKLOADS,
    .comparisons = comparisons,
    .comparison_count = sizeof comparisons / sizeof *comparisons,
};
