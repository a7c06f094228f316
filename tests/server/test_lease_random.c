/*
 * Four clients and two blobs: long random sequences of lease operations, reads and writes, waits and moves of
 * the clock, against a model that is as naive as can be. Every answer is foretold, and so is who is served
 * when, and what everybody is told then.
 *
 * The model's clock goes in minutes and the server's runs on in between, but the few seconds that a test takes
 * do not make a minute.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "lease_states.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"
#include "text.h"

enum {
    CLIENTS = 4,
    BLOBS = 2,
    IDS = 5,
    STEPS = 8000,
    STEPS_BETWEEN_LOOKS = 1000,
    MINUTE_MS = 60000,
    NEVER = -1
};

/* Numbers of ids: 0 is none, the rest index this table; what the server draws comes in at the end. */
enum { NO_ID, DRAWN = IDS };

static const char *const id_texts[IDS] = {NULL, ID_A, ID_B, ID_C, "dddddddd-0000-4000-8000-00000000000d"};
static const char *const blob_names[BLOBS] = {"cat", "dog"};

struct model_blob {
    bool exists;
    char etag[20];
    int id;         /* the holder's or the last one's */
    char drawn[40]; /* its text, when the server drew it */
    bool held, broken_off;
    int duration; /* minutes, or NEVER for one without end */
    int ends;     /* likewise */
    char token[20];
    int content;
    int line[CLIENTS];
    int waiting;
};

struct model_client {
    struct client *client;
    long long number;
    bool waits;
    int blob, proposed, duration; /* what he waits for */
    char match[20];
};

static struct model_blob blobs[BLOBS];
static struct model_client clients[CLIENTS];
static int now;

/* The greatest version of all, and the greatest before the step: lines that are served in the same moment may be served
 * in any order. */
static char greatest_version[20], version_before[20];

/* Whether a sequence was worth playing. */
static struct { int waits, handoffs, refusals, departures; } seen;

/* --- What the model says ---------------------------------------------------------------------------------- */

static bool has_ended(const struct model_blob *blob) {
    return blob->ends != NEVER && now >= blob->ends;
}

static bool is_leased(const struct model_blob *blob) {
    return blob->held && !blob->broken_off && !has_ended(blob);
}

static bool is_breaking(const struct model_blob *blob) {
    return blob->held && blob->broken_off && !has_ended(blob);
}

static bool is_locked(const struct model_blob *blob) {
    return is_leased(blob) || is_breaking(blob);
}

static const char *state_of(const struct model_blob *blob) {
    if (!blob->held) return "available";
    if (blob->broken_off) return has_ended(blob) ? "broken" : "breaking";
    return has_ended(blob) ? "expired" : "leased";
}

static const char *holder_of(const struct model_blob *blob) {
    return blob->id == DRAWN ? blob->drawn : id_texts[blob->id];
}

/* NULL when it may pass. */
static const char *gate(const struct model_blob *blob, int id, bool writes) {
    if (is_locked(blob)) {
        if (!id) return writes ? "PRECONDITION LeaseIdMissing" : NULL;
        return id == blob->id ? NULL : "PRECONDITION LeaseIdMismatchWithBlobOperation";
    }
    if (!id) return NULL;
    return id == blob->id ? "PRECONDITION LeaseLost" : "PRECONDITION LeaseNotPresentWithBlobOperation";
}

static const char *unmet(const struct model_blob *blob, const char *match) {
    if (!blob->exists) return "NOTFOUND BlobNotFound";
    return *match && strcmp(match, blob->etag) != 0 ? "PRECONDITION ConditionNotMet" : NULL;
}

static const char *acquire_refusal(const struct model_blob *blob, int proposed) {
    if (is_breaking(blob) && proposed && proposed == blob->id) {
        return "CONFLICT LeaseIsBreakingAndCannotBeAcquired";
    }
    if (is_breaking(blob)) return "CONFLICT LeaseAlreadyPresent";
    if (is_leased(blob) && (!proposed || proposed != blob->id)) return "CONFLICT LeaseAlreadyPresent";
    return NULL;
}

/* --- What the server answers ------------------------------------------------------------------------------- */

static void note_version(char *place, const char *version) {
    require(strcmp(version, version_before) > 0, "%s is not greater than %s", version, version_before);
    require(strcmp(version, place) > 0, "%s is not greater than %s", version, place);
    if (strcmp(version, greatest_version) > 0) memcpy(greatest_version, version, sizeof greatest_version - 1);
    memcpy(place, version, sizeof greatest_version - 1);
}

static void note_token(struct model_blob *blob, const redisReply *reply, bool same_holder) {
    const char *token = lease_token(reply);
    if (same_holder) {
        assert_string_equal(token, blob->token);
    } else {
        note_version(blob->token, token);
    }
}

static void grant(struct model_blob *blob, int proposed, int duration, const redisReply *reply) {
    bool same_holder = is_leased(blob) && proposed == blob->id;
    blob->id = proposed ? proposed : DRAWN;
    blob->held = true;
    blob->broken_off = false;
    blob->duration = duration;
    blob->ends = duration == NEVER ? NEVER : now + duration;
    const char *id = lease_id(reply);
    if (proposed) {
        assert_string_equal(id, id_texts[proposed]);
    } else {
        memcpy(blob->drawn, id, strlen(id) + 1);
    }
    note_token(blob, reply, same_holder);
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
        if (!refusal && acquire_refusal(blob, first->proposed)) break;
        redisReply *reply = answer_within(first->client, 2000);
        leave_line(blob->line[0]);
        if (refusal) {
            seen.refusals++;
            expect_error(reply, refusal);
        } else {
            seen.handoffs++;
            grant(blob, first->proposed, first->duration, reply);
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
    return random_below(2) && blob->id ? blob->id : id == DRAWN && blob->id != DRAWN ? NO_ID : id;
}

static const char *id_text(const struct model_blob *blob, int id) {
    return id == DRAWN ? blob->drawn : id_texts[id];
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
    for (int index = 0; index < BLOBS; index++) waiting += blobs[index].waiting;
    await_waiters(primary, waiting);
}

static void play_acquire(int client, struct model_blob *blob) {
    struct model_client *this = &clients[client];
    this->proposed = random_below(3) ? 1 + random_below(IDS - 1) : NO_ID;
    this->duration = random_below(5) ? 1 + random_below(3) : NEVER;
    this->match[0] = '\0';
    if (!random_below(5))
        memcpy(this->match, random_below(3) ? blob->etag : "0x0000000000000001", sizeof this->match);
    const char *duration = this->duration == NEVER ? "-1" : pool_print("%d", this->duration * 60);
    struct words words = lease_command("ACQUIRE", duration, blob);
    if (this->proposed) words_add_line(&words, pool_print("ID %s", id_texts[this->proposed]));
    if (*this->match) words_add_line(&words, pool_print("IFMATCH %s", this->match));
    const char *refusal = unmet(blob, this->match);
    bool held = !refusal && acquire_refusal(blob, this->proposed);
    if (held) refusal = acquire_refusal(blob, this->proposed);
    if (held && random_below(2)) {
        begin_to_wait(client, blob, &words);
        return;
    }
    redisReply *reply = call_words(this->client, &words);
    if (refusal) {
        expect_error(reply, refusal);
    } else {
        grant(blob, this->proposed, this->duration, reply);
    }
}

static void play_renew(int client, struct model_blob *blob) {
    int id = some_id(blob);
    struct words words = lease_command("RENEW", id_text(blob, id), blob);
    redisReply *reply = call_words(clients[client].client, &words);
    if (!blob->exists) {
        expect_error(reply, "NOTFOUND BlobNotFound");
    } else if (!blob->held || id != blob->id) {
        expect_error(reply, "CONFLICT LeaseIdMismatchWithLeaseOperation");
    } else if (blob->broken_off) {
        expect_error(reply, "CONFLICT LeaseIsBrokenAndCannotBeRenewed");
    } else {
        note_token(blob, reply, true);
        if (blob->duration != NEVER) blob->ends = now + blob->duration;
    }
}

static void play_change(int client, struct model_blob *blob) {
    int id = some_id(blob), next = 1 + random_below(IDS - 1);
    struct words words =
        lease_command("CHANGE", pool_print("%s %s", id_text(blob, id), id_texts[next]), blob);
    redisReply *reply = call_words(clients[client].client, &words);
    if (!blob->exists) {
        expect_error(reply, "NOTFOUND BlobNotFound");
    } else if (!is_locked(blob)) {
        expect_error(reply, "CONFLICT LeaseNotPresentWithLeaseOperation");
    } else if (is_breaking(blob)) {
        expect_error(reply, id == blob->id ? "CONFLICT LeaseIsBreakingAndCannotBeChanged"
                                           : "CONFLICT LeaseIdMismatchWithLeaseOperation");
    } else if (id != blob->id && next != blob->id) {
        expect_error(reply, "CONFLICT LeaseIdMismatchWithLeaseOperation");
    } else {
        note_token(blob, reply, next == blob->id);
        blob->id = next;
    }
}

static void play_release(int client, struct model_blob *blob) {
    int id = some_id(blob);
    struct words words = lease_command("RELEASE", id_text(blob, id), blob);
    redisReply *reply = call_words(clients[client].client, &words);
    if (!blob->exists) {
        expect_error(reply, "NOTFOUND BlobNotFound");
    } else if (!blob->held || id != blob->id) {
        expect_error(reply, "CONFLICT LeaseIdMismatchWithLeaseOperation");
    } else {
        expect_ok(reply);
        blob->held = false;
    }
}

static void play_break(int client, struct model_blob *blob) {
    int period = random_below(3) - 1;
    struct words words = lease_command("BREAK", period < 0 ? "" : period ? "PERIOD 60" : "PERIOD 0", blob);
    redisReply *reply = call_words(clients[client].client, &words);
    if (!blob->exists || !blob->held) {
        expect_error(reply,
                     blob->exists ? "CONFLICT LeaseNotPresentWithLeaseOperation" : "NOTFOUND BlobNotFound");
        return;
    }
    int left = !is_locked(blob) ? 0 : blob->ends == NEVER ? NEVER : blob->ends - now;
    int wanted = period < 0 ? (left == NEVER ? 0 : left) : period;
    if (left == NEVER || wanted < left) left = wanted;
    blob->broken_off = true;
    blob->ends = now + left;
    /* Rounded up from the server's milliseconds. */
    require(reply->type == REDIS_REPLY_INTEGER && reply->integer <= left * 60LL &&
                reply->integer > left * 60LL - 50,
            "%d minutes are left, but it answers %s", left, reply_text(reply));
}

/* What a write leaves of the lease. */
static void note_write(struct model_blob *blob, const redisReply *reply) {
    note_version(blob->etag, expect_etag(reply));
    if (!is_locked(blob)) blob->held = false;
}

static void add_id(struct words *words, const struct model_blob *blob, int id) {
    if (id) words_add_line(words, pool_print("LEASE %s", id_text(blob, id)));
}

static void play_put(int client, struct model_blob *blob) {
    int id = any_id(blob), content = random_below(1000);
    const char *refusal = gate(blob, id, true);
    if (!blob->exists) refusal = id ? "PRECONDITION LeaseNotPresentWithBlobOperation" : NULL;
    struct words words = words_of_line(pool_print("BLOB.PUT box %s %d", blob_names[blob - blobs], content));
    add_id(&words, blob, id);
    redisReply *reply = call_words(clients[client].client, &words);
    if (refusal) {
        expect_error(reply, refusal);
        return;
    }
    if (!blob->exists) blob->id = NO_ID;
    note_write(blob, reply);
    blob->exists = true;
    blob->content = content;
}

static void play_setmeta(int client, struct model_blob *blob) {
    int id = any_id(blob);
    struct words words = words_of_line(pool_print("BLOB.SETMETA box %s META 0", blob_names[blob - blobs]));
    add_id(&words, blob, id);
    redisReply *reply = call_words(clients[client].client, &words);
    const char *refusal = blob->exists ? gate(blob, id, true) : "NOTFOUND BlobNotFound";
    if (refusal) {
        expect_error(reply, refusal);
    } else {
        note_write(blob, reply);
    }
}

static void play_delete(int client, struct model_blob *blob) {
    int id = any_id(blob);
    if (random_below(3)) return;
    struct words words = words_of_line(pool_print("BLOB.DELETE box %s", blob_names[blob - blobs]));
    add_id(&words, blob, id);
    redisReply *reply = call_words(clients[client].client, &words);
    const char *refusal = blob->exists ? gate(blob, id, true) : "NOTFOUND BlobNotFound";
    if (refusal) {
        expect_error(reply, refusal);
        return;
    }
    expect_ok(reply);
    blob->exists = false;
    blob->held = false;
    blob->id = NO_ID;
}

static void play_get(int client, struct model_blob *blob) {
    int id = any_id(blob);
    struct words words = words_of_line(pool_print("BLOB.GET box %s", blob_names[blob - blobs]));
    add_id(&words, blob, id);
    redisReply *reply = call_words(clients[client].client, &words);
    const char *refusal = blob->exists ? gate(blob, id, false) : "NOTFOUND BlobNotFound";
    if (refusal) {
        expect_error(reply, refusal);
    } else {
        expect_text(reply->element[0], blob->etag);
        expect_text(reply->element[1], pool_print("%d", blob->content));
    }
}

static void play_look(int client, struct model_blob *blob) {
    struct words words = lease_command("GET", "", blob);
    redisReply *lease = call_words(clients[client].client, &words);
    if (!blob->exists) {
        expect_error(lease, "NOTFOUND BlobNotFound");
        return;
    }
    expect_text(field(lease, "state"), state_of(blob));
    expect_text(field(lease, "status"), is_locked(blob) ? "locked" : "unlocked");
    expect_number(field(lease, "waiters"), blob->waiting);
    if (blob->id) expect_text(field(lease, "token"), blob->token);
    redisReply *left = reply_field_if_any(lease, "remaining-ms");
    require(!left == (!is_locked(blob) || blob->ends == NEVER), "%s", reply_text(lease));
    if (!left) return;
    long long max = (blob->ends - now) * (long long)MINUTE_MS;
    require(left->integer <= max && left->integer > max - 50000, "%s", reply_text(lease));
}

static void play_clock(int client, struct model_blob *blob) {
    (void)client;
    (void)blob;
    now++;
    time_passes(MINUTE_MS);
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
    if (!refusal) refusal = acquire_refusal(blob, clients[leaver].proposed);
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
    enum { PLAYS = sizeof plays / sizeof *plays };
    int drawn = random_below(100), client = random_below(CLIENTS);
    size_t index = 0;
    memcpy(version_before, greatest_version, sizeof version_before);
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
    memset(blobs, 0, sizeof blobs);
    memset(&seen, 0, sizeof seen);
    memset(greatest_version, 0, sizeof greatest_version);
    configure(primary, "holdfast.lease-max-seconds", "3600");
    lease_setup();
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    now = 0;
    for (int index = 0; index < CLIENTS; index++) {
        clients[index] = (struct model_client){.client = test_client(primary->server)};
        clients[index].number = call(clients[index].client, "CLIENT ID")->integer;
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
    free(server->settings);
    server->settings = strdup(pool_print("holdfast.clock-offset-ms %lld\n", clock_after(86400000)));
    server_restart(server);
    client = test_client(server);
    assert_string_equal(digest_of(client), digest);
    time_passes(0);
    now += 24 * 60;
    for (int blob = 0; blob < BLOBS; blob++) {
        redisReply *lease = call(client, "LEASE.GET box BLOB %s", blob_names[blob]);
        if (!blobs[blob].exists) {
            expect_error(lease, "NOTFOUND BlobNotFound");
            continue;
        }
        expect_text(field(lease, "state"), state_of(&blobs[blob]));
        if (blobs[blob].id) {
            redisReply *reply =
                call(client, "BLOB.GET box %s LEASE %s", blob_names[blob], holder_of(&blobs[blob]));
            const char *refusal = gate(&blobs[blob], blobs[blob].id, false);
            if (refusal) expect_error(reply, refusal);
            if (!refusal) expect_etag(reply);
        }
    }
    server_stop(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RUN(a_random_sequence_goes_as_foretold),
        RUN(leases_that_end_while_the_server_is_down),
    };
    return harness_run("lease_random", tests);
}
