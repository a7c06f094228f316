/* The slot of a key, as servers compute it. */
#include "core/hash_slot.h"

#include "unit.h"

/* CLUSTER KEYSLOT says so. */
static const struct {
    const char *key;
    unsigned slot;
} known[] = {
    {"", 0},
    {"123456789", 12739},
    {"foo", 12182},
    {"{foo}", 12182},
    {"{foo}bar", 12182},
    {"bar{foo}", 12182},
    {"{foo}{bar}", 12182},
    {"{foo}}", 12182},
    {"{foo", 13308},
    {"foo}", 15679},
    {"f}o{o", 4378},
    {"{}foo", 9500},
    {"a{}{foo}", 700},
};

TEST(slots_are_those_of_servers) {
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        require_same(hash_slot(bytes_text(known[i].key)), known[i].slot, "the key '%s'", known[i].key);
}
