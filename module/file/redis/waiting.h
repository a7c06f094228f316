/* Waiting for files: who waits for whom, and who may not.
 *
 * Waiters are served in order of arrival, as far as they conflict: a lock of another range, or a handle that fits, does
 * not wait for waiters before it. A call without BLOCK is checked only against what is held.
 *
 * A session waits for the sessions that hold what it wants, and for earlier waiters that want it, too. If these wait
 * for the session in turn, directly or through others, it is a deadlock: the call that would close the circle is
 * refused. Handles of the same session make no circle, since another connection may close them. */
#ifndef HOLDFAST_FILE_WAITING_H
#define HOLDFAST_FILE_WAITING_H

#include "file/redis/file_commands.h"

/* The name of a file's line of waiters: a hash of its path. So a file that takes the path of another one takes over its
 * waiters, and a share that was loaded again has the same lines. */
uint64_t file_line_id(const struct file_node *node);

/* Claims of waiters: to open a file, to lock a range. */
struct wait_claim claim_to_open(const struct share_session *session, struct sharing wanted);
struct wait_claim claim_to_lock(const struct file_handle *handle, enum lock_test test,
                                struct lock_range range);

/* The claim conflicts now: the call waits if it has BLOCK, else it is refused. */
enum outcome file_not_yet(struct call *call, struct wait_kind *kind, const struct file_node *node,
                          const struct wait_claim *claim, enum outcome refused);

/* The claim conflicts with nothing that is held. With BLOCK, conflicting waiters come first. */
void file_in_line(struct call *call, struct wait_kind *kind, const struct file_node *node,
                  const struct wait_claim *claim);

/* For the data type's table: see data_type.h. */
bool file_has_rival(struct call *call);
bool file_closes_circle(struct call *call);

#endif
