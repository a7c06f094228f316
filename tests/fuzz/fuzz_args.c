/* Words from outside against the grammars of the tests: whatever they are, the parse is sound.
 *
 * The first byte chooses the grammar; the rest is split into words at line ends. */
#include "ccan/array_size/array_size.h"
#include "require.h"
#include "sample_grammar.h"

#include <stdint.h>

enum { WORDS_MAX = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int split(struct bytes text, struct bytes *argv) {
    int argc = 0;
    argv[argc++] = bytes_text("COMMAND");
    while (text.length && argc < WORDS_MAX) {
        const char *end = memchr(text.data, '\n', text.length);
        size_t length = end ? (size_t)(end - text.data) : text.length;
        argv[argc++] = bytes_of(text.data, length);
        length += end != NULL;
        text = bytes_of(text.data + length, text.length - length);
    }
    return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct grammar *const grammars[] = {&sample_grammar, &needy_grammar, &rest_grammar, &list_grammar,
                                               &paired_grammar};
    struct bytes argv[WORDS_MAX];
    struct args args;
    if (!size) return 0;
    struct grammar *grammar = grammars[data[0] % ARRAY_SIZE(grammars)];
    int argc = split(bytes_of(data + 1, size - 1), argv);
    if (argc < args_min(grammar)) return 0;
    struct fault fault = {.outcome = OUTCOME_DONE};
    args_learn(grammar);
    args_parse(grammar, argv, argc, &args, &fault);
    args_require_sound(grammar, argv, argc, &args, &fault);
    return 0;
}
