#include "core/garbage.h"

#include "core/memory.h"

#include "ccan/list/list.h"

#include <pthread.h>
#include <stdint.h>

/* The garbage of one aggregate; the last part is freed first. */
struct garbage {
    struct list_node among;
    struct account *account;
    size_t count, capacity;
    struct garbage_part items[];
};

enum { FIRST_CAPACITY = 4 };

void (*garbage_pending)(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(waiting);

static struct garbage *with_space(struct garbage *garbage) {
    size_t count = garbage ? garbage->count : 0;
    if (garbage && count < garbage->capacity) return garbage;
    if (garbage) list_del(&garbage->among);
    size_t capacity = count ? 2 * count : FIRST_CAPACITY;
    garbage = memory_resize(garbage, sizeof(*garbage) + capacity * sizeof(struct garbage_part));
    garbage->count = count;
    garbage->capacity = capacity;
    list_add_tail(&waiting, &garbage->among);
    return garbage;
}

static void set_aside(struct account *account, struct garbage_part part) {
    pthread_mutex_lock(&lock);
    struct garbage *garbage = with_space(account->garbage);
    garbage->account = account;
    garbage->items[garbage->count++] = part;
    account->garbage = garbage;
    pthread_mutex_unlock(&lock);
    garbage_pending();
}

size_t garbage_free(struct account *account, struct garbage_part part, size_t effort) {
    bool later = garbage_pending && !account->ends;
    if (!later) effort = SIZE_MAX;
    if (!part.free(account, &part, &effort)) set_aside(account, part);
    return effort;
}

/* False when the effort did not suffice. */
static bool free_items(struct garbage *garbage, size_t *effort) {
    for (; garbage->count; garbage->count--) {
        struct garbage_part *last = &garbage->items[garbage->count - 1];
        if (!last->free(garbage->account, last, effort)) return false;
    }
    return true;
}

/* Frees the struct, which must be out of the list. */
static void garbage_free_list(struct garbage *garbage) {
    garbage->account->garbage = NULL;
    memory_free(garbage);
}

bool garbage_sweep(size_t effort) {
    pthread_mutex_lock(&lock);
    struct garbage *first;
    while ((first = list_top(&waiting, struct garbage, among)) && free_items(first, &effort)) {
        list_del(&first->among);
        garbage_free_list(first);
    }
    bool more = first != NULL;
    pthread_mutex_unlock(&lock);
    return more;
}

void garbage_end(struct account *account) {
    size_t effort = SIZE_MAX;
    pthread_mutex_lock(&lock);
    struct garbage *garbage = account->garbage;
    if (garbage) list_del(&garbage->among);
    account->ends = true;
    pthread_mutex_unlock(&lock);
    if (!garbage) return;
    free_items(garbage, &effort);
    garbage_free_list(garbage);
}

void garbage_follow(struct account *account) {
    if (account->garbage) account->garbage->account = account;
}
