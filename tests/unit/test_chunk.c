/* Chunks: copied or adopted, shared by count, and gone with the last of those who hold them. */
#include "core/chunk.h"

#include "core/memory.h"
#include "unit.h"

#include <pthread.h>

static void a_copy_has_bytes_of_its_own(void **state) {
    (void)state;
    char text[] = "content";
    struct chunk *chunk = chunk_copy(bytes_text(text));
    text[0] = 'X';
    require_bytes(chunk_bytes(chunk), bytes_text("content"), "a copy");
    require_same(chunk_held(chunk), allocations_bytes(), "a copy");
    require_same(allocations_count(), 1, "a copy is one allocation");
    chunk_release(chunk);
}

static void an_adopted_one_keeps_its_owner(void **state) {
    (void)state;
    void *owner = owner_new(bytes_text("content"));
    struct chunk *chunk = chunk_adopt(owner, owner_bytes(owner), memory_size(owner));
    require(chunk_bytes(chunk).data == owner_bytes(owner).data, "the bytes were copied");
    require_bytes(chunk_bytes(chunk), bytes_text("content"), "an adopted chunk");
    require_same(chunk_held(chunk), allocations_bytes(), "an adopted chunk");
    require_same(allocations_count(), 2, "chunk and owner");
    chunk_release(chunk);
    require_same(allocations_count(), 0, "the owner goes with the chunk");
}

static void an_empty_one_is_a_chunk(void **state) {
    (void)state;
    struct chunk *chunk = chunk_copy(bytes_of(NULL, 0));
    require(chunk && chunk_bytes(chunk).length == 0, "nothing makes no empty chunk");
    chunk_release(chunk);
}

static void the_last_release_frees(void **state) {
    (void)state;
    struct chunk *chunk = chunk_copy(bytes_text("content"));
    for (int i = 0; i < 10; i++) require(chunk_share(chunk) == chunk, "sharing makes another chunk");
    for (int i = 0; i < 10; i++) {
        chunk_release(chunk);
        require_bytes(chunk_bytes(chunk), bytes_text("content"), "after release %d", i);
    }
    chunk_release(chunk);
    require_same(allocations_count(), 0, "after the last release");
}

static void what_cannot_be_had_is_null(void **state) {
    (void)state;
    allocations_fail_try(1);
    require(!chunk_copy(bytes_text("content")), "a chunk without memory");
    require(!chunk_copy(bytes_of("", SIZE_MAX)), "a chunk of all memory there is");
    require(!chunk_copy(bytes_of("", SIZE_MAX - 8)), "a chunk whose size would wrap");
    require_same(allocations_count(), 0, "what failed left something");
}

enum { THREADS = 4, ROUNDS = 20000 };

static void *share_and_release(void *chunk) {
    for (int i = 0; i < ROUNDS; i++) {
        chunk_share(chunk);
        chunk_release(chunk);
    }
    chunk_release(chunk);
    return NULL;
}

/* Each thread brings a reference of its own; whoever comes last frees. */
static void threads_may_share_it(void **state) {
    (void)state;
    void *owner = owner_new(bytes_text("content"));
    struct chunk *chunk = chunk_adopt(owner, owner_bytes(owner), memory_size(owner));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        chunk_share(chunk);
        require(pthread_create(&threads[i], NULL, share_and_release, chunk) == 0, "thread %d does not start",
                i);
    }
    chunk_release(chunk);
    for (int i = 0; i < THREADS; i++)
        require(pthread_join(threads[i], NULL) == 0, "thread %d does not end", i);
    require_same(allocations_count(), 0, "after the last thread");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        tidy_test(a_copy_has_bytes_of_its_own), tidy_test(an_adopted_one_keeps_its_owner),
        tidy_test(an_empty_one_is_a_chunk),     tidy_test(the_last_release_frees),
        tidy_test(what_cannot_be_had_is_null),  tidy_test(threads_may_share_it),
    };
    return cmocka_run_group_tests_name("chunk", tests, NULL, NULL);
}
