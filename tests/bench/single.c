#include "single.h"

#include "statistics.h"

enum { REPEATS = 5 };

void slowlog_begin(struct server *server, int threshold_us) {
    server_tell(server, "CONFIG SET slowlog-log-slower-than %d slowlog-max-len 100000", threshold_us);
    server_tell(server, "SLOWLOG RESET");
}

double slowlog_longest_ms(struct server *server, int threshold_us) {
    redisReply *entries = server_command(server, "SLOWLOG GET -1");
    long long longest_us = threshold_us;
    for (size_t index = 0; index < entries->elements; index++) {
        long long duration_us = entries->element[index]->element[2]->integer;
        if (duration_us > longest_us) longest_us = duration_us;
    }
    freeReplyObject(entries);
    return (double)longest_us / 1000;
}

struct single single_begin(struct server *server) {
    slowlog_begin(server, 0);
    server_settle();
    return (struct single){server_cpu_ns(server)};
}

double single_end_ms(struct server *server, const struct single *single) {
    server_settle();
    double cpu_ms = (double)(server_cpu_ns(server) - single->cpu_ns) / 1e6;
    return lesser(cpu_ms, slowlog_longest_ms(server, 0));
}

double command_ms(struct server *server, const char *command, redisReply **reply) {
    struct single single = single_begin(server);
    redisReply *answer = server_command(server, command);
    double ms = single_end_ms(server, &single);
    if (reply)
        *reply = answer;
    else
        freeReplyObject(answer);
    return ms;
}

double longest_of_repeats_ms(struct server *server, const char *command) {
    double longest = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++)
        longest = greater(longest, command_ms(server, command, NULL));
    return longest;
}
