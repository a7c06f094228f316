/* Pools: chunks by their numbers as a file brings them, whole or in pieces, and what a file
 * may say of them that is not so. */
#include "blob/load_chunks.h"

#include "dice.h"
#include "unit.h"

struct filling {
    struct account account;
    struct load_chunks *load_chunks;
};

static bool add(struct filling *filling, uint64_t length, const char *piece) {
    return load_chunks_add(&filling->account, &filling->load_chunks, length, bytes_text(piece), NULL);
}

static void require_chunk(const struct filling *filling, uint64_t number, const char *expected) {
    const struct chunk *chunk = load_chunks_chunk(filling->load_chunks, number);
    require_same(chunk != NULL, expected != NULL, "chunk %d", (int)number);
    if (chunk && expected) require_bytes(chunk_bytes(chunk), bytes_text(expected), "chunk %d", (int)number);
}

/* The account is that of what is allocated, and nothing is left of it. */
static void finish(struct filling *filling) {
    require_same(filling->account.memory, allocations_bytes(), "what it holds");
    load_chunks_drop(&filling->account, &filling->load_chunks);
    require(!filling->load_chunks, "the pool is gone");
    require_same(filling->account.memory, 0, "what it holds");
    require_same(filling->account.allocations, 0, "its parts");
    load_chunks_drop(&filling->account, &filling->load_chunks);
}

TEST(chunks_have_numbers_from_one_on) {
    struct filling filling = {.load_chunks = NULL};
    require_chunk(&filling, 1, NULL);
    require(add(&filling, 3, "one") && add(&filling, 3, "two") && add(&filling, 5, "three"), "three chunks");
    require_chunk(&filling, 0, NULL);
    require_chunk(&filling, 1, "one");
    require_chunk(&filling, 2, "two");
    require_chunk(&filling, 3, "three");
    require_chunk(&filling, 4, NULL);
    require_chunk(&filling, UINT64_MAX, NULL);
    finish(&filling);
}

TEST(a_chunk_may_come_in_pieces) {
    struct filling filling = {.load_chunks = NULL};
    require(add(&filling, 8, "pie"), "the first piece");
    require_chunk(&filling, 1, NULL);
    require(add(&filling, 8, "c") && add(&filling, 8, "e, ") && !load_chunks_chunk(filling.load_chunks, 1),
            "more of it");
    require(add(&filling, 8, "x"), "the last piece");
    require_chunk(&filling, 1, "piece, x");
    require(add(&filling, 1, "y"), "the next chunk");
    require_chunk(&filling, 2, "y");
    finish(&filling);
}

/* Not more than there was said to be, and not nothing. */
TEST(wrong_lengths_of_chunks_are_refused) {
    struct filling filling = {.load_chunks = NULL};
    require(!add(&filling, 2, "one") && !add(&filling, 0, "one"), "more than there was said to be");
    require(!add(&filling, 0, "") && !add(&filling, 5, ""), "nothing");
    require(!filling.load_chunks && !allocations_count(), "what is refused leaves nothing");
    require(add(&filling, 5, "one"), "a first piece");
    require(!add(&filling, 5, "two") && !add(&filling, 5, ""), "more than there was said to be, or nothing");
    require_chunk(&filling, 1, NULL);
    require(add(&filling, 5, "tw"), "the last piece");
    require_chunk(&filling, 1, "onetw");
    finish(&filling);
}

/* Memory follows what comes, and not what was said to come. */
TEST(a_huge_declared_length_reserves_little) {
    static const uint64_t lengths[] = {UINT64_MAX, INT64_MAX, UINT64_C(1) << 40};
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        struct filling filling = {.load_chunks = NULL};
        for (int piece = 0; piece < 100; piece++) require(add(&filling, lengths[i], "0123456789"), "a piece");
        require(allocations_bytes() < 4096, "a kilobyte holds %zu", allocations_bytes());
        require_chunk(&filling, 1, NULL);
        finish(&filling);
    }
}

/* A chunk that is whole is kept as it came; pieces are copied, and what brought them is given back. */
TEST(chunks_are_taken_over) {
    struct filling filling = {.load_chunks = NULL};
    for (int piece = 0; piece < 2; piece++) {
        struct chunk *chunk = chunk_with_owner(bytes_text("the bytes"));
        uint64_t length = piece ? 18 : 9;
        require(load_chunks_add(&filling.account, &filling.load_chunks, length, chunk_bytes(chunk), chunk),
                "a chunk");
        require_same(load_chunks_chunk(filling.load_chunks, 1) == chunk || piece, 1, "it is another one");
    }
    struct chunk *rest = chunk_with_owner(bytes_text("and more."));
    require(load_chunks_add(&filling.account, &filling.load_chunks, 0, chunk_bytes(rest), rest), "the rest");
    require_chunk(&filling, 1, "the bytes");
    require_chunk(&filling, 2, "the bytesand more.");
    finish(&filling);
}

/* What uses a chunk keeps it when the pool goes. */
TEST(a_chunk_in_use_outlives_the_load) {
    struct filling filling = {.load_chunks = NULL};
    require(add(&filling, 3, "one") && add(&filling, 3, "two"), "two chunks");
    struct chunk *chunk = load_chunks_chunk(filling.load_chunks, 2);
    chunk_use(&filling.account, chunk);
    load_chunks_drop(&filling.account, &filling.load_chunks);
    require_bytes(chunk_bytes(chunk), bytes_text("two"), "the chunk");
    require_same(filling.account.memory, allocations_bytes(), "what it holds");
    chunk_drop(&filling.account, chunk);
    require_same(filling.account.memory, 0, "what it holds");
}

/* Long random fillings against plain bytes. */
TEST(many_chunks_in_any_pieces) {
    enum { CHUNKS = 200, LONGEST = 3000 };
    static char bytes[CHUNKS][LONGEST];
    struct dice dice = {1};
    size_t lengths[CHUNKS];
    struct filling filling = {.load_chunks = NULL};
    for (size_t i = 0; i < CHUNKS; i++) {
        lengths[i] = 1 + dice_roll(&dice, dice_percent(&dice, 50) ? 20 : LONGEST - 1);
        dice_fill(&dice, bytes[i], lengths[i]);
        for (size_t done = 0; done < lengths[i];) {
            size_t left = lengths[i] - done, length = 1 + dice_roll(&dice, left);
            struct bytes piece = bytes_of(bytes[i] + done, length);
            struct chunk *chunk = dice_percent(&dice, 30) ? chunk_copy(piece) : NULL;
            require(load_chunks_add(&filling.account, &filling.load_chunks, lengths[i], piece, chunk),
                    "a piece");
            done += length;
            require_same(load_chunks_chunk(filling.load_chunks, i + 1) != NULL, done == lengths[i],
                         "chunk %zu", i);
        }
    }
    for (size_t i = 0; i < CHUNKS; i++)
        require_bytes(chunk_bytes(load_chunks_chunk(filling.load_chunks, i + 1)),
                      bytes_of(bytes[i], lengths[i]), "chunk %zu", i);
    finish(&filling);
}
