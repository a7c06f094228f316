/*
 * The entity that tables are measured with: ten properties, strings mostly, and a hash with the same names
 * and values. As a hash it takes 328 bytes, by MEMORY USAGE.
 */
#ifndef BENCH_TABLES_H
#define BENCH_TABLES_H

#include "runner.h"

enum { ENTITY_WORDS = 20 }; /* names and values */

/* The property `number` differs between entities: pass file_mark for %b. */
#define ENTITY(INT32, INT64, BOOL, DATETIME)                                                                 \
    "customer K-2048193755 number %b status dispatched carrier Northmail-07 delivery_city Copenhagen "       \
    "reference PO-8831-0742 quantity" INT32 " 184250 total" INT64 " 8812345678901 invoice_sent" BOOL         \
    " true placed" DATETIME " 2026-11-18T09:30:00.123Z"
#define PROPERTIES "10 " ENTITY(":int32", ":int64", ":bool", ":datetime")
#define FIELDS     ENTITY("", "", "", "")

/* What a merge changes. */
#define MERGED_PROPERTIES "2 status delivered1 quantity:int32 184249"
#define MERGED_FIELDS     "status delivered1 quantity 184249"

enum { MERGED_AT_ONCE = 50 };

/* Tables: with the dataset's entities, with entities of a single partition, with indexes. */
#define TABLE           "table"
#define BATCH_TABLE     "batches"
#define BATCH_PARTITION "batch"
#define ONE_INDEX       "indexed"
#define FOUR_INDEXES    "indexed:4"
#define FIRST_INDEX     "number"
#define MORE_INDEXES    "status quantity placed"

/* A million entities on a server of their own. */
struct million {
    struct server *server;
    struct dataset *data;
};

/* The memory of an entity, and of a hash. */
void measure_table_memory(const struct context *context, const struct million *million);

/* The cost of filters that examine every entity. */
void measure_table_scans(const struct context *context, const struct million *million);

/* How long single calls hold the server, and how long other clients wait while indexes are built and tables dropped. */
void measure_table_longest(const struct context *context, const struct million *million);

#endif
