/* INFO holdfast: what the module holds and what it has answered. Only counters are read, so the section is
 * safe to print even while the server is going down. */
#ifndef HOLDFAST_INFO_H
#define HOLDFAST_INFO_H

#include "server/aggregate.h"

/* more adds what no aggregate owns. */
int info_register(RedisModuleCtx *ctx, const char *version, struct aggregate *const *aggregates,
                  void (*more)(RedisModuleInfoCtx *));

#endif
