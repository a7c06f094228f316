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
 * What the service would trim, a dot or a space at the end of a name, is refused: no two paths lead to one file. */
#ifndef HOLDFAST_PATH_H
#define HOLDFAST_PATH_H

#include "core/bytes.h"

enum {
    NAME_MAX_CHARACTERS = 255,
    PATH_MAX_CHARACTERS = 2048, /* slashes count, too */
    PATH_MAX_NAMES = 250,
    NAME_FOLDED_MAX_BYTES = NAME_MAX_CHARACTERS * 4, /* a name that is sound, as it is or folded */
    PATH_FOLDED_MAX_BYTES = PATH_MAX_CHARACTERS * 4,
};

/* --- Are they sound? --- */

enum path_fault {
    PATH_SOUND,
    PATH_TOO_LONG,
    PATH_TOO_DEEP,
    PATH_NAME_EMPTY, /* a slash in front, at the end, or next to another one */
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

/* One of its faults: the first from the left, unless it has more bytes than any sound path. */
enum path_fault path_check(struct bytes path);

/* Of a name alone, which is never empty. */
enum path_fault path_check_name(struct bytes name);

/* Not for PATH_SOUND. */
const struct path_fault_text *path_fault_text(enum path_fault fault);

/* --- Ways: for paths that are sound --- */

/* Takes the first name off the path; false when there is none. */
bool path_next(struct bytes *path, struct bytes *name);

/* How many names there are; 0 for the root. */
unsigned path_depth(struct bytes path);

/* What comes before the last name and its slash, and the last name; both are empty for the root. */
struct bytes path_parent(struct bytes path);
struct bytes path_last(struct bytes path);

/* --- Names in any case: for text that is UTF-8; of what is not, every byte stands for itself --- */

/* The folded form, which may be longer or shorter than the text; half as much again as the text always has room for
 * it. Answers how long it is. To fold twice is to fold once; the parts of a path are folded as the path is. */
size_t path_fold(char *room, struct bytes text);

/* Whether folding changes nothing. */
bool path_is_folded(struct bytes text);

/* As bytes_compare and bytes_equal of the folded forms, and bytes_start_with. */
int path_compare(struct bytes a, struct bytes b);
bool path_same(struct bytes a, struct bytes b);
bool path_starts_with(struct bytes text, struct bytes start);

#endif
