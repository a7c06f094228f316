/* Replies about entities: maps of their properties, whole or only what is selected. */
#ifndef HOLDFAST_TABLE_ENTITY_REPLY_H
#define HOLDFAST_TABLE_ENTITY_REPLY_H

#include "table/name_set.h"
#include "table/redis/handlers.h"

enum { SELECTED_MAX = 255 };

/* Which properties a caller wants to see. */
struct selection {
    bool all; /* of its own; what every entity has is asked for by name */
    bool partition, row, timestamp;
    struct name_set names;
};

/* On refusal the call's note tells why. */
enum outcome selection_read(struct call *call, struct selection *selection);

/* A map. A property's type stands behind its name, as it does when one is written. */
void reply_entity(struct reply *out, const struct entity *entity, const struct selection *selection);

/* A partition key or a row key, from its stored form. */
void reply_key(struct reply *out, struct bytes stored);

#endif
