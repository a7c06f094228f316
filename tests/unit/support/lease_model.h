/* The naive model of one lease: its state is kept, not computed, and moves with the clock; the rules are those
 * of the storage service, as prose has them and not as tables. */
#ifndef HOLDFAST_UNIT_LEASE_MODEL_H
#define HOLDFAST_UNIT_LEASE_MODEL_H

#include "dice.h"
#include "lease/lease.h"

enum { LEASE_NAME_ROOM = 24 };

/* A struct of zeros is a lease that never was. */
struct lease_model {
    enum lease_state state;
    bool remembers; /* there is an id to be remembered */
    struct guid id;
    version token;
    bool infinite;
    int64_t duration_ms;
    int64_t ends_ms; /* while it is locked, and not infinite */
    int64_t since_ms;
    char owner[LEASE_NAME_ROOM];
};

/* What somebody wants of a lease: the operation, or to read or write what it guards. */
enum lease_wish {
    WISH_ACQUIRE,
    WISH_RENEW,
    WISH_CHANGE,
    WISH_RELEASE,
    WISH_BREAK,
    WISH_READ,
    WISH_WRITE,
    WISHES
};

struct wish {
    enum lease_wish kind;
    bool gives_id; /* to read or to write with */
    struct lease_request request;
    version token; /* for a new holder */
};

/* The clock is there now, and does not go back. */
void lease_model_tick(struct lease_model *model, int64_t now_ms);

/* Answers as the storage service would. A write that passes frees what has ended only where writes do so. */
enum outcome lease_model_grant(struct lease_model *model, const struct wish *wish, bool writes_free);

/* Requires that the lease is what the model is. */
void lease_model_compare(const struct lease_model *model, const struct lease *lease, int64_t now_ms);

/* Somebody of four comes with some id, of their own or not, and wants something. */
struct wish wish_draw(struct dice *dice, const struct lease_model *model, int64_t now_ms);

/* The next moment, often just before, at or just after something happens to the lease. */
int64_t instant_draw(struct dice *dice, const struct lease_model *model, int64_t now_ms);

/* What the lease itself answers: the same request, by the tables; next is the lease after success. */
enum outcome wish_decide(const struct wish *wish, const struct lease *lease, struct lease *next);

#endif
