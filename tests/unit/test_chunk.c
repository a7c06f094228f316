/* Chunks: copied, adopted or grown, counted on one account, and shared with other aggregates through twins. */
#include "core/chunk.h"

#include "core/memory.h"
#include "mover.h"
#include "unit.h"

#include <stdlib.h>

enum kind { COPIED, ADOPTED, GROWN, KINDS };

static struct chunk *chunk_of(enum kind kind, struct bytes bytes) {
    if (kind == COPIED) return chunk_copy(bytes);
    if (kind == ADOPTED) return chunk_with_owner(bytes);
    struct chunk *chunk = chunk_empty(bytes.length + 3);
    chunk_extend(chunk, bytes);
    return chunk;
}

static void require_account(const struct account *account, size_t memory, size_t parts, const char *when) {
    require_same(account->memory, memory, "%s", when);
    require_same(account->allocations, parts, "%s", when);
}

/* --- New ones --- */

TEST(a_copy_has_bytes_of_its_own) {
    char text[] = "content";
    struct chunk *chunk = chunk_copy(bytes_text(text));
    text[0] = 'X';
    require_bytes(chunk_bytes(chunk), bytes_text("content"), "a copy");
    require_same(chunk_memory(chunk), allocations_bytes(), "a copy");
    require_same(allocations_count(), 1, "a copy is one allocation");
    chunk_discard(chunk);
}

TEST(an_adopted_chunk_keeps_its_owner) {
    void *owner = owner_new(bytes_text("content"));
    struct chunk *chunk = chunk_adopt(owner, owner_bytes(owner), owner_memory(owner));
    require(chunk_bytes(chunk).data == owner_bytes(owner).data, "the bytes were copied");
    require_bytes(chunk_bytes(chunk), bytes_text("content"), "an adopted chunk");
    require_same(chunk_memory(chunk), allocations_bytes(), "an adopted chunk");
    require_same(allocations_count(), 3, "chunk, owner and its bytes");
    chunk_discard(chunk);
    require_same(allocations_count(), 0, "the owner goes with the chunk");
}

TEST(an_empty_chunk_has_the_space_asked_for) {
    for (size_t room = 0; room <= 100; room++) {
        struct chunk *chunk = chunk_empty(room);
        require_same(chunk_bytes(chunk).length, 0, "room for %zu", room);
        require(chunk_spare(chunk) >= room, "room for %zu has room for %zu", room, chunk_spare(chunk));
        require_same(chunk_memory(chunk), allocations_bytes(), "room for %zu", room);
        chunk_discard(chunk);
    }
    struct chunk *chunk = chunk_copy(bytes_of(NULL, 0));
    require(chunk_bytes(chunk).length == 0, "nothing makes no empty chunk");
    chunk_discard(chunk);
}

/* --- Use --- */

TEST(a_chunk_counts_once_however_often_it_is_used) {
    enum { USES = 10 };
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct account account = {0};
        struct chunk *chunk = chunk_of(kind, bytes_text("content"));
        require_same(chunk_uses(chunk), 0, "a new chunk");
        for (size_t uses = 1; uses <= USES; uses++) {
            chunk_use(&account, chunk);
            require_same(chunk_uses(chunk), uses, "used");
            require_account(&account, allocations_bytes(), 2, "used");
        }
        for (size_t uses = USES - 1; uses; uses--) {
            chunk_drop(&account, chunk);
            require_same(chunk_uses(chunk), uses, "dropped");
            require_account(&account, allocations_bytes(), 2, "dropped");
            require_bytes(chunk_bytes(chunk), bytes_text("content"), "dropped");
        }
        chunk_drop(&account, chunk);
        require_account(&account, 0, 0, "dropped for the last time");
        require_same(allocations_count(), 0, "dropped for the last time");
    }
}

/* What frees it must not touch what others have. */
TEST(discarding_a_twin_leaves_the_chunk) {
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct chunk *chunk = chunk_of(kind, bytes_text("content"));
        size_t before = allocations_bytes();
        chunk_discard(chunk_twin(chunk));
        require_same(allocations_bytes(), before, "the twin is gone");
        require_bytes(chunk_bytes(chunk), bytes_text("content"), "the twin is gone");
        require_same(chunk_is_sole(chunk), kind != ADOPTED, "the twin is gone");
        chunk_discard(chunk);
        require_same(allocations_count(), 0, "all is gone");
    }
}

/* --- Twins --- */

enum { FAMILY = 3 };

/* A chunk, its twin, and the twin of that, each in an aggregate of its own. */
struct family {
    struct account accounts[FAMILY];
    struct chunk *chunks[FAMILY];
};

static struct family family_of(enum kind kind) {
    struct family family = {0};
    family.chunks[0] = chunk_of(kind, bytes_text("content"));
    for (int i = 1; i < FAMILY; i++) family.chunks[i] = chunk_twin(family.chunks[i - 1]);
    for (int i = 0; i < FAMILY; i++) chunk_use(&family.accounts[i], family.chunks[i]);
    return family;
}

TEST(a_twin_has_the_same_bytes) {
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct family family = family_of(kind);
        size_t memory = chunk_memory(family.chunks[0]);
        for (int i = 0; i < FAMILY; i++) {
            require(chunk_bytes(family.chunks[i]).data == chunk_bytes(family.chunks[0]).data, "twin %d", i);
            require_same(chunk_bytes(family.chunks[i]).length, 7, "twin %d", i);
            size_t own = i ? memory_size(family.chunks[i]) : 0;
            require_same(chunk_memory(family.chunks[i]), memory + own, "twin %d", i);
            require_account(&family.accounts[i], memory + own, 2, "a twin");
            chunk_drop(&family.accounts[i], family.chunks[i]);
        }
    }
}

/* Whichever goes first, the others still have the bytes; only the first one's own memory waits for the last. */
TEST(twins_live_as_long_as_they_are_used) {
    static const int orders[][FAMILY] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (size_t order = 0; order < ARRAY_SIZE(orders); order++) {
            struct family family = family_of(kind);
            for (int gone = 0; gone < FAMILY; gone++) {
                for (int i = gone; i < FAMILY; i++)
                    require_bytes(chunk_bytes(family.chunks[orders[order][i]]), bytes_text("content"),
                                  "order %zu, %d are gone", order, gone);
                int next = orders[order][gone];
                chunk_drop(&family.accounts[next], family.chunks[next]);
                require_account(&family.accounts[next], 0, 0, "gone");
            }
            require_same(allocations_count(), 0, "order %zu, all are gone", order);
        }
}

/* --- Who may change it --- */

/* In every combination of uses, of a twin, and of whose the bytes are. */
TEST(a_chunk_is_sole_for_one_content_without_twins) {
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (int uses = 0; uses <= 2; uses++)
            for (int twins = 0; twins <= 2; twins++) {
                struct account account = {0};
                struct chunk *chunk = chunk_of(kind, bytes_text("content"));
                struct chunk *others[2];
                for (int i = 0; i < uses; i++) chunk_use(&account, chunk);
                for (int i = 0; i < twins; i++) others[i] = chunk_twin(chunk);
                bool sole = chunk_is_sole(chunk);
                require_same(sole, kind != ADOPTED && uses < 2 && !twins, "kind %d, %d uses, %d twins", kind,
                             uses, twins);
                for (int i = 0; i < twins; i++) {
                    require(!chunk_is_sole(others[i]), "a twin's bytes are another's");
                    chunk_discard(others[i]);
                }
                require_same(chunk_is_sole(chunk), kind != ADOPTED && uses < 2, "kind %d, no twins any more",
                             kind);
                for (int i = 0; i < uses; i++) chunk_drop(&account, chunk);
                if (!uses) chunk_discard(chunk);
            }
}

/* The bytes of the one that is gone are the twin's to read, and still not its own. */
TEST(a_twin_never_becomes_sole) {
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct chunk *chunk = chunk_of(kind, bytes_text("content")), *twin = chunk_twin(chunk);
        chunk_discard(chunk);
        require(!chunk_is_sole(twin), "kind %d", kind);
        require_bytes(chunk_bytes(twin), bytes_text("content"), "kind %d", kind);
        chunk_discard(twin);
    }
}

TEST(a_chunk_is_sole_again_when_the_other_use_ends) {
    struct account account = {0};
    struct chunk *chunk = chunk_copy(bytes_text("content"));
    chunk_use(&account, chunk);
    chunk_use(&account, chunk);
    require(!chunk_is_sole(chunk), "two uses");
    chunk_drop(&account, chunk);
    require(chunk_is_sole(chunk), "one use");
    chunk_drop(&account, chunk);
}

/* --- Change --- */

enum { LONGEST = 2000 };

/* A chunk in use, and the bytes that it should have. */
struct subject {
    struct account account;
    struct chunk *chunk;
    size_t length;
    char bytes[2 * LONGEST];
};

static void need_room(struct subject *subject, size_t length) {
    if (chunk_spare(subject->chunk) >= length) return;
    subject->chunk = chunk_resize(&subject->account, subject->chunk, subject->length + length);
}

static void extend(struct subject *subject, struct dice *dice) {
    size_t length = dice_roll(dice, LONGEST - subject->length + 1) / 4;
    dice_fill(dice, subject->bytes + subject->length, length);
    need_room(subject, length);
    chunk_extend(subject->chunk, bytes_of(subject->bytes + subject->length, length));
    subject->length += length;
}

/* A gap is filled at once, since what it holds is not set. */
static void open_gap(struct subject *subject, struct dice *dice) {
    size_t length = dice_roll(dice, LONGEST - subject->length + 1) / 4;
    size_t at = dice_roll(dice, subject->length + 1);
    memmove(subject->bytes + at + length, subject->bytes + at, subject->length - at);
    dice_fill(dice, subject->bytes + at, length);
    need_room(subject, length);
    chunk_open_gap(subject->chunk, at, length);
    chunk_overwrite(subject->chunk, at, bytes_of(subject->bytes + at, length));
    subject->length += length;
}

static void close_gap(struct subject *subject, struct dice *dice) {
    size_t at = dice_roll(dice, subject->length + 1), length = dice_roll(dice, subject->length - at + 1);
    chunk_close_gap(subject->chunk, at, length);
    subject->length -= length;
    memmove(subject->bytes + at, subject->bytes + at + length, subject->length - at);
}

static void overwrite(struct subject *subject, struct dice *dice) {
    size_t at = dice_roll(dice, subject->length + 1), length = dice_roll(dice, subject->length - at + 1);
    dice_fill(dice, subject->bytes + at, length);
    chunk_overwrite(subject->chunk, at, bytes_of(subject->bytes + at, length));
}

static void resize(struct subject *subject, struct dice *dice) {
    size_t room = dice_roll(dice, LONGEST + 1);
    subject->chunk = chunk_resize(&subject->account, subject->chunk, room);
    if (subject->length > room) subject->length = room;
    require(subject->length + chunk_spare(subject->chunk) >= room, "there is less room than asked for");
}

TEST(random_changes_equal_an_array) {
    struct dice dice = {21};
    static struct subject subject;
    subject = (struct subject){.chunk = chunk_empty(0)};
    chunk_use(&subject.account, subject.chunk);
    for (int step = 0; step < 20000; step++) {
        switch (dice_roll(&dice, 5)) {
        case 0: extend(&subject, &dice); break;
        case 1: open_gap(&subject, &dice); break;
        case 2: close_gap(&subject, &dice); break;
        case 3: overwrite(&subject, &dice); break;
        default: resize(&subject, &dice);
        }
        require_bytes(chunk_bytes(subject.chunk), bytes_of(subject.bytes, subject.length), "step %d", step);
        require_account(&subject.account, allocations_bytes(), 2, "changed");
        require_same(chunk_memory(subject.chunk), allocations_bytes(), "step %d", step);
        require(chunk_is_sole(subject.chunk), "step %d", step);
    }
    chunk_drop(&subject.account, subject.chunk);
    require_account(&subject.account, 0, 0, "at the end");
}

TEST(an_unused_chunk_is_resized_on_no_account) {
    struct account account = {0};
    struct chunk *chunk = chunk_resize(&account, chunk_copy(bytes_text("content")), 1000);
    require_account(&account, 0, 0, "grown before its first use");
    chunk = chunk_resize(&account, chunk, 4);
    require_account(&account, 0, 0, "cut before its first use");
    chunk_use(&account, chunk);
    require_account(&account, allocations_bytes(), 2, "used");
    require_bytes(chunk_bytes(chunk), bytes_text("cont"), "cut");
    chunk_drop(&account, chunk);
}

/* --- Moving --- */

/* What is shared stays; all that is not may move, and the bytes with it. */
TEST(a_chunk_moves_unless_it_is_shared) {
    struct dice dice = {22};
    struct relocation relocation = mover(&dice);
    for (int round = 0; round < 200; round++) {
        enum kind kind = round % KINDS;
        struct family family = family_of(kind);
        struct bytes bytes = chunk_bytes(family.chunks[0]);
        require(chunk_relocate(family.chunks[0], &relocation) == family.chunks[0], "a twin would lose it");
        require(chunk_bytes(family.chunks[0]).data == bytes.data, "twins would lose the bytes");
        for (int i = 1; i < FAMILY; i++) {
            family.chunks[i] = chunk_relocate(family.chunks[i], &relocation);
            require(chunk_bytes(family.chunks[i]).data == bytes.data,
                    "a twin's bytes are not its own to move");
        }
        for (int i = FAMILY; i-- > 1;) chunk_drop(&family.accounts[i], family.chunks[i]);
        for (int moves = 0; moves < 3; moves++) {
            family.chunks[0] = chunk_relocate(family.chunks[0], &relocation);
            require_bytes(chunk_bytes(family.chunks[0]), bytes_text("content"), "kind %d, moved", kind);
            require_account(&family.accounts[0], allocations_bytes(), 2, "moved");
        }
        chunk_drop(&family.accounts[0], family.chunks[0]);
        require_same(allocations_count(), 0, "kind %d", kind);
    }
}

/* Bytes that were added before a move are where bytes added after it go. */
TEST(a_chunk_that_moved_is_changed_as_before) {
    struct dice dice = {23};
    struct relocation relocation = mover(&dice);
    struct account account = {0};
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";
    struct chunk *chunk = chunk_empty(strlen(alphabet));
    chunk_use(&account, chunk);
    for (const char *letter = alphabet; *letter; letter++) {
        chunk_extend(chunk, bytes_of(letter, 1));
        chunk = chunk_relocate(chunk, &relocation);
    }
    require_bytes(chunk_bytes(chunk), bytes_text(alphabet), "moved between letters");
    chunk_use(&account, chunk);
    require(chunk_relocate(chunk, &relocation) == chunk, "another content would lose it");
    chunk_drop(&account, chunk);
    chunk_drop(&account, chunk);
}

/* How many moves there were is not told, so many tries must give some. */
TEST(chunks_and_their_bytes_move) {
    struct dice dice = {24};
    struct relocation relocation = mover(&dice);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        struct chunk *chunk = chunk_of(kind, bytes_text("content"));
        int chunks_moved = 0, bytes_moved = 0;
        for (int i = 0; i < 50; i++) {
            const struct chunk *before = chunk;
            const char *data = chunk_bytes(chunk).data;
            chunk = chunk_relocate(chunk, &relocation);
            chunks_moved += chunk != before;
            bytes_moved += chunk_bytes(chunk).data != data;
        }
        require(chunks_moved > 10 && bytes_moved > 10, "kind %d stays where it is", kind);
        chunk_discard(chunk);
    }
}
