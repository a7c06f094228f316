/* Noted keys: where DOCTOR has to look, since it walks no keyspace.
 *
 *   change, load, arrival ─▶ worth a look? ─▶ db, key        at most NOTED_MAX of them
 *
 * Each family says which of its values are worth a look; so are large ones of any family. What is kept is a name and no
 * more: whoever comes back to it opens the key, and finds what is there now. A value knows that its key is noted, so that
 * it is noted once; it does not know the name. Where the server tells that a key loses its value, its name is forgotten.
 * When there is no room for another name, those that are not worth a look any more make room within a second. */
#ifndef HOLDFAST_NOTED_H
#define HOLDFAST_NOTED_H

#include "core/arena.h"
#include "server/aggregate.h"

enum { NOTED_MAX = 1000 };

int noted_start(RedisModuleCtx *ctx);

/* Whether the key of the value should be noted, and is not: after this change, or, without one, as it has come from
 * elsewhere. */
bool noted_wants(const struct aggregate *type, const void *value, const void *change);

void noted_add(int db, struct bytes key, const struct aggregate *type, void *value);

/* A value has come under this name, which nobody may know: notes it if it is worth a look. */
void noted_look(int db, struct bytes key, const struct aggregate *type, void *value);

void noted_forget(int db, struct bytes key);

struct noted_name {
    int db;
    struct bytes key;
};

/* All names; the list and the keys last as long as the arena. */
const struct noted_name *noted_names(struct arena *arena, size_t *count);

/* Whether a name was left out for want of room. */
bool noted_lacks_room(void);

#endif
