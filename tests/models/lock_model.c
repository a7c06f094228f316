#include "lock_model.h"

/* Each begins before the other one ends. A range without bytes lies where it begins: it overlaps what has bytes on both
 * sides of it. */
static bool overlap(struct model_range a, struct model_range b) {
    __extension__ typedef unsigned __int128 wide;
    return a.offset < (wide)b.offset + b.length && b.offset < (wide)a.offset + a.length;
}

bool lock_model_denies(struct model_range lock, bool exclusive, bool own, enum model_question question,
                       struct model_range wanted) {
    if (question <= TO_WRITE && !wanted.length) return false;
    if (!overlap(lock, wanted)) return false;
    switch (question) {
    case TO_READ:
    case TO_LOCK_SHARED: return exclusive && !own;
    case TO_WRITE: return !exclusive || !own;
    default: return true;
    }
}
