#define _GNU_SOURCE
#include "crowd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "basics.h"

enum { FILES_BESIDES = 100 };

unsigned crowd_limit(unsigned wanted) {
    struct rlimit limit;
    require(!getrlimit(RLIMIT_NOFILE, &limit), "cannot read a limit: %s", strerror(errno));
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= wanted + FILES_BESIDES) return wanted;
    return limit.rlim_cur > FILES_BESIDES ? (unsigned)limit.rlim_cur - FILES_BESIDES : 0;
}

struct crowd *crowd_open(const struct server *server, unsigned count) {
    struct crowd *crowd = take(1, sizeof *crowd);
    crowd->count = count;
    crowd->wires = take(count, sizeof(struct wire *));
    crowd->events = epoll_create1(EPOLL_CLOEXEC);
    for (unsigned which = 0; which < count; which++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = which};
        crowd->wires[which] = wire_open_narrow(server);
        require(!epoll_ctl(crowd->events, EPOLL_CTL_ADD, wire_socket(crowd->wires[which]), &event),
                "cannot watch a connection: %s", strerror(errno));
    }
    return crowd;
}

void crowd_close(struct crowd *crowd) {
    for (unsigned which = 0; which < crowd->count; which++) wire_close(crowd->wires[which]);
    close(crowd->events);
    free(crowd->wires);
    free(crowd);
}

int crowd_next(const struct crowd *crowd, int64_t until_ns) {
    struct epoll_event event;
    int64_t left_ns = until_ns - monotonic_ns();
    if (left_ns < 0) left_ns = 0;
    struct timespec left = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
    int count = epoll_pwait2(crowd->events, &event, 1, &left, NULL);
    require(count >= 0 || errno == EINTR, "cannot wait for replies: %s", strerror(errno));
    return count > 0 ? (int)event.data.u32 : CROWD_NOBODY;
}

const char *crowd_id(unsigned which) {
    static char id[40];
    snprintf(id, sizeof id, "%08x-0000-4000-8000-000000000000", which);
    return id;
}
