/* A naive model of what goes on in a share: a few directories and files, who has them open, and what is locked. Each
 * change says whether it fits, and changes the model when it does. Nothing is indexed and nothing is kept up to date
 * that could be counted. */
#ifndef HOLDFAST_UNIT_SHARE_MODEL_H
#define HOLDFAST_UNIT_SHARE_MODEL_H

#include "file/usage.h"
#include "file/share_change.h"

enum {
    MODEL_NODES = 14, /* the root is the first one */
    MODEL_SESSIONS = 3,
    MODEL_HANDLES = 8,
    MODEL_LOCKS = 16,
    MODEL_TOKENS = 4,
    MODEL_PATH_NAMES = 3,
    MODEL_PATH_BYTES = 2 * MODEL_NODES,
    NOBODY = -1,
};

enum share_model_kind { MODEL_NOTHING, MODEL_FILE, MODEL_DIRECTORY };

struct model_node {
    enum share_model_kind kind;
    int parent;
    char name; /* in lower case; the share is asked in any */
    uint64_t length;
    bool pending;
    enum lease_kind lease; /* LEASE_FREE for none */
    version token;
};

struct model_session {
    bool is_there, ended;
    int64_t due_ms;
};

struct model_handle {
    bool is_there, deletes;
    int session;
    int node; /* NOBODY when the file has gone, or has forgotten the handle */
    struct sharing sharing;
};

struct model_lock {
    unsigned times; /* 0 for none */
    int handle;
    enum lock_kind kind;
    struct lock_range range;
};

struct share_model {
    struct model_node nodes[MODEL_NODES];
    struct model_session sessions[MODEL_SESSIONS];
    struct model_handle handles[MODEL_HANDLES];
    struct model_lock locks[MODEL_LOCKS];
};

/* Where a path leads: names in lower case. */
struct model_place {
    int parent; /* NOBODY when it is not there, or is a file */
    int node;   /* NOBODY when nothing is there */
    char name;
};

void share_model_start(struct share_model *model);

struct model_place share_model_find(const struct share_model *model, const char *names);

/* The path of a node, with slashes; the room is for MODEL_PATH_BYTES. */
struct bytes share_model_path(const struct share_model *model, int node, char *room);

/* --- Changes: false, and nothing done, for what does not fit --- */

bool share_model_create(struct share_model *model, struct model_place place, enum share_model_kind kind,
                        uint64_t length);
bool share_model_remove(struct share_model *model, struct model_place place, enum share_model_kind kind);
bool share_model_copy(struct share_model *model, struct model_place from, struct model_place to);
bool share_model_rename(struct share_model *model, struct model_place from, struct model_place to);
bool share_model_lease(struct share_model *model, struct model_place place, enum lease_kind lease,
                       version token);
bool share_model_settle(struct share_model *model, struct model_place place);

bool share_model_connect(struct share_model *model, int session, int64_t due_ms);
bool share_model_end_session(struct share_model *model, int session);
/* All handles of a session that has ended, and the session. */
bool share_model_sweep(struct share_model *model, int session);

bool share_model_open(struct share_model *model, struct model_place place, int handle,
                      const struct model_handle *as);
bool share_model_close(struct share_model *model, int handle);
bool share_model_lock(struct share_model *model, int handle, enum lock_kind kind, struct lock_range range);
bool share_model_unlock(struct share_model *model, int handle, struct lock_range range);

/* What a file leaves behind: handles that have nothing are forgotten, and so are sessions that have ended and have no
 * handles of files. */
void share_model_reload(struct share_model *model);
/* All sessions are over, and there are no leases. */
void share_model_twin(struct share_model *model);

/* --- Questions --- */

/* Whether a node has room for one more. */
bool share_model_has_room(const struct share_model *model);

bool share_model_is_over(const struct share_model *model, int session, int64_t now_ms);

/* Whether a file is to be deleted and nobody who counts has it open. With no instant, only sessions that were told to
 * end are over. */
bool share_model_is_gone(const struct share_model *model, int node, int64_t now_ms);
bool share_model_is_pending(const struct share_model *model, int node, int64_t now_ms);

/* Whether those who count stand in the way of an open. */
bool share_model_denies(const struct share_model *model, int node, struct sharing wanted, int64_t now_ms);
/* Whether a lock of theirs stands in the way of the handle, which may be NOBODY. */
bool share_model_is_locked(const struct share_model *model, int node, int handle, enum lock_test question,
                           struct lock_range range, int64_t now_ms);

size_t share_model_locks_of(const struct share_model *model, int node);

#endif
