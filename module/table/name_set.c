#include "table/name_set.h"

#include "core/hash.h"

void name_set_start(struct name_set *set) {
    set->count = 0;
    set->lengths = 0;
}

static unsigned find_among_few(const struct name_set *set, struct bytes name) {
    for (unsigned i = 0; i < set->count; i++)
        if (bytes_equal(set->names[i], name)) return i;
    return NAME_SET_NONE;
}

/* The slot of the name, or the free slot where it belongs. */
static unsigned name_slot(const struct name_set *set, struct bytes name) {
    unsigned slot = hash_bytes(name) % NAME_SET_SLOTS;
    while (set->slots[slot] && !bytes_equal(set->names[set->slots[slot] - 1], name))
        slot = (slot + 1) % NAME_SET_SLOTS;
    return slot;
}

static void fill_slots(struct name_set *set) {
    memset(set->slots, 0, sizeof(set->slots));
    for (unsigned i = 0; i < set->count; i++) set->slots[name_slot(set, set->names[i])] = (uint16_t)(i + 1);
}

unsigned name_set_search(const struct name_set *set, struct bytes name) {
    if (set->count <= NAME_SET_FEW) return find_among_few(set, name);
    unsigned number = set->slots[name_slot(set, name)];
    return number ? number - 1 : NAME_SET_NONE;
}

bool name_set_add(struct name_set *set, struct bytes name) {
    if (name_set_has(set, name)) return false;
    set->names[set->count++] = name;
    set->lengths |= name_set_length(name);
    if (set->count == NAME_SET_FEW + 1)
        fill_slots(set);
    else if (set->count > NAME_SET_FEW)
        set->slots[name_slot(set, name)] = (uint16_t)set->count;
    return true;
}
