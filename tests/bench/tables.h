/*
 * The parts of the section `tables`.
 */
#ifndef BENCH_TABLES_H
#define BENCH_TABLES_H

#include "part.h"

/* A million entities on a server of their own. */
struct million {
    struct server *server;
    struct dataset *data;
};

/* What an entity takes, and what a hash does. */
void measure_table_memory(const struct part *part, const struct million *million);

/* What filters cost that have to look at everything. */
void measure_table_scans(const struct part *part, const struct million *million);

/* How long single calls hold the server, and how long others wait when indexes and tables come and go. */
void measure_table_longest(const struct part *part, const struct million *million);

#endif
