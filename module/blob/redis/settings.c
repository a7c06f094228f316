#include "blob/redis/settings.h"

#include "blob/redis/copier.h"

#include <limits.h>

enum { COPY_TIMEOUT_MAX_MS = 3600000, COPIES_AT_ONCE_MAX = 256 };

long long max_blob_bytes = 5000LL * 1024 * 1024;
long long max_block_bytes = 4000LL * 1024 * 1024;
long long max_append_bytes = 100LL * 1024 * 1024;

const struct setting blob_settings[] = {
    {.name = "max-blob-bytes", .bytes = true, .number = &max_blob_bytes, .min = 1, .max = LLONG_MAX},
    {.name = "max-block-bytes", .bytes = true, .number = &max_block_bytes, .min = 1, .max = LLONG_MAX},
    {.name = "max-append-bytes", .bytes = true, .number = &max_append_bytes, .min = 1, .max = LLONG_MAX},
    {.name = "copy-from", .text = &copy_from},
    {.name = "copy-user", .text = &copy_user},
    {.name = "copy-password", .text = &copy_password},
    {.name = "copy-tls", .toggle = &copy_tls},
    {.name = "copy-timeout-seconds", .duration = &copy_timeout, .min = 1, .max = COPY_TIMEOUT_MAX_MS},
    {.name = "copy-most",
     .number = &copy_max,
     .changed = copiers_look_soon,
     .min = 1,
     .max = COPIES_AT_ONCE_MAX},
    {.name = NULL},
};
