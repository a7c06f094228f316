/* The ways to the commands: transactions, scripts, both protocols, other databases, limited users, introspection. */
#include <stdio.h>
#include <string.h>

#include "grammar.h"
#include "harness.h"
#include "pool.h"
#include "probes.h"
#include "single_server.h"
#include "text.h"
#include "traces.h"
#include "waiting.h"
#include "wire.h"

TEST(a_transaction_sees_its_own_writes) {
    expect_ok(call(primary, "MULTI"));
    call(primary, "CONTAINER.CREATE box");
    call(primary, "BLOB.PUT box cat meow");
    call(primary, "BLOB.GET box cat");
    call(primary, "BLOB.PUT box cat purr IFNONEMATCH *");
    call(primary, "BLOB.PUT box cat purr");
    call(primary, "BLOB.GET box cat RANGE 1 2");
    redisReply *replies = expect_elements(call(primary, "EXEC"), 6);
    const char *etag = expect_etag(replies->element[1]);
    expect_text(replies->element[2]->element[0], etag);
    expect_text(replies->element[2]->element[1], "meow");
    expect_error(replies->element[3], "CONFLICT BlobAlreadyExists");
    assert_true(strcmp(expect_etag(replies->element[4]), etag) > 0);
    expect_text(replies->element[5]->element[1], "ur");
}

/* What is kept of an argument is kept apart from the transaction that brought it. */
TEST(a_transaction_brings_large_content) {
    enum { LENGTH = 200000 };
    create("box");
    char *content = pool_take(LENGTH);
    memset(content, 'x', LENGTH);
    expect_ok(call(primary, "MULTI"));
    call(primary, "BLOB.PUT box one %b", content, (size_t)LENGTH);
    call(primary, "BLOB.PUT box two %b", content, (size_t)LENGTH);
    call(primary, "BLOB.DELETE box one");
    expect_elements(call(primary, "EXEC"), 3);
    expect_bytes(call(primary, "BLOB.GET box two")->element[1], content, LENGTH);
}

TEST(scripts_get_values_and_errors) {
    expect_etag(call(primary, "EVAL %s 1 box", "return redis.call('CONTAINER.CREATE', KEYS[1])"));
    redisReply *reply = call(primary, "EVAL %s 1 box %s",
                             "redis.call('BLOB.PUT', KEYS[1], 'cat', ARGV[1]) "
                             "local got = redis.call('BLOB.GET', KEYS[1], 'cat') return {#got, got[2]}",
                             "meow");
    expect_shape(reply, "[2, \"meow\"]");
    expect_error(call(primary, "EVAL %s 1 box", "return redis.call('BLOB.GET', KEYS[1], 'none')"),
                 "NOTFOUND BlobNotFound");
    reply = call(primary, "EVAL %s 1 box",
                 "local got = redis.pcall('BLOB.PUT', KEYS[1], 'cat', 'x', 'IFMATCH', '0x1') return got.err");
    assert_true(text_begins(reply->str, "PRECONDITION ConditionNotMet"));
    expect_null(call(primary, "EVAL %s 1 box",
                     "local etag = redis.call('BLOB.GET', KEYS[1], 'cat')[1] "
                     "return redis.call('BLOB.GET', KEYS[1], 'cat', 'IFNONEMATCH', etag)"));
}

TEST(scripts_keep_large_content) {
    create("box");
    expect_etag(
        call(primary, "EVAL %s 1 box",
             "local text = string.rep('0123456789', 20000) redis.call('BLOB.PUT', KEYS[1], 'one', text) "
             "return redis.call('BLOB.PUT', KEYS[1], 'two', text)"));
    expect_number(field(stat_of("box", "two"), "content-length"), 200000);
    expect_text(call(primary, "BLOB.GET box one RANGE 199990 10")->element[1], "0123456789");
}

TEST(read_only_scripts_read_only) {
    create("box");
    put("box", "cat", "meow");
    traces_begin("");
    expect_etag(call(primary, "EVAL_RO %s 1 box", "return redis.call('BLOB.GET', KEYS[1], 'cat')"));
    expect_error(call(primary, "EVAL_RO %s 1 box", "return redis.call('BLOB.PUT', KEYS[1], 'cat', 'x')"),
                 "ERR");
    traces_require_none();
}

TEST(scripts_that_name_maps_get_maps) {
    create("box");
    put("box", "cat", "meow");
    redisReply *reply = call(primary, "EVAL %s 1 box",
                             "redis.setresp(3) local stat = redis.call('BLOB.STAT', KEYS[1], 'cat') "
                             "return stat.map['content-length']");
    expect_number(reply, 4);
}

/* Behind a nil, how long a table of Lua is differs from server to server. */
TEST(scripts_that_name_maps_get_nil_for_null) {
    create("box");
    put("box", "cat", "meow");
    expect_shape(call(primary, "EVAL %s 1 box",
                      "local function tell() local page = redis.call('BLOB.LIST', KEYS[1]) "
                      "return {tostring(page[1]), #page[2]} end "
                      "local flat = tell() redis.setresp(3) return {flat, tell()}"),
                 "[[\"false\", 1], [\"nil\", 1]]");
}

TEST(resp3_has_maps_and_nulls) {
    expect_etag(call(primary, "CONTAINER.CREATE box META 1 a b ACCESS BLOB"));
    expect_etag(call(primary, "CONTAINER.SETACL box POLICIES 1 id 0 - r"));
    const char *etag = expect_etag(call(primary, "BLOB.PUT box cat meow META 1 a b"));
    struct wire *wire = wire_open_resp3(primary->server);
    expect_shape(
        wire_call(wire, "CONTAINER.GET box"),
        "{\"etag\": <etag>, \"last-modified\": <ms>, \"created\": <ms>, \"access\": \"private\", "
        "\"blobs\": 1, \"bytes\": 4, \"lease-state\": \"available\", \"lease-status\": \"unlocked\", "
        "\"change\": <etag>, \"feed\": \"off\", \"meta\": {\"a\": \"b\"}}");
    expect_shape(wire_call(wire, "CONTAINER.GETMETA box"), "[<etag>, {\"a\": \"b\"}]");
    expect_shape(wire_call(wire, "CONTAINER.GETACL box"),
                 "{\"etag\": <etag>, \"access\": \"private\", \"policies\": "
                 "[{\"id\": \"id\", \"start\": 0, \"permissions\": \"r\"}]}");
    expect_shape(wire_call(wire, "BLOB.STAT box cat"),
                 "{\"blob-type\": \"block\", \"etag\": <etag>, \"last-modified\": <ms>, \"created\": <ms>, "
                 "\"content-length\": 4, \"content-type\": \"application/octet-stream\", \"snapshots\": 0, "
                 "\"lease-state\": \"available\", \"lease-status\": \"unlocked\", \"meta\": {\"a\": \"b\"}}");
    expect_shape(wire_call(wire, "BLOB.GETMETA box cat"), "[<etag>, {\"a\": \"b\"}]");
    expect_shape(wire_call(wire, "BLOB.GET box cat"), "[<etag>, \"meow\"]");
    expect_null(wire_call(wire, pool_print("BLOB.GET box cat IFNONEMATCH %s", etag)));
    expect_shape(wire_call(wire, "BLOB.LIST box INCLUDE 1 META"),
                 "[null, [{\"name\": \"cat\", \"blob-type\": \"block\", \"etag\": <etag>, "
                 "\"last-modified\": <ms>, \"created\": <ms>, \"content-length\": 4, \"content-type\": "
                 "\"application/octet-stream\", "
                 "\"lease-state\": \"available\", \"lease-status\": \"unlocked\", "
                 "\"meta\": {\"a\": \"b\"}}]]");
    expect_shape(wire_call(wire, "BLOB.LIST box DELIMITER a"), "[null, [{\"prefix\": \"ca\"}]]");
    expect_error(wire_call(wire, "BLOB.GET box none"), "NOTFOUND BlobNotFound");
    expect_ok(wire_call(wire, "BLOB.DELETE box cat"));
}

TEST(resp2_has_flat_arrays) {
    create("box");
    const char *etag = put("box", "cat", "meow");
    expect_shape(call(primary, "BLOB.GETMETA box cat"), "[<etag>, []]");
    expect_shape(call(primary, "BLOB.LIST box DELIMITER a"), "[null, [[\"prefix\", \"ca\"]]]");
    expect_null(call(primary, "BLOB.STAT box cat IFNONEMATCH %s", etag));
    expect_null(call(primary, "BLOB.GETMETA box cat IFNONEMATCH %s", etag));
}

TEST(databases_are_apart) {
    needs(KEEPS_DATABASE);
    create("box");
    put("box", "cat", "zero");
    expect_ok(call(primary, "SELECT 3"));
    expect_error(call(primary, "BLOB.GET box cat"), "NOTFOUND ContainerNotFound");
    create("box");
    put("box", "cat", "three");
    expect_ok(call(primary, "SELECT 0"));
    expect_text(call(primary, "BLOB.GET box cat")->element[1], "zero");
    expect_ok(call(primary, "SWAPDB 0 3"));
    expect_text(call(primary, "BLOB.GET box cat")->element[1], "three");
    expect_number(call(primary, "MOVE box 5"), 1);
    expect_error(call(primary, "BLOB.GET box cat"), "NOTFOUND ContainerNotFound");
    expect_ok(call(primary, "SELECT 5"));
    expect_text(call(primary, "BLOB.GET box cat")->element[1], "three");
    expect_ok(call(primary, "SELECT 0"));
}

static const char *const queue_reads[] = {"QUEUE.GETMETA box",      "QUEUE.GETACL box", "QUEUE.STAT box",
                                          "QUEUE.PEEK box COUNT 2", "QUEUE.DEAD box",   NULL};
static const char *const queue_growing_writes[] = {"QUEUE.CREATE box META 0", "QUEUE.SETMETA box META 0",
                                                   "QUEUE.SETACL box",        "QUEUE.PUT box text TTL 5",
                                                   "QUEUE.PUTMANY box 2 a b", NULL};
static const char *const queue_shrinking_writes[] = {
    "QUEUE.CONFIGURE box MAXDELIVERIES 1",
    "QUEUE.GET box COUNT 2",
    "QUEUE.UPDATE box id aaaaaaaa000040008000aaaaaaaaaaaa VISIBILITY 0",
    "QUEUE.RELEASE box id aaaaaaaa000040008000aaaaaaaaaaaa",
    "QUEUE.DELETE box id aaaaaaaa000040008000aaaaaaaaaaaa",
    "QUEUE.DELETEMANY box 1 id aaaaaaaa000040008000aaaaaaaaaaaa",
    "QUEUE.REDRIVE box",
    "QUEUE.CLEAR box",
    "QUEUE.DROP box",
    NULL};
static const char *const share_reads[] = {"SHARE.GET box",
                                          "SHARE.GETMETA box",
                                          "SHARE.GETACL box",
                                          "FILE.LIST box ''",
                                          "FILE.GET box f",
                                          "FILE.STAT box f",
                                          "FILE.GETMETA box f",
                                          "FILE.GETRANGES box f",
                                          "FILE.HANDLES box",
                                          "FILE.READ box h 0 1",
                                          NULL};
static const char *const share_growing_writes[] = {"SHARE.CREATE box",
                                                   "SHARE.SETMETA box META 0",
                                                   "SHARE.SETACL box",
                                                   "SHARE.SNAPSHOT box",
                                                   "SHARE.CONNECT box 1",
                                                   "FILE.MKDIR box d",
                                                   "FILE.CREATE box g 1",
                                                   "FILE.SETPROPS box f SIZE 1",
                                                   "FILE.SETMETA box f META 0",
                                                   "FILE.PUTRANGE box f 0 x",
                                                   "FILE.COPY box f g",
                                                   "FILE.RENAME box g h",
                                                   "FILE.OPEN box s f ACCESS 1 READ SHARE 1 READ",
                                                   "FILE.WRITE box h 0 x",
                                                   "FILE.LOCK box h SHARED 0 1",
                                                   NULL};
static const char *const share_shrinking_writes[] = {"SHARE.SETPROPS box QUOTA 0",
                                                     "SHARE.PING box s",
                                                     "SHARE.DISCONNECT box s",
                                                     "FILE.CLEARRANGE box f 0 1",
                                                     "FILE.TRUNCATE box h 1",
                                                     "FILE.UNLOCK box h 0 1",
                                                     "FILE.DISPOSE box h ON",
                                                     "FILE.CLOSE box h",
                                                     "FILE.CLOSEHANDLES box f *",
                                                     "FILE.DELETE box f",
                                                     "FILE.RMDIR box d",
                                                     "SHARE.DELETE box SNAPSHOTS INCLUDE",
                                                     NULL};
static const char *const table_reads[] = {"TABLE.GETACL box",
                                          "TABLE.INDEXES box",
                                          "TABLE.CHANGES box SINCE 0",
                                          "TABLE.GET box p r SELECT 1 a",
                                          "TABLE.QUERY box FILTER a EXPLAIN",
                                          NULL};
static const char *const table_growing_writes[] = {"TABLE.CREATE box",
                                                   "TABLE.BATCH box p 1 INSERTORMERGE box PROPS 0",
                                                   "TABLE.SETACL box",
                                                   "TABLE.INDEX box a b",
                                                   "TABLE.INSERT box p r PROPS 1 a box",
                                                   "TABLE.REPLACE box p r IFMATCH * PROPS 0",
                                                   "TABLE.MERGE box p r IFMATCH * IF a PROPS 0",
                                                   "TABLE.INSERTORREPLACE box p r PROPS 0",
                                                   "TABLE.INSERTORMERGE box p r PROPS 0",
                                                   NULL};
static const char *const table_shrinking_writes[] = {
    "TABLE.UNINDEX box a", "TABLE.FEED box ON", "TABLE.DELETE box p r IFMATCH *", "TABLE.DROP box", NULL};
static const char *const reads[] = {"CONTAINER.GET box",
                                    "CONTAINER.GETMETA box",
                                    "CONTAINER.GETACL box",
                                    "CONTAINER.CHANGES box SINCE 0",
                                    "BLOB.GET box cat",
                                    "BLOB.STAT box cat",
                                    "BLOB.GETMETA box cat",
                                    "BLOB.LIST box",
                                    "BLOB.GETBLOCKLIST box cat ALL",
                                    "BLOB.GETPAGES box cat",
                                    NULL};
static const char *const growing_writes[] = {
    "CONTAINER.CREATE box",          "CONTAINER.SETMETA box META 1 a b",
    "CONTAINER.SETACL box",          "BLOB.PUT box cat x",
    "BLOB.SETPROPS box cat PROPS 0", "BLOB.SETMETA box cat META 0",
    "BLOB.PUTBLOCK box cat AAAA x",  "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA",
    "BLOB.CREATEPAGE box disk 512",  "BLOB.PUTPAGE box disk 0 x",
    "BLOB.CREATEAPPEND box log",     "BLOB.APPEND box log x",
    "BLOB.SNAPSHOT box cat",         NULL};
static const char *const shrinking_writes[] = {"BLOB.CLEARPAGE box disk 0 512",
                                               "BLOB.SEAL box log",
                                               "BLOB.ABORTCOPY box cat 0x0000000000000001",
                                               "BLOB.DELETE box cat",
                                               "CONTAINER.FEED box ON",
                                               "CONTAINER.DELETE box",
                                               NULL};

enum { BLOBS, QUEUES, SHARES, TABLES };

static const struct family {
    const char *const *reads, *const *growing, *const *shrinking;
} families[] = {[BLOBS] = {reads, growing_writes, shrinking_writes},
                [QUEUES] = {queue_reads, queue_growing_writes, queue_shrinking_writes},
                [SHARES] = {share_reads, share_growing_writes, share_shrinking_writes},
                [TABLES] = {table_reads, table_growing_writes, table_shrinking_writes}};

static struct client *login(const char *rules) {
    struct words words = words_of_line("ACL SETUSER limited reset on nopass");
    words_add_line(&words, rules);
    expect_ok(call_words(primary, &words));
    struct client *client = test_client(primary->server);
    expect_ok(call(client, "AUTH limited x"));
    return client;
}

static void expect_permission(struct client *client, const char *const *commands, bool is_permitted) {
    for (; *commands; commands++) {
        redisReply *reply = call_line(client, *commands);
        bool was_permitted = !reply_is_error(reply) || !text_begins(reply->str, "NOPERM");
        require(was_permitted == is_permitted, "%s gave %s", *commands, reply_text(reply));
    }
}

/* Who may only read the key `box` may read what is there, and nothing else; its owner may do everything. */
static void expect_limits(const struct family *family) {
    struct client *reader = login("%R~box +@all");
    expect_permission(reader, family->reads, true);
    traces_begin("");
    expect_permission(reader, family->growing, false);
    expect_permission(reader, family->shrinking, false);
    traces_require_none();
    struct client *owner = login("~box +@all");
    expect_permission(owner, family->reads, true);
    expect_permission(owner, family->growing, true);
    expect_permission(owner, family->shrinking, true);
    expect_number(call(primary, "ACL DELUSER limited"), 1);
}

TEST(users_may_be_limited_to_keys) {
    create("box");
    put("box", "cat", "meow");
    traces_begin("");
    expect_permission(login("%W~box +@all"), reads, false);
    struct client *stranger = login("~other* +@all");
    expect_permission(stranger, reads, false);
    expect_permission(stranger, growing_writes, false);
    expect_permission(stranger, shrinking_writes, false);
    struct client *narrow = login("~box +blob.get +blob.stat");
    expect_permission(narrow, growing_writes, false);
    expect_etag(call(narrow, "BLOB.GET box cat"));
    traces_require_none();
    expect_limits(&families[BLOBS]);
}

/* On Valkey 9.1: what is decided for them later, or inside of something else, has to name the database. */
TEST(users_may_be_limited_to_databases) {
    needs(LIMITS_USERS_TO_DATABASES);
    static const char *const commands[] = {"HOLDFAST.ATOMIC 2 3 BLOB.GET box cat 4 BLOB.PUT box cat purr",
                                           "BLOB.COPY box dog box cat", "BLOB.GET box mouse BLOCK 0.01",
                                           "LEASE.ACQUIRE box -1 BLOCK 0.01", NULL};
    create("box");
    put("box", "cat", "meow");
    call(primary, "LEASE.ACQUIRE box -1");
    struct client *client = login("~* +@all resetdbs db=1");
    expect_permission(client, commands, false);
    expect_ok(call(client, "SELECT 1"));
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_permission(client, commands, true);
    client = login("~* +@all resetdbs db=0");
    expect_permission(client, commands, true);
    send_line(client, "LEASE.ACQUIRE box -1 BLOCK 0");
    await_waiters(primary, 1);
    expect_number(call(primary, "LEASE.BREAK box PERIOD 0"), 0);
    expect_elements(answer_of(client), 2);
    expect_number(call(primary, "ACL DELUSER limited"), 1);
}

/* A copy changes the key of its target and reads the one of its source. */
TEST(copies_need_both_keys) {
    static const char *const copies[] = {"BLOB.COPY box cat other dog", NULL};
    create("box");
    create("other");
    put("other", "dog", "woof");
    traces_begin("");
    expect_permission(login("~box +@all"), copies, false);
    expect_permission(login("%R~box ~other +@all"), copies, false);
    expect_permission(login("~box %W~other +@all"), copies, false);
    expect_permission(login("~box ~other +@all -blob.copy"), copies, false);
    traces_require_none();
    struct client *copier = login("%W~box %R~other +@all");
    expect_ok(call(primary, "ACL DRYRUN limited BLOB.COPY box cat other dog"));
    expect_permission(copier, copies, true);
    redisReply *refusal = call(primary, "ACL DRYRUN limited BLOB.COPY other dog box cat");
    /* Some servers name the user and the key. */
    require(strstr(refusal->str, " has no permissions to access "), "the other way gave %s",
            reply_text(refusal));
    expect_text(call(primary, "BLOB.GET box cat")->element[1], "woof");
    expect_number(call(primary, "ACL DELUSER limited"), 1);
}

static void expect_flags(const char *const *commands, bool readonly, bool denyoom) {
    for (; *commands; commands++) {
        struct words words = words_of_line(*commands);
        redisReply *info = expect_elements(call(primary, "COMMAND INFO %s", words.word[0]), 1)->element[0];
        require(reply_is_aggregate(info), "no COMMAND INFO of %s", words.word[0]);
        require(command_has_flag(info, "readonly") == readonly &&
                    command_has_flag(info, "write") != readonly &&
                    command_has_flag(info, "denyoom") == denyoom,
                "the flags of %s are %s", words.word[0], reply_text(info->element[2]));
        require(info->element[3]->integer == 1 && info->element[4]->integer == 1, "the keys of %s are %s",
                words.word[0], reply_text(info));
    }
}

TEST(flags_tell_what_commands_do) {
    for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
        expect_flags(families[i].reads, true, false);
        expect_flags(families[i].growing, false, true);
        expect_flags(families[i].shrinking, false, false);
    }
    expect_flags((const char *const[]){"HOLDFAST.APPLY", "HFA", NULL}, false, false);
}

static void expect_key(const char *const *commands) {
    for (; *commands; commands++) {
        struct words words = words_of_line("COMMAND GETKEYS");
        words_add_line(&words, *commands);
        expect_shape(call_words(primary, &words), "[\"box\"]");
    }
}

TEST(the_server_knows_the_keys_of_each_command) {
    for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
        expect_key(families[i].reads);
        expect_key(families[i].growing);
        expect_key(families[i].shrinking);
    }
    expect_shape(call(primary, "COMMAND GETKEYSANDFLAGS QUEUE.GET box"), "[[\"box\", [RW, access, update]]]");
    static const char *const ends[] = {"CONTAINER.DELETE", "QUEUE.DROP", "TABLE.DROP", "SHARE.DELETE"};
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        expect_shape(call(primary, "COMMAND GETKEYSANDFLAGS %s box", ends[i]), "[[\"box\", [RM, delete]]]");
    expect_key((const char *const[]){"HOLDFAST.APPLY box effect", "HFA box effect",
                                     "BLOB.PUT box box box META 1 box box", NULL});
}

TEST(the_server_asks_for_a_second_key) {
    needs(ASKS_FOR_KEYS);
    expect_shape(call(primary, "COMMAND GETKEYS BLOB.COPY box cat other dog META 1 a b"),
                 "[\"box\", \"other\"]");
    expect_shape(call(primary, "COMMAND GETKEYS BLOB.COPY box cat other dog META 2 FROM h a b"),
                 "[\"box\", \"other\"]");
    expect_shape(call(primary, "COMMAND GETKEYSANDFLAGS BLOB.COPY box cat other dog"),
                 "[[\"box\", [RW, update]], [\"other\", [RO, access]]]");
}

/* Of the server itself. */
static const char *const without_keys[] = {"HOLDFAST.ATOMIC",  "HOLDFAST.GRACE",  "HOLDFAST.HELP",
                                           "HOLDFAST.VERSION", "HOLDFAST.DOCTOR", NULL};

TEST(every_command_is_documented) {
    struct words commands = grammar_commands(primary);
    assert_true(commands.count >= 16);
    for (size_t i = 0; i < commands.count; i++) {
        struct grammar grammar = grammar_of(primary->server, commands.word[i]);
        require(grammar.summary && *grammar.summary, "no summary of %s", commands.word[i]);
        require(grammar.since && *grammar.since, "no since of %s", commands.word[i]);
        require(grammar.complexity && *grammar.complexity, "no complexity of %s", commands.word[i]);
        if (text_is_one_of(commands.word[i], without_keys)) continue;
        require(grammar.all.count >= 1, "no arguments of %s", commands.word[i]);
        require(!strcmp(grammar.all.part[0].type, "key"), "the first argument of %s is no key",
                commands.word[i]);
    }
}

TEST(users_may_be_limited_to_queues) {
    expect_ok(call(primary, "QUEUE.CREATE box"));
    expect_elements(call(primary, "QUEUE.PUT box text"), 10);
    expect_limits(&families[QUEUES]);
}

/* Who only brings messages may not read any, by whichever command. */
TEST(users_who_only_write_read_no_messages) {
    static const char *const taking[] = {"QUEUE.GET box", "QUEUE.GET box COUNT 2 VISIBILITY 1 ONCE t", NULL};
    static const char *const bringing[] = {"QUEUE.PUT box text", "QUEUE.PUTMANY box 2 a b",
                                           "QUEUE.DELETE box id aaaaaaaa000040008000aaaaaaaaaaaa", NULL};
    expect_ok(call(primary, "QUEUE.CREATE box"));
    struct client *writer = login("%W~box +@all");
    expect_permission(writer, bringing, true);
    expect_permission(writer, taking, false);
}

TEST(users_may_be_limited_to_tables) {
    expect_ok(call(primary, "TABLE.CREATE box"));
    expect_etag(call(primary, "TABLE.INSERT box p r PROPS 1 a b"));
    expect_limits(&families[TABLES]);
}

TEST(users_may_be_limited_to_shares) {
    expect_etag(call(primary, "SHARE.CREATE box"));
    expect_etag(call(primary, "FILE.CREATE box f 1"));
    expect_limits(&families[SHARES]);
}

/* What waits, what would answer it, and how many elements another caller gets instead. */
static const struct {
    const char *waits, *answers, *other;
    size_t elements;
} answered[] = {
    {"LEASE.ACQUIRE box -1 BLOCK 0", "LEASE.BREAK box PERIOD 0", "LEASE.ACQUIRE box -1", 2},
    {"BLOB.GET box mouse BLOCK 0", "BLOB.PUT box mouse grey", "BLOB.GET box mouse", 2},
    {"QUEUE.GET jobs BLOCK 0", "QUEUE.PUT jobs one", "QUEUE.GET jobs", 1},
};

/* Rights count when the answer comes, not when the wait begins. */
TEST(a_waiter_that_has_lost_its_rights_is_refused) {
    static const char *const losses[] = {"resetkeys", "-@all"};
    for (size_t loss = 0; loss < ARRAY_SIZE(losses); loss++) {
        for (size_t i = 0; i < ARRAY_SIZE(answered); i++) {
            long long id;
            call(primary, "DEL box jobs");
            create("box");
            call(primary, "QUEUE.CREATE jobs");
            call(primary, "LEASE.ACQUIRE box -1");
            struct client *client = waiting_user(answered[i].waits, &id);
            expect_ok(call(primary, "ACL SETUSER guest %s", losses[loss]));
            redisReply *reply = call_line(primary, answered[i].answers);
            require(!reply_is_error(reply), "%s gives %s", answered[i].answers, reply_text(reply));
            expect_error(answer_of(client), "NOPERM this user has no permissions to run");
            expect_elements(call_line(primary, answered[i].other), answered[i].elements);
        }
    }
}

TEST(redis_finds_containers_by_type) {
    create("box");
    expect_ok(call(primary, "SET text x"));
    expect_ok(call(primary, "QUEUE.CREATE jobs"));
    expect_shape(call(primary, "SCAN 0 COUNT 1000 TYPE holdfastC"), "[\"0\", [\"box\"]]");
    expect_shape(call(primary, "SCAN 0 COUNT 1000 TYPE holdfastQ"), "[\"0\", [\"jobs\"]]");
    expect_ok(call(primary, "TABLE.CREATE t"));
    expect_shape(call(primary, "SCAN 0 COUNT 1000 TYPE holdfastT"), "[\"0\", [\"t\"]]");
    expect_number(call(primary, "EXISTS box"), 1);
    expect_number(call(primary, "TOUCH box"), 1);
    expect_number(call(primary, "UNLINK box"), 1);
}

static void expect_counts(long long containers, long long blobs, long long bytes) {
    AWAIT(info_of(primary, "holdfast_containers") == containers); /* values are freed on another thread */
    redisReply *info = call(primary, "INFO holdfast");
    assert_int_equal(info_number(info, "holdfast_blobs"), blobs);
    assert_int_equal(info_number(info, "holdfast_blob_bytes"), bytes);
}

TEST(info_counts_what_is_there) {
    expect_counts(0, 0, 0);
    create("box");
    create("other");
    put("box", "cat", "meow");
    put("box", "cat", "purr!");
    put("other", "dog", "woof");
    expect_counts(2, 2, 9);
    expect_number(call(primary, "COPY box twin"), 1);
    expect_counts(3, 3, 14);
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    expect_counts(3, 2, 9);
    expect_ok(call(primary, "DEBUG RELOAD"));
    expect_counts(3, 2, 9);
    expect_ok(call(primary, "CONTAINER.DELETE other"));
    expect_number(call(primary, "UNLINK twin"), 1);
    expect_counts(1, 0, 0);
    expect_ok(call(primary, "FLUSHALL ASYNC"));
    expect_counts(0, 0, 0);
}

/* Nobody may write while the server holds writes back, and reading must not try. */
TEST(reads_go_on_while_writes_are_paused) {
    create("box");
    put("box", "cat", "meow");
    struct client *reader = test_client(primary->server);
    struct client *writer = test_client(primary->server);
    expect_ok(call(primary, "CLIENT PAUSE 60000 WRITE"));
    expect_etag(call(reader, "BLOB.GET box cat"));
    expect_elements(call(reader, "BLOB.LIST box"), 2);
    send_call(writer, "BLOB.PUT box cat purr");
    send_now(writer);
    expect_text(call(reader, "BLOB.GET box cat")->element[1], "meow");
    expect_ok(call(primary, "CLIENT UNPAUSE"));
    expect_etag(receive(writer));
}

TEST(a_cluster_knows_the_slots) {
    struct client *client = cluster_of_one("");
    expect_etag(call(client, "CONTAINER.CREATE {box}:1"));
    expect_etag(call(client, "BLOB.PUT {box}:1 cat meow"));
    expect_text(call(client, "BLOB.GET {box}:1 cat")->element[1], "meow");
    expect_ok(call(client, "TABLE.CREATE {t}:1"));
    expect_etag(call(client, "TABLE.INSERT {t}:1 a b PROPS 1 a b"));
    expect_elements(call(client, "TABLE.BATCH {t}:1 other 2 INSERT x PROPS 0 INSERT y PROPS 0"), 2);
    expect_elements(call(client, "TABLE.QUERY {t}:1 NEXT other ''")->element[1], 2);
    expect_shape(call(client, "COMMAND GETKEYS TABLE.BATCH {t}:1 p 1 DELETE r IFMATCH *"), "[\"{t}:1\"]");
}
