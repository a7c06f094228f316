/* Targets: what several commands change is found to be the same, or not, however many there are. */
#include "core/targets.h"

#include "unit.h"

#include <stdio.h>

static struct bytes text(const char *text) {
    return bytes_text(text);
}

TEST(the_first_collision_is_told) {
    struct targets targets;
    targets_start(&targets);
    targets_begin(&targets, text("k"), 0);
    targets_add(&targets, "cup", text("a"));
    targets_begin(&targets, text("k"), 3);
    targets_add(&targets, "cup", text("b"));
    require_same(targets.collision.noun != NULL, false, "two cups");
    targets_add(&targets, "cup", text("a"));
    targets_begin(&targets, text("k"), 4);
    targets_add(&targets, "cup", text("b"));
    require_same(targets.collision.place, 3, "the later place");
    require_same(targets.collision.earlier, 0, "the earlier place");
    targets_end(&targets);
    require_same(allocations_count(), 0, "allocations");
}

/* Noun, key, name and part all count. */
TEST(targets_that_differ_do_not_collide) {
    struct targets targets ENDS_BY(targets_end);
    targets_start(&targets);
    targets_begin(&targets, text("k"), 0);
    targets_add(&targets, "cup", text("a"));
    targets_begin(&targets, text("k"), 1);
    targets_add(&targets, "can", text("a"));
    targets_add_part(&targets, "cup", text("a"), text("ear"));
    targets_add_part(&targets, "cup", text("ae"), text("ar"));
    targets_begin(&targets, text("l"), 2);
    targets_add(&targets, "cup", text("a"));
    targets_add(&targets, "cup", text(""));
    require_same(targets.collision.noun != NULL, false, "collisions");
    targets_begin(&targets, text("k"), 3);
    targets_add_part(&targets, "cup", text("a"), text("ear"));
    require_same(targets.collision.earlier, 1, "the part");
}

TEST(several_commands_may_share_a_target_that_none_changes_alone) {
    for (int first = 0; first < 2; first++)
        for (int second = 0; second < 2; second++) {
            struct targets targets ENDS_BY(targets_end);
            targets_start(&targets);
            for (unsigned place = 0; place < 2; place++) {
                targets_begin(&targets, text("k"), place);
                if (place ? second : first)
                    targets_share(&targets, "cup", text("a"));
                else
                    targets_add(&targets, "cup", text("a"));
            }
            require_same(targets.collision.noun != NULL, !(first && second), "shared %d and %d", first,
                         second);
        }
}

/* The stricter of its claims counts. */
TEST(a_command_that_shares_a_target_may_change_it_alone_too) {
    for (int alone_first = 0; alone_first < 2; alone_first++) {
        struct targets targets ENDS_BY(targets_end);
        targets_start(&targets);
        targets_begin(&targets, text("k"), 0);
        if (alone_first) targets_add(&targets, "cup", text("a"));
        targets_share(&targets, "cup", text("a"));
        if (!alone_first) targets_add(&targets, "cup", text("a"));
        require_same(targets.collision.noun != NULL, false, "collisions with itself");
        targets_begin(&targets, text("k"), 1);
        targets_share(&targets, "cup", text("a"));
        require_same(targets.collision.noun != NULL, true, "collisions, alone first: %d", alone_first);
    }
}

TEST(a_command_may_name_a_target_twice) {
    struct targets targets ENDS_BY(targets_end);
    targets_start(&targets);
    targets_begin(&targets, text("k"), 0);
    targets_add(&targets, "cup", text("a"));
    targets_add(&targets, "cup", text("a"));
    require_same(targets.collision.noun != NULL, false, "collisions");
}

enum { MANY = 5000 };

TEST(thousands_of_targets_are_told_apart) {
    struct targets targets;
    targets_start(&targets);
    for (unsigned i = 0; i < MANY; i++) {
        char *name = targets_alloc(&targets, 16);
        targets_begin(&targets, text("k"), i);
        targets_add(&targets, "cup", bytes_of(name, (size_t)snprintf(name, 16, "%u", i)));
    }
    require_same(targets.collision.noun != NULL, false, "collisions");
    targets_begin(&targets, text("k"), MANY);
    targets_add(&targets, "cup", text("1234"));
    require_same(targets.collision.earlier, 1234, "the earlier place");
    targets_end(&targets);
    require_same(allocations_count(), 0, "allocations");
}
