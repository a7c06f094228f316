/* Leases beyond the server that granted them: replicas, files, dumps, promoted servers. And fencing tokens,
 * which grow with each new holder whatever happens. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "files.h"
#include "harness.h"
#include "hostile.h"
#include "lease_states.h"
#include "payload.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "stream.h"
#include "text.h"
#include "waiting.h"

static void require_greater(const char *token, const char *before) {
    require(strcmp(token, before) > 0, "%s is not greater than %s", token, before);
}

/* Every state there is, on blobs of one container, and one of its own. */
static void every_state(struct client *client) {
    static const char *const lines[] = {
        "CONTAINER.CREATE box META 1 a b",
        "BLOB.PUT box available x",
        "BLOB.PUT box infinite x META 1 a b",
        "BLOB.PUT box finite x PROPS 1 content-type text/plain",
        "BLOB.PUT box breaking x",
        "BLOB.PUT box broken x",
        "BLOB.PUT box released x",
        "BLOB.PUT box brief x",
        "LEASE.ACQUIRE box 60 ID " ID_A " OWNER container",
        "LEASE.ACQUIRE box -1 BLOB infinite ID " ID_A " OWNER worker-7",
        "LEASE.ACQUIRE box 60 BLOB finite ID " ID_A,
        "LEASE.ACQUIRE box 60 BLOB breaking ID " ID_A " OWNER b",
        "LEASE.BREAK box PERIOD 30 BLOB breaking",
        "LEASE.ACQUIRE box 60 BLOB broken ID " ID_A,
        "LEASE.BREAK box PERIOD 0 BLOB broken",
        "LEASE.ACQUIRE box 60 BLOB released ID " ID_A,
        "LEASE.RELEASE box " ID_A " BLOB released",
        "LEASE.ACQUIRE box 15 BLOB brief ID " ID_A " OWNER gone",
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        redisReply *reply = call_line(client, lines[i]);
        require(!reply_is_error(reply), "%s gave %s", lines[i], reply_text(reply));
    }
}

static const char *const names[] = {"available", "infinite", "finite", "breaking",
                                    "broken",    "released", "brief"};

enum { NAMES = ARRAY_SIZE(names) };

/* What the owner of A is answered, lease by lease. */
static void expect_every_state(struct client *client, bool brief_has_ended) {
    static const char *const states[] = {"available", "leased", "leased", "breaking", "broken", "available"};
    for (int i = 0; i < NAMES - 1; i++) {
        redisReply *lease = call(client, "LEASE.GET box BLOB %s", names[i]);
        expect_text(field(lease, "state"), states[i]);
    }
    redisReply *brief = call(client, "LEASE.GET box BLOB brief");
    expect_text(field(brief, "state"), brief_has_ended ? "expired" : "leased");
    expect_text(field(call(client, "LEASE.GET box BLOB infinite"), "owner"), "worker-7");
    expect_text(field(call(client, "LEASE.GET box"), "owner"), "container");
    expect_error(call(client, "BLOB.GET box released LEASE %s", ID_A), "PRECONDITION LeaseLost");
    expect_error(call(client, "BLOB.GET box broken LEASE %s", ID_A), "PRECONDITION LeaseLost");
    expect_error(call(client, "BLOB.GET box available LEASE %s", ID_A),
                 "PRECONDITION LeaseNotPresentWithBlobOperation");
    expect_etag(call(client, "BLOB.GET box finite LEASE %s", ID_A));
}

TEST(effects_of_leases_travel) {
    static const struct {
        struct act act;
        const char *stream;
    } steps[] = {
        {{"LEASE.ACQUIRE box 60 BLOB cat ID A", NULL}, "HOLDFAST.APPLY box"},
        {{"LEASE.ACQUIRE box 60 BLOB cat ID B", "CONFLICT LeaseAlreadyPresent"}, ""},
        {{"LEASE.RENEW box A BLOB cat", NULL}, "HOLDFAST.APPLY box"},
        {{"LEASE.CHANGE box A B BLOB cat", NULL}, "HOLDFAST.APPLY box"},
        {{"LEASE.BREAK box PERIOD 3 BLOB cat", "3"}, "HOLDFAST.APPLY box"},
        {{"LEASE.GET box BLOB cat", NULL}, ""},
        {{"LEASE.LIST box", NULL}, ""},
        {{"LEASE.RELEASE box B BLOB cat", "OK"}, "HOLDFAST.APPLY box"},
        {{"LEASE.RELEASE box B BLOB cat", LEASE_MISMATCH}, ""},
        {{"BLOB.GET box none BLOCK 0.001", "null"}, ""},
    };
    lease_setup();
    struct stream *stream = stream_attach(primary->server);
    for (size_t step = 0; step < ARRAY_SIZE(steps); step++) {
        act_by(primary, steps[step].act.line, steps[step].act.answer);
        stream_expect(stream, primary, steps[step].stream);
    }
    acquire("box", "60", "BLOB cat ID " ID_A);
    struct client *waiter = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    stream_expect(stream, primary, "HOLDFAST.APPLY box");
    expect_ok(lease_play("LEASE.RELEASE box A", &on_blob));
    lease_id(answer_of(waiter));
    redisReply *effects = stream_commands(stream, primary);
    int applied = 0;
    for (size_t i = 0; i < effects->elements; i++)
        applied += !strcmp(stream_line(effects->element[i]), "HOLDFAST.APPLY box");
    assert_int_equal(applied, 2);
}

TEST(replicas_show_every_lease) {
    time_passes(0);
    every_state(primary);
    await_replicas();
    expect_every_state(primary, false);
    expect_every_state(replica, false);
    expect_every_state(chained, false);
    time_passes(15000);
    expect_every_state(primary, true);
    expect_every_state(replica, true);
    /* A replica decides nothing, not even that time is up. */
    put("box", "brief", "y");
    await_replicas();
    expect_text(field(call(replica, "LEASE.GET box BLOB brief"), "state"), "available");
}

TEST(dumps_bring_leases_along) {
    time_passes(0);
    every_state(primary);
    redisReply *dump = call(primary, "DUMP box");
    const char *digest = value_digest(primary, "box");
    expect_number(call(primary, "DEL box"), 1);
    time_passes(15000);
    expect_ok(call(primary, "RESTORE box 0 %b", dump->str, dump->len));
    assert_string_equal(value_digest(primary, "box"), digest);
    expect_every_state(primary, true);
    lease_token(call(primary, "LEASE.RENEW box %s BLOB brief", ID_A));
    assert_int_equal(info_of(primary, "holdfast_leases"), 6);
}

/* COPY is a new container, which nobody holds. */
TEST(a_copy_has_no_leases) {
    time_passes(0);
    every_state(primary);
    expect_number(call(primary, "COPY box twin"), 1);
    for (int i = 0; i < NAMES; i++) {
        redisReply *lease = call(primary, "LEASE.GET twin BLOB %s", names[i]);
        expect_text(field(lease, "state"), "available");
        expect_error(call(primary, "BLOB.GET twin %s LEASE %s", names[i], ID_A),
                     "PRECONDITION LeaseNotPresentWithBlobOperation");
        expect_etag(call(primary, "BLOB.PUT twin %s x", names[i]));
    }
    expect_elements(call(primary, "LEASE.LIST twin")->element[1], 0);
    expect_every_state(primary, false);
    expect_ok(call(primary, "CONTAINER.DELETE twin"));
}

/* For the next start. */
/* Ends a server in a way, lets time pass meanwhile, and starts it again. */
static void survive(const char *settings, void (*end)(struct server *server), bool saves, bool rewrites) {
    struct server *server = server_start("single", settings);
    struct client *client = test_client(server);
    every_state(client);
    const char *before = reply_string(field(call(client, "LEASE.GET box BLOB brief"), "token"));
    if (saves) expect_ok(call(client, "SAVE"));
    if (rewrites) rewrite_append_only_file(client, false);
    const char *digest = digest_of(client);
    client = restarted(server, end);
    assert_string_equal(digest_of(client), digest);
    expect_every_state(client, false);
    /* It ends while the server is down. */
    end(server);
    server_set(server, pool_print("%sholdfast.clock-offset-ms 20000\n", settings));
    server_restart(server);
    client = test_client(server);
    assert_string_equal(digest_of(client), digest);
    expect_every_state(client, true);
    redisReply *reply = call(client, "LEASE.ACQUIRE box 60 BLOB brief ID %s", ID_B);
    require_greater(lease_token(reply), before);
    lease_token(call(client, "LEASE.RENEW box %s BLOB finite", ID_A));
}

TEST(leases_survive_a_power_cut) {
    survive(settings_with_file, server_kill, false, false);
}

TEST(leases_survive_a_rewritten_file) {
    survive(settings_with_file, server_kill, false, true);
}

TEST(leases_survive_in_a_saved_file) {
    survive("", server_kill, true, false);
}

/* Somebody is answered that he holds the lease, and in the next moment the power fails. */
static void survive_a_handover(const char *how) {
    struct server *server = server_start("single", "appendonly yes\nappendfsync always\n");
    struct client *client = test_client(server);
    expect_ok(call(client, "CONFIG SET holdfast.lease-min-seconds 0.05"));
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_etag(call(client, "BLOB.PUT box cat x"));
    lease_id(call(client, "LEASE.ACQUIRE box 0.2 BLOB cat ID %s OWNER first", ID_A));
    struct client *waiter =
        waiting_at(server, 0, "LEASE.ACQUIRE box 60 BLOB cat OWNER second ID " ID_B " BLOCK 0");
    if (*how) call_line(client, how);
    const char *token = lease_token(answer_within(waiter, 5000));
    client = restarted(server, server_kill);
    redisReply *lease = call(client, "LEASE.GET box BLOB cat");
    expect_text(field(lease, "owner"), "second");
    expect_text(field(lease, "token"), token);
    expect_error(call(client, "BLOB.PUT box cat x"), "PRECONDITION LeaseIdMissing");
    expect_etag(call(client, "BLOB.PUT box cat x LEASE %s", ID_B));
}

TEST(a_lease_that_was_handed_over_survives_a_power_cut) {
    survive_a_handover("LEASE.RELEASE box " ID_A " BLOB cat");
    survive_a_handover("LEASE.BREAK box PERIOD 0 BLOB cat");
    survive_a_handover("");
}

TEST(tokens_grow_with_each_new_holder) {
    lease_setup();
    const char *token = acquire("box", "60", "BLOB cat ID " ID_A);
    static const char *const same[] = {"LEASE.RENEW box A", "LEASE.ACQUIRE box 30 ID A",
                                       "LEASE.CHANGE box A A", "LEASE.ACQUIRE box -1 ID A",
                                       "LEASE.RENEW box A"};
    for (size_t step = 0; step < ARRAY_SIZE(same); step++) {
        assert_string_equal(lease_token(lease_play(same[step], &on_blob)), token);
        expect_text(field(lease_of("box", &on_blob), "token"), token);
    }
    static const char *const new[][2] = {
        {"LEASE.CHANGE box A B", NULL},
        {"LEASE.RELEASE box B", "LEASE.ACQUIRE box 60 ID B"},
        {"LEASE.BREAK box PERIOD 0", "LEASE.ACQUIRE box 60 ID B"},
        {"60 s", "LEASE.ACQUIRE box 60 ID B"},
        {"60 s", "LEASE.ACQUIRE box 60 ID A"},
        {"LEASE.CHANGE box A C", NULL},
        {"BLOB.PUT box cat x LEASE C", "LEASE.CHANGE box C A"},
    };
    for (size_t step = 0; step < ARRAY_SIZE(new); step++) {
        redisReply *reply = NULL;
        for (int part = 0; part < 2 && new[step][part]; part++) reply = lease_play(new[step][part], &on_blob);
        require_greater(lease_token(reply), token);
        token = lease_token(reply);
    }
    /* A lease that ran out and is renewed was never anybody else's. */
    time_passes(60000);
    assert_string_equal(lease_token(lease_play("LEASE.RENEW box A", &on_blob)), token);
}

/* Tokens and ETags are drawn from one well. */
TEST(tokens_and_etags_grow_together) {
    lease_setup();
    const char *last = put("box", "cat", "x");
    for (int round = 0; round < 200; round++) {
        const char *token = acquire("box", "60", "BLOB cat ID " ID_A);
        require_greater(token, last);
        last = expect_etag(lease_play("BLOB.PUT box cat x LEASE A", &on_blob));
        require_greater(last, token);
        expect_ok(lease_play("LEASE.RELEASE box A", &on_blob));
    }
}

/* The new primary's clock is a day behind that of the old one. */
TEST(tokens_grow_across_a_promotion) {
    struct client *old = test_client(server_start("old", "holdfast.clock-offset-ms 86400000\n"));
    struct client *new = test_client(server_start("new", ""));
    follow(new, old);
    expect_etag(call(old, "CONTAINER.CREATE box"));
    expect_etag(call(old, "BLOB.PUT box cat x"));
    expect_etag(call(old, "BLOB.PUT box dog x"));
    lease_id(call(old, "LEASE.ACQUIRE box 60 BLOB cat ID %s", ID_A));
    await_in_step(new, old);
    expect_ok(call(new, "REPLICAOF NO ONE"));
    /* The old one grants on while nobody knows of it. */
    const char *token = NULL;
    for (int round = 0; round < 500; round++) {
        token = lease_token(call(old, "LEASE.ACQUIRE box 60 BLOB dog ID %s", ID_A));
        expect_ok(call(old, "LEASE.RELEASE box %s BLOB dog", ID_A));
    }
    redisReply *reply = call(new, "LEASE.ACQUIRE box 60 BLOB dog ID %s", ID_B);
    require_greater(lease_token(reply), token);
    /* The holder of a lease goes on with it, by its token. */
    expect_error(call(new, "BLOB.PUT box cat x"), "PRECONDITION LeaseIdMissing");
    expect_etag(call(new, "BLOB.PUT box cat x LEASE %s", ID_A));
    reply = call(new, "LEASE.CHANGE box %s %s BLOB cat", ID_A, ID_B);
    require_greater(lease_token(reply), token);
}

TEST(tokens_grow_across_a_restart_with_an_earlier_clock) {
    struct server *server =
        server_start("single", "appendonly yes\nappendfsync always\nholdfast.clock-offset-ms 86400000\n");
    struct client *client = test_client(server);
    expect_etag(call(client, "CONTAINER.CREATE box"));
    const char *token = lease_token(call(client, "LEASE.ACQUIRE box -1 ID %s", ID_A));
    server_kill(server);
    server_set(server, "appendonly yes\nappendfsync always\n");
    server_restart(server);
    client = test_client(server);
    expect_text(field(call(client, "LEASE.GET box"), "token"), token);
    expect_ok(call(client, "LEASE.RELEASE box %s", ID_A));
    require_greater(lease_token(call(client, "LEASE.ACQUIRE box -1")), token);
}

/* --- Doctored records ------------------------------------------------------------------------------------- */

/* Reads all of its leases in every way, and works with them. */
static void require_whole_leases(const char *key) {
    static const char *const lines[] = {"LEASE.GET box",
                                        "LEASE.GET box BLOB cat",
                                        "LEASE.LIST box",
                                        "BLOB.STAT box cat",
                                        "LEASE.ACQUIRE box 60 BLOB cat ID " ID_C,
                                        "LEASE.RENEW box " ID_A " BLOB cat",
                                        "LEASE.BREAK box PERIOD 0 BLOB cat",
                                        "LEASE.BREAK box PERIOD 1",
                                        "LEASE.ACQUIRE box 60 ID " ID_C,
                                        "BLOB.PUT box cat y"};
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) call_line(primary, lines[i]);
    require_whole(key);
}

TEST(doctored_effects_of_leases) {
    static const char *const lines[] = {"LEASE.ACQUIRE box 60 ID A OWNER worker-7",
                                        "LEASE.ACQUIRE box -1 ID A",
                                        "LEASE.CHANGE box A B",
                                        "LEASE.BREAK box PERIOD 5",
                                        "LEASE.RELEASE box B",
                                        "LEASE.ACQUIRE box 60 ID A OWNER worker-7 BLOB cat",
                                        "LEASE.ACQUIRE box -1 ID A BLOB cat",
                                        "LEASE.CHANGE box A B BLOB cat",
                                        "LEASE.BREAK box PERIOD 5 BLOB cat",
                                        "LEASE.RELEASE box B BLOB cat",
                                        NULL};
    lease_setup();
    hostile_doctor_effects("box", lines, require_whole_leases);
}

static void add_number(struct text *text, unsigned long long number) {
    for (; number >= 0x80; number >>= 7) text_add(text, (char[]){(char)(number | 0x80)}, 1);
    text_add(text, (char[]){(char)number}, 1);
}

/* The head of an effect up to the token, and behind it instants of all sizes. */
static struct text extreme_effect(const redisReply *effect, int number) {
    enum { KIND_AT = 4, TOKEN_END = 4 + 1 + 16 + 8 };
    static const unsigned long long sizes[] = {0, 1, 1763500000000, INT64_MAX};
    struct text record = {0};
    text_add(&record, effect->str, TOKEN_END);
    record.bytes[KIND_AT] = (char)(number % 4);
    for (int instant = 0; instant < 3; instant++) {
        number /= 4;
        add_number(&record, sizes[number % 4]);
    }
    add_number(&record, 0);
    return record;
}

/* Every step on a lease whose instants are as far away as can be written. */
TEST(effects_with_extreme_instants) {
    static const char *const steps[] = {
        "LEASE.GET box",        "LEASE.BREAK box",      "LEASE.BREAK box PERIOD 60",
        "LEASE.RENEW box A",    "LEASE.RELEASE box A",  "LEASE.ACQUIRE box 60",
        "LEASE.CHANGE box A B", "CONTAINER.DELETE box", "CONTAINER.GET box"};
    lease_setup();
    struct stream *stream = stream_attach(primary->server);
    acquire("box", "60", "ID " ID_A);
    const redisReply *effect = stream_commands(stream, primary)->element[0]->element[2];
    expect_misfits();
    configure(primary, "holdfast.accept-effects", "yes");
    int accepted = 0;
    for (int number = 0; number < 4 * 4 * 4 * 4; number++) {
        struct text record = extreme_effect(effect, number);
        for (size_t step = 0; step < ARRAY_SIZE(steps); step++) {
            call(primary, "DEL box");
            create("box");
            accepted += !reply_is_error(call(primary, "HOLDFAST.APPLY box %b", record.bytes, record.length));
            lease_play(steps[step], &on_container);
        }
    }
    assert_true(accepted > 0);
}

/* What no server ever says, though each part of it can be read. */
TEST(doctored_dumps_of_leases) {
    random_begin();
    struct tally tally = {0};
    time_passes(0);
    every_state(primary);
    redisReply *dump = call(primary, "DUMP box");
    for (size_t place = 1; place < dump->len - PAYLOAD_FOOTER; place++) {
        char *payload = pool_copy(dump->str, dump->len);
        payload[place] = (char)random_below(256);
        hostile_restore(payload, dump->len, &tally);
        payload = pool_copy(dump->str, dump->len);
        payload[place] = (char)(payload[place] ^ (1 << random_below(8)));
        hostile_restore(payload, dump->len, &tally);
    }
    print_message("# %d refused, %d accepted\n", tally.refused, tally.accepted);
    assert_true(tally.refused > 0);
}
