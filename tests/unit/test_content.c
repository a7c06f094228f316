/* Contents: ropes of chunks against plain arrays of bytes. */
#include "core/content.h"

#include "core/memory.h"
#include "dice.h"
#include "unit.h"

#include <stdlib.h>

enum {
    CONTENTS = 4,
    PIECES_MOST = 40,
    PIECE_BYTES_MOST = 300,
    BYTES_MOST = PIECES_MOST * PIECE_BYTES_MOST,
    VIEW_BYTES_MOST = 2 * PIECE_BYTES_MOST,
};

/* A content, and the bytes that it should have. */
struct twin {
    struct content content;
    size_t length, pieces;
    char bytes[BYTES_MOST];
};

static struct chunk *chunk_of_some_kind(struct dice *dice, struct bytes bytes) {
    if (dice_percent(dice, 50)) return chunk_copy(bytes);
    void *owner = owner_new(bytes);
    return chunk_adopt(owner, owner_bytes(owner), memory_size(owner));
}

static void append(struct twin *twin, struct dice *dice) {
    if (twin->pieces == PIECES_MOST) return;
    size_t length = dice_percent(dice, 5) ? 0 : 1 + dice_roll(dice, PIECE_BYTES_MOST);
    dice_fill(dice, twin->bytes + twin->length, length);
    content_append(&twin->content, chunk_of_some_kind(dice, bytes_of(twin->bytes + twin->length, length)));
    twin->length += length;
    twin->pieces++;
}

static void clear(struct twin *twin) {
    content_clear(&twin->content);
    twin->length = 0;
    twin->pieces = 0;
}

static void share(struct twin *to, const struct twin *from) {
    if (to == from) return;
    clear(to);
    content_share(&to->content, &from->content);
    to->length = from->length;
    to->pieces = from->pieces;
    memcpy(to->bytes, from->bytes, from->length);
}

/* A view is a run of the bytes, not longer than asked for, and not empty where there is something. */
static void compare_view(const struct twin *twin, uint64_t offset, uint64_t length) {
    struct bytes view = content_view(&twin->content, offset, length);
    require(view.length <= length, "a view of %llu bytes has %zu", (unsigned long long)length, view.length);
    require(view.data, "a view has no place");
    if (offset >= twin->length || length == 0) {
        require_same(view.length, 0, "behind the end, or of nothing");
        return;
    }
    require(view.length && view.length <= twin->length - offset, "a view at %llu of %zu has %zu bytes",
            (unsigned long long)offset, twin->length, view.length);
    require_bytes(view, bytes_of(twin->bytes + offset, view.length), "a view at %llu",
                  (unsigned long long)offset);
}

/* Walks over all pieces; there are no more steps than pieces. */
static void compare_whole(const struct twin *twin) {
    require_same(twin->content.length, twin->length, "the length");
    size_t at = 0, steps = 0;
    while (at < twin->length) {
        struct bytes view = content_view(&twin->content, at, UINT64_MAX);
        compare_view(twin, at, UINT64_MAX);
        at += view.length;
        steps++;
    }
    require(steps <= twin->pieces, "%zu pieces are seen in %zu steps", twin->pieces, steps);
}

static void random_contents_equal_arrays(void **state) {
    (void)state;
    static struct twin twins[CONTENTS];
    struct dice dice = {11};
    for (int step = 0; step < 20000; step++) {
        struct twin *twin = &twins[dice_roll(&dice, CONTENTS)];
        switch (dice_roll(&dice, 12)) {
        case 0: clear(twin); break;
        case 1: share(twin, &twins[dice_roll(&dice, CONTENTS)]); break;
        case 2:
        case 3:
        case 4:
        case 5: append(twin, &dice); break;
        case 6: compare_whole(twin); break;
        default: compare_view(twin, dice_roll(&dice, twin->length + 3), dice_roll(&dice, VIEW_BYTES_MOST));
        }
    }
    for (int i = 0; i < CONTENTS; i++) {
        compare_whole(&twins[i]);
        clear(&twins[i]);
    }
}

/* With nothing shared, held and parts are exactly what the allocator has. */
static void held_and_parts_are_what_is_allocated(void **state) {
    (void)state;
    struct content content = {0, NULL, NULL};
    require_same(content_held(&content), 0, "nothing");
    require_same(content_parts(&content), 0, "nothing");
    for (int pieces = 1; pieces <= 100; pieces++) {
        void *owner = owner_new(bytes_of("0123456789", (size_t)pieces % 11));
        content_append(&content, chunk_adopt(owner, owner_bytes(owner), memory_size(owner)));
        require_same(content_held(&content), allocations_bytes(), "%d pieces", pieces);
        require_same(content_parts(&content), allocations_count(), "%d pieces", pieces);
    }
    content_clear(&content);
    require_same(content_held(&content), 0, "cleared");
    require_same(content_parts(&content), 0, "cleared");
    require_same(content.length, 0, "cleared");
    content_clear(&content);
}

/* A copied chunk has no owner, so freeing touches less than what parts says, and never more. */
static void parts_are_never_too_few(void **state) {
    (void)state;
    struct dice dice = {12};
    struct content content = {0, NULL, NULL};
    for (size_t pieces = 1; pieces <= 50; pieces++) {
        content_append(&content, chunk_of_some_kind(&dice, bytes_text("piece")));
        require_same(content_held(&content), allocations_bytes(), "%zu pieces", pieces);
        require(content_parts(&content) >= allocations_count(), "%zu allocations are %zu parts",
                allocations_count(), content_parts(&content));
        require(content_parts(&content) <= allocations_count() + pieces, "%zu allocations are %zu parts",
                allocations_count(), content_parts(&content));
    }
    content_clear(&content);
}

/* Whoever goes first, the other one still has all its bytes; and each can grow without the other. */
static void twins_live_and_die_apart(void **state) {
    (void)state;
    for (int pieces = 0; pieces <= 9; pieces++)
        for (int first = 0; first <= 1; first++) {
            struct content contents[2] = {{0, NULL, NULL}, {0, NULL, NULL}};
            for (int i = 0; i < pieces; i++) content_append(&contents[0], chunk_copy(bytes_text("abc")));
            content_share(&contents[1], &contents[0]);
            require_same(contents[1].length, pieces * 3, "a twin of %d pieces", pieces);
            content_append(&contents[0], chunk_copy(bytes_text("0")));
            content_append(&contents[1], chunk_copy(bytes_text("1")));
            content_clear(&contents[first]);
            const struct content *other = &contents[!first];
            for (uint64_t at = 0; at < other->length; at++) {
                char expected = at == other->length - 1 ? (char)('0' + !first) : "abc"[at % 3];
                require_bytes(content_view(other, at, 1), bytes_of(&expected, 1), "the survivor of %d pieces",
                              pieces);
            }
            content_clear(&contents[!first]);
        }
}

/* Lengths are counted, not stored: far more than memory holds. */
static void lengths_beyond_32_bits_are_sound(void **state) {
    (void)state;
    enum { PIECES = 80, PIECE_BYTES = 64 << 20 };
    char *bytes = malloc(PIECE_BYTES);
    require(bytes, "there is memory");
    bytes[5] = 'x';
    struct content content = {0, NULL, NULL};
    for (int i = 0; i < PIECES; i++)
        content_append(&content, chunk_adopt(NULL, bytes_of(bytes, PIECE_BYTES), 0));
    uint64_t total = (uint64_t)PIECES * PIECE_BYTES;
    require(content.length == total, "five gigabytes have another length");
    for (int i = 0; i < PIECES; i++) {
        struct bytes view = content_view(&content, (uint64_t)i * PIECE_BYTES + 5, UINT64_MAX);
        require(view.data == bytes + 5 && view.length == PIECE_BYTES - 5, "piece %d", i);
    }
    require_same(content_view(&content, total - 1, 9).length, 1, "the last byte");
    require_same(content_view(&content, total, 1).length, 0, "behind the last byte");
    require_same(content_view(&content, UINT64_MAX, UINT64_MAX).length, 0, "far behind");
    content_clear(&content);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        tidy_test(random_contents_equal_arrays),     tidy_test(held_and_parts_are_what_is_allocated),
        tidy_test(parts_are_never_too_few),          tidy_test(twins_live_and_die_apart),
        tidy_test(lengths_beyond_32_bits_are_sound),
    };
    return cmocka_run_group_tests_name("content", tests, NULL, NULL);
}
