/* What tests of shares have in common: the share `fs`, the session that is kept under s, and acts: lines with the
 * answers that they must get.
 *
 * A line is a command, or time that passes; see steps.h for its short forms. Besides:
 *   h = FILE.OPEN ...        keeps under h what the reply brings: a handle, an id or a version
 *   h = open s path RW/R ... opens for session s with the access before the slash and the share behind it:
 *                            letters of R, W, D; "A" is for attributes alone, "-" shares nothing
 *   get, put, close ...      short for FILE.GET fs, FILE.PUTRANGE fs, FILE.CLOSE fs and so on: lower case
 *
 * An answer is as in steps.h, or "=text" for content. What answers with an error must leave no trace. */
#ifndef HOLDFAST_TESTS_FILES_H
#define HOLDFAST_TESTS_FILES_H

#include "client.h"
#include "expect.h"

#define SV             "CONFLICT SharingViolation"
#define PENDING        "CONFLICT SMBDeletePending"
#define LOCKED         "CONFLICT FileLockConflict"
#define READ_ONLY      "CONFLICT ReadOnlyAttribute"
#define CANNOT_DELETE  "CONFLICT CannotDeleteFileOrDirectory"
#define DEADLOCK       "CONFLICT Deadlock"
#define EXISTS         "CONFLICT ResourceAlreadyExists"
#define OTHER_KIND     "CONFLICT ResourceTypeMismatch"
#define NOT_EMPTY      "CONFLICT DirectoryNotEmpty"
#define NO_FILE        "NOTFOUND ResourceNotFound"
#define NO_PARENT      "NOTFOUND ParentNotFound"
#define NO_SHARE       "NOTFOUND ShareNotFound"
#define NO_SESSION     "NOTFOUND SessionNotFound"
#define NO_HANDLE      "NOTFOUND HandleNotFound"
#define NOT_LOCKED     "NOTFOUND RangeNotLocked"
#define BAD_LOCK       "INVALID InvalidLockRange"
#define BAD_RANGE      "INVALID InvalidRange"
#define BAD_VALUE      "INVALID InvalidHeaderValue"
#define BAD_PATH       "INVALID InvalidFileOrDirectoryPathName"
#define BAD_NAME       "INVALID InvalidResourceName"
#define DENIED         "INVALID AccessDenied"
#define LEASE_MISSING  "PRECONDITION LeaseIdMissing"
#define LEASE_OTHER    "CONFLICT LeaseIdMismatchWithFileOperation"
#define LEASE_ABSENT   "PRECONDITION LeaseNotPresentWithFileOperation"
#define LEASE_PRESENT  "CONFLICT LeaseAlreadyPresent"
#define LEASE_MISMATCH "CONFLICT LeaseIdMismatchWithLeaseOperation"
#define NOT_LEASED     "CONFLICT LeaseNotPresentWithLeaseOperation"

/* Makes the share and the session, which lives for a day. The clocks are alike then. */
void share_setup(void);

/* A file of this content. */
void file_setup(const char *path, const char *content);

struct act {
    const char *line;
    const char *answer;
};

redisReply *act_at(struct place place, const char *line, const char *answer);
/* Up to the row without a line. */
void acts_play_at(struct place place, const struct act *acts);

#define act(line, answer) act_at(HERE, line, answer)
#define acts(...)         acts_play_at(HERE, (const struct act[]){__VA_ARGS__, {NULL, NULL}})

/* Elsewhere than at the primary, and nobody looks for traces. */
redisReply *act_by_at(struct place place, struct client *client, const char *line, const char *answer);
void acts_play_by_at(struct place place, struct client *client, const struct act *acts);

#define act_by(client, line, answer) act_by_at(HERE, client, line, answer)
#define acts_by(client, ...)         acts_play_by_at(HERE, client, (const struct act[]){__VA_ARGS__, {NULL, NULL}})

/* The words of a line of an act, for a test that sends it itself. */
struct words act_words(const char *line);

/* A client of its own that plays the line and has to wait for its answer. */
struct client *act_waiting(const char *line);
struct client *act_waiting_at(struct server *server, const char *line);

/* The names in a directory with blanks between them; those of directories end with a slash. */
const char *listed(const char *path);
const char *listed_at(struct client *client, const char *path, const char *rest);

/* The paths of open handles, as often as they are open, and a ! behind those that are pending. */
const char *opened(const char *rest);

/* What SHARE.GET, FILE.STAT say. */
long long share_number(const char *name);
redisReply *file_field(const char *path, const char *name);

#endif
