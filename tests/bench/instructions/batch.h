/* Sends the steps of a row and counts its batches. */
#ifndef INSTRUCTIONS_BATCH_H
#define INSTRUCTIONS_BATCH_H

#include "rows.h"
#include "server.h"

/* Instructions of the server per counted call of the row. Empties the server first. */
double batch_count(struct server *server, const struct row *row);

#endif
