/* What an operator may set, where, and what the module makes of nonsense. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "harness.h"
#include "pool.h"
#include "single_server.h"
#include "text.h"

static void expect_setting(struct client *client, const char *name, const char *value) {
    redisReply *reply = expect_elements(call(client, "CONFIG GET %s", name), 2);
    expect_text(reply->element[1], value);
}

TEST(settings_are_seen_and_changed) {
    expect_setting(primary, "holdfast.clock-offset-ms", "0");
    expect_setting(primary, "holdfast.accept-effects", "no");
    configure(primary, "holdfast.max-blob-bytes", "1234");
    expect_setting(primary, "holdfast.max-blob-bytes", "1234");
    expect_setting(replica, "holdfast.max-blob-bytes", "64");
    expect_setting(primary, "holdfast.queue-max-message-bytes", "65536");
    expect_setting(primary, "holdfast.queue-max-count", "32");
    expect_setting(primary, "holdfast.max-reply-bytes", "67108864");
    expect_setting(primary, "holdfast.queue-receipt-mismatch", "notfound");
    configure(primary, "holdfast.queue-receipt-mismatch", "mismatch");
    expect_setting(primary, "holdfast.queue-receipt-mismatch", "mismatch");
    expect_setting(primary, "holdfast.max-block-bytes", "4194304000");
    expect_setting(primary, "holdfast.max-append-bytes", "104857600");
    configure(primary, "holdfast.max-block-bytes", "3");
    configure(primary, "holdfast.max-append-bytes", "4");
    expect_setting(primary, "holdfast.max-block-bytes", "3");
    expect_setting(primary, "holdfast.max-append-bytes", "4");
}

TEST(malformed_settings_are_refused) {
    static const char *const nonsense[] = {
        "CONFIG SET holdfast.max-blob-bytes -1",
        "CONFIG SET holdfast.max-blob-bytes 0",
        "CONFIG SET holdfast.max-blob-bytes 1xb",
        "CONFIG SET holdfast.max-blob-bytes mb",
        "CONFIG SET holdfast.max-blob-bytes 18446744073709551615",
        "CONFIG SET holdfast.max-reply-bytes 1kbb",
        "CONFIG SET holdfast.max-blob-bytes x",
        "CONFIG SET holdfast.max-blob-bytes 99999999999999999999",
        "CONFIG SET holdfast.max-reply-bytes 1023",
        "CONFIG SET holdfast.max-block-bytes 0",
        "CONFIG SET holdfast.max-block-bytes x",
        "CONFIG SET holdfast.max-append-bytes 0",
        "CONFIG SET holdfast.max-append-bytes 1x",
        "CONFIG SET holdfast.clock-offset-ms x",
        "CONFIG SET holdfast.clock-offset-ms 9223372036854775807",
        "CONFIG SET holdfast.clock-offset-ms -9223372036854775808",
        "CONFIG SET holdfast.accept-effects maybe",
        "CONFIG SET holdfast.nonsense 1",
        "CONFIG SET holdfast.queue-receipt-mismatch maybe",
        "CONFIG SET holdfast.queue-max-count 0",
        "CONFIG SET holdfast.queue-max-count 1001",
        "CONFIG SET holdfast.queue-max-count 1kb",
        "CONFIG SET holdfast.queue-max-message-bytes 0",
        "CONFIG SET holdfast.queue-max-message-bytes 67108865",
        "CONFIG SET holdfast.queue-max-message-bytes 65mb",
        NULL,
    };
    expect_each_error(primary, nonsense, "ERR");
    expect_setting(primary, "holdfast.accept-effects", "no");
}

/* As the server's own settings take them: kb is 1024 bytes, k is 1000. */
TEST(settings_in_seconds_tell_their_bounds) {
    redisReply *reply = call(primary, "CONFIG SET holdfast.grace-seconds 31536001");
    require(strstr(reply->str, "it takes seconds from 0 to 31536000, with at most three decimals"), "%s",
            reply->str);
    reply = call(primary, "CONFIG SET holdfast.copy-timeout-seconds 0");
    require(strstr(reply->str, "it takes seconds from 0.001 to 3600, with at most three decimals"), "%s",
            reply->str);
}

TEST(settings_of_bytes_take_units) {
    static const struct {
        const char *given, *kept;
    } units[] = {
        {"2000", "2000"}, {"2000b", "2000"}, {"2k", "2000"},     {"2kb", "2048"},
        {"2KB", "2048"},  {"3m", "3000000"}, {"3mb", "3145728"}, {"3Mb", "3145728"},
    };
    static const char *const settings[] = {"max-blob-bytes", "max-block-bytes", "max-append-bytes",
                                           "queue-max-message-bytes", "max-reply-bytes"};
    for (size_t setting = 0; setting < ARRAY_SIZE(settings); setting++)
        for (size_t unit = 0; unit < ARRAY_SIZE(units); unit++) {
            configure(primary, pool_print("holdfast.%s", settings[setting]), units[unit].given);
            expect_setting(primary, pool_print("holdfast.%s", settings[setting]), units[unit].kept);
        }
    configure(primary, "holdfast.max-blob-bytes", "2gb");
    expect_setting(primary, "holdfast.max-blob-bytes", "2147483648");
    configure(primary, "holdfast.max-blob-bytes", "2G");
    expect_setting(primary, "holdfast.max-blob-bytes", "2000000000");
}

/* --- The two bounds of a lease's duration --- */

static const char crossed[] = "lease-min-seconds is greater than holdfast.lease-max-seconds";

static void expect_bounds(const char *min, const char *max) {
    expect_setting(primary, "holdfast.lease-min-seconds", min);
    expect_setting(primary, "holdfast.lease-max-seconds", max);
}

static void expect_crossed(const char *line) {
    redisReply *reply = call_line(primary, line);
    expect_error(reply, "ERR CONFIG SET failed");
    require(strstr(reply->str, crossed), "%s answers %s", line, reply->str);
}

TEST(the_shortest_lease_is_not_longer_than_the_longest) {
    expect_crossed("CONFIG SET holdfast.lease-min-seconds 61");
    expect_bounds("15", "60");
    expect_crossed("CONFIG SET holdfast.lease-max-seconds 14.999");
    expect_bounds("15", "60");
    expect_ok(call_line(primary, "CONFIG SET holdfast.lease-min-seconds 60"));
    expect_bounds("60", "60");
}

/* What counts is how both are in the end. */
TEST(both_bounds_of_leases_move_together) {
    expect_ok(call_line(primary, "CONFIG SET holdfast.lease-min-seconds 100 holdfast.lease-max-seconds 200"));
    expect_bounds("100", "200");
    expect_ok(call_line(primary, "CONFIG SET holdfast.lease-min-seconds 1 holdfast.lease-max-seconds 2"));
    expect_bounds("1", "2");
    expect_ok(call_line(primary, "CONFIG SET holdfast.lease-max-seconds 200 holdfast.lease-min-seconds 100"));
    expect_bounds("100", "200");
    expect_crossed("CONFIG SET holdfast.lease-max-seconds 1 holdfast.lease-min-seconds 2");
    expect_crossed("CONFIG SET holdfast.lease-min-seconds 2000 holdfast.lease-max-seconds 1000");
    expect_bounds("100", "200");
}

/* --- Changes --- */

static void expect_said(struct client *client, const char *said) {
    expect_text(call(client, "SETTINGS.CHANGED"), said);
}

/* Each kind of setting, by a module that has one of each; see modules/settings.c. */
TEST(who_wants_to_know_is_told_when_all_of_a_change_is_set) {
    struct server *server = server_start(
        "changes", pool_print("loadmodule %s\nsettings.number 7\n", test_library("settings.so")));
    struct client *client = test_client(server);
    expect_said(client, "");
    configure(client, "settings.number", "8");
    expect_said(client, "number(8 1 0 1000 one ) ");
    configure(client, "settings.bytes", "2k");
    expect_said(client, "bytes(8 2000 0 1000 one ) ");
    configure(client, "settings.toggle", "yes");
    expect_said(client, "toggle(8 2000 1 1000 one ) ");
    configure(client, "settings.duration", "2.5");
    expect_said(client, "duration(8 2000 1 2500 one ) ");
    configure(client, "settings.choice", "two");
    expect_said(client, "choice(8 2000 1 2500 two ) ");
    configure(client, "settings.text", "hello");
    expect_said(client, "text(8 2000 1 2500 two hello) ");
    expect_ok(call_line(client, "CONFIG SET settings.number 9 settings.text bye"));
    expect_said(client, "number(9 2000 1 2500 two bye) text(9 2000 1 2500 two bye) ");
    expect_error(call_line(client, "CONFIG SET settings.toggle no settings.duration x"), "ERR");
    /* Redis 8.6 also tells what it puts back. */
    const char *said = call(client, "SETTINGS.CHANGED")->str;
    require(!*said || !strcmp(said, "toggle(9 2000 1 2500 two bye) duration(9 2000 1 2500 two bye) "),
            "told %s", said);
}

/* --- Arguments --- */

TEST(arguments_of_loadmodule_are_settings) {
    struct server *server =
        server_for_test(server_launch_with("arguments", "",
                                           "max-blob-bytes 3 max-block-bytes 4kb accept-effects yes "
                                           "queue-receipt-mismatch MISMATCH "
                                           "lease-max-seconds 2592000 once-seconds 86400.125"));
    server_await(server);
    struct client *client = test_client(server);
    expect_setting(client, "holdfast.max-blob-bytes", "3");
    expect_setting(client, "holdfast.max-block-bytes", "4096");
    expect_setting(client, "holdfast.accept-effects", "yes");
    expect_setting(client, "holdfast.queue-receipt-mismatch", "mismatch");
    expect_setting(client, "holdfast.lease-max-seconds", "2592000");
    expect_setting(client, "holdfast.once-seconds", "86400.125");
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_error(call(client, "BLOB.PUT box cat four"), "INVALID RequestBodyTooLarge");
}

static void expect_no_start(const char *settings, const char *arguments, const char *reason) {
    struct server *server = server_for_test(server_launch_with("arguments", settings, arguments));
    AWAIT_OR(!server_runs(server), "the server starts with %s %s", arguments, settings);
    require(strstr(server_log(server), reason), "the log does not tell of %s:\n%s", reason,
            server_log(server));
}

/* A typing error must not become a default. */
TEST(bad_arguments_of_loadmodule_stop_the_start) {
    static const char *const bad[] = {
        "nonsense 1",         "max-blob-bytes",      "max-blob-bytes x",     "max-blob-bytes 0",
        "max-blob-bytes 1xb", "queue-max-count 1kb", "accept-effects maybe", "queue-receipt-mismatch maybe"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        expect_no_start("", bad[i], pool_copy(bad[i], strcspn(bad[i], " ")));
}

TEST(crossed_bounds_of_leases_stop_the_start) {
    expect_no_start("", "lease-min-seconds 61", crossed);
    expect_no_start("holdfast.lease-min-seconds 61\n", "", crossed);
    expect_no_start("holdfast.lease-max-seconds 5\n", "lease-min-seconds 6", crossed);
}

TEST(bounds_of_leases_may_come_from_two_places) {
    struct server *server = server_for_test(
        server_launch_with("arguments", "holdfast.lease-max-seconds 200\n", "lease-min-seconds 100"));
    server_await(server);
    struct client *client = test_client(server);
    expect_setting(client, "holdfast.lease-min-seconds", "100");
    expect_setting(client, "holdfast.lease-max-seconds", "200");
}

/* --- Loading --- */

TEST(a_second_load_says_why_it_fails) {
    struct server *server = server_start("twice", "enable-module-command yes\n");
    struct client *client = test_client(server);
    expect_error(call(client, "MODULE LOAD %s", getenv("HOLDFAST_MODULE")), "ERR Error loading the");
    require(strstr(server_log(server), "a module of this name is loaded already"), "the log says:\n%s",
            server_log(server));
}

/* A server without Holdfast, which has another module, with these arguments. */
static struct client *client_without_holdfast(const char *arguments, const char **holdfast) {
    char *path = realpath(getenv("HOLDFAST_MODULE"), NULL);
    pool_keep(path, free);
    *holdfast = path;
    setenv("HOLDFAST_MODULE", test_library("settings.so"), 1);
    struct server *server =
        server_for_test(server_launch_with("other", "enable-module-command yes\n", arguments));
    setenv("HOLDFAST_MODULE", path, 1);
    server_await(server);
    return test_client(server);
}

/* Another module has taken the name of one of its commands. */
TEST(a_load_that_fails_says_what_could_not_be_set_up) {
    const char *holdfast;
    struct client *client = client_without_holdfast("BLOB.PUT", &holdfast);
    struct server *server = client->server;
    expect_error(call(client, "MODULE LOAD %s", holdfast), "ERR Error loading the");
    static const char *const lines[] = {"the command BLOB.PUT could not be registered",
                                        "holdfast is not loaded: its commands cannot be set up"};
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        require(strstr(server_log(server), lines[i]), "the log does not say '%s':\n%s", lines[i],
                server_log(server));
    server_kill(server); /* what was set up before the failure stays in memory: no place to look for leaks */
}

static const char *categories_of_get(struct client *client) {
    redisReply *info = expect_elements(call(client, "COMMAND INFO BLOB.GET"), 1)->element[0];
    return reply_text(info->element[6]);
}

/* Some servers unload it, some cannot, and some end. */
TEST(a_load_after_a_wrong_setting_is_like_any_other) {
    const char *holdfast;
    struct client *client = client_without_holdfast("settings.said", &holdfast);
    send_call(client, "MODULE LOADEX %s CONFIG holdfast.nonsense 1", holdfast);
    send_now(client);
    char first;
    if (recv(client->context->fd, &first, 1, MSG_PEEK) != 1) {
        server_kill(client->server);
        print_message("# skipped: this server ends when a module with data types gets a wrong setting\n");
        skip();
    }
    expect_error(receive(client), "ERR Error loading the");
    if (!strstr(reply_text(call(client, "MODULE LIST")), "\"holdfast\""))
        expect_ok(call(client, "MODULE LOAD %s", holdfast));
    assert_string_equal(categories_of_get(client), categories_of_get(primary));
}

TEST(settings_survive_in_the_configuration_file) {
    struct server *server = server_start("rewritten", "");
    struct client *client = test_client(server);
    expect_ok(call(client, "CONFIG SET holdfast.max-blob-bytes 77"));
    expect_ok(call(client, "CONFIG REWRITE"));
    FILE *file = fopen(pool_print("%s/redis.conf", server->folder), "r");
    char text[8192];
    size_t length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    assert_non_null(strstr(text, "holdfast.max-blob-bytes 77"));
}

TEST(the_clock_moves_forward_and_never_back) {
    create("box");
    put("box", "cat", "now");
    long long now = instant_of("box", "cat");
    expect_ok(call(primary, "CONFIG SET holdfast.clock-offset-ms 3600000"));
    put("box", "cat", "an hour later");
    long long later = instant_of("box", "cat");
    assert_true(later >= now + 3600000);
    expect_ok(call(primary, "CONFIG SET holdfast.clock-offset-ms 0"));
    put("box", "cat", "not earlier");
    assert_true(instant_of("box", "cat") >= later);
    expect_error(call(primary, "BLOB.GET box cat IFUNMODIFIEDSINCE %lld", now),
                 "PRECONDITION ConditionNotMet");
}

TEST(a_module_with_types_stays) {
    create("box");
    expect_error(call(primary, "MODULE UNLOAD holdfast"), "ERR");
    expect_number(field(call(primary, "CONTAINER.GET box"), "blobs"), 0);
}
