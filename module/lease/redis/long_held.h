/* For DOCTOR: leases that are held unusually long, and the keys where it has to look for them. */
#ifndef HOLDFAST_LONG_HELD_H
#define HOLDFAST_LONG_HELD_H

#include "server/operator/doctor.h"

/* Whether somebody may hold a lease for longer than usual: see data_type.h. */
bool lease_is_notable(const struct data_type *type, const void *value, const void *change);

extern const struct doctor_rule lease_rules[], lease_key_rules[];

#endif
