/* Clauses: what the commands' grammars are made of. For commands.c alone, which makes the table. */
#ifndef HOLDFAST_CLAUSES_H
#define HOLDFAST_CLAUSES_H

#include "blob/redis/blob_commands.h"
#include "core/name.h"
#include "core/pages.h"
#include "file/redis/file_commands.h"
#include "help.h"
#include "lease/redis/leases.h"
#include "named_in_rows.h"
#include "queue/redis/queue_commands.h"
#include "server/call/feed_switch.h"
#include "server/effects/once.h"
#include "server/running/atomic.h"
#include "server/waiting/feed_commands.h"
#include "server/waiting/grace.h"
#include "table/redis/table_commands.h"

/* Ten years: the server adds the time to its clock unchecked. */
#define BLOCK_MAX_MS INT64_C(315360000000)

/* clang-format off */
static const struct clause
    container = {.shape = SHAPE_KEY, .names = {"container"}},
    blob      = {.shape = SHAPE_TEXT, .names = {"blob"}, .check = name_check},
    content   = {.shape = SHAPE_TEXT, .names = {"content"}},

    key       = {.shape = SHAPE_KEY, .names = {"key"}},
    effect    = {.shape = SHAPE_TEXT, .names = {"effect"}},
    payload   = {.shape = SHAPE_REST, .names = {"payload"}},

    if_match          = {TOKEN("IFMATCH"), SHAPE_TAG, SLOT_IFMATCH, .width = 1, .names = {"etag"}},
    if_none_match     = {TOKEN("IFNONEMATCH"), SHAPE_TAG, SLOT_IFNONEMATCH, .width = 1, .names = {"etag"}},
    if_modified_since = {TOKEN("IFMODIFIEDSINCE"), SHAPE_NUMBER, SLOT_IFMODIFIEDSINCE, .width = 1,
                         .fault = OUTCOME_INVALID_VALUE, .min = 0, .max = INT64_MAX, .names = {"ms"}},
    if_unmodified     = {TOKEN("IFUNMODIFIEDSINCE"), SHAPE_NUMBER, SLOT_IFUNMODIFIEDSINCE, .width = 1,
                         .fault = OUTCOME_INVALID_VALUE, .min = 0, .max = INT64_MAX, .names = {"ms"}},

    meta      = {TOKEN("META"), SHAPE_ITEMS, SLOT_META, .width = 2, .names = {"name", "value"}},
    new_meta  = {TOKEN("META"), SHAPE_ITEMS, SLOT_META, .width = 2, .required = true, .names = {"name", "value"}},
    props     = {TOKEN("PROPS"), SHAPE_ITEMS, SLOT_PROPS, .width = 2, .names = {"name", "value"}},
    policies  = {TOKEN("POLICIES"), SHAPE_ITEMS, SLOT_POLICIES, .width = 4,
                 .names = {"id", "start-ms", "expiry-ms", "permissions"}},

    lease     = {TOKEN("LEASE"), SHAPE_ID, SLOT_LEASE, .width = 1, .fault = OUTCOME_INVALID_VALUE, .names = {"lease-id"}},
    block     = {TOKEN("BLOCK"), SHAPE_DURATION, SLOT_BLOCK, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = BLOCK_MAX_MS, .names = {"seconds"}},
    once      = {TOKEN("ONCE"), SHAPE_VALUE, SLOT_ONCE, .width = 1, .fault = OUTCOME_TOKEN_LENGTH, .min = 1, .max = TOKEN_MAX_BYTES, .names = {"token"}},
    duration  = {.shape = SHAPE_TEXT, .names = {"duration"}},
    lease_id  = {.shape = SHAPE_ID, .slot = SLOT_ID, .required = true, .fault = OUTCOME_INVALID_VALUE, .names = {"lease-id"}},
    new_guid  = {.shape = SHAPE_ID, .slot = SLOT_NEW_ID, .required = true, .fault = OUTCOME_INVALID_VALUE, .names = {"new-guid"}},
    on_blob   = {TOKEN("BLOB"), SHAPE_VALUE, SLOT_BLOB, .width = 1, .check = name_check, .names = {"name"}},
    on_file   = {TOKEN("FILE"), SHAPE_VALUE, SLOT_FILE, .width = 1, .check = file_path_check, .explain = file_path_explain, .names = {"path"}},
    proposed  = {TOKEN("ID"), SHAPE_ID, SLOT_ID, .width = 1, .fault = OUTCOME_INVALID_VALUE, .names = {"guid"}},
    owner     = {TOKEN("OWNER"), SHAPE_VALUE, SLOT_OWNER, .width = 1, .fault = OUTCOME_INVALID_VALUE, .max = LEASE_OWNER_MAX_BYTES, .names = {"text"}},
    period    = {TOKEN("PERIOD"), SHAPE_DURATION, SLOT_PERIOD, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = LEASE_BREAK_MAX_SECONDS * INT64_C(1000), .names = {"seconds"}},

    access    = {TOKEN("ACCESS"), SHAPE_CHOICE, SLOT_ACCESS, .width = 1, .words = access_words, .names = {"access"}},
    range     = {TOKEN("RANGE"), SHAPE_RANGE, SLOT_RANGE, .width = 2, .fault = OUTCOME_INVALID_RANGE,
                 .names = {"offset", "length"}},
    prefix    = {TOKEN("PREFIX"), SHAPE_VALUE, SLOT_PREFIX, .width = 1, .names = {"prefix"}},
    delimiter = {TOKEN("DELIMITER"), SHAPE_VALUE, SLOT_DELIMITER, .width = 1, .names = {"delimiter"}},
    marker    = {TOKEN("MARKER"), SHAPE_VALUE, SLOT_MARKER, .width = 1, .names = {"marker"}},
    page_size = {TOKEN("COUNT"), SHAPE_NUMBER, SLOT_PAGE_SIZE, .width = 1, .fault = OUTCOME_OUT_OF_RANGE,
                 .min = 1, .max = INT64_MAX, .names = {"count"}},
    include   = {TOKEN("INCLUDE"), SHAPE_WORDS, SLOT_INCLUDE, .width = 1, .words = include_words,
                 .names = {"include"}},

    snapshot  = {TOKEN("SNAPSHOT"), SHAPE_VERSION, SLOT_SNAPSHOT, .width = 1, .fault = OUTCOME_INVALID_QUERY,
                 .names = {"snapshot-id"}},
    snapshots = {TOKEN("SNAPSHOTS"), SHAPE_CHOICE, SLOT_SNAPSHOTS, .width = 1, .words = snapshots_words,
                 .names = {"snapshots"}},
    since     = {TOKEN("SINCE"), SHAPE_VERSION, SLOT_SINCE, .width = 1, .fault = OUTCOME_INVALID_QUERY,
                 .names = {"snapshot-id"}},
    size      = {.shape = SHAPE_NUMBER, .slot = SLOT_SIZE, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = PAGES_MAX_BYTES, .names = {"size"}},
    new_size  = {TOKEN("SIZE"), SHAPE_NUMBER, SLOT_SIZE, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = PAGES_MAX_BYTES, .names = {"bytes"}},
    sequence  = {TOKEN("SEQUENCE"), SHAPE_NUMBER, SLOT_SEQUENCE, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = INT64_MAX, .names = {"sequence"}},
    new_sequence = {TOKEN("SEQUENCE"), SHAPE_MEASURE, SLOT_SEQUENCE, .bare = 1, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = INT64_MAX, .words = sequence_words, .names = {"sequence"}},
    if_sequence  = {TOKEN("IFSEQUENCE"), SHAPE_MEASURE, SLOT_IFSEQUENCE, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = INT64_MAX, .words = comparison_words, .names = {"sequence"}},
    page_offset  = {.shape = SHAPE_NUMBER, .slot = SLOT_OFFSET, .fault = OUTCOME_INVALID_PAGE_RANGE,
                 .min = 0, .max = PAGES_MAX_BYTES, .names = {"offset"}},
    page_length  = {.shape = SHAPE_NUMBER, .slot = SLOT_LENGTH, .fault = OUTCOME_INVALID_PAGE_RANGE,
                 .min = 1, .max = PAGES_MAX_BYTES, .names = {"length"}},
    if_position  = {TOKEN("IFPOSITION"), SHAPE_NUMBER, SLOT_IFPOSITION, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = INT64_MAX, .names = {"length"}},
    if_max_size  = {TOKEN("IFMAXSIZE"), SHAPE_NUMBER, SLOT_IFMAXSIZE, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = INT64_MAX, .names = {"bytes"}},
    block_id     = {.shape = SHAPE_TEXT, .names = {"block-id"}},
    block_list   = {.shape = SHAPE_CHOSEN, .slot = SLOT_BLOCKS, .width = 2, .words = block_words, .names = {"block-id"}, .list = "blocks"},
    which_blocks = {.shape = SHAPE_KEYWORD, .slot = SLOT_BLOCKS, .words = block_list_words, .names = {"which"}},
    source       = {.shape = SHAPE_KEY, .names = {"source-container"}},
    source_blob  = {.shape = SHAPE_TEXT, .names = {"source-blob"}, .check = name_check},
    from         = {TOKEN("FROM"), SHAPE_VALUE, SLOT_FROM, .width = 2, .names = {"host", "port"}},
    copy_id      = {.shape = SHAPE_TEXT, .names = {"copy-id"}},
    source_if_match       = {TOKEN("SOURCEIFMATCH"), SHAPE_TAG, SLOT_SOURCE, .width = 1, .names = {"etag"}},
    source_if_none_match  = {TOKEN("SOURCEIFNONEMATCH"), SHAPE_TAG, SLOT_SOURCE_NONE_MATCH, .width = 1, .names = {"etag"}},
    source_modified_since = {TOKEN("SOURCEIFMODIFIEDSINCE"), SHAPE_NUMBER, SLOT_SOURCE_MODIFIED, .width = 1,
                             .fault = OUTCOME_INVALID_VALUE, .min = 0, .max = INT64_MAX, .names = {"ms"}},
    source_unmodified     = {TOKEN("SOURCEIFUNMODIFIEDSINCE"), SHAPE_NUMBER, SLOT_SOURCE_UNMODIFIED, .width = 1,
                             .fault = OUTCOME_INVALID_VALUE, .min = 0, .max = INT64_MAX, .names = {"ms"}};

/* Clauses of the server's own commands. */
static const struct clause
    command_count = {.shape = SHAPE_NUMBER, .slot = SLOT_COMMANDS, .fault = OUTCOME_TRANSACTION_SIZE,
                     .min = 1, .max = ATOMIC_COMMANDS_MAX, .names = {"count"}},
    transaction_part = {.shape = SHAPE_REST, .width = 3, .names = {"words", "command", "argument"}},
    feed_word = {.shape = SHAPE_CHOICE, .slot = SLOT_FEED_WORD, .required = true, .words = feed_words, .names = {"state"}},
    feed_keep = {TOKEN("KEEP"), SHAPE_NUMBER, SLOT_FEED_KEEP, .width = 1, .fault = OUTCOME_OUT_OF_RANGE,
                 .min = 0, .max = FEED_KEEP_MAX, .names = {"count"}},
    since_bookmark = {TOKEN("SINCE"), SHAPE_VALUE, SLOT_SINCE_BOOKMARK, .width = 1, .required = true,
                 .check = feed_bookmark_check, .explain = feed_bookmark_explain, .names = {"version"}},
    grace_word = {.shape = SHAPE_CHOICE, .slot = SLOT_GRACE_WORD, .required = true, .words = grace_words, .names = {"action"}},
    help_topic = {.shape = SHAPE_TEXT, .slot = SLOT_HELP_TOPIC, .optional = true, .names = {"command"}};

/* Clauses of queues. `late` repeats the order in which the storage service checks them. */
static const struct clause
    queue     = {.shape = SHAPE_KEY, .names = {"queue"}},
    message   = {.shape = SHAPE_TEXT, .names = {"message"}, .check = queue_message_check},
    messages  = {.shape = SHAPE_LIST, .slot = SLOT_LIST, .width = 1, .names = {"message"}, .check = queue_message_check},
    message_id = {.shape = SHAPE_TEXT, .names = {"id"}},
    receipt   = {.shape = SHAPE_ID, .slot = SLOT_RECEIPT, .required = true, .names = {"receipt"}, .check = queue_receipt_check,
                 .fault = OUTCOME_INVALID_QUERY, .late = 1},
    receipts  = {.shape = SHAPE_LIST, .slot = SLOT_LIST, .width = 2, .names = {"id", "receipt"}},
    new_text  = {TOKEN("MESSAGE"), SHAPE_VALUE, SLOT_MESSAGE, .width = 1, .check = queue_message_check, .names = {"text"}},
    hidden    = {TOKEN("VISIBILITY"), SHAPE_DURATION, SLOT_VISIBILITY, .width = 1, .names = {"seconds"}, .late = 2,
                 .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .min = 0, .max = QUEUE_VISIBILITY_MAX_SECONDS * INT64_C(1000)},
    window    = {TOKEN("VISIBILITY"), SHAPE_DURATION, SLOT_VISIBILITY, .width = 1, .names = {"seconds"}, .late = 2,
                 .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .min = 1000, .max = QUEUE_VISIBILITY_MAX_SECONDS * INT64_C(1000)},
    new_window = {TOKEN("VISIBILITY"), SHAPE_DURATION, SLOT_VISIBILITY, .width = 1, .names = {"seconds"}, .late = 2,
                 .required = true, .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .min = 0, .max = QUEUE_VISIBILITY_MAX_SECONDS * INT64_C(1000)},
    ttl       = {TOKEN("TTL"), SHAPE_DURATION, SLOT_TTL, .width = 1, .names = {"seconds"}, .late = 3,
                 .fault = OUTCOME_INVALID_QUERY, .min = -1, .max = INT64_MAX},
    how_many  = {TOKEN("COUNT"), SHAPE_NUMBER, SLOT_PAGE_SIZE, .width = 1, .names = {"count"}, .late = 3,
                 .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .min = 1, .max = QUEUE_BATCH_MAX},
    dedup     = {TOKEN("DEDUP"), SHAPE_VALUE, SLOT_DEDUP, .width = 1, .names = {"id"}, .late = 4,
                 .fault = OUTCOME_INVALID_QUERY, .min = 1, .max = QUEUE_LABEL_MAX_BYTES},
    within    = {TOKEN("WITHIN"), SHAPE_DURATION, SLOT_WITHIN, .width = 1, .names = {"seconds"}, .late = 4,
                 .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .min = 1, .max = QUEUE_VISIBILITY_MAX_SECONDS * INT64_C(1000)},
    group     = {TOKEN("GROUP"), SHAPE_VALUE, SLOT_GROUP, .width = 1, .names = {"name"}, .late = 4,
                 .fault = OUTCOME_INVALID_QUERY, .min = 1, .max = QUEUE_LABEL_MAX_BYTES},
    reason    = {TOKEN("REASON"), SHAPE_VALUE, SLOT_REASON, .width = 1, .names = {"text"}, .late = 4,
                 .fault = OUTCOME_INVALID_QUERY, .max = QUEUE_LABEL_MAX_BYTES},
    ids       = {TOKEN("IDS"), SHAPE_ITEMS, SLOT_IDS, .width = 1, .names = {"id"}},
    dead      = {TOKEN("DEAD"), SHAPE_FLAG, SLOT_DEAD, .names = {"dead"}},
    deliveries = {TOKEN("MAXDELIVERIES"), SHAPE_NUMBER, SLOT_MAXDELIVERIES, .width = 1, .names = {"count"}, .late = 4,
                 .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .min = 0, .max = QUEUE_DELIVERIES_MAX},
    new_deliveries = {TOKEN("MAXDELIVERIES"), SHAPE_NUMBER, SLOT_MAXDELIVERIES, .width = 1, .names = {"count"}, .late = 4,
                 .required = true, .fault = OUTCOME_OUT_OF_RANGE, .unreadable = OUTCOME_INVALID_QUERY,
                 .min = 0, .max = QUEUE_DELIVERIES_MAX};

/* Clauses of shares and files. */
static const struct clause
    share     = {.shape = SHAPE_KEY, .names = {"share"}},
    path      = {.shape = SHAPE_TEXT, .names = {"path"}, .check = file_path_check, .explain = file_path_explain},
    new_path  = {.shape = SHAPE_TEXT, .names = {"new-path"}, .check = file_path_check, .explain = file_path_explain},
    maybe_path = {.shape = SHAPE_TEXT, .slot = SLOT_FILE_PATH, .optional = true, .names = {"path"}, .check = file_path_check, .explain = file_path_explain},
    share_session = {.shape = SHAPE_TEXT, .names = {"session"}},
    handle    = {.shape = SHAPE_TEXT, .names = {"handle"}},
    which_handles = {.shape = SHAPE_TEXT, .names = {"handle"}},
    time_to_live = {.shape = SHAPE_TEXT, .names = {"ttl-seconds"}},
    quota     = {TOKEN("QUOTA"), SHAPE_NUMBER, SLOT_SHARE_QUOTA, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = INT64_MAX, .names = {"bytes"}},
    new_quota = {TOKEN("QUOTA"), SHAPE_NUMBER, SLOT_SHARE_QUOTA, .width = 1, .required = true,
                 .fault = OUTCOME_INVALID_VALUE, .min = 0, .max = INT64_MAX, .names = {"bytes"}},
    share_snapshots = {TOKEN("SNAPSHOTS"), SHAPE_CHOICE, SLOT_SNAPSHOTS, .width = 1, .words = share_snapshots_words,
                 .names = {"snapshots"}},
    session_label = {TOKEN("OWNER"), SHAPE_VALUE, SLOT_SHARE_OWNER, .width = 1, .fault = OUTCOME_INVALID_VALUE, .max = SESSION_OWNER_MAX_BYTES, .names = {"text"}},
    on_close  = {TOKEN("ONCLOSE"), SHAPE_CHOICE, SLOT_SHARE_ONCLOSE, .width = 1, .words = share_onclose_words,
                 .names = {"onclose"}},
    file_size = {.shape = SHAPE_NUMBER, .slot = SLOT_SIZE, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = FILE_MAX_BYTES, .names = {"size"}},
    new_file_size = {TOKEN("SIZE"), SHAPE_NUMBER, SLOT_SIZE, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .min = 0, .max = FILE_MAX_BYTES, .names = {"bytes"}},
    file_offset = {.shape = SHAPE_NUMBER, .slot = SLOT_OFFSET, .fault = OUTCOME_INVALID_RANGE,
                 .min = 0, .max = FILE_MAX_BYTES, .names = {"offset"}},
    read_offset = {.shape = SHAPE_NUMBER, .slot = SLOT_OFFSET, .fault = OUTCOME_INVALID_RANGE,
                 .min = 0, .max = INT64_MAX, .names = {"offset"}},
    read_length = {.shape = SHAPE_NUMBER, .slot = SLOT_LENGTH, .fault = OUTCOME_INVALID_RANGE,
                 .min = 0, .max = INT64_MAX, .names = {"length"}},
    clear_length = {.shape = SHAPE_NUMBER, .slot = SLOT_LENGTH, .fault = OUTCOME_INVALID_RANGE,
                 .min = 1, .max = FILE_MAX_BYTES, .names = {"length"}},
    lock_offset = {.shape = SHAPE_TEXT, .names = {"offset"}},
    lock_length = {.shape = SHAPE_TEXT, .names = {"length"}},
    lock_mode = {.shape = SHAPE_CHOICE, .slot = SLOT_FILE_WORD, .required = true, .words = file_lock_words, .names = {"mode"}},
    switch_word = {.shape = SHAPE_CHOICE, .slot = SLOT_FILE_WORD, .required = true, .words = file_switch_words, .names = {"mark"}},
    attributes = {TOKEN("ATTRIBUTES"), SHAPE_WORDS, SLOT_FILE_ATTRIBUTES, .width = 1, .words = file_attribute_words,
                 .names = {"attributes"}},
    replace   = {TOKEN("REPLACE"), SHAPE_FLAG, SLOT_FILE_REPLACE, .names = {"replace"}},
    new_lease = {TOKEN("NEWLEASE"), SHAPE_ID, SLOT_FILE_NEWLEASE, .width = 1, .fault = OUTCOME_INVALID_VALUE,
                 .names = {"lease-id"}},
    recursive = {TOKEN("RECURSIVE"), SHAPE_FLAG, SLOT_FILE_RECURSIVE, .names = {"recursive"}},
    open_access = {TOKEN("ACCESS"), SHAPE_WORDS, SLOT_FILE_ACCESS, .width = 1, .min_count = 1, .required = true,
                 .words = file_access_words, .names = {"access"}},
    open_share = {TOKEN("SHARE"), SHAPE_WORDS, SLOT_FILE_SHARE, .width = 1, .required = true, .words = file_share_words,
                 .names = {"share"}},
    disposition = {TOKEN("DISPOSITION"), SHAPE_CHOICE, SLOT_FILE_DISPOSITION, .width = 1, .words = file_disposition_words,
                 .names = {"disposition"}},
    delete_on_close = {TOKEN("DELETEONCLOSE"), SHAPE_FLAG, SLOT_FILE_DELETEONCLOSE, .names = {"deleteonclose"}};

/* Clauses of tables. The key of a new entity and a key to look for have different rules. */
static const struct clause
    table     = {.shape = SHAPE_KEY, .names = {"table"}},
    new_partition = {.shape = SHAPE_TEXT, .names = {"partition-key"}, .check = key_check},
    new_row   = {.shape = SHAPE_TEXT, .names = {"row-key"}, .check = key_check},
    partition = {.shape = SHAPE_TEXT, .names = {"partition-key"}, .check = table_lookup_key_check},
    row       = {.shape = SHAPE_TEXT, .names = {"row-key"}, .check = table_lookup_key_check},
    match     = {TOKEN("IFMATCH"), SHAPE_TAG, SLOT_MATCH, .width = 1, .required = true, .absent = OUTCOME_IFMATCH_MISSING,
                 .names = {"etag"}},
    condition = {TOKEN("IF"), SHAPE_VALUE, SLOT_IF, .width = 1, .names = {"filter"}},
    entity    = {TOKEN("PROPS"), SHAPE_ITEMS, SLOT_ENTITY, .width = 2, .required = true, .names = {"name[:type]", "value"}},
    filter    = {TOKEN("FILTER"), SHAPE_VALUE, SLOT_FILTER, .width = 1, .names = {"filter"}},
    selected  = {TOKEN("SELECT"), SHAPE_ITEMS, SLOT_SELECT, .width = 1, .names = {"name"}},
    top       = {TOKEN("TOP"), SHAPE_NUMBER, SLOT_TOP, .width = 1, .names = {"count"}, .fault = OUTCOME_ROW_COUNT,
                 .min = 0, .max = INT64_MAX},
    next      = {TOKEN("NEXT"), SHAPE_VALUE, SLOT_NEXT, .width = 2, .names = {"partition-key", "row-key"}},
    explained = {TOKEN("EXPLAIN"), SHAPE_FLAG, SLOT_EXPLAIN, .names = {"explain"}},
    property  = {.shape = SHAPE_TEXT, .names = {"property"}},
    more_properties = {.shape = SHAPE_REST, .names = {"property"}},
    operation_count = {.shape = SHAPE_NUMBER, .slot = SLOT_OPERATIONS, .names = {"count"}, .fault = OUTCOME_BATCH_SIZE,
                 .min = 1, .max = TABLE_BATCH_MAX},
    operations = {.shape = SHAPE_REST, .names = {"operation"}};
/* clang-format on */

#endif
