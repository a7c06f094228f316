/* The naive model of a container: copies of everything, in a plain sorted array, without
 * any of the real one's economies. */
#ifndef HOLDFAST_UNIT_CONTAINER_MODEL_H
#define HOLDFAST_UNIT_CONTAINER_MODEL_H

#include "blob/container.h"

/* A packed list of the model's own. */
struct model_list {
    uint64_t count;
    char *data;
    size_t length;
};

/* A lease with an owner of the model's own; NULL when there never was one. */
struct model_lease {
    struct lease *lease;
    char *owner;
};

struct model_blob {
    char *name, *content;
    size_t name_length, length;
    struct stamp stamp;
    int64_t created_ms;
    struct model_list properties, metadata;
    struct model_lease lease;
};

struct model {
    struct stamp stamp;
    int64_t created_ms;
    enum container_access access;
    struct model_list metadata, policies;
    struct model_lease lease;
    struct model_blob *blobs;
    size_t count, capacity;
    uint64_t content_bytes;
};

void model_start(struct model *model, const struct change *create);
void model_end(struct model *model);

/* Whether the change fits, and if so, what it does. */
bool model_apply(struct model *model, const struct change *change);

/* As a copy of the container has it: without any lease. */
void model_forget_leases(struct model *model);

/* How many leases are held or broken off. */
size_t model_standing(const struct model *model);

/* Requires that the container is in all that can be seen what the model is, and that its figures of
 * memory are those of the allocations that can be counted from outside. */
void model_compare(const struct model *model, const struct container *container);

#endif
