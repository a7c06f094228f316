/* A share in the words of the specification: a few directories and files, who has them open, and what is locked, leased
 * and marked. Nothing is indexed, and nothing is kept up to date that could be counted. A change says whether it fits,
 * and changes the model when it does; a refusal says what a command is answered. */
#ifndef HOLDFAST_MODELS_SHARE_MODEL_H
#define HOLDFAST_MODELS_SHARE_MODEL_H

#include "open_model.h"

#include <stddef.h>

enum {
    MODEL_NODES = 24, /* the root is the first one */
    MODEL_SESSIONS = 5,
    MODEL_HANDLES = 24,
    MODEL_LOCKS = 64,
    MODEL_FILE_MAX_BYTES = 5000,
    MODEL_PATH_MAX_BYTES = 2 * MODEL_NODES,
    NOBODY = -1,
};

enum model_node_kind { MODEL_NOTHING, MODEL_FILE, MODEL_DIRECTORY };

enum model_file_lease { MODEL_UNLEASED, MODEL_LEASE_HELD, MODEL_LEASE_ENDING };

/* What a file has, and a copy of it gets. */
struct model_content {
    size_t length;
    unsigned char bytes[MODEL_FILE_MAX_BYTES]; /* zeros behind the length */
    int meta;                                  /* 0 for none */
    unsigned attributes;                       /* bits, of which the model knows read-only */
};

enum { MODEL_READ_ONLY = 1 };

struct model_node {
    enum model_node_kind kind;
    int parent;
    char name;     /* in lower case; the share is asked in any */
    uint64_t etag; /* of its last change */
    struct model_content content;
    bool pending;
    enum model_file_lease lease;
    int lease_id;
    uint64_t token;
};

struct model_session {
    bool is_there, ended;
    int64_t due_ms;
};

struct model_handle {
    bool is_there, deletes;
    int session;
    int node; /* NOBODY when the file has gone, or has forgotten the handle */
    struct model_sharing sharing;
};

struct model_lock {
    unsigned times; /* 0 for none */
    int handle;
    bool exclusive;
    struct model_range range;
};

struct share_model {
    uint64_t etag; /* of the next change */
    struct model_node nodes[MODEL_NODES];
    struct model_session sessions[MODEL_SESSIONS];
    struct model_handle handles[MODEL_HANDLES];
    struct model_lock locks[MODEL_LOCKS];
};

/* Where a path leads. */
struct model_place {
    int parent; /* NOBODY when it is not there, or is a file */
    int node;   /* NOBODY when nothing is there */
    char name;
};

void share_model_start(struct share_model *model);

/* By names in lower case, a letter each. */
struct model_place share_model_find(const struct share_model *model, const char *names);

/* Writes the path of a node, with slashes and a zero behind it; answers its length. */
size_t share_model_path(const struct share_model *model, int node, char path[MODEL_PATH_MAX_BYTES]);

/* --- Changes: false, and nothing done, for what does not fit --- */

/* A file of zeros, whoever has the old one open or leased, or a directory; with new metadata. */
bool share_model_create(struct share_model *model, struct model_place place, enum model_node_kind kind,
                        size_t length, int meta);
bool share_model_remove(struct share_model *model, struct model_place place, enum model_node_kind kind);
bool share_model_copy(struct share_model *model, struct model_place from, struct model_place to);
bool share_model_rename(struct share_model *model, struct model_place from, struct model_place to);
bool share_model_lease(struct share_model *model, struct model_place place, enum model_file_lease lease,
                       int id, uint64_t token);
bool share_model_settle(struct share_model *model, struct model_place place);

bool share_model_connect(struct share_model *model, int session, int64_t due_ms);
bool share_model_ping(struct share_model *model, int session, int64_t due_ms);
bool share_model_end_session(struct share_model *model, int session);
/* All handles of a session that has ended, and the session. */
bool share_model_sweep(struct share_model *model, int session);

bool share_model_open(struct share_model *model, struct model_place place, int handle,
                      const struct model_handle *as);
bool share_model_close(struct share_model *model, int handle);
bool share_model_lock(struct share_model *model, int handle, bool exclusive, struct model_range range);
bool share_model_unlock(struct share_model *model, int handle, struct model_range range);

/* What a file leaves behind: handles that have nothing are forgotten, and so are sessions that have
 * ended and have no handles of files. */
void share_model_reload(struct share_model *model);
/* All sessions are over, and there are no leases. */
void share_model_twin(struct share_model *model);

/* The node has the ETag of this change. */
void share_model_stamp(struct share_model *model, int node);

/* A new length; bytes from an offset on, zeros for NULL. Neither checks a length. */
void share_model_resize(struct share_model *model, int node, size_t length);
void share_model_write(struct share_model *model, int node, size_t offset, const void *bytes, size_t length);

/* --- Questions --- */

bool share_model_has_space(const struct share_model *model);
bool share_model_has_space_for_lock(const struct share_model *model);

bool share_model_is_over(const struct share_model *model, int session, int64_t now_ms);

/* Whether a file is to be deleted and nobody who counts has it open. With no instant, only sessions
 * that were told to end are over. */
bool share_model_is_gone(const struct share_model *model, int node, int64_t now_ms);
bool share_model_is_pending(const struct share_model *model, int node, int64_t now_ms);

/* Whether those who count stand in the way of an open. */
bool share_model_denies(const struct share_model *model, int node, struct model_sharing wanted,
                        int64_t now_ms);
/* Whether a lock of theirs stands in the way of the handle, which may be NOBODY. */
bool share_model_is_locked(const struct share_model *model, int node, int handle,
                           enum model_question question, struct model_range range, int64_t now_ms);
/* Whether there is one. */
bool share_model_has_locks(const struct share_model *model, int node, int64_t now_ms);

size_t share_model_opens_of(const struct share_model *model, int node);
size_t share_model_locks_of(const struct share_model *model, int node);

/* --- What commands are answered when nobody's session is over: the refusal as "CLASS Code", or NULL --- */

/* What a command without a handle wants. */
struct model_wish {
    enum model_class class;
    int lease; /* the id that comes along */
    bool minds_locks, ignores_readonly;
    struct model_range read;
};

const char *share_model_refusal(const struct share_model *model, struct model_place place,
                                const struct model_wish *wish);
/* FILE.RENAME with the ids of the leases that the two files have. */
const char *share_model_rename_refusal(const struct share_model *model, struct model_place from,
                                       struct model_place to, bool replaces);
const char *share_model_lease_refusal(const struct share_model *model, struct model_place place, int id);
/* Whether all that is open lets a command without a handle be. */
bool share_model_is_shared(const struct share_model *model, int node, enum model_class class);

enum model_disposition {
    MODEL_OPEN,
    MODEL_OPEN_NEW,
    MODEL_OPEN_OR_CREATE,
    MODEL_OVERWRITE,
    MODEL_OVERWRITE_OR_CREATE,
    MODEL_SUPERSEDE,
    MODEL_DISPOSITIONS,
};

const char *share_model_open_refusal(const struct share_model *model, struct model_place place,
                                     const struct model_handle *as, enum model_disposition disposition);

/* What is wanted of a file through a handle. */
enum model_use {
    MODEL_USE_READ,
    MODEL_USE_WRITE,
    MODEL_USE_TRUNCATE,
    MODEL_USE_LOCK_SHARED,
    MODEL_USE_LOCK_EXCLUSIVE,
    MODEL_USE_MARK,
    MODEL_USE_UNMARK,
};

const char *share_model_use_refusal(const struct share_model *model, int handle, enum model_use use,
                                    struct model_range range);

#endif
