/* Long random sequences of commands by clients whose sessions die, against a model that is as simple as can be: a few
 * files in plain arrays, with all that is open, locked, leased and marked. Every answer is foretold, and every now and
 * then all is compared and reloaded. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "files.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "random.h"
#include "share_model.h"

/* As the share is asked for them, and as the model is. */
static const struct {
    const char *path, *names;
} files[] = {{"a", "a"}, {"b", "b"}, {"c", "c"}, {"d/x", "dx"}, {"d/y", "dy"}, {"D/Z", "dz"}};
enum { FILES = ARRAY_SIZE(files), FILES_OF_ROOT = 3 };

static const char *const lease_ids[] = {"", ID_A, ID_B};

enum { SIZE = 500, LEASES = 2, STEPS = 9000, STEPS_BETWEEN_LOOKS = 300 };

static struct share_model model;
static int64_t now_ms;
static uint64_t tokens;
static char session_ids[MODEL_SESSIONS][40], handle_ids[MODEL_HANDLES][40];

struct file {
    const char *path, *names;
    struct model_place place;
    struct model_node *node; /* NULL when there is none */
    size_t length;
};

static struct file file_at(int number) {
    struct file file = {.path = files[number].path, .names = files[number].names};
    file.place = share_model_find(&model, file.names);
    if (file.place.node == NOBODY) return file;
    file.node = &model.nodes[file.place.node];
    file.length = file.node->content.length;
    return file;
}

static struct file any_file(void) {
    return file_at(random_below(FILES));
}

/* Whether the answer is as foretold, and no error. */
static bool went_well(const redisReply *reply, const char *refusal) {
    if (refusal) expect_error(reply, refusal);
    require(refusal || !reply_is_error(reply), "nothing stands in the way, but it answers %s",
            reply_text(reply));
    return !refusal;
}

static void expect_content_of(const redisReply *reply, const struct model_node *node, size_t offset,
                              size_t length) {
    require(node, "the model has no such file");
    const struct model_content *content = &node->content;
    size_t left = offset < content->length ? content->length - offset : 0;
    expect_bytes(reply, (const char *)content->bytes + (left ? offset : 0), length < left ? length : left);
}

/* --- Sessions ------------------------------------------------------------------------------------------- */

static const char *session_refusal(int session) {
    return model.sessions[session].is_there ? NULL : NO_SESSION;
}

static void end_session(int session) {
    share_model_end_session(&model, session);
    share_model_sweep(&model, session);
}

/* Time passes by thousands of seconds, and sessions live for so many and a half: what passes by itself
 * makes no difference. */
static int64_t ttls_ms[MODEL_SESSIONS];

static void play_connect(void) {
    int session = random_below(MODEL_SESSIONS);
    if (model.sessions[session].is_there) return;
    int ttl_s = 500 + 1000 * random_below(4);
    redisReply *id = call(primary, "SHARE.CONNECT fs %d OWNER client-%d", ttl_s, session);
    require(id->len == 36, "no session: %s", reply_text(id));
    memcpy(session_ids[session], id->str, 37);
    ttls_ms[session] = ttl_s * INT64_C(1000);
    share_model_connect(&model, session, now_ms + ttls_ms[session]);
}

static void play_ping(void) {
    int session = random_below(MODEL_SESSIONS);
    redisReply *reply = call(primary, "SHARE.PING fs %s", session_ids[session]);
    if (!went_well(reply, session_refusal(session))) return;
    expect_number(reply, ttls_ms[session]);
    share_model_ping(&model, session, now_ms + ttls_ms[session]);
}

static void play_disconnect(void) {
    int session = random_below(MODEL_SESSIONS);
    redisReply *reply = call(primary, "SHARE.DISCONNECT fs %s", session_ids[session]);
    if (went_well(reply, session_refusal(session))) end_session(session);
}

static void play_time(void) {
    time_passes(1000000);
    now_ms += 1000000;
    for (int session = 0; session < MODEL_SESSIONS; session++)
        if (share_model_is_over(&model, session, now_ms)) end_session(session);
}

/* --- Handles -------------------------------------------------------------------------------------------- */

static struct words opening(const struct file *file, const struct model_handle *as, const char *disposition,
                            size_t size) {
    static const char *const names[] = {"READ", "WRITE", "DELETE"};
    struct words words = words_of_line("FILE.OPEN fs");
    words_add(&words, session_ids[as->session]);
    words_add(&words, file->path);
    for (int part = 0; part < 2; part++) {
        unsigned bits = part ? as->sharing.share : as->sharing.access;
        words_add(&words, part ? "SHARE" : "ACCESS");
        words_add_number(&words, bits ? __builtin_popcount(bits) : 1);
        if (!bits) words_add(&words, part ? "NONE" : "ATTRIBUTES");
        for (int bit = 0; bit < 3; bit++)
            if (bits >> bit & 1) words_add(&words, names[bit]);
    }
    words_add_line(&words, pool_print("DISPOSITION %s SIZE %zu%s", disposition, size,
                                      as->deletes ? " DELETEONCLOSE" : ""));
    return words;
}

static void play_open(void) {
    static const char *const names[] = {"OPEN", "CREATE", "OPENIF", "OVERWRITE", "OVERWRITEIF", "SUPERSEDE"};
    int handle = random_below(MODEL_HANDLES);
    if (model.handles[handle].is_there) return;
    enum model_disposition disposition =
        random_below(2) ? MODEL_OPEN : (enum model_disposition)random_below(MODEL_DISPOSITIONS);
    struct file file = any_file();
    struct model_handle as = {.session = random_below(MODEL_SESSIONS)};
    as.sharing.access = (unsigned)random_below(8);
    as.sharing.share = random_below(3) ? MODEL_ALL_ACCESS : (unsigned)random_below(8);
    as.deletes = as.sharing.access & MODEL_DELETE_ACCESS && !random_below(4);
    size_t size = random_size(SIZE);
    const char *refusal = share_model_open_refusal(&model, file.place, &as, disposition);
    struct words words = opening(&file, &as, names[disposition], size);
    redisReply *reply = call_words(primary, &words);
    if (!went_well(reply, refusal)) return;
    memcpy(handle_ids[handle], reply_string(field(reply, "handle")), 37);
    bool makes = !file.node || disposition >= MODEL_OVERWRITE;
    if (makes) share_model_create(&model, file.place, MODEL_FILE, size, 0);
    share_model_open(&model, share_model_find(&model, file.names), handle, &as);
    expect_number(field(reply, "content-length"), (long long)(makes ? size : file.length));
}

static int any_open(void) {
    int handle = random_below(MODEL_HANDLES);
    for (int attempt = 0; attempt < 5 && !model.handles[handle].is_there; attempt++)
        handle = random_below(MODEL_HANDLES);
    return handle;
}

static const char *handle_refusal(int handle) {
    return model.handles[handle].is_there ? NULL : NO_HANDLE;
}

static void play_close(void) {
    int handle = any_open();
    if (went_well(call(primary, "FILE.CLOSE fs %s", handle_ids[handle]), handle_refusal(handle)))
        share_model_close(&model, handle);
}

static void play_read(void) {
    int handle = any_open();
    size_t offset = random_size(SIZE), length = random_size(SIZE);
    const char *refusal =
        share_model_use_refusal(&model, handle, MODEL_USE_READ, (struct model_range){offset, length});
    redisReply *reply = call(primary, "FILE.READ fs %s %d %d", handle_ids[handle], (int)offset, (int)length);
    if (went_well(reply, refusal))
        expect_content_of(reply, &model.nodes[model.handles[handle].node], offset, length);
}

static void play_write(void) {
    int handle = any_open();
    size_t offset = random_size(SIZE), length = random_size(random_below(2) ? 20 : SIZE - offset + 1);
    char bytes[SIZE];
    if (length > SIZE - offset) length = SIZE - offset;
    memset(bytes, 'a' + random_below(26), sizeof(bytes));
    const char *refusal =
        share_model_use_refusal(&model, handle, MODEL_USE_WRITE, (struct model_range){offset, length});
    redisReply *reply =
        call(primary, "FILE.WRITE fs %s %d %b", handle_ids[handle], (int)offset, bytes, length);
    if (went_well(reply, refusal) && length)
        share_model_write(&model, model.handles[handle].node, offset, bytes, length);
}

static void play_truncate(void) {
    int handle = any_open();
    size_t size = random_size(SIZE);
    const char *refusal =
        share_model_use_refusal(&model, handle, MODEL_USE_TRUNCATE, (struct model_range){0, 0});
    if (went_well(call(primary, "FILE.TRUNCATE fs %s %d", handle_ids[handle], (int)size), refusal))
        share_model_resize(&model, model.handles[handle].node, size);
}

static struct model_range any_range(void) {
    struct model_range range = {(uint64_t)random_below(40) * 10, (uint64_t)random_below(SIZE)};
    if (random_below(4)) range.length = (uint64_t)random_below(4) * 10;
    if (!random_below(10)) range = (struct model_range){UINT64_MAX - 255, (uint64_t)random_below(200)};
    return range;
}

static void play_lock(void) {
    int handle = any_open();
    bool exclusive = random_below(2);
    struct model_range range = any_range();
    if (!share_model_has_space_for_lock(&model)) return;
    const char *refusal = share_model_use_refusal(
        &model, handle, exclusive ? MODEL_USE_LOCK_EXCLUSIVE : MODEL_USE_LOCK_SHARED, range);
    redisReply *reply =
        call(primary, "FILE.LOCK fs %s %s %llu %llu", handle_ids[handle], exclusive ? "EXCLUSIVE" : "SHARED",
             (unsigned long long)range.offset, (unsigned long long)range.length);
    if (went_well(reply, refusal))
        require(share_model_lock(&model, handle, exclusive, range), "the model refuses a lock");
}

/* That of a lock of the handle, if it has one. */
static struct model_range any_locked_range(int handle) {
    int begin = random_below(MODEL_LOCKS);
    for (int at = 0; at < MODEL_LOCKS; at++) {
        const struct model_lock *lock = &model.locks[(begin + at) % MODEL_LOCKS];
        if (lock->times && lock->handle == handle) return lock->range;
    }
    return any_range();
}

static void play_unlock(void) {
    int handle = any_open();
    struct model_range range = random_below(4) ? any_locked_range(handle) : any_range();
    const char *refusal = handle_refusal(handle);
    if (!share_model_unlock(&model, handle, range) && !refusal) refusal = NOT_LOCKED;
    went_well(call(primary, "FILE.UNLOCK fs %s %llu %llu", handle_ids[handle],
                   (unsigned long long)range.offset, (unsigned long long)range.length),
              refusal);
}

static void play_dispose(void) {
    int handle = any_open();
    bool on = random_below(2);
    const char *refusal = share_model_use_refusal(&model, handle, on ? MODEL_USE_MARK : MODEL_USE_UNMARK,
                                                  (struct model_range){0, 0});
    if (went_well(call(primary, "FILE.DISPOSE fs %s %s", handle_ids[handle], on ? "ON" : "OFF"), refusal))
        model.nodes[model.handles[handle].node].pending = on;
}

static void play_force(void) {
    struct file file = any_file();
    if (random_below(4)) return;
    redisReply *reply = call(primary, "FILE.CLOSEHANDLES fs %s *", file.path);
    if (!went_well(reply, file.node ? NULL : NO_FILE)) return;
    expect_number(reply, (long long)share_model_opens_of(&model, file.place.node));
    for (int handle = 0; handle < MODEL_HANDLES; handle++)
        if (model.handles[handle].is_there && model.handles[handle].node == file.place.node)
            share_model_close(&model, handle);
}

/* --- Stateless commands --------------------------------------------------------------------------------- */

static redisReply *call_file(const char *line, const struct file *file, const char *rest, int lease) {
    const char *clause = lease ? pool_print("LEASE %s", lease_ids[lease]) : "";
    return call_line(primary, pool_print("%s fs %s %s %s", line, file->path, rest, clause));
}

/* Mostly the right one. */
static int any_lease(const struct file *file) {
    if (!random_below(4)) return random_below(1 + LEASES);
    return file->node ? file->node->lease_id : 0;
}

static void play_get(void) {
    struct file file = any_file();
    struct model_wish wish = {
        .class = MODEL_READS, .lease = any_lease(&file), .minds_locks = true, .read = {0, file.length}};
    const char *refusal = share_model_refusal(&model, file.place, &wish);
    redisReply *reply = call_file("FILE.GET", &file, "", wish.lease);
    if (went_well(reply, refusal)) expect_content_of(reply->element[1], file.node, 0, file.length);
}

static void play_get_range(void) {
    struct file file = any_file();
    size_t offset = random_size(SIZE), length = 1 + random_size(50);
    size_t left = offset < file.length ? file.length - offset : 0;
    struct model_wish wish = {
        .class = MODEL_READS, .minds_locks = true, .read = {offset, length < left ? length : left}};
    const char *refusal = share_model_refusal(&model, file.place, &wish);
    if (!refusal && !left) refusal = BAD_RANGE;
    redisReply *reply = call_file("FILE.GET", &file, pool_print("RANGE %zu %zu", offset, length), 0);
    if (went_well(reply, refusal)) expect_content_of(reply->element[1], file.node, offset, length);
}

static void play_put_or_clear(void) {
    struct file file = any_file();
    bool clears = random_below(2);
    size_t offset = random_size(SIZE), length = 1 + random_size(50);
    struct model_wish wish = {.class = MODEL_WRITES, .lease = any_lease(&file), .minds_locks = true};
    const char *refusal = share_model_refusal(&model, file.place, &wish);
    char *bytes = pool_take(length + 1);
    memset(bytes, 'A' + random_below(26), length);
    if (!refusal && offset + length > file.length) refusal = BAD_RANGE;
    redisReply *reply =
        clears ? call_file("FILE.CLEARRANGE", &file, pool_print("%zu %zu", offset, length), wish.lease)
               : call_file("FILE.PUTRANGE", &file, pool_print("%zu %s", offset, bytes), wish.lease);
    if (went_well(reply, refusal))
        share_model_write(&model, file.place.node, offset, clears ? NULL : bytes, length);
}

/* Of what comes to a place: where nothing is, nothing is in the way. */
static const char *refusal_to_replace(const struct file *file, int lease) {
    struct model_wish wish = {.class = MODEL_REPLACES, .lease = lease, .minds_locks = true};
    return file->node ? share_model_refusal(&model, file->place, &wish) : NULL;
}

static void play_create(void) {
    struct file file = any_file();
    size_t size = random_size(SIZE);
    int lease = file.node ? any_lease(&file) : 0;
    const char *refusal = refusal_to_replace(&file, lease);
    if (went_well(call_file("FILE.CREATE", &file, pool_print("%zu", size), lease), refusal))
        share_model_create(&model, file.place, MODEL_FILE, size, 0);
}

static void play_delete(void) {
    struct file file = any_file();
    struct model_wish wish = {.class = MODEL_DELETES, .lease = any_lease(&file), .minds_locks = true};
    const char *refusal = share_model_refusal(&model, file.place, &wish);
    if (went_well(call_file("FILE.DELETE", &file, "", wish.lease), refusal))
        share_model_remove(&model, file.place, MODEL_FILE);
}

static void play_resize(void) {
    struct file file = any_file();
    size_t size = random_below(4) ? random_size(SIZE) : file.length;
    struct model_wish wish = {
        .class = MODEL_WRITES, .lease = any_lease(&file), .minds_locks = size != file.length};
    const char *refusal = share_model_refusal(&model, file.place, &wish);
    if (went_well(call_file("FILE.SETPROPS", &file, pool_print("SIZE %zu", size), wish.lease), refusal))
        share_model_resize(&model, file.place.node, size);
}

static void play_readonly(void) {
    struct file file = any_file();
    bool on = !random_below(3);
    struct model_wish wish = {.class = MODEL_WRITES, .lease = any_lease(&file), .ignores_readonly = !on};
    const char *refusal = share_model_refusal(&model, file.place, &wish);
    redisReply *reply =
        call_file("FILE.SETPROPS", &file, on ? "ATTRIBUTES 1 READONLY" : "ATTRIBUTES 0", wish.lease);
    if (went_well(reply, refusal)) model.nodes[file.place.node].content.attributes = on ? MODEL_READ_ONLY : 0;
}

static void play_setmeta(void) {
    struct file file = any_file();
    int meta = 1 + random_below(100);
    struct model_wish wish = {.class = MODEL_WRITES, .lease = any_lease(&file)};
    const char *refusal = share_model_refusal(&model, file.place, &wish);
    if (went_well(call_file("FILE.SETMETA", &file, pool_print("META 1 n %d", meta), wish.lease), refusal))
        model.nodes[file.place.node].content.meta = meta;
}

static void play_copy(void) {
    struct file source = any_file(), file = any_file();
    struct model_wish reads = {.class = MODEL_READS, .minds_locks = true, .read = {0, source.length}};
    int lease = file.node ? any_lease(&file) : 0;
    const char *refusal = share_model_refusal(&model, source.place, &reads);
    if (!refusal) refusal = refusal_to_replace(&file, lease);
    if (went_well(call_file("FILE.COPY", &source, file.path, lease), refusal))
        share_model_copy(&model, source.place, file.place);
}

static void play_rename(void) {
    struct file source = any_file(), file = any_file();
    bool replaces = random_below(2);
    int lease = source.node ? source.node->lease_id : 0;
    int other = file.node && file.node != source.node ? file.node->lease_id : 0;
    const char *refusal = share_model_rename_refusal(&model, source.place, file.place, replaces);
    const char *clause = other ? pool_print("NEWLEASE %s", lease_ids[other]) : "";
    redisReply *reply = call_file(
        "FILE.RENAME", &source, pool_print("%s %s %s", file.path, replaces ? "REPLACE" : "", clause), lease);
    if (went_well(reply, refusal)) share_model_rename(&model, source.place, file.place);
}

/* There and back. */
static void play_move_directory(void) {
    const char *refusal = NULL;
    for (int number = FILES_OF_ROOT; number < FILES; number++) {
        struct file file = file_at(number);
        if (file.node && file.node->lease) refusal = LEASE_MISSING;
        if (file.node && !refusal && !share_model_is_shared(&model, file.place.node, MODEL_DELETES))
            refusal = SV;
    }
    if (went_well(call(primary, "FILE.RENAME fs d away"), refusal)) act("rename away D", NULL);
}

static void play_lease(void) {
    struct file file = any_file();
    int id = 1 + random_below(LEASES);
    const char *refusal = share_model_lease_refusal(&model, file.place, id);
    bool again = file.node && file.node->lease_id == id;
    if (again && !share_model_is_shared(&model, file.place.node, MODEL_LEASES)) return;
    redisReply *reply = call(primary, "LEASE.ACQUIRE fs -1 ID %s FILE %s", lease_ids[id], file.path);
    if (went_well(reply, refusal)) share_model_lease(&model, file.place, MODEL_LEASE_HELD, id, ++tokens);
}

static void play_break(void) {
    struct file file = any_file();
    if (!file.node || file.node->pending || !file.node->lease) return;
    redisReply *reply = random_below(2) ? call(primary, "LEASE.BREAK fs FILE %s", file.path)
                                        : call(primary, "LEASE.RELEASE fs %s FILE %s",
                                               lease_ids[file.node->lease_id], file.path);
    require(!reply_is_error(reply), "it is leased: %s", reply_text(reply));
    share_model_lease(&model, file.place, MODEL_UNLEASED, 0, ++tokens);
}

/* --- All of it ------------------------------------------------------------------------------------------ */

static int living(void) {
    int count = 0;
    for (int session = 0; session < MODEL_SESSIONS; session++) count += model.sessions[session].is_there;
    return count;
}

static void compare_file(const struct file *file) {
    redisReply *stat = call(primary, "FILE.STAT fs %s", file->path);
    struct model_wish wish = {.class = MODEL_ASKS};
    if (!went_well(stat, share_model_refusal(&model, file->place, &wish))) return;
    const struct model_node *node = &model.nodes[file->place.node];
    const struct model_content *content = &node->content;
    const char *state = reply_string(field(stat, "lease-state"));
    expect_number(field(stat, "content-length"), (long long)file->length);
    require(node->lease == !strcmp(state, "leased"), "%s is %s", file->path, state);
    assert_int_equal(field(stat, "attributes")->elements, content->attributes ? 1 : 0);
    redisReply *meta = field(stat, "meta");
    assert_int_equal(meta->elements, content->meta ? 2 : 0);
    if (content->meta) expect_text(meta->element[1], pool_print("%d", content->meta));
}

static void compare_handles(void) {
    redisReply *handles = expect_elements(call(primary, "FILE.HANDLES fs"), 2)->element[1];
    size_t open = 0, pending = 0, told = 0;
    for (int handle = 0; handle < MODEL_HANDLES; handle++) {
        const struct model_handle *as = &model.handles[handle];
        open += as->is_there;
        pending += as->is_there && model.nodes[as->node].pending;
    }
    assert_int_equal(handles->elements, open);
    for (size_t i = 0; i < handles->elements; i++)
        told += field(handles->element[i], "pending")->integer == 1;
    assert_int_equal(told, pending);
}

/* Sessions end by time a moment later, and their handles and locks are removed in the background. */
static bool sessions_are_settled(void) {
    return info_of(primary, "holdfast_share_sessions") == living() &&
           !info_of(primary, "holdfast_share_sessions_ended");
}

/* A range that a handle locks several times counts once. */
static int locks_held(void) {
    int count = 0;
    for (int at = 0; at < MODEL_LOCKS; at++) count += model.locks[at].times > 0;
    return count;
}

static void compare(void) {
    long long count = 0, bytes = 0;
    size_t shown = 0;
    AWAIT_OR(sessions_are_settled(), "%d sessions live", living());
    for (int number = 0; number < FILES; number++) {
        struct file file = file_at(number);
        compare_file(&file);
        count += file.node != NULL;
        bytes += (long long)file.length;
        shown += file.node && !file.node->pending;
    }
    compare_handles();
    assert_int_equal(info_of(primary, "holdfast_file_locks"), locks_held());
    redisReply *share = call(primary, "SHARE.GET fs");
    expect_number(field(share, "files"), count);
    expect_number(field(share, "bytes"), bytes);
    size_t listed_files = 0;
    for (int directory = 0; directory < 2; directory++) {
        redisReply *items = call(primary, "FILE.LIST fs %s", directory ? "d" : "")->element[1];
        listed_files += items->elements - !directory;
    }
    assert_int_equal(listed_files, shown);
}

static void play_step(void) {
    static const struct {
        int weight;
        void (*play)(void);
    } plays[] = {
        {4, play_connect},    {3, play_ping},
        {1, play_disconnect}, {1, play_time},
        {13, play_open},      {6, play_close},
        {6, play_read},       {6, play_write},
        {2, play_truncate},   {9, play_lock},
        {6, play_unlock},     {4, play_dispose},
        {1, play_force},      {6, play_get},
        {4, play_get_range},  {6, play_put_or_clear},
        {5, play_create},     {2, play_delete},
        {2, play_resize},     {2, play_readonly},
        {2, play_setmeta},    {2, play_copy},
        {2, play_rename},     {2, play_lease},
        {2, play_break},      {1, play_move_directory},
    };
    int drawn = random_below(100);
    size_t index = 0;
    while (drawn >= plays[index].weight) drawn -= plays[index++].weight;
    plays[index].play();
}

static void play_sequence(int steps) {
    random_begin();
    share_model_start(&model);
    memset(session_ids, 0, sizeof(session_ids));
    memset(handle_ids, 0, sizeof(handle_ids));
    time_passes(0);
    acts({"SHARE.CREATE fs", NULL}, {"mkdir D", NULL});
    share_model_create(&model, share_model_find(&model, "d"), MODEL_DIRECTORY, 0, 0);
    for (int step = 0; step < steps; step++) {
        play_step();
        if (step % STEPS_BETWEEN_LOOKS) continue;
        compare();
        if (!random_below(4)) expect_ok(call(primary, "DEBUG RELOAD"));
    }
    compare();
}

TEST(a_random_sequence_goes_as_foretold) {
    play_sequence(STEPS);
}

/* The same while somebody else does other things on other keys, so that replies and effects interleave. */
TEST(a_random_sequence_beside_others_goes_as_foretold) {
    enum { MADE = 2000 };
    struct client *other = test_client(primary->server);
    expect_etag(call(other, "SHARE.CREATE other"));
    for (int i = 0; i < MADE; i++) send_call(other, "FILE.CREATE other file-%d %d", i, i);
    send_now(other);
    play_sequence(STEPS / 3);
    for (int i = 0; i < MADE; i++) expect_etag(receive(other));
}
