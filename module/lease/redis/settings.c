#include "lease/redis/settings.h"

struct setting_duration lease_shortest = {.ms = 15000}, lease_longest = {.ms = 60000};

static const char *bounds_fault(void) {
    return lease_shortest.ms > lease_longest.ms
               ? "holdfast.lease-min-seconds is greater than holdfast.lease-max-seconds"
               : NULL;
}

const struct setting lease_settings[] = {
    {.name = "lease-min-seconds",
     .duration = &lease_shortest,
     .min = 1,
     .max = 86400000,
     .fault = bounds_fault},
    {.name = "lease-max-seconds",
     .duration = &lease_longest,
     .min = 1,
     .max = 86400000LL * 365,
     .fault = bounds_fault},
    {.name = NULL},
};
