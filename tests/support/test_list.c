#define _GNU_SOURCE
#include "test_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TESTS_MAX = 100 };

static struct CMUnitTest tests[TESTS_MAX];
static CMUnitTestFunction functions[TESTS_MAX];
static int lines[TESTS_MAX];
static size_t count;
static void (*beginning)(void);

static void play_test(void **state) {
    const CMUnitTestFunction *function = *state;
    if (beginning) beginning();
    (*function)(state);
}

void test_list_begin_with(void (*before_each)(void)) {
    beginning = before_each;
}

/* Compilers may have constructors run in any order. */
void test_list_add(const char *title, CMUnitTestFunction test, int line) {
    size_t at = count++;
    if (at == TESTS_MAX) abort();
    for (; at && lines[at - 1] > line; at--) {
        tests[at].name = tests[at - 1].name;
        functions[at] = functions[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at] = (struct CMUnitTest){.name = title, .test_func = play_test, .initial_state = &functions[at]};
    functions[at] = test;
    lines[at] = line;
}

int test_list_play(const struct test_frame *frame) {
    for (size_t i = 0; i < count; i++) {
        tests[i].setup_func = frame->before_each;
        tests[i].teardown_func = frame->after_each;
    }
    return _cmocka_run_group_tests(program_invocation_short_name, tests, count, frame->before_all,
                                   frame->after_all);
}
