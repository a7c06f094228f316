/* A link to another server, from which one copy reads: a thread of its own, and the hand-over of what it has read.
 *
 * Why a thread: resolving names blocks, so it takes a thread in any case. The measurement that decided: to copy 500
 * MB between two servers of one machine the thread worked 220 ms and the main thread 15 ms, in 500 turns. On the
 * event loop all of that would run between clients' commands, and TLS as well, whose handshake alone takes
 * milliseconds. A thread is also straightforward to read: connect, ask, take, hand over.
 *
 * The thread knows the protocol, the order and the reader, and nothing of keys and values. It hands over deliveries,
 * one at a time; while one waits to be taken it reads for the next, and no further. So a copy holds a few pieces of
 * at most 1 MiB besides the blob. It ends by itself after its last delivery, or soon after it was cancelled. */
#ifndef HOLDFAST_SOURCE_LINK_H
#define HOLDFAST_SOURCE_LINK_H

#include "blob/source_reader.h"
#include "core/arena.h"
#include "server/base/api.h"

enum { DELIVERY_MAX = 128 }; /* changes */

struct delivered {
    struct container_change change;
    RedisModuleString *content; /* NULL for none */
};

struct delivery {
    struct delivered items[DELIVERY_MAX];
    unsigned count;
    size_t bytes;
    struct arena arena; /* what the changes borrow from */
    bool last;
    bool failed; /* the last one: whether the copy has */
    struct source_failure failure;
};

void delivery_free(struct delivery *delivery);

struct source_link;
struct source_settings;

/* NULL when no further thread can be started. The order must live as long as the link. `news` is called in the
 * thread when there is a delivery, or the thread has ended. */
struct source_link *source_link_start(const struct copy_order *order, const struct source_settings *settings,
                                      void (*news)(void));

/* The waiting delivery, which the caller then owns; NULL for none. */
struct delivery *source_link_take(struct source_link *link);

/* Cancels the link: nobody will take its deliveries. */
void source_link_cancel(struct source_link *link);

/* Ends the connection if the source should have answered by now. To be called now and then. */
void source_link_hurry(struct source_link *link);

/* Whether the thread has ended, so that the link can be freed. */
bool source_link_has_ended(struct source_link *link);
void source_link_free(struct source_link *link);

#endif
