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
void info_show(RedisModuleInfoCtx *ctx, const struct info_number *numbers, size_t count);

#endif
