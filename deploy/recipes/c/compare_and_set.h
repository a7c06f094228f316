/* deploy/recipes/c/compare_and_set.h */
#ifndef COMPARE_AND_SET_H
#define COMPARE_AND_SET_H

#include "holdfast.h"

/* Writes the new content for the old one, which is NULL when there is no blob yet, and answers its length. It may run more than once. */
typedef size_t change_content(const char *old, size_t length, char *content, size_t room, void *what);

enum { CONTENT_ROOM = 65536 };

/* Reads, decides, writes on the condition that nobody else did in between, and starts over if somebody did. */
bool update(redisContext *redis, const char *container, const char *blob, change_content *change, void *what);

#endif
