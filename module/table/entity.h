/* Entities: what a table holds under a pair of keys, in one allocation.
 *
 *   entry | etag | timestamp | stored key | properties, packed
 *
 * A write replaces the state: in place if the new one has about the same size, else in a new allocation. */
#ifndef HOLDFAST_TABLE_ENTITY_H
#define HOLDFAST_TABLE_ENTITY_H

#include "core/entry.h"
#include "core/version.h"
#include "table/filter.h"
#include "table/filter_match.h"
#include "table/property.h"

struct entity {
    struct entry entry; /* its name is the stored key */
    version etag;
    int64_t ticks;   /* its Timestamp */
    uint32_t length; /* of the properties */
    uint16_t count;
    char bytes[];
};

/* The state that a write gives to an entity. */
struct entity_state {
    struct bytes key; /* stored */
    version etag;
    int64_t ticks;
    struct packed_list properties;
};

/* The caller provides the memory. */
struct entity *entity_new(const struct entity_state *state);

struct entity *entity_twin(const struct entity *entity);

/* Rewrites the entity in place. False, and nothing done, when it needs another size, or other tables have it. */
bool entity_rewrite(struct entity *entity, const struct entity_state *state);

struct packed_list entity_properties(const struct entity *entity);
struct row entity_row(const struct entity *entity);

/* False when there is no such property. */
bool properties_find_name(struct packed_list properties, struct bytes name, struct property *found);

/* Merges two lists; properties in `added` win. The result borrows from `buffer`, which must be empty. */
struct packed_list properties_merge(struct packed_list old, struct packed_list added,
                                    struct record_writer *buffer);

/* Whether each name is unique. Only for lists whose count is right. */
bool properties_unique(struct packed_list properties);

/* Checks the limits of an entity: TOO_MANY_PROPERTIES, ENTITY_TOO_LARGE. */
enum outcome entity_check_size(struct bytes key, struct packed_list properties);

/* The same for the result of a merge. */
enum outcome entity_check_merged_size(const struct entity *entity, struct packed_list added);

#endif
