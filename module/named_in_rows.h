/* What the rows of the table of commands, and their clauses, name: functions and lists of words. They are
 * declared here. */
#ifndef HOLDFAST_NAMED_IN_ROWS_H
#define HOLDFAST_NAMED_IN_ROWS_H

#include "core/targets.h"
#include "server/call/call.h"

/* clang-format off */
/* Rules of form, and handlers that several rows share. */
#define RULES(X)                                                                                                     \
    X(blob_put_check) X(blob_setprops_check) X(blob_delete_check) X(blob_list_check) X(blob_check_size)              \
    X(blob_putpage_check) X(blob_clearpage_check) X(blob_append_check) X(blob_putblock_check)                        \
    X(blob_putblocklist_check) X(blob_copy_check) X(blob_abortcopy_check) X(lease_acquire_check)                     \
    X(queue_put_check) X(queue_count_check) X(queue_deletemany_check) X(queue_redrive_check)                         \
    X(share_connect_check) X(file_setprops_check) X(file_putrange_check) X(file_handles_check)                       \
    X(file_closehandles_check) X(file_open_check) X(file_write_check) X(file_lock_check)                             \
    X(table_names_check) X(table_get_check) X(table_write_check)                                                     \
    X(table_batch_check) X(table_query_check) X(table_write_decide)

/* What comes before a decision, or in its place. */
#define STEPS(X)                                                                                                     \
    X(blob_prefetch) X(file_prefetch) X(table_prefetch) X(lease_settle) X(container_clear_staged)                    \
    X(queue_settle_many) X(queue_settle_heads) X(file_settle_path) X(file_settle_paths) X(file_settle_directory)     \
    X(file_settle_move) X(file_settle_handle) X(file_settle_locks) X(file_settle_opening) X(file_settle_sessions)                         \
    X(lease_acquire_give_way) X(queue_get_give_way)

/* The targets of commands, for transactions. */
#define TOUCHES(X)                                                                                                   \
    X(container_touches) X(blob_touches) X(block_list_touches) X(block_touches) X(lease_touches)                     \
    X(queue_put_touches) X(queue_message_touches) X(queue_messages_touches)                                          \
    X(file_touches) X(file_begins_touches) X(file_rmdir_touches) X(entity_touches)

#define GIVERS_BACK(X)                                                                                               \
    X(lease_acquire_give_back) X(queue_get_give_back) X(file_open_give_back) X(file_lock_give_back)

/* What the clauses name: words, and checks of one word. */
#define WORDS(X)                                                                                                     \
    X(access_words) X(include_words) X(snapshots_words) X(sequence_words) X(comparison_words) X(block_words)         \
    X(block_list_words) X(share_snapshots_words) X(share_onclose_words) X(file_attribute_words) X(file_access_words) \
    X(file_share_words) X(file_disposition_words) X(file_lock_words) X(file_switch_words)
#define CHECKS(X)                                                                                                    \
    X(queue_message_check) X(queue_receipt_check) X(file_path_check) X(table_lookup_key_check)

#define HANDLER(name) enum outcome name(struct call *call);
#define STEP(name) void name(struct call *call);
#define TOUCH(name) void name(const struct call *call, struct targets *targets);
#define MISSING_CHECK(name) enum outcome name(const struct call *call);
#define GIVER_BACK(name) void name(struct call *call, struct record_reader *granted);
#define EACH_ROW(row) HANDLER(row)
#define EACH_EFFECT(row)
#include "command_rows.h"
RULES(HANDLER) STEPS(STEP) TOUCHES(TOUCH) GIVERS_BACK(GIVER_BACK)
#define WORD_LIST(name) extern const char *const name[];
#define CHECK(name) enum outcome name(struct bytes text);
WORDS(WORD_LIST) CHECKS(CHECK) MISSING_CHECK(lease_missing_check)
/* clang-format on */

#endif
