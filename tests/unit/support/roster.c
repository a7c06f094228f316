#include "roster.h"

#include <stdio.h>
#include <stdlib.h>

struct entry *entry_new(struct bytes name, uint32_t hash) {
    struct entry *entry = malloc(sizeof(*entry) + name.length);
    if (!entry) abort();
    *entry = (struct entry){.hash = hash, .name_length = (uint16_t)name.length, .name_at = sizeof(*entry)};
    if (name.length) memcpy(entry + 1, name.data, name.length);
    return entry;
}

struct entry *entry_move(struct entry *entry) {
    struct entry *moved = entry_new(entry_name(entry), entry->hash);
    free(entry);
    return moved;
}

void entry_free(struct entry *entry) {
    free(entry);
}

size_t roster_place(const struct roster *roster, struct bytes name) {
    size_t low = 0, high = roster->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (bytes_compare(entry_name(roster->entries[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct entry *roster_find(const struct roster *roster, struct bytes name) {
    size_t place = roster_place(roster, name);
    bool there = place < roster->count && bytes_equal(entry_name(roster->entries[place]), name);
    return there ? roster->entries[place] : NULL;
}

void roster_add(struct roster *roster, struct entry *entry) {
    size_t place = roster_place(roster, entry_name(entry));
    if (roster->count == roster->capacity) {
        roster->capacity = roster->capacity * 2 + 16;
        struct entry **grown = realloc(roster->entries, roster->capacity * sizeof(*grown));
        if (!grown) abort();
        roster->entries = grown;
    }
    struct entry **at = &roster->entries[place];
    memmove(at + 1, at, (roster->count - place) * sizeof(*at));
    *at = entry;
    roster->count++;
}

void roster_remove(struct roster *roster, size_t place) {
    struct entry **at = &roster->entries[place];
    roster->count--;
    memmove(at, at + 1, (roster->count - place) * sizeof(*at));
}

void roster_free(struct roster *roster) {
    for (size_t i = 0; i < roster->count; i++) entry_free(roster->entries[i]);
    free(roster->entries);
    *roster = (struct roster){NULL, 0, 0};
}

struct bytes name_draw(struct dice *dice, char room[NAME_ROOM]) {
    size_t length = 1 + dice_roll(dice, 8);
    switch (dice_roll(dice, 8)) {
    case 0: dice_fill(dice, room, length); return bytes_of(room, length);
    case 1: /* differs only far behind its beginning */
        memset(room, 'x', NAME_ROOM);
        room[NAME_ROOM - 1 - dice_roll(dice, 3)] = (char)dice_word(dice);
        return bytes_of(room, NAME_ROOM - dice_roll(dice, 2));
    case 2: memset(room, (int)dice_roll(dice, 3) * 127, 1); return bytes_of(room, 1);
    case 3: /* each is the beginning of all the longer ones */
        memset(room, 'a', NAME_ROOM);
        return bytes_of(room, 1 + dice_roll(dice, 200));
    default:
        for (size_t i = 0; i < length; i++) room[i] = "ab/\xff"[dice_roll(dice, 4)];
        return bytes_of(room, length);
    }
}

struct bytes name_numbered(size_t n, char room[NAME_ROOM]) {
    int length = snprintf(room, NAME_ROOM, "object/%08zx", n * 0x9e3779b1U & 0xffffffffU);
    return bytes_of(room, (size_t)length);
}
