/* Paths within a share, and the names that they are made of.
 *
 *     path       names separated by slashes; '' is the root
 *     name       of a file or directory within its directory: 1 to 255 characters of UTF-8
 *     character  a Unicode code point; all limits count these, not bytes
 *
 * Names preserve case and are found in any case: two names are equal if their folded forms are, and names are sorted by
 * the bytes of their folded forms. Folding maps characters one to one by a table that never changes, since saved files
 * and replicas rely on the order. It depends on no language and does not compose: é as one character differs from e
 * followed by a combining accent.
 *
 * Names that the storage service would trim, with a dot or a space at the end, are refused, so no two paths lead to the
 * same file. */
#ifndef HOLDFAST_PATH_H
#define HOLDFAST_PATH_H

#include "core/bytes.h"

enum {
    NAME_MAX_CHARACTERS = 255,
    PATH_MAX_CHARACTERS = 2048, /* including slashes */
    PATH_MAX_NAMES = 250,
    NAME_FOLDED_MAX_BYTES = NAME_MAX_CHARACTERS * 4, /* of a valid name, as given or folded */
    PATH_FOLDED_MAX_BYTES = PATH_MAX_CHARACTERS * 4,
    /* Enough to fold so many bytes, be they valid or not: see path_folded_max. */
    NAME_FOLD_BUFFER = (NAME_FOLDED_MAX_BYTES + 1) * 3 / 2,
    PATH_FOLD_BUFFER = (PATH_FOLDED_MAX_BYTES + 1) * 3 / 2,
};

/* --- Checks --- */

enum path_fault {
    PATH_SOUND,
    PATH_TOO_LONG,
    PATH_TOO_DEEP,
    PATH_NAME_EMPTY, /* a slash at the start, at the end, or next to another one */
    PATH_NAME_TOO_LONG,
    PATH_NOT_UTF8,
    PATH_BAD_CHARACTER,
    PATH_BAD_END, /* a dot or a space */
    PATH_DOTS,
    PATH_DEVICE,
    PATH_FAULTS
};

/* The error codes of the storage service. */
enum path_code { PATH_CODE_INVALID_PATH, PATH_CODE_INVALID_NAME };

struct path_fault_text {
    enum path_code code; /* InvalidFileOrDirectoryPathName, InvalidResourceName */
    const char *text;    /* for people */
};

/* The first fault from the left; PATH_TOO_LONG at once for more bytes than any valid path has. */
enum path_fault path_check(struct bytes path);

/* The same for one name, which must not be empty. */
enum path_fault path_check_name(struct bytes name);

/* Not for PATH_SOUND. */
const struct path_fault_text *path_fault_text(enum path_fault fault);

/* --- Parts of valid paths --- */

/* Takes the first name off the path; false when the path is empty. */
bool path_next(struct bytes *path, struct bytes *name);

/* The path of the parent, and the last name; both are empty for the root. */
struct bytes path_parent(struct bytes path);
struct bytes path_last(struct bytes path);

/* --- Folding: of UTF-8; other bytes fold to themselves --- */

/* The folded form may be longer than the text by half. */
static inline size_t path_folded_max(struct bytes text) {
    return (text.length + 1) * 3 / 2;
}

/* Writes the folded form, and returns its length. Folding is idempotent, and folding a path folds each of its names. */
size_t path_fold(char *folded, struct bytes text);

/* Like bytes_start_with, on the folded forms. */
bool path_starts_with(struct bytes text, struct bytes start);

/* Whether they name the same node. */
static inline bool path_same(struct bytes a, struct bytes b) {
    return path_starts_with(a, b) && path_starts_with(b, a);
}

#endif
