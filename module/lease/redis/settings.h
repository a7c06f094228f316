/* The settings of leases. */
#ifndef HOLDFAST_LEASE_SETTINGS_H
#define HOLDFAST_LEASE_SETTINGS_H

#include "server/base/settings.h"

extern const struct setting lease_settings[];

/* Bounds of a lease, apart from infinite ones. */
extern struct setting_duration lease_shortest, lease_longest;

#endif
