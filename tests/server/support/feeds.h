/* What tests of feeds have in common: the container "box" of the primary, its feed, and what pages of it tell. */
#ifndef HOLDFAST_TESTS_FEEDS_H
#define HOLDFAST_TESTS_FEEDS_H

#include "client.h"
#include "expect.h"

#define LOST "CONFLICT ChangesLost"

/* Creates the container and turns its feed on; `more` is what comes behind ON. */
void followed_box(const char *more);
void delete_blob(const char *blob);

/* A page, which must come; `more` is what comes behind the bookmark. */
redisReply *changes_at(struct client *client, const char *since, const char *more);
redisReply *changes(const char *since);
const char *bookmark_of(const redisReply *page);

/* The names that a page tells, those of deleted blobs with a minus in front. */
void expect_told_at(struct place place, const redisReply *page, const char *names);
#define expect_told(page, names) expect_told_at(HERE, page, names)

/* A field of CONTAINER.GET. */
const char *of_container(struct client *client, const char *name);

#endif
