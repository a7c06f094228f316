/*
 * A course: requests that follow one another, each made of what the replies before it have told, as a worker has to do
 * it with ids that the server gives out.
 *
 *   step     a request of one or more commands, and what is kept of the replies
 *   course   steps in their order
 *   hand     whoever goes through a course, with what it holds: a message, or a batch of them
 *   troop    hands that are on their way at a time: 16 on each of several connections
 */
#ifndef BENCH_COURSE_H
#define BENCH_COURSE_H

#include "sections.h"
#include "workload.h"

enum { BATCH = 50, STEPS_AT_MOST = 3, HELD_BYTES = 40, KEY_BYTES = 40 };

struct held {
    char id[HELD_BYTES], receipt[HELD_BYTES];
    size_t id_length, receipt_length;
};

struct hand {
    unsigned batch;  /* how many messages it takes at a time */
    uint64_t number; /* of all that a troop ever sends out each has its own */
    struct held held[BATCH];
};

struct troop;

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
    void (*write)(const struct troop *troop, const struct hand *hand, struct request *request);
    bool (*read)(struct hand *hand,
                 const struct reply *reply); /* each reply; false if it is not as expected */
};

struct course {
    const char *name; /* of the workload under which it is told; NULL for what only fills */
    unsigned batch;
    void (*prepare)(struct server *server, const char *key);
    const struct step *steps[STEPS_AT_MOST + 1];
};

struct troop {
    const struct course *course;
    const struct dataset *data;
    char key[KEY_BYTES];
    uint64_t sent_out;
    struct squad {
        struct hand hands[PIPELINE];
        unsigned step;
        bool is_busy;
    } squads[CONNECTIONS];
    char *room;
};

/* The connections and the content are the dataset's. */
struct troop *troop_open(const struct course *course, const struct dataset *data, const char *key);
void troop_close(struct troop *troop);

/* So many hands go through the course, as a whole number of pipelines. */
void troop_run(struct troop *troop, uint64_t hands);

#endif
