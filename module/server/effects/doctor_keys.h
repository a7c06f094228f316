/* Doctor keys: a list of keys for DOCTOR to examine, since it does not scan the keyspace.
 *
 *   change, load, arrival ─▶ worth a look? ─▶ db, key        at most DOCTOR_KEYS_MAX of them
 *
 * Each data type says which of its values are notable; large values of any type are, too. Only the name is kept: to
 * examine it, the key is opened again. A flag in the value tells that its key is listed, so that it is listed once;
 * the value does not know the name. A name is removed when the server reports that its key loses its value. When the
 * list is full, names that are no longer notable are removed within a second; and as long as large values fill it, only
 * the larger ones are listed, but always those that exceed proto-max-bulk-len. */
#ifndef HOLDFAST_DOCTOR_KEYS_H
#define HOLDFAST_DOCTOR_KEYS_H

#include "server/base/key_name.h"

enum { DOCTOR_KEYS_MAX = 1000 };

int doctor_keys_start(RedisModuleCtx *ctx);

/* Whether the value's key should be listed, and is not: after this change, or, without one, as it
 * came from elsewhere. */
bool doctor_keys_wants(const struct data_type *type, const void *value, const void *change);

void doctor_keys_add(struct key_name name, void *value);

/* A value has appeared under this name, which may not be listed yet: lists it if it is notable. */
void doctor_keys_look(struct key_name name, const struct data_type *type, void *value);

void doctor_keys_forget(struct key_name name);

/* All names; the list and the keys live as long as the arena. */
const struct key_name *doctor_keys_names(struct arena *arena, size_t *count);

/* Whether a name was left out because the list was full. */
bool doctor_keys_overflow(void);

#endif
