/* Trials of a container: changes drawn from choices, applied to it and to its model, and compared. */
#ifndef HOLDFAST_UNIT_CONTAINER_TRIAL_H
#define HOLDFAST_UNIT_CONTAINER_TRIAL_H

#include "blob/load_sequence.h"
#include "container_shadow.h"
#include "draft.h"

struct container_trial {
    struct container *container;
    struct container_shadow model;
    struct container_census before;          /* of what was there already */
    const struct container_trial *neighbour; /* whose blobs are copied from elsewhere; may be NULL */
};

/* Without a neighbour. */
void container_trial_start(struct container_trial *trial, const struct choice *choice);

/* A container that is there already; the model learns of it what its walk says. Counts were as `before` without it. */
void container_trial_adopt(struct container_trial *trial, struct container *container,
                           const struct container_census *before);

/* Bends the change, mostly, until it fits the state that it meets; writes it down, reads it back, and applies what was
 * read to both. Answers whether it did fit. */
bool container_trial_step(struct container_trial *trial, const struct choice *choice);

/* Applies a change, with a chunk or without, to both. Answers whether it did fit. */
bool container_trial_apply(struct container_trial *trial, const struct container_change *change);

/* Requires that both are the same, and, as long as the container is the only thing that is allocated,
 * that it holds what the allocator says. */
void container_trial_compare(const struct container_trial *trial);

/* Another container takes the place of this one, which is freed. */
void container_trial_take_over(struct container_trial *trial, struct container *successor);

/* A copy of it does, and the model loses the leases that a copy has not. */
void container_trial_copy(struct container_trial *trial);

/* A container that is being built from a file; starts as zeros. */
struct container_loader {
    struct container *container;
    struct load_sequence order;
};

/* The next change of the file, as it was read, and the content beside it. False for what cannot come next. */
bool container_load(struct container_loader *loader, struct container_change *change, struct bytes content);

/* Builds another container from the records that this one would leave in a file, with contents in pieces
 * of at most so many bytes. Small contents go into the blobs, as they do when a file is read. */
struct container *container_rebuild(const struct container *container, size_t piece);

/* The same, but after every so many records what has been built is saved, loaded, and built on. */
struct container *container_rebuild_saving(const struct container *container, size_t piece,
                                           unsigned save_every);

/* What a container's digest is made of; the caller ends the writer. */
void container_digest_bytes(const struct container *container, struct record_writer *bytes);

/* Frees both; a container with an odd number of blobs loses them one by one before. */
void container_trial_end(struct container_trial *trial);

#endif
