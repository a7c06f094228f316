/* FILE.LOCK and FILE.UNLOCK. */
#include "core/number.h"
#include "file/redis/handlers.h"

const char *const file_lock_words[] = {"EXCLUSIVE", "SHARED", NULL};

enum { ARG_LOCK_OFFSET = 4, ARG_LOCK_LENGTH = 5, ARG_UNLOCK_OFFSET = 3, ARG_UNLOCK_LENGTH = 4 };

/* The range that stands at two places of argv. */
static enum outcome asked_range(const struct call *call, int offset_at, int length_at,
                                struct lock_range *range) {
    bool sound = number_read_unsigned(call_word(call, offset_at), &range->offset) &&
                 number_read_unsigned(call_word(call, length_at), &range->length);
    return sound && lock_range_sound(*range) ? OUTCOME_DONE : OUTCOME_INVALID_LOCK_RANGE;
}

enum outcome file_lock_check(struct call *call) {
    struct lock_range range;
    return asked_range(call, ARG_LOCK_OFFSET, ARG_LOCK_LENGTH, &range);
}

/* Whether it can be had; if not, perhaps later. */
static enum outcome pass(struct call *call, struct file_open *open, const struct lock_request *request) {
    enum lock_question question = request->kind == LOCK_SHARED ? LOCK_SHARING : LOCK_EXCLUDING;
    bool exact = share_is_exact(call->value, call_now_ms(call));
    const struct range_lock *obstacle =
        life_lock(open->group->life, &open->locks, question, request->range, exact, call_now_ms(call));
    struct file_line line = {WAIT_LOCK, open_node(open), open->group->session,
                             claim_to_lock(open, question, request->range)};
    if (obstacle) return line_join(call, &line, file_lock_violation(call, obstacle));
    return line_has_rival(call, &line) ? line_queue(call, &line) : OUTCOME_DONE;
}

/* Probes and late answers only look. */
static bool is_to_act(const struct call *call) {
    return call->mode != CALL_PROBE && call->mode != CALL_TIMED_OUT;
}

enum outcome file_lock(struct call *call) {
    struct file_open *open;
    enum outcome outcome = file_handle(call, SHARING_READ | SHARING_WRITE, &open);
    if (outcome != OUTCOME_DONE) return outcome;
    if (is_to_act(call)) file_settle_open(call, open);
    struct lock_request request = {.owner = &open->locks,
                                   .kind = (enum lock_kind)call->args.slots[SLOT_FILE_WORD].number};
    asked_range(call, ARG_LOCK_OFFSET, ARG_LOCK_LENGTH, &request.range);
    outcome = pass(call, open, &request);
    if (outcome != OUTCOME_DONE || call->mode == CALL_PROBE) return outcome;
    if (open->lock_count == HANDLE_LOCKS_MOST || open->group->life->locks.count >= FILE_LOCKS_MOST) {
        call_note(call, "a handle has at most %d locks, and a file %d", HANDLE_LOCKS_MOST, FILE_LOCKS_MOST);
        return OUTCOME_FILE_LOCK_CONFLICT;
    }
    if (call->mode == CALL_TIMED_OUT) {
        call_note(call, "it has come free, but the time to wait is over");
        return OUTCOME_FILE_LOCK_CONFLICT;
    }
    struct share_target target = {.node = open_node(open), .open = open};
    struct share_change change = {.kind = FILE_LOCK,
                                  .handle = open->id,
                                  .lock = request.kind,
                                  .offset = request.range.offset,
                                  .length = request.range.length};
    share_commit(call, &target, &change, NULL);
    if (call->grant) share_handle_put(call->grant, open->id);
    reply_ok(&call->out);
    return OUTCOME_DONE;
}

static void unlock(struct call *call, struct file_open *open, struct lock_range range) {
    struct share_target target = {.node = open_node(open), .open = open};
    struct share_change change = {
        .kind = FILE_UNLOCK, .handle = open->id, .offset = range.offset, .length = range.length};
    share_commit(call, &target, &change, NULL);
}

/* A lock that the handle has several times is given back once. */
void file_lock_give_back(struct call *call, struct record_reader *granted) {
    struct guid handle;
    struct lock_range range;
    struct file_open *open =
        share_handle_next(granted, &handle) ? share_open_find(call->value, &handle) : NULL;
    if (!open || !open->group->life) return;
    if (asked_range(call, ARG_LOCK_OFFSET, ARG_LOCK_LENGTH, &range) != OUTCOME_DONE) return;
    if (range_locks_find(&open->group->life->locks, &open->locks, range)) unlock(call, open, range);
}

enum outcome file_unlock(struct call *call) {
    struct file_open *open;
    struct lock_range range;
    enum outcome outcome = asked_range(call, ARG_UNLOCK_OFFSET, ARG_UNLOCK_LENGTH, &range);
    if (outcome == OUTCOME_DONE) outcome = file_handle(call, 0, &open);
    if (outcome != OUTCOME_DONE) return outcome;
    if (!range_locks_find(&open->group->life->locks, &open->locks, range)) return OUTCOME_RANGE_NOT_LOCKED;
    unlock(call, open, range);
    reply_ok(&call->out);
    return OUTCOME_DONE;
}
