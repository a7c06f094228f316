#include "atomic.h"

#include "steps.h"

static void add_all(struct words *words, const struct words *more) {
    for (size_t i = 0; i < more->count; i++) words_add_bytes(words, more->word[i], more->length[i]);
}

struct words atomic_words(const char *const *lines) {
    struct words whole = words_of_line("HOLDFAST.ATOMIC");
    long long count = 0;
    while (lines[count]) count++;
    words_add_number(&whole, count);
    for (; *lines; lines++) {
        struct words one = step_words(*lines);
        words_add_number(&whole, (long long)one.count);
        add_all(&whole, &one);
    }
    return whole;
}

redisReply *atomic_of(struct client *client, const char *const *lines) {
    struct words words = atomic_words(lines);
    return call_words(client, &words);
}
