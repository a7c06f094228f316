/* Deadlines: the earliest of many instants, in logarithmic time. A binary heap of embedded structs; equal instants
 * come in the order in which they were set. */
#ifndef HOLDFAST_DEADLINES_H
#define HOLDFAST_DEADLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct deadline {
    int64_t due_ms;
    uint64_t order;
    size_t place; /* index in the heap, from 1; 0 when not set */
};

struct deadlines {
    struct deadline **heap;
    size_t count;
    size_t capacity;
    uint64_t orders;
};

/* Sets or moves a deadline. A zeroed deadline is not set. */
void deadlines_set(struct deadlines *deadlines, struct deadline *deadline, int64_t due_ms);
void deadlines_unset(struct deadlines *deadlines, struct deadline *deadline);

/* The earliest deadline; NULL when there is none. */
struct deadline *deadlines_first(const struct deadlines *deadlines);

/* Visits all deadlines that are due at this instant, in no order. */
typedef void visit_deadline(void *context, const struct deadline *deadline);
void deadlines_visit_due(const struct deadlines *deadlines, int64_t now_ms, visit_deadline *visit,
                         void *context);

#endif
