#include "core/leftovers.h"

#include "core/memory.h"

#include "ccan/list/list.h"

#include <pthread.h>
#include <stdint.h>

/* The leftovers of one aggregate; the last one is freed first. */
struct leftovers {
    struct list_node among;
    struct account *account;
    size_t count, capacity;
    struct leftover items[];
};

enum { FIRST_CAPACITY = 4 };

void (*leftovers_pending)(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(waiting);

static struct leftovers *with_space(struct leftovers *leftovers) {
    size_t count = leftovers ? leftovers->count : 0;
    if (leftovers && count < leftovers->capacity) return leftovers;
    if (leftovers) list_del(&leftovers->among);
    size_t capacity = count ? 2 * count : FIRST_CAPACITY;
    leftovers = memory_resize(leftovers, sizeof(*leftovers) + capacity * sizeof(struct leftover));
    leftovers->count = count;
    leftovers->capacity = capacity;
    list_add_tail(&waiting, &leftovers->among);
    return leftovers;
}

static void set_aside(struct account *account, struct leftover leftover) {
    pthread_mutex_lock(&lock);
    struct leftovers *leftovers = with_space(account->leftovers);
    leftovers->account = account;
    leftovers->items[leftovers->count++] = leftover;
    account->leftovers = leftovers;
    pthread_mutex_unlock(&lock);
    leftovers_pending();
}

size_t leftovers_free(struct account *account, struct leftover leftover, size_t effort) {
    bool later = leftovers_pending && !account->ends;
    if (!later) effort = SIZE_MAX;
    if (!leftover.free(account, &leftover, &effort)) set_aside(account, leftover);
    return effort;
}

/* False when the effort did not suffice. */
static bool free_items(struct leftovers *leftovers, size_t *effort) {
    for (; leftovers->count; leftovers->count--) {
        struct leftover *last = &leftovers->items[leftovers->count - 1];
        if (!last->free(leftovers->account, last, effort)) return false;
    }
    return true;
}

/* Frees the leftovers themselves, which must be out of the list. */
static void leftovers_free_list(struct leftovers *leftovers) {
    leftovers->account->leftovers = NULL;
    memory_free(leftovers);
}

bool leftovers_sweep(size_t effort) {
    pthread_mutex_lock(&lock);
    struct leftovers *first;
    while ((first = list_top(&waiting, struct leftovers, among)) && free_items(first, &effort)) {
        list_del(&first->among);
        leftovers_free_list(first);
    }
    bool more = first != NULL;
    pthread_mutex_unlock(&lock);
    return more;
}

void leftovers_end(struct account *account) {
    size_t effort = SIZE_MAX;
    pthread_mutex_lock(&lock);
    struct leftovers *leftovers = account->leftovers;
    if (leftovers) list_del(&leftovers->among);
    account->ends = true;
    pthread_mutex_unlock(&lock);
    if (!leftovers) return;
    free_items(leftovers, &effort);
    leftovers_free_list(leftovers);
}

void leftovers_follow(struct account *account) {
    if (account->leftovers) account->leftovers->account = account;
}
