/* FILE.LOCK and FILE.UNLOCK. */
#include "core/number.h"
#include "file/redis/file_access.h"
#include "file/redis/file_commands.h"
#include "file/redis/handles.h"
#include "file/redis/waiting.h"
#include "server/waiting/grace.h"

const char *const file_lock_words[] = {"EXCLUSIVE", "SHARED", NULL};

enum { ARG_LOCK_OFFSET = 4, ARG_LOCK_LENGTH = 5, ARG_UNLOCK_OFFSET = 3, ARG_UNLOCK_LENGTH = 4 };

/* Reads the range from two arguments. */
static enum outcome read_lock_range(const struct call *call, int offset_at, int length_at,
                                    struct lock_range *range) {
    bool sound = number_read_unsigned(call_word(call, offset_at), &range->offset) &&
                 number_read_unsigned(call_word(call, length_at), &range->length);
    return sound && lock_range_sound(*range) ? OUTCOME_DONE : OUTCOME_INVALID_LOCK_RANGE;
}

enum outcome file_lock_check(struct call *call) {
    struct lock_range range;
    return read_lock_range(call, ARG_LOCK_OFFSET, ARG_LOCK_LENGTH, &range);
}

/* Checks for conflicting locks; with BLOCK, the call may wait. */
static enum outcome check_conflicts(struct call *call, const struct file_handle *handle,
                                    const struct lock_request *request, const struct wait_claim *claim) {
    enum outcome outcome = file_check_lock(call, handle, lock_test_of(request->kind), request->range);
    if (outcome != OUTCOME_DONE) return file_not_yet(call, &lock_wait, handle_node(handle), claim, outcome);
    file_in_line(call, &lock_wait, handle_node(handle), claim);
    return OUTCOME_DONE;
}

/* The last check: in grace a handle can only lock again what it has locked already. */
static enum outcome check_grace_to_lock(struct call *call, const struct file_handle *handle,
                                        const struct lock_request *request, const struct wait_claim *claim) {
    if (!grace_lasts(call)) return OUTCOME_DONE;
    if (range_locks_find(&handle->group->usage->locks, &handle->locks, request->range)) return OUTCOME_DONE;
    return file_not_yet(call, &lock_wait, handle_node(handle), claim, grace_refuse(call));
}

enum outcome file_lock_decide(struct call *call) {
    struct file_handle *handle;
    enum outcome outcome = file_find_handle(call, SHARING_READ | SHARING_WRITE, &handle);
    if (outcome != OUTCOME_DONE) return outcome;
    struct lock_request request = {.owner = &handle->locks,
                                   .kind = (enum lock_kind)call->args.slots[SLOT_FILE_WORD].number};
    read_lock_range(call, ARG_LOCK_OFFSET, ARG_LOCK_LENGTH, &request.range);
    struct wait_claim claim = claim_to_lock(handle, lock_test_of(request.kind), request.range);
    outcome = check_conflicts(call, handle, &request, &claim);
    if (outcome != OUTCOME_DONE) return outcome;
    if (handle->lock_count == HANDLE_LOCKS_MAX || handle->group->usage->locks.count >= FILE_LOCKS_MAX)
        return refusal_because_format(call, OUTCOME_FILE_LOCK_CONFLICT,
                                      "a handle has at most %d locks, and a file %d", HANDLE_LOCKS_MAX,
                                      FILE_LOCKS_MAX);
    outcome = check_grace_to_lock(call, handle, &request, &claim);
    if (outcome != OUTCOME_DONE) return outcome;
    struct share_change *change = file_decide_with_handle(call, FILE_LOCK, handle, NULL);
    change->lock = request.kind;
    change->offset = request.range.offset;
    change->length = request.range.length;
    if (call->grant) record_put_guid(call->grant, handle->id);
    return call_done(call);
}

static void decide_unlock(struct call *call, struct file_handle *handle, struct lock_range range) {
    struct share_change *change = file_decide_with_handle(call, FILE_UNLOCK, handle, NULL);
    change->offset = range.offset;
    change->length = range.length;
}

/* Unlocks once, even if the handle has the lock several times. */
void file_lock_give_back(struct call *call, struct record_reader *granted) {
    struct lock_range range;
    struct file_handle *handle = file_granted_handle(call, granted);
    if (!handle || !handle->group->usage) return;
    if (read_lock_range(call, ARG_LOCK_OFFSET, ARG_LOCK_LENGTH, &range) != OUTCOME_DONE) return;
    if (range_locks_find(&handle->group->usage->locks, &handle->locks, range))
        decide_unlock(call, handle, range);
}

enum outcome file_unlock_decide(struct call *call) {
    struct file_handle *handle;
    struct lock_range range;
    enum outcome outcome = read_lock_range(call, ARG_UNLOCK_OFFSET, ARG_UNLOCK_LENGTH, &range);
    if (outcome == OUTCOME_DONE) outcome = file_find_handle(call, 0, &handle);
    if (outcome != OUTCOME_DONE) return outcome;
    if (!range_locks_find(&handle->group->usage->locks, &handle->locks, range))
        return OUTCOME_RANGE_NOT_LOCKED;
    decide_unlock(call, handle, range);
    return call_done(call);
}
