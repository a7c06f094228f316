#include "file/sharing.h"

enum { R = SHARING_READ, W = SHARING_WRITE, D = SHARING_DELETE };

/* What a class asks of all opens that have an access. That a lease wants the right to read shared, too, though it would
 * do with less, is the service's own saying: it fails for everything but R that shares all. */
static const struct {
    uint8_t shared; /* by everyone */
    uint8_t held;   /* at most, by anyone */
    bool alone;     /* no opens at all, those without an access included */
} classes[SHARING_CLASSES] = {
    /* clang-format off */
                           /* shared     held       alone */
    [CLASS_ATTRIBUTES]   = {0,           R | W | D, false},
    [CLASS_READ]         = {R,           R | W | D, false},
    [CLASS_WRITE]        = {W,           R | W | D, false},
    [CLASS_WRITE_DELETE] = {W | D,       R | W | D, false},
    [CLASS_DELETE]       = {D,           R | W | D, true},
    [CLASS_LEASE]        = {R | W | D,   R,         false},
    /* clang-format on */
};

/* --- All opens of one file --- */

/* Counts it in by 1, or out by -1, which is UINT32_MAX. */
static void count_opens(struct sharing_tally *tally, struct sharing open, uint32_t by) {
    tally->opens += by;
    if (!open.access) return;
    tally->data_opens += by;
    for (unsigned bit = 0; bit < SHARING_BITS; bit++) {
        if (open.access >> bit & 1) tally->access[bit] += by;
        if (!(open.share >> bit & 1)) tally->denied[bit] += by;
    }
}

void sharing_add(struct sharing_tally *tally, struct sharing open) {
    count_opens(tally, open, 1);
}

void sharing_remove(struct sharing_tally *tally, struct sharing open) {
    count_opens(tally, open, UINT32_MAX);
}

void sharing_subtract(struct sharing_tally *tally, const struct sharing_tally *part) {
    tally->opens -= part->opens;
    tally->data_opens -= part->data_opens;
    for (int bit = 0; bit < SHARING_BITS; bit++) {
        tally->access[bit] -= part->access[bit];
        tally->denied[bit] -= part->denied[bit];
    }
}

/* Whether somebody denies what is wanted, or has more than is borne. */
static bool clashes(const struct sharing_tally *tally, unsigned wanted, unsigned borne) {
    for (unsigned bit = 0; bit < SHARING_BITS; bit++) {
        if (wanted >> bit & 1 && tally->denied[bit]) return true;
        if (!(borne >> bit & 1) && tally->access[bit]) return true;
    }
    return false;
}

bool sharing_fits_all(const struct sharing_tally *tally, struct sharing open) {
    return !open.access || !clashes(tally, open.access, open.share);
}

bool sharing_class_fits_all(const struct sharing_tally *tally, enum sharing_class class) {
    if (classes[class].alone && tally->opens) return false;
    return !clashes(tally, classes[class].shared, classes[class].held);
}

/* --- Two --- */

static struct sharing_tally tally_of(struct sharing open) {
    struct sharing_tally tally = {0};
    sharing_add(&tally, open);
    return tally;
}

bool sharing_fits(struct sharing new_open, struct sharing old_open) {
    struct sharing_tally tally = tally_of(old_open);
    return sharing_fits_all(&tally, new_open);
}

bool sharing_class_fits_open(enum sharing_class class, struct sharing open) {
    struct sharing_tally tally = tally_of(open);
    return sharing_class_fits_all(&tally, class);
}

bool sharing_fits_lease(struct sharing open) {
    return !(open.access & (W | D));
}
