/*
 * What handles go through: files opened and closed, ranges locked and unlocked, each with the handle that the server
 * has given out; and the lock that one would build of a string and a script.
 */
#ifndef BENCH_FILE_COURSES_H
#define BENCH_FILE_COURSES_H

#include "course.h"

/* A share has the dataset's folders and files, and one session. */
extern const struct course file_fill, file_open_close;
/* Each handle has a file of its own; each has the same one. */
extern const struct course file_lock_own, file_lock_same;
extern const struct course string_lock_unlock;

/* In shares with sessions: handles on files beside the dataset's; locks of ranges that no course locks. */
void handles_open(struct server *server, const char *share, unsigned count);
void locks_take(struct server *server, const char *share, unsigned count);

/* A session of its own, with so many handles, each on a file beside the dataset's. Returns its id. */
const char *session_with_handles(struct server *server, const char *share, unsigned count);

/* Makes a share with its folders. */
void share_make(struct server *server, const char *share);

#endif
