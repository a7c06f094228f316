/* A container of blobs in the words of the specification: which command is refused, and what it does otherwise. Its
 * blobs stand in a plain sorted array. Tests draw the calls, and say which ETags the answers had. */
#ifndef HOLDFAST_MODELS_CONTAINER_MODEL_H
#define HOLDFAST_MODELS_CONTAINER_MODEL_H

#include "blob_model.h"

enum { MODEL_COMMITTED_MAX = 50000, MODEL_APPENDS_MAX = 50000, MODEL_BLOCK_ID_MAX = 64 };

/* Zeroed: there is none. */
struct container_model {
    bool exists;
    uint64_t etag;
    int64_t modified_ms, created_ms;
    struct model_bytes metadata;
    struct model_blob *blobs;
    size_t count;
};

enum model_verb {
    MODEL_CREATE_CONTAINER,
    MODEL_SET_CONTAINER_METADATA,
    MODEL_GET,
    MODEL_PUT,
    MODEL_SET_PROPERTIES,
    MODEL_SET_METADATA,
    MODEL_CREATE_PAGE,
    MODEL_PUT_PAGE,
    MODEL_CLEAR_PAGE,
    MODEL_CREATE_APPEND,
    MODEL_APPEND_TO,
    MODEL_SEAL,
    MODEL_PUT_BLOCK,
    MODEL_PUT_BLOCK_LIST,
    MODEL_TAKE_SNAPSHOT,
    MODEL_DELETE,                /* the blob, when it has no snapshots */
    MODEL_DELETE_WITH_SNAPSHOTS, /* both */
    MODEL_DELETE_SNAPSHOTS,      /* one, or all for the id 0 */
    MODEL_COPY,
};

enum model_condition {
    MODEL_UNCONDITIONAL,
    MODEL_IF_MATCH,
    MODEL_IF_EXISTS,
    MODEL_IF_NONE_MATCH,
    MODEL_IF_NEW
};

enum model_origin { FROM_COMMITTED, FROM_UNCOMMITTED, FROM_LATEST };

struct model_choice {
    enum model_origin origin;
    struct model_view id;
};

/* A command. What its verb does not take is zeros. */
struct model_call {
    enum model_verb verb;
    struct model_view name;
    enum model_condition condition;
    uint64_t if_etag;
    struct model_view content, properties, metadata;
    bool keeps_properties,
        keeps_metadata; /* set properties: only the size or the number; copy: those of the source */
    bool sets_length, sets_sequence; /* set properties, of a page blob */
    uint64_t offset, length;
    bool at_offset; /* an append is to land there */
    int64_t sequence;
    uint64_t snapshot; /* delete snapshots; the source's in a copy */
    struct model_view block_id;
    const struct model_choice *blocks;
    size_t block_count;
    const struct container_model *from; /* a copy's source: its container, and the name there */
    struct model_view source;
    /* What the answer says, or what the clock has said: */
    uint64_t etag; /* the new one; of a snapshot its id */
    int64_t now_ms, created_ms;
};

/* The refusal as "CLASS Code", or NULL. */
const char *container_model_refusal(const struct container_model *model, const struct model_call *call);
/* Plays a call that is not refused. Answers its blob; NULL if that is gone, or was none. */
struct model_blob *container_model_play(struct container_model *model, const struct model_call *call);

/* NULL if there is none. */
struct model_blob *container_model_find(const struct container_model *model, struct model_view name);
struct model_blob *container_model_insert(struct container_model *model, struct model_view name,
                                          enum model_kind kind);
/* Takes that many staged blocks away; and the name with the last one, when nothing else stands there. */
void container_model_unstage(struct container_model *model, struct model_blob *blob, size_t count);

/* Whether a write may make the blob one of this kind. */
bool container_model_may_become(const struct model_blob *blob, enum model_kind kind);

/* What a write begins with: an empty blob of that name and kind, whatever was there; with its new description. */
struct model_blob *container_model_begin(struct container_model *model, const struct model_call *call,
                                         enum model_kind kind);
void container_model_describe(struct model_state *state, const struct model_call *call);

/* Committed blobs, and the sum of their lengths. */
size_t container_model_blobs(const struct container_model *model);
uint64_t container_model_bytes(const struct container_model *model);

/* The second becomes a copy of the first, whatever it was. */
void container_model_copy(const struct container_model *model, struct container_model *copy);
/* Leaves zeros. */
void container_model_end(struct container_model *model);

#endif
