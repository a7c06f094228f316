/* Sharing across threads: one aggregate changes while others, which have its bytes in common, are read and freed on
 * another thread. 'make tsan' runs this under a sanitizer that looks for races. */
#include "core/content.h"
#include "core/entry.h"
#include "core/memory.h"
#include "core/pages.h"
#include "unit.h"

#include <pthread.h>
#include <time.h>

enum {
    ROUNDS = 300,
    CONTENTS = 24,
    CONTENT_BYTES = 90,
    LEAVES = 24,
    LEAF_PART = 5, /* pages that are there in each leaf */
    OTHERS = 4,
    ENTRIES = 24,
    LATE_NANOSECONDS = 1000000,
};

struct object {
    struct entry entry;
    char bytes[CONTENT_BYTES];
};

struct aggregate {
    struct account account;
    struct object *objects[ENTRIES]; /* as long as it has them */
    struct content contents[CONTENTS];
    struct pages pages;
};

/* Two threads and what each of them has; nothing but chunks and entries is in common. */
struct round {
    struct aggregate changed, others[OTHERS];
    bool backwards;
    bool late;       /* most of the others are freed by the time of a change, which is then made in place */
    bool twins_pass; /* more twins come and go meanwhile, and nothing is changed in place */
    bool others_sound;
    pthread_barrier_t start;
};

static char byte_of(size_t which) {
    return (char)('A' + which);
}

/* --- Before there are threads --- */

static struct object *object_new(struct account *account, char byte) {
    struct object *object = account_add(account, memory_zeroed(sizeof(*object)));
    object->entry = (struct entry){.name_length = sizeof(object->bytes), .name_at = sizeof(struct entry)};
    memset(object->bytes, byte, sizeof(object->bytes));
    return object;
}

static void fill(struct aggregate *aggregate) {
    char bytes[LEAF_PART * PAGE_BYTES];
    for (size_t i = 0; i < CONTENTS; i++) {
        memset(bytes, byte_of(i), CONTENT_BYTES);
        struct bytes half = bytes_of(bytes, CONTENT_BYTES / 2);
        void *owner = owner_new(half);
        if (i % 2)
            content_add(&aggregate->account, &aggregate->contents[i],
                        chunk_adopt(owner, owner_bytes(owner), owner_memory(owner)));
        else
            memory_drop_owner(owner);
        content_append(&aggregate->account, &aggregate->contents[i],
                       bytes_of(bytes, CONTENT_BYTES - aggregate->contents[i].length));
    }
    for (size_t i = 0; i < ENTRIES; i++) aggregate->objects[i] = object_new(&aggregate->account, byte_of(i));
    pages_resize(&aggregate->account, &aggregate->pages, (uint64_t)LEAVES * LEAF_BYTES);
    for (size_t i = 0; i < LEAVES; i++) {
        memset(bytes, byte_of(i), sizeof(bytes));
        pages_write(&aggregate->account, &aggregate->pages, i * LEAF_BYTES, bytes_of(bytes, sizeof(bytes)));
    }
}

static void twin(struct aggregate *aggregate, const struct aggregate *source) {
    for (size_t i = 0; i < CONTENTS; i++)
        content_twin(&aggregate->account, &aggregate->contents[i], &source->contents[i]);
    for (size_t i = 0; i < ENTRIES; i++) {
        aggregate->objects[i] = source->objects[i];
        require(entry_hold(&aggregate->account, &source->objects[i]->entry), "too many have it");
    }
    pages_twin(&aggregate->account, &aggregate->pages, &source->pages);
}

/* The bytes are at first the changed one's, or in every second round one of the others';
 * the third is a twin of a twin. */
static void begin(struct round *round, int number) {
    *round = (struct round){
        .backwards = number & 2, .late = number & 4, .twins_pass = number & 8, .others_sound = true};
    struct aggregate *first = number & 1 ? &round->others[0] : &round->changed;
    fill(first);
    if (number & 1) twin(&round->changed, first);
    for (int i = number & 1; i < OTHERS; i++) twin(&round->others[i], i == 2 ? &round->others[1] : first);
    require(pthread_barrier_init(&round->start, NULL, 2) == 0, "no barrier");
}

/* --- On one thread: reading and freeing --- */

static bool all_are(struct bytes bytes, char byte) {
    for (size_t i = 0; i < bytes.length; i++)
        if (bytes.data[i] != byte) return false;
    return true;
}

static bool content_sound(const struct content *content, char byte) {
    uint64_t at = 0;
    while (at < content->length) {
        struct bytes view = content_view(content, at, UINT64_MAX);
        if (!view.length || !all_are(view, byte)) return false;
        at += view.length;
    }
    return at == CONTENT_BYTES;
}

static bool leaf_sound(const struct pages *pages, size_t leaf) {
    struct bytes view = pages_view(pages, leaf * LEAF_BYTES, UINT64_MAX);
    return view.length == (size_t)LEAF_PART * PAGE_BYTES && all_are(view, byte_of(leaf));
}

static size_t index_of(const struct round *round, size_t step, size_t count) {
    return round->backwards ? count - 1 - step : step;
}

static void drop_object(struct aggregate *aggregate, size_t at) {
    if (aggregate->objects[at]) entry_drop(&aggregate->account, &aggregate->objects[at]->entry);
    aggregate->objects[at] = NULL;
}

static void read_and_free(struct round *round, struct aggregate *aggregate) {
    bool sound = true;
    for (size_t i = 0; i < ENTRIES; i++) {
        size_t at = index_of(round, i, ENTRIES);
        sound = sound && all_are(entry_name(&aggregate->objects[at]->entry), byte_of(at));
        drop_object(aggregate, at);
    }
    for (size_t i = 0; i < CONTENTS; i++) {
        size_t at = index_of(round, i, CONTENTS);
        sound = sound && content_sound(&aggregate->contents[at], byte_of(at));
        content_clear(&aggregate->account, &aggregate->contents[at]);
    }
    for (size_t i = 0; i < LEAVES; i++) {
        size_t at = index_of(round, i, LEAVES);
        sound = sound && leaf_sound(&aggregate->pages, at);
        pages_clear(&aggregate->account, &aggregate->pages, at * LEAF_BYTES, LEAF_BYTES);
    }
    pages_drop(&aggregate->account, &aggregate->pages);
    if (!sound || aggregate->account.memory || aggregate->account.allocations) round->others_sound = false;
}

static void *free_others(void *context) {
    struct round *round = context;
    pthread_barrier_wait(&round->start);
    for (int i = 0; i < OTHERS; i++) read_and_free(round, &round->others[i]);
    return NULL;
}

/* --- On another one: changing --- */

/* What frees nothing, and so agrees with nobody: in place if it can be, or else in a copy. */
static void add_to_all(struct aggregate *aggregate) {
    static const char page[PAGE_BYTES] = "changed";
    for (uint64_t leaf = 0; leaf < LEAVES; leaf++)
        pages_write(&aggregate->account, &aggregate->pages, leaf * LEAF_BYTES + PAGE_BYTES,
                    bytes_of(page, sizeof(page)));
    for (size_t i = 0; i < CONTENTS; i++)
        content_append(&aggregate->account, &aggregate->contents[i], bytes_text("!"));
}

static void share_contents(struct aggregate *aggregate) {
    struct content kept = {0};
    for (size_t i = 0; i < CONTENTS; i++) {
        struct content *content = &aggregate->contents[i];
        content_share(&aggregate->account, &kept, content);
        content_append(&aggregate->account, content, bytes_text("?"));
        content_clear(&aggregate->account, &kept);
        if (i % 8 == 7) content_clear(&aggregate->account, content);
    }
}

static void share_pages(struct aggregate *aggregate) {
    struct pages kept = {0};
    for (uint64_t leaf = 0; leaf < LEAVES; leaf++) {
        uint64_t offset = leaf * LEAF_BYTES;
        if (leaf % 8 == 4) pages_share(&kept, &aggregate->pages);
        pages_clear(&aggregate->account, &aggregate->pages, offset + 2 * (uint64_t)PAGE_BYTES, PAGE_BYTES);
        if (leaf % 8 == 6) pages_drop(&aggregate->account, &kept);
        if (leaf % 8 == 7) pages_clear(&aggregate->account, &aggregate->pages, offset, LEAF_BYTES);
    }
}

static struct object *own_object(struct account *account, struct object *object) {
    if (!entry_is_common(&object->entry)) return object;
    struct object *own = account_add(account, memory_zeroed(sizeof(*own)));
    own->entry = entry_twin(&object->entry);
    memcpy(own->bytes, object->bytes, sizeof(own->bytes));
    entry_drop(account, &object->entry);
    return own;
}

static void change_objects(struct aggregate *aggregate) {
    for (size_t i = 0; i < ENTRIES; i++) {
        struct object *own = aggregate->objects[i] = own_object(&aggregate->account, aggregate->objects[i]);
        own->bytes[0] = '!';
        if (i % 8 == 7) drop_object(aggregate, i);
    }
}

/* To wait orders nothing between the threads; only the counts of references do. */
static void *change(void *context) {
    struct round *round = context;
    struct aggregate passing = {0};
    pthread_barrier_wait(&round->start);
    if (round->late) nanosleep(&(struct timespec){.tv_nsec = LATE_NANOSECONDS}, NULL);
    if (round->twins_pass) twin(&passing, &round->changed);
    change_objects(&round->changed);
    add_to_all(&round->changed);
    share_contents(&round->changed);
    share_pages(&round->changed);
    for (int i = 0; i < CONTENTS; i++) content_clear(&passing.account, &passing.contents[i]);
    for (size_t i = 0; i < ENTRIES; i++) drop_object(&passing, i);
    pages_drop(&passing.account, &passing.pages);
    return NULL;
}

/* --- After them --- */

static void require_changed(struct aggregate *aggregate) {
    for (size_t i = 0; i < CONTENTS; i++) {
        struct content *content = &aggregate->contents[i];
        if (i % 8 == 7) {
            require_same(content->length, 0, "content %zu", i);
            continue;
        }
        require_same(content->length, CONTENT_BYTES + 2, "content %zu", i);
        require(all_are(content_view(content, 0, CONTENT_BYTES / 2), byte_of(i)), "content %zu", i);
        require_bytes(content_view(content, CONTENT_BYTES, 1), bytes_text("!"), "content %zu", i);
        require_bytes(content_view(content, CONTENT_BYTES + 1, 1), bytes_text("?"), "content %zu", i);
        content_clear(&aggregate->account, content);
    }
    for (size_t i = 0; i < ENTRIES; i++) {
        struct bytes bytes = i % 8 == 7 ? bytes_text("!") : entry_name(&aggregate->objects[i]->entry);
        require(bytes.data[0] == '!' && all_are(bytes_of(bytes.data + 1, bytes.length - 1), byte_of(i)),
                "object %zu", i);
        drop_object(aggregate, i);
    }
    for (size_t leaf = 0; leaf < LEAVES; leaf++) {
        struct bytes first = pages_view(&aggregate->pages, leaf * LEAF_BYTES, PAGE_BYTES);
        struct bytes second = pages_view(&aggregate->pages, leaf * LEAF_BYTES + PAGE_BYTES, PAGE_BYTES);
        require(all_are(first, leaf % 8 == 7 ? '\0' : byte_of(leaf)), "leaf %zu", leaf);
        require_same(second.data[0], leaf % 8 == 7 ? '\0' : 'c', "leaf %zu", leaf);
    }
    pages_drop(&aggregate->account, &aggregate->pages);
    require_same(aggregate->account.memory + aggregate->account.allocations, 0, "all is dropped");
}

TEST(a_value_changes_while_others_are_freed_in_threads) {
    for (int number = 0; number < ROUNDS; number++) {
        struct round round;
        pthread_t changing, freeing;
        begin(&round, number);
        require(pthread_create(&changing, NULL, change, &round) == 0, "no thread in round %d", number);
        require(pthread_create(&freeing, NULL, free_others, &round) == 0, "no thread in round %d", number);
        require(pthread_join(changing, NULL) == 0, "round %d does not end", number);
        require(pthread_join(freeing, NULL) == 0, "round %d does not end", number);
        pthread_barrier_destroy(&round.start);
        require(round.others_sound, "in round %d, others have lost bytes, or have some left", number);
        require_changed(&round.changed);
        require_same(allocations_count(), 0, "round %d", number);
    }
}
