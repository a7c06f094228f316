/* The server's own settings, as far as the module wants to know them. Those that are asked for often are kept here, and
 * read anew whenever somebody changes one. */
#ifndef HOLDFAST_SERVER_CONFIG_H
#define HOLDFAST_SERVER_CONFIG_H

#include "server/base/api.h"

/* proto-max-bulk-len: the maximum length of a string in a reply. */
extern int64_t server_max_string_bytes;

/* maxmemory; 0 for none. */
extern int64_t server_max_memory;

/* maxmemory-policy is another one than noeviction. */
extern bool server_evicts;

/* min-replicas-to-write; 0 for none. */
extern int64_t server_min_replicas;

/* stop-writes-on-bgsave-error, and there is something to save. */
extern bool server_stops_without_saves;

/* Any of them as text. False when it does not exist, or does not fit. */
bool server_config_text(RedisModuleCtx *ctx, const char *name, char *text, size_t size);

/* Reads those that are kept, now and whenever they change. */
int server_config_watch(RedisModuleCtx *ctx);

#endif
