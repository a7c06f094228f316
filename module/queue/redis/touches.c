/* QUEUE.* in transactions: the targets of a command, and its change after others were decided. */
#include "core/targets.h"
#include "queue/redis/queue_commands.h"

/* New messages have no names yet; a DEDUP id is one. */
void queue_put_touches(const struct call *call, struct targets *targets) {
    if (args_given(&call->args, SLOT_DEDUP)) targets_add(targets, "DEDUP id", call_option(call, SLOT_DEDUP));
    if (args_given(&call->args, SLOT_LIST))
        targets_list(targets, (size_t)call->args.slots[SLOT_LIST].count, QUEUE_BATCH_MAX);
}

/* Ids are compared as numbers. A word that is no id names nothing. */
static void add_message(const struct call *call, int at, struct targets *targets) {
    struct guid id;
    if (!guid_read(call_word(call, at), &id)) return;
    char *name = targets_alloc(targets, sizeof(id));
    memcpy(name, &id, sizeof(id));
    targets_add(targets, "message", bytes_of(name, sizeof(id)));
}

void queue_message_touches(const struct call *call, struct targets *targets) {
    add_message(call, ARG_ID, targets);
}

void queue_messages_touches(const struct call *call, struct targets *targets) {
    const struct argument *list = &call->args.slots[SLOT_LIST];
    targets_list(targets, (size_t)list->count, QUEUE_BATCH_MAX);
    for (int i = 0; i < list->count; i++) add_message(call, list->at + 2 * i, targets);
}

/* Pointers to messages stay valid: no two commands of a transaction may change the same one. But new messages get the
 * next order numbers after those of the commands before. */
bool queue_refresh(struct call *call, void *decided) {
    struct queue_change *change = decided;
    const struct queue *queue = call->value;
    if (change->kind == QUEUE_PUT) change->order = queue->next_order;
    return true;
}
