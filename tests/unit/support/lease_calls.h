/* Calls that are drawn for a lease, and played on the lease itself as on its model. */
#ifndef HOLDFAST_UNIT_LEASE_CALLS_H
#define HOLDFAST_UNIT_LEASE_CALLS_H

#include "dice.h"
#include "lease/lease.h"
#include "lease_model.h"

/* One of four callers comes with an id, its own or not, and wants something. */
struct lease_call lease_call_draw(struct dice *dice, const struct lease_model *model, int64_t now_ms);

/* The next moment, often just before, at or just after something happens to the lease. */
int64_t instant_draw(struct dice *dice, const struct lease_model *model, int64_t now_ms);

/* Decides the call by the module's tables, where next is the lease after success, and requires that the model says the
 * same. Where writes do not free what has ended, the model does not, either. */
enum outcome lease_call_decide(const struct lease_call *call, struct lease_model *model,
                               const struct lease *lease, struct lease *next, bool writes_free);

/* Requires that the lease is what the model is. */
void lease_model_compare(const struct lease_model *model, const struct lease *lease, int64_t now_ms);

#endif
