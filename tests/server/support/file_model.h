/*
 * A share as simple as can be: a few files in plain arrays, with all that is open, locked, leased and marked. It
 * foretells what commands are answered, by rules that go through everything, again and again.
 */
#ifndef HOLDFAST_TESTS_FILE_MODEL_H
#define HOLDFAST_TESTS_FILE_MODEL_H

#include "file_commands.h"

enum { MODEL_FILES = 6, MODEL_SESSIONS = 5, MODEL_OPENS = 24, MODEL_LOCKS = 8, MODEL_SIZE = 500 };

/* Access and share modes. */
enum { R = 1, W = 2, D = 4, EVERY = 7 };

enum { LEASE_NONE, LEASE_A, LEASE_B };

struct model_lock {
    bool held, exclusive;
    struct model_range range;
};

struct model_open {
    bool is; /* else it was, if it has an id */
    char id[40];
    int session, file, access, share;
    bool deletes;
    struct model_lock locks[MODEL_LOCKS];
};

struct model_file {
    bool exists, pending, readonly;
    int lease, meta;
    char content[MODEL_SIZE];
    size_t length;
};

struct model_session {
    bool lives;
    char id[40];
    int ttl_s, left_s;
};

extern struct model_file model_files[MODEL_FILES];
extern struct model_session model_sessions[MODEL_SESSIONS];
extern struct model_open model_opens[MODEL_OPENS];

/* Nothing is there. */
void model_begin(void);

/* A handle or a session ends, with what that takes along. */
void model_close(struct model_open *open);
void model_end(int session);

/* An empty file of a size, which keeps what it is leased by and who has it open; another size; and what
 * another file is. */
void model_create(int file, size_t size);
void model_resize(int file, size_t size);
void model_take(int file, int source);

/* Whether a lock of the file stands in the way of one who has it open, or, with NULL, of anybody else. */
bool model_is_locked(int file, const struct model_open *self, enum model_question question,
                     struct model_range wanted);
bool model_has_locks(int file);

/* Whether all that is open lets a stateless command be. */
bool model_is_shared(int file, enum model_class class);

/* What a stateless command wants. */
struct model_wish {
    enum model_class class;
    int lease; /* the id that comes along */
    bool minds_locks, ignores_readonly;
    size_t offset, length; /* of what is read */
};

/* The refusal, or NULL when nothing stands in the way. */
const char *model_refusal(int file, const struct model_wish *wish);

/* That of FILE.OPEN, with what counts as its access. */
enum model_disposition { OPEN, CREATE, OPENIF, OVERWRITE, OVERWRITEIF, SUPERSEDE };
const char *model_refusal_to_open(const struct model_open *open, enum model_disposition disposition,
                                  int counted);

#endif
