/* A container on a server against its model: all that can be seen of it and of its blobs. Of metadata the model keeps the
 * shape that a reply shows, of properties the content-language, and block ids as they are told. */
#ifndef HOLDFAST_TESTS_EXPECT_CONTAINER_H
#define HOLDFAST_TESTS_EXPECT_CONTAINER_H

#include "client.h"
#include "container_model.h"

void expect_container(struct client *client, const char *key, const struct container_model *model);

/* A part of a blob's content. */
void expect_content(const redisReply *reply, const struct model_state *state, size_t offset, size_t length);

const char *etag_text(uint64_t etag);

#endif
