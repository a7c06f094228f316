/* Saving: writes a value to RDB files, append-only files and digests. How it is loaded: see loading.h.
 *
 *   value ──walk──▶ record [content]  record [content] …  newest ─▶ a file
 *                                                          newest ─▶ an append-only file, an effect for each record
 *                                                                 ─▶ a digest
 *   value ◀─apply── record [content]  record [content] …  newest ◀─ a file, or the payload of a RESTORE
 *
 * In a file many records share one string, so that there are fewer strings and the server compresses them together.
 * Each record is preceded by a number: twice its length, plus one if it has content. The content is the next string,
 * and such a record is the last one in its own string. An empty string is the end.
 *
 * A file has the same records as the replication stream, so a data type has one decoder. It turns a value into
 * records and applies a record to a value; everything in between is here. An implausible record, a stream that ends
 * too soon or an incomplete value make the whole load fail.
 *
 * The last record is the saving server's newest version, so that versions stay new where the value is loaded; see
 * core/version.h. It is not part of the value or of a digest. */
#ifndef HOLDFAST_SAVING_H
#define HOLDFAST_SAVING_H

#include "server/base/api.h"

struct data_type;

void saving_file(RedisModuleIO *io, const void *value, const struct data_type *type);
void saving_effects(RedisModuleIO *io, RedisModuleString *key, const void *value,
                    const struct data_type *type);
void saving_digest(RedisModuleDigest *digest, const void *value, const struct data_type *type);

#endif
