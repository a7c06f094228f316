/* The commands that use a handle, but for those that lock. */
#include "file/redis/handles.h"

#include "file/redis/file_access.h"
#include "server/call/form.h"

const char *const file_switch_words[] = {"ON", "OFF", NULL};

enum { DISPOSE_ON };
enum { ARG_WRITTEN = 4 };

/* --- Sessions and handles --- */

enum outcome file_find_session(struct call *call, struct bytes text, struct share_session **session) {
    struct guid id;
    *session = guid_read(text, &id) ? share_session_find(call->value, &id) : NULL;
    bool exists = *session && !session_has_ended(*session, call_now_ms(call));
    return exists ? OUTCOME_DONE : OUTCOME_SESSION_NOT_FOUND;
}

enum outcome file_find_handle(struct call *call, unsigned rights, struct file_handle **handle) {
    struct guid id;
    *handle = guid_read(call_word(call, ARG_HANDLE), &id) ? share_handle_find(call->value, &id) : NULL;
    bool exists = *handle && (*handle)->group->usage &&
                  !session_has_ended((*handle)->group->session, call_now_ms(call));
    if (!exists) return OUTCOME_HANDLE_NOT_FOUND;
    return !rights || (*handle)->sharing.access & rights ? OUTCOME_DONE : OUTCOME_ACCESS_DENIED;
}

struct file_handle *file_granted_handle(const struct call *call, struct record_reader *granted) {
    struct guid id = record_guid(granted);
    return granted->failed ? NULL : share_handle_find(call->value, &id);
}

struct share_change *file_decide_with_handle(struct call *call, enum share_change_kind kind,
                                             struct file_handle *handle, RedisModuleString *content) {
    struct share_change *change = decision_add_with(call, kind, content);
    change->handle = handle->id;
    change->opened = handle;
    change->node = handle->group->usage ? handle_node(handle) : NULL;
    return change;
}

/* --- Reading and writing --- */

enum outcome file_read_decide(struct call *call) {
    struct file_handle *handle;
    uint64_t offset = call_size(call, SLOT_OFFSET);
    uint64_t length = call_size(call, SLOT_LENGTH);
    enum outcome outcome = file_find_handle(call, SHARING_READ, &handle);
    if (outcome == OUTCOME_DONE)
        outcome = file_check_lock(call, handle, LOCK_TO_READ, (struct lock_range){offset, length});
    if (outcome != OUTCOME_DONE) return outcome;
    const struct sparse_bytes *content = &handle_node(handle)->content;
    uint64_t left = offset < content->length ? content->length - offset : 0;
    if (length > left) length = left;
    const struct range_bytes bytes = file_range_bytes(content, 0);
    return range_answer_part(call, &bytes, (struct page_range){offset, length}, "read fewer at once");
}

enum outcome file_write_check(struct call *call) {
    size_t length = call_word(call, ARG_WRITTEN).length;
    enum outcome outcome = form_check_bytes(call, length, "can be written");
    if (outcome != OUTCOME_DONE) return outcome;
    uint64_t end = call_size(call, SLOT_OFFSET) + length;
    return end <= (uint64_t)FILE_MAX_BYTES ? OUTCOME_DONE : OUTCOME_INVALID_RANGE;
}

enum outcome file_write_decide(struct call *call) {
    struct file_handle *handle;
    struct bytes content = call_word(call, ARG_WRITTEN);
    uint64_t offset = call_size(call, SLOT_OFFSET);
    enum outcome outcome = file_find_handle(call, SHARING_WRITE, &handle);
    if (outcome == OUTCOME_DONE)
        outcome = file_check_lock(call, handle, LOCK_TO_WRITE, (struct lock_range){offset, content.length});
    if (outcome == OUTCOME_DONE && content.length)
        outcome = file_check_quota(call, handle_node(handle)->content.length, offset + content.length);
    if (outcome != OUTCOME_DONE) return outcome;
    if (content.length) {
        struct share_change *change =
            file_decide_with_handle(call, FILE_WRITE, handle, call->argv[ARG_WRITTEN]);
        change->stamp = decision_new_stamp(call);
        change->offset = offset;
    }
    reply_number(&call->out, (long long)content.length);
    return OUTCOME_DONE;
}

/* Locks do not matter here. */
enum outcome file_truncate_decide(struct call *call) {
    struct file_handle *handle;
    uint64_t length = call_size(call, SLOT_SIZE);
    enum outcome outcome = file_find_handle(call, SHARING_WRITE, &handle);
    if (outcome == OUTCOME_DONE)
        outcome = file_check_quota(call, handle_node(handle)->content.length, length);
    if (outcome != OUTCOME_DONE) return outcome;
    struct share_change *change = file_decide_with_handle(call, FILE_TRUNCATE, handle, NULL);
    change->stamp = decision_new_stamp(call);
    change->length = length;
    return call_done(call);
}

/* --- Deletion and closing --- */

/* Any handle with DELETE access may mark the file for deletion, or clear the mark of another one. */
enum outcome file_dispose_decide(struct call *call) {
    struct file_handle *handle;
    bool on = call->args.slots[SLOT_FILE_WORD].number == DISPOSE_ON;
    enum outcome outcome = file_find_handle(call, SHARING_DELETE, &handle);
    if (outcome != OUTCOME_DONE) return outcome;
    if (on && handle_node(handle)->attributes & ATTRIBUTE_READONLY) return OUTCOME_CANNOT_DELETE;
    if (handle->group->usage->pending != on)
        file_decide_with_handle(call, FILE_DISPOSE, handle, NULL)->on = on;
    return call_done(call);
}

enum outcome file_close_decide(struct call *call) {
    struct file_handle *handle;
    enum outcome outcome = file_find_handle(call, 0, &handle);
    if (outcome != OUTCOME_DONE) return outcome;
    struct record_writer *handles = call_writer(call);
    record_put_guid(handles, handle->id);
    struct share_change *change = file_decide_with_handle(call, FILE_CLOSE, handle, NULL);
    change->handles = (struct packed_list){1, record_written(handles)};
    return call_done(call);
}
