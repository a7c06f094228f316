/*
 * A hundred thousand handles of one session that end together, once because it is disconnected, once because its time is
 * up: how long does that keep another client waiting? And what a handle takes.
 */
#include <stdlib.h>

#include "basics.h"
#include "file_courses.h"
#include "files.h"
#include "waits.h"

enum { HANDLES = 100000, LONGEST_MS = 10 };

static void judge(const struct part *part, const char *how, double ms) {
    part_judge(part, print_text("a session with %d handles %s: longest PING", HANDLES, how), ms, LONGEST_MS,
               "ms");
}

static bool is_nothing_open(struct server *server) {
    redisReply *reply = server_command(server, "FILE.HANDLES " SHARE " COUNT 1");
    bool is_nothing = reply->element[1]->elements == 0;
    freeReplyObject(reply);
    return is_nothing;
}

void measure_file_endings(const struct part *part) {
    struct server *server = server_start(part->options, "");
    share_make(server, SHARE);
    int64_t before = server_info_number(server, "used_memory");
    const char *session = session_with_handles(server, SHARE, HANDLES);
    part_tell(part, "a new file without content, and a handle of it",
              (double)(server_info_number(server, "used_memory") - before) / HANDLES, "bytes");
    char *command = print_text("SHARE.DISCONNECT " SHARE " %s", session);
    judge(part, "that is disconnected", longest_ping_ms(server, command, is_nothing_open));
    session_with_handles(server, SHARE, HANDLES);
    /* Its time is not half so long as the clock is put forward. */
    judge(part, "whose time is up",
          longest_ping_ms(server, "CONFIG SET holdfast.clock-offset-ms 10000000", is_nothing_open));
    free(command);
    server_stop(server);
}
