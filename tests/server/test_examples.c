/* The examples of the pages: each is sent to a server, and what it answers is what the page shows. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "example.h"
#include "pool.h"
#include "text.h"
#include "world.h"

static bool is_example(const struct fence *fence) {
    return text_begins(fence->info, "redis") && !strstr(fence->info, "not run");
}

/* The examples of a page build on each other; one that says 'fresh' begins with nothing. */
static void begin(struct reading *reading, bool is_resp3) {
    expect_ok(call(primary, "FLUSHALL"));
    *reading = (struct reading){.server = primary->server, .is_resp3 = is_resp3};
}

static void play_page(struct text *faults, const struct page *page, bool is_resp3) {
    struct fences fences = fences_of(page);
    struct reading reading;
    begin(&reading, is_resp3);
    for (size_t index = 0; index < fences.count; index++) {
        const struct fence *fence = &fences.fence[index];
        if (!is_example(fence)) continue;
        if (strstr(fence->info, "fresh")) begin(&reading, is_resp3);
        const char *fault = example_play(&reading, fence);
        if (fault) text_print(faults, "%s:%zu: %s\n", fence->path, fence->line, fault);
        if (fault) return;
    }
}

static void play_all(bool is_resp3) {
    struct pages pages = pages_read();
    struct text faults = {0};
    text_add(&faults, "", 0);
    for (size_t index = 0; index < pages.count; index++) play_page(&faults, &pages.page[index], is_resp3);
    require(!faults.length, "%s", faults.bytes);
}

SCENE(the_examples_answer_what_they_show) {
    play_all(false);
}

SCENE(they_answer_the_same_in_resp3) {
    play_all(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {PLAY(the_examples_answer_what_they_show),
                                       PLAY(they_answer_the_same_in_resp3)};
    return world_run("examples", tests);
}
