/*
 * Blobs: all of a dataset's in one container. Writes keep the ETag that they are answered with, so a write
 * that depends on it can be mixed with others that do not.
 */
#include <string.h>

#include "basics.h"
#include "workload.h"

enum { PUT, PUT_IF_MATCH, GET, STAT, DELETE, WORKLOADS };

static const struct workload workloads[WORKLOADS];

static void container_create(struct dataset *data) {
    wire_call(data->wires[0], "CONTAINER.CREATE container");
}

static void put_form(const struct dataset *data, struct form *form) {
    form_print(form, "BLOB.PUT container %b %b", name_mark, sizeof name_mark, data->content, data->bytes);
}

static void put_if_match_form(const struct dataset *data, struct form *form) {
    form_print(form, "BLOB.PUT container %b %b IFMATCH %b", name_mark, sizeof name_mark, data->content,
               data->bytes, token_mark, sizeof token_mark);
}

static void get_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "BLOB.GET container %b", name_mark, sizeof name_mark);
}

static void stat_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "BLOB.STAT container %b", name_mark, sizeof name_mark);
}

static void delete_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "BLOB.DELETE container %b", name_mark, sizeof name_mark);
}

static bool is_map(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)lane;
    (void)object;
    return reply->kind == '*' && reply->length >= 2 && reply->length % 2 == 0;
}

static const struct workload workloads[WORKLOADS] = {
    [PUT] = {.name = "BLOB.PUT",
             .traits = GROWS | INSERTS | REPLICATED | LOCKING,
             .flat_limit = 1.3,
             .filler = &workloads[PUT],
             .prepare = container_create,
             .form = put_form,
             .is_expected = is_token},
    [PUT_IF_MATCH] = {.name = "BLOB.PUT IFMATCH",
                      .traits = GROWS | REPLICATED,
                      .flat_limit = 1.3,
                      .filler = &workloads[PUT],
                      .form = put_if_match_form,
                      .is_expected = is_token},
    [GET] = {.name = "BLOB.GET",
             .traits = GROWS,
             .flat_limit = 1.3,
             .filler = &workloads[PUT],
             .form = get_form,
             .is_expected = is_etag_and_content},
    [STAT] = {.name = "BLOB.STAT", .filler = &workloads[PUT], .form = stat_form, .is_expected = is_map},
    [DELETE] = {.name = "BLOB.DELETE", .traits = UNMEASURED, .form = delete_form, .is_expected = is_ok},
};

static const struct comparison comparisons[] = {
    {"BLOB.PUT", "SET", {1.25, 0, 0}},
    {"BLOB.PUT IFMATCH", "SET", {1.35, 1.15, 1.1}},
    {"BLOB.PUT IFMATCH", "Lua compare-and-set", {0.28, 0, 0}},
    {"BLOB.GET", "GET", {1.25, 1.1, 1.1}},
    {"BLOB.STAT", "GET", {0}},
};

const struct family blob_family = {
    .name = "blob",
    .workloads = workloads,
    .workload_count = WORKLOADS,
    .comparisons = comparisons,
    .comparison_count = sizeof comparisons / sizeof *comparisons,
};
