/*
 * What is measured: workloads, and the objects that they work on.
 *
 *   family      the workloads of one kind of data, and what they are compared with     native_workloads.c,
 * blob_workloads.c, ... dataset     so many names, a content of so many bytes, a database of the server stock
 * the objects of a dataset that one workload (the filler) has made, with a token of the server's for each
 *   lane        a workload on its stock, with requests in flight: what the runner runs
 *
 * A new family is a new file with a `struct family`, and a line in families.c.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

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
struct lane;

struct stock {
    const struct workload *filler;
    char (*tokens)[TOKEN_BYTES]; /* by object: an ETag, a version, a receipt. Zeros at first. */
    struct stock *next;
};

struct dataset {
    struct wire *wires[CONNECTIONS];
    unsigned objects;
    size_t bytes;
    char *content;
    char (*names)[NAME_BYTES];
    unsigned *order; /* the objects, shuffled: names are not visited in the order in which they sort */
    struct stock *stocks;
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
struct form {
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
void form_print(struct form *form, const char *format, ...);

/* The gaps that places leave. */
void form_open_places(struct form *form, const struct places *places);

enum workload_trait {
    SMALL_ONLY = 1,  /* the size of the content is of no interest */
    GROWS = 2,       /* measured with growing numbers of objects */
    INSERTS = 4,     /* can create objects: measured doing that */
    REPLICATED = 8,  /* measured with an AOF and with a replica */
    UNMEASURED = 16, /* only fills */
    LOCKING = 32,    /* measured with locks and leases */
    APART = 64,      /* not in the main comparison */
    APPENDING = 128, /* measured with append blobs, */
    RANGING = 256,   /* with ranges of large blobs, */
    PAGING = 512,    /* and with page blobs */
    COURSE = 1024,   /* a name only: measured in a way of its own, as the course of that name, see course.h */
    ENTITIES = 2048, /* measured with tables, */
    NEW_ENTITIES = 4096,      /* when entities are inserted, */
    GROWS_ENTITIES = 8192,    /* with growing numbers of them, */
    INSERTS_ENTITIES = 16384, /* and when these are made; */
    FILES = 32768,            /* with files, */
    GROWS_FILES = 65536,      /* with growing numbers of them, */
    INSERTS_FILES = 131072    /* and when these are made */
};

struct workload {
    const char *name;
    unsigned traits;
    unsigned batch;                /* how many objects a request takes; 0 is 1 */
    double flat_limit;             /* how much dearer a million objects may be than a thousand; 0: no bar */
    const struct workload *filler; /* makes the objects; NULL when none are needed */
    void (*prepare)(struct dataset *data); /* what comes before the filler; may be NULL */
    void (*form)(const struct dataset *data, struct form *form);
    bool (*is_expected)(struct lane *lane, unsigned object, const struct reply *reply); /* of each command */
    struct places (*places)(const struct dataset *data);                                /* may be NULL */
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
struct stock *dataset_stock(struct dataset *data, const struct workload *filler);

/* The same without making any: an insertion is to be measured. */
struct stock *dataset_empty_stock(struct dataset *data, const struct workload *filler);

struct lane {
    const struct workload *workload;
    struct dataset *data;
    struct stock *stock; /* NULL when the workload needs no objects */
    unsigned pipeline;
    unsigned batch;           /* how many objects a request takes */
    unsigned connections;     /* how many of the dataset's are used */
    unsigned position;        /* in the dataset's order */
    const unsigned *answered; /* the objects of the request whose reply is looked at */
    struct {
        const unsigned *objects;
        unsigned count;
    } batches[CONNECTIONS]; /* in flight */
    struct form form;
    struct places places;
    char *requests; /* room for a batch */
};

struct lane lane_open(const struct workload *workload, struct dataset *data, struct stock *stock,
                      unsigned pipeline, unsigned connections);
void lane_close(struct lane *lane);

/* Sends batches and checks the replies for so long, beginning anew after the last object. Returns the number
 * of operations: of objects that were visited. */
uint64_t lane_run(struct lane *lane, int64_t nanoseconds);

/* Visits the next `count` objects once. */
void lane_visit(struct lane *lane, unsigned count);

/* Visits all objects that often. Returns the number of operations. */
uint64_t lane_circle(struct lane *lane, unsigned times);

/* Checks that several workloads share. Those with a token keep it for the next request. */
bool is_anything(struct lane *lane, unsigned object, const struct reply *reply); /* but an error */
bool is_ok(struct lane *lane, unsigned object, const struct reply *reply);
bool is_integer(struct lane *lane, unsigned object, const struct reply *reply);
bool is_content(struct lane *lane, unsigned object, const struct reply *reply);
bool is_etag_and_content(struct lane *lane, unsigned object, const struct reply *reply);
bool is_token(struct lane *lane, unsigned object, const struct reply *reply);

#endif
