/*
 * What is measured: workloads, and the objects that they work on.
 *
 *   family       the workloads of one kind of data, and what they are compared with
 *   workload     an operation: a template of its request, and what is expected of the reply
 *   dataset      so many names, a content of so many bytes, a database of the server
 *   object set   the objects of a dataset that one workload (the filler) has made, with a token of the server's for each
 *   driver       a workload on its object set, with requests in flight: what the runner runs
 *   sequence     requests that depend on replies, see below
 *
 * A new family is a `struct family` in the file of its subject, and a word in the list of families in workload.c. Which
 * workloads a section measures, it says itself, by their names.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "server.h"

enum { NAME_BYTES = 16, TOKEN_BYTES = 18, PLACE_BYTES = 10, SIZES = 3, GAPS_AT_MOST = 128 };

/* The parts of a name, which is a path: three digits, a slash, twelve digits. */
enum { FOLDER_BYTES = 3, FILE_BYTES = 12 };

/* So many clients at a time keep the server from sleeping between two requests: what it then costs to wake a
   processor would otherwise be most of what is measured, and it is a number about the machine. */
enum { CONNECTIONS = 8 };

/* The sizes of content that everything is measured with, and with how many objects of each. */
struct size {
    size_t bytes;
    unsigned objects;
    const char *label;
};
extern const struct size sizes[SIZES];

struct workload;
struct driver;

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
    unsigned *order; /* the objects, shuffled: names are not visited in the order in which they sort */
    struct object_set *object_sets;
    uint64_t large_bytes; /* of the one large object, where there is one */
};

/* Places in one large object, a place for each of a dataset's objects. Their numbers have equally many
 * digits, so that all requests are equally long. */
struct places {
    uint64_t first, count;
    unsigned step, span; /* from one to the next; how many bytes are meant at each */
    unsigned digits;
};

/* Those that most numbers of one length make possible in so many bytes. */
struct places places_within(uint64_t bytes, unsigned step, unsigned span);

/* A request with gaps: the marks stand where names, tokens and places will be written. It may be several
 * commands that make one operation together, or one for each of several objects. */
enum gap_kind { GAP_NAME, GAP_FOLDER, GAP_FILE, GAP_TOKEN, GAP_PLACE, GAP_LAST, GAP_KINDS };
struct template {
    char *bytes;
    size_t length;
    struct gap {
        size_t at;
        enum gap_kind kind; /* GAP_LAST: the last byte that is meant at the place */
        unsigned number;    /* how many of its kind stand before it */
    } gaps[GAPS_AT_MOST];
    unsigned gap_count;
    unsigned commands;
};
extern const char name_mark[NAME_BYTES];
extern const char folder_mark[FOLDER_BYTES];
extern const char file_mark[FILE_BYTES];
extern const char token_mark[TOKEN_BYTES];
extern const char place_mark[PLACE_BYTES]; /* of these two as many bytes as places have digits */
extern const char last_mark[PLACE_BYTES];

/* Adds a command, in the language of redisCommand; marks are given as %b. */
void template_add(struct template *template, const char *format, ...);

/* The gaps that places leave. */
void template_find_places(struct template *template, const struct places *places);

struct workload {
    const char *name;
    unsigned batch;                /* how many objects a request takes; 0 is 1 */
    double flat_limit;             /* how much dearer a million objects may be than a thousand; 0: no bar */
    const struct workload *filler; /* makes the objects; NULL when none are needed */
    void (*prepare)(struct dataset *data); /* what comes before the filler; may be NULL */
    void (*template)(const struct dataset *data, struct template *template);
    bool (*is_expected)(struct driver *driver, unsigned object,
                        const struct reply *reply);      /* of each command */
    struct places (*places)(const struct dataset *data); /* may be NULL */
};

/* At pipeline 16: how the processor time of one relates to that of the other, by size. Limits are bars; 0 is
 * none. */
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
extern const struct family native_family, blob_family, lock_family, lease_family, kind_family, queue_family,
    hash_family, table_family, file_family;

struct dataset *dataset_open(const struct server *server, unsigned database, unsigned objects, size_t bytes);
void dataset_close(struct dataset *data);

/* The objects of that filler, made now unless they exist already. */
struct object_set *dataset_fill(struct dataset *data, const struct workload *filler);

/* The same without making any: an insertion is to be measured. */
struct object_set *dataset_prepare(struct dataset *data, const struct workload *filler);

struct driver {
    const struct workload *workload;
    struct dataset *data;
    struct object_set *object_set; /* NULL when the workload needs no objects */
    unsigned pipeline;
    unsigned batch;           /* how many objects a request takes */
    unsigned connections;     /* how many of the dataset's are used */
    unsigned position;        /* in the dataset's order */
    const unsigned *answered; /* the objects of the request whose reply is looked at */
    struct {
        const unsigned *objects;
        unsigned count;
    } batches[CONNECTIONS]; /* in flight */
    struct template template;
    struct places places;
    char *requests; /* room for a batch */
};

struct driver driver_open(const struct workload *workload, struct dataset *data,
                          struct object_set *object_set, unsigned pipeline, unsigned connections);
void driver_close(struct driver *driver);

/* Sends batches and checks the replies for so long, beginning anew after the last object. Returns the number
 * of operations: of objects that were visited. */
uint64_t driver_run(struct driver *driver, int64_t nanoseconds);

/* Visits the next `count` objects once. */
void driver_visit(struct driver *driver, unsigned count);

/* Visits all objects that often. Returns the number of operations. */
uint64_t driver_visit_all(struct driver *driver, unsigned times);

/* Checks that several workloads share. Those with a token keep it for the next request. */
bool is_anything(struct driver *driver, unsigned object, const struct reply *reply); /* but an error */
bool is_ok(struct driver *driver, unsigned object, const struct reply *reply);
bool is_integer(struct driver *driver, unsigned object, const struct reply *reply);
bool is_content(struct driver *driver, unsigned object, const struct reply *reply);
bool is_etag_and_content(struct driver *driver, unsigned object, const struct reply *reply);
bool is_token(struct driver *driver, unsigned object, const struct reply *reply);

/* A workload that must exist, and the family that it is in. */
const struct workload *workload_named(const char *name);
const struct family *family_of(const struct workload *workload);

/* --- Sequences --- */

/*
 * A sequence: requests that follow one another, each made of what the replies before it have told, as a worker has to do
 * it with ids that the server gives out.
 *
 *   step     a request of one or more commands, and what is kept of the replies
 *   sequence steps in their order
 *   client   whoever goes through a sequence, with what it holds: a message, or a batch of them
 *   pool     clients that are on their way at a time: 16 on each of several connections
 */

enum { MESSAGES_AT_ONCE = 50, STEPS_AT_MOST = 3, HELD_BYTES = 40, KEY_BYTES = 40 };

struct held {
    char id[HELD_BYTES], receipt[HELD_BYTES];
    size_t id_length, receipt_length;
};

struct client {
    unsigned batch;  /* how many messages it takes at a time */
    uint64_t number; /* each that a pool ever starts has its own */
    struct held held[MESSAGES_AT_ONCE];
};

struct client_pool;

/* Requests are written word by word, behind one another. */
struct request {
    char *bytes;
    size_t length;
};
void request_begin(struct request *request, size_t words);
void request_word(struct request *request, const char *bytes, size_t length);
void request_text(struct request *request, const char *text);
void request_number(struct request *request, uint64_t number);

/* Keeps a part of a reply, which must be short enough. */
void word_keep(char *to, size_t *length, const struct reply *part);

struct step {
    unsigned commands;
    void (*write)(const struct client_pool *pool, const struct client *client, struct request *request);
    bool (*read)(struct client *client,
                 const struct reply *reply); /* each reply; false if it is not as expected */
};

struct sequence {
    const char *name; /* of the workload under which it is told; NULL for what only fills */
    unsigned batch;
    void (*prepare)(struct server *server, const char *key);
    const struct step *steps[STEPS_AT_MOST + 1];
};

struct client_pool {
    const struct sequence *sequence;
    const struct dataset *data;
    char key[KEY_BYTES];
    uint64_t started;
    struct pipeline {
        struct client clients[PIPELINE];
        unsigned step;
        bool is_busy;
    } pipelines[CONNECTIONS];
    char *requests; /* room for those of a connection */
};

/* The connections and the content are the dataset's. */
struct client_pool *client_pool_open(const struct sequence *sequence, const struct dataset *data,
                                     const char *key);
void client_pool_close(struct client_pool *pool);

/* So many operations: clients that go through the sequence, as a whole number of pipelines. */
void client_pool_run(struct client_pool *pool, uint64_t operations);

#endif
