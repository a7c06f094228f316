#include "core/things.h"

#include "core/hash.h"
#include "core/memory.h"

#include <string.h>

static void clear_slots(struct things *things) {
    memset(things->slots, 0, 2 * things->capacity * sizeof(*things->slots));
}

void things_start(struct things *things) {
    things->items = things->few;
    things->slots = things->few_slots;
    things->count = 0;
    things->capacity = THINGS_FEW;
    things->collision.noun = NULL;
    things->key = bytes_of("", 0);
    things->key_hash = 0;
    things->place = 0;
    things->listed = 0;
    arena_start(&things->arena);
    clear_slots(things);
}

static void free_tables(struct things *things) {
    if (things->items == things->few) return;
    memory_free(things->items);
    memory_free(things->slots);
}

void things_end(struct things *things) {
    free_tables(things);
    arena_end(&things->arena);
}

void things_begin(struct things *things, struct bytes key, unsigned place) {
    things->place = place;
    if (bytes_equal(things->key, key)) return;
    things->key = key;
    things->key_hash = hash_bytes(key) * 31;
}

char *things_alloc(struct things *things, size_t bytes) {
    return arena_alloc(&things->arena, bytes);
}

static uint32_t *slot_of(const struct things *things, const struct thing *thing) {
    const size_t mask = 2 * things->capacity - 1;
    size_t at = thing->hash & mask;
    for (; things->slots[at]; at = (at + 1) & mask) {
        const struct thing *there = &things->items[things->slots[at] - 1];
        if (there->hash == thing->hash && !strcmp(there->noun, thing->noun) &&
            bytes_equal(there->name, thing->name) && bytes_equal(there->part, thing->part) &&
            bytes_equal(there->key, thing->key))
            break;
    }
    return &things->slots[at];
}

static void double_capacity(struct things *things) {
    struct things before = {.items = things->items, .slots = things->slots, .count = things->count};
    bool were_few = things->items == things->few;
    things->capacity *= 2;
    things->items = memory_alloc(things->capacity * sizeof(*things->items));
    things->slots = memory_alloc(2 * things->capacity * sizeof(*things->slots));
    clear_slots(things);
    memcpy(things->items, before.items, before.count * sizeof(*before.items));
    for (size_t i = 0; i < things->count; i++) *slot_of(things, &things->items[i]) = (uint32_t)i + 1;
    if (were_few) return;
    memory_free(before.items);
    memory_free(before.slots);
}

static void add_thing(struct things *things, struct thing thing) {
    if (things->count == things->capacity) double_capacity(things);
    thing.key = things->key;
    thing.place = things->place;
    thing.hash = things->key_hash + hash_bytes(thing.name) + (thing.part.length ? hash_bytes(thing.part) : 0);
    uint32_t *slot = slot_of(things, &thing);
    if (!*slot) {
        things->items[things->count++] = thing;
        *slot = (uint32_t)things->count;
        return;
    }
    const struct thing *there = &things->items[*slot - 1];
    bool goes_together = there->place == thing.place || (there->shared && thing.shared);
    if (things->collision.noun || goes_together) return;
    things->collision = (struct collision){thing.noun, thing.place, there->place};
}

void things_add(struct things *things, const char *noun, struct bytes name) {
    add_thing(things, (struct thing){.noun = noun, .name = name, .part = {"", 0}});
}

void things_add_part(struct things *things, const char *noun, struct bytes name, struct bytes part) {
    add_thing(things, (struct thing){.noun = noun, .name = name, .part = part});
}

void things_share(struct things *things, const char *noun, struct bytes name) {
    add_thing(things, (struct thing){.noun = noun, .name = name, .part = {"", 0}, .shared = true});
}

void things_list(struct things *things, size_t count, size_t max) {
    things->listed += count * (LISTED_MAX / max);
}
