/* A TCP proxy that makes trouble: it delays, forwards a part of what it got, and drops connections in the middle of
 * commands and answers. It is a thread of its own. Order and content of the bytes stay as they are. */
#ifndef HOLDFAST_FAULTS_PROXY_H
#define HOLDFAST_FAULTS_PROXY_H

#include <stdatomic.h>

struct proxy;

/* How often something happens to a portion of bytes, in thousandths. */
struct trouble {
    int delayed, halved, dropped;
    int delay_ms; /* at most */
};

struct proxy *proxy_open(int target_port, unsigned seed);
void proxy_close(struct proxy *proxy);

int proxy_port(const struct proxy *proxy);

/* Where new connections lead to. */
void proxy_aim(struct proxy *proxy, int target_port);
void proxy_trouble(struct proxy *proxy, struct trouble trouble);

#endif
