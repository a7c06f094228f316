#include "core/deadlines.h"

#include "core/memory.h"

enum { FIRST_CAPACITY = 16 };

static bool is_due_before(const struct deadline *a, const struct deadline *b) {
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

static void deadline_put(struct deadlines *deadlines, size_t place, struct deadline *deadline) {
    deadlines->heap[place - 1] = deadline;
    deadline->place = place;
}

static void raise_deadline(struct deadlines *deadlines, struct deadline *deadline) {
    size_t place = deadline->place;
    while (place > 1 && is_due_before(deadline, deadlines->heap[place / 2 - 1])) {
        deadline_put(deadlines, place, deadlines->heap[place / 2 - 1]);
        place /= 2;
    }
    deadline_put(deadlines, place, deadline);
}

static void sink_deadline(struct deadlines *deadlines, struct deadline *deadline) {
    size_t place = deadline->place;
    for (size_t child; (child = place * 2) <= deadlines->count; place = child) {
        if (child < deadlines->count && is_due_before(deadlines->heap[child], deadlines->heap[child - 1]))
            child++;
        if (!is_due_before(deadlines->heap[child - 1], deadline)) break;
        deadline_put(deadlines, place, deadlines->heap[child - 1]);
    }
    deadline_put(deadlines, place, deadline);
}

void deadlines_set(struct deadlines *deadlines, struct deadline *deadline, int64_t due_ms) {
    if (!deadline->place) {
        if (deadlines->count == deadlines->capacity) {
            deadlines->capacity = deadlines->capacity ? deadlines->capacity * 2 : FIRST_CAPACITY;
            deadlines->heap = memory_resize(deadlines->heap, deadlines->capacity * sizeof(*deadlines->heap));
        }
        deadline_put(deadlines, ++deadlines->count, deadline);
    }
    deadline->due_ms = due_ms;
    deadline->order = deadlines->orders++;
    raise_deadline(deadlines, deadline);
    sink_deadline(deadlines, deadline);
}

/* Shrinks the heap at a quarter of its capacity, so that the next deadline does not make it grow again. */
static void deadlines_shrink(struct deadlines *deadlines) {
    if (!deadlines->count) {
        memory_free(deadlines->heap);
        deadlines->heap = NULL;
        deadlines->capacity = 0;
    } else if (deadlines->capacity > FIRST_CAPACITY && deadlines->count <= deadlines->capacity / 4) {
        deadlines->capacity /= 2;
        deadlines->heap = memory_resize(deadlines->heap, deadlines->capacity * sizeof(*deadlines->heap));
    }
}

void deadlines_unset(struct deadlines *deadlines, struct deadline *deadline) {
    if (!deadline->place) return;
    struct deadline *last = deadlines->heap[--deadlines->count];
    if (last != deadline) {
        deadline_put(deadlines, deadline->place, last);
        raise_deadline(deadlines, last);
        sink_deadline(deadlines, last);
    }
    deadline->place = 0;
    deadlines_shrink(deadlines);
}

struct deadline *deadlines_first(const struct deadlines *deadlines) {
    return deadlines->count ? deadlines->heap[0] : NULL;
}

/* No deadline is due before its parent in the heap, so the search ends at each one that is not due. */
static void visit_due_from(const struct deadlines *deadlines, size_t place, int64_t now_ms,
                           visit_deadline *visit, void *context) {
    if (place > deadlines->count || deadlines->heap[place - 1]->due_ms > now_ms) return;
    visit(context, deadlines->heap[place - 1]);
    visit_due_from(deadlines, 2 * place, now_ms, visit, context);
    visit_due_from(deadlines, 2 * place + 1, now_ms, visit, context);
}

void deadlines_visit_due(const struct deadlines *deadlines, int64_t now_ms, visit_deadline *visit,
                         void *context) {
    visit_due_from(deadlines, 1, now_ms, visit, context);
}
