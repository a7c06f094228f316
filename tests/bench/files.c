/* Files: contents, next to strings; handles and locks of ranges, next to locks that are
 * made of SET NX PX and a script. */
#include <stdio.h>

#include "measure.h"

#define SHARE "share"
enum { FOLDERS = 1000 };

/* --- Files without handles --- */

/* A dataset's names are their paths, in a share of a thousand folders. */
static void folders_make(struct connection *connection, const char *share) {
    connection_call(connection, "SHARE.CREATE %s", share);
    for (unsigned folder = 0; folder < FOLDERS; folder++)
        connection_call(connection, "FILE.MKDIR %s %03u", share, folder);
}

static void share_create(struct dataset *data) {
    folders_make(data->connections[0], SHARE);
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
};

static const struct comparison comparisons[] = {
    {"FILE.GET", "GET", {0, 1.2, 0}},
    {"FILE.PUTRANGE", "SETRANGE, whole string", {0, 1.2, 0}},
    {"FILE.OPEN, CLOSE", "SET NX PX, then Lua delete", {1.3, 0, 0}},
    {"FILE.LOCK, UNLOCK", "SET NX PX, then Lua delete", {1.1, 0, 0}},
    {"FILE.LOCK, UNLOCK, same file", "SET NX PX, then Lua delete", {0}},
};

const struct family file_family = FAMILY("file", workloads, comparisons);

/* --- Handles --- */

enum { HANDLES = 128, LOCKED_BYTES = 16 };

#define FAR_OFF       (UINT64_C(1) << 40) /* no sequence locks behind it */
#define SHARED_ACCESS "ACCESS 2 READ WRITE SHARE 2 READ WRITE"
#define BESIDE        "beside"

static struct word session_connect(struct connection *connection, const char *share) {
    struct word session;
    word_keep(&session, connection_call(connection, "SHARE.CONNECT %s 3600", share));
    return session;
}

/* Each with a name of its own, in the folder that sequences leave alone. */
static void files_open(struct server *server, const char *share, const struct word *session, unsigned count) {
    static unsigned opened;
    while (count--)
        server_send(server, "FILE.OPEN %s %b " BESIDE "/%u " SHARED_ACCESS " DISPOSITION CREATE", share,
                    session->text, session->length, opened++);
    server_await(server);
}

/* What is granted is a session. */
static void share_prepare(struct client_pool *pool) {
    struct connection *connection = pool->data->connections[0];
    folders_make(connection, pool->key);
    connection_call(connection, "FILE.MKDIR %s " BESIDE, pool->key);
    pool->granted = allocate(HANDLES, sizeof(*pool->granted));
    pool->granted[0] = session_connect(connection, pool->key);
    pool->granted_count = 1;
}

static void handles_add(struct server *server, const struct client_pool *pool, unsigned count) {
    files_open(server, pool->key, &pool->granted[0], count);
}

/* --- Files are made; opened and closed --- */

/* A map, whose first field is the handle. */
static bool is_opened(const struct answer *answer) {
    if (answer->reply.kind != '*' || answer->reply.length < 2) return false;
    word_keep(&answer->client->held->id, reply_element(&answer->reply, 1));
    return true;
}

static const struct workload creates = {.request = "FILE.CREATE {key} {name} {size}",
                                        .is_expected = is_string},
                             opens = {.request =
                                          "FILE.OPEN {key} {granted} {name} ACCESS 2 READ WRITE SHARE 1 NONE",
                                      .is_expected = is_opened},
                             closes = {.request = "FILE.CLOSE {key} {id}", .is_expected = is_ok};

static const struct sequence file_create = {.steps = {&creates}};
static const struct sequence file_open_close = {
    .name = "FILE.OPEN, CLOSE", .family = &file_family, .steps = {&opens, &closes}, .prepare = share_prepare};

/* --- Ranges locked and unlocked --- */

/* What is granted are handles of files of their own, or of the same one. */
static void handles_prepare(struct client_pool *pool, bool is_same) {
    share_prepare(pool);
    struct word session = pool->granted[0];
    pool->granted_count = HANDLES;
    for (unsigned i = 0; i < HANDLES; i++) {
        struct reply reply =
            connection_call(pool->data->connections[0],
                            "FILE.OPEN %s %b " BESIDE "/locked%u " SHARED_ACCESS " DISPOSITION OPENIF",
                            pool->key, session.text, session.length, is_same ? 0 : i);
        word_keep(&pool->granted[i], reply_element(&reply, 1));
    }
}

static void own_prepare(struct client_pool *pool) {
    handles_prepare(pool, false);
}

static void same_prepare(struct client_pool *pool) {
    handles_prepare(pool, true);
}

static void locks_add(struct server *server, const struct client_pool *pool, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        const struct word *handle = &pool->granted[i % HANDLES];
        server_send(server, "FILE.LOCK %s %b EXCLUSIVE %llu %d", pool->key, handle->text, handle->length,
                    (unsigned long long)(FAR_OFF + i * FAR_APART), LOCKED_BYTES);
    }
    server_await(server);
}

/* No two clients that are on their way have the same range of LOCKED_BYTES. */
static uint64_t lock_offset(uint64_t number) {
    return number * LOCKED_BYTES;
}

static const struct workload locks = {.request = "FILE.LOCK {key} {granted} EXCLUSIVE {own} 16",
                                      .is_expected = is_ok},
                             unlocks = {.request = "FILE.UNLOCK {key} {granted} {own} 16",
                                        .is_expected = is_ok};

static const struct sequence file_lock_own = {.name = "FILE.LOCK, UNLOCK",
                                              .family = &file_family,
                                              .steps = {&locks, &unlocks},
                                              .prepare = own_prepare,
                                              .own = lock_offset};
static const struct sequence file_lock_same = {.name = "FILE.LOCK, UNLOCK, same file",
                                               .family = &file_family,
                                               .steps = {&locks, &unlocks},
                                               .prepare = same_prepare,
                                               .own = lock_offset};

/* --- A string and a script --- */

static bool is_one(const struct answer *answer) {
    return is_integer(answer) && *answer->reply.text == '1';
}

static const struct workload sets = {.request = "SET {name} " HOLDER_ID " NX PX 3600000",
                                     .is_expected = is_ok},
                             releases = {.request = "EVALSHA {script} 1 {name} " HOLDER_ID,
                                         .script = release_script,
                                         .is_expected = is_one};

static const struct sequence string_lock_unlock = {
    .name = "SET NX PX, then Lua delete", .family = &file_family, .steps = {&sets, &releases}};

/* --- Handles that end together --- */

/* A hundred thousand handles of one session that end together, once because it is disconnected, once because its time
 * is up: how long does that keep another client waiting? And what a handle takes. */

enum { SESSION_HANDLES = 100000, LONGEST_MS = 10 };

static bool is_nothing_open(struct server *server) {
    redisReply *reply = server_command(server, "FILE.HANDLES " SHARE " COUNT 1");
    bool is_nothing = reply->element[1]->elements == 0;
    freeReplyObject(reply);
    return is_nothing;
}

static void measure_file_endings(const struct context *context) {
    struct fixture fixture = fixture_open(context, "", 0, 0);
    struct connection *connection = connection_open(fixture.server, 0);
    connection_call(connection, "SHARE.CREATE " SHARE);
    connection_call(connection, "FILE.MKDIR " SHARE " " BESIDE);
    int64_t before = server_memory(fixture.server);
    struct word session = session_connect(connection, SHARE);
    files_open(fixture.server, SHARE, &session, SESSION_HANDLES);
    add_fact(context, "a new file without content, and a handle of it",
             server_memory_each(fixture.server, before, SESSION_HANDLES), "bytes");
    measure_pause(&fixture, format_text("a session with %d handles that is disconnected", SESSION_HANDLES),
                  format_text("SHARE.DISCONNECT " SHARE " %.*s", (int)session.length, session.text),
                  is_nothing_open, LONGEST_MS);
    session = session_connect(connection, SHARE);
    files_open(fixture.server, SHARE, &session, SESSION_HANDLES);
    /* Its time is not half so long as the clock is put forward. */
    measure_pause(&fixture, format_text("a session with %d handles whose time is up", SESSION_HANDLES),
                  "CONFIG SET holdfast.clock-offset-ms 10000000", is_nothing_open, LONGEST_MS);
    connection_close(connection);
    fixture_close(&fixture);
}

/* --- Contents --- */

static void measure_contents(const struct context *context) {
    const struct size *size = &sizes[1];
    struct fixture fixture = fixture_open(context, "", size->objects, size->bytes);
    workloads_measure(
        &fixture,
        (struct setting){.title = format_text("files of %s, pipeline %d", size->label, PIPELINE),
                         .label = size->label,
                         .size = 1},
        "GET; SETRANGE, whole string; FILE.GET; FILE.PUTRANGE");
    fixture_close(&fixture);
}

/* --- Handles and locks --- */

static void measure_handles(const struct context *context) {
    struct sequence_run run = {.fixture = fixture_open(context, "", sizes[0].objects, sizes[0].bytes)};
    struct dataset *data = run.fixture.data;
    const struct setting *setting = context_setting(
        context, (struct setting){.title = format_text("handles and locks, pipeline %d", PIPELINE),
                                  .objects = data->objects});
    sequence_run_add(&run, setting, &file_open_close, "opened");
    sequence_fill(data, &file_create, "opened", data->objects);
    sequence_run_add(&run, setting, &file_lock_own, "locked");
    sequence_run_add(&run, setting, &file_lock_same, "locked:same");
    sequence_run_add(&run, setting, &string_lock_unlock, "");
    sequence_run_measure(&run);
    add_ratio_bars(context->results, setting);
    fixture_close(&run.fixture);
}

/* --- Few and very many --- */

enum { COUNTS = 4 };
#define FLAT_MAX       1.3
#define FLAT_LOCKS_MAX 2

/* What grows, and how far it may make a sequence dearer. The first and the last are compared. */
struct growth {
    const struct sequence *sequence;
    const char *what; /* there are of it */
    unsigned counts[COUNTS], count;
    double limit;
    /* How many files the dataset has; 0: as many as is counted. */
    unsigned files;
    void (*add)(struct server *server, const struct client_pool *pool, unsigned count); /* may be NULL */
};

static const struct growth growths[] = {
    {&file_open_close, "files", {1000, 10000, 100000, MILLION}, 4, FLAT_MAX, 0, NULL},
    {&file_open_close, "handles of other files", {10, 1000, 100000}, 3, FLAT_MAX, 10000, handles_add},
    {&file_lock_same, "locks of the same file", {1, 100, 10000}, 3, FLAT_LOCKS_MAX, 1000, locks_add},
};

/* Each count has a share of its own, all in one server. */
static void measure_growth_of(const struct context *context, const struct growth *growth) {
    struct sequence_run run = {.fixture = fixture_open(context, "", 0, 0)};
    struct dataset *data[COUNTS] = {0};
    const struct setting *settings[COUNTS] = {0};
    for (unsigned i = 0; i < growth->count; i++) {
        unsigned count = growth->counts[i];
        const char *share = format_text("share:%u", count);
        data[i] = dataset_open(run.fixture.server, 0, growth->files ? growth->files : count, sizes[0].bytes);
        run.fixture.data = data[i];
        settings[i] = context_setting(
            context, (struct setting){.title = format_text("%u %s", count, growth->what), .objects = count});
        const struct client_pool *pool = sequence_run_add(&run, settings[i], growth->sequence, share)->pool;
        sequence_fill(data[i], &file_create, share, data[i]->objects);
        if (growth->add) growth->add(run.fixture.server, pool, count);
    }
    sequence_run_measure(&run);
    const char *name = growth->sequence->name;
    unsigned last = growth->count - 1;
    add_bar(context, ABOUT_FILES,
            format_text("%s, %u %s / %u", name, growth->counts[last], growth->what, growth->counts[0]),
            growth_of(context, name, settings[0], settings[last]), growth->limit, "x");
    for (unsigned i = 0; i < growth->count; i++) dataset_close(data[i]);
    server_stop(run.fixture.server);
}

void measure_files(const struct context *context) {
    measure_contents(context);
    measure_handles(context);
    growth_measure(context, "SET; FILE.CREATE, PUTRANGE", "GET; FILE.GET; FILE.PUTRANGE");
    for (size_t i = 0; i < ARRAY_SIZE(growths); i++) measure_growth_of(context, &growths[i]);
    measure_file_endings(context);
}
