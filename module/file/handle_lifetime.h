/* Sessions, handles, leases and the usage of files: how they begin and end. See usage.h for the structures.
 *
 * A file that is to be deleted is removed with its last handle, whichever way that ends: by usage_release. */
#ifndef HOLDFAST_HANDLE_LIFETIME_H
#define HOLDFAST_HANDLE_LIFETIME_H

#include "file/share.h"

/* Takes everything that ended sessions have of the file away from it. */
void usage_settle(struct share *share, struct file_usage *usage);
/* Removes the file with its locks and lease; its handles are left without a file. */
void file_remove(struct share *share, struct file_node *node);

/* NULL, or a lease that is free or has no token, removes the lease. */
void file_set_lease(struct share *share, struct file_node *node, const struct lease *lease);

struct share_session *session_begin(struct share *share, const struct share_change *change);
/* Ends the session; one without handles is freed at once. */
void session_end(struct share *share, struct share_session *session);
/* Frees an ended session with the handles that it still has. */
void session_free(struct share *share, struct share_session *session);

struct file_handle *handle_add(struct share *share, struct file_node *node, struct share_session *session,
                               const struct share_change *change, uint64_t number);
void handle_close(struct share *share, struct file_handle *handle);
/* Closing the handle will not mark the file for deletion. */
void handle_cancel_delete(struct file_handle *handle);

/* How many handles of ended sessions there are in memory, of files below this directory. */
uint64_t share_ended_handles(const struct share *share, const struct file_node *directory, int64_t now_ms);

/* A walk over the handles by number, from this one on. */
struct order_cursor share_handles_seek(const struct share *share, uint64_t number);

/* Files that were deleted by the end of sessions, but are still in memory and in the share's counts. Visits each file
 * that such a session has open. */
struct share_gone {
    size_t files;
    uint64_t bytes;
};

struct share_gone share_gone(const struct share *share, int64_t now_ms);

#endif
