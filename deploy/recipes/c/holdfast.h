/* deploy/recipes/c/holdfast.h */
/* What the other recipes share. For hiredis 0.14 and newer, RESP2 or RESP3. A reply that is NULL means that the connection is gone: the
 * command may have been carried out or not. */
#ifndef HOLDFAST_RECIPES_H
#define HOLDFAST_RECIPES_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    LONGEST_BLOCK = 20, /* seconds: what the recipes wait at most in one command */
    ETAG_SIZE = 19,     /* of an ETag, a token or a snapshot id, with the zero behind it */
    ID_SIZE = 37        /* of a GUID, likewise */
};

/* Waits longer for an answer than any BLOCK. NULL when there is no server. */
redisContext *holdfast_connect(const char *host, int port);

/* The value of a field: RESP2 sends a map as a list of names and values, and so does hiredis hand over a map of RESP3. NULL when absent. */
const redisReply *holdfast_field(const redisReply *map, const char *name);

/* The text of a field, "" when absent; it lasts as long as the map. */
const char *holdfast_text(const redisReply *map, const char *name);

/* A whole number, also one that came as text: int64 properties do. 0 when absent. */
int64_t holdfast_number(const redisReply *map, const char *name);

/* Whether it is a refusal that begins with these words: "CONFLICT", or "CONFLICT LeaseAlreadyPresent". */
bool holdfast_refused(const redisReply *reply, const char *words);

/* Whether it is there and no error; an error is printed. Frees it. */
bool holdfast_done(redisReply *reply);

/* Somebody was quicker: a random time, longer with each attempt, so that writers do not collide in step. */
void holdfast_pause(int attempt);

/* A new GUID. */
void holdfast_new_id(char id[ID_SIZE]);

/* Milliseconds of a clock that nobody sets. */
int64_t holdfast_clock(void);

#endif
