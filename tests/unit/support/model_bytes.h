/* The bytes of models as the module's, and the other way round. */
#ifndef HOLDFAST_UNIT_MODEL_BYTES_H
#define HOLDFAST_UNIT_MODEL_BYTES_H

#include "blob_model.h"
#include "core/bytes.h"

static inline struct model_view model_view_of(struct bytes bytes) {
    return (struct model_view){bytes.data, bytes.length};
}

static inline struct bytes model_bytes(struct model_bytes own) {
    return bytes_of(own.data, own.length);
}

#endif
