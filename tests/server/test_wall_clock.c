/* The wall clock is set while leases are held and messages are hidden: they last as long as they were to last, and what
 * waits for their end is served in time. The server gets a wall clock of its own for it. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "single_server.h"
#include "waiting.h"

enum { SECOND_US = 1000000, NUMBERS = 4 };

static struct server *server;
static struct client *client;

/* In this order: see preload/wall_clock.c. */
static volatile int64_t *offset_us, *pause_us, *leap_us, *stride_us;

/* Its sanitizer, if there is one, comes first. */
static void preload(const char *folder) {
    const char *others = getenv("HOLDFAST_PRELOAD");
    const char *library = test_library("wall_clock.so");
    char *path = pool_print("%s/wall-clock", folder);
    int file = open(path, O_RDWR | O_CREAT, 0666);
    require(file >= 0 && !ftruncate(file, NUMBERS * sizeof(*offset_us)), "cannot make %s", path);
    offset_us = mmap(NULL, NUMBERS * sizeof(*offset_us), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    require(offset_us != MAP_FAILED, "cannot map %s", path);
    close(file);
    pause_us = offset_us + 1;
    leap_us = offset_us + 2;
    stride_us = offset_us + 3;
    *offset_us = *pause_us = *leap_us = *stride_us = 0;
    setenv("HOLDFAST_WALL_CLOCK", path, 1);
    setenv("HOLDFAST_PRELOAD", others ? pool_print("%s %s", others, library) : library, 1);
}

static void set_wall_clock(double seconds) {
    *offset_us += (int64_t)(seconds * SECOND_US);
    usleep(150000); /* it has been looked at by then */
}

static long long wall_s(void) {
    return atoll(expect_elements(call(client, "TIME"), 2)->element[0]->str);
}

static long long remaining_ms(void) {
    return field(call(client, "LEASE.GET box"), "remaining-ms")->integer;
}

static long long behind_ms(void) {
    return info_of(client, "holdfast_clock_behind_ms");
}

static void end(void) {
    munmap((void *)offset_us, NUMBERS * sizeof(*offset_us));
}

/* Some servers bind a module to the libraries before what is preloaded; then it reads the true clock. */
static void need_reach(void) {
    set_wall_clock(100);
    bool reached = behind_ms() > 50000;
    set_wall_clock(-100);
    if (reached) return;
    end();
    print_message("# skipped: on this server a preloaded clock does not reach the module\n");
    skip();
}

static void stage(const char *settings) {
    const char *others = getenv("HOLDFAST_PRELOAD");
    char *before = others ? pool_copy(others, strlen(others)) : NULL;
    char template[] = "/tmp/holdfast-XXXXXX";
    require(mkdtemp(template), "no folder");
    preload(template);
    server = server_start("wall", pool_print("holdfast.lease-min-seconds 0.05\n%s", settings));
    unlink(pool_print("%s/wall-clock", template));
    rmdir(template);
    if (before)
        setenv("HOLDFAST_PRELOAD", before, 1);
    else
        unsetenv("HOLDFAST_PRELOAD");
    client = test_client(server);
    expect_etag(call(client, "CONTAINER.CREATE box"));
    need_reach();
}

BEFORE_EACH {
    stage("");
}

TEST(a_step_of_the_wall_clock_takes_nothing_from_a_lease) {
    static const int steps_s[] = {45, -6, 3600, -3600};
    for (size_t i = 0; i < ARRAY_SIZE(steps_s); i++) {
        long long before_s = wall_s(), began_ms = stopwatch();
        redisReply *reply = call(client, "LEASE.ACQUIRE box 60");
        const char *id = lease_id(reply);
        int64_t was_us = *offset_us;
        set_wall_clock(steps_s[i]);
        require(llabs(wall_s() - before_s - steps_s[i]) <= 2, "the wall clock was not set");
        long long passed_ms = stopwatch() - began_ms, left_ms = remaining_ms();
        require(left_ms <= 60000 && left_ms >= 60000 - passed_ms * 201 / 200 - 50,
                "%lld ms after it was granted, and a step of %d s, a lease of 60 s has %lld ms left",
                passed_ms, steps_s[i], left_ms);
        expect_error(call(client, "LEASE.ACQUIRE box 60"), "CONFLICT LeaseAlreadyPresent");
        long long told_ms = behind_ms(), set_ms = (*offset_us - was_us) / 1000;
        require(llabs(told_ms - set_ms) < 100, "INFO tells of %lld ms, not %lld", told_ms, set_ms);
        require(!reply_is_error(call(client, "LEASE.RELEASE box %s", id)), "it is not its holder's any more");
        set_wall_clock(-steps_s[i]);
        require(llabs(behind_ms()) < 100, "INFO tells of %lld ms when all is as before", behind_ms());
    }
    end();
}

/* The server's own timers follow the wall clock: what is pending when it is set back would come so much later. */
TEST(a_waiter_is_served_in_time_whatever_the_wall_clock_does) {
    static const int steps_s[] = {-3600, 3600, -6, 45};
    for (size_t i = 0; i < ARRAY_SIZE(steps_s); i++) {
        require(!reply_is_error(call(client, "LEASE.ACQUIRE box 0.8")), "no lease");
        long long began_ms = stopwatch();
        struct client *waiter = waiting_at(server, 0, "LEASE.ACQUIRE box 60 BLOCK 0");
        set_wall_clock(steps_s[i]);
        redisReply *reply = answer_within(waiter, 3000);
        long long waited_ms = stopwatch() - began_ms;
        require(waited_ms >= 700, "after a step of %d s it is served after %lld ms", steps_s[i], waited_ms);
        require(!reply_is_error(call(client, "LEASE.RELEASE box %s", lease_id(reply))), "it was not granted");
    }
    end();
}

TEST(messages_end_in_time_whatever_the_wall_clock_does) {
    expect_ok(call(client, "QUEUE.CREATE jobs"));
    require(!reply_is_error(call(client, "QUEUE.PUT jobs x TTL 1")), "no message");
    set_wall_clock(-3600);
    await_info(client, "holdfast_upkeep_keys", 0);
    assert_int_equal(info_of(client, "holdfast_queue_expiries"), 1);
    end();
}

/* What HOLDFAST.DOCTOR says of the clock; an empty text for nothing. */
static const char *told_of_clock(void) {
    redisReply *findings = call(client, "HOLDFAST.DOCTOR");
    for (size_t i = 0; i < findings->elements; i++)
        if (!strcmp(field(findings->element[i], "subject")->str, "clock"))
            return field(findings->element[i], "finding")->str;
    return "";
}

TEST(a_clock_that_was_set_is_told) {
    assert_string_equal(told_of_clock(), "");
    set_wall_clock(-6);
    require(strstr(told_of_clock(), "the wall clock went back and is "), "%s", told_of_clock());
    set_wall_clock(12);
    require(strstr(told_of_clock(), "the wall clock was set forward and is "), "%s", told_of_clock());
    set_wall_clock(-5.5);
    assert_string_equal(told_of_clock(), "");
    end();
}

/* On a busy machine a server may have to wait between two readings; this is no step of the wall clock. */
TEST(a_pause_while_clocks_are_read_is_no_step) {
    for (int64_t pause = 40000; pause < 40004; pause++) {
        behind_ms(); /* so that the next one reads, and nobody before it */
        *pause_us = pause;
        long long told_ms = behind_ms();
        require(llabs(told_ms) < 20, "INFO tells of %lld ms", told_ms);
    }
    end();
}

/* First the key is read to see whether a waiter can be served, and then to grant what it waits for. When the key has
 * expired in between, by every other reading of the clock, the waiter goes on waiting until there is a value again. */
TEST(a_key_that_expires_while_its_waiter_is_served_leaves_it_waiting) {
    stage("enable-debug-command yes");
    expect_ok(call(client, "DEBUG SET-ACTIVE-EXPIRE 0"));
    for (int attempt = 0; attempt < 20; attempt++) {
        assert_int_equal(call(client, "PEXPIRE box 100000")->integer, 1);
        lease_id(call(client, "LEASE.ACQUIRE box 0.05"));
        struct client *waiter = waiting_at(server, 0, "LEASE.ACQUIRE box 60 BLOCK 0");
        *leap_us = (int64_t)200 * SECOND_US;
        usleep(80000);
        *leap_us = 0;
        call(client, "CONTAINER.CREATE box");
        redisReply *reply = answer_within(waiter, 2000);
        require(!reply_is_error(reply), "at attempt %d: %s", attempt, reply->str);
        expect_ok(call(client, "LEASE.RELEASE box %s", lease_id(reply)));
    }
    end();
}

/* Time that passes between the two looks at a queue ends what the first one has seen: with each attempt a little more
 * of it. Where time stops during a command, nothing passes. */
TEST(a_message_that_expires_while_its_waiter_is_served_leaves_it_waiting) {
    for (int64_t ms = 10; ms < 300; ms += 10) {
        expect_ok(call(client, "QUEUE.CREATE jobs%lld", (long long)ms));
        const char *queue = pool_print("jobs%lld", (long long)ms);
        struct client *waiter = waiting_at(server, 0, pool_print("QUEUE.GET %s BLOCK 0", queue));
        require(!reply_is_error(call(client, "QUEUE.PUT %s late VISIBILITY 3", queue)), "no message");
        *stride_us = ms * 1000;
        require(!reply_is_error(call(client, "QUEUE.PUT %s soon TTL 1", queue)), "no message");
        *stride_us = 0;
        redisReply *reply = answer_within(waiter, 5000);
        require(reply->elements == 1, "with %lld ms at each reading: %s", (long long)ms, reply_text(reply));
    }
    end();
}
