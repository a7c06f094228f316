#include "blob/load_sequence.h"

#include "blob/container_walk.h"

/* Names must not decrease; a greater one begins another blob. */
static bool name_keeps(struct load_sequence *order, struct bytes name) {
    int compared = bytes_compare(bytes_of(order->name, order->length), name);
    if (compared > 0) return false;
    if (compared == 0) return true;
    memcpy(order->name, name.data, name.length);
    order->length = name.length;
    order->stage = STAGE_TAKEN;
    return true;
}

static bool state_keeps(struct load_sequence *order, const struct container_change *change) {
    bool kept = change->parts & STATE_KEEPS_CONTENT;
    if (order->stage != STAGE_TAKEN) return false;
    order->stage = kept || change->kind == BLOB_PUT ? STAGE_WHOLE : STAGE_OPEN;
    return true;
}

/* Work for a list may exceed its length by far, so only the last list of a content may be short. */
static bool list_keeps(struct load_sequence *order, const struct container_change *change) {
    if (order->stage != STAGE_OPEN) return false;
    if (change->list.count < WALK_LIST_MAX) order->stage = STAGE_WHOLE;
    return true;
}

static bool blob_keeps(struct load_sequence *order, const struct container_change *change) {
    switch (change->kind) {
    case BLOB_PUT:
    case BLOB_STATE: return state_keeps(order, change);
    case BLOB_SPANS:
    case BLOB_BLOCKS:
    case BLOB_LEAVES: return list_keeps(order, change);
    case BLOB_SNAPSHOT:
        if (order->stage == STAGE_TAKEN) return false;
        order->stage = STAGE_TAKEN;
        return true;
    default: return true; /* parts of a blob, which have all their bytes with them */
    }
}

bool load_sequence_keeps(struct load_sequence *order, const struct container_change *change) {
    if (change->kind == CONTAINER_CREATE) {
        bool first = !order->created;
        order->created = true;
        return first;
    }
    if (!order->created || !change_is(&container_changes, change, CHANGE_IN_FILES)) return false;
    bool leads = change->kind == CONTAINER_LEASE || change->kind == CONTAINER_FEEDSTATE ||
                 change->kind == CONTAINER_FEEDMARKERS;
    if (leads) return !order->length;
    if (!container_change_has_name(change)) return true;
    return name_keeps(order, change->name) && blob_keeps(order, change);
}
