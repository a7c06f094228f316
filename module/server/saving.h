/* Saving: the way of a value into files, append-only files and digests, and out of a file again.
 *
 *   value ──walk──▶ record [content]  record [content] …  newest ─▶ a file
 *                                                          newest ─▶ an append-only file, an effect for each record
 *                                                                 ─▶ a digest
 *   value ◀──take── record [content]  record [content] …  newest ◀─ a file, or the payload of a RESTORE
 *
 * In a file many records stand together in one string, so that there are fewer of them, and the server compresses what
 * they have in common. Each record has a number in front: twice its length, and one more if a content stands beside it.
 * The content is the next string, and the record is then the last one in its own. An empty string is the end.
 *
 * A file holds the same records as the replication stream, so a family has one decoder. It says how a value becomes
 * records and how the next record goes into a value; everything between the two is here. A record that the family does
 * not believe, a stream that ends too soon and a value that is not whole at the end load nothing at all.
 *
 * The last record tells the newest version of the server that saves, so that versions stay new where the value is loaded;
 * see core/version.h. It is no part of the value, and of no digest. */
#ifndef HOLDFAST_SAVING_H
#define HOLDFAST_SAVING_H

#include "core/record.h"
#include "core/version.h"
#include "server/api.h"

struct aggregate;
struct saving;
struct loading;

/* What a family says of its type. */
struct saved_type {
    const char *noun;             /* as the log calls a value: "a queue" */
    const struct aggregate *type; /* whose records these are: see records.h */
    int encoding_version;         /* the only one that is read */
    /* Whether a value can be left as it is now; NULL if every value can. */
    bool (*whole)(const void *value);
    void (*free)(void *value);
};

/* --- Out of memory --- */

struct saving {
    size_t piece; /* the most bytes of content that may go beside one record */
    struct record_writer record;
    struct record_writer together; /* records that a file has not got yet */
    void (*put)(struct saving *saving, const struct bytes *content);
    void *to;               /* who takes what is put */
    bool tells_newest;      /* the newest version, behind all else */
    RedisModuleString *key; /* of effects */
};

/* The next record, empty: to be written and put. */
struct record_writer *saving_record(struct saving *saving);
/* Puts the record that was written, with the content that travels beside it; NULL for none. */
void saving_put(struct saving *saving, const struct bytes *content);

void saving_file(RedisModuleIO *io, const void *value, const struct saved_type *type);
void saving_effects(RedisModuleIO *io, RedisModuleString *key, const void *value,
                    const struct saved_type *type);
/* For a family whose equal values walk equally. */
void saving_digest(RedisModuleDigest *digest, const void *value, const struct saved_type *type);
/* The part of a digest that all families have: what the value remembers of calls. */
void saving_digest_remembered(RedisModuleDigest *digest, const void *value, const struct saved_type *type);

/* --- Into memory --- */

struct loading {
    RedisModuleIO *io;
    void *value;        /* what has been built so far; NULL before the first record */
    void *progress;     /* what else the family wants to know from record to record */
    bool beside;        /* the record that is being taken has a content beside it */
    int64_t horizon_ms; /* see effect_horizon_ms */
    bool knows_newest;
    version newest; /* that the file tells */
    RedisModuleString *content;
};

/* The content beside the record that is being taken; NULL if it cannot be read. Once for each record that has one; stays
 * good until the record has been taken. */
RedisModuleString *loading_content(struct loading *loading);

/* The value, or NULL when there is none to be had. */
void *loading_file(RedisModuleIO *io, int encoding, const struct saved_type *type, void *progress);

#endif
