/* Files: contents, next to strings; handles and locks of ranges, next to locks that are
 * made of SET NX PX and a script. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccan/array_size/array_size.h"
#include "measure.h"

#define SHARE "share"
enum { FOLDERS = 1000 };

/* --- Files without handles --- */

/* A dataset's names are their paths, in a share of a thousand folders. */
static void share_create(struct dataset *data) {
    struct connection *connection = data->connections[0];
    connection_call(connection, "SHARE.CREATE " SHARE);
    for (unsigned folder = 0; folder < FOLDERS; folder++)
        connection_call(connection, "FILE.MKDIR " SHARE " %03u", folder);
}

static const struct workload workloads[] = {
    {.name = "FILE.CREATE, PUTRANGE",
     .request = "FILE.CREATE " SHARE " {name} {size}; FILE.PUTRANGE " SHARE " {name} 0 {content}",
     .filler = "FILE.CREATE, PUTRANGE",
     .prepare = share_create,
     .is_expected = is_token},
    {.name = "FILE.GET",
     .request = "FILE.GET " SHARE " {name}",
     .filler = "FILE.CREATE, PUTRANGE",
     .flat_limit = 1.25,
     .is_expected = is_etag_and_content},
    {.name = "FILE.PUTRANGE",
     .request = "FILE.PUTRANGE " SHARE " {name} 0 {content}",
     .filler = "FILE.CREATE, PUTRANGE",
     .flat_limit = 1.3,
     .is_expected = is_token},
    /* Measured as sequences of the same names. */
    {.name = "FILE.OPEN, CLOSE"},
    {.name = "FILE.LOCK, UNLOCK"},
    {.name = "FILE.LOCK, UNLOCK, same file"},
    {.name = "SET NX PX, then Lua delete"},
};

static const struct comparison comparisons[] = {
    {"FILE.GET", "GET", {0, 1.2, 0}},
    {"FILE.PUTRANGE", "SETRANGE, whole string", {0, 1.2, 0}},
    {"FILE.OPEN, CLOSE", "SET NX PX, then Lua delete", {1.3, 0, 0}},
    {"FILE.LOCK, UNLOCK", "SET NX PX, then Lua delete", {1.1, 0, 0}},
    {"FILE.LOCK, UNLOCK, same file", "SET NX PX, then Lua delete", {0}},
};

const struct family file_family = {
    .name = "file",
    .workloads = workloads,
    .workload_count = ARRAY_SIZE(workloads),
    .comparisons = comparisons,
    .comparison_count = ARRAY_SIZE(comparisons),
};

/* --- Handles --- */

enum { SHARES_MAX = 16, HANDLES = 128, AT_ONCE = 500, LOCKED_BYTES = 16, SESSION_SECONDS = 3600 };

#define FAR_APART     2654435761u
#define FAR_OFF       (UINT64_C(1) << 40) /* no sequence locks behind it */
#define SHARED_ACCESS "ACCESS 2 READ WRITE SHARE 2 READ WRITE"
#define BESIDE        "beside"

/* What sequences know of a share, on the server on which it was made last. */
struct share_state {
    char share[KEY_BYTES], session[HELD_BYTES];
    char handles[HANDLES][HELD_BYTES];
};

static struct share_state shares[SHARES_MAX];
static unsigned share_count;

static struct share_state *share_state_of(const char *share) {
    unsigned index = 0;
    while (index < share_count && !text_is(shares[index].share, share)) index++;
    require(index < SHARES_MAX, "too many shares");
    if (index == share_count) snprintf(shares[share_count++].share, KEY_BYTES, "%s", share);
    return &shares[index];
}

static void text_take(char *to, const redisReply *reply) {
    require(reply->type == REDIS_REPLY_STRING && reply->len < HELD_BYTES, "what should be an id is none");
    memcpy(to, reply->str, reply->len + 1);
}

/* --- Shares and sessions --- */

void share_make(struct server *server, const char *share) {
    server_tell(server, "SHARE.CREATE %s", share);
    for (unsigned folder = 0; folder < FOLDERS; folder++)
        server_tell(server, "FILE.MKDIR %s %03u", share, folder);
    server_tell(server, "FILE.MKDIR %s " BESIDE, share);
}

static void session_connect(struct server *server, const char *share, char *session) {
    redisReply *reply = server_command(server, "SHARE.CONNECT %s %d", share, SESSION_SECONDS);
    text_take(session, reply);
    freeReplyObject(reply);
}

static void handle_open(struct server *server, const struct share_state *share_state, const char *path,
                        char *handle) {
    redisReply *reply = server_command(server, "FILE.OPEN %s %s %s " SHARED_ACCESS " DISPOSITION OPENIF",
                                       share_state->share, share_state->session, path);
    require(reply->type == REDIS_REPLY_ARRAY && reply->elements >= 2, "FILE.OPEN did not answer a map");
    text_take(handle, reply->element[1]);
    freeReplyObject(reply);
}

static void files_open(struct server *server, const char *share, const char *session, unsigned count) {
    static unsigned opened; /* so that each has a name of its own */
    for (unsigned i = 0; i < count; i++) {
        redisAppendCommand(server->context,
                           "FILE.OPEN %s %s " BESIDE "/%u " SHARED_ACCESS " DISPOSITION CREATE", share,
                           session, opened++);
        if (i % AT_ONCE == AT_ONCE - 1) server_await(server, AT_ONCE);
    }
    server_await(server, count % AT_ONCE);
}

void handles_open(struct server *server, const char *share, unsigned count) {
    files_open(server, share, share_state_of(share)->session, count);
}

static const char *session_with_handles(struct server *server, const char *share, unsigned count) {
    char *session = allocate(HELD_BYTES, 1);
    session_connect(server, share, session);
    files_open(server, share, session, count);
    return session;
}

static void share_prepare(struct server *server, const char *share) {
    share_make(server, share);
    session_connect(server, share, share_state_of(share)->session);
}

/* --- Files are made; opened and closed --- */

static const char *path_of(const struct client_pool *pool, const struct client *client) {
    return pool->data->names[pool->data->order[client->number % pool->data->objects]];
}

static void head_write(const struct client_pool *pool, struct request *request, unsigned words,
                       const char *command) {
    request_begin(request, words);
    request_text(request, command);
    request_text(request, pool->key);
}

static void create_write(const struct client_pool *pool, const struct client *client,
                         struct request *request) {
    head_write(pool, request, 4, "FILE.CREATE");
    request_word(request, path_of(pool, client), NAME_BYTES);
    request_number(request, pool->data->bytes);
}

static void open_write(const struct client_pool *pool, const struct client *client, struct request *request) {
    static const char *const words[] = {"ACCESS", "2", "READ", "WRITE", "SHARE", "1", "NONE"};
    enum { HEAD = 4, WORDS = ARRAY_SIZE(words) };
    head_write(pool, request, HEAD + WORDS, "FILE.OPEN");
    request_text(request, share_state_of(pool->key)->session);
    request_word(request, path_of(pool, client), NAME_BYTES);
    for (unsigned i = 0; i < WORDS; i++) request_text(request, words[i]);
}

/* A map, whose first field is the handle. */
static bool is_opened(struct client *client, const struct reply *reply) {
    if (reply->kind != '*' || reply->length < 2) return false;
    struct reply handle = reply_element(reply, 1);
    word_keep(client->held->id, &client->held->id_length, &handle);
    return true;
}

static void close_write(const struct client_pool *pool, const struct client *client,
                        struct request *request) {
    head_write(pool, request, 3, "FILE.CLOSE");
    request_word(request, client->held->id, client->held->id_length);
}

static bool is_any_etag(struct client *client, const struct reply *reply) {
    (void)client;
    return reply->kind == '$' && reply->length == TOKEN_BYTES;
}

static bool is_status(struct client *client, const struct reply *reply) {
    (void)client;
    return reply->kind == '+';
}

static const struct step creates = {1, create_write, is_any_etag};
static const struct step opens = {1, open_write, is_opened};
static const struct step closes = {1, close_write, is_status};

static const struct sequence file_fill = {NULL, 1, share_prepare, {&creates}};
static const struct sequence file_open_close = {"FILE.OPEN, CLOSE", 1, share_prepare, {&opens, &closes}};

/* --- Ranges locked and unlocked --- */

static void handles_prepare(struct server *server, const char *share, bool is_same) {
    share_prepare(server, share);
    struct share_state *share_state = share_state_of(share);
    for (unsigned i = 0; i < HANDLES; i++) {
        char path[KEY_BYTES];
        snprintf(path, sizeof(path), BESIDE "/locked%u", is_same ? 0 : i);
        handle_open(server, share_state, path, share_state->handles[i]);
    }
}

static void own_prepare(struct server *server, const char *share) {
    handles_prepare(server, share, false);
}

static void same_prepare(struct server *server, const char *share) {
    handles_prepare(server, share, true);
}

void locks_take(struct server *server, const char *share, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        server_tell(server, "FILE.LOCK %s %s EXCLUSIVE %llu %d", share,
                    share_state_of(share)->handles[i % HANDLES],
                    (unsigned long long)(FAR_OFF + (uint64_t)i * FAR_APART), LOCKED_BYTES);
}

/* No two clients that are on their way have the same range. */
static void range_write(const struct client *client, struct request *request) {
    request_number(request, client->number * LOCKED_BYTES);
    request_number(request, LOCKED_BYTES);
}

static void lock_write(const struct client_pool *pool, const struct client *client, struct request *request) {
    head_write(pool, request, 6, "FILE.LOCK");
    request_text(request, share_state_of(pool->key)->handles[client->number % HANDLES]);
    request_text(request, "EXCLUSIVE");
    range_write(client, request);
}

static void unlock_write(const struct client_pool *pool, const struct client *client,
                         struct request *request) {
    head_write(pool, request, 5, "FILE.UNLOCK");
    request_text(request, share_state_of(pool->key)->handles[client->number % HANDLES]);
    range_write(client, request);
}

static const struct step locks = {1, lock_write, is_status};
static const struct step unlocks = {1, unlock_write, is_status};

static const struct sequence file_lock_own = {"FILE.LOCK, UNLOCK", 1, own_prepare, {&locks, &unlocks}};
static const struct sequence file_lock_same = {
    "FILE.LOCK, UNLOCK, same file", 1, same_prepare, {&locks, &unlocks}};

/* --- A string and a script --- */

static char release_digest[DIGEST_BYTES + 1];

static void string_prepare(struct server *server, const char *key) {
    (void)key;
    server_load_script(server, release_script, release_digest);
}

static void set_lock_write(const struct client_pool *pool, const struct client *client,
                           struct request *request) {
    char milliseconds[] = "3600000";
    request_begin(request, 6);
    request_text(request, "SET");
    request_word(request, path_of(pool, client), NAME_BYTES);
    request_text(request, HOLDER_ID);
    request_text(request, "NX");
    request_text(request, "PX");
    request_text(request, milliseconds);
}

static void release_write(const struct client_pool *pool, const struct client *client,
                          struct request *request) {
    request_begin(request, 5);
    request_text(request, "EVALSHA");
    request_word(request, release_digest, DIGEST_BYTES);
    request_text(request, "1");
    request_word(request, path_of(pool, client), NAME_BYTES);
    request_text(request, HOLDER_ID);
}

static bool is_one(struct client *client, const struct reply *reply) {
    (void)client;
    return reply->kind == ':' && *reply->text == '1';
}

static const struct step sets = {1, set_lock_write, is_status};
static const struct step releases = {1, release_write, is_one};

static const struct sequence string_lock_unlock = {
    "SET NX PX, then Lua delete", 1, string_prepare, {&sets, &releases}};

/* --- Handles that end together --- */

/* A hundred thousand handles of one session that end together, once because it is disconnected, once because its time
 * is up: how long does that keep another client waiting? And what a handle takes. */

enum { SESSION_HANDLES = 100000, LONGEST_MS = 10 };

static void add_session_bar(const struct context *context, const char *how, double ms) {
    add_pause_bar(context, format_text("a session with %d handles %s: longest PING", SESSION_HANDLES, how),
                  ms, LONGEST_MS);
}

static bool is_nothing_open(struct server *server) {
    redisReply *reply = server_command(server, "FILE.HANDLES " SHARE " COUNT 1");
    bool is_nothing = reply->element[1]->elements == 0;
    freeReplyObject(reply);
    return is_nothing;
}

static void measure_file_endings(const struct context *context) {
    struct server *server = server_start(context->options, "");
    share_make(server, SHARE);
    int64_t before = server_info_number(server, "used_memory");
    const char *session = session_with_handles(server, SHARE, SESSION_HANDLES);
    add_context_fact(context, "a new file without content, and a handle of it",
                     (double)(server_info_number(server, "used_memory") - before) / SESSION_HANDLES, "bytes");
    char *command = format_text("SHARE.DISCONNECT " SHARE " %s", session);
    add_session_bar(context, "that is disconnected", longest_ping_ms(server, command, is_nothing_open));
    session_with_handles(server, SHARE, SESSION_HANDLES);
    /* Its time is not half so long as the clock is put forward. */
    add_session_bar(context, "whose time is up",
                    longest_ping_ms(server, "CONFIG SET holdfast.clock-offset-ms 10000000", is_nothing_open));
    free(command);
    server_stop(server);
}

enum { OPERATIONS = 8192, COUNTS = 4 };
#define FLAT_MAX       1.3
#define FLAT_LOCKS_MAX 2

/* --- Contents --- */

static const char *const files[] = {"GET", "SETRANGE, whole string", "FILE.GET", "FILE.PUTRANGE", NULL};
static const char *const files_made[] = {"SET", "FILE.CREATE, PUTRANGE", NULL};
static const char *const files_growing[] = {"GET", "FILE.GET", "FILE.PUTRANGE", NULL};

static void measure_contents(const struct context *context) {
    const struct size *size = &sizes[1];
    struct server *server = server_start(context->options, "");
    struct dataset *data = dataset_open(server, 0, size->objects, size->bytes);
    struct setting setting = *context_setting(
        context, size->label, format_text("files of %s, pipeline %d", size->label, PIPELINE), size->objects);
    setting.size = 1;
    const struct setting *kept = setting_keep(setting);
    struct run run = run_open(server, context->options, context->results);
    run_add(&run, kept, data, files);
    run_measure(&run);
    add_ratio_bars(context->results, kept, NULL);
    dataset_close(data);
    server_stop(server);
}

/* --- Handles and locks --- */

static void measure_handles(const struct context *context) {
    struct server *server = server_start(context->options, "");
    struct dataset *data = dataset_open(server, 0, sizes[0].objects, sizes[0].bytes);
    struct sequence_run run = {.context = context, .server = server, .data = data};
    const struct setting *setting = context_setting(
        context, NULL, format_text("handles and locks, pipeline %d", PIPELINE), data->objects);
    sequence_run_add(&run, setting, &file_open_close, "opened", OPERATIONS);
    sequence_run_fill(&run, &file_fill, "opened", data->objects);
    sequence_run_add(&run, setting, &file_lock_own, "locked", OPERATIONS);
    sequence_run_add(&run, setting, &file_lock_same, "locked:same", OPERATIONS);
    sequence_run_add(&run, setting, &string_lock_unlock, "", OPERATIONS);
    sequence_run_measure(&run);
    add_ratio_bars(context->results, setting, NULL);
    dataset_close(data);
    server_stop(server);
}

/* --- Few and very many --- */

/* What grows, and how far it may make a sequence dearer. The first and the last are compared. */
struct growth {
    const struct sequence *sequence;
    const char *what; /* there are of it */
    unsigned counts[COUNTS], count;
    double limit;
    /* How many files the dataset has; 0: as many as is counted. */
    unsigned files;
    void (*add)(struct server *server, const char *share, unsigned count); /* may be NULL */
};

static const struct growth growths[] = {
    {&file_open_close, "files", {1000, 10000, 100000, MILLION}, 4, FLAT_MAX, 0, NULL},
    {&file_open_close, "handles of other files", {10, 1000, 100000}, 3, FLAT_MAX, 10000, handles_open},
    {&file_lock_same, "locks of the same file", {1, 100, 10000}, 3, FLAT_LOCKS_MAX, 1000, locks_take},
};

/* Each count has a share of its own, all in one server. */
static void measure_growth_of(const struct context *context, const struct growth *growth) {
    struct server *server = server_start(context->options, "");
    struct sequence_run run = {.context = context, .server = server};
    struct dataset *data[COUNTS] = {0};
    const struct setting *settings[COUNTS] = {0};
    for (unsigned i = 0; i < growth->count; i++) {
        unsigned count = growth->counts[i];
        const char *share = format_text("share:%u", count);
        data[i] = dataset_open(server, 0, growth->files ? growth->files : count, sizes[0].bytes);
        run.data = data[i];
        settings[i] = context_setting(context, NULL, format_text("%u %s", count, growth->what), count);
        sequence_run_add(&run, settings[i], growth->sequence, share, OPERATIONS);
        sequence_run_fill(&run, &file_fill, share, data[i]->objects);
        if (growth->add) growth->add(server, share, count);
    }
    sequence_run_measure(&run);
    const char *name = growth->sequence->name;
    unsigned last = growth->count - 1;
    struct spread grown = results_growth(results_need(context->results, settings[0], name),
                                         results_need(context->results, settings[last], name));
    add_context_bar(
        context, ABOUT_FILES,
        format_text("%s, %u %s / %u", name, growth->counts[last], growth->what, growth->counts[0]),
        grown.median, growth->limit, "x");
    for (unsigned i = 0; i < growth->count; i++) dataset_close(data[i]);
    server_stop(server);
}

void measure_files(const struct context *context) {
    measure_contents(context);
    measure_handles(context);
    growth_measure(context, files_made, files_growing);
    for (size_t i = 0; i < ARRAY_SIZE(growths); i++) measure_growth_of(context, &growths[i]);
    measure_file_endings(context);
}
