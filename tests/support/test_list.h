/* The tests of a program. TEST(title) { ... } defines one, and that is all: it puts itself on the list. They are played in the
 * order of the source, by the main() of tests/unit or of tests/server. */
#ifndef HOLDFAST_TESTS_TEST_LIST_H
#define HOLDFAST_TESTS_TEST_LIST_H

#include "cmocka_library.h"

#define TEST(title)                                                                                          \
    static void title(void **state);                                                                         \
    __attribute__((constructor)) static void list_##title(void) {                                            \
        test_list_add(#title, title, __LINE__);                                                              \
    }                                                                                                        \
    static void title(void **state __attribute__((unused)))

/* What each test of the program begins with: BEFORE_EACH { ... }, at most once. */
#define BEFORE_EACH                                                                                          \
    static void before_each(void);                                                                           \
    __attribute__((constructor)) static void list_before_each(void) {                                        \
        test_list_begin_with(before_each);                                                                   \
    }                                                                                                        \
    static void before_each(void)

void test_list_add(const char *title, CMUnitTestFunction test, int line);
void test_list_begin_with(void (*before_each)(void));

/* Each may be NULL. */
struct test_frame {
    CMFixtureFunction before_each, after_each, before_all, after_all;
};

/* Plays the list, and answers how many tests failed. */
int test_list_play(const struct test_frame *frame);

#endif
