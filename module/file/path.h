/* Paths within a share, and the names that they are made of.
 *
 *     path       names with a slash between them; '' is the root
 *     name       what a directory or a file is called in its directory: 1 to 255 characters of UTF-8
 *     character  what Unicode has a number for; all limits count these, not bytes
 *
 * A name keeps the case that it was given, and is found in any. For that it is folded: two names are the same when
 * their folded forms have the same bytes, and names are in order as the bytes of their folded forms are. Folding maps
 * single characters to single characters, by a table that never changes, since files and replicas are in the order that
 * it makes. It knows no language, and does not compose: é in one character and e with an accent behind it are two
 * names.
 *
 * Names that the service would trim, with a dot or a space at the end, are refused: no two paths
 * lead to the same file. */
#ifndef HOLDFAST_PATH_H
#define HOLDFAST_PATH_H

#include "core/bytes.h"

enum {
    NAME_MAX_CHARACTERS = 255,
    PATH_MAX_CHARACTERS = 2048, /* including slashes */
    PATH_MAX_NAMES = 250,
    NAME_FOLDED_MAX_BYTES = NAME_MAX_CHARACTERS * 4, /* a valid name, as it is or folded */
    PATH_FOLDED_MAX_BYTES = PATH_MAX_CHARACTERS * 4,
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

/* The service's own codes. */
enum path_code { PATH_CODE_INVALID_PATH, PATH_CODE_INVALID_NAME };

struct path_fault_text {
    enum path_code code; /* InvalidFileOrDirectoryPathName, InvalidResourceName */
    const char *text;    /* for people */
};

/* The first fault from the left, unless the path has more bytes than any valid path. */
enum path_fault path_check(struct bytes path);

/* The same for one name, which must not be empty. */
enum path_fault path_check_name(struct bytes name);

/* Not for PATH_SOUND. */
const struct path_fault_text *path_fault_text(enum path_fault fault);

/* --- Steps along valid paths --- */

/* Takes the first name off the path; false when the path is empty. */
bool path_next(struct bytes *path, struct bytes *name);

/* The path of the parent, and the last name; both are empty for the root. */
struct bytes path_parent(struct bytes path);
struct bytes path_last(struct bytes path);

/* --- Names in any case: for UTF-8; of anything else, every byte stands for itself --- */

/* Writes the folded form, which may be longer or shorter than the text, but at most by half. Returns its length.
 * Folding is idempotent; the parts of a path are folded as the path is. */
size_t path_fold(char *room, struct bytes text);

/* Like bytes_start_with, on the folded forms. */
bool path_starts_with(struct bytes text, struct bytes start);

#endif
