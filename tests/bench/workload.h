/* What is measured: workloads, and the objects that they work on.
 *
 *   family       the workloads of one kind of data, and what they are compared with
 *   workload     an operation: its request, and what is expected of the reply
 *   dataset      a number of names, a content of a given size, a database of the server
 *   object set   the objects of a dataset that one workload (its filler) has created, with a token for each
 *
 * What runs them: driver.h, and sequence.h for requests that depend on replies.
 *
 * A new family is a `struct family` in the file of its subject, and an entry in the list of families in workload.c. A
 * section lists the names of the workloads that it measures. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "ccan/array_size/array_size.h"
#include "connection.h"

enum {
    NAME_BYTES = 16,
    TOKEN_BYTES = 18,
    OFFSET_BYTES = 10,
    RANDOM_BYTES = 100,
    NUMBER_BYTES = 12,
    SIZES = 3
};

/* The parts of a name, which is a path: three digits, a slash, twelve digits. */
enum { FOLDER_BYTES = 3, FILE_BYTES = 12 };

/* So many clients at a time keep the server from sleeping between two requests: to wake a processor would otherwise be
 * most of what is measured, and that is a number about the machine. */
enum { CONNECTIONS = 8 };

/* The sizes of content, and the number of objects for each. */
struct size {
    size_t bytes;
    unsigned objects;
    const char *label;
};
extern const struct size sizes[SIZES];

struct answer;
struct workload;

struct object_set {
    const struct workload *filler;
    char (*tokens)[TOKEN_BYTES]; /* by object: an ETag, a version, a receipt. Zeros at first. */
    struct object_set *next;
};

struct dataset {
    struct connection *connections[CONNECTIONS];
    unsigned objects;
    size_t bytes;
    char *content;
    char (*names)[NAME_BYTES];
    unsigned *order; /* the objects, shuffled, so that names are not visited in sorted order */
    struct object_set *object_sets;
    uint64_t large_bytes; /* of the one large object, where there is one */
};

/* Offsets in one large object, one for each of a dataset's objects. All have the same number of digits, so that all
 * requests have the same length. */
struct offsets {
    uint64_t first, count;
    unsigned step, span; /* from one to the next; the length of a range that begins there */
    unsigned digits;
};

/* No multiple of it is a number of places, so that as many objects as there are places have different ones. */
#define FAR_APART UINT64_C(2654435761)

/* The offsets in so many bytes, with the number of digits that allows most of them. */
struct offsets offsets_within(uint64_t bytes, unsigned step, unsigned span);

struct workload {
    const char *name;    /* NULL in steps of a sequence */
    const char *request; /* as it is typed, with these in it:
        {name} {folder} {file}   of the object: its name, and the two parts of that
        {token}                  that the object has
        {offset} {last}          of one of the workload's offsets
        {random} {number}        letters, others for each object; digits that no other request has
        {content} {size}         of the dataset: the content, how many bytes that is
        {script}                 the digest of the script
        {key}                    of a sequence; the next four are whole words, and of a client of the sequence:
        {id} {receipt}           of a message that it got
        {granted}                what the preparation got from the server: a session, a handle
        {own}                    what the sequence makes of the client's number
        "a b"                    one word
        [...]                    once for each object of a batch
        ;                        the next command */
    const char *script;
    const char *filler; /* the workload that creates the objects, perhaps this one; NULL if none are needed */
    const char *creates; /* commands before those of a filler, "; " between them; may be NULL */
    void (*prepare)(struct dataset *data); /* the same, where it takes more than that; may be NULL */
    unsigned batch;                        /* how many objects a request names; 0 means 1 */
    double flat_limit; /* limit of the cost with a million objects, relative to a thousand; 0: no bar */
    bool (*is_expected)(const struct answer *answer);      /* for each command */
    struct offsets (*offsets)(const struct dataset *data); /* may be NULL */
};

/* A command that does next to nothing, beside the workload that it is named after. */
#define BARE "bare "

/* The ratio of the processor times of two workloads, or sequences, at pipeline 16. Limits are bars, by size; 0: none. */
struct comparison {
    const char *workload, *against;
    double limits[SIZES];
};

struct family {
    const char *name;
    const struct workload *workloads;
    size_t workload_count;
    const struct comparison *comparisons;
    size_t comparison_count;
};
extern const struct family *const families[];
extern const size_t family_count;

/* The family of a file's tables of workloads and comparisons, and of one that is not compared. */
#define FAMILY(name, workloads, comparisons)                                                                 \
    { name, workloads, ARRAY_SIZE(workloads), comparisons, ARRAY_SIZE(comparisons) }
#define FAMILY_ALONE(name, workloads)                                                                        \
    { name, workloads, ARRAY_SIZE(workloads), NULL, 0 }

extern const struct family native_family, bare_family, blob_family, lock_family, lease_family,
    large_blob_family, queue_family, storage_family, feed_family, transaction_family, hash_family,
    table_family, file_family;

struct dataset *dataset_open(const struct server *server, unsigned database, unsigned objects, size_t bytes);

/* Lets the objects be visited in another order: that of their creation is that of the memory they got. */
void dataset_shuffle(struct dataset *data, uint64_t random);

void dataset_close(struct dataset *data);

/* The objects of that filler, which are created unless they exist. */
struct object_set *dataset_fill(struct dataset *data, const struct workload *filler);

/* The same without creating any, to measure their insertion. */
struct object_set *dataset_prepare(struct dataset *data, const struct workload *filler);

/* So many letters, the same ones for the same number. */
void letters_write(char *text, size_t length, uint64_t random);

/* The holder of a lock or a lease. The client proposes it, so the next command need not wait for a reply. Nothing that it
 * holds ends while it is measured. */
#define HOLDER_ID     "5f0c2b9e-3c1d-4e57-9a60-7d1f0e8b4a21"
#define HOLD_FOR_LONG "holdfast.lease-max-seconds 3600\n"

/* The id of one of many holders. Valid until the next call. */
const char *holder_id(unsigned which);

/* KEYS: the lock. ARGV: the id of the holder. */
extern const char release_script[];

/* A string that is large enough to matter. */
#define LARGE_STRING "string"
enum { LARGE_STRING_BYTES = 64 << 20 };

/* Not a multiple of the size of a blob's pieces, so that ranges begin anywhere. */
enum { OFFSETS_APART = 1000 };

/* Sends commands that have "; " between them, one after the other. */
void commands_call(struct connection *connection, const char *commands);

/* A workload that must exist, and the family that it is in. */
const struct workload *workload_named(const char *name);
const struct family *family_of(const struct workload *workload);

#endif
