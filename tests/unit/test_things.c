/* Things: what several commands change is found to be the same, or not, however many there are. */
#include "core/things.h"

#include "unit.h"

#include <stdio.h>

static struct bytes text(const char *text) {
    return bytes_text(text);
}

static void the_first_collision_is_told(void **state) {
    (void)state;
    struct things things;
    things_start(&things);
    things_begin(&things, text("k"), 0);
    things_add(&things, "cup", text("a"));
    things_begin(&things, text("k"), 3);
    things_add(&things, "cup", text("b"));
    require_same(things.collision.noun != NULL, false, "two cups");
    things_add(&things, "cup", text("a"));
    things_begin(&things, text("k"), 4);
    things_add(&things, "cup", text("b"));
    require_same(things.collision.place, 3, "the later place");
    require_same(things.collision.earlier, 0, "the earlier place");
    things_end(&things);
    require_same(allocations_count(), 0, "allocations");
}

/* Noun, key, name and part all count. */
static void what_differs_in_anything_does_not_collide(void **state) {
    (void)state;
    struct things things;
    things_start(&things);
    things_begin(&things, text("k"), 0);
    things_add(&things, "cup", text("a"));
    things_begin(&things, text("k"), 1);
    things_add(&things, "can", text("a"));
    things_add_part(&things, "cup", text("a"), text("ear"));
    things_add_part(&things, "cup", text("ae"), text("ar"));
    things_begin(&things, text("l"), 2);
    things_add(&things, "cup", text("a"));
    things_add(&things, "cup", text(""));
    require_same(things.collision.noun != NULL, false, "collisions");
    things_begin(&things, text("k"), 3);
    things_add_part(&things, "cup", text("a"), text("ear"));
    require_same(things.collision.earlier, 1, "the part");
    things_end(&things);
}

static void several_share_and_nobody_takes_all(void **state) {
    (void)state;
    for (int first = 0; first < 2; first++)
        for (int second = 0; second < 2; second++) {
            struct things things;
            things_start(&things);
            for (unsigned place = 0; place < 2; place++) {
                things_begin(&things, text("k"), place);
                if (place ? second : first)
                    things_share(&things, "cup", text("a"));
                else
                    things_add(&things, "cup", text("a"));
            }
            require_same(things.collision.noun != NULL, !(first && second), "shared %d and %d", first,
                         second);
            things_end(&things);
        }
}

static void a_command_may_name_a_thing_twice(void **state) {
    (void)state;
    struct things things;
    things_start(&things);
    things_begin(&things, text("k"), 0);
    things_add(&things, "cup", text("a"));
    things_add(&things, "cup", text("a"));
    require_same(things.collision.noun != NULL, false, "collisions");
    things_end(&things);
}

enum { MANY = 5000 };

static void thousands_of_things_are_told_apart(void **state) {
    (void)state;
    struct things things;
    things_start(&things);
    for (unsigned i = 0; i < MANY; i++) {
        char *name = things_alloc(&things, 16);
        things_begin(&things, text("k"), i);
        things_add(&things, "cup", bytes_of(name, (size_t)snprintf(name, 16, "%u", i)));
    }
    require_same(things.collision.noun != NULL, false, "collisions");
    things_begin(&things, text("k"), MANY);
    things_add(&things, "cup", text("1234"));
    require_same(things.collision.earlier, 1234, "the earlier place");
    things_end(&things);
    require_same(allocations_count(), 0, "allocations");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        tidy_test(the_first_collision_is_told),        tidy_test(what_differs_in_anything_does_not_collide),
        tidy_test(several_share_and_nobody_takes_all), tidy_test(a_command_may_name_a_thing_twice),
        tidy_test(thousands_of_things_are_told_apart),
    };
    return cmocka_run_group_tests_name("things", tests, NULL, NULL);
}
