/* deploy/recipes/c/feed.h */
/* Follows the feed of a container (CONTAINER.FEED container ON): list, then follow, and list anew when the server says that something was
 * lost. */
#ifndef FEED_H
#define FEED_H

#include "holdfast.h"

enum { BOOKMARK_SIZE = 65, EPOCH_LENGTH = 10 };

/* A blob that is there now with this ETag, or is gone. */
typedef void tell_change(const char *name, const char *etag, bool is_gone, void *what);

/* Takes the bookmark first and then tells of all blobs: what is written meanwhile comes again with the feed. Who had listed before removes
 * what is not told of. */
bool feed_begin(redisContext *redis, const char *container, char bookmark[BOOKMARK_SIZE], tell_change *tell,
                void *what);

enum feed { FEED_DONE, FEED_LOST, FEED_BROKEN };

/* Tells of what has changed behind the bookmark, and moves it; waits when there is nothing new. Keep the bookmark together with what you make
 * of the changes: whoever dies before that is told once more. FEED_LOST: begin anew, since changes are lost, or may be: what you have read of a blob may be
 * newer than what you were told, and when there is a new epoch, as after a failover, no bookmark knows whether it was lost. */
enum feed feed_follow(redisContext *redis, const char *container, char bookmark[BOOKMARK_SIZE], double wait,
                      tell_change *tell, void *what);

#endif
