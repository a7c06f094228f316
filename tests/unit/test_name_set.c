/* Sets of names against a plain array: few, more than a few, and as many as there may be. */
#include "table/name_set.h"

#include "dice.h"
#include "unit.h"

#include <stdio.h>

enum { NAME_LENGTH = 16, STOCK = 400 };

static char stock[STOCK][NAME_LENGTH];

static void fill_stock(void) {
    for (int i = 0; i < STOCK; i++) (void)snprintf(stock[i], NAME_LENGTH, "n%d", i);
}

TEST(a_name_set_has_the_names_that_were_added) {
    struct dice dice = {3};
    fill_stock();
    for (unsigned max = 0; max <= NAME_SET_MAX; max += max < 20 ? 1 : 47) {
        struct name_set set;
        bool there[STOCK] = {false};
        name_set_start(&set);
        while (set.count < max) {
            size_t number = dice_roll(&dice, STOCK);
            require_same(name_set_add(&set, bytes_text(stock[number])), !there[number], "%s, of %u",
                         stock[number], max);
            there[number] = true;
        }
        for (size_t i = 0; i < STOCK; i++)
            require_same(name_set_has(&set, bytes_text(stock[i])), there[i], "%s, of %u", stock[i], max);
        unsigned count = 0;
        for (size_t i = 0; i < STOCK; i++) count += there[i];
        require_same(set.count, count, "of %u", max);
    }
}

/* One begins like another, or is nothing. */
TEST(names_of_a_set_are_compared_in_full) {
    static const char *const names[] = {"", "a", "A", "aa", "aaa", "ab", "b", "ba"};
    fill_stock();
    for (int others = 0; others < 20; others += 19) {
        struct name_set set;
        name_set_start(&set);
        for (int i = 0; i < others; i++) require(name_set_add(&set, bytes_text(stock[i])), "%d", i);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
            require(!name_set_has(&set, bytes_text(names[i])), "'%s' beside %d", names[i], others);
            require(name_set_add(&set, bytes_text(names[i])), "'%s' beside %d", names[i], others);
            require(!name_set_add(&set, bytes_text(names[i])), "'%s' twice beside %d", names[i], others);
        }
    }
}
