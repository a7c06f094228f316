#include "file/sharing.h"

enum { R = SHARING_READ, W = SHARING_WRITE, D = SHARING_DELETE };

/* What a class requires of all opens with an access. A lease requires reads to be shared, too, since the storage
 * service refuses it for all opens but those that read and share everything. */
static const struct {
    uint8_t shared;  /* every open shares these */
    uint8_t allowed; /* no open has an access beside these */
    bool alone;      /* no opens at all, not even for attributes */
} classes[SHARING_CLASSES] = {
    /* clang-format off */
                           /* shared     allowed    alone */
    [CLASS_ATTRIBUTES]   = {0,           R | W | D, false},
    [CLASS_READ]         = {R,           R | W | D, false},
    [CLASS_WRITE]        = {W,           R | W | D, false},
    [CLASS_WRITE_DELETE] = {W | D,       R | W | D, false},
    [CLASS_DELETE]       = {D,           R | W | D, true},
    [CLASS_LEASE]        = {R | W | D,   R,         false},
    /* clang-format on */
};

/* --- All opens of one file --- */

/* by: 1, or UINT32_MAX for -1. */
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

/* Whether an open denies what is wanted, or has an access that is not allowed. */
static bool clashes(const struct sharing_tally *tally, unsigned wanted, unsigned allowed) {
    for (unsigned bit = 0; bit < SHARING_BITS; bit++) {
        if (wanted >> bit & 1 && tally->denied[bit]) return true;
        if (!(allowed >> bit & 1) && tally->access[bit]) return true;
    }
    return false;
}

bool sharing_fits_all(const struct sharing_tally *tally, struct sharing open) {
    return !open.access || !clashes(tally, open.access, open.share);
}

bool sharing_class_fits_all(const struct sharing_tally *tally, enum sharing_class class) {
    if (classes[class].alone && tally->opens) return false;
    return !clashes(tally, classes[class].shared, classes[class].allowed);
}

/* --- Two opens --- */

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
