/* Checks that several workloads have in common. */
#ifndef HOLDFAST_FAULTS_CHECKS_H
#define HOLDFAST_FAULTS_CHECKS_H

#include "trial.h"

/* See struct ledger. */
void ledger_add(struct part *part, uint64_t version, bool survived);
void ledger_check(struct trial *trial);

/* No version is given twice, and what is asked for after a version was given gets a greater one. Looks at what was done
 * of WROTE, GRANTED, GUARDED and MOVED. */
void versions_check(struct part *part);

/* No two hold the same at the same time. */
void holders_check(struct part *part);

/* No write under a token is accepted after a greater token was granted. */
void guards_check(struct part *part);

#endif
