/* deploy/recipes/c/log.h */
#ifndef LOG_H
#define LOG_H

#include "holdfast.h"

/* Appends to a log that many append to. False when it is full or sealed: begin the next one. */
bool log_append(redisContext *redis, const char *container, const char *log, const char *line, size_t length);

/* Calls tell for what is there and for all that comes, until the log is sealed: with lines, and the position behind them. A follower that
 * stores the position with what it makes of the lines goes on from there after a crash. tell answers whether to go on. */
bool log_follow(redisContext *redis, const char *container, const char *log, int64_t position,
                bool (*tell)(const char *lines, size_t length, int64_t position, void *what), void *what);

#endif
