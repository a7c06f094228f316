/* The data type of shares, for the server. */
#include "file/redis/file_commands.h"
#include "file/redis/waiting.h"
#include "file/share.h"
#include "file/share_load.h"
#include "lease/redis/long_held.h"
#include "server/effects/upkeep.h"
#include "server/storage/type_methods.h"

/* A leaf is copied into a chunk; other content is copied into pages when it is applied. */
static void share_attach(void *attached, const struct effect_content *content) {
    struct share_change *change = attached;
    change->content = content->bytes;
    if (change->kind == LOAD_LEAF && change->content.length <= LEAF_BYTES)
        change->chunk = chunk_copy(change->content);
}

static bool share_is_whole(const void *value) {
    return !((const struct share *)value)->load;
}

static int64_t share_next_look_ms(const void *value) {
    _Static_assert(UPKEEP_NEVER == INT64_MAX, "a share that never ends anything is never looked at");
    return share_next_end_ms(value);
}

/* The tree comes first. */
static bool share_keeps_order(struct loading *loading, const void *change) {
    return !loading->value || share_is_whole(loading->value) ||
           share_load_is(((const struct share_change *)change)->kind);
}

/* Defragmentation does not move handles and sessions: they are short-lived. */
TYPE_METHODS(share)
TYPE_LOADS(share)

/* --- For DOCTOR --- */

static unsigned long long share_holdings(void) {
    struct share_census census = share_census();
    return census.of[CENSUS_LEASES] + census.of[CENSUS_HANDLES];
}

struct data_type share_type = {
    .type_name = "holdfastS",
    .noun = "a share",
    TYPE_ROWS(share),
    .missing = OUTCOME_SHARE_NOT_FOUND,
    .permissions = "rcwdl", /* read, create, write, delete, list */
    .leases = &share_leases,
    .attach = share_attach,
    .content_at = offsetof(struct share_change, content),
    .events = share_events,
    .before = share_before_change,
    .has_rival = file_has_rival,
    .closes_circle = file_closes_circle,
    .awaited = upkeep_insist,
    .keeps_order = share_keeps_order,
    .is_whole = share_is_whole,
    .next_look_ms = share_next_look_ms,
    .notable = lease_is_notable,
    .rules = lease_key_rules,
    .holdings = share_holdings,
};
