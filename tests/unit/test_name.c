/* Names of blobs: 1 to 1024 bytes of any kind, at most 254 segments. */
#include "core/name.h"

#include "unit.h"

/* A name of this many bytes, this many of them slashes at its beginning. */
static enum outcome check(size_t length, size_t slashes) {
    static char room[NAME_MAX_BYTES + 8];
    memset(room, 'n', sizeof(room));
    memset(room, '/', slashes);
    return name_check(bytes_of(room, length));
}

static const struct {
    size_t length, slashes;
    enum outcome outcome;
} rules[] = {
    {0, 0, OUTCOME_OUT_OF_RANGE_INPUT},
    {1, 0, OUTCOME_DONE},
    {1, 1, OUTCOME_DONE},
    {1023, 0, OUTCOME_DONE},
    {1024, 0, OUTCOME_DONE},
    {1025, 0, OUTCOME_OUT_OF_RANGE_INPUT},
    {252, 252, OUTCOME_DONE},
    {253, 253, OUTCOME_DONE}, /* 254 segments, all of them empty */
    {254, 253, OUTCOME_DONE},
    {254, 254, OUTCOME_INVALID_URI},
    {255, 254, OUTCOME_INVALID_URI},
    {1024, 253, OUTCOME_DONE},
    {1024, 254, OUTCOME_INVALID_URI},
    {1024, 1024, OUTCOME_INVALID_URI},
    {1025, 254, OUTCOME_OUT_OF_RANGE_INPUT},
};

TEST(names_keep_their_limits) {
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
        require_same(check(rules[i].length, rules[i].slashes), rules[i].outcome, "%zu bytes, %zu slashes",
                     rules[i].length, rules[i].slashes);
}

TEST(slashes_of_a_name_count_wherever_they_are) {
    char name[NAME_MAX_BYTES];
    for (size_t i = 0; i < sizeof(name); i++) name[i] = i % 4 == 3 ? '/' : 'x';
    require_same(name_check(bytes_of(name, 1015)), OUTCOME_DONE, "253 slashes, the last one far behind");
    require_same(name_check(bytes_of(name, 1016)), OUTCOME_INVALID_URI,
                 "254 slashes, the last one at the end");
}

TEST(names_take_every_byte) {
    for (int c = 0; c < 256; c++) {
        char name = (char)c;
        require_same(name_check(bytes_of(&name, 1)), OUTCOME_DONE, "the byte %d", c);
    }
}
