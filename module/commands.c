/* THE table: one row per command. Registration, parser, COMMAND DOCS, key specs, ACL categories and the
 * README's reference all come from here. */
#include "commands.h"

#include "blob/blob_commands.h"
#include "core/name.h"
#include "core/pages.h"
#include "lease/lease_commands.h"
#include "queue/queue_commands.h"
#include "server/effect.h"
#include "table/table_commands.h"

#include "ccan/array_size/array_size.h"

/* Ten years: the server adds the time to its clock unchecked. */
#define BLOCK_MOST_MS INT64_C(315360000000)

/* --- Clauses: what the commands' grammars are made of --- */

/* clang-format off */
static const struct clause
    container = {.shape = SHAPE_KEY, .names = {"container"}},
    blob      = {.shape = SHAPE_TEXT, .names = {"blob"}, .rule = name_check},
    content   = {.shape = SHAPE_TEXT, .names = {"content"}},

    key       = {.shape = SHAPE_KEY, .names = {"key"}},
    effect    = {.shape = SHAPE_TEXT, .names = {"effect"}},
    payload   = {.shape = SHAPE_REST, .names = {"payload"}},

    if_match          = {TOKEN("IFMATCH"), SHAPE_TAG, SLOT_IFMATCH, .width = 1, .names = {"etag"}},
    if_none_match     = {TOKEN("IFNONEMATCH"), SHAPE_TAG, SLOT_IFNONEMATCH, .width = 1, .names = {"etag"}},
    if_modified_since = {TOKEN("IFMODIFIEDSINCE"), SHAPE_NUMBER, SLOT_IFMODIFIEDSINCE, .width = 1,
                         .fault = OUTCOME_INVALID_VALUE, .least = 0, .most = INT64_MAX, .names = {"ms"}},
    if_unmodified     = {TOKEN("IFUNMODIFIEDSINCE"), SHAPE_NUMBER, SLOT_IFUNMODIFIEDSINCE, .width = 1,
                         .fault = OUTCOME_INVALID_VALUE, .least = 0, .most = INT64_MAX, .names = {"ms"}},

    meta      = {TOKEN("META"), SHAPE_ITEMS, SLOT_META, .width = 2, .names = {"name", "value"}},
    new_meta  = {TOKEN("META"), SHAPE_ITEMS, SLOT_META, .width = 2, .required = true, .names = {"name", "value"}},
    props     = {TOKEN("PROPS"), SHAPE_ITEMS, SLOT_PROPS, .width = 2, .names = {"name", "value"}},
    policies  = {TOKEN("POLICIES"), SHAPE_ITEMS, SLOT_POLICIES, .width = 4,
                 .names = {"id", "start-ms", "expiry-ms", "permissions"}},

    lease     = {TOKEN("LEASE"), SHAPE_ID, SLOT_LEASE, .width = 1, .fault = OUTCOME_INVALID_VALUE, .names = {"lease-id"}},
    block     = {TOKEN("BLOCK"), SHAPE_DURATION, SLOT_BLOCK, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .least = 0, .most = BLOCK_MOST_MS, .names = {"seconds"}},
    duration  = {.shape = SHAPE_TEXT, .names = {"duration"}},
    lease_id  = {.shape = SHAPE_TEXT, .names = {"lease-id"}, .rule = lease_id_rule},
    new_guid  = {.shape = SHAPE_TEXT, .names = {"new-guid"}, .rule = lease_id_rule},
    on_blob   = {TOKEN("BLOB"), SHAPE_VALUE, SLOT_BLOB, .width = 1, .rule = name_check, .names = {"name"}},
    proposed  = {TOKEN("ID"), SHAPE_ID, SLOT_ID, .width = 1, .fault = OUTCOME_INVALID_VALUE, .names = {"guid"}},
    owner     = {TOKEN("OWNER"), SHAPE_VALUE, SLOT_OWNER, .width = 1, .rule = lease_owner_rule, .names = {"text"}},
    period    = {TOKEN("PERIOD"), SHAPE_DURATION, SLOT_PERIOD, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .least = 0, .most = LEASE_BREAK_MAX_SECONDS * INT64_C(1000), .names = {"seconds"}},

    access    = {TOKEN("ACCESS"), SHAPE_CHOICE, SLOT_ACCESS, .width = 1, .words = access_words, .names = {"access"}},
    range     = {TOKEN("RANGE"), SHAPE_RANGE, SLOT_RANGE, .width = 2, .fault = OUTCOME_INVALID_RANGE,
                 .names = {"offset", "length"}},
    prefix    = {TOKEN("PREFIX"), SHAPE_VALUE, SLOT_PREFIX, .width = 1, .names = {"prefix"}},
    delimiter = {TOKEN("DELIMITER"), SHAPE_VALUE, SLOT_DELIMITER, .width = 1, .names = {"delimiter"}},
    marker    = {TOKEN("MARKER"), SHAPE_VALUE, SLOT_MARKER, .width = 1, .names = {"marker"}},
    page_size = {TOKEN("COUNT"), SHAPE_NUMBER, SLOT_PAGE_SIZE, .width = 1, .fault = OUTCOME_OUT_OF_RANGE,
                 .least = 1, .most = INT64_MAX, .names = {"count"}},
    include   = {TOKEN("INCLUDE"), SHAPE_WORDS, SLOT_INCLUDE, .width = 1, .words = include_words,
                 .names = {"include"}},

    snapshot  = {TOKEN("SNAPSHOT"), SHAPE_VERSION, SLOT_SNAPSHOT, .width = 1, .fault = OUTCOME_INVALID_QUERY,
                 .names = {"snapshot-id"}},
    snapshots = {TOKEN("SNAPSHOTS"), SHAPE_CHOICE, SLOT_SNAPSHOTS, .width = 1, .words = snapshots_words,
                 .names = {"snapshots"}},
    since     = {TOKEN("SINCE"), SHAPE_VERSION, SLOT_SINCE, .width = 1, .fault = OUTCOME_INVALID_QUERY,
                 .names = {"snapshot-id"}},
    size      = {.shape = SHAPE_NUMBER, .slot = SLOT_SIZE, .fault = OUTCOME_INVALID_VALUE,
                 .least = 0, .most = PAGES_MOST_BYTES, .names = {"size"}},
    new_size  = {TOKEN("SIZE"), SHAPE_NUMBER, SLOT_SIZE, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .least = 0, .most = PAGES_MOST_BYTES, .names = {"bytes"}},
    sequence  = {TOKEN("SEQUENCE"), SHAPE_NUMBER, SLOT_SEQUENCE, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .least = 0, .most = INT64_MAX, .names = {"sequence"}},
    new_sequence = {TOKEN("SEQUENCE"), SHAPE_MEASURE, SLOT_SEQUENCE, .bare = 1, .fault = OUTCOME_INVALID_VALUE,
                 .least = 0, .most = INT64_MAX, .words = sequence_words, .names = {"sequence"}},
    if_sequence  = {TOKEN("IFSEQUENCE"), SHAPE_MEASURE, SLOT_IFSEQUENCE, .fault = OUTCOME_INVALID_VALUE,
                 .least = 0, .most = INT64_MAX, .words = comparison_words, .names = {"sequence"}},
    page_offset  = {.shape = SHAPE_NUMBER, .slot = SLOT_OFFSET, .fault = OUTCOME_INVALID_PAGE_RANGE,
                 .least = 0, .most = PAGES_MOST_BYTES, .names = {"offset"}},
    page_length  = {.shape = SHAPE_NUMBER, .slot = SLOT_LENGTH, .fault = OUTCOME_INVALID_PAGE_RANGE,
                 .least = 1, .most = PAGES_MOST_BYTES, .names = {"length"}},
    if_position  = {TOKEN("IFPOSITION"), SHAPE_NUMBER, SLOT_IFPOSITION, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .least = 0, .most = INT64_MAX, .names = {"length"}},
    if_max_size  = {TOKEN("IFMAXSIZE"), SHAPE_NUMBER, SLOT_IFMAXSIZE, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .least = 0, .most = INT64_MAX, .names = {"bytes"}},
    block_id     = {.shape = SHAPE_TEXT, .names = {"block-id"}},
    block_list   = {.shape = SHAPE_CHOSEN, .slot = SLOT_BLOCKS, .width = 2, .words = block_words, .names = {"block-id"}},
    which_blocks = {.shape = SHAPE_KEYWORD, .slot = SLOT_BLOCKS, .words = block_list_words, .names = {"which"}},
    source       = {.shape = SHAPE_KEY, .names = {"source-container"}},
    source_blob  = {.shape = SHAPE_TEXT, .names = {"source-blob"}, .rule = name_check},
    copy_id      = {.shape = SHAPE_TEXT, .names = {"copy-id"}},
    source_if_match       = {TOKEN("SOURCEIFMATCH"), SHAPE_TAG, SLOT_SOURCE, .width = 1, .names = {"etag"}},
    source_if_none_match  = {TOKEN("SOURCEIFNONEMATCH"), SHAPE_TAG, SLOT_SOURCE_NONE_MATCH, .width = 1, .names = {"etag"}},
    source_modified_since = {TOKEN("SOURCEIFMODIFIEDSINCE"), SHAPE_NUMBER, SLOT_SOURCE_MODIFIED, .width = 1,
                             .fault = OUTCOME_INVALID_VALUE, .least = 0, .most = INT64_MAX, .names = {"ms"}},
    source_unmodified     = {TOKEN("SOURCEIFUNMODIFIEDSINCE"), SHAPE_NUMBER, SLOT_SOURCE_UNMODIFIED, .width = 1,
                             .fault = OUTCOME_INVALID_VALUE, .least = 0, .most = INT64_MAX, .names = {"ms"}};

/* Of queues. What is looked at late is what the storage service looks at late. */
static const struct clause
    queue     = {.shape = SHAPE_KEY, .names = {"queue"}},
    message   = {.shape = SHAPE_TEXT, .names = {"message"}, .rule = queue_message_rule},
    messages  = {.shape = SHAPE_LIST, .slot = SLOT_LIST, .width = 1, .names = {"message"}, .rule = queue_message_rule},
    message_id = {.shape = SHAPE_TEXT, .names = {"id"}},
    receipt   = {.shape = SHAPE_TEXT, .names = {"receipt"}, .rule = queue_receipt_rule, .late = 1},
    receipts  = {.shape = SHAPE_LIST, .slot = SLOT_LIST, .width = 2, .names = {"id", "receipt"}},
    new_text  = {TOKEN("MESSAGE"), SHAPE_VALUE, SLOT_MESSAGE, .width = 1, .rule = queue_message_rule, .names = {"text"}},
    hidden    = {TOKEN("VISIBILITY"), SHAPE_DURATION, SLOT_VISIBILITY, .width = 1, .names = {"seconds"}, .late = 2,
                 .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .least = 0, .most = QUEUE_VISIBILITY_MOST_SECONDS * INT64_C(1000)},
    window    = {TOKEN("VISIBILITY"), SHAPE_DURATION, SLOT_VISIBILITY, .width = 1, .names = {"seconds"}, .late = 2,
                 .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .least = 1000, .most = QUEUE_VISIBILITY_MOST_SECONDS * INT64_C(1000)},
    new_window = {TOKEN("VISIBILITY"), SHAPE_DURATION, SLOT_VISIBILITY, .width = 1, .names = {"seconds"}, .late = 2,
                 .required = true, .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .least = 0, .most = QUEUE_VISIBILITY_MOST_SECONDS * INT64_C(1000)},
    ttl       = {TOKEN("TTL"), SHAPE_DURATION, SLOT_TTL, .width = 1, .names = {"seconds"}, .late = 3,
                 .fault = OUTCOME_INVALID_QUERY, .least = -1, .most = INT64_MAX},
    how_many  = {TOKEN("COUNT"), SHAPE_NUMBER, SLOT_PAGE_SIZE, .width = 1, .names = {"count"}, .late = 3,
                 .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .least = 1, .most = QUEUE_BATCH_MOST},
    dedup     = {TOKEN("DEDUP"), SHAPE_VALUE, SLOT_DEDUP, .width = 1, .names = {"id"}, .late = 4, .rule = queue_label_rule},
    within    = {TOKEN("WITHIN"), SHAPE_DURATION, SLOT_WITHIN, .width = 1, .names = {"seconds"}, .late = 4,
                 .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .least = 1, .most = QUEUE_VISIBILITY_MOST_SECONDS * INT64_C(1000)},
    group     = {TOKEN("GROUP"), SHAPE_VALUE, SLOT_GROUP, .width = 1, .names = {"name"}, .late = 4, .rule = queue_label_rule},
    reason    = {TOKEN("REASON"), SHAPE_VALUE, SLOT_REASON, .width = 1, .names = {"text"}, .late = 4, .rule = queue_reason_rule},
    ids       = {TOKEN("IDS"), SHAPE_ITEMS, SLOT_IDS, .width = 1, .names = {"id"}},
    dead      = {TOKEN("DEAD"), SHAPE_FLAG, SLOT_DEAD, .names = {"dead"}},
    deliveries = {TOKEN("MAXDELIVERIES"), SHAPE_NUMBER, SLOT_MAXDELIVERIES, .width = 1, .names = {"count"},
                 .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .least = 0, .most = QUEUE_DELIVERIES_MOST},
    new_deliveries = {TOKEN("MAXDELIVERIES"), SHAPE_NUMBER, SLOT_MAXDELIVERIES, .width = 1, .names = {"count"},
                 .required = true, .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .least = 0, .most = QUEUE_DELIVERIES_MOST};

/* Of tables. Keys that are written with an entity and keys that are asked for have rules of their own. */
static const struct clause
    table     = {.shape = SHAPE_KEY, .names = {"table"}},
    new_partition = {.shape = SHAPE_TEXT, .names = {"partition-key"}, .rule = key_check},
    new_row   = {.shape = SHAPE_TEXT, .names = {"row-key"}, .rule = key_check},
    partition = {.shape = SHAPE_TEXT, .names = {"partition-key"}, .rule = table_asked_key_rule},
    row       = {.shape = SHAPE_TEXT, .names = {"row-key"}, .rule = table_asked_key_rule},
    match     = {TOKEN("IFMATCH"), SHAPE_TAG, SLOT_MATCH, .width = 1, .required = true, .absent = OUTCOME_IFMATCH_MISSING,
                 .names = {"etag"}},
    condition = {TOKEN("IF"), SHAPE_VALUE, SLOT_IF, .width = 1, .names = {"filter"}},
    entity    = {TOKEN("PROPS"), SHAPE_ITEMS, SLOT_ENTITY, .width = 2, .required = true, .names = {"name[:type]", "value"}},
    filter    = {TOKEN("FILTER"), SHAPE_VALUE, SLOT_FILTER, .width = 1, .names = {"filter"}},
    selected  = {TOKEN("SELECT"), SHAPE_ITEMS, SLOT_SELECT, .width = 1, .names = {"name"}},
    top       = {TOKEN("TOP"), SHAPE_NUMBER, SLOT_TOP, .width = 1, .names = {"count"}, .fault = OUTCOME_ROW_COUNT,
                 .least = 0, .most = INT64_MAX},
    next      = {TOKEN("NEXT"), SHAPE_VALUE, SLOT_NEXT, .width = 2, .names = {"partition-key", "row-key"}},
    explained = {TOKEN("EXPLAIN"), SHAPE_FLAG, SLOT_EXPLAIN, .names = {"explain"}},
    property  = {.shape = SHAPE_TEXT, .names = {"property"}},
    more_properties = {.shape = SHAPE_REST, .names = {"property"}},
    operation_count = {.shape = SHAPE_NUMBER, .slot = SLOT_OPERATIONS, .names = {"count"}, .fault = OUTCOME_BATCH_SIZE,
                 .least = 1, .most = TABLE_BATCH_MOST},
    operations = {.shape = SHAPE_REST, .names = {"operation"}};

/* --- Grammars --- */

/* Parts of initialisers cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define CONDITIONS &if_match, &if_none_match, &if_modified_since, &if_unmodified
#define SOURCE_CONDITIONS &source_if_match, &source_if_none_match, &source_modified_since, &source_unmodified
#define GRAMMAR(...) ((const struct clause *const[]){__VA_ARGS__, NULL})

#define READS   .key = KEY_READ,   .flags = "readonly fast",       .categories = "read fast"
#define GROWS   .key = KEY_UPDATE, .flags = "write deny-oom fast", .categories = "write fast"
#define CREATES .key = KEY_CREATE, .flags = "write deny-oom fast", .categories = "write fast"
#define COPIES  .key = KEY_UPDATE, .other_key = 3, .flags = "write deny-oom fast getkeys-api", .categories = "write fast"
#define SHRINKS .key = KEY_UPDATE, .flags = "write fast",          .categories = "write fast"
#define REMOVES .key = KEY_REMOVE, .flags = "write fast",          .categories = "write fast"
#define ON_LEASE .key = KEY_UPDATE, .flags = "write fast", .categories = "write fast"
#define WAITS .key = KEY_UPDATE, .flags = "write deny-oom blocking", .categories = "write blocking"
#define READS_OR_WAITS .key = KEY_READ, .flags = "readonly blocking", .categories = "read blocking"
#define PAGES   .key = KEY_READ,   .flags = "readonly",            .categories = "read slow"

#define GROWS_MUCH .key = KEY_UPDATE, .flags = "write deny-oom", .categories = "write slow"
#define SHRINKS_MUCH .key = KEY_UPDATE, .flags = "write", .categories = "write slow"
#define TAKES_OR_WAITS .key = KEY_UPDATE, .flags = "write blocking", .categories = "write blocking"

#define DROPS   .key = KEY_CREATE, .flags = "write fast",          .categories = "write fast"
#define ON_QUEUE .aggregate = &queue_aggregate
#define ON_TABLE .aggregate = &table_aggregate
#define ON_ENTITY ON_TABLE, .expect = table_expect
#define ON_CONTAINER .aggregate = &container_aggregate
#define ON_BLOB ON_CONTAINER, .expect = blob_expect

/* Each row needs an entry of its own for the server to call: the server says only which function, not which row. */
#define ROWS(X)                                                                                                      \
    X(container_create) X(container_get) X(container_getmeta) X(container_setmeta) X(container_getacl)               \
    X(container_setacl) X(container_delete)                                                                          \
    X(blob_put) X(blob_get) X(blob_stat) X(blob_setprops) X(blob_getmeta) X(blob_setmeta) X(blob_delete) X(blob_list) \
    X(blob_snapshot) X(blob_copy) X(blob_abortcopy) X(blob_putblock) X(blob_putblocklist) X(blob_getblocklist)       \
    X(blob_createpage) X(blob_putpage) X(blob_clearpage) X(blob_getpages) X(blob_createappend) X(blob_append)        \
    X(lease_acquire_handle) X(lease_renew_handle) X(lease_change_handle) X(lease_release_handle)                     \
    X(lease_break_handle) X(lease_get_handle) X(lease_list_handle)                                                   \
    X(queue_create) X(queue_drop) X(queue_configure) X(queue_getmeta) X(queue_setmeta) X(queue_getacl)               \
    X(queue_setacl) X(queue_stat) X(queue_put) X(queue_putmany) X(queue_get) X(queue_peek) X(queue_update)           \
    X(queue_release) X(queue_delete) X(queue_deletemany) X(queue_clear) X(queue_dead) X(queue_redrive)               \
    X(table_create) X(table_drop) X(table_getacl) X(table_setacl) X(table_index) X(table_unindex) X(table_indexes)   \
    X(table_insert) X(table_get) X(table_query) X(table_replace) X(table_merge) X(table_delete)                      \
    X(table_insertorreplace) X(table_insertormerge) X(table_batch)                                                   \
    X(effect_handle)

/* What a batch is made of, in the order of enum verb. */
static const struct command_part table_operations[] = {
    {"INSERT",          GRAMMAR(&new_row, &entity)},
    {"REPLACE",         GRAMMAR(&row, &match, &condition, &entity)},
    {"MERGE",           GRAMMAR(&row, &match, &condition, &entity)},
    {"DELETE",          GRAMMAR(&row, &match, &condition)},
    {"INSERTORREPLACE", GRAMMAR(&row, &entity)},
    {"INSERTORMERGE",   GRAMMAR(&row, &entity)},
    {NULL, NULL},
};

#define ROW_NUMBER(handler) ROW_##handler,
enum { ROWS(ROW_NUMBER) ROW_COUNT };

#define ENTRY(handler) static int enter_##handler(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
ROWS(ENTRY)

#define ROW(handler) [ROW_##handler] = { .handle = handler, .entry = enter_##handler,
static const struct command commands[ROW_COUNT] = {
    ROW(container_create) .name = "CONTAINER.CREATE", ON_CONTAINER, CREATES,
        .grammar = GRAMMAR(&container, &access, &meta),
        .complexity = "O(1)", .summary = "Creates a container and answers its ETag."},
    ROW(container_get) .name = "CONTAINER.GET", ON_CONTAINER, READS,
        .grammar = GRAMMAR(&container, &lease),
        .complexity = "O(1)", .summary = "Answers all properties of a container, with the number and size of its blobs."},
    ROW(container_getmeta) .name = "CONTAINER.GETMETA", ON_CONTAINER, READS,
        .grammar = GRAMMAR(&container, &lease),
        .complexity = "O(1)", .summary = "Answers a container's ETag and metadata."},
    ROW(container_setmeta) .name = "CONTAINER.SETMETA", ON_CONTAINER, GROWS, .conditions = CONDITIONS_WRITE,
        .grammar = GRAMMAR(&container, &new_meta, CONDITIONS, &lease),
        .complexity = "O(1)", .summary = "Replaces a container's metadata as a whole and answers its new ETag."},
    ROW(container_getacl) .name = "CONTAINER.GETACL", ON_CONTAINER, READS,
        .grammar = GRAMMAR(&container, &lease),
        .complexity = "O(1)", .summary = "Answers a container's public access and stored access policies."},
    ROW(container_setacl) .name = "CONTAINER.SETACL", ON_CONTAINER, GROWS, .conditions = CONDITIONS_WRITE,
        .grammar = GRAMMAR(&container, &access, &policies, CONDITIONS, &lease),
        .complexity = "O(1)", .summary = "Replaces a container's public access and policies and answers its new ETag."},
    ROW(container_delete) .name = "CONTAINER.DELETE", ON_CONTAINER, REMOVES, .conditions = CONDITIONS_WRITE,
        .grammar = GRAMMAR(&container, CONDITIONS, &lease),
        .complexity = "O(1); memory is freed in the background",
        .summary = "Deletes a container and all that is in it."},

    ROW(blob_put) .name = "BLOB.PUT", ON_BLOB, GROWS, .conditions = CONDITIONS_CREATE, .check = blob_put_check,
        .grammar = GRAMMAR(&container, &blob, &content, &props, &meta, CONDITIONS, &lease),
        .complexity = "O(1); O(log N) for a new blob, N being the blobs in the container",
        .summary = "Creates or replaces a blob and answers its new ETag."},
    ROW(blob_get) .name = "BLOB.GET", ON_BLOB, READS_OR_WAITS, .conditions = CONDITIONS_READ,
        .grammar = GRAMMAR(&container, &blob, &range, &snapshot, CONDITIONS, &lease, &block),
        .complexity = "O(log P) for a blob in P pieces, and the bytes that are answered",
        .summary = "Answers a blob's ETag and content, or null when the conditions say that nothing is new."},
    ROW(blob_stat) .name = "BLOB.STAT", ON_BLOB, READS, .conditions = CONDITIONS_READ,
        .grammar = GRAMMAR(&container, &blob, &snapshot, CONDITIONS, &lease),
        .complexity = "O(1)", .summary = "Answers everything about a blob but its content."},
    ROW(blob_setprops) .name = "BLOB.SETPROPS", ON_BLOB, GROWS, .conditions = CONDITIONS_WRITE, .check = blob_setprops_check,
        .grammar = GRAMMAR(&container, &blob, &props, &new_size, &new_sequence, CONDITIONS, &lease),
        .complexity = "O(1), and the pages that a smaller size cuts off",
        .summary = "Replaces all properties of a blob, sets the size or sequence number of a page blob, and answers its new ETag."},
    ROW(blob_getmeta) .name = "BLOB.GETMETA", ON_BLOB, READS, .conditions = CONDITIONS_READ,
        .grammar = GRAMMAR(&container, &blob, &snapshot, CONDITIONS, &lease),
        .complexity = "O(1)", .summary = "Answers a blob's ETag and metadata."},
    ROW(blob_setmeta) .name = "BLOB.SETMETA", ON_BLOB, GROWS, .conditions = CONDITIONS_WRITE,
        .grammar = GRAMMAR(&container, &blob, &new_meta, CONDITIONS, &lease),
        .complexity = "O(1)", .summary = "Replaces a blob's metadata as a whole and answers its new ETag."},
    ROW(blob_delete) .name = "BLOB.DELETE", ON_BLOB, SHRINKS, .conditions = CONDITIONS_WRITE, .check = blob_delete_check,
        .grammar = GRAMMAR(&container, &blob, &snapshot, &snapshots, CONDITIONS, &lease),
        .complexity = "O(log N), N being the blobs in the container, and the pieces that are freed",
        .summary = "Deletes a blob, with or without its snapshots, or one snapshot, or all."},
    ROW(blob_list) .name = "BLOB.LIST", ON_CONTAINER, PAGES, .check = blob_list_check,
        .grammar = GRAMMAR(&container, &prefix, &delimiter, &marker, &page_size, &include),
        .complexity = "O(log N + M), N being the blobs in the container and M the items of the page",
        .summary = "Answers a page of a container's blobs in the order of their names, and the marker of the next page."},

    ROW(blob_snapshot) .name = "BLOB.SNAPSHOT", ON_BLOB, GROWS, .conditions = CONDITIONS_WRITE,
        .grammar = GRAMMAR(&container, &blob, &meta, CONDITIONS, &lease),
        .complexity = "O(1)", .summary = "Keeps a blob as it is now and answers the snapshot's id and ETag."},
    ROW(blob_copy) .name = "BLOB.COPY", ON_BLOB, COPIES, .conditions = CONDITIONS_CREATE, .check = blob_copy_check,
        .grammar = GRAMMAR(&container, &blob, &source, &source_blob, &snapshot, &meta, CONDITIONS, &lease, SOURCE_CONDITIONS),
        .complexity = "O(1) within a container; O(P) from another one, P being the pieces of the blob",
        .summary = "Copies a blob or a snapshot, sharing its bytes, and answers the new ETag, the copy's id and its status."},
    ROW(blob_abortcopy) .name = "BLOB.ABORTCOPY", ON_BLOB, SHRINKS, .check = blob_abortcopy_check,
        .grammar = GRAMMAR(&container, &blob, &copy_id, &lease),
        .complexity = "O(1)", .summary = "Ends a copy that is going on and leaves an empty blob."},
    ROW(blob_putblock) .name = "BLOB.PUTBLOCK", ON_BLOB, GROWS, .check = blob_putblock_check,
        .grammar = GRAMMAR(&container, &blob, &block_id, &content, &lease),
        .complexity = "O(log B), B being the staged blocks",
        .summary = "Stages a block that a later BLOB.PUTBLOCKLIST can make part of a blob."},
    ROW(blob_putblocklist) .name = "BLOB.PUTBLOCKLIST", ON_BLOB, GROWS, .conditions = CONDITIONS_CREATE,
        .check = blob_putblocklist_check,
        .grammar = GRAMMAR(&container, &blob, &block_list, &props, &meta, CONDITIONS, &lease),
        .complexity = "O(B log B), B being the blocks; no byte is copied",
        .summary = "Makes a blob of committed and staged blocks in one step and answers its new ETag."},
    ROW(blob_getblocklist) .name = "BLOB.GETBLOCKLIST", ON_BLOB, PAGES,
        .grammar = GRAMMAR(&container, &blob, &which_blocks, &snapshot, &lease),
        .complexity = "O(B), B being the blocks", .summary = "Answers the ids and sizes of a blob's blocks."},
    ROW(blob_createpage) .name = "BLOB.CREATEPAGE", ON_BLOB, GROWS, .conditions = CONDITIONS_CREATE, .check = blob_createpage_check,
        .grammar = GRAMMAR(&container, &blob, &size, &sequence, &props, &meta, CONDITIONS, &lease),
        .complexity = "O(1); O(log N) for a new blob, N being the blobs in the container",
        .summary = "Creates or replaces a page blob without any pages and answers its new ETag."},
    ROW(blob_putpage) .name = "BLOB.PUTPAGE", ON_BLOB, GROWS, .conditions = CONDITIONS_WRITE, .check = blob_putpage_check,
        .grammar = GRAMMAR(&container, &blob, &page_offset, &content, &if_sequence, CONDITIONS, &lease),
        .complexity = "O(M), M being the bytes", .summary = "Writes pages and answers the blob's new ETag and its sequence number."},
    ROW(blob_clearpage) .name = "BLOB.CLEARPAGE", ON_BLOB, SHRINKS, .conditions = CONDITIONS_WRITE, .check = blob_clearpage_check,
        .grammar = GRAMMAR(&container, &blob, &page_offset, &page_length, &if_sequence, CONDITIONS, &lease),
        .complexity = "O(M), M being the pages that there are",
        .summary = "Clears pages, which gives their memory back, and answers the blob's new ETag and its sequence number."},
    ROW(blob_getpages) .name = "BLOB.GETPAGES", ON_BLOB, PAGES, .conditions = CONDITIONS_READ,
        .grammar = GRAMMAR(&container, &blob, &range, &snapshot, &since, CONDITIONS, &lease),
        .complexity = "O(M), M being the pages that there are",
        .summary = "Answers which pages a page blob has, or what has changed in it since a snapshot."},
    ROW(blob_createappend) .name = "BLOB.CREATEAPPEND", ON_BLOB, GROWS, .conditions = CONDITIONS_CREATE,
        .grammar = GRAMMAR(&container, &blob, &props, &meta, CONDITIONS, &lease),
        .complexity = "O(1); O(log N) for a new blob, N being the blobs in the container",
        .summary = "Creates or replaces an append blob, empty, and answers its new ETag."},
    ROW(blob_append) .name = "BLOB.APPEND", ON_BLOB, GROWS, .conditions = CONDITIONS_WRITE, .check = blob_append_check,
        .grammar = GRAMMAR(&container, &blob, &content, &if_position, &if_max_size, CONDITIONS, &lease),
        .complexity = "O(1), and the bytes that are appended",
        .summary = "Appends to an append blob and answers its new ETag, where the bytes begin, and the number of blocks."},

    ROW(lease_acquire_handle) .name = "LEASE.ACQUIRE", WAITS, .conditions = CONDITIONS_WRITE, .check = lease_acquire_check,
        .reply = lease_acquire_reply,
        .grammar = GRAMMAR(&key, &duration, &on_blob, &proposed, &owner, CONDITIONS, &block),
        .complexity = "O(1)", .summary = "Acquires a lease, or waits in line for it, and answers its id and fencing token."},
    ROW(lease_renew_handle) .name = "LEASE.RENEW", ON_LEASE, .conditions = CONDITIONS_WRITE,
        .grammar = GRAMMAR(&key, &lease_id, &on_blob, CONDITIONS),
        .complexity = "O(1)", .summary = "Gives a lease its full duration anew."},
    ROW(lease_change_handle) .name = "LEASE.CHANGE", ON_LEASE, .conditions = CONDITIONS_WRITE,
        .grammar = GRAMMAR(&key, &lease_id, &new_guid, &on_blob, CONDITIONS),
        .complexity = "O(1)", .summary = "Gives a lease another id, and so another holder."},
    ROW(lease_release_handle) .name = "LEASE.RELEASE", ON_LEASE, .conditions = CONDITIONS_WRITE,
        .grammar = GRAMMAR(&key, &lease_id, &on_blob, CONDITIONS),
        .complexity = "O(1)", .summary = "Gives a lease back; the next in line gets it at once."},
    ROW(lease_break_handle) .name = "LEASE.BREAK", ON_LEASE, .conditions = CONDITIONS_WRITE,
        .grammar = GRAMMAR(&key, &period, &on_blob, CONDITIONS),
        .complexity = "O(1)", .summary = "Ends somebody else's lease, now or after a period, and answers the seconds until then."},
    ROW(lease_get_handle) .name = "LEASE.GET", READS,
        .grammar = GRAMMAR(&key, &on_blob),
        .complexity = "O(1)", .summary = "Answers the state of a lease, its holder's label and how many wait for it."},
    ROW(lease_list_handle) .name = "LEASE.LIST", PAGES,
        .grammar = GRAMMAR(&key, &marker, &page_size),
        .complexity = "O(log N + M), N being the leases and M those of the page",
        .summary = "Answers a page of the leases that are held or being broken, by the names of what they stand on."},

    ROW(queue_create) .name = "QUEUE.CREATE", ON_QUEUE, CREATES,
        .grammar = GRAMMAR(&queue, &meta, &deliveries),
        .complexity = "O(1)", .summary = "Creates a queue, or finds that it is there with the same metadata."},
    ROW(queue_drop) .name = "QUEUE.DROP", ON_QUEUE, REMOVES,
        .grammar = GRAMMAR(&queue),
        .complexity = "O(1); memory is freed in the background", .summary = "Deletes a queue and all that is in it."},
    ROW(queue_configure) .name = "QUEUE.CONFIGURE", ON_QUEUE, SHRINKS,
        .grammar = GRAMMAR(&queue, &new_deliveries),
        .complexity = "O(1)", .summary = "Says after how many deliveries a message becomes a dead letter; 0 for never."},
    ROW(queue_getmeta) .name = "QUEUE.GETMETA", ON_QUEUE, READS,
        .grammar = GRAMMAR(&queue),
        .complexity = "O(1)", .summary = "Answers a queue's metadata."},
    ROW(queue_setmeta) .name = "QUEUE.SETMETA", ON_QUEUE, GROWS,
        .grammar = GRAMMAR(&queue, &new_meta),
        .complexity = "O(1)", .summary = "Replaces a queue's metadata as a whole."},
    ROW(queue_getacl) .name = "QUEUE.GETACL", ON_QUEUE, READS,
        .grammar = GRAMMAR(&queue),
        .complexity = "O(1)", .summary = "Answers a queue's stored access policies."},
    ROW(queue_setacl) .name = "QUEUE.SETACL", ON_QUEUE, GROWS, .check = queue_setacl_check,
        .grammar = GRAMMAR(&queue, &policies),
        .complexity = "O(1)", .summary = "Replaces a queue's stored access policies."},
    ROW(queue_stat) .name = "QUEUE.STAT", ON_QUEUE, READS,
        .grammar = GRAMMAR(&queue),
        .complexity = "O(log N), N being the messages in the queue",
        .summary = "Answers how many messages a queue has, how many of them are visible, and the age of the oldest."},
    ROW(queue_put) .name = "QUEUE.PUT", ON_QUEUE, GROWS, .check = queue_put_check,
        .grammar = GRAMMAR(&queue, &message, &ttl, &hidden, &dedup, &within, &group),
        .complexity = "O(log N), N being the messages in the queue",
        .summary = "Puts a message into a queue and answers its id and its first receipt."},
    ROW(queue_putmany) .name = "QUEUE.PUTMANY", ON_QUEUE, GROWS_MUCH, .check = queue_put_check,
        .grammar = GRAMMAR(&queue, &messages, &ttl, &hidden, &group),
        .complexity = "O(M log N), M being the messages that are put and N those in the queue",
        .summary = "Puts up to 1000 messages into a queue, all or none."},
    ROW(queue_get) .name = "QUEUE.GET", ON_QUEUE, TAKES_OR_WAITS, .check = queue_count_check, .reply = queue_get_reply,
        .grammar = GRAMMAR(&queue, &how_many, &window, &block),
        .complexity = "O(M log N), M being the messages that are answered and N those in the queue",
        .summary = "Takes visible messages and hides them from others for a while, or waits in line for one."},
    ROW(queue_peek) .name = "QUEUE.PEEK", ON_QUEUE, PAGES, .check = queue_count_check,
        .grammar = GRAMMAR(&queue, &how_many),
        .complexity = "O(M log N), M being the messages that are answered and N those in the queue",
        .summary = "Answers visible messages and leaves them as they are."},
    ROW(queue_update) .name = "QUEUE.UPDATE", ON_QUEUE, SHRINKS,
        .grammar = GRAMMAR(&queue, &message_id, &receipt, &new_window, &new_text),
        .complexity = "O(log N), N being the messages in the queue",
        .summary = "Says for how long from now a message is to be hidden, perhaps with another text, and answers its new receipt."},
    ROW(queue_release) .name = "QUEUE.RELEASE", ON_QUEUE, SHRINKS,
        .grammar = GRAMMAR(&queue, &message_id, &receipt, &hidden, &reason),
        .complexity = "O(log N), N being the messages in the queue",
        .summary = "Gives a message back, for others to take now or after a while."},
    ROW(queue_delete) .name = "QUEUE.DELETE", ON_QUEUE, SHRINKS,
        .grammar = GRAMMAR(&queue, &message_id, &receipt),
        .complexity = "O(log N), N being the messages in the queue", .summary = "Deletes a message: its work is done."},
    ROW(queue_deletemany) .name = "QUEUE.DELETEMANY", ON_QUEUE, SHRINKS_MUCH, .check = queue_batch_check,
        .grammar = GRAMMAR(&queue, &receipts),
        .complexity = "O(M log N), M being the messages that are named and N those in the queue",
        .summary = "Deletes up to 1000 messages, each with an answer of its own."},
    ROW(queue_clear) .name = "QUEUE.CLEAR", ON_QUEUE, SHRINKS,
        .grammar = GRAMMAR(&queue, &dead),
        .complexity = "O(log N), N being the messages in the queue; where some have just had their last window, O(M log N), M being these or the others, whichever are fewer; memory is freed bit by bit",
        .summary = "Deletes all messages of a queue, or all its dead letters, and answers how many went."},
    ROW(queue_dead) .name = "QUEUE.DEAD", ON_QUEUE, PAGES,
        .grammar = GRAMMAR(&queue, &how_many),
        .complexity = "O(M), M being the dead letters that are answered",
        .summary = "Answers the dead letters of a queue in the order in which they died."},
    ROW(queue_redrive) .name = "QUEUE.REDRIVE", ON_QUEUE, SHRINKS_MUCH, .check = queue_redrive_check,
        .grammar = GRAMMAR(&queue, &how_many, &ids),
        .complexity = "O(M log N), M being the dead letters that are put back and N the messages in the queue",
        .summary = "Puts dead letters back into their queue, as new messages, and answers how many."},

    ROW(table_create) .name = "TABLE.CREATE", ON_TABLE, CREATES,
        .grammar = GRAMMAR(&table),
        .complexity = "O(1)", .summary = "Creates a table."},
    ROW(table_drop) .name = "TABLE.DROP", ON_TABLE, DROPS,
        .grammar = GRAMMAR(&table),
        .complexity = "O(1); memory is freed in the background", .summary = "Deletes a table and all that is in it."},
    ROW(table_getacl) .name = "TABLE.GETACL", ON_TABLE, READS,
        .grammar = GRAMMAR(&table),
        .complexity = "O(1)", .summary = "Answers a table's stored access policies."},
    ROW(table_setacl) .name = "TABLE.SETACL", ON_TABLE, GROWS, .check = table_setacl_check,
        .grammar = GRAMMAR(&table, &policies),
        .complexity = "O(1)", .summary = "Replaces a table's stored access policies."},
    ROW(table_index) .name = "TABLE.INDEX", ON_TABLE, GROWS, .check = table_index_check,
        .grammar = GRAMMAR(&table, &property, &more_properties),
        .complexity = "O(1); the entities that are there are gone through in the background",
        .summary = "Keeps indexes of properties from now on, so that queries find entities by them."},
    ROW(table_unindex) .name = "TABLE.UNINDEX", ON_TABLE, SHRINKS,
        .grammar = GRAMMAR(&table, &property, &more_properties),
        .complexity = "O(1); memory is freed bit by bit", .summary = "Gives indexes of properties up."},
    ROW(table_indexes) .name = "TABLE.INDEXES", ON_TABLE, READS,
        .grammar = GRAMMAR(&table),
        .complexity = "O(1)", .summary = "Answers which properties have indexes."},
    ROW(table_insert) .name = "TABLE.INSERT", ON_ENTITY, GROWS, .check = table_insert_check,
        .grammar = GRAMMAR(&table, &new_partition, &new_row, &entity),
        .complexity = "O(log N), N being the entities in the table",
        .summary = "Adds an entity that is not there yet and answers its ETag."},
    ROW(table_get) .name = "TABLE.GET", ON_ENTITY, READS, .check = table_get_check,
        .grammar = GRAMMAR(&table, &partition, &row, &selected),
        .complexity = "O(1)", .summary = "Answers an entity's ETag and its properties, all or those that are selected."},
    ROW(table_query) .name = "TABLE.QUERY", ON_TABLE, PAGES, .check = table_query_check,
        .grammar = GRAMMAR(&table, &filter, &selected, &top, &next, &explained),
        .complexity = "O(log N + M), N being the entities in the table and M those that are looked at, which is bounded",
        .summary = "Answers a page of the entities that a filter means, in the order of their keys, and where the next page begins."},
    ROW(table_replace) .name = "TABLE.REPLACE", ON_ENTITY, GROWS, .check = table_replace_check,
        .grammar = GRAMMAR(&table, &partition, &row, &match, &condition, &entity),
        .complexity = "O(1); O(log N) where indexes change, N being the entities in the table",
        .summary = "Gives an entity other properties, if it is as the caller knows it, and answers its new ETag."},
    ROW(table_merge) .name = "TABLE.MERGE", ON_ENTITY, GROWS, .check = table_merge_check,
        .grammar = GRAMMAR(&table, &partition, &row, &match, &condition, &entity),
        .complexity = "O(1); O(log N) where indexes change, N being the entities in the table",
        .summary = "Sets some properties of an entity, if it is as the caller knows it, and answers its new ETag."},
    ROW(table_delete) .name = "TABLE.DELETE", ON_ENTITY, SHRINKS, .check = table_delete_check,
        .grammar = GRAMMAR(&table, &partition, &row, &match, &condition),
        .complexity = "O(log N), N being the entities in the table",
        .summary = "Deletes an entity, if it is as the caller knows it."},
    ROW(table_insertorreplace) .name = "TABLE.INSERTORREPLACE", ON_ENTITY, GROWS, .check = table_insertorreplace_check,
        .grammar = GRAMMAR(&table, &partition, &row, &entity),
        .complexity = "O(log N), N being the entities in the table",
        .summary = "Writes an entity, whatever was there, and answers its new ETag."},
    ROW(table_insertormerge) .name = "TABLE.INSERTORMERGE", ON_ENTITY, GROWS, .check = table_insertormerge_check,
        .grammar = GRAMMAR(&table, &partition, &row, &entity),
        .complexity = "O(log N), N being the entities in the table",
        .summary = "Sets some properties of an entity, which need not be there, and answers its new ETag."},
    ROW(table_batch) .name = "TABLE.BATCH", ON_TABLE, SHRINKS_MUCH, .check = table_batch_check,
        .grammar = GRAMMAR(&table, &partition, &operation_count, &operations), .parts = table_operations,
        .complexity = "O(M log N), M being the operations and N the entities in the table",
        .summary = "Does up to 100 operations on entities of one partition, all or none, and answers their ETags."},

    ROW(effect_handle) .name = EFFECT_COMMAND,
        .key = KEY_EFFECT, .flags = "write", .categories = "write dangerous",
        .grammar = GRAMMAR(&key, &effect, &payload),
        .complexity = "That of the command whose effect it is",
        .summary = "Applies what another server has decided. For the primary's link and append-only files alone."},
};
/* clang-format on */
/* NOLINTEND(bugprone-macro-parentheses) */

#define ENTRY_BODY(handler)                                                                                  \
    static int enter_##handler(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {                    \
        return command_run(&commands[ROW_##handler], ctx, argv, argc);                                       \
    }
ROWS(ENTRY_BODY)

const struct command *commands_table(size_t *count) {
    *count = ARRAY_SIZE(commands);
    return commands;
}
