/* The README's reference shows the grammar that the module really has, each command on one line of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar.h"
#include "pool.h"
#include "text.h"
#include "world.h"

static const char *readme(void) {
    const char *path = getenv("HOLDFAST_README");
    if (!path || !*path) path = "README.md";
    FILE *file = fopen(path, "r");
    require(file, "no file %s", path);
    struct text text = {0};
    text_add(&text, "", 0);
    char part[4096];
    for (size_t length = fread(part, 1, sizeof part, file); length;
         length = fread(part, 1, sizeof part, file)) {
        text_add(&text, part, length);
    }
    fclose(file);
    return text.bytes;
}

SCENE(the_reference_shows_every_command_as_it_is) {
    const char *text = readme();
    struct words commands = grammar_commands(primary);
    struct text missing = {0};
    text_add(&missing, "", 0);
    for (size_t index = 0; index < commands.count; index++) {
        if (!strcmp(commands.word[index], "HOLDFAST.APPLY")) continue;
        struct grammar grammar = grammar_of(primary->server, commands.word[index]);
        const char *line = pool_print("`%s`", grammar_line(&grammar));
        if (!strstr(text, line)) text_print(&missing, "\n%s", line);
    }
    require(!missing.length, "the README lacks:%s", missing.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {PLAY(the_reference_shows_every_command_as_it_is)};
    return world_run("documents", tests);
}
