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
    size_t place; /* in the heap, counted from one; 0 when it is not set */
};

struct deadlines {
    struct deadline **heap;
    size_t count;
    size_t capacity;
    uint64_t orders;
};

/* Sets it, or sets it anew. A struct of zeros is a deadline that is not set. */
void deadlines_set(struct deadlines *deadlines, struct deadline *deadline, int64_t due_ms);
void deadlines_unset(struct deadlines *deadlines, struct deadline *deadline);

/* NULL when there is none. */
struct deadline *deadlines_first(const struct deadlines *deadlines);

/* All that are due by now, in no order. */
typedef void visit_deadline(void *context, const struct deadline *deadline);
void deadlines_visit_due(const struct deadlines *deadlines, int64_t now_ms, visit_deadline *visit,
                         void *context);

#endif
