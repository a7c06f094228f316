/* Records of calls that are remembered, as many as the input has, each with its length in two bytes before
 * it: what cannot be read is refused, what does not fit does nothing, and what is left can be walked, read
 * back and forgotten. */
#include "allocations.h"
#include "change/once_change.h"
#include "core/packed_reply.h"
#include "require.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As it was written is as it is read. */
static void require_read_back(const struct once_change *change) {
    struct record_writer writer ENDS_BY(record_end);
    struct once_change again;
    record_start(&writer);
    change_write(&once_changes, change, &writer);
    require(change_read(&once_changes, record_written(&writer), &again), "it cannot be read back");
    require(again.forgets == change->forgets && bytes_equal(again.call.token, change->call.token) &&
                bytes_equal(again.call.answer, change->call.answer) &&
                bytes_equal(again.inside, change->inside) && again.call.called_ms == change->call.called_ms &&
                again.call.fingerprint == change->call.fingerprint,
            "it is read back as another one");
}

static void take(struct once_log **place, struct bytes record) {
    struct once_change change;
    if (!change_read(&once_changes, record, &change)) return;
    if (change.kind == ONCE_REMEMBER) {
        require(change.call.token.length >= 1 && change.call.token.length <= TOKEN_MAX_BYTES, "no token");
        require(packed_reply_is_sound(change.call.answer), "no answer");
    }
    require_read_back(&change);
    if (once_change_fits(*place, &change)) once_change_do(place, &change);
}

static void require_whole(const struct once_log *once_log) {
    struct once_log_cursor cursor = {0, 0};
    struct logged_call call, found;
    size_t count = 0;
    for (int64_t before_ms = 0; once_log_next(once_log, &cursor, &call);
         before_ms = call.called_ms, count++) {
        require(call.called_ms >= before_ms, "an older one behind a newer one");
        require(once_log_find(once_log, call.token, &found), "one that is there is not found");
        require(found.answer.data == call.answer.data, "one token twice");
    }
    require_same(count, once_log_count(once_log), "the count");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct once_log *once_log = NULL;
    allocations_forget();
    while (size >= 2) {
        size_t length = (size_t)data[0] << 8 | data[1];
        data += 2;
        size -= 2;
        if (length > size) length = size;
        char *record = malloc(length ? length : 1); /* what is read behind the end is found out */
        if (length) memcpy(record, data, length);
        take(&once_log, bytes_of(record, length));
        free(record);
        data += length;
        size -= length;
    }
    require_whole(once_log);
    once_log_end(&once_log);
    require_same(allocations_count(), 0, "allocations that are left");
    return 0;
}
