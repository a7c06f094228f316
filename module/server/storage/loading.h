/* Loading: makes a value of the records of a file, which saving.h describes. */
#ifndef HOLDFAST_LOADING_H
#define HOLDFAST_LOADING_H

#include "core/version.h"
#include "server/storage/saving.h"

struct loading {
    RedisModuleIO *io;
    void *value;        /* the value so far; NULL before the first record */
    void *progress;     /* state of the data type between records */
    int64_t horizon_ms; /* see effect_horizon_ms */
    bool knows_newest;
    version newest; /* newest version in the file */
    RedisModuleString *content;
};

/* The value, or NULL if loading failed. */
void *loading_file(RedisModuleIO *io, int encoding, const struct data_type *type, void *progress);

#endif
