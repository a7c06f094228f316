/* What befalls the servers. */
#ifndef HOLDFAST_FAULTS_FAULTS_H
#define HOLDFAST_FAULTS_FAULTS_H

#include "trial.h"

extern const struct fault kill_fault, stop_fault;
extern const struct fault promotion_fault, failover_fault, sentinel_fault;
extern const struct fault proxy_fault;
extern const struct fault backlog_fault, diskless_fault;
extern const struct fault clock_fault;
extern const struct fault cut_fault, disk_fault;
extern const struct fault slots_fault;

/* A promotion without grace, for control. */
extern const struct fault no_grace_fault;

#endif
