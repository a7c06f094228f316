#include "file_courses.h"

#include <stdio.h>
#include <string.h>

#include "basics.h"
#include "files.h"
#include "locks.h"

enum { SHARES_AT_MOST = 16, HANDLES = 128, AT_ONCE = 500, LOCKED_BYTES = 16, SESSION_SECONDS = 3600 };

#define FAR_APART     2654435761u
#define FAR_OFF       (UINT64_C(1) << 40) /* no course locks behind it */
#define SHARED_ACCESS "ACCESS 2 READ WRITE SHARE 2 READ WRITE"
#define BESIDE        "beside"

/* What courses know of a share, on the server on which it was made last. */
struct visited {
    char share[KEY_BYTES], session[HELD_BYTES];
    char handles[HANDLES][HELD_BYTES];
};

static struct visited shares[SHARES_AT_MOST];
static unsigned share_count;

static struct visited *visited_of(const char *share) {
    unsigned index = 0;
    while (index < share_count && !text_is(shares[index].share, share)) index++;
    require(index < SHARES_AT_MOST, "too many shares");
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

static void handle_open(struct server *server, const struct visited *visited, const char *path,
                        char *handle) {
    redisReply *reply = server_command(server, "FILE.OPEN %s %s %s " SHARED_ACCESS " DISPOSITION OPENIF",
                                       visited->share, visited->session, path);
    require(reply->type == REDIS_REPLY_ARRAY && reply->elements >= 2, "FILE.OPEN did not answer a map");
    text_take(handle, reply->element[1]);
    freeReplyObject(reply);
}

static void files_open(struct server *server, const char *share, const char *session, unsigned count) {
    static unsigned opened; /* so that each has a name of its own */
    for (unsigned index = 0; index < count; index++) {
        redisAppendCommand(server->context,
                           "FILE.OPEN %s %s " BESIDE "/%u " SHARED_ACCESS " DISPOSITION CREATE", share,
                           session, opened++);
        if (index % AT_ONCE == AT_ONCE - 1) server_await(server, AT_ONCE);
    }
    server_await(server, count % AT_ONCE);
}

void handles_open(struct server *server, const char *share, unsigned count) {
    files_open(server, share, visited_of(share)->session, count);
}

const char *session_with_handles(struct server *server, const char *share, unsigned count) {
    char *session = take(HELD_BYTES, 1);
    session_connect(server, share, session);
    files_open(server, share, session, count);
    return session;
}

static void share_prepare(struct server *server, const char *share) {
    share_make(server, share);
    session_connect(server, share, visited_of(share)->session);
}

/* --- Files are made; opened and closed --- */

static const char *path_of(const struct troop *troop, const struct hand *hand) {
    return troop->data->names[troop->data->order[hand->number % troop->data->objects]];
}

static void head_write(const struct troop *troop, struct request *request, unsigned words,
                       const char *command) {
    request_begin(request, words);
    request_text(request, command);
    request_text(request, troop->key);
}

static void create_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    head_write(troop, request, 4, "FILE.CREATE");
    request_word(request, path_of(troop, hand), NAME_BYTES);
    request_number(request, troop->data->bytes);
}

static void open_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    static const char *const words[] = {"ACCESS", "2", "READ", "WRITE", "SHARE", "1", "NONE"};
    enum { HEAD = 4, WORDS = sizeof words / sizeof *words };
    head_write(troop, request, HEAD + WORDS, "FILE.OPEN");
    request_text(request, visited_of(troop->key)->session);
    request_word(request, path_of(troop, hand), NAME_BYTES);
    for (unsigned index = 0; index < WORDS; index++) request_text(request, words[index]);
}

/* A map, whose first field is the handle. */
static bool is_opened(struct hand *hand, const struct reply *reply) {
    if (reply->kind != '*' || reply->length < 2) return false;
    struct reply handle = reply_element(reply, 1);
    word_keep(hand->held->id, &hand->held->id_length, &handle);
    return true;
}

static void close_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    head_write(troop, request, 3, "FILE.CLOSE");
    request_word(request, hand->held->id, hand->held->id_length);
}

static bool is_etag(struct hand *hand, const struct reply *reply) {
    (void)hand;
    return reply->kind == '$' && reply->length == TOKEN_BYTES;
}

static bool is_done(struct hand *hand, const struct reply *reply) {
    (void)hand;
    return reply->kind == '+';
}

static const struct step creates = {1, create_write, is_etag};
static const struct step opens = {1, open_write, is_opened};
static const struct step closes = {1, close_write, is_done};

const struct course file_fill = {NULL, 1, share_prepare, {&creates}};
const struct course file_open_close = {"FILE.OPEN, CLOSE", 1, share_prepare, {&opens, &closes}};

/* --- Ranges locked and unlocked --- */

static void handles_prepare(struct server *server, const char *share, bool is_same) {
    share_prepare(server, share);
    struct visited *visited = visited_of(share);
    for (unsigned index = 0; index < HANDLES; index++) {
        char path[KEY_BYTES];
        snprintf(path, sizeof path, BESIDE "/locked%u", is_same ? 0 : index);
        handle_open(server, visited, path, visited->handles[index]);
    }
}

static void own_prepare(struct server *server, const char *share) {
    handles_prepare(server, share, false);
}

static void same_prepare(struct server *server, const char *share) {
    handles_prepare(server, share, true);
}

void locks_take(struct server *server, const char *share, unsigned count) {
    for (unsigned index = 0; index < count; index++)
        server_tell(server, "FILE.LOCK %s %s EXCLUSIVE %llu %d", share,
                    visited_of(share)->handles[index % HANDLES],
                    (unsigned long long)(FAR_OFF + (uint64_t)index * FAR_APART), LOCKED_BYTES);
}

/* No two hands that are on their way have the same range. */
static void range_write(const struct hand *hand, struct request *request) {
    request_number(request, hand->number * LOCKED_BYTES);
    request_number(request, LOCKED_BYTES);
}

static void lock_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    head_write(troop, request, 6, "FILE.LOCK");
    request_text(request, visited_of(troop->key)->handles[hand->number % HANDLES]);
    request_text(request, "EXCLUSIVE");
    range_write(hand, request);
}

static void unlock_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    head_write(troop, request, 5, "FILE.UNLOCK");
    request_text(request, visited_of(troop->key)->handles[hand->number % HANDLES]);
    range_write(hand, request);
}

static const struct step locks = {1, lock_write, is_done};
static const struct step unlocks = {1, unlock_write, is_done};

const struct course file_lock_own = {"FILE.LOCK, UNLOCK", 1, own_prepare, {&locks, &unlocks}};
const struct course file_lock_same = {"FILE.LOCK, UNLOCK, same file", 1, same_prepare, {&locks, &unlocks}};

/* --- A string and a script --- */

static char release_digest[DIGEST_BYTES + 1];

static void string_prepare(struct server *server, const char *key) {
    (void)key;
    server_load_script(server, release_script, release_digest);
}

static void set_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    char milliseconds[] = "3600000";
    request_begin(request, 6);
    request_text(request, "SET");
    request_word(request, path_of(troop, hand), NAME_BYTES);
    request_text(request, holder_id);
    request_text(request, "NX");
    request_text(request, "PX");
    request_text(request, milliseconds);
}

static void release_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    request_begin(request, 5);
    request_text(request, "EVALSHA");
    request_word(request, release_digest, DIGEST_BYTES);
    request_text(request, "1");
    request_word(request, path_of(troop, hand), NAME_BYTES);
    request_text(request, holder_id);
}

static bool is_one(struct hand *hand, const struct reply *reply) {
    (void)hand;
    return reply->kind == ':' && *reply->text == '1';
}

static const struct step sets = {1, set_write, is_done};
static const struct step releases = {1, release_write, is_one};

const struct course string_lock_unlock = {
    "SET NX PX, then Lua delete", 1, string_prepare, {&sets, &releases}};
