/* Scripts that the bench times and instructions/ counts. */
#ifndef BENCH_SCRIPTS_H
#define BENCH_SCRIPTS_H

/* If the message is this worker's and the object has this version, the message goes, the object is changed, and somebody
 * is told.
 *
 * KEYS: the stream, the hash, the list. ARGV: the message, the version seen, the new one, the next message, the worker. */
#define FINISH_SCRIPT                                                                                        \
    "local p = redis.call('XPENDING', KEYS[1], 'g', ARGV[1], ARGV[1], 1, ARGV[5]) if #p == 0 then "          \
    "return redis.error_reply('NOTFOUND') end if redis.call('HGET', KEYS[2], 'version') ~= ARGV[2] then "    \
    "return redis.error_reply('PRECONDITION') end redis.call('XACK', KEYS[1], 'g', ARGV[1]) "                \
    "redis.call('XDEL', KEYS[1], ARGV[1]) redis.call('HSET', KEYS[2], 'version', ARGV[3], 'age', 43) "       \
    "redis.call('LPUSH', KEYS[3], ARGV[4]) return ARGV[3]"

#endif
