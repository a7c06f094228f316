#include "core/targets.h"

#include "core/hash.h"

enum { TARGETS_FIRST = 16 };

void targets_start(struct targets *targets) {
    targets->count = targets->capacity = 0;
    targets->collision.noun = NULL;
    targets->key = bytes_of("", 0);
    targets->key_hash = 0;
    targets->place = 0;
    targets->listed = 0;
    arena_start(&targets->arena);
}

void targets_end(struct targets *targets) {
    arena_end(&targets->arena);
}

void targets_begin(struct targets *targets, struct bytes key, unsigned place) {
    targets->place = place;
    if (bytes_equal(targets->key, key)) return;
    targets->key = key;
    targets->key_hash = hash_bytes(key) * 31;
}

char *targets_alloc(struct targets *targets, size_t bytes) {
    return arena_alloc(&targets->arena, bytes);
}

static uint32_t *slot_of(const struct targets *targets, const struct target *target) {
    const size_t mask = 2 * targets->capacity - 1;
    size_t at = target->hash & mask;
    for (; targets->slots[at]; at = (at + 1) & mask) {
        const struct target *there = &targets->items[targets->slots[at] - 1];
        if (there->hash == target->hash && !strcmp(there->noun, target->noun) &&
            bytes_equal(there->name, target->name) && bytes_equal(there->part, target->part) &&
            bytes_equal(there->key, target->key))
            break;
    }
    return &targets->slots[at];
}

/* Earlier tables stay in the arena, and take no more than the new ones. */
static void grow_tables(struct targets *targets) {
    const struct target *before = targets->items;
    targets->capacity = targets->capacity ? 2 * targets->capacity : TARGETS_FIRST;
    targets->items = arena_alloc(&targets->arena, targets->capacity * sizeof(*targets->items));
    targets->slots = arena_zeroed(&targets->arena, 2 * targets->capacity * sizeof(*targets->slots));
    for (size_t i = 0; i < targets->count; i++) {
        targets->items[i] = before[i];
        *slot_of(targets, &before[i]) = (uint32_t)i + 1;
    }
}

static void add_target(struct targets *targets, struct target target) {
    if (targets->count == targets->capacity) grow_tables(targets);
    target.key = targets->key;
    target.place = targets->place;
    target.hash =
        targets->key_hash + hash_bytes(target.name) + (target.part.length ? hash_bytes(target.part) : 0);
    uint32_t *slot = slot_of(targets, &target);
    if (!*slot) {
        targets->items[targets->count++] = target;
        *slot = (uint32_t)targets->count;
        return;
    }
    struct target *there = &targets->items[*slot - 1];
    bool both_share = there->shared && target.shared;
    if (there->place == target.place) there->shared = both_share;
    if (targets->collision.noun || there->place == target.place || both_share) return;
    targets->collision = (struct collision){target.noun, target.place, there->place};
}

void targets_add(struct targets *targets, const char *noun, struct bytes name) {
    add_target(targets, (struct target){.noun = noun, .name = name, .part = {"", 0}});
}

void targets_add_part(struct targets *targets, const char *noun, struct bytes name, struct bytes part) {
    add_target(targets, (struct target){.noun = noun, .name = name, .part = part});
}

void targets_share(struct targets *targets, const char *noun, struct bytes name) {
    add_target(targets, (struct target){.noun = noun, .name = name, .part = {"", 0}, .shared = true});
}

void targets_list(struct targets *targets, size_t count, size_t max) {
    targets->listed += count * (LISTED_MAX / max);
}
