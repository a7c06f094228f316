#include "open_model.h"

/* Neither has an access that the other one does not share, or one has none at all. */
bool open_model_fits(struct model_sharing one, struct model_sharing other) {
    if (!one.access || !other.access) return true;
    return !(one.access & ~other.share) && !(other.access & ~one.share);
}

/* A command is like an open that shares everything. Nobody deletes what is open, and a lease wants
 * everything to itself but reading. */
bool open_model_lets(struct model_sharing open, enum model_class class) {
    static const unsigned access[] = {
        [MODEL_READS] = MODEL_READ_ACCESS,
        [MODEL_WRITES] = MODEL_WRITE_ACCESS,
        [MODEL_REPLACES] = MODEL_WRITE_ACCESS | MODEL_DELETE_ACCESS,
    };
    if (class == MODEL_DELETES) return false;
    if (class == MODEL_LEASES)
        return !open.access || (open.access == MODEL_READ_ACCESS && open.share == MODEL_ALL_ACCESS);
    return open_model_fits(open, (struct model_sharing){access[class], MODEL_ALL_ACCESS});
}

/* Each begins before the other one ends. A range without bytes lies where it begins: it overlaps what
 * has bytes on both sides of it. */
static bool overlap(struct model_range a, struct model_range b) {
    __extension__ typedef unsigned __int128 wide;
    return a.offset < (wide)b.offset + b.length && b.offset < (wide)a.offset + a.length;
}

bool open_model_locks(struct model_range lock, bool exclusive, bool own, enum model_question question,
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
