/* Replies of entities: maps of all or the selected properties. */
#ifndef HOLDFAST_TABLE_ENTITY_REPLY_H
#define HOLDFAST_TABLE_ENTITY_REPLY_H

#include "table/name_set.h"
#include "table/redis/table_commands.h"

enum { SELECTED_MAX = 255 };

/* The properties that a caller selects. */
struct selection {
    bool all; /* except for the keys and Timestamp, which must be named */
    bool partition, row, timestamp;
    struct name_set names;
};

/* Reads the option SELECT. On refusal the call's note tells why. */
enum outcome selection_read(struct call *call, struct selection *selection);

/* A map. Names have the type behind a colon, as in writes. */
void reply_entity(struct reply *out, const struct entity *entity, const struct selection *selection);

/* A partition key or a row key, from its stored form. */
void reply_key(struct reply *out, struct bytes stored);

#endif
