/* A cluster: every command is sent on to where its key is, keys move while clients work and wait, and whoever waits is
 * told where to go on. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grammar.h"
#include "harness.h"
#include "leases.h"
#include "messages.h"
#include "pool.h"
#include "same_everywhere.h"
#include "shards.h"
#include "text.h"
#include "waiting.h"

enum { REDIRECT_MS = 5000, VOTE_MS = 5500, LARGE = 200000, ENDINGS = 400, COMEBACKS = 3 };

static int cluster_open(void **state) {
    (void)state;
    shards_start(2, 1, "");
    return 0;
}

static int cluster_close(void **state) {
    (void)state;
    shards_stop();
    return 0;
}

static int play_open(void **state) {
    (void)state;
    shards_begin();
    return 0;
}

static int play_close(void **state) {
    (void)state;
    pool_drain();
    return 0;
}

/* The line with the key in place of the word K. */
static const char *with_key(const char *line, const char *key) {
    struct words words = words_of_line(line);
    struct text text = {0};
    for (size_t i = 0; i < words.count; i++)
        text_print(&text, "%s%s", i ? " " : "", strcmp(words.word[i], "K") ? words.word[i] : key);
    return text.bytes;
}

static redisReply *call_key(struct client *client, const char *line, const char *key) {
    return call_line(client, with_key(line, key));
}

static void play(struct client *client, const char *key, const char *const *lines) {
    for (; *lines; lines++) {
        redisReply *reply = call_key(client, *lines, key);
        require(!reply_is_error(reply), "%s gave %s", *lines, reply_text(reply));
    }
}

static const char *sent_to(const char *how, int slot, struct client *where) {
    return pool_print("%s %d 127.0.0.1:%d", how, slot, where->server->port);
}

/* --- Where commands go ------------------------------------------------------------------------------------------- */

/* Those without keys of their own. */
static bool has_key(const char *command) {
    redisReply *info = expect_elements(call(node[0], "COMMAND INFO %s", command), 1)->element[0];
    return info->element[3]->integer == 1;
}

/* The command with its key, and words enough. */
static struct words min_words(const char *command, const char *key) {
    redisReply *info = call(node[0], "COMMAND INFO %s", command)->element[0];
    struct words words = words_of_line(command);
    for (long long given = 1; given < llabs(info->element[1]->integer); given++) words_add(&words, key);
    return words;
}

TEST(every_command_is_sent_to_its_node) {
    const char *key = pool_print("%s:k", shards_tag(1, 0));
    struct words commands = grammar_commands(node[0]);
    size_t sent = 0;
    for (size_t i = 0; i < commands.count; i++) {
        if (!has_key(commands.word[i])) continue;
        struct words words = min_words(commands.word[i], key);
        expect_error(call_words(node[0], &words), sent_to("MOVED", slot_of(key), node[1]));
        sent++;
    }
    require(sent > 100, "%zu commands have keys", sent);
}

/* While a slot moves, what has gone already is asked for at its new node, and what has not is served here. */
TEST(commands_ask_while_a_slot_moves) {
    const char *tag = shards_tag(0, 0), *gone = pool_print("%s:gone", tag),
               *here = pool_print("%s:here", tag);
    int slot = slot_of(tag);
    play(node[0], here, (const char *const[]){"CONTAINER.CREATE K", "BLOB.PUT K cat meow", NULL});
    play(node[0], gone, (const char *const[]){"CONTAINER.CREATE K", "BLOB.PUT K dog woof", NULL});
    const char *etag = call(node[0], "BLOB.GET %s dog", gone)->element[0]->str;
    slot_opens(slot, node[0], node[1]);
    expect_ok(call(node[0], "MIGRATE 127.0.0.1 %d %s 0 5000", node[1]->server->port, gone));
    expect_text(call(node[0], "BLOB.GET %s cat", here)->element[1], "meow");
    expect_error(call(node[0], "BLOB.GET %s dog", gone), sent_to("ASK", slot, node[1]));
    expect_error(call(node[0], "BLOB.PUT %s dog bark IFMATCH %s", gone, etag), sent_to("ASK", slot, node[1]));
    expect_error(call(node[1], "BLOB.GET %s dog", gone), sent_to("MOVED", slot, node[0]));
    expect_ok(call(node[1], "ASKING"));
    const char *next = expect_etag(call(node[1], "BLOB.PUT %s dog bark IFMATCH %s", gone, etag));
    require(strcmp(next, etag) > 0, "%s behind %s", next, etag);
    expect_error(call(node[0], "BLOB.COPY %s twin %s dog", here, gone), "TRYAGAIN");
    expect_error(call(node[0], "HOLDFAST.ATOMIC 2 4 BLOB.PUT %s a x 4 BLOB.PUT %s a x", here, gone),
                 "TRYAGAIN");
    expect_error(call(node[0], "BLOB.GET %s a", here), "NOTFOUND BlobNotFound");
    expect_ok(call(node[1], "ASKING"));
    expect_error(call(node[1], "BLOB.COPY %s twin %s cat", gone, here), "TRYAGAIN");
    slot_moves(slot, node[0], node[1]);
    slot_closes(slot, node[1]);
    expect_error(call(node[0], "BLOB.GET %s cat", here), sent_to("MOVED", slot, node[1]));
    expect_elements(call(node[1], "BLOB.COPY %s twin %s dog", here, gone), 3);
}

TEST(replicas_read_where_they_are_asked_to) {
    const char *key = pool_print("%s:k", shards_tag(0, 0));
    play(node[0], key, (const char *const[]){"CONTAINER.CREATE K", "BLOB.PUT K cat meow", NULL});
    await_in_step(node[2], node[0]);
    const char *moved = sent_to("MOVED", slot_of(key), node[0]);
    expect_error(call(node[2], "BLOB.GET %s cat", key), moved);
    struct client *reader = test_client(node[2]->server);
    expect_ok(call(reader, "READONLY"));
    expect_text(call(reader, "BLOB.GET %s cat", key)->element[1], "meow");
    expect_error(call(reader, "BLOB.PUT %s cat purr", key), moved);
    expect_error(call(reader, "BLOB.GET %s cat", pool_print("%s:k", shards_tag(1, 0))), "MOVED");
    send_line(reader, pool_print("BLOB.GET %s dog BLOCK 0", key));
    await_waiters(node[2], 1);
    play(node[0], key, (const char *const[]){"BLOB.PUT K dog woof", NULL});
    expect_text(answer_within(reader, REDIRECT_MS)->element[1], "woof");
    expect_ok(call(reader, "READWRITE"));
    expect_error(call(reader, "BLOB.GET %s cat", key), moved);
}

/* --- Who waits ------------------------------------------------------------------------------------------ */

/* What makes a value, and who waits for what in it; and then for whom it is served. */
static const struct wait {
    const char *name, *prepare[8], *line, *serve;
} waits[] = {
    {"a lease",
     {"CONTAINER.CREATE K", "BLOB.PUT K b x", "LEASE.ACQUIRE K 60 ID " ID_A " BLOB b"},
     "LEASE.ACQUIRE K 60 BLOB b BLOCK 0",
     "LEASE.RELEASE K " ID_A " BLOB b"},
    {"a container's lease",
     {"CONTAINER.CREATE K", "LEASE.ACQUIRE K 60 ID " ID_A},
     "LEASE.ACQUIRE K 60 BLOCK 0",
     "LEASE.RELEASE K " ID_A},
    {"news of a blob", {"CONTAINER.CREATE K"}, "BLOB.GET K b BLOCK 0", "BLOB.PUT K b x"},
    {"a message", {"QUEUE.CREATE K"}, "QUEUE.GET K BLOCK 0", "QUEUE.PUT K x"},
    {"a lease on a file",
     {"SHARE.CREATE K", "FILE.CREATE K f 10", "LEASE.ACQUIRE K -1 ID " ID_A " FILE f"},
     "LEASE.ACQUIRE K -1 FILE f BLOCK 0",
     "LEASE.RELEASE K " ID_A " FILE f"},
    {NULL},
};

static void expect_served(struct client *at, const struct wait *wait, const char *key) {
    struct client *waiter = waiting_at(at->server, 0, with_key(wait->line, key));
    play(at, key, (const char *const[]){wait->serve, NULL});
    redisReply *reply = answer_within(waiter, REDIRECT_MS);
    require(!reply_is_error(reply), "%s: %s", wait->name, reply_text(reply));
}

/* Two of each wait. */
struct pair {
    struct client *first, *second;
};

static struct pair two_waiting(const struct wait *wait, const char *key) {
    play(node[0], key, wait->prepare);
    const char *line = with_key(wait->line, key);
    return (struct pair){waiting_at(node[0]->server, 0, line), waiting_at(node[0]->server, 0, line)};
}

/* Both are told where to go, and it is served there. */
static void expect_both_sent_on(struct pair waiters, const struct wait *wait, const char *key) {
    const char *moved = sent_to("MOVED", slot_of(key), node[1]);
    expect_error(answer_within(waiters.first, REDIRECT_MS), moved);
    expect_error(answer_within(waiters.second, REDIRECT_MS), moved);
    require(!waiters_at(node[0]), "%s: somebody is left in line", wait->name);
    expect_served(node[1], wait, key);
}

TEST(waiters_in_a_slot_that_moves_are_sent_on) {
    for (const struct wait *wait = waits; wait->name; wait++) {
        const char *key = pool_print("%s:k", shards_tag(0, (int)(wait - waits)));
        struct pair waiters = two_waiting(wait, key);
        slot_opens(slot_of(key), node[0], node[1]);
        expect_still_waiting(waiters.first);
        slot_moves(slot_of(key), node[0], node[1]);
        slot_closes(slot_of(key), node[1]);
        expect_both_sent_on(waiters, wait, key);
    }
}

/* Until the key has gone, clients that wait are served where it is. */
TEST(waiters_are_served_until_the_key_has_gone) {
    for (const struct wait *wait = waits; wait->name; wait++) {
        int number = (int)(wait - waits);
        const char *tag = shards_tag(0, 8 + number), *key = pool_print("%s:k", tag);
        int slot = slot_of(key);
        play(node[0], key, wait->prepare);
        slot_opens(slot, node[0], node[1]);
        expect_served(node[0], wait, key);
        slot_moves(slot, node[0], node[1]);
        slot_closes(slot, node[1]);
        require(call(node[1], "EXISTS %s", key)->integer, "%s: the key has not come", wait->name);
    }
}

/* Its time is up after the key has gone, and before its slot has: nobody may tell it that there is no such key. */
TEST(who_has_waited_in_vain_tries_again_where_the_key_is_now) {
    for (const struct wait *wait = waits; wait->name; wait++) {
        int number = (int)(wait - waits);
        const char *tag = shards_tag(0, 22 + number), *key = pool_print("%s:k", tag);
        int slot = slot_of(key);
        play(node[0], key, wait->prepare);
        const char *line = pool_print("%s.7", with_key(wait->line, key)); /* BLOCK 0.7 */
        struct client *waiter = waiting_at(node[0]->server, 0, line);
        slot_opens(slot, node[0], node[1]);
        slot_moves(slot, node[0], node[1]);
        redisReply *reply = answer_within(waiter, REDIRECT_MS);
        if (strstr(wait->name, "news"))
            expect_null(reply);
        else
            expect_error(reply, "TRYAGAIN");
        slot_closes(slot, node[1]);
    }
}

/* A follower may wait at a replica, too. */
TEST(who_has_waited_in_vain_is_told_of_a_key_that_is_gone) {
    const char *tag = shards_tag(0, 30), *box = pool_print("%s:box", tag), *jobs = pool_print("%s:jobs", tag);
    play(node[0], box, (const char *const[]){"CONTAINER.CREATE K", "CONTAINER.FEED K ON", NULL});
    play(node[0], jobs, (const char *const[]){"QUEUE.CREATE K", NULL});
    const char *since = call(node[0], "CONTAINER.CHANGES %s SINCE $", box)->element[0]->str;
    await_in_step(node[2], node[0]);
    struct client *follower = test_client(node[2]->server);
    expect_ok(call(follower, "READONLY"));
    send_line(follower, pool_print("CONTAINER.CHANGES %s SINCE %s BLOCK 0.7", box, since));
    await_waiters(node[2], 1);
    struct client *waiter = waiting_at(node[0]->server, 0, pool_print("QUEUE.GET %s BLOCK 0.7", jobs));
    expect_number(call(node[0], "DEL %s %s", box, jobs), 2);
    expect_error(answer_within(waiter, REDIRECT_MS), "NOTFOUND QueueNotFound");
    expect_error(answer_within(follower, REDIRECT_MS), "NOTFOUND ContainerNotFound");
}

/* Who asks at the new node while the slot is still on its way waits there, and is served there. */
TEST(a_client_that_asks_waits_at_the_new_node) {
    const char *tag = shards_tag(0, 20), *key = pool_print("%s:jobs", tag);
    int slot = slot_of(key);
    play(node[0], key, (const char *const[]){"QUEUE.CREATE K", NULL});
    slot_opens(slot, node[0], node[1]);
    slot_moves(slot, node[0], node[1]);
    struct client *waiter = test_client(node[1]->server);
    expect_ok(call(waiter, "ASKING"));
    send_line(waiter, pool_print("QUEUE.GET %s BLOCK 0", key));
    await_waiters(node[1], 1);
    usleep(300000); /* the server looks at those who wait many times meanwhile */
    expect_still_waiting(waiter);
    slot_closes(slot, node[1]);
    expect_error(call(node[0], "QUEUE.PUT %s x", key), "MOVED");
    play(node[1], key, (const char *const[]){"QUEUE.PUT K x", NULL});
    expect_elements(answer_within(waiter, REDIRECT_MS), 1);
}

TEST(time_serves_a_client_that_asks_at_the_new_node) {
    const char *tag = shards_tag(0, 21), *key = pool_print("%s:jobs", tag);
    int slot = slot_of(key);
    play(node[0], key, (const char *const[]){"QUEUE.CREATE K", "QUEUE.PUT K x VISIBILITY 1", NULL});
    slot_opens(slot, node[0], node[1]);
    slot_moves(slot, node[0], node[1]);
    struct client *waiter = test_client(node[1]->server);
    expect_ok(call(waiter, "ASKING"));
    send_line(waiter, pool_print("QUEUE.GET %s BLOCK 0", key));
    expect_elements(answer_within(waiter, REDIRECT_MS), 1);
    slot_closes(slot, node[1]);
}

static bool comes_to_lead(struct client *client, int ms) {
    for (; ms > 0; ms -= 20, usleep(20000))
        if (!strcmp(call(client, "ROLE")->element[0]->str, "master")) return true;
    return false;
}

/* The other primaries deny their vote as long as they have not heard of the last slots that moved. */
static void fail_over_to(struct client *heir) {
    for (int attempt = 0; attempt < 5; attempt++) {
        expect_ok(call(heir, "CLUSTER FAILOVER"));
        if (comes_to_lead(heir, VOTE_MS)) return;
    }
    failure("%s is not elected", heir->server->name);
}

/* A planned failover: who waits at the old primary is told so, and can wait at the new one. */
TEST(waiters_are_told_of_a_failover) {
    struct client *waiters[16];
    int count = 0;
    for (const struct wait *wait = waits; wait->name; wait++) {
        const char *key = pool_print("%s:k", shards_tag(0, count));
        play(node[0], key, wait->prepare);
        waiters[count++] = waiting_at(node[0]->server, 0, with_key(wait->line, key));
    }
    await_in_step(node[2], node[0]);
    fail_over_to(node[2]);
    for (int i = 0; i < count; i++) {
        redisReply *reply = answer_within(waiters[i], 2 * REDIRECT_MS);
        bool told = reply_is_error(reply) &&
                    (text_begins(reply->str, "UNBLOCKED ") || text_begins(reply->str, "MOVED "));
        require(told, "%s: %s", waits[i].name, reply_text(reply));
    }
    await_slot(slot_of(shards_tag(0, 0)), node[2]);
    require(!waiters_at(node[0]), "somebody is left in line");
    for (int i = 0; i < count; i++) expect_served(node[2], &waits[i], pool_print("%s:k", shards_tag(0, i)));
    await_in_step(node[0], node[2]);
    expect_ok(call(node[0], "CLUSTER FAILOVER TAKEOVER")); /* nobody votes twice in a short time */
    await_slot(slot_of(shards_tag(0, 0)), node[0]);
    await_in_step(node[2], node[0]);
}

/* The server tells those who wait that the cluster is down when its cron comes by: with this setting, once a second. */
TEST(time_grants_nothing_while_the_cluster_is_down) {
    const char *const key = pool_print("%s:k", shards_tag(0, 0));
    const int uncovered = slot_of(shards_tag(0, 1));
    configure(node[0], "hz", "1");
    configure(node[0], "cluster-require-full-coverage", "yes");
    configure(node[0], "holdfast.lease-min-seconds", "0.001");
    for (int round = 0; round < 8; round++) {
        configure(node[0], "cluster-allow-reads-when-down", round % 2 ? "yes" : "no");
        play(node[0], key, (const char *const[]){"CONTAINER.CREATE K", "LEASE.ACQUIRE K 0.1", NULL});
        struct client *waiter = waiting_at(node[0]->server, 0, with_key("LEASE.ACQUIRE K 60 BLOCK 0", key));
        expect_ok(call(node[0], "CLUSTER DELSLOTS %d", uncovered));
        expect_error(answer_within(waiter, REDIRECT_MS), "CLUSTERDOWN");
        expect_ok(call(node[0], "CLUSTER ADDSLOTS %d", uncovered));
        AWAIT(!reply_is_error(call(node[0], "DEL %s", key)));
    }
}

/* --- At once --------------------------------------------------------------------------------------------------- */

static void need_migration_at_once(void) {
    if (slots_migrate_at_once(node[0])) return;
    print_message("# skipped: this server moves slots key by key alone\n");
    skip();
}

/* So that the slot takes a while to move. */
static void make_large(const char *key) {
    expect_etag(call(node[0], "CONTAINER.CREATE %s", key));
    call_many(node[0], LARGE, pool_print("BLOB.PUT %s b%%d x", key));
}

static long long misfits_at(struct client *client) {
    return info_of(client, "holdfast_effects_misfit") + info_of(client, "holdfast_effects_malformed");
}

TEST(waiters_in_a_slot_that_moves_at_once_are_sent_on) {
    need_migration_at_once();
    for (const struct wait *wait = waits; wait->name; wait++) {
        const char *key = pool_print("%s:k", shards_tag(0, (int)(wait - waits)));
        struct pair waiters = two_waiting(wait, key);
        slot_sets_out(slot_of(key), node[0], node[1]);
        expect_still_waiting(waiters.first);
        slot_arrives(slot_of(key), node[0], node[1]);
        expect_both_sent_on(waiters, wait, key);
    }
}

/* The move comes to nothing: who waits goes on waiting, and nothing is left at the node that would have got it. */
TEST(waiters_in_a_slot_that_stays_are_served) {
    need_migration_at_once();
    for (const struct wait *wait = waits; wait->name; wait++) {
        const char *key = pool_print("%s:k", shards_tag(0, (int)(wait - waits)));
        struct pair waiters = two_waiting(wait, key);
        slot_sets_out(slot_of(key), node[0], node[1]);
        slot_stays(slot_of(key), node[0], node[1]);
        expect_still_waiting(waiters.first);
        play(node[0], key, (const char *const[]){wait->serve, NULL});
        redisReply *reply = answer_within(waiters.first, REDIRECT_MS);
        require(!reply_is_error(reply), "%s: %s", wait->name, reply_text(reply));
        AWAIT(!call(node[1], "CLUSTER COUNTKEYSINSLOT %d", slot_of(key))->integer);
    }
}

/* At node[1], what its owner holds in a box, a queue and a share of one slot: a lease, a message, a session with a file,
 * and how far it follows. */
struct held {
    const char *box, *jobs, *files;
    const char *since, *id, *receipt, *session, *handle;
};

static struct held hold_all(const char *tag) {
    struct held held = {.box = pool_print("%s:box", tag),
                        .jobs = pool_print("%s:jobs", tag),
                        .files = pool_print("%s:files", tag)};
    play(node[1], held.box,
         (const char *const[]){"CONTAINER.CREATE K", "CONTAINER.FEED K ON", "BLOB.PUT K a x",
                               ("LEASE.ACQUIRE K -1 ID " ID_A " BLOB a"), NULL});
    play(node[1], held.jobs, (const char *const[]){"QUEUE.CREATE K", "QUEUE.PUT K work", NULL});
    play(node[1], held.files, (const char *const[]){"SHARE.CREATE K", "FILE.CREATE K f 10", NULL});
    held.since = reply_string(call(node[1], "CONTAINER.CHANGES %s SINCE $", held.box)->element[0]);
    redisReply *message = call(node[1], "QUEUE.GET %s VISIBILITY 60", held.jobs)->element[0];
    held.id = reply_string(field(message, "id"));
    held.receipt = reply_string(field(message, "receipt"));
    held.session = reply_string(call(node[1], "SHARE.CONNECT %s 60", held.files));
    redisReply *open = call(node[1], "FILE.OPEN %s %s f ACCESS 1 WRITE SHARE 0", held.files, held.session);
    held.handle = reply_string(field(open, "handle"));
    return held;
}

/* While the slot is on its way: across keys, and with a token. */
static redisReply *go_on_meanwhile(const struct held *held) {
    redisReply *both = call(node[1], "HOLDFAST.ATOMIC 2 6 BLOB.PUT %s a y LEASE " ID_A " 3 QUEUE.PUT %s more",
                            held->box, held->jobs);
    expect_elements(both, 2);
    expect_ok(call(node[1], "FILE.LOCK %s %s EXCLUSIVE 0 5", held->files, held->handle));
    return call(node[1], "BLOB.PUT %s b z ONCE token", held->box);
}

static void expect_held_at(struct client *at, const struct held *held, const redisReply *noted) {
    expect_elements(call(at, "CONTAINER.CHANGES %s SINCE %s", held->box, held->since)->element[1], 2);
    expect_text(call(at, "BLOB.PUT %s b z ONCE token", held->box), noted->str);
    expect_etag(call(at, "BLOB.PUT %s a z LEASE " ID_A, held->box));
    expect_error(call(at, "BLOB.PUT %s a z", held->box), "PRECONDITION LeaseIdMissing");
    expect_ok(call(at, "QUEUE.DELETE %s %s %s", held->jobs, held->id, held->receipt));
    expect_texts(call(at, "QUEUE.GET %s COUNT 2", held->jobs), "more");
    expect_number(call(at, "SHARE.PING %s %s", held->files, held->session), 60000);
    expect_ok(call(at, "FILE.UNLOCK %s %s 0 5", held->files, held->handle));
}

/* To a node that has a replica. */
TEST(what_is_held_goes_on_where_its_slot_has_gone) {
    need_migration_at_once();
    const char *tag = shards_tag(1, 0);
    struct held held = hold_all(tag);
    slot_sets_out(slot_of(tag), node[1], node[0]);
    redisReply *noted = go_on_meanwhile(&held);
    slot_arrives(slot_of(tag), node[1], node[0]);
    await_in_step(node[2], node[0]);
    require_same(node[2], node[0], "when a slot has come");
    expect_held_at(node[0], &held, noted);
    require(!misfits_at(node[0]) && !misfits_at(node[2]), "effects did not fit");
}

/* The first node is in a later epoch than the other one, where nothing is written then: it goes on in its own, also
 * while the slot is on its way. */
TEST(followers_go_on_where_a_slot_moves_to_and_fro) {
    need_migration_at_once();
    const char *chest = pool_print("%s:chest", shards_tag(1, 0));
    play(node[1], chest,
         (const char *const[]){"CONTAINER.CREATE K", "CONTAINER.FEED K ON", "BLOB.PUT K a x", NULL});
    slot_migrates(slot_of(chest), node[1], node[0]);
    const char *since = expect_etag(call(node[0], "BLOB.PUT %s b x", chest));
    slot_sets_out(slot_of(chest), node[0], node[1]);
    expect_etag(call(node[0], "BLOB.PUT %s c x", chest));
    slot_arrives(slot_of(chest), node[0], node[1]);
    slot_migrates(slot_of(chest), node[1], node[0]);
    expect_etag(call(node[0], "BLOB.PUT %s d x", chest));
    slot_migrates(slot_of(chest), node[0], node[1]);
    redisReply *page = expect_elements(call(node[1], "CONTAINER.CHANGES %s SINCE %s", chest, since), 2);
    expect_elements(page->element[1], 2);
}

/* Windows and sessions end all the time while the slot moves. Who sends it decides that they are over, and who gets
 * it hears of that, and decides nothing. */
TEST(expiries_in_a_moving_slot_are_decided_by_one_node) {
    need_migration_at_once();
    const char *tag = shards_tag(0, 0), *jobs = pool_print("%s:jobs", tag),
               *files = pool_print("%s:files", tag);
    make_large(pool_print("%s:large", tag));
    expect_ok(call(node[0], "QUEUE.CREATE %s MAXDELIVERIES 1", jobs));
    expect_etag(call(node[0], "SHARE.CREATE %s", files));
    for (int i = 0; i < ENDINGS; i++) {
        call(node[0], "QUEUE.PUT %s m%d", jobs, i);
        expect_elements(call(node[0], "QUEUE.GET %s VISIBILITY 1", jobs), 1);
        call(node[0], "SHARE.CONNECT %s 1", files);
        usleep(3000);
    }
    slot_migrates(slot_of(tag), node[0], node[1]);
    require(!misfits_at(node[0]) && !misfits_at(node[1]), "%lld and %lld effects did not fit",
            misfits_at(node[0]), misfits_at(node[1]));
    AWAIT(field(call(node[1], "QUEUE.STAT %s", jobs), "dead")->integer == ENDINGS);
}

/* Who waits at node[0] for a slot that has left, and is on its way back before the server says so: with a low `hz` it
 * comes by once a second. `there`, if any, is sent where the slot is meanwhile. */
static struct client *waiting_for_slot_on_its_way_back(const char *line, const char *key, const char *there) {
    struct client *waiter = waiting_at(node[0]->server, 0, with_key(line, key));
    slot_migrates(slot_of(key), node[0], node[1]);
    if (there) play(node[1], key, (const char *const[]){there, NULL});
    slot_sets_out(slot_of(key), node[1], node[0]);
    return waiter;
}

static void expect_sent_on(struct client *waiter, const char *key) {
    expect_error(answer_within(waiter, REDIRECT_MS), sent_to("MOVED", slot_of(key), node[1]));
    slot_arrives(slot_of(key), node[1], node[0]);
}

/* What is freed and made at its node is not for those who wait where its copy arrives: others may have it already. */
TEST(nobody_is_served_from_a_slot_that_is_on_its_way) {
    need_migration_at_once();
    configure(node[0], "hz", "1");
    for (const struct wait *wait = waits; wait->name; wait++) {
        const char *key = pool_print("%s:k", shards_tag(0, (int)(wait - waits)));
        play(node[0], key, wait->prepare);
        struct client *waiter = waiting_for_slot_on_its_way_back(wait->line, key, NULL);
        play(node[1], key, (const char *const[]){wait->serve, NULL});
        expect_sent_on(waiter, key);
    }
}

TEST(time_serves_nobody_from_a_slot_that_is_on_its_way) {
    need_migration_at_once();
    configure(node[0], "hz", "1");
    configure(node[1], "holdfast.lease-min-seconds", "0.001");
    for (int round = 0; round < COMEBACKS; round++) {
        const char *key = pool_print("%s:k%d", shards_tag(0, 0), round);
        play(node[0], key, (const char *const[]){"CONTAINER.CREATE K", "LEASE.ACQUIRE K -1 ID " ID_A, NULL});
        struct client *waiter = waiting_for_slot_on_its_way_back("LEASE.ACQUIRE K 60 BLOCK 0", key,
                                                                 "LEASE.ACQUIRE K 0.3 ID " ID_A);
        expect_sent_on(waiter, key);
    }
}

/* Nor those who follow at a replica, which gets the same effects. */
TEST(nobody_at_a_replica_has_news_from_a_slot_that_is_on_its_way) {
    need_migration_at_once();
    configure(node[0], "hz", "1");
    configure(node[2], "hz", "1");
    const char *key = pool_print("%s:k", shards_tag(0, 0));
    play(node[0], key,
         (const char *const[]){"CONTAINER.CREATE K", "CONTAINER.FEED K ON", "BLOB.PUT K a x", NULL});
    const char *since = reply_string(call(node[0], "CONTAINER.CHANGES %s SINCE $", key)->element[0]);
    await_in_step(node[2], node[0]);
    struct client *follower = test_client(node[2]->server);
    expect_ok(call(follower, "READONLY"));
    send_line(follower, pool_print("CONTAINER.CHANGES %s SINCE %s BLOCK 0", key, since));
    await_waiters(node[2], 1);
    slot_migrates(slot_of(key), node[0], node[1]);
    play(node[1], key, (const char *const[]){"BLOB.PUT K c x", "BLOB.PUT K b x", NULL});
    slot_sets_out(slot_of(key), node[1], node[0]);
    redisReply *reply = answer_within(follower, REDIRECT_MS);
    bool told =
        reply_is_error(reply) && (text_begins(reply->str, "TRYAGAIN ") || text_begins(reply->str, "MOVED "));
    require(told, "%s", reply_text(reply));
    slot_arrives(slot_of(key), node[1], node[0]);
}

/* min-replicas-to-write 1 would stop a primary when its only replica dies, and one that has just been promoted. */
TEST(doctor_lets_a_primary_of_a_cluster_outlive_its_only_replica) {
    AWAIT(strstr(call(node[0], "INFO replication")->str, "connected_slaves:1"));
    const char *findings = reply_text(call(node[0], "HOLDFAST.DOCTOR"));
    require(!strstr(findings, "min-replicas-to-write"), "%s", findings);
}

int main(void) {
    return test_list_play(&(struct test_frame){play_open, play_close, cluster_open, cluster_close});
}
