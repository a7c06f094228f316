/* How a blob is read from another server: what to ask it next, and what its answers mean, without a connection.
 *
 *   STAT ─▶ GETBLOCKLIST ─▶ GET GET GET …           block blobs
 *        ─▶ GET GET GET …                           append blobs
 *        ─▶ GETPAGES GET GET … GETPAGES …           page blobs: a window, then what was written in it
 *
 * Several questions may be on their way; answers come in their order. All are asked under the ETag that STAT told, so the
 * copy is of one state. What has come is told as the changes that build the blob: BLOB_COPYBEGIN once it is known to be
 * sound, then pieces and blocks.
 *
 * Nothing that the source says is believed: whatever does not fit together makes the reader fail, with a reason. */
#ifndef HOLDFAST_SOURCE_READER_H
#define HOLDFAST_SOURCE_READER_H

#include "blob/container_change.h"
#include "blob/source_answer.h"
#include "core/number.h"

enum { SOURCE_WORDS_MAX = 16, SOURCE_CONDITIONS_MAX = 8 };

/* What a copy is to bring, and where from. */
struct copy_order {
    struct bytes host;
    int port;
    struct bytes container;
    struct bytes blob;
    version snapshot;                               /* 0 for none */
    struct bytes conditions[SOURCE_CONDITIONS_MAX]; /* words, as BLOB.STAT takes them */
    unsigned condition_words;
    bool has_metadata; /* it gets these, and not the source's */
    struct packed_list metadata;
};

/* Why a copy failed, as INFO counts it. */
enum copy_failure {
    COPY_FAILED_REFUSED,     /* the source answered with an error */
    COPY_FAILED_UNFIT,       /* of another kind than the target */
    COPY_FAILED_CHANGED,     /* the source has changed underway */
    COPY_FAILED_GARBLED,     /* the source said what cannot be */
    COPY_FAILED_UNREACHABLE, /* no connection, or it was lost for good */
    COPY_FAILED_SILENT,      /* no answer in time */
    COPY_FAILED_FORBIDDEN,   /* an address that is not allowed */
    COPY_FAILED_INTERRUPTED, /* this server was started anew or promoted, or the key was moved */
    COPY_FAILED_MEMORY,      /* this server has none left */
    COPY_FAILURES,
};

struct source_failure {
    enum copy_failure reason;
    char text[COPY_DESCRIPTION_MAX_BYTES + 1]; /* printable */
};

/* What is asked: as many words. */
struct source_question {
    unsigned count;
    struct bytes word[SOURCE_WORDS_MAX];
    char numbers[2][NUMBER_TEXT_MAX]; /* room for words */
    char versions[2][VERSION_TEXT_LENGTH];
};

struct source_reader;

/* The order has to last as long as the reader. */
struct source_reader *source_reader_new(const struct copy_order *order);
void source_reader_free(struct source_reader *reader);

/* The next question, if there is one to be asked by now. */
bool source_reader_ask(struct source_reader *reader, struct source_question *question);

/* How many have been asked and not answered. */
unsigned source_reader_unanswered(const struct source_reader *reader);

/* The connection is another one: what has not been answered is asked anew. */
void source_reader_reconnected(struct source_reader *reader);

/* The answer to the oldest question. False when the copy has failed. */
bool source_reader_take(struct source_reader *reader, const struct answer *answer);

/* The next change that the last answer has brought; it borrows from that answer and from the reader. Name and stamp are
 * for others to fill in. */
bool source_reader_next(struct source_reader *reader, struct container_change *change);

/* Whether everything has been asked, answered and told. */
bool source_reader_is_done(const struct source_reader *reader);

/* NULL as long as it has not failed. */
const struct source_failure *source_reader_failure(const struct source_reader *reader);

/* Fails for a reason that the reader cannot know. What is not printable is replaced, what is too long is cut. */
void source_failure_say(struct source_failure *failure, enum copy_failure reason, struct bytes text);
void source_reader_fail(struct source_reader *reader, enum copy_failure reason, struct bytes text);

#endif
