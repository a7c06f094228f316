/* What is measured: workloads, and the objects that they work on.
 *
 *   family       the workloads of one kind of data, and what they are compared with
 *   workload     an operation: a template of its request, and what is expected of the reply
 *   dataset      a number of names, a content of a given size, a database of the server
 *   object set   the objects of a dataset that one workload (its filler) has created, with a token for each
 *   driver       a workload on its object set, with requests in flight: this is what is run in rounds
 *   sequence     requests that depend on replies, see below
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
    SIZES = 3,
    PLACEHOLDERS_MAX = 128
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

struct workload;
struct driver;
struct client;

/* A reply, and what it is about. */
struct answer {
    struct reply reply;
    struct driver *driver;
    unsigned object;
    struct client *client; /* of a sequence, or NULL */
};

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

/* The offsets in so many bytes, with the number of digits that allows most of them. */
struct offsets offsets_within(uint64_t bytes, unsigned step, unsigned span);

/* The requests of a workload, with gaps that each request fills: names, tokens and offsets are written over them. They
 * may consist of several commands that are one operation together, or of one for each of several objects. */
enum placeholder_kind {
    PLACEHOLDER_NAME,
    PLACEHOLDER_FOLDER,
    PLACEHOLDER_FILE,
    PLACEHOLDER_TOKEN,
    PLACEHOLDER_OFFSET,
    PLACEHOLDER_RANDOM,
    PLACEHOLDER_NUMBER,
    PLACEHOLDER_LAST,
    PLACEHOLDER_ID, /* from here on words of any length */
    PLACEHOLDER_RECEIPT,
    PLACEHOLDER_GRANTED,
    PLACEHOLDER_OWN,
    PLACEHOLDER_KINDS
};
struct template {
    char *bytes;
    size_t length;
    struct placeholder {
        size_t at;
        enum placeholder_kind kind; /* PLACEHOLDER_LAST: the last byte of the range */
        unsigned number;            /* how many of its kind stand before it */
    } placeholders[PLACEHOLDERS_MAX];
    unsigned placeholder_count;
    unsigned commands;
};

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
        ;                        the next command
        NULL if the section measures it by itself, as it does sequences: then the row is there for its name */
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

/* The ratio of the processor times of two workloads at pipeline 16. Limits are bars, by size; 0 means none. */
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

extern const struct family native_family, bare_family, blob_family, lock_family, lease_family, kind_family,
    queue_family, storage_family, feed_family, transaction_family, hash_family, table_family, file_family;

struct dataset *dataset_open(const struct server *server, unsigned database, unsigned objects, size_t bytes);

/* Lets the objects be visited in another order: that of their creation is that of the memory they got. */
void dataset_shuffle(struct dataset *data, uint64_t random);

void dataset_close(struct dataset *data);

/* The objects of that filler, which are created unless they exist. */
struct object_set *dataset_fill(struct dataset *data, const struct workload *filler);

/* The same without creating any, to measure their insertion. */
struct object_set *dataset_prepare(struct dataset *data, const struct workload *filler);

struct driver {
    const struct workload *workload;
    struct dataset *data;
    struct object_set *object_set; /* NULL when the workload needs no objects */
    unsigned pipeline;
    unsigned batch;           /* how many objects a request takes */
    unsigned connections;     /* how many of the dataset's are used */
    unsigned position;        /* in the dataset's order */
    const unsigned *answered; /* the objects of the request whose reply is checked */
    struct {
        const unsigned *objects;
        unsigned count;
    } batches[CONNECTIONS]; /* in flight */
    struct template template;
    struct offsets offsets;
    char *requests;  /* buffer for a batch */
    const char *key; /* of a sequence, or NULL */
};

struct driver driver_open(const struct workload *workload, struct dataset *data,
                          struct object_set *object_set, unsigned pipeline, unsigned connections);
void driver_close(struct driver *driver);

/* Sends batches and checks the replies for that time, starting over after the last object. Returns the number of
 * operations, which is the number of objects visited. */
uint64_t driver_run(struct driver *driver, int64_t nanoseconds);

/* Visits the next `count` objects once. */
void driver_visit(struct driver *driver, unsigned count);

/* Visits all objects that many times. Returns the number of operations. */
uint64_t driver_visit_all(struct driver *driver, unsigned times);

/* Checks of replies. Those of tokens keep the token for the next request. */
bool is_anything(const struct answer *answer); /* except an error */
bool is_ok(const struct answer *answer);
bool is_integer(const struct answer *answer);
bool is_string(const struct answer *answer);
bool is_content(const struct answer *answer);
bool is_etag_and_content(const struct answer *answer);
bool is_array_of(const struct answer *answer, size_t length);
bool is_own_token(const struct answer *answer, const struct reply *token); /* that the object has */
bool is_token(const struct answer *answer);
bool is_tokens(const struct answer *answer); /* one for each of a batch */

/* The answer as if this were its reply. */
struct answer answer_part(const struct answer *answer, struct reply reply);

/* The holder of a lock or a lease. The client proposes it, so the next command need not wait for a reply. Nothing that it
 * holds ends while it is measured. */
#define HOLDER_ID     "5f0c2b9e-3c1d-4e57-9a60-7d1f0e8b4a21"
#define HOLD_FOR_LONG "holdfast.lease-max-seconds 3600\n"

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

/* --- Sequences --- */

/* A sequence: requests of which each is made of earlier replies, as when a worker deletes a message by the id that it
 * got from the server.
 *
 *   step     a workload whose check keeps what the next step needs
 *   sequence steps in their order
 *   client   runs a sequence, and keeps what it got: a message, or a batch of them
 *   pool     the clients that run at once: 16 on each of several connections */

enum { MESSAGES_AT_ONCE = 50, STEPS_MAX = 3, HELD_BYTES = 40, KEY_BYTES = 40 };

/* No multiple of it is a number of places, so that as many objects as there are places have different ones. */
#define FAR_APART UINT64_C(2654435761)

struct word {
    char text[HELD_BYTES];
    size_t length;
};

/* Copies a part of a reply, which must not be longer than HELD_BYTES. */
void word_keep(struct word *word, struct reply element);

struct client {
    uint64_t number; /* unique within the pool */
    struct {
        struct word id, receipt;
    } held[MESSAGES_AT_ONCE];
};

struct client_pool;

struct sequence {
    const char *name;   /* of the workload under which it is reported; NULL if it only fills */
    const char *create; /* the command that makes its key, with %s; may be NULL */
    const struct workload *steps[STEPS_MAX + 1];
    void (*prepare)(struct client_pool *pool); /* where it takes more; may be NULL */
    uint64_t (*own)(uint64_t number);          /* of the client; may be NULL */
};

struct client_pool {
    const struct sequence *sequence;
    struct dataset *data;
    char key[KEY_BYTES];
    struct driver steps[STEPS_MAX];
    struct word *granted; /* what the preparation got from the server */
    unsigned granted_count;
    uint64_t started;
    struct pipeline {
        struct client clients[PIPELINE];
        unsigned step;
        bool is_busy;
    } pipelines[CONNECTIONS];
    char *requests; /* buffer for those of a connection */
};

/* Uses the connections and the content of the dataset. */
struct client_pool *client_pool_open(const struct sequence *sequence, struct dataset *data, const char *key);
void client_pool_close(struct client_pool *pool);

/* Makes what is there before the first operation. */
void client_pool_prepare(struct client_pool *pool);

/* Runs the sequence so many times, rounded up to whole pipelines. */
void client_pool_run(struct client_pool *pool, uint64_t operations);

/* One step of a pipeline of clients on one connection: asks, and checks the answers. */
void clients_ask(struct client_pool *pool, const struct client *clients, unsigned step, unsigned connection);
void clients_await(struct client_pool *pool, struct client *clients, unsigned step, unsigned connection);

#endif
