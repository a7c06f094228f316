/* What an operator may set, where, and what the module makes of nonsense. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pool.h"
#include "text.h"
#include "world.h"

static void expect_setting(struct client *client, const char *name, const char *value) {
    redisReply *reply = expect_elements(call(client, "CONFIG GET %s", name), 2);
    expect_text(reply->element[1], value);
}

SCENE(settings_are_seen_and_changed) {
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

SCENE(nonsense_is_refused) {
    static const char *const nonsense[] = {
        "CONFIG SET holdfast.max-blob-bytes -1",
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
        "CONFIG SET holdfast.queue-max-message-bytes 67108865",
        NULL,
    };
    expect_each_error(primary, nonsense, "ERR");
    expect_setting(primary, "holdfast.accept-effects", "no");
}

SCENE(arguments_of_loadmodule_are_settings) {
    struct server *server = server_for_test(server_launch_with("arguments", "",
                                                               "max-blob-bytes 3 accept-effects yes "
                                                               "queue-receipt-mismatch MISMATCH"));
    server_await(server);
    struct client *client = visitor(server);
    expect_setting(client, "holdfast.max-blob-bytes", "3");
    expect_setting(client, "holdfast.accept-effects", "yes");
    expect_setting(client, "holdfast.queue-receipt-mismatch", "mismatch");
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_error(call(client, "BLOB.PUT box cat four"), "INVALID RequestBodyTooLarge");
    server_stop(server);
}

/* A typing error must not become a default. */
SCENE(bad_arguments_of_loadmodule_stop_the_start) {
    static const char *const bad[] = {"nonsense 1", "max-blob-bytes", "max-blob-bytes x",
                                      "accept-effects maybe", "queue-receipt-mismatch maybe"};
    for (size_t index = 0; index < sizeof bad / sizeof *bad; index++) {
        struct server *server = server_for_test(server_launch_with("arguments", "", bad[index]));
        for (int attempt = 0; attempt < 10000 && server_runs(server); attempt++) usleep(1000);
        require(!server_runs(server), "the server starts with %s", bad[index]);
        const char *word = pool_copy(bad[index], strcspn(bad[index], " "));
        require(strstr(server_log(server), word), "the log does not tell of %s:\n%s", word,
                server_log(server));
    }
}

SCENE(settings_survive_in_the_configuration_file) {
    struct server *server = server_start("rewritten", "");
    struct client *client = visitor(server);
    expect_ok(call(client, "CONFIG SET holdfast.max-blob-bytes 77"));
    expect_ok(call(client, "CONFIG REWRITE"));
    FILE *file = fopen(pool_print("%s/redis.conf", server->folder), "r");
    char text[8192];
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    assert_non_null(strstr(text, "holdfast.max-blob-bytes 77"));
    server_stop(server);
}

SCENE(the_clock_moves_forward_and_never_back) {
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

SCENE(a_module_with_types_stays) {
    create("box");
    expect_error(call(primary, "MODULE UNLOAD holdfast"), "ERR");
    expect_number(field(call(primary, "CONTAINER.GET box"), "blobs"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PLAY(settings_are_seen_and_changed),
        PLAY(nonsense_is_refused),
        PLAY(arguments_of_loadmodule_are_settings),
        PLAY(bad_arguments_of_loadmodule_stop_the_start),
        PLAY(settings_survive_in_the_configuration_file),
        PLAY(the_clock_moves_forward_and_never_back),
        PLAY(a_module_with_types_stays),
    };
    return world_run("settings", tests);
}
