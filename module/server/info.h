/* INFO holdfast: what the module holds and how it replied. Only counters are read, so the section is safe to print
 * even while the server shuts down. */
#ifndef HOLDFAST_INFO_H
#define HOLDFAST_INFO_H

#include "server/data_type.h"

/* One line of the section. */
struct info_number {
    const char *name;
    unsigned long long number;
};

/* Shows `count` numbers in order. */
void info_show(RedisModuleInfoCtx *ctx, const struct info_number *numbers, size_t count);

/* `more` adds fields that belong to no data type. */
int info_register(RedisModuleCtx *ctx, const char *version, struct data_type *const *data_types,
                  void (*more)(RedisModuleInfoCtx *));

#endif
