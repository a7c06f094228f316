/* Lines of INFO; info_section.h puts the section together. */
#ifndef HOLDFAST_INFO_H
#define HOLDFAST_INFO_H

#include "server/base/api.h"

#include <stddef.h>

/* One line of the section. */
struct info_number {
    const char *name;
    unsigned long long number;
};

/* Shows `count` numbers in order. */
static inline void info_show(RedisModuleInfoCtx *ctx, const struct info_number *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        RedisModule_InfoAddFieldULongLong(ctx, numbers[i].name, numbers[i].number);
}

#endif
