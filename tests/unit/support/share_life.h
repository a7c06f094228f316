/* A life of a share: opens, locks, renames and what else there is, each written down, read back, and given to the share
 * and to its naive model, which says what has to be taken and what everybody has to be told. */
#ifndef HOLDFAST_UNIT_SHARE_LIFE_H
#define HOLDFAST_UNIT_SHARE_LIFE_H

#include "file/share.h"
#include "share_model.h"

enum { LIFE_SNAPSHOTS = 6, LIFE_SESSIONS = 3, LIFE_HANDLES = 8 };

struct share_life {
    struct share *share;
    struct share_model model;
    struct share_model pictures[LIFE_SNAPSHOTS]; /* what each snapshot has to show */
    unsigned snapshots;
    struct share *companion; /* gets the same changes, whether they fit or not; may be NULL */
    struct share_census before;
    int64_t now_ms;
    bool is_leased; /* the share itself */
    version versions;
};

/* What happens next, from dice or from a fuzzer: each byte is taken modulo the number of choices. */
struct share_choice {
    uint8_t kind;
    uint8_t path;
    uint8_t target;
    uint8_t session;
    uint8_t handle;
    uint8_t sharing;
    uint8_t range;
    uint8_t pass; /* how much time goes by before */
};

/* The share is the only one there is. */
void share_life_start(struct share_life *life);
void share_life_step(struct share_life *life, const struct share_choice *choice);
void share_life_compare(const struct share_life *life);
/* The share is replaced by one built from its records. */
void share_life_reload(struct share_life *life);
void share_life_end(struct share_life *life);

#endif
