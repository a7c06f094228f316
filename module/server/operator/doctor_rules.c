#include "server/operator/doctor_rules.h"

#include "server/base/server_config.h"
#include "server/effects/doctor_keys.h"
#include "server/effects/effect.h"
#include "server/effects/incoming.h"
#include "server/waiting/grace.h"
#include "server/waiting/wait.h"

#include <inttypes.h>

enum {
    CLOCK_FAR_MS = 1000,
    EPOCH_AHEAD_S = 3600, /* epochs may run ahead a little: keys from other servers begin many */
    MEMORY_NEAR_PERCENT = 90,
    MEBIBYTE = 1 << 20,
};

struct config_text {
    char text[64];
};

/* Empty when the server has no setting of this name. */
static struct config_text config_text(const struct doctor *doctor, const char *name) {
    struct config_text value = {""};
    if (!server_config_text(doctor->ctx, name, value.text, sizeof(value.text))) value.text[0] = '\0';
    return value;
}

static bool is_set_to(const struct doctor *doctor, const char *name, const char *value) {
    return !strcmp(config_text(doctor, name).text, value);
}

static bool is_replica(const struct doctor *doctor) {
    return !(RedisModule_GetContextFlags(doctor->ctx) & REDISMODULE_CTX_FLAGS_MASTER);
}

static unsigned long long count_replicas(const struct doctor *doctor) {
    int missing;
    RedisModuleServerInfoData *info = RedisModule_GetServerInfo(doctor->ctx, "replication");
    unsigned long long count = RedisModule_ServerInfoGetFieldUnsigned(info, "connected_slaves", &missing);
    RedisModule_FreeServerInfo(doctor->ctx, info);
    return count;
}

bool doctor_sees_replication(const struct doctor *doctor) {
    return is_replica(doctor) || count_replicas(doctor);
}

/* --- Settings of the server --- */

static void find_eviction(struct doctor *doctor) {
    struct config_text policy = config_text(doctor, "maxmemory-policy");
    if (!strncmp(policy.text, "allkeys", strlen("allkeys")))
        doctor_find(doctor, "%s deletes any key, whatever is in it, when maxmemory is reached", policy.text);
}

static void find_eviction_by_ttl(struct doctor *doctor) {
    struct config_text policy = config_text(doctor, "maxmemory-policy");
    if (!strncmp(policy.text, "volatile", strlen("volatile")))
        doctor_find(doctor, "%s deletes keys that have a TTL when maxmemory is reached", policy.text);
}

static void find_no_file(struct doctor *doctor) {
    if (is_set_to(doctor, "appendonly", "no"))
        doctor_find(doctor, "there is no append-only file: a crash loses all since the last save");
}

static void find_unsynced_file(struct doctor *doctor) {
    if (is_set_to(doctor, "appendonly", "yes") && is_set_to(doctor, "appendfsync", "no"))
        doctor_find(doctor, "appendfsync no: a power failure loses whatever the system had not written yet");
}

static void find_writes_without_saves(struct doctor *doctor) {
    if (is_set_to(doctor, "stop-writes-on-bgsave-error", "no"))
        doctor_find(doctor, "the server goes on taking writes when it cannot save them");
}

/* In a cluster, a primary that the majority does not reach stops by itself; and one that must have its only
 * replica stops when that dies, or when it has itself been promoted in the place of a dead one. */
static unsigned replicas_to_rely_on(const struct doctor *doctor) {
    return RedisModule_GetContextFlags(doctor->ctx) & REDISMODULE_CTX_FLAGS_CLUSTER ? 2 : 1;
}

static void find_lonely_writes(struct doctor *doctor) {
    unsigned long long count = is_replica(doctor) ? 0 : count_replicas(doctor);
    if (count >= replicas_to_rely_on(doctor) && is_set_to(doctor, "min-replicas-to-write", "0"))
        doctor_find(doctor, "it has %llu replica%s, and takes writes that none of them may ever get", count,
                    count > 1 ? "s" : "");
}

static void find_no_grace(struct doctor *doctor) {
    unsigned long long holdings = data_types_holdings();
    if (!grace_time.ms && holdings && doctor_sees_replication(doctor))
        doctor_find(doctor, "after a failover, what %llu hold now may be granted to others at once",
                    holdings);
}

static void find_open_door(struct doctor *doctor) {
    if (accept_effects)
        doctor_find(doctor, "any client that may send HOLDFAST.APPLY can change data past every condition");
}

/* --- State of the server --- */

static void find_misfits(struct doctor *doctor) {
    unsigned long long misfits = effect_misfits(), malformed = effect_malformed();
    if (misfits + malformed)
        doctor_find(doctor, "%llu effects did not fit the state they met, %llu could not be read", misfits,
                    malformed);
}

static void find_clock_apart(struct doctor *doctor) {
    int64_t behind_ms = server_clock_behind_ms();
    if (behind_ms > CLOCK_FAR_MS)
        doctor_find(doctor, "the wall clock was set forward and is %" PRId64 " ms ahead", behind_ms);
    if (behind_ms < -CLOCK_FAR_MS)
        doctor_find(doctor, "the wall clock went back and is %" PRId64 " ms behind", -behind_ms);
}

static void find_clock_before_versions(struct doctor *doctor) {
    int64_t ahead_s = (int64_t)(version_newest() >> 32) - doctor->now_ms / 1000;
    if (ahead_s > EPOCH_AHEAD_S)
        doctor_find(doctor,
                    "the newest ETag is from %" PRId64 " s after now: a clock went back, or was ahead",
                    ahead_s);
}

static void find_full_memory(struct doctor *doctor) {
    double percent = 100.0 * (double)RedisModule_GetUsedMemoryRatio();
    if (server_max_memory && percent >= (double)MEMORY_NEAR_PERCENT)
        doctor_find(doctor, "%.0f %% of maxmemory are used", percent);
}

static void find_crowd(struct doctor *doctor) {
    if (doctor_keys_overflow())
        doctor_find(doctor, "more than %d keys are worth a look, and not all are known", DOCTOR_KEYS_MAX);
}

/* --- Lines --- */

static void find_long_line(void *context, const struct wait_line *line) {
    struct doctor *doctor = context;
    doctor->key = line->key;
    doctor_find(doctor, "%zu clients wait in one line, the first one with %s", line->count, line->command);
}

static void find_long_lines(struct doctor *doctor) {
    wait_visit_long_lines(find_long_line, doctor);
}

const struct doctor_rule doctor_rules[] = {
    {SEVERITY_DANGER, "maxmemory-policy", find_eviction,
     "set maxmemory-policy noeviction: a lease, a message or a blob must not vanish"},
    {SEVERITY_WARNING, "maxmemory-policy", find_eviction_by_ttl,
     "set maxmemory-policy noeviction, or give no container, queue, table or share a TTL"},
    {SEVERITY_DANGER, "appendonly", find_no_file, "set appendonly yes"},
    {SEVERITY_DANGER, "appendfsync", find_unsynced_file, "set appendfsync everysec, or always"},
    {SEVERITY_DANGER, "stop-writes-on-bgsave-error", find_writes_without_saves,
     "set stop-writes-on-bgsave-error yes"},
    {SEVERITY_DANGER, "min-replicas-to-write", find_lonely_writes,
     "set min-replicas-to-write 1, so that a primary that was cut off stops"},
    {SEVERITY_DANGER, "holdfast.grace-seconds", find_no_grace,
     "set holdfast.grace-seconds to the longest lease or more"},
    {SEVERITY_WARNING, "holdfast.accept-effects", find_open_door,
     "set holdfast.accept-effects no, unless a file is being replayed"},
    {SEVERITY_DANGER, "effects", find_misfits,
     "look at the log; if this is a replica, let it synchronise anew, since it differs from its primary"},
    {SEVERITY_WARNING, "clock", find_clock_apart,
     "let NTP slew the clock instead of stepping it; leases follow it by 0.5 % at most"},
    {SEVERITY_WARNING, "clock", find_clock_before_versions,
     "set the clock right; ETags stay unique and grow, but Last-Modified and time-outs follow the clock"},
    {SEVERITY_WARNING, "maxmemory", find_full_memory,
     "raise maxmemory or delete what is not needed: at the limit, writes answer OOM"},
    {SEVERITY_NOTE, "keys", find_crowd, "deal with the keys that are shown, then ask again"},
    {SEVERITY_WARNING, NULL, find_long_lines,
     "see who holds it (LEASE.GET, FILE.HANDLES), add consumers, or spread the work over several keys"},
    {.check = NULL},
};

/* --- Keys --- */

static void find_bulk(struct doctor *doctor) {
    int64_t bytes = (int64_t)doctor->type->methods.mem_usage2(NULL, doctor->value, 0);
    if (bytes > server_max_string_bytes)
        doctor_find(doctor, "takes %" PRId64 " MiB, and proto-max-bulk-len is %" PRId64 " MiB",
                    bytes / MEBIBYTE, server_max_string_bytes / MEBIBYTE);
}

const struct doctor_rule doctor_key_rules[] = {
    {SEVERITY_WARNING, NULL, find_bulk,
     "MIGRATE, DUMP and the moving of its slot may fail: divide it, or raise proto-max-bulk-len on all "
     "nodes"},
    {.check = NULL},
};
