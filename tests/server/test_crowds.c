/* Very many sessions that have one file open hold nobody up, not even when the time of all is up at once. */
#include <string.h>

#include "bounds.h"
#include "harness.h"
#include "pool.h"

enum { CROWD = 50000, BATCH = 1000, ID_BYTES = 37, MAX_MS = 10 };

static char ids[CROWD][ID_BYTES];

/* Keeps the replies if they are ids. */
static void receive_batch(char (*kept)[ID_BYTES]) {
    const void *mark = pool_mark();
    for (int i = 0; i < BATCH; i++) {
        const redisReply *reply = receive(bounds_client);
        require(!reply_is_error(reply), "%s", reply_text(reply));
        if (kept) memcpy(kept[i], reply_string(reply), ID_BYTES);
    }
    pool_release(mark);
}

static void connect_crowd(void) {
    for (int first = 0; first < CROWD; first += BATCH) {
        for (int i = 0; i < BATCH; i++) send_call(bounds_client, "SHARE.CONNECT fs 600");
        receive_batch(ids + first);
    }
}

static void open_by_crowd(const char *clauses) {
    for (int first = 0; first < CROWD; first += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            const void *mark = pool_mark();
            struct words words = words_of_line(pool_print("FILE.OPEN fs %s d/f %s", ids[first + i], clauses));
            send_words(bounds_client, &words);
            pool_release(mark);
        }
        receive_batch(NULL);
    }
}

static void build_crowd(const char *access) {
    bounds_do("DEL fs");
    bounds_do("SHARE.CREATE fs");
    bounds_do("FILE.MKDIR fs d");
    bounds_do("FILE.MKDIR fs k");
    bounds_do("FILE.CREATE fs d/f 1000");
    bounds_do("FILE.CREATE fs d/g 1000");
    bounds_do("s = SHARE.CONNECT fs 604800");
    connect_crowd();
    open_by_crowd(access);
}

static void ended_crowd(void) {
    build_crowd("ACCESS 1 READ SHARE 3 READ WRITE DELETE");
    bounds_later(700);
}

static void ended_crowd_and_handle(void) {
    build_crowd("ACCESS 1 READ SHARE 3 READ WRITE DELETE");
    bounds_do("h = FILE.OPEN fs @s d/f ACCESS 3 READ WRITE DELETE SHARE 3 READ WRITE DELETE");
    bounds_later(700);
}

static void ended_crowd_that_excludes(void) {
    build_crowd("ACCESS 1 READ SHARE 1 READ");
    bounds_later(700);
}

/* Most are there still, but nobody's time is up. */
static void crowd_and_ended_session(void) {
    build_crowd("ACCESS 1 READ SHARE 3 READ WRITE DELETE");
    bounds_do("h = FILE.OPEN fs @s d/f ACCESS 2 READ WRITE SHARE 3 READ WRITE DELETE");
    bounds_do("e = SHARE.CONNECT fs 604800");
    for (int i = 0; i < CROWD; i++)
        bounds_send("FILE.OPEN fs %s d/g ACCESS 1 READ SHARE 1 READ", bounds_kept("e"));
    bounds_receive_all();
    bounds_do("SHARE.DISCONNECT fs @e");
}

static const struct bound crowd_bounds[] = {
    {"FILE.OPEN fs @s d/f ACCESS 1 READ SHARE 3 READ WRITE DELETE", ended_crowd, NULL, MAX_MS},
    {"FILE.PUTRANGE fs d/f 0 x", ended_crowd, NULL, MAX_MS},
    {"FILE.OPEN fs @s d/f ACCESS 2 READ WRITE SHARE 0", ended_crowd_that_excludes, NULL, MAX_MS},
    {"FILE.WRITE fs @h 0 x", ended_crowd_and_handle, NULL, MAX_MS},
    {"FILE.LOCK fs @h EXCLUSIVE 0 1", ended_crowd_and_handle, NULL, MAX_MS},
    {"SHARE.SNAPSHOT fs", ended_crowd, NULL, MAX_MS},
    {"FILE.RENAME fs d e", ended_crowd, NULL, MAX_MS},
    {"FILE.RMDIR fs k", ended_crowd, NULL, MAX_MS},
    {"FILE.WRITE fs @h 0 x", crowd_and_ended_session, NULL, MAX_MS},
    {NULL, NULL, NULL, 0},
};

TEST(a_crowd_that_ends_holds_nobody_up) {
    bounds_begin("");
    bounds_measure(crowd_bounds);
}
