/* For DOCTOR: leases that are held unusually long, and the keys where it has to look for them. Shows the labels of
 * owners, never ids. */
#include "lease/redis/long_held.h"

#include "core/inlining.h"
#include "core/memory.h"
#include "core/number.h"
#include "lease/redis/lease_home.h"
#include "lease/redis/leases.h"
#include "lease/redis/settings.h"
#include "server/operator/doctor_rules.h"
#include "server/waiting/grace.h"
#include "server/waiting/histogram.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    TIMES_THE_USUAL = 10,
    USUAL_PERCENT = 99,
    NOTABLE_LOOKS_MAX = 100, /* leases looked at to see whether a value is notable */
    LOOKED_MAX = 1000,       /* leases looked at in a notable value */
    NAME_BYTES = 80,
};

/* Only an infinite lease, or one that was renewed, is held for longer than the longest lease. */
static bool may_last(const struct lease *lease) {
    return lease->kind == LEASE_HELD && lease->ends_ms - lease->since_ms > lease_longest.ms;
}

struct leases_walk {
    const struct lease_home *home;
    struct order_cursor cursor;
    int left;
};

static struct leases_walk leases_walk(const struct lease_home *home, const void *value, int max) {
    const struct order_index *leased = lease_home_leased(home, value);
    struct leases_walk walk = {.home = home, .left = leased->root ? max : 0};
    if (walk.left) walk.cursor = order_index_seek(leased, bytes_of("", 0));
    return walk;
}

/* NULL at the end. */
static struct entry *leases_next(struct leases_walk *walk) {
    struct entry *entry = walk->left-- > 0 ? order_cursor_entry(&walk->cursor) : NULL;
    if (entry) order_cursor_next(&walk->cursor);
    return entry;
}

ASIDE static bool any_may_last(const struct lease_home *home, const void *value) {
    if (may_last(lease_home_own(home, value))) return true;
    struct leases_walk walk = leases_walk(home, value, NOTABLE_LOOKS_MAX);
    for (struct entry *entry; (entry = leases_next(&walk));)
        if (may_last(home->lease_of(entry))) return true;
    return false;
}

bool lease_is_notable(const struct data_type *type, const void *value, const void *change) {
    if (!change) return any_may_last(type->leases, value);
    const struct lease *set = type->leases->set_by(change);
    return set && may_last(set);
}

/* --- Rules --- */

static int64_t unusual_ms(void) {
    int64_t usual_ms = TIMES_THE_USUAL * histogram_percentile_ms(&lease_holding_ms, USUAL_PERCENT);
    return number_max(usual_ms, lease_longest.ms);
}

struct long_held {
    const struct lease *lease; /* held for the longest time; NULL for none */
    struct entry *entry;       /* NULL for the value's own */
    size_t count;
};

static void look_at_holder(struct long_held *found, const struct lease *lease, struct entry *entry,
                           int64_t now_ms) {
    bool held = lease_state(lease, now_ms) == LEASE_LEASED;
    if (!held || now_ms - lease->since_ms <= unusual_ms()) return;
    found->count++;
    if (found->lease && found->lease->since_ms <= lease->since_ms) return;
    found->lease = lease;
    found->entry = entry;
}

static void show_name(const struct lease_home *home, struct entry *entry, char *shown, size_t size) {
    struct bytes name = entry_name(entry);
    char *buffer = home->display_name ? home->display_name(entry, &name) : NULL;
    refusal_show_word(name, shown, size);
    memory_free(buffer);
}

static void report_holder(struct doctor *doctor, const struct long_held *found) {
    char name[NAME_BYTES], owner[NAME_BYTES], others[NAME_BYTES] = "";
    int64_t held_ms = doctor->now_ms - found->lease->since_ms;
    if (found->entry) show_name(doctor->type->leases, found->entry, name, sizeof(name));
    refusal_show_word(found->lease->owner, owner, sizeof(owner));
    if (found->count > 1)
        snprintf(others, sizeof(others), "; so are %zu others in this key", found->count - 1);
    doctor_find(doctor, "%s%s%s is held by \"%s\" for %" PRId64 " s%s", found->entry ? "'" : "",
                found->entry ? name : "the key itself", found->entry ? "'" : "", owner, held_ms / 1000,
                others);
}

static void find_long_held(struct doctor *doctor) {
    const struct lease_home *home = doctor->type->leases;
    struct long_held found = {0};
    look_at_holder(&found, lease_home_own(home, doctor->value), NULL, doctor->now_ms);
    int max = doctor->looks_left < LOOKED_MAX ? doctor->looks_left : LOOKED_MAX;
    struct leases_walk walk = leases_walk(home, doctor->value, max);
    for (struct entry *entry; (entry = leases_next(&walk)); doctor->looks_left--)
        look_at_holder(&found, home->lease_of(entry), entry, doctor->now_ms);
    if (found.lease) report_holder(doctor, &found);
}

const struct doctor_rule lease_key_rules[] = {
    {SEVERITY_WARNING, NULL, find_long_held, "see whether the holder is alive; LEASE.BREAK takes it away"},
    {.check = NULL},
};

static void find_short_grace(struct doctor *doctor) {
    int64_t longest_ms = lease_longest.ms;
    if (!grace_time.ms || grace_time.ms >= longest_ms) return;
    if (data_types_holdings() && doctor_sees_replication(doctor))
        doctor_find(doctor,
                    "grace lasts %.15g s, and leases up to %.15g s: two may hold one after a failover",
                    (double)grace_time.ms / 1000, (double)longest_ms / 1000);
}

const struct doctor_rule lease_rules[] = {
    {SEVERITY_WARNING, "holdfast.grace-seconds", find_short_grace,
     "set holdfast.grace-seconds to holdfast.lease-max-seconds or more"},
    {.check = NULL},
};
