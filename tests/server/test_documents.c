/* The pages show the grammar that the module really has, each command on one line of its own. */
#include <stdio.h>
#include <string.h>

#include "grammar.h"
#include "pages.h"
#include "pool.h"
#include "text.h"
#include "world.h"

static bool pages_show(const struct pages *pages, const char *line) {
    for (size_t index = 0; index < pages->count; index++) {
        if (strstr(pages->page[index].text, line)) return true;
    }
    return false;
}

SCENE(the_reference_shows_every_command_as_it_is) {
    struct pages pages = pages_read();
    struct words commands = grammar_commands(primary);
    struct text missing = {0};
    text_add(&missing, "", 0);
    for (size_t index = 0; index < commands.count; index++) {
        if (!strcmp(commands.word[index], "HOLDFAST.APPLY")) continue;
        struct grammar grammar = grammar_of(primary->server, commands.word[index]);
        const char *line = pool_print("`%s`", grammar_line(&grammar));
        if (!pages_show(&pages, line)) text_print(&missing, "\n%s", line);
    }
    require(!missing.length, "the pages lack:%s", missing.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {PLAY(the_reference_shows_every_command_as_it_is)};
    return world_run("documents", tests);
}
