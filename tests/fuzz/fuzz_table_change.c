/* Records of tables from outside, as many as the input has, each with its length in two bytes before it: what cannot be
 * read is refused, what can be read is written as the same again, and a table takes it as its naive model does. */
#include "allocations.h"
#include "change_again.h"
#include "require.h"
#include "table_trial.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(struct table_trial *trial, struct bytes record) {
    struct table_change change;
    if (!change_read(&table_changes, record, &change)) return;
    change_require_repeatable(&table_changes, &change);
    if (change.kind == TABLE_CREATE) table_free(table_new(&change));
    table_trial_apply(trial, &change);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct table_trial trial;
    allocations_forget();
    table_trial_start(&trial);
    while (size >= 2) {
        size_t length = (size_t)data[0] << 8 | data[1];
        if (length > size - 2) length = size - 2;
        take(&trial, bytes_of(data + 2, length));
        data += 2 + length;
        size -= 2 + length;
    }
    table_trial_compare(&trial);
    table_trial_rebuild(&trial);
    table_trial_copy(&trial);
    table_trial_end(&trial);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
