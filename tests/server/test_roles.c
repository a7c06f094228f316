/* The users that deploy/ proposes: each role may send exactly the commands that are written here.
 *
 * A role's whole set is compared, command by command and subcommand by subcommand, with what is meant. So a category
 * that grants more than one thought, on this server or on a newer one, shows here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grammar.h"
#include "harness.h"
#include "pages.h"
#include "pool.h"
#include "text.h"

/* What a connection needs for itself. It sees and touches no other connection and no key. CLIENT TRACKING is missing on
 * purpose: with BCAST it tells the names of everybody's keys. Not every server has all of these. */
static const char *const connection[] = {"asking",
                                         "auth",
                                         "client|capa",
                                         "client|getname",
                                         "client|getredir",
                                         "client|help",
                                         "client|id",
                                         "client|import-source", /* means nothing outside of import mode */
                                         "client|info",
                                         "client|no-touch",
                                         "client|reply",
                                         "client|setinfo",
                                         "client|setname",
                                         "client|trackinginfo",
                                         "command|count",
                                         "command|docs",
                                         "command|getkeys",
                                         "command|getkeysandflags",
                                         "command|help",
                                         "command|info",
                                         "command|list",
                                         "echo",
                                         "hello",
                                         "ping",
                                         "quit",
                                         "readonly",
                                         "readwrite",
                                         "reset",
                                         "select",
                                         "wait",
                                         "waitaof",
                                         NULL};

static const char *const keys_and_transactions[] = {"exists",      "type",       "watch",        "unwatch",
                                                    "multi",       "exec",       "discard",      "subscribe",
                                                    "unsubscribe", "psubscribe", "punsubscribe", NULL};
static const char *const keys[] = {"exists", "type", NULL};
static const char *const metrics[] = {"info", "eval", NULL};
/* The last four are granted to everybody, whatever a file of users says. */
static const char *const replication[] = {"psync", "replconf", "ping",  "auth",
                                          "hello", "quit",     "reset", NULL};

/* What clients of a cluster ask before their first command of ours. */
static const char *const topology[] = {"cluster|slots", "cluster|shards",  "cluster|nodes", "cluster|info",
                                       "cluster|myid",  "cluster|keyslot", "info",          NULL};

/* LEASE.BREAK and FILE.CLOSEHANDLES take away what others hold; HOLDFAST.APPLY asks no condition;
 * HOLDFAST.GRACE lets two hold one lease; HOLDFAST.DOCTOR tells the keys of others. */
static const char *const for_operators[] = {
    "LEASE.BREAK", "FILE.CLOSEHANDLES", "HOLDFAST.APPLY", "HFA", "HOLDFAST.GRACE", "HOLDFAST.DOCTOR", NULL};

enum own_commands { OWN_NONE, OWN_READING, OWN_DOCTOR, OWN_ALL_BUT_OPERATORS };

struct role {
    const char *user;
    const char *password;
    const char *const *lists[3];
    enum own_commands own;
    bool asks_topology; /* in a cluster */
};

static const struct role roles[] = {
    {"app", "change-this-app-password", {connection, keys_and_transactions}, OWN_ALL_BUT_OPERATORS, true},
    {"reader", "change-this-reader-password", {connection, keys}, OWN_READING, true},
    {"metrics", "change-this-metrics-password", {connection, metrics}, OWN_DOCTOR, true},
    {"replica", "change-this-replica-password", {replication}, OWN_NONE, false},
};

enum { ROLE_COUNT = ARRAY_SIZE(roles) };

static const char *proposal(const char *name) {
    return pages_source(pool_print("deploy/%s", name));
}

static FILE *open_or_fail(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    require(file, "%s does not open", path);
    return file;
}

/* The proposed file with one line changed: the test itself goes on as 'default', which the proposal turns off. */
static const char *with_default_user(const char *name) {
    const char *folder = getenv("HOLDFAST_TMP");
    const char *path = pool_print("%s/test-%s", folder && *folder ? folder : "/tmp", name);
    FILE *from = open_or_fail(proposal(name), "r"), *to = open_or_fail(path, "w");
    bool is_off = false;
    char line[4096];
    while (fgets(line, sizeof(line), from)) {
        bool is_default = !strcmp(line, "user default off\n");
        is_off = is_off || is_default;
        fputs(is_default ? "user default on nopass ~* &* +@all\n" : line, to);
    }
    fclose(from);
    require(!fclose(to), "%s cannot be written", path);
    require(is_off, "%s leaves the user default on", name);
    return path;
}

static struct client *server_with(const char *file, const char *settings) {
    return test_client(
        server_start("roles", pool_print("aclfile \"%s\"\n%s", with_default_user(file), settings)));
}

static bool is_meant(const struct role *role, bool in_cluster, const redisReply *info) {
    const char *name = info->element[0]->str;
    for (size_t list = 0; list < 3 && role->lists[list]; list++)
        if (text_is_one_of(name, role->lists[list])) return true;
    return in_cluster && role->asks_topology && text_is_one_of(name, topology);
}

static bool is_meant_of_own(const struct role *role, const char *command, const redisReply *info) {
    switch (role->own) {
    case OWN_ALL_BUT_OPERATORS: return !text_is_one_of(command, for_operators);
    case OWN_DOCTOR: return !strcmp(command, "HOLDFAST.DOCTOR");
    case OWN_READING: return command_has_flag(info, "readonly");
    default: return false;
    }
}

/* The command as one would send it with as many words as it needs, every other word being `word`. */
static redisReply *dry_run(struct client *client, const char *user, const redisReply *info,
                           const char *word) {
    struct words words = words_of_line(pool_print("ACL DRYRUN %s", user));
    const char *name = info->element[0]->str, *bar = strchr(name, '|');
    long long given = bar ? 2 : 1, arity = llabs(info->element[1]->integer);
    if (bar) words_add(&words, pool_copy(name, (size_t)(bar - name)));
    words_add(&words, bar ? bar + 1 : name);
    for (; given < arity; given++) words_add(&words, word);
    redisReply *reply = call_words(client, &words);
    require(!reply_is_error(reply), "%s gave %s", words_text(&words), reply_text(reply));
    return reply;
}

/* Which keys it may touch is another question, and answered in other words. */
static bool may_run(struct client *client, const char *user, const redisReply *info) {
    return !strstr(dry_run(client, user, info, "app:box")->str, "no permissions to run");
}

/* Calls `look` for every command, or for its subcommands where it has some. */
static void for_each_command(struct client *client, void (*look)(const redisReply *info, void *what),
                             void *what) {
    redisReply *all = call(client, "COMMAND");
    require(all->elements > 200, "COMMAND answers %zu commands", all->elements);
    for (size_t i = 0; i < all->elements; i++) {
        redisReply *info = all->element[i], *parts = info->elements > 9 ? info->element[9] : NULL;
        if (!parts || !parts->elements) look(info, what);
        for (size_t part = 0; parts && part < parts->elements; part++) look(parts->element[part], what);
    }
}

struct survey {
    struct client *client;
    const struct role *role;
    struct words own;
    bool in_cluster;
    size_t granted;
    struct text misfits;
};

static const char *own_name(const struct survey *survey, const char *name) {
    for (size_t i = 0; i < survey->own.count; i++)
        if (!strcasecmp(survey->own.word[i], name)) return survey->own.word[i];
    return NULL;
}

static void survey_command(const redisReply *info, void *what) {
    struct survey *survey = what;
    const char *name = info->element[0]->str, *own = own_name(survey, name);
    bool meant =
        own ? is_meant_of_own(survey->role, own, info) : is_meant(survey->role, survey->in_cluster, info);
    bool granted = may_run(survey->client, survey->role->user, info);
    if (granted) survey->granted++;
    if (granted != meant) text_print(&survey->misfits, "%c%s ", granted ? '+' : '-', name);
}

/* With + for what is granted though it is not meant, and - for what is missing. */
static void expect_roles(struct client *client, bool in_cluster) {
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        struct survey survey = {client, &roles[i], grammar_commands(client), in_cluster, 0, {0}};
        for_each_command(client, survey_command, &survey);
        require(!survey.misfits.length, "%s: %s", roles[i].user, survey.misfits.bytes);
        require(survey.granted >= 3, "%s may send %zu commands only", roles[i].user, survey.granted);
    }
}

static struct client *login_as(struct server *server, const char *user) {
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        if (strcmp(roles[i].user, user) != 0) continue;
        struct client *client = test_client(server);
        expect_ok(call(client, "AUTH %s %s", user, roles[i].password));
        return client;
    }
    require(false, "no role %s", user);
    return NULL;
}

TEST(each_role_may_send_what_is_meant) {
    expect_roles(server_with("users.acl", ""), false);
}

TEST(each_role_may_send_what_is_meant_in_a_cluster) {
    expect_roles(server_with("users-cluster.acl", "cluster-enabled yes\n"), true);
}

static void refuse_elsewhere(const redisReply *info, void *what) {
    struct survey *survey = what;
    if (!own_name(survey, info->element[0]->str)) return;
    /* It looks at no key, or at those of the commands in it. */
    if (!info->element[3]->integer || info->element[3]->integer >= llabs(info->element[1]->integer)) return;
    redisReply *reply = dry_run(survey->client, survey->role->user, info, "other:box");
    require(strstr(reply->str, "no permissions to"), "%s: %s on a key of others gave %s", survey->role->user,
            info->element[0]->str, reply_text(reply));
}

TEST(no_role_works_on_other_keys) {
    struct client *client = server_with("users.acl", "");
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        struct survey survey = {client, &roles[i], grammar_commands(client), false, 0, {0}};
        for_each_command(client, refuse_elsewhere, &survey);
    }
}

/* As it is for real: connected, logged in, refused. */
TEST(a_reader_stops_nobody) {
    static const char *const refused[] = {"CLIENT PAUSE 1",
                                          "CLIENT KILL TYPE normal",
                                          "CLIENT LIST",
                                          "CLIENT UNBLOCK 1",
                                          "CLIENT NO-EVICT ON",
                                          "CLIENT TRACKING ON BCAST",
                                          "MONITOR",
                                          "SLOWLOG GET",
                                          "CONFIG GET *",
                                          "INFO",
                                          "PSUBSCRIBE *",
                                          "BLOB.PUT app:box cat x",
                                          "BLOB.GET other:box x",
                                          NULL};
    struct client *client = server_with("users.acl", "");
    struct client *reader = login_as(client->server, "reader");
    for (size_t i = 0; refused[i]; i++) expect_error(call_line(reader, refused[i]), "NOPERM");
    expect_error(call(reader, "BLOB.GET app:box cat"), "NOTFOUND ContainerNotFound");
}

TEST(an_application_hears_of_its_own_keys) {
    struct client *client = server_with("users.acl", "");
    struct client *app = login_as(client->server, "app");
    expect_etag(call(app, "CONTAINER.CREATE app:box"));
    expect_error(call(app, "PSUBSCRIBE *"), "NOPERM");
    expect_error(call(app, "SUBSCRIBE __keyspace@0__:other:box"), "NOPERM");
    expect_elements(call(app, "SUBSCRIBE __keyspace@0__:app:box"), 3);
}

/* What clients of a cluster send before anything else, and how they read from replicas and follow a slot. */
TEST(clients_of_a_cluster_start) {
    static const char *const first_words[] = {
        "CLUSTER SLOTS", "CLUSTER SHARDS", "CLUSTER NODES", "CLUSTER INFO", "INFO",
        "COMMAND",       "READONLY",       "READWRITE",     "ASKING",       NULL};
    struct client *client = server_with("users-cluster.acl", "cluster-enabled yes\n");
    expect_ok(call(client, "CLUSTER ADDSLOTSRANGE 0 16383"));
    for (const char *const *user = (const char *const[]){"app", "reader", NULL}; *user; user++) {
        struct client *visiting = login_as(client->server, *user);
        for (size_t i = 0; first_words[i]; i++) {
            redisReply *reply = call_line(visiting, first_words[i]);
            require(!reply_is_error(reply), "%s: %s gave %s", *user, first_words[i], reply_text(reply));
        }
        expect_error(call(visiting, "CLUSTER FAILOVER"), "NOPERM");
        expect_error(call(visiting, "CLUSTER RESET"), "NOPERM");
    }
}
