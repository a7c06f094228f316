/* The settings of the family. Those of copies from other servers are in copier.h, as they are used there alone. */
#ifndef HOLDFAST_BLOB_SETTINGS_H
#define HOLDFAST_BLOB_SETTINGS_H

#include "server/base/settings.h"

extern const struct setting blob_settings[];

/* Maximum content of BLOB.PUT, BLOB.PUTBLOCK and BLOB.APPEND. */
extern long long max_blob_bytes, max_block_bytes, max_append_bytes;

#endif
