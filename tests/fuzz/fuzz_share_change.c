/* Records of shares from outside, as many as the input has, each with its length in two bytes before it, and, where
 * bytes travel beside a record, these after it in the same way: what cannot be read is refused, what does not fit
 * does nothing, and whatever is left is whole, so that a file gives it back. */
#include "allocations.h"
#include "file/share.h"
#include "require.h"
#include "share_trial.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next piece, with its length before it; the last one may be cut. */
static struct bytes next_piece(struct bytes *input) {
    const char *at = input->data;
    if (input->length < 2) return *input = bytes_of("", 0);
    size_t length = (size_t)(unsigned char)at[0] << 8 | (unsigned char)at[1];
    if (length > input->length - 2) length = input->length - 2;
    *input = bytes_of(at + 2 + length, input->length - 2 - length);
    return bytes_of(at + 2, length);
}

static void take(struct share **share, struct bytes record, struct bytes *input) {
    struct share_change change;
    if (!change_read(&share_changes, record, &change)) return;
    struct bytes content =
        change_is(&share_changes, &change, CHANGE_HAS_CONTENT) ? next_piece(input) : bytes_of("", 0);
    share_trial_take(share, record, content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes input = bytes_of(data, size);
    struct share *share = NULL;
    allocations_forget();
    while (input.length >= 2) take(&share, next_piece(&input), &input);
    if (share) {
        share_require_whole(share);
        share_free(share);
    }
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
