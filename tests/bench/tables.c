/*
 * Tables: a dataset's names are its entities' keys, the folder the partition key and the file the row key. Writes keep
 * the ETag that they are answered with.
 */
#include "tables.h"

#include <stdio.h>
#include <string.h>

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
    connection_call(data->connections[0], "TABLE.CREATE " TABLE);
}

static void indexed_create(struct dataset *data) {
    connection_call(data->connections[0], "TABLE.CREATE " ONE_INDEX);
    connection_call(data->connections[0], "TABLE.INDEX " ONE_INDEX " " FIRST_INDEX);
}

static void indexed_4_create(struct dataset *data) {
    connection_call(data->connections[0], "TABLE.CREATE " FOUR_INDEXES);
    connection_call(data->connections[0], "TABLE.INDEX " FOUR_INDEXES " " FIRST_INDEX " " MORE_INDEXES);
}

static void batches_create(struct dataset *data) {
    connection_call(data->connections[0], "TABLE.CREATE " BATCH_TABLE);
}

static void insert_print(struct template *template, const char *table) {
    template_add(template, "TABLE.INSERT %s %b %b PROPS " PROPERTIES, table, folder_mark, sizeof folder_mark,
                 file_mark, sizeof file_mark, file_mark, sizeof file_mark);
}

static void insert_template(const struct dataset *data, struct template *template) {
    (void)data;
    insert_print(template, TABLE);
}

static void insert_indexed_template(const struct dataset *data, struct template *template) {
    (void)data;
    insert_print(template, ONE_INDEX);
}

static void insert_indexed_4_template(const struct dataset *data, struct template *template) {
    (void)data;
    insert_print(template, FOUR_INDEXES);
}

static void get_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "TABLE.GET " TABLE " %b %b", folder_mark, sizeof folder_mark, file_mark,
                 sizeof file_mark);
}

static void point_template(const struct dataset *data, struct template *template) {
    char filter[sizeof point_filter + FOLDER_BYTES + FILE_BYTES];
    (void)data;
    snprintf(filter, sizeof filter, point_filter, FOLDER_BYTES, folder_mark, FILE_BYTES, file_mark);
    template_add(template, "TABLE.QUERY " TABLE " FILTER %s", filter);
}

static void merge_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "TABLE.MERGE " TABLE " %b %b IFMATCH %b PROPS " MERGED_PROPERTIES, folder_mark,
                 sizeof folder_mark, file_mark, sizeof file_mark, token_mark, sizeof token_mark);
}

/* Of an entity that is not there: its partition key is the name's other part. */
static void insert_delete_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "TABLE.INSERT " TABLE " %b %b PROPS " PROPERTIES, file_mark, sizeof file_mark,
                 folder_mark, sizeof folder_mark, file_mark, sizeof file_mark);
    template_add(template, "TABLE.DELETE " TABLE " %b %b IFMATCH *", file_mark, sizeof file_mark, folder_mark,
                 sizeof folder_mark);
}

static void fill_partition_template(const struct dataset *data, struct template *template) {
    (void)data;
    template_add(template, "TABLE.INSERT " BATCH_TABLE " " BATCH_PARTITION " %b PROPS " PROPERTIES, file_mark,
                 sizeof file_mark, file_mark, sizeof file_mark);
}

static void batch_template(const struct dataset *data, struct template *template) {
    enum { OPERATION_BYTES = 120 };
    char text[OPERATION_BYTES * (MERGED_AT_ONCE + 1)];
    (void)data;
    int used =
        snprintf(text, sizeof text, "TABLE.BATCH " BATCH_TABLE " " BATCH_PARTITION " %d", MERGED_AT_ONCE);
    for (unsigned index = 0; index < MERGED_AT_ONCE; index++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         " MERGE %.*s IFMATCH %.*s PROPS " MERGED_PROPERTIES, FILE_BYTES, file_mark,
                         TOKEN_BYTES, token_mark);
    template_add(template, text);
}

static bool is_etag(const struct driver *driver, unsigned object, const struct reply *reply) {
    return reply->length == TOKEN_BYTES &&
           !memcmp(reply->text, driver->object_set->tokens[object], TOKEN_BYTES);
}

static bool is_entity(struct driver *driver, unsigned object, const struct reply *reply) {
    if (reply->kind != '*' || reply->length != 2) return false;
    struct reply etag = reply_element(reply, 0), properties = reply_element(reply, 1);
    return is_etag(driver, object, &etag) && properties.length == ENTITY_WORDS;
}

/* The end of the answer, and one row: its keys, its ETag, its properties. */
static bool is_point(struct driver *driver, unsigned object, const struct reply *reply) {
    if (reply->kind != '*' || reply->length != 2 || !reply_element(reply, 0).is_null) return false;
    struct reply rows = reply_element(reply, 1);
    if (rows.length != 1) return false;
    struct reply row = reply_element(&rows, 0), etag = reply_element(&row, 2);
    return is_etag(driver, object, &etag) && reply_element(&row, 3).length == ENTITY_WORDS;
}

static const struct workload workloads[WORKLOADS] = {
    [INSERT] = {.name = "TABLE.INSERT",
                .filler = &workloads[INSERT],
                .prepare = table_create,
                .template = insert_template,
                .is_expected = is_token},
    [INSERT_INDEXED] = {.name = "TABLE.INSERT, an index",
                        .filler = &workloads[INSERT_INDEXED],
                        .prepare = indexed_create,
                        .template = insert_indexed_template,
                        .is_expected = is_token},
    [INSERT_INDEXED_4] = {.name = "TABLE.INSERT, 4 indexes",
                          .filler = &workloads[INSERT_INDEXED_4],
                          .prepare = indexed_4_create,
                          .template = insert_indexed_4_template,
                          .is_expected = is_token},
    [GET] = {.name = "TABLE.GET",
             .flat_limit = 1.3,
             .filler = &workloads[INSERT],
             .template = get_template,
             .is_expected = is_entity},
    [POINT] = {.name = "TABLE.QUERY by both keys",
               .flat_limit = 1.3,
               .filler = &workloads[INSERT],
               .template = point_template,
               .is_expected = is_point},
    [MERGE] = {.name = "TABLE.MERGE of 2, IFMATCH",
               .flat_limit = 1.3,
               .filler = &workloads[INSERT],
               .template = merge_template,
               .is_expected = is_token},
    [INSERT_DELETE] = {.name = "TABLE.INSERT, DELETE",
                       .filler = &workloads[INSERT],
                       .template = insert_delete_template,
                       .is_expected = is_anything},
    [FILL_PARTITION] = {.name = "TABLE.INSERT, one partition",
                        .filler = &workloads[FILL_PARTITION],
                        .prepare = batches_create,
                        .template = fill_partition_template,
                        .is_expected = is_token},
    [BATCH] = {.name = "TABLE.BATCH of 50 such merges",
               .batch = MERGED_AT_ONCE,
               .filler = &workloads[FILL_PARTITION],
               .template = batch_template,
               .is_expected = is_tokens},
    [COMPARISON] = {.name = "a comparison"},
    [COMPARISON_OF_3] = {.name = "a comparison of three"},
};

static const struct comparison comparisons[] = {
    {"TABLE.GET", "HGETALL", {1.1, 0, 0}},
    {"TABLE.QUERY by both keys", "TABLE.GET", {2, 0, 0}},
    {"TABLE.MERGE of 2, IFMATCH", "Lua compare, HSET of 2", {0.4, 0, 0}},
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

/* As many as are on their way at once, and more. */
enum { BATCHED_ENTITIES = 10000 };

/* --- Next to hashes and scripts, few and very many --- */

/* Written for the first time in each round: everything is made anew before it. */
static void tables_renew(struct server *server, const struct dataset *data) {
    (void)data;
    server_tell(server, "FLUSHALL SYNC");
    server_tell(server, "TABLE.CREATE " TABLE);
    server_tell(server, "TABLE.CREATE " ONE_INDEX);
    server_tell(server, "TABLE.INDEX " ONE_INDEX " " FIRST_INDEX);
    server_tell(server, "TABLE.CREATE " FOUR_INDEXES);
    server_tell(server, "TABLE.INDEX " FOUR_INDEXES " " FIRST_INDEX " " MORE_INDEXES);
}

static const char *const entities[] = {"HGETALL",
                                       "Lua compare, HSET of 2",
                                       "TABLE.GET",
                                       "TABLE.QUERY by both keys",
                                       "TABLE.MERGE of 2, IFMATCH",
                                       "TABLE.INSERT, DELETE",
                                       NULL};
static const char *const entities_batched[] = {"Lua compare, HSET of 2: 50", "TABLE.MERGE of 2, IFMATCH",
                                               "TABLE.BATCH of 50 such merges", NULL};
static const char *const entities_new[] = {"HSET of 10 fields", "TABLE.INSERT", "TABLE.INSERT, an index",
                                           "TABLE.INSERT, 4 indexes", NULL};
static const char *const entities_made[] = {"HSET of 10 fields", "TABLE.INSERT", NULL};
static const char *const entities_growing[] = {
    "HGETALL", "TABLE.GET", "TABLE.QUERY by both keys", "TABLE.MERGE of 2, IFMATCH", "TABLE.INSERT, DELETE",
    NULL};

static void measure_ratio(const struct context *context, const char *title, const char *const *names,
                          unsigned objects, bool is_new) {
    struct server *server = server_start(context->options, "");
    struct dataset *data = dataset_open(server, 0, objects, sizes[0].bytes);
    const struct setting *setting = context_setting(context, NULL, title, data->objects);
    struct run run = run_open(server, context->options, context->results);
    run.visits = is_new;
    run.renew = is_new ? tables_renew : NULL;
    run_add(&run, setting, data, names);
    run_measure(&run);
    add_ratio_bars(context->results, setting, NULL);
    dataset_close(data);
    server_stop(server);
}

void measure_tables(const struct context *context) {
    measure_ratio(context, "entities of 10 properties, pipeline 16", entities, sizes[0].objects, false);
    measure_ratio(context, "50 entities of 10 properties at once, pipeline 16", entities_batched,
                  BATCHED_ENTITIES, false);
    measure_ratio(context, "new entities of 10 properties, pipeline 16", entities_new, BATCHED_ENTITIES,
                  true);
    growth_measure(context, entities_made, entities_growing);
    struct million million = {.server = server_start(context->options, "")};
    million.data = dataset_open(million.server, 0, MILLION, sizes[0].bytes);
    measure_table_memory(context, &million);
    measure_table_scans(context, &million);
    measure_table_longest(context, &million);
    dataset_close(million.data);
    server_stop(million.server);
}
