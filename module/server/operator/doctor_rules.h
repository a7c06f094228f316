/* DOCTOR's rules that belong to no data type: settings of the server that endanger the promises, the clock, memory,
 * effects, long lines of waiters, and large keys. */
#ifndef HOLDFAST_DOCTOR_RULES_H
#define HOLDFAST_DOCTOR_RULES_H

#include "server/operator/doctor.h"

/* Whether this server has replicas, or is one. */
bool doctor_sees_replication(const struct doctor *doctor);

/* Both are ended by one without a check. */
extern const struct doctor_rule doctor_rules[];
extern const struct doctor_rule doctor_key_rules[];

#endif
