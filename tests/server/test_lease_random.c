/* Four clients and two blobs: long random sequences of lease operations, reads and writes, waits and moves of
 * the clock, against a model that is as naive as can be. Every answer is foretold, and so is who is served
 * when, and what everybody is told then.
 *
 * The model's clock goes in minutes and the server's runs on in between, but the few seconds that a test takes
 * do not make a minute. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "harness.h"
#include "lease_model.h"
#include "leases.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"
#include "waiting.h"

enum { CLIENTS = 4, BLOBS = 2, IDS = 5, STEPS = 8000, STEPS_BETWEEN_LOOKS = 1000, MINUTE_MS = 60000 };

/* The model's numbers of ids; the last one is that which the server drew. */
enum { NO_ID, DRAWN = IDS };

/* The model's token of a new holder, until the server has told it. */
enum { NEW_HOLDER = 1 };

static const char *const id_texts[IDS] = {NULL, ID_A, ID_B, ID_C, "dddddddd-0000-4000-8000-00000000000d"};
static const char *const blob_names[BLOBS] = {"cat", "dog"};

struct model_blob {
    bool exists;
    char etag[20];
    struct lease_model lease;
    char drawn[40]; /* the id's text, when the server drew it */
    int content;
    int line[CLIENTS];
    int waiting;
};

struct model_client {
    struct client *client;
    long long number;
    bool waits;
    int blob;
    struct lease_call wanted; /* what he waits for */
    char match[20];
};

static struct model_blob blobs[BLOBS];
static struct model_client clients[CLIENTS];
static int64_t now_ms;

/* The greatest version of all, and the greatest before the step: lines that are served in the same
 * moment may be served in any order. */
static char greatest_version[20], version_before[20];

/* Whether a sequence was worth playing. */
static struct { int waits, handoffs, refusals, departures; } seen;

/* --- What the model says ---------------------------------------------------------------------------------- */

static const char *id_text(const struct model_blob *blob, int id) {
    return id == DRAWN ? blob->drawn : id_texts[id];
}

static const char *missing(const struct model_blob *blob) {
    return blob->exists ? NULL : "NOTFOUND BlobNotFound";
}

static const char *unmet(const struct model_blob *blob, const char *match) {
    if (!blob->exists) return missing(blob);
    return *match && strcmp(match, blob->etag) != 0 ? "PRECONDITION ConditionNotMet" : NULL;
}

static const char *refusal_now(const struct model_blob *blob, struct lease_call *call) {
    call->now_ms = now_ms;
    return blob->exists ? lease_model_refusal(&blob->lease, call) : missing(blob);
}

static struct lease_call call_of(enum lease_verb verb, int id, int proposed) {
    return (struct lease_call){
        .verb = verb, .id = id, .proposed = proposed, .drawn = DRAWN, .token = NEW_HOLDER};
}

/* --- What the server answers ------------------------------------------------------------------------------- */

static void note_version(char *place, const char *version) {
    require(strcmp(version, version_before) > 0, "%s is not greater than %s", version, version_before);
    require(strcmp(version, place) > 0, "%s is not greater than %s", version, place);
    if (strcmp(version, greatest_version) > 0)
        memcpy(greatest_version, version, sizeof(greatest_version) - 1);
    memcpy(place, version, sizeof(greatest_version) - 1);
}

/* The answer to a call: the refusal that the model knows, or what the lease becomes. A new holder has a token that is
 * greater than all before; the token of one who stays does not change. */
static bool settle(struct model_blob *blob, struct lease_call *call, const redisReply *reply) {
    struct lease_model *lease = &blob->lease;
    uint64_t before = lease->token;
    call->now_ms = now_ms;
    const char *refusal = blob->exists ? lease_model_call(lease, call) : missing(blob);
    if (refusal) expect_error(reply, refusal);
    if (refusal || call->verb > VERB_CHANGE) return !refusal;
    const char *token = lease_token(reply);
    if (lease->token == NEW_HOLDER) {
        char place[20];
        snprintf(place, sizeof(place), "0x%016llX", (unsigned long long)before);
        note_version(place, token);
        lease->token = strtoull(token, NULL, 16);
    }
    require(lease->token == strtoull(token, NULL, 16), "the token is %s", token);
    if (lease->id == DRAWN && call->verb == VERB_ACQUIRE) memcpy(blob->drawn, lease_id(reply), 37);
    assert_string_equal(lease_id(reply), id_text(blob, lease->id));
    return true;
}

static void leave_line(int client) {
    struct model_blob *blob = &blobs[clients[client].blob];
    int place = 0;
    while (blob->line[place] != client) place++;
    blob->waiting--;
    for (; place < blob->waiting; place++) blob->line[place] = blob->line[place + 1];
    clients[client].waits = false;
}

/* Those in line whose turn has come must have been answered; all others must not. */
static void expect_line_served(struct model_blob *blob) {
    while (blob->waiting) {
        struct model_client *first = &clients[blob->line[0]];
        const char *refusal = unmet(blob, first->match);
        if (!refusal && refusal_now(blob, &first->wanted)) break;
        redisReply *reply = answer_within(first->client, 2000);
        leave_line(blob->line[0]);
        if (refusal) {
            seen.refusals++;
            expect_error(reply, refusal);
        } else {
            seen.handoffs++;
            settle(blob, &first->wanted, reply);
        }
    }
    for (int place = 0; place < blob->waiting; place++)
        expect_still_waiting(clients[blob->line[place]].client);
}

/* --- Steps ------------------------------------------------------------------------------------------------- */

static struct words lease_command(const char *command, const char *rest, const struct model_blob *blob) {
    return words_of_line(pool_print("LEASE.%s box %s BLOB %s", command, rest, blob_names[blob - blobs]));
}

static int any_id(const struct model_blob *blob) {
    int id = random_below(IDS + 1);
    int held = blob->lease.id;
    return random_below(2) && held ? held : id == DRAWN && held != DRAWN ? NO_ID : id;
}

/* An id that must be there. */
static int some_id(const struct model_blob *blob) {
    int id = any_id(blob);
    return id ? id : 1;
}

static void begin_to_wait(int client, struct model_blob *blob, struct words *words) {
    seen.waits++;
    words_add_line(words, "BLOCK 0");
    send_line(clients[client].client, words_text(words));
    blob->line[blob->waiting++] = client;
    clients[client].waits = true;
    clients[client].blob = (int)(blob - blobs);
    long long waiting = 0;
    for (int i = 0; i < BLOBS; i++) waiting += blobs[i].waiting;
    await_waiters(primary, waiting);
}

static void play_acquire(int client, struct model_blob *blob) {
    struct model_client *this = &clients[client];
    int proposed = random_below(3) ? 1 + random_below(IDS - 1) : NO_ID;
    this->wanted = call_of(VERB_ACQUIRE, NO_ID, proposed);
    this->wanted.duration_ms = random_below(5) ? (1 + random_below(3)) * MINUTE_MS : MODEL_INFINITE;
    this->match[0] = '\0';
    if (!random_below(5))
        memcpy(this->match, random_below(3) ? blob->etag : "0x0000000000000001", sizeof(this->match));
    bool endless = this->wanted.duration_ms == MODEL_INFINITE;
    const char *duration = endless ? "-1" : pool_print("%d", (int)(this->wanted.duration_ms / 1000));
    struct words words = lease_command("ACQUIRE", duration, blob);
    if (proposed) words_add_line(&words, pool_print("ID %s", id_texts[proposed]));
    if (*this->match) words_add_line(&words, pool_print("IFMATCH %s", this->match));
    const char *refusal = unmet(blob, this->match);
    if (!refusal && refusal_now(blob, &this->wanted) && random_below(2)) {
        begin_to_wait(client, blob, &words);
        return;
    }
    redisReply *reply = call_words(this->client, &words);
    if (refusal)
        expect_error(reply, refusal);
    else
        settle(blob, &this->wanted, reply);
}

static void play_verb(int client, struct model_blob *blob, const char *verb, const char *rest,
                      struct lease_call call) {
    struct words words = lease_command(verb, rest, blob);
    redisReply *reply = call_words(clients[client].client, &words);
    if (settle(blob, &call, reply) && call.verb == VERB_RELEASE) expect_ok(reply);
}

static void play_renew(int client, struct model_blob *blob) {
    int id = some_id(blob);
    play_verb(client, blob, "RENEW", id_text(blob, id), call_of(VERB_RENEW, id, NO_ID));
}

static void play_change(int client, struct model_blob *blob) {
    int id = some_id(blob), next = 1 + random_below(IDS - 1);
    play_verb(client, blob, "CHANGE", pool_print("%s %s", id_text(blob, id), id_texts[next]),
              call_of(VERB_CHANGE, id, next));
}

static void play_release(int client, struct model_blob *blob) {
    int id = some_id(blob);
    play_verb(client, blob, "RELEASE", id_text(blob, id), call_of(VERB_RELEASE, id, NO_ID));
}

/* Of what the server answers in seconds or milliseconds some may have passed. */
static bool is_left(long long answer, int64_t left, int64_t tolerance) {
    return answer <= left && answer > left - tolerance;
}

static void play_break(int client, struct model_blob *blob) {
    int period = random_below(3) - 1;
    struct lease_call call = call_of(VERB_BREAK, NO_ID, NO_ID);
    call.period_ms = (int64_t)period * MINUTE_MS;
    struct words words = lease_command("BREAK", period < 0 ? "" : period ? "PERIOD 60" : "PERIOD 0", blob);
    redisReply *reply = call_words(clients[client].client, &words);
    if (!settle(blob, &call, reply)) return;
    int64_t left_s = lease_model_left_ms(&blob->lease, now_ms) / 1000;
    require(reply->type == REDIS_REPLY_INTEGER && is_left(reply->integer, left_s, 50),
            "%d seconds are left, but it answers %s", (int)left_s, reply_text(reply));
}

/* What a write leaves of the lease. */
static void note_write(struct model_blob *blob, const redisReply *reply) {
    note_version(blob->etag, expect_etag(reply));
    if (!lease_model_locked(&blob->lease)) lease_model_free(&blob->lease);
}

static void add_id(struct words *words, const struct model_blob *blob, int id) {
    if (id) words_add_line(words, pool_print("LEASE %s", id_text(blob, id)));
}

static void play_put(int client, struct model_blob *blob) {
    int id = any_id(blob), content = random_below(1000);
    struct lease_call call = call_of(VERB_WRITE, id, NO_ID);
    const char *refusal = lease_model_refusal(&blob->lease, &call);
    struct words words = words_of_line(pool_print("BLOB.PUT box %s %d", blob_names[blob - blobs], content));
    add_id(&words, blob, id);
    redisReply *reply = call_words(clients[client].client, &words);
    if (refusal) {
        expect_error(reply, refusal);
        return;
    }
    note_write(blob, reply);
    blob->exists = true;
    blob->content = content;
}

/* Sends a read or a write of the blob under some id; NULL when it is refused, as it should be. */
static redisReply *send_under_id(int client, struct model_blob *blob, const char *verb, const char *rest,
                                 enum lease_verb use) {
    int id = any_id(blob);
    struct words words = words_of_line(pool_print("BLOB.%s box %s %s", verb, blob_names[blob - blobs], rest));
    add_id(&words, blob, id);
    redisReply *reply = call_words(clients[client].client, &words);
    struct lease_call call = call_of(use, id, NO_ID);
    const char *refusal = refusal_now(blob, &call);
    if (!refusal) return reply;
    expect_error(reply, refusal);
    return NULL;
}

static void play_setmeta(int client, struct model_blob *blob) {
    redisReply *reply = send_under_id(client, blob, "SETMETA", "META 0", VERB_WRITE);
    if (reply) note_write(blob, reply);
}

static void play_delete(int client, struct model_blob *blob) {
    if (random_below(3)) return;
    redisReply *reply = send_under_id(client, blob, "DELETE", "", VERB_WRITE);
    if (!reply) return;
    expect_ok(reply);
    blob->exists = false;
    blob->lease = (struct lease_model){0};
}

static void play_get(int client, struct model_blob *blob) {
    redisReply *reply = send_under_id(client, blob, "GET", "", VERB_READ);
    if (!reply) return;
    expect_text(reply->element[0], blob->etag);
    expect_text(reply->element[1], pool_print("%d", blob->content));
}

static void play_look(int client, struct model_blob *blob) {
    struct words words = lease_command("GET", "", blob);
    redisReply *lease = call_words(clients[client].client, &words);
    if (!blob->exists) {
        expect_error(lease, "NOTFOUND BlobNotFound");
        return;
    }
    const struct lease_model *model = &blob->lease;
    expect_text(field(lease, "state"), model_lease_words[model->state]);
    expect_text(field(lease, "status"), lease_model_locked(model) ? "locked" : "unlocked");
    expect_number(field(lease, "waiters"), blob->waiting);
    if (model->id)
        expect_text(field(lease, "token"), pool_print("0x%016llX", (unsigned long long)model->token));
    redisReply *left = reply_field_if_any(lease, "remaining-ms");
    require(!left == (!lease_model_locked(model) || lease_model_endless(model)), "%s", reply_text(lease));
    if (left)
        require(is_left(left->integer, lease_model_left_ms(model, now_ms), 50000), "%s", reply_text(lease));
}

/* All leases see the time. */
static void clock_moves(int64_t ms) {
    now_ms += ms;
    for (int blob = 0; blob < BLOBS; blob++) lease_model_tick(&blobs[blob].lease, now_ms);
}

static void play_clock(int client, struct model_blob *blob) {
    (void)client;
    (void)blob;
    time_passes(MINUTE_MS);
    clock_moves(MINUTE_MS);
}

/* Somebody who waits gives up. */
static void play_unblock(int client, struct model_blob *blob) {
    if (!blob->waiting) return;
    (void)client;
    int place = random_below(blob->waiting), leaver = blob->line[place];
    bool by_timeout = random_below(2);
    expect_number(
        call(primary, "CLIENT UNBLOCK %lld %s", clients[leaver].number, by_timeout ? "TIMEOUT" : "ERROR"), 1);
    redisReply *reply = answer_of(clients[leaver].client);
    leave_line(leaver);
    seen.departures++;
    const char *refusal = unmet(blob, clients[leaver].match);
    if (!refusal) refusal = refusal_now(blob, &clients[leaver].wanted);
    /* He could have had it, but it was not his turn. */
    if (!refusal) refusal = "CONFLICT LeaseAlreadyPresent";
    expect_error(reply, by_timeout ? refusal : "UNBLOCKED");
}

static void play_step(void) {
    static const struct {
        int weight;
        void (*play)(int client, struct model_blob *blob);
    } plays[] = {
        {30, play_acquire}, {8, play_renew}, {7, play_change},  {12, play_release},
        {7, play_break},    {8, play_put},   {4, play_setmeta}, {2, play_delete},
        {5, play_get},      {7, play_look},  {7, play_clock},   {3, play_unblock},
    };
    enum { PLAYS = ARRAY_SIZE(plays) };
    int drawn = random_below(100), client = random_below(CLIENTS);
    size_t index = 0;
    memcpy(version_before, greatest_version, sizeof(version_before));
    while (drawn >= plays[index].weight) drawn -= plays[index++].weight;
    for (int other = 0; other < CLIENTS && clients[client].waits; other++) client = (client + 1) % CLIENTS;
    /* Where everybody waits only time can help, or somebody who gives up. */
    if (clients[client].waits) index = random_below(2) ? PLAYS - 1 : PLAYS - 2;
    plays[index].play(client, &blobs[random_below(BLOBS)]);
    for (int blob = 0; blob < BLOBS; blob++) expect_line_served(&blobs[blob]);
}

/* Everybody gives up, so that nobody waits when the stage is looked at. */
static void clear_lines(void) {
    for (int blob = 0; blob < BLOBS; blob++) {
        while (blobs[blob].waiting) {
            play_unblock(0, &blobs[blob]);
            expect_line_served(&blobs[blob]);
        }
    }
}

static void play_sequence(int steps) {
    random_begin();
    memset(blobs, 0, sizeof(blobs));
    memset(&seen, 0, sizeof(seen));
    memset(greatest_version, 0, sizeof(greatest_version));
    configure(primary, "holdfast.lease-max-seconds", "3600");
    lease_setup();
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    now_ms = 0;
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (struct model_client){.client = test_client(primary->server)};
        clients[i].number = call(clients[i].client, "CLIENT ID")->integer;
    }
    for (int step = 0; step < steps; step++) {
        play_step();
        if (step % STEPS_BETWEEN_LOOKS) continue;
        expect_ok(call(primary, "DEBUG RELOAD"));
        await_replicas();
        require_same(primary, chained, "in the middle");
    }
    clear_lines();
    print_message("# %d waits, %d handed over, %d refused, %d given up\n", seen.waits, seen.handoffs,
                  seen.refusals, seen.departures);
}

TEST(a_random_sequence_goes_as_foretold) {
    play_sequence(STEPS);
    assert_true(seen.handoffs > 100 && seen.refusals > 0 && seen.departures > 20);
}

/* The leases that stand at the end run out while the server is down. */
TEST(leases_that_end_while_the_server_is_down) {
    play_sequence(STEPS / 8);
    redisReply *dump = call(primary, "DUMP box");
    struct server *server = server_start("single", "holdfast.clock-offset-ms 172800000\n");
    struct client *client = test_client(server);
    expect_ok(call(client, "RESTORE box 0 %b", dump->str, dump->len));
    expect_ok(call(client, "CONFIG REWRITE"));
    expect_ok(call(client, "SAVE"));
    const char *digest = digest_of(client);
    server_kill(server);
    server_set(server, pool_print("holdfast.clock-offset-ms %lld\n", clock_after(86400000)));
    server_restart(server);
    client = test_client(server);
    assert_string_equal(digest_of(client), digest);
    time_passes(0);
    clock_moves(86400000);
    for (int blob = 0; blob < BLOBS; blob++) {
        redisReply *lease = call(client, "LEASE.GET box BLOB %s", blob_names[blob]);
        if (!blobs[blob].exists) {
            expect_error(lease, "NOTFOUND BlobNotFound");
            continue;
        }
        const struct lease_model *model = &blobs[blob].lease;
        expect_text(field(lease, "state"), model_lease_words[model->state]);
        if (!model->id) continue;
        struct lease_call read = call_of(VERB_READ, model->id, NO_ID);
        const char *refusal = refusal_now(&blobs[blob], &read);
        redisReply *reply =
            call(client, "BLOB.GET box %s LEASE %s", blob_names[blob], id_text(&blobs[blob], model->id));
        if (refusal) expect_error(reply, refusal);
        if (!refusal) expect_etag(reply);
    }
}
