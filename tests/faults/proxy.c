#define _GNU_SOURCE
#include "proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "failure.h"
#include "history.h"

enum { PAIRS_MAX = 128, PORTION = 16384, LISTENER = 0 };

/* What came in at one end and has yet to go out at the other one. */
struct pipe_way {
    char bytes[PORTION];
    size_t from, until;
    int64_t not_before_us;
    bool drop; /* when what is here has gone out */
};

struct pair {
    int ends[2];             /* the client's and the server's */
    struct pipe_way ways[2]; /* what came from ends[i] */
};

struct proxy {
    pthread_t thread;
    int listener, port;
    atomic_int target;
    atomic_bool stop;
    atomic_int delayed, halved, dropped, delay_ms;
    unsigned seed;
    struct pair *pairs[PAIRS_MAX];
};

static struct sockaddr_in loopback(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static void pair_drop(struct pair **place) {
    close((*place)->ends[0]);
    close((*place)->ends[1]);
    free(*place);
    *place = NULL;
}

static struct pair **free_place(struct proxy *proxy) {
    for (int i = 0; i < PAIRS_MAX; i++)
        if (!proxy->pairs[i]) return &proxy->pairs[i];
    return NULL;
}

static void welcome(struct proxy *proxy) {
    int client = accept4(proxy->listener, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0) return;
    struct pair **place = free_place(proxy);
    struct sockaddr_in address = loopback(atomic_load(&proxy->target));
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!place || server < 0 || connect(server, (struct sockaddr *)&address, sizeof(address))) {
        close(client);
        if (server >= 0) close(server);
        return;
    }
    *place = calloc(1, sizeof(**place));
    if (!*place) abort();
    (*place)->ends[0] = client;
    (*place)->ends[1] = server;
}

static bool happens(struct proxy *proxy, atomic_int *thousandths) {
    return rand_r(&proxy->seed) % 1000 < atomic_load(thousandths);
}

/* Decides what becomes of the portion that has just come in. */
static void bedevil(struct proxy *proxy, struct pipe_way *way) {
    int most_ms = atomic_load(&proxy->delay_ms);
    if (happens(proxy, &proxy->delayed) && most_ms)
        way->not_before_us = now_us() + (int64_t)(rand_r(&proxy->seed) % most_ms) * 1000;
    if (!happens(proxy, &proxy->dropped)) return;
    way->drop = true;
    way->until = (size_t)rand_r(&proxy->seed) % (way->until + 1);
}

/* False when the connection has ended. */
static bool take_in(struct proxy *proxy, struct pair *pair, int end) {
    struct pipe_way *way = &pair->ways[end];
    ssize_t length = recv(pair->ends[end], way->bytes, PORTION, MSG_DONTWAIT);
    if (length < 0) return errno == EAGAIN || errno == EINTR;
    way->from = 0;
    way->until = (size_t)length;
    if (length) bedevil(proxy, way);
    return length > 0;
}

static bool send_on(struct proxy *proxy, struct pair *pair, int end) {
    struct pipe_way *way = &pair->ways[end];
    size_t length = way->until - way->from;
    if (length > 1 && happens(proxy, &proxy->halved)) {
        length /= 2;
        way->not_before_us = now_us() + 1000;
    }
    ssize_t sent =
        length ? send(pair->ends[!end], way->bytes + way->from, length, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    way->from += (size_t)sent;
    return way->from < way->until || !way->drop;
}

static bool is_pending(const struct pipe_way *way) {
    return way->from < way->until || way->drop;
}

/* What is still here when the other end closes goes out first, as far as it may. */
static bool move(struct proxy *proxy, struct pair *pair, int end, bool readable) {
    struct pipe_way *way = &pair->ways[end];
    if (!is_pending(way) && readable && !take_in(proxy, pair, end)) return false;
    if (!is_pending(way) || now_us() < way->not_before_us) return true;
    return send_on(proxy, pair, end);
}

/* Fills in what to wait for; pairs whose portion has yet to go out read nothing more. */
static nfds_t look(struct proxy *proxy, struct pollfd *inputs, int *timeout_ms) {
    nfds_t count = 1;
    inputs[LISTENER] = (struct pollfd){.fd = proxy->listener, .events = POLLIN};
    *timeout_ms = 20;
    for (int i = 0; i < PAIRS_MAX; i++)
        for (int end = 0; proxy->pairs[i] && end < 2; end++) {
            bool pending = is_pending(&proxy->pairs[i]->ways[end]);
            if (pending) *timeout_ms = 1;
            inputs[count++] =
                (struct pollfd){.fd = pending ? -1 : proxy->pairs[i]->ends[end], .events = POLLIN};
        }
    return count;
}

static void *serve(void *data) {
    struct proxy *proxy = data;
    static _Thread_local struct pollfd inputs[1 + 2 * PAIRS_MAX];
    while (!atomic_load(&proxy->stop)) {
        int timeout_ms;
        nfds_t count = look(proxy, inputs, &timeout_ms);
        poll(inputs, count, timeout_ms);
        nfds_t at = 1;
        for (int i = 0; i < PAIRS_MAX; i++) {
            if (!proxy->pairs[i]) continue;
            bool goes_on = true;
            for (int end = 0; end < 2; end++)
                goes_on = move(proxy, proxy->pairs[i], end, inputs[at++].revents) && goes_on;
            if (!goes_on) pair_drop(&proxy->pairs[i]);
        }
        if (inputs[LISTENER].revents) welcome(proxy);
    }
    return NULL;
}

struct proxy *proxy_open(int target_port, unsigned seed) {
    struct proxy *proxy = calloc(1, sizeof(*proxy));
    require(proxy, "out of memory");
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    proxy->seed = seed;
    proxy->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(proxy->listener >= 0 && !bind(proxy->listener, (struct sockaddr *)&address, size) &&
                !listen(proxy->listener, PAIRS_MAX) &&
                !getsockname(proxy->listener, (struct sockaddr *)&address, &size),
            "the proxy gets no port");
    proxy->port = ntohs(address.sin_port);
    proxy_aim(proxy, target_port);
    require(!pthread_create(&proxy->thread, NULL, serve, proxy), "no thread for the proxy");
    return proxy;
}

void proxy_close(struct proxy *proxy) {
    if (!proxy) return;
    atomic_store(&proxy->stop, true);
    pthread_join(proxy->thread, NULL);
    for (int i = 0; i < PAIRS_MAX; i++)
        if (proxy->pairs[i]) pair_drop(&proxy->pairs[i]);
    close(proxy->listener);
    free(proxy);
}

int proxy_port(const struct proxy *proxy) {
    return proxy->port;
}

void proxy_aim(struct proxy *proxy, int target_port) {
    atomic_store(&proxy->target, target_port);
}

void proxy_trouble(struct proxy *proxy, struct trouble trouble) {
    atomic_store(&proxy->delayed, trouble.delayed);
    atomic_store(&proxy->halved, trouble.halved);
    atomic_store(&proxy->dropped, trouble.dropped);
    atomic_store(&proxy->delay_ms, trouble.delay_ms);
}
