/* What tests of queues have in common: short ways to put, get and look at messages. The clock is that of clock.h. */
#ifndef HOLDFAST_TESTS_QUEUES_H
#define HOLDFAST_TESTS_QUEUES_H

#include "client.h"
#include "expect.h"

#define RECEIPT_NONE "00000000000040008000000000000000"
#define ID_NONE      "00000000-0000-4000-8000-000000000000"

/* Makes the queue `jobs` anew; what comes behind its name is `rest`. The clocks are alike then. */
void queue_setup(const char *rest);

/* A message as it was answered: of QUEUE.PUT, or of one that was got. */
struct parcel {
    const char *id;
    const char *receipt;
};

struct parcel parcel_of_at(struct place place, const redisReply *map);

/* QUEUE.PUT jobs and QUEUE.GET jobs of one, which must be there; `rest` comes behind. */
struct parcel put_job_at(struct place place, const char *text, const char *rest);
struct parcel get_job_at(struct place place, const char *text, const char *rest);

/* What QUEUE.GET jobs finds, as texts with blanks between them. */
const char *got_jobs(const char *rest);

/* QUEUE.<VERB> jobs id receipt <rest> */
redisReply *act_on(const char *verb, struct parcel parcel, const char *rest);

void expect_depth_at(struct place place, long long visible, long long invisible);

#define parcel_of(map)                   parcel_of_at(HERE, map)
#define put_job(text, rest)              put_job_at(HERE, text, rest)
#define get_job(text, rest)              get_job_at(HERE, text, rest)
#define expect_depth(visible, invisible) expect_depth_at(HERE, visible, invisible)

#endif
