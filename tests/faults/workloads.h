/* The workloads, one per primitive, and those that have to fail: what one would use instead, for control. */
#ifndef HOLDFAST_FAULTS_WORKLOADS_H
#define HOLDFAST_FAULTS_WORKLOADS_H

#include "trial.h"

extern const struct workload counter_workload, mutex_workload, queue_workload, table_workload, file_workload,
    once_workload, atomic_workload, feed_workload;

/* SET NX PX and a plain write; a version of one's own, in a script. */
extern const struct workload plain_lock_workload, plain_version_workload;

#endif
