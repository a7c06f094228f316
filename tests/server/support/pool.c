/* The pool is a doubly linked list of nodes, each in front of the memory that it stands for, so that growing
 * one relinks it in constant time. Tests are single-threaded, so there is one list. */
#include "pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    struct node *previous;
    void (*release)(void *target);
    void *target;
};

static struct node pool = {&pool, &pool, NULL, NULL};

static void node_link(struct node *node) {
    node->next = pool.next;
    node->previous = &pool;
    pool.next->previous = node;
    pool.next = node;
}

static void node_unlink(struct node *node) {
    node->next->previous = node->previous;
    node->previous->next = node->next;
}

static struct node *node_allocate(struct node *old, size_t size) {
    struct node *node = realloc(old, sizeof(*node) + size);
    if (!node) {
        fprintf(stderr, "out of memory\n");
        abort();
    }
    return node;
}

void *pool_take(size_t size) {
    struct node *node = node_allocate(NULL, size);
    memset(node, 0, sizeof(*node) + size);
    node_link(node);
    return node + 1;
}

void *pool_grow(void *memory, size_t size) {
    if (!memory) return pool_take(size);
    struct node *node = (struct node *)memory - 1;
    node_unlink(node);
    node = node_allocate(node, size);
    node_link(node);
    return node + 1;
}

void pool_keep(void *target, void (*release)(void *target)) {
    struct node *node = (struct node *)pool_take(0) - 1;
    node->release = release;
    node->target = target;
}

char *pool_print_list(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t room = (size_t)(length < 0 ? 0 : length) + 1;
    char *printed = pool_take(room);
    vsnprintf(printed, room, format, arguments);
    return printed;
}

char *pool_print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *printed = pool_print_list(format, arguments);
    va_end(arguments);
    return printed;
}

char *pool_copy(const void *bytes, size_t length) {
    char *copy = pool_take(length + 1);
    if (length) memcpy(copy, bytes, length);
    return copy;
}

const void *pool_mark(void) {
    return pool.next;
}

void pool_release(const void *mark) {
    while (pool.next != mark) {
        struct node *node = pool.next;
        pool.next = node->next;
        node->next->previous = &pool;
        if (node->release) node->release(node->target);
        free(node);
    }
}

void pool_drain(void) {
    pool_release(&pool);
}
