#include "file/sharing.h"

enum { R = SHARING_READ, W = SHARING_WRITE, D = SHARING_DELETE };

/* A lease requires reads to be shared, too, since the storage service refuses it for all handles but those that read
 * and share everything. */
static const struct sharing classes[SHARING_CLASSES] = {
    /* clang-format off */
                           /* access             share */
    [CLASS_ATTRIBUTES]   = {0,                   R | W | D},
    [CLASS_READ]         = {R,                   R | W | D},
    [CLASS_WRITE]        = {W,                   R | W | D},
    [CLASS_WRITE_DELETE] = {W | D,               R | W | D},
    [CLASS_DELETE]       = {D | SHARING_ALONE,   R | W | D},
    [CLASS_LEASE]        = {R | W | D,           R},
    /* clang-format on */
};

struct sharing sharing_of_class(enum sharing_class class) {
    return classes[class];
}

bool sharing_fits(struct sharing a, struct sharing b) {
    if ((a.access | b.access) & SHARING_ALONE) return false;
    return !a.access || !b.access || !((a.access & ~b.share) | (b.access & ~a.share));
}

bool sharing_fits_lease(struct sharing wanted) {
    return !(wanted.access & (W | D));
}

/* --- All handles of one file --- */

/* by: 1, or UINT32_MAX for -1. */
static void count_handles(struct sharing_tally *tally, struct sharing sharing, uint32_t by) {
    tally->handles += by;
    if (!sharing.access) return;
    for (unsigned bit = 0; bit < SHARING_BITS; bit++) {
        if (sharing.access >> bit & 1) tally->access[bit] += by;
        if (!(sharing.share >> bit & 1)) tally->denied[bit] += by;
    }
}

void sharing_add(struct sharing_tally *tally, struct sharing sharing) {
    count_handles(tally, sharing, 1);
}

void sharing_remove(struct sharing_tally *tally, struct sharing sharing) {
    count_handles(tally, sharing, UINT32_MAX);
}

void sharing_subtract(struct sharing_tally *tally, const struct sharing_tally *part) {
    tally->handles -= part->handles;
    for (int bit = 0; bit < SHARING_BITS; bit++) {
        tally->access[bit] -= part->access[bit];
        tally->denied[bit] -= part->denied[bit];
    }
}

bool sharing_fits_all(struct sharing wanted, const struct sharing_tally *tally) {
    if (!wanted.access) return true;
    if (wanted.access & SHARING_ALONE && tally->handles) return false;
    for (unsigned bit = 0; bit < SHARING_BITS; bit++) {
        if (wanted.access >> bit & 1 && tally->denied[bit]) return false;
        if (!(wanted.share >> bit & 1) && tally->access[bit]) return false;
    }
    return true;
}
