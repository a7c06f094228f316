/* Reads a blob from another server: the next request, and the meaning of the replies, without a connection.
 *
 *   STAT ─▶ GETBLOCKLIST ─▶ GET GET GET …           block blobs
 *        ─▶ GET GET GET …                           append blobs
 *        ─▶ GETPAGES GET GET … GETPAGES …           page blobs: a window, then what was written in it
 *
 * Several requests may be in flight; replies come in order. All carry the ETag from STAT, so the copy is of one
 * state. What is too much for one reply of the source is asked for in halves. The result is the changes that build
 * the blob: BLOB_COPYBEGIN once the description has been checked, then pieces and blocks.
 *
 * Nothing from the source is trusted: any inconsistency makes the reader fail, with a reason. */
#ifndef HOLDFAST_SOURCE_READER_H
#define HOLDFAST_SOURCE_READER_H

#include "blob/container_change.h"
#include "blob/source_answer.h"
#include "core/number.h"

enum { SOURCE_WORDS_MAX = 16, SOURCE_CONDITIONS_MAX = 8 };

/* What to copy, and from where. */
struct copy_order {
    struct bytes host;
    int port;
    struct bytes container;
    struct bytes blob;
    bool has_snapshot; /* copy this one, not the blob */
    version snapshot;
    struct bytes conditions[SOURCE_CONDITIONS_MAX]; /* words, as BLOB.STAT takes them */
    unsigned condition_words;
    bool has_metadata; /* use `metadata`, not the source's */
    struct packed_list metadata;
};

/* Why a copy failed, as INFO counts it. */
enum copy_failure {
    COPY_FAILED_REFUSED,     /* the source replied with an error */
    COPY_FAILED_UNFIT,       /* the kind differs from the target's */
    COPY_FAILED_CHANGED,     /* the source changed during the copy */
    COPY_FAILED_GARBLED,     /* the source's reply was invalid */
    COPY_FAILED_UNREACHABLE, /* no connection, or it was lost permanently */
    COPY_FAILED_SILENT,      /* no reply in time */
    COPY_FAILED_FORBIDDEN,   /* the address is not allowed */
    COPY_FAILED_INTERRUPTED, /* this server was restarted or promoted, or the key was moved */
    COPY_FAILED_MEMORY,      /* out of memory, or of threads, here */
    COPY_FAILURES,
};

struct source_failure {
    enum copy_failure reason;
    char text[COPY_DESCRIPTION_MAX_BYTES + 1]; /* printable */
};

/* A request: its words. */
struct source_question {
    unsigned count;
    struct bytes word[SOURCE_WORDS_MAX];
    char numbers[2][NUMBER_TEXT_MAX]; /* buffers for words */
    char versions[2][VERSION_TEXT_LENGTH];
};

struct source_reader;

/* The order must live as long as the reader. */
struct source_reader *source_reader_new(const struct copy_order *order);
void source_reader_free(struct source_reader *reader);

/* The next request, if one can be sent now. */
bool source_reader_ask(struct source_reader *reader, struct source_question *question);

/* There is a new connection: requests without a reply will be sent again. */
void source_reader_reconnected(struct source_reader *reader);

/* Takes the reply to the oldest request. False when the copy has failed. */
bool source_reader_take(struct source_reader *reader, const struct answer *answer);

/* The next change from the last reply; it borrows from that reply and from the reader. The caller
 * fills in name and stamp. */
bool source_reader_next(struct source_reader *reader, struct container_change *change);

/* Whether all requests are answered and all changes taken. */
bool source_reader_is_done(const struct source_reader *reader);

/* NULL unless it has failed. */
const struct source_failure *source_reader_failure(const struct source_reader *reader);

/* Fails for a reason outside of the reader. Unprintable characters are replaced, long texts cut. */
void source_failure_say(struct source_failure *failure, enum copy_failure reason, struct bytes text);
void source_reader_fail(struct source_reader *reader, enum copy_failure reason, struct bytes text);

#endif
