#include "turns.h"

#include "harness.h"
#include "text.h"
#include "wire.h"

enum {
    LINE_BYTES = 16000, /* so long that the server reads one or two in a turn */
    LOOKS = 30,         /* with pauses between its turns, it would serve few in so many lines */
    SERVED_MAX = 50     /* by one turn */
};

static void send_command_and_looks(struct wire *wire, const char *command) {
    struct text lines = {0};
    text_print(&lines, "%s\r\n", command);
    for (int look = 0; look < LOOKS; look++) text_print(&lines, "INFO holdfast%*s\r\n", LINE_BYTES, "");
    wire_send_raw(wire, lines.bytes, lines.length);
}

/* While the next line is still on its way, the server may have one turn more. */
void expect_served_in_turns_at(struct place place, const char *command, const char *name, long long left) {
    struct wire *wire = wire_open(primary->server);
    long long now = info_of(primary, name);
    send_command_and_looks(wire, command);
    const redisReply *reply = wire_receive(wire);
    if (reply->type == REDIS_REPLY_ERROR) failure_at(place.file, place.line, "%s", reply_text(reply));
    for (int look = 0; look < LOOKS; look++) {
        long long before = now;
        now = info_number(wire_receive(wire), name);
        if (before - now > 2LL * SERVED_MAX)
            failure_at(place.file, place.line, "%lld were served in one turn", before - now);
    }
    if (now != left) failure_at(place.file, place.line, "%lld are left", now);
}
