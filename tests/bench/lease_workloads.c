/*
 * Leases on blobs. Those that are held all the time and those that come and go stand in containers of their
 * own, so that the blobs of the others stay without.
 */
#include <string.h>

#include "basics.h"
#include "locks.h"
#include "workload.h"

enum { FREE_PUT, ACQUIRE, ACQUIRE_RELEASE, HOLD, REFUSED, RENEW, PUT, WORKLOADS };

static const char refusal[] = "CONFLICT LeaseAlreadyPresent ";

static const struct workload workloads[WORKLOADS];

static void create_free(struct dataset *data) {
    wire_call(data->wires[0], "CONTAINER.CREATE free");
}

static void create_held(struct dataset *data) {
    wire_call(data->wires[0], "CONTAINER.CREATE held");
}

static void put_print(const struct dataset *data, struct form *form, const char *container) {
    form_print(form, "BLOB.PUT %s %b %b", container, name_mark, sizeof name_mark, data->content, data->bytes);
}

static void acquire_print(struct form *form, const char *container, const char *id) {
    form_print(form, "LEASE.ACQUIRE %s %d BLOB %b ID %s", container, HOLD_SECONDS, name_mark,
               sizeof name_mark, id);
}

static void free_put_form(const struct dataset *data, struct form *form) {
    put_print(data, form, "free");
}

static void acquire_form(const struct dataset *data, struct form *form) {
    (void)data;
    acquire_print(form, "free", holder_id);
}

static void acquire_release_form(const struct dataset *data, struct form *form) {
    acquire_form(data, form);
    form_print(form, "LEASE.RELEASE free %s BLOB %b", holder_id, name_mark, sizeof name_mark);
}

static void hold_form(const struct dataset *data, struct form *form) {
    put_print(data, form, "held");
    acquire_print(form, "held", holder_id);
}

static void refused_form(const struct dataset *data, struct form *form) {
    (void)data;
    acquire_print(form, "held", "11111111-1111-1111-1111-111111111111");
}

static void renew_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "LEASE.RENEW held %s BLOB %b", holder_id, name_mark, sizeof name_mark);
}

static void put_form(const struct dataset *data, struct form *form) {
    form_print(form, "BLOB.PUT held %b %b LEASE %s", name_mark, sizeof name_mark, data->content, data->bytes,
               holder_id);
}

static bool is_holder(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)lane;
    (void)object;
    return reply->kind == '*' && reply->length == 2;
}

static bool is_refused(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)lane;
    (void)object;
    return reply->kind == '-' && !strncmp(reply->text, refusal, sizeof refusal - 1);
}

static const struct workload workloads[WORKLOADS] = {
    [FREE_PUT] = {.name = "BLOB.PUT free",
                  .traits = UNMEASURED,
                  .prepare = create_free,
                  .form = free_put_form,
                  .is_expected = is_anything},
    [ACQUIRE] = {.name = "LEASE.ACQUIRE",
                 .traits = UNMEASURED,
                 .filler = &workloads[FREE_PUT],
                 .form = acquire_form,
                 .is_expected = is_holder},
    [ACQUIRE_RELEASE] = {.name = "LEASE.ACQUIRE, RELEASE",
                         .traits = LOCKING | APART,
                         .filler = &workloads[FREE_PUT],
                         .form = acquire_release_form,
                         .is_expected = is_anything},
    [HOLD] = {.name = "BLOB.PUT, LEASE.ACQUIRE",
              .traits = UNMEASURED,
              .prepare = create_held,
              .form = hold_form,
              .is_expected = is_anything},
    [REFUSED] = {.name = "LEASE.ACQUIRE refused",
                 .traits = LOCKING | APART,
                 .filler = &workloads[HOLD],
                 .form = refused_form,
                 .is_expected = is_refused},
    [RENEW] = {.name = "LEASE.RENEW",
               .traits = LOCKING | APART,
               .filler = &workloads[HOLD],
               .form = renew_form,
               .is_expected = is_holder},
    [PUT] = {.name = "BLOB.PUT LEASE",
             .traits = LOCKING | APART,
             .filler = &workloads[HOLD],
             .form = put_form,
             .is_expected = is_token},
};

static const struct comparison comparisons[] = {
    {"LEASE.ACQUIRE, RELEASE", "SET NX PX, Lua delete", {0.9, 0, 0}},
    {"LEASE.ACQUIRE, RELEASE", "SET", {0}},
    {"LEASE.ACQUIRE refused", "SET NX PX refused", {1.3, 0, 0}},
    {"LEASE.RENEW", "Lua renew", {0.55, 0, 0}},
    {"LEASE.RENEW", "SET", {0}},
    {"BLOB.PUT LEASE", "BLOB.PUT", {1.15, 0, 0}},
    {"BLOB.PUT LEASE", "Lua check lock, SET", {0.35, 0, 0}},
};

const struct family lease_family = {
    .name = "lease",
    .workloads = workloads,
    .workload_count = WORKLOADS,
    .comparisons = comparisons,
    .comparison_count = sizeof comparisons / sizeof *comparisons,
};
