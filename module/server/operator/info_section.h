/* INFO holdfast: what the module holds and how it replied. Nothing is changed by it, and no key is opened, so the
 * section is safe to print even while the server shuts down. */
#ifndef HOLDFAST_INFO_SECTION_H
#define HOLDFAST_INFO_SECTION_H

#include "server/base/data_type.h"

/* `more` adds fields that belong to no data type. */
int info_section_register(RedisModuleCtx *ctx, const char *version, struct data_type *const *data_types,
                          void (*more)(RedisModuleInfoCtx *));

#endif
