/* INFO holdfast: what the module holds and what it has answered. Only counters are read, so the section is
 * safe to print even while the server is going down. */
#ifndef HOLDFAST_INFO_H
#define HOLDFAST_INFO_H

#include "server/aggregate.h"

/* One line of the section. */
struct info_number {
    const char *name;
    unsigned long long number;
};

/* Shows so many of them, in their order. */
void info_show(RedisModuleInfoCtx *ctx, const struct info_number *numbers, size_t count);

/* more adds what no aggregate owns. */
int info_register(RedisModuleCtx *ctx, const char *version, struct aggregate *const *aggregates,
                  void (*more)(RedisModuleInfoCtx *));

#endif
