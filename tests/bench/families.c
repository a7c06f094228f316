#include "workload.h"

/* All that is measured. */
const struct family *const families[] = {&native_family, &blob_family,  &lock_family,
                                         &lease_family,  &kind_family,  &queue_family,
                                         &hash_family,   &table_family, &file_family};
const size_t family_count = sizeof families / sizeof *families;
