/* HOLDFAST.DOCTOR: each finding is provoked, and is gone when its cause is. A server on which all is well has none.
 *
 * Time passes by the module's clock. What the wall clock does to it is in test_wall_clock. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "single_server.h"
#include "waiting.h"
#include "wire.h"

static struct client *patient;

static const char healthy[] = "appendonly yes\nappendfsync always\n";

static void examine(const char *settings) {
    patient = test_client(server_start("patient", pool_print("%s%s", healthy, settings)));
}

static void wait_s(long long seconds) {
    long long offset_ms = atoll(call(patient, "CONFIG GET holdfast.clock-offset-ms")->element[1]->str);
    expect_ok(call(patient, "CONFIG SET holdfast.clock-offset-ms %lld", offset_ms + seconds * 1000));
}

/* The finding about a subject; NULL when there is none. */
static redisReply *finding_of(struct client *client, const char *subject) {
    redisReply *findings = call(client, "HOLDFAST.DOCTOR");
    require(!reply_is_error(findings), "%s", reply_text(findings));
    for (size_t i = 0; i < findings->elements; i++)
        if (!strcmp(field(findings->element[i], "subject")->str, subject)) return findings->element[i];
    return NULL;
}

/* `part` is somewhere in its text. */
static void expect_finding(const char *severity, const char *subject, const char *part) {
    redisReply *finding = finding_of(patient, subject);
    require(finding, "nothing about %s: %s", subject, reply_text(call(patient, "HOLDFAST.DOCTOR")));
    expect_text(field(finding, "severity"), severity);
    require(strstr(field(finding, "finding")->str, part), "%s tells %s, not %s", subject,
            field(finding, "finding")->str, part);
    require(field(finding, "advice")->len > 10, "no advice about %s", subject);
}

static void expect_all_well_at(struct client *client) {
    redisReply *findings = call(client, "HOLDFAST.DOCTOR");
    require(findings->type == REDIS_REPLY_ARRAY && !findings->elements, "%s", reply_text(findings));
}

static void expect_all_well(void) {
    expect_all_well_at(patient);
}

static void done(const char *line) {
    redisReply *reply = call_line(patient, line);
    require(!reply_is_error(reply), "%s: %s", line, reply_text(reply));
}

/* --- The reply --- */

TEST(a_fresh_server_has_no_findings) {
    examine("");
    expect_all_well();
    expect_error(call(patient, "HOLDFAST.DOCTOR now"), "ERR wrong number of arguments");
}

TEST(a_finding_is_a_map_in_both_protocols) {
    examine("");
    done("CONFIG SET stop-writes-on-bgsave-error no");
    redisReply *flat = expect_elements(call(patient, "HOLDFAST.DOCTOR"), 1)->element[0];
    static const char *const names[] = {"severity", "subject", "finding", "advice"};
    expect_elements(flat, 8);
    for (size_t i = 0; i < 4; i++) expect_text(flat->element[2 * i], names[i]);
    struct wire *wire = wire_open_resp3(patient->server);
    redisReply *map = expect_elements(wire_call(wire, "HOLDFAST.DOCTOR"), 1)->element[0];
    assert_int_equal(map->type, REPLY_MAP);
    for (size_t i = 0; i < 4; i++) expect_text(field(map, names[i]), field(flat, names[i])->str);
}

TEST(findings_are_sorted_by_severity) {
    examine("");
    done("CONFIG SET holdfast.accept-effects yes maxmemory-policy allkeys-lru");
    redisReply *findings = expect_elements(call(patient, "HOLDFAST.DOCTOR"), 2);
    expect_text(field(findings->element[0], "severity"), "danger");
    expect_text(field(findings->element[1], "severity"), "warning");
}

/* --- Settings --- */

TEST(doctor_finds_settings_that_endanger_a_promise) {
    static const struct {
        const char *setting, *bad, *good, *severity, *part;
    } rows[] = {
        {"maxmemory-policy", "allkeys-lru", "noeviction", "danger", "allkeys-lru deletes any key"},
        {"maxmemory-policy", "allkeys-random", "noeviction", "danger", "allkeys-random deletes any key"},
        {"maxmemory-policy", "volatile-ttl", "noeviction", "warning", "keys that have a TTL"},
        {"appendfsync", "no", "everysec", "danger", "power failure"},
        {"appendonly", "no", "yes", "danger", "no append-only file"},
        {"stop-writes-on-bgsave-error", "no", "yes", "danger", "cannot save"},
        {"holdfast.accept-effects", "yes", "no", "warning", "HOLDFAST.APPLY"},
    };
    examine("");
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        expect_ok(call(patient, "CONFIG SET %s %s", rows[row].setting, rows[row].bad));
        expect_finding(rows[row].severity, rows[row].setting, rows[row].part);
        expect_ok(call(patient, "CONFIG SET %s %s", rows[row].setting, rows[row].good));
        expect_all_well();
    }
}

/* Dangers alone, each in one line. */
TEST(dangers_stand_in_the_log_at_load) {
    struct server *server = server_start(
        "careless", "appendonly no\nmaxmemory-policy allkeys-lfu\nholdfast.accept-effects yes\n");
    const char *log = server_log(server);
    require(strstr(log, "danger: appendonly: there is no append-only file"), "%s", log);
    require(strstr(log, "danger: maxmemory-policy: allkeys-lfu deletes any key"), "%s", log);
    require(!strstr(log, "danger: holdfast.accept-effects"), "%s", log);
    server_stop(server);
    examine("");
    require(!strstr(server_log(patient->server), "danger:"), "%s", server_log(patient->server));
}

TEST(doctor_finds_settings_that_endanger_a_failover) {
    examine("");
    struct client *other = test_client(server_start("other", healthy));
    done("CONTAINER.CREATE box");
    done("LEASE.ACQUIRE box 60");
    expect_all_well();
    follow(other, patient);
    expect_finding("danger", "min-replicas-to-write", "it has 1 replica,");
    expect_finding("danger", "holdfast.grace-seconds", "what 1 hold now");
    require(!finding_of(other, "min-replicas-to-write"), "a replica takes no writes");
    require(finding_of(other, "holdfast.grace-seconds"), "it may be promoted");
    done("CONFIG SET min-replicas-to-write 1 holdfast.grace-seconds 5");
    expect_finding("warning", "holdfast.grace-seconds", "grace lasts 5 s, and leases up to 60 s");
    done("CONFIG SET holdfast.lease-min-seconds 1 holdfast.lease-max-seconds 5");
    expect_all_well();
    done("CONFIG SET holdfast.grace-seconds 0");
    require(finding_of(patient, "holdfast.grace-seconds"), "grace is off");
    done("DEL box");
    expect_all_well();
    server_stop(other->server);
}

/* --- The server --- */

TEST(doctor_finds_effects_that_did_not_fit) {
    examine("");
    done("CONFIG SET holdfast.accept-effects yes");
    expect_error(call(patient, "HOLDFAST.APPLY box nonsense"), "ERR the effect cannot be read");
    done("CONFIG SET holdfast.accept-effects no");
    expect_finding("danger", "effects", "0 effects did not fit the state they met, 1 could not be read");
}

TEST(doctor_finds_etags_from_the_future) {
    examine("");
    done("CONFIG SET holdfast.clock-offset-ms 7200000");
    done("DEBUG RELOAD");
    done("CONTAINER.CREATE box");
    expect_all_well();
    patient = restarted(patient->server, server_stop);
    expect_finding("warning", "clock", " s after now");
}

TEST(doctor_finds_memory_nearly_used_up) {
    examine("");
    long long used = info_of(patient, "used_memory");
    expect_ok(call(patient, "CONFIG SET maxmemory %lld", used * 2));
    expect_all_well();
    expect_ok(call(patient, "CONFIG SET maxmemory %lld", used * 105 / 100));
    expect_finding("warning", "maxmemory", " % of maxmemory are used");
    done("CONFIG SET maxmemory 0");
    expect_all_well();
}

/* --- Lines --- */

TEST(doctor_finds_a_line_of_a_hundred_waiters) {
    enum { LONG = 100 };
    examine("maxclients 500\n");
    done("SELECT 3");
    done("QUEUE.CREATE jobs");
    for (int i = 0; i < LONG - 1; i++) waiting_at(patient->server, 3, "QUEUE.GET jobs BLOCK 0");
    await_waiters(patient, LONG - 1);
    expect_all_well();
    waiting_at(patient->server, 3, "QUEUE.GET jobs BLOCK 0");
    await_waiters(patient, LONG);
    expect_finding("warning", "jobs",
                   "100 clients wait in one line, the first one with QUEUE.GET (database 3)");
    done("QUEUE.PUT jobs x");
    await_waiters(patient, LONG - 1);
    expect_all_well();
}

/* --- Holders --- */

static void stage_leases(void) {
    examine("holdfast.lease-min-seconds 1\nholdfast.lease-max-seconds 5\n");
    done("CONTAINER.CREATE box");
    done("BLOB.PUT box cat meow");
    done("SHARE.CREATE fs");
    done("FILE.CREATE fs notes.txt 10");
}

/* Beyond the longest lease, as long as nobody has held any. */
TEST(doctor_finds_holders_beyond_their_time) {
    static const struct {
        const char *acquire, *release, *key, *told;
    } rows[] = {
        {"LEASE.ACQUIRE box -1 ID " ID_A " OWNER bob", "LEASE.RELEASE box " ID_A, "box",
         "the key itself is held by \"bob\" for 6 s"},
        {"LEASE.ACQUIRE box -1 BLOB cat ID " ID_A " OWNER bob", "LEASE.RELEASE box " ID_A " BLOB cat", "box",
         "'cat' is held by \"bob\" for 6 s"},
        {"LEASE.ACQUIRE fs -1 ID " ID_A, "LEASE.RELEASE fs " ID_A, "fs",
         "the key itself is held by \"\" for 6 s"},
        {"LEASE.ACQUIRE fs -1 FILE notes.txt ID " ID_A " OWNER \"b\\x01\"",
         "LEASE.RELEASE fs " ID_A " FILE notes.txt", "fs", "'notes.txt' is held by "},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        stage_leases();
        done(rows[row].acquire);
        wait_s(4);
        expect_all_well();
        wait_s(2);
        expect_finding("warning", rows[row].key, rows[row].told);
        require(!strstr(reply_text(call(patient, "HOLDFAST.DOCTOR")), ID_A), "it tells the id");
        done(rows[row].release);
        expect_all_well();
        server_stop(patient->server);
    }
}

TEST(doctor_judges_holders_who_renew_by_the_whole_time) {
    stage_leases();
    done("LEASE.ACQUIRE box 5 BLOB cat ID " ID_A);
    done("LEASE.ACQUIRE box 5");
    for (int time = 0; time < 2; time++) {
        wait_s(3);
        done("LEASE.RENEW box " ID_A " BLOB cat");
    }
    expect_finding("warning", "box", "'cat' is held by \"\" for 6 s");
    wait_s(6);
    expect_all_well();
}

/* Ten times what 99 of 100 did not exceed: 8 s by the buckets. */
TEST(doctor_learns_the_usual_time_of_holders) {
    stage_leases();
    done("LEASE.ACQUIRE box -1 ID " ID_A);
    wait_s(7);
    done("LEASE.RELEASE box " ID_A);
    done("LEASE.ACQUIRE box -1");
    wait_s(80);
    expect_all_well();
    wait_s(3);
    expect_finding("warning", "box", "for 83 s");
}

TEST(doctor_names_the_longest_holder) {
    stage_leases();
    done("BLOB.PUT box dog woof");
    done("LEASE.ACQUIRE box -1 BLOB dog OWNER ann");
    wait_s(10);
    done("LEASE.ACQUIRE box -1 BLOB cat OWNER bob");
    wait_s(10);
    expect_finding("warning", "box", "'dog' is held by \"ann\" for 20 s; so are 1 others in this key");
}

/* --- What goes where --- */

static void die(const char *queue) {
    done(pool_print("QUEUE.CREATE %s MAXDELIVERIES 1", queue));
    done(pool_print("QUEUE.PUT %s x", queue));
    done(pool_print("QUEUE.GET %s VISIBILITY 1", queue));
}

static const char one_letter[] = "dead letters: 1, ";

TEST(doctor_finds_dead_letters) {
    examine("");
    die("jobs");
    expect_all_well();
    wait_s(61);
    expect_finding("warning", "jobs", "dead letters: 1, the oldest died 60 s ago");
    done("QUEUE.REDRIVE jobs");
    expect_all_well();
    done("QUEUE.GET jobs VISIBILITY 1");
    wait_s(2);
    expect_finding("warning", "jobs", one_letter);
    done("QUEUE.CLEAR jobs DEAD");
    expect_all_well();
}

/* Keys are known by their names wherever they have come from, and forgotten when they are gone. */
TEST(doctor_follows_keys_that_move) {
    static const struct {
        const char *way, *key, *part;
    } ways[] = {
        {"RENAME jobs tasks", "tasks", one_letter}, {"DEBUG RELOAD", "tasks", one_letter},
        {"DEBUG LOADAOF", "tasks", one_letter},     {"COPY tasks other DB 2", "other", "(database 2)"},
        {"SWAPDB 2 4", "other", "(database 4)"},    {"MOVE tasks 5", "tasks", "(database 5)"},
    };
    examine("enable-debug-command yes\n");
    die("jobs");
    wait_s(2);
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        done(ways[way].way);
        done("SELECT 0"); /* Valkey 8.1 forgets it */
        AWAIT(finding_of(patient, ways[way].key));
        expect_finding("warning", ways[way].key, ways[way].part);
    }
    require(!finding_of(patient, "jobs"), "jobs has another name now");
    done("FLUSHALL");
    expect_all_well();
}

TEST(doctor_on_a_replica_finds_the_same) {
    examine("min-replicas-to-write 1\nholdfast.grace-seconds 60\n");
    struct client *other = test_client(server_start("other", healthy));
    follow(other, patient);
    AWAIT(!reply_is_error(call(patient, "SET ready 1")));
    die("jobs");
    done("CONTAINER.CREATE box");
    done("LEASE.ACQUIRE box -1");
    await_in_step(other, patient);
    expect_ok(call(other, "CONFIG SET holdfast.clock-offset-ms 70000"));
    require(finding_of(other, "jobs"), "no dead letters at the replica");
    require(finding_of(other, "box"), "no holder at the replica");
    server_stop(other->server);
}

/* A command without keys looks at keys of all slots, also in a transaction that belongs to one. */
TEST(a_node_of_a_cluster_tells_its_keys) {
    patient = cluster_of_one("");
    die("jobs");
    die("{a}work");
    wait_s(2);
    expect_finding("warning", "jobs", one_letter);
    expect_finding("warning", "{a}work", one_letter);
    done("MULTI");
    done("QUEUE.PEEK {a}work");
    done("HOLDFAST.DOCTOR");
    redisReply *both = expect_elements(call(patient, "EXEC"), 2);
    require(both->element[1]->elements >= 2, "%s", reply_text(both));
    expect_finding("warning", "jobs", one_letter);
}

/* --- Size --- */

enum { PIECE_BYTES = 50000 };

/* Writes so many pieces: the line, a number, `rest`, the piece. */
static void fill(const char *line, const char *rest, int from, int times) {
    char *piece = pool_take(PIECE_BYTES + 1);
    memset(piece, 'x', PIECE_BYTES);
    for (int number = from; number < from + times; number++)
        done(pool_print("%s%d%s%s", line, number, rest, piece));
}

TEST(aggregates_that_are_too_big_to_migrate) {
    static const struct {
        const char *create, *write, *rest;
    } rows[] = {
        {"CONTAINER.CREATE big", "BLOB.PUT big b", " "},
        {"QUEUE.CREATE big", "QUEUE.PUT big ", ""},
        {"TABLE.CREATE big", "TABLE.INSERT big p r", " PROPS 1 a:binary "},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        examine("");
        done(rows[row].create);
        fill(rows[row].write, rows[row].rest, 0, 15);
        done("CONFIG SET proto-max-bulk-len 1mb");
        expect_all_well();
        fill(rows[row].write, rows[row].rest, 15, 15);
        expect_finding("warning", "big", "takes 1 MiB, and proto-max-bulk-len is 1 MiB");
        done("CONFIG SET proto-max-bulk-len 2mb");
        expect_all_well();
        done("CONFIG SET proto-max-bulk-len 1mb");
        patient = restarted(patient->server, server_stop);
        done("CONFIG SET proto-max-bulk-len 1mb");
        expect_finding("warning", "big", "takes 1 MiB");
        done("DEL big");
        expect_all_well();
        server_stop(patient->server);
    }
}

/* --- Many --- */

enum { SHOWN_MAX = 200, KNOWN_MAX = 1000 };

TEST(keys_that_are_deleted_make_room_at_once) {
    examine("");
    for (int i = 0; i < KNOWN_MAX; i++) die(pool_print("q%d", i));
    for (int i = 0; i < KNOWN_MAX; i++) done(pool_print("DEL q%d", i));
    die("late");
    wait_s(2);
    redisReply *findings = expect_elements(call(patient, "HOLDFAST.DOCTOR"), 1);
    expect_text(field(findings->element[0], "subject"), "late");
}

/* The time that it takes is bounded, however many leases there are. */
TEST(more_holders_than_can_be_seen) {
    enum { BOXES = 21, BLOBS = 1000 };
    stage_leases();
    for (int box = 0; box < BOXES; box++) {
        done(pool_print("CONTAINER.CREATE box%d", box));
        for (int blob = 0; blob < BLOBS; blob++) {
            send_call(patient, "BLOB.PUT box%d %d x", box, blob);
            send_call(patient, "LEASE.ACQUIRE box%d -1 BLOB %d", box, blob);
        }
        for (int reply = 0; reply < 2 * BLOBS; reply++)
            require(!reply_is_error(receive(patient)), "no lease in box%d", box);
    }
    wait_s(10);
    expect_finding("note", "findings", "not all holders were seen");
    redisReply *findings = expect_elements(call(patient, "HOLDFAST.DOCTOR"), BOXES);
    require(strstr(field(findings->element[0], "finding")->str, "so are 999 others"), "%s",
            reply_text(findings));
}

/* So many are known, and fewer shown. When they are not worth a look any more they make room. */
TEST(more_keys_than_can_be_known) {
    examine("");
    for (int i = 0; i < KNOWN_MAX + 5; i++) die(pool_print("q%d", i));
    wait_s(2);
    expect_elements(call(patient, "HOLDFAST.DOCTOR"), SHOWN_MAX + 1);
    expect_finding("note", "keys", "more than 1000 keys");
    for (int i = 0; i < KNOWN_MAX + 5; i++) done(pool_print("QUEUE.CLEAR q%d DEAD", i));
    die("late");
    wait_s(2);
    AWAIT(!finding_of(patient, "keys"));
    done("QUEUE.PUT late x");
    expect_finding("warning", "late", one_letter);
    require(!finding_of(patient, "keys"), "there is room again");
}

/* --- Large values beside many others --- */

/* Writes to a key that has no place in the full list, and lets a second pass: the list is cleared. */
static void clear_many_times(int times, const char *write) {
    for (int time = 0; time < times; time++) {
        done(write);
        wait_s(2);
        expect_text(call(patient, "PING"), "PONG");
    }
}

static void expect_large_is_found(void) {
    done("CONTAINER.CREATE large");
    fill("BLOB.PUT large b", " ", 0, 30);
    done("CONFIG SET proto-max-bulk-len 1mb");
    expect_finding("warning", "large", "takes 1 MiB");
}

TEST(large_values_are_found_after_a_crowd_of_others) {
    enum { CROWD = KNOWN_MAX + 1, TIMES = 50 };
    examine("");
    for (int i = 0; i < CROWD; i++) die(pool_print("q%d", i));
    wait_s(2);
    clear_many_times(TIMES, pool_print("QUEUE.PUT q%d x", KNOWN_MAX));
    for (int i = 0; i < CROWD; i++) done(pool_print("DEL q%d", i));
    wait_s(2);
    AWAIT(!finding_of(patient, "keys"));
    expect_all_well();
    expect_large_is_found();
}

static void stage_large_crowd(const char *settings) {
    examine(settings);
    done("CONTAINER.CREATE c0");
    fill("BLOB.PUT c0 b", " ", 0, 30);
    for (int i = 1; i <= KNOWN_MAX; i++) done(pool_print("COPY c0 c%d", i));
    for (int i = 0; i <= KNOWN_MAX; i++) done(pool_print("BLOB.PUT c%d x x", i));
}

static size_t count_findings_below(const char *limit) {
    done(pool_print("CONFIG SET proto-max-bulk-len %s", limit));
    size_t count = call(patient, "HOLDFAST.DOCTOR")->elements;
    done("CONFIG SET proto-max-bulk-len 512mb");
    return count;
}

TEST(a_crowd_of_large_values_is_passed_over_for_a_while) {
    int times = 0;
    stage_large_crowd("");
    do clear_many_times(1, pool_print("BLOB.PUT c%d x x", KNOWN_MAX));
    while (count_findings_below("1mb") && ++times < 10);
    require(times < 10, "all of them are listed");
    done("FLUSHALL");
    wait_s(61);
    expect_large_is_found();
}

TEST(values_beyond_the_limit_are_never_passed_over) {
    stage_large_crowd("proto-max-bulk-len 1mb\n");
    clear_many_times(5, pool_print("BLOB.PUT c%d x x", KNOWN_MAX));
    expect_elements(call(patient, "HOLDFAST.DOCTOR"), SHOWN_MAX + 1);
}
