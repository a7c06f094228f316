/*
 * Blobs of all kinds, small and large ones: what is large must not be dearer.
 */
#include "kinds.h"
#include "workload.h"

enum { APPEND_SMALL, APPEND_LARGE, RANGE, PUT_SMALL, PUT_VAST, WORKLOADS };

static struct places range_places(const struct dataset *data) {
    return places_within(data->large_bytes, PLACES_APART, (unsigned)data->bytes);
}

static struct places small_places(const struct dataset *data) {
    (void)data;
    return places_within(SMALL_PAGES_BYTES, PAGE_BYTES, PAGE_BYTES);
}

static struct places vast_places(const struct dataset *data) {
    (void)data;
    return places_within(VAST_PAGES_BYTES, PAGE_BYTES, PAGE_BYTES);
}

static void append_small_form(const struct dataset *data, struct form *form) {
    form_print(form, "BLOB.APPEND " SMALL_APPENDS " %b %b", name_mark, sizeof name_mark, data->content,
               data->bytes);
}

static void append_large_form(const struct dataset *data, struct form *form) {
    form_print(form, "BLOB.APPEND " LARGE_APPENDS " %b %b", name_mark, sizeof name_mark, data->content,
               data->bytes);
}

static void range_form(const struct dataset *data, struct form *form) {
    form_print(form, "BLOB.GET " LARGE_APPENDS " " LARGE_BLOB " RANGE %b %u", place_mark,
               (size_t)range_places(data).digits, (unsigned)data->bytes);
}

static void put_print(const struct dataset *data, struct form *form, const char *blob, struct places places) {
    form_print(form, "BLOB.PUTPAGE " PAGE_BLOBS " %s %b %b", blob, place_mark, (size_t)places.digits,
               data->content, data->bytes);
}

static void put_small_form(const struct dataset *data, struct form *form) {
    put_print(data, form, SMALL_PAGES, small_places(data));
}

static void put_vast_form(const struct dataset *data, struct form *form) {
    put_print(data, form, VAST_PAGES, vast_places(data));
}

static bool is_array(const struct reply *reply, size_t length) {
    return reply->kind == '*' && reply->length == length && reply_element(reply, 0).length == TOKEN_BYTES;
}

static bool is_appended(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)lane;
    (void)object;
    return is_array(reply, 3);
}

static bool is_range(struct lane *lane, unsigned object, const struct reply *reply) {
    struct reply content;
    if (!is_array(reply, 2)) return false;
    content = reply_element(reply, 1);
    return is_content(lane, object, &content);
}

static bool is_put(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)lane;
    (void)object;
    return is_array(reply, 2);
}

static const struct workload workloads[WORKLOADS] = {
    [APPEND_SMALL] = {.name = "BLOB.APPEND, small blob",
                      .traits = APPENDING | APART,
                      .form = append_small_form,
                      .is_expected = is_appended},
    [APPEND_LARGE] = {.name = "BLOB.APPEND, large blob",
                      .traits = APPENDING | APART,
                      .form = append_large_form,
                      .is_expected = is_appended},
    [RANGE] = {.name = "BLOB.GET RANGE",
               .traits = RANGING | APART,
               .form = range_form,
               .is_expected = is_range,
               .places = range_places},
    [PUT_SMALL] = {.name = "BLOB.PUTPAGE, 1 MiB",
                   .traits = PAGING | APART,
                   .form = put_small_form,
                   .is_expected = is_put,
                   .places = small_places},
    [PUT_VAST] = {.name = "BLOB.PUTPAGE, 8 GiB",
                  .traits = PAGING | APART,
                  .form = put_vast_form,
                  .is_expected = is_put,
                  .places = vast_places},
};

static const struct comparison comparisons[] = {
    {"BLOB.APPEND, small blob", "APPEND", {0}},
    {"BLOB.APPEND, large blob", "BLOB.APPEND, small blob", {1.2, 0, 0}},
    {"BLOB.APPEND, large blob", "APPEND", {0}},
    {"BLOB.APPEND, large blob", "APPEND, large string", {0}},
    {"BLOB.GET RANGE", "GET", {0, 1.5, 0}},
    {"BLOB.GET RANGE", "GETRANGE", {0}},
    {"BLOB.PUTPAGE, 1 MiB", "SETRANGE", {0}},
    {"BLOB.PUTPAGE, 8 GiB", "BLOB.PUTPAGE, 1 MiB", {1.3, 0, 0}},
    {"BLOB.PUTPAGE, 8 GiB", "SETRANGE", {0}},
};

const struct family kind_family = {
    .name = "kind",
    .workloads = workloads,
    .workload_count = WORKLOADS,
    .comparisons = comparisons,
    .comparison_count = sizeof comparisons / sizeof *comparisons,
};
