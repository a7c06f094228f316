/*
 * Tables: a dataset's names are its entities' keys, the folder the partition key and the file the row key. Writes keep
 * the ETag that they are answered with.
 */
#include <stdio.h>
#include <string.h>

#include "entities.h"
#include "workload.h"

enum {
    INSERT,
    INSERT_INDEXED,
    INSERT_INDEXED_4,
    GET,
    POINT,
    MERGE,
    INSERT_DELETE,
    FILL_PARTITION,
    BATCH,
    COMPARISON,
    COMPARISON_OF_3,
    WORKLOADS
};

static const char point_filter[] = "PartitionKey eq '%.*s' and RowKey eq '%.*s'";

static const struct workload workloads[WORKLOADS];

static void table_create(struct dataset *data) {
    wire_call(data->wires[0], "TABLE.CREATE " TABLE);
}

static void indexed_create(struct dataset *data) {
    wire_call(data->wires[0], "TABLE.CREATE " ONE_INDEX);
    wire_call(data->wires[0], "TABLE.INDEX " ONE_INDEX " " FIRST_INDEX);
}

static void indexed_4_create(struct dataset *data) {
    wire_call(data->wires[0], "TABLE.CREATE " FOUR_INDEXES);
    wire_call(data->wires[0], "TABLE.INDEX " FOUR_INDEXES " " FIRST_INDEX " " MORE_INDEXES);
}

static void batches_create(struct dataset *data) {
    wire_call(data->wires[0], "TABLE.CREATE " BATCH_TABLE);
}

static void insert_print(struct form *form, const char *table) {
    form_print(form, "TABLE.INSERT %s %b %b PROPS " PROPERTIES, table, folder_mark, sizeof folder_mark,
               file_mark, sizeof file_mark, file_mark, sizeof file_mark);
}

static void insert_form(const struct dataset *data, struct form *form) {
    (void)data;
    insert_print(form, TABLE);
}

static void insert_indexed_form(const struct dataset *data, struct form *form) {
    (void)data;
    insert_print(form, ONE_INDEX);
}

static void insert_indexed_4_form(const struct dataset *data, struct form *form) {
    (void)data;
    insert_print(form, FOUR_INDEXES);
}

static void get_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "TABLE.GET " TABLE " %b %b", folder_mark, sizeof folder_mark, file_mark,
               sizeof file_mark);
}

static void point_form(const struct dataset *data, struct form *form) {
    char filter[sizeof point_filter + FOLDER_BYTES + FILE_BYTES];
    (void)data;
    snprintf(filter, sizeof filter, point_filter, FOLDER_BYTES, folder_mark, FILE_BYTES, file_mark);
    form_print(form, "TABLE.QUERY " TABLE " FILTER %s", filter);
}

static void merge_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "TABLE.MERGE " TABLE " %b %b IFMATCH %b PROPS " MERGED_PROPERTIES, folder_mark,
               sizeof folder_mark, file_mark, sizeof file_mark, token_mark, sizeof token_mark);
}

/* Of an entity that is not there: its partition key is the name's other part. */
static void insert_delete_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "TABLE.INSERT " TABLE " %b %b PROPS " PROPERTIES, file_mark, sizeof file_mark,
               folder_mark, sizeof folder_mark, file_mark, sizeof file_mark);
    form_print(form, "TABLE.DELETE " TABLE " %b %b IFMATCH *", file_mark, sizeof file_mark, folder_mark,
               sizeof folder_mark);
}

static void fill_partition_form(const struct dataset *data, struct form *form) {
    (void)data;
    form_print(form, "TABLE.INSERT " BATCH_TABLE " " BATCH_PARTITION " %b PROPS " PROPERTIES, file_mark,
               sizeof file_mark, file_mark, sizeof file_mark);
}

static void batch_form(const struct dataset *data, struct form *form) {
    enum { OPERATION_BYTES = 120 };
    char text[OPERATION_BYTES * (MERGED_AT_ONCE + 1)];
    (void)data;
    int used =
        snprintf(text, sizeof text, "TABLE.BATCH " BATCH_TABLE " " BATCH_PARTITION " %d", MERGED_AT_ONCE);
    for (unsigned index = 0; index < MERGED_AT_ONCE; index++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         " MERGE %.*s IFMATCH %.*s PROPS " MERGED_PROPERTIES, FILE_BYTES, file_mark,
                         TOKEN_BYTES, token_mark);
    form_print(form, text);
}

static bool is_etag(const struct lane *lane, unsigned object, const struct reply *reply) {
    return reply->length == TOKEN_BYTES && !memcmp(reply->text, lane->stock->tokens[object], TOKEN_BYTES);
}

static bool is_entity(struct lane *lane, unsigned object, const struct reply *reply) {
    if (reply->kind != '*' || reply->length != 2) return false;
    struct reply etag = reply_element(reply, 0), properties = reply_element(reply, 1);
    return is_etag(lane, object, &etag) && properties.length == ENTITY_WORDS;
}

/* The end of the answer, and one row: its keys, its ETag, its properties. */
static bool is_point(struct lane *lane, unsigned object, const struct reply *reply) {
    if (reply->kind != '*' || reply->length != 2 || !reply_element(reply, 0).is_null) return false;
    struct reply rows = reply_element(reply, 1);
    if (rows.length != 1) return false;
    struct reply row = reply_element(&rows, 0), etag = reply_element(&row, 2);
    return is_etag(lane, object, &etag) && reply_element(&row, 3).length == ENTITY_WORDS;
}

static bool is_batch(struct lane *lane, unsigned object, const struct reply *reply) {
    struct reply etag = *reply;
    (void)object;
    if (reply->kind != '*' || reply->length != lane->batch) return false;
    for (unsigned index = 0; index < lane->batch; index++) {
        etag = reply_next(&etag);
        if (!is_token(lane, lane->answered[index], &etag)) return false;
    }
    return true;
}

static const struct workload workloads[WORKLOADS] = {
    [INSERT] = {.name = "TABLE.INSERT",
                .traits = NEW_ENTITIES | INSERTS_ENTITIES | APART,
                .filler = &workloads[INSERT],
                .prepare = table_create,
                .form = insert_form,
                .is_expected = is_token},
    [INSERT_INDEXED] = {.name = "TABLE.INSERT, an index",
                        .traits = NEW_ENTITIES | APART,
                        .filler = &workloads[INSERT_INDEXED],
                        .prepare = indexed_create,
                        .form = insert_indexed_form,
                        .is_expected = is_token},
    [INSERT_INDEXED_4] = {.name = "TABLE.INSERT, 4 indexes",
                          .traits = NEW_ENTITIES | APART,
                          .filler = &workloads[INSERT_INDEXED_4],
                          .prepare = indexed_4_create,
                          .form = insert_indexed_4_form,
                          .is_expected = is_token},
    [GET] = {.name = "TABLE.GET",
             .traits = ENTITIES | GROWS_ENTITIES | APART,
             .flat_limit = 1.3,
             .filler = &workloads[INSERT],
             .form = get_form,
             .is_expected = is_entity},
    [POINT] = {.name = "TABLE.QUERY by both keys",
               .traits = ENTITIES | GROWS_ENTITIES | APART,
               .flat_limit = 1.3,
               .filler = &workloads[INSERT],
               .form = point_form,
               .is_expected = is_point},
    [MERGE] = {.name = "TABLE.MERGE of 2, IFMATCH",
               .traits = ENTITIES | GROWS_ENTITIES | APART,
               .flat_limit = 1.3,
               .filler = &workloads[INSERT],
               .form = merge_form,
               .is_expected = is_token},
    [INSERT_DELETE] = {.name = "TABLE.INSERT, DELETE",
                       .traits = ENTITIES | GROWS_ENTITIES | APART,
                       .filler = &workloads[INSERT],
                       .form = insert_delete_form,
                       .is_expected = is_anything},
    [FILL_PARTITION] = {.name = "TABLE.INSERT, one partition",
                        .traits = UNMEASURED,
                        .filler = &workloads[FILL_PARTITION],
                        .prepare = batches_create,
                        .form = fill_partition_form,
                        .is_expected = is_token},
    [BATCH] = {.name = "TABLE.BATCH of 50 such merges",
               .traits = ENTITIES | APART,
               .batch = MERGED_AT_ONCE,
               .filler = &workloads[FILL_PARTITION],
               .form = batch_form,
               .is_expected = is_batch},
    [COMPARISON] = {.name = "a comparison", .traits = COURSE | APART},
    [COMPARISON_OF_3] = {.name = "a comparison of three", .traits = COURSE | APART},
};

static const struct comparison comparisons[] = {
    {"TABLE.GET", "HGETALL", {1.3, 0, 0}},
    {"TABLE.QUERY by both keys", "TABLE.GET", {2, 0, 0}},
    {"TABLE.MERGE of 2, IFMATCH", "Lua compare, HSET of 2", {0.45, 0, 0}},
    {"TABLE.BATCH of 50 such merges", "Lua compare, HSET of 2: 50", {0.5, 0, 0}},
    {"TABLE.BATCH of 50 such merges", "TABLE.MERGE of 2, IFMATCH", {0}},
    {"TABLE.INSERT", "HSET of 10 fields", {1.4, 0, 0}},
    {"TABLE.INSERT, an index", "TABLE.INSERT", {0}},
    {"TABLE.INSERT, 4 indexes", "TABLE.INSERT", {0}},
};

const struct family table_family = {
    .name = "table",
    .workloads = workloads,
    .workload_count = WORKLOADS,
    .comparisons = comparisons,
    .comparison_count = sizeof comparisons / sizeof *comparisons,
};
