/*
 * Files without handles: a dataset's names are their paths, in a share of a thousand folders.
 */
#include "files.h"
#include "workload.h"

enum { CREATE, GET, PUT_RANGE, OPEN_CLOSE, LOCK_UNLOCK, LOCK_UNLOCK_SAME, STRING_LOCK, WORKLOADS };

static const struct workload workloads[WORKLOADS];

static void share_create(struct dataset *data) {
    struct wire *wire = data->wires[0];
    wire_call(wire, "SHARE.CREATE " SHARE);
    for (unsigned folder = 0; folder < FOLDERS; folder++)
        wire_call(wire, "FILE.MKDIR " SHARE " %03u", folder);
}

static void put_print(const struct dataset *data, struct form *form) {
    form_print(form, "FILE.PUTRANGE " SHARE " %b 0 %b", name_mark, sizeof name_mark, data->content,
               data->bytes);
}

static void create_form(const struct dataset *data, struct form *form) {
    form_print(form, "FILE.CREATE " SHARE " %b %u", name_mark, sizeof name_mark, (unsigned)data->bytes);
    put_print(data, form);
}

static void get_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "FILE.GET " SHARE " %b", name_mark, sizeof name_mark);
}

static const struct workload workloads[WORKLOADS] = {
    [CREATE] = {.name = "FILE.CREATE, PUTRANGE",
                .traits = INSERTS_FILES | APART,
                .filler = &workloads[CREATE],
                .prepare = share_create,
                .form = create_form,
                .is_expected = is_token},
    [GET] = {.name = "FILE.GET",
             .traits = FILES | GROWS_FILES | APART,
             .flat_limit = 1.3,
             .filler = &workloads[CREATE],
             .form = get_form,
             .is_expected = is_etag_and_content},
    [PUT_RANGE] = {.name = "FILE.PUTRANGE",
                   .traits = FILES | GROWS_FILES | APART,
                   .flat_limit = 1.3,
                   .filler = &workloads[CREATE],
                   .form = put_print,
                   .is_expected = is_token},
    [OPEN_CLOSE] = {.name = "FILE.OPEN, CLOSE", .traits = COURSE | APART},
    [LOCK_UNLOCK] = {.name = "FILE.LOCK, UNLOCK", .traits = COURSE | APART},
    [LOCK_UNLOCK_SAME] = {.name = "FILE.LOCK, UNLOCK, same file", .traits = COURSE | APART},
    [STRING_LOCK] = {.name = "SET NX PX, then Lua delete", .traits = COURSE | APART},
};

static const struct comparison comparisons[] = {
    {"FILE.GET", "GET", {0, 1.4, 0}},
    {"FILE.PUTRANGE", "SETRANGE, whole string", {0, 1.5, 0}},
    {"FILE.OPEN, CLOSE", "SET NX PX, then Lua delete", {1.3, 0, 0}},
    {"FILE.LOCK, UNLOCK", "SET NX PX, then Lua delete", {1.1, 0, 0}},
    {"FILE.LOCK, UNLOCK, same file", "SET NX PX, then Lua delete", {0}},
};

const struct family file_family = {
    .name = "file",
    .workloads = workloads,
    .workload_count = WORKLOADS,
    .comparisons = comparisons,
    .comparison_count = sizeof comparisons / sizeof *comparisons,
};
