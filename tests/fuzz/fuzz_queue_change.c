/* Records of queues from outside, as many as the input has, each with its length in two bytes before it: what cannot be
 * read is refused, what does not fit does nothing, and what is left is whole. */
#include "allocations.h"
#include "ccan/array_size/array_size.h"
#include "change_again.h"
#include "queue/queue.h"
#include "queue_trial.h"
#include "require.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Everything that can be asked of a queue, and that what it says of itself can be read back. */
static void require_whole(const struct queue *queue) {
    static const int64_t instants_ms[] = {0, 1000, 1001, 5000, QUEUE_FOREVER_MS};
    for (size_t i = 0; i < ARRAY_SIZE(instants_ms); i++) {
        struct queue_depth depth = queue_depth(queue, instants_ms[i]);
        struct visible_walk visible;
        struct message_walk dead;
        queue_walk_visible(queue, instants_ms[i], &visible);
        while (message_walk_next(&visible.messages)) depth.visible--;
        visible_walk_end(&visible);
        queue_walk_dead(queue, instants_ms[i], &dead);
        while (message_walk_next(&dead)) depth.dead--;
        require(!depth.visible && !depth.dead, "not as many as were counted");
    }
    struct queue *copy = queue_copy(queue);
    require_same(message_store_count(&copy->live), message_store_count(&queue->live), "messages of a copy");
    require_same(message_store_count(&copy->dead), message_store_count(&queue->dead),
                 "dead letters of a copy");
    queue_free(copy);
}

static void take(struct queue *queue, struct bytes record) {
    struct queue_change change;
    if (!change_read(&queue_changes, record, &change)) return;
    change_require_repeatable(&queue_changes, &change);
    queue_apply(queue, &change);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    allocations_forget();
    struct queue *queue = queue_new(&(struct queue_change){.kind = QUEUE_CREATE, .order = 5});
    while (size >= 2) {
        size_t length = (size_t)data[0] << 8 | data[1];
        if (length > size - 2) length = size - 2;
        take(queue, bytes_of(data + 2, length));
        data += 2 + length;
        size -= 2 + length;
    }
    require_whole(queue);
    queue_free(queue);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
