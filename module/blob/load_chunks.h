/* Load chunks: the chunks of a container that is being loaded, by their numbers in the file, so that files have shared
 * chunks only once. Any change that is not in files discards them. */
#ifndef HOLDFAST_LOAD_CHUNKS_H
#define HOLDFAST_LOAD_CHUNKS_H

#include "core/chunk.h"

#include <stdint.h>

struct load_chunks;

/* Adds the next chunk of `length` bytes, or the next piece of it: bytes, or a chunk with them, which load_chunks then
 * owns. False, and nothing taken, when it is not valid. */
bool load_chunks_add(struct account *account, struct load_chunks **load_chunks, uint64_t length,
                     struct bytes piece, struct chunk *chunk);

/* The chunk of this number, from one on, also if it is not complete, and how many of its bytes are still to come; NULL
 * behind the last one. */
struct chunk *load_chunks_at(const struct load_chunks *load_chunks, uint64_t number, uint64_t *missing);

/* NULL if there is no such chunk, or it is not complete. */
struct chunk *load_chunks_chunk(const struct load_chunks *load_chunks, uint64_t number);

void load_chunks_drop(struct account *account, struct load_chunks **load_chunks);

#endif
