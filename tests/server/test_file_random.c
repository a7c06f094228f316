/*
 * Long random sequences of commands by clients whose sessions die, against a model that is as simple as can be: a few
 * files in plain arrays, with all that is open, locked, leased and marked. Every answer is foretold, and every now and
 * then all is compared and reloaded.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_model.h"
#include "files.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "random.h"
#include "text.h"

static const char *const paths[MODEL_FILES] = {"a", "b", "c", "d/x", "d/y", "D/Z"};
enum { FILES_OF_ROOT = 3 };

static const char *const lease_ids[] = {"", ID_A, ID_B};

enum { STEPS = 9000, STEPS_BETWEEN_LOOKS = 300 };

/* Whether the answer is as foretold, and no error. */
static bool went_well(const redisReply *reply, const char *refusal) {
    if (refusal) expect_error(reply, refusal);
    require(refusal || !reply_is_error(reply), "nothing stands in the way, but it answers %s",
            reply_text(reply));
    return !refusal;
}

/* --- Sessions ------------------------------------------------------------------------------------------- */

/* Time passes by thousands of seconds, and sessions live for so many and a half: what passes by itself
 * makes no difference. */
static void play_connect(void) {
    int session = random_below(MODEL_SESSIONS);
    if (model_sessions[session].lives) return;
    int ttl_s = 500 + 1000 * random_below(4);
    redisReply *id = call(primary, "SHARE.CONNECT fs %d OWNER client-%d", ttl_s, session);
    require(id->len == 36, "no session: %s", reply_text(id));
    model_sessions[session].lives = true;
    model_sessions[session].ttl_s = model_sessions[session].left_s = ttl_s;
    memcpy(model_sessions[session].id, id->str, 37);
}

static void play_ping(void) {
    int session = random_below(MODEL_SESSIONS);
    redisReply *reply = call(primary, "SHARE.PING fs %s", model_sessions[session].id);
    if (!went_well(reply, model_sessions[session].lives ? NULL : NO_SESSION)) return;
    expect_number(reply, model_sessions[session].ttl_s * 1000LL);
    model_sessions[session].left_s = model_sessions[session].ttl_s;
}

static void play_disconnect(void) {
    int session = random_below(MODEL_SESSIONS);
    redisReply *reply = call(primary, "SHARE.DISCONNECT fs %s", model_sessions[session].id);
    if (went_well(reply, model_sessions[session].lives ? NULL : NO_SESSION)) model_end(session);
}

static void play_time(void) {
    time_passes(1000000);
    for (int session = 0; session < MODEL_SESSIONS; session++) {
        model_sessions[session].left_s -= 1000;
        if (model_sessions[session].lives && model_sessions[session].left_s < 0) model_end(session);
    }
}

/* --- Handles -------------------------------------------------------------------------------------------- */

static struct words opening(const struct model_open *open, const char *disposition, size_t size) {
    static const char *const names[] = {"READ", "WRITE", "DELETE"};
    struct words words = words_of_line("FILE.OPEN fs");
    words_add(&words, model_sessions[open->session].id);
    words_add(&words, paths[open->file]);
    for (int part = 0; part < 2; part++) {
        int bits = part ? open->share : open->access;
        words_add(&words, part ? "SHARE" : "ACCESS");
        words_add_number(&words, bits ? __builtin_popcount((unsigned)bits) : 1);
        if (!bits) words_add(&words, part ? "NONE" : "ATTRIBUTES");
        for (int bit = 0; bit < 3; bit++)
            if (bits >> bit & 1) words_add(&words, names[bit]);
    }
    words_add_line(&words, pool_print("DISPOSITION %s SIZE %zu%s", disposition, size,
                                      open->deletes ? " DELETEONCLOSE" : ""));
    return words;
}

static void play_open(void) {
    static const char *const names[] = {"OPEN", "CREATE", "OPENIF", "OVERWRITE", "OVERWRITEIF", "SUPERSEDE"};
    struct model_open *place = &model_opens[random_below(MODEL_OPENS)];
    if (place->is) return;
    enum model_disposition disposition = random_below(2) ? OPEN : (enum model_disposition)random_below(6);
    struct model_open open = {.session = random_below(MODEL_SESSIONS),
                              .file = random_below(MODEL_FILES),
                              .access = random_below(8),
                              .share = random_below(3) ? EVERY : random_below(8)};
    open.deletes = open.access & D && !random_below(4);
    size_t size = random_size(MODEL_SIZE);
    bool existed = model_files[open.file].exists;
    int counted = open.access;
    if (existed && (disposition == OVERWRITE || disposition == OVERWRITEIF)) counted |= W;
    if (existed && disposition == SUPERSEDE) counted |= D;
    const char *refusal = model_refusal_to_open(&open, disposition, counted);
    struct words words = opening(&open, names[disposition], size);
    redisReply *reply = call_words(primary, &words);
    if (!went_well(reply, refusal)) return;
    memcpy(open.id, reply_string(field(reply, "handle")), 37);
    if (!existed || disposition >= OVERWRITE) model_create(open.file, size);
    open.is = true;
    *place = open;
    expect_number(field(reply, "content-length"), (long long)model_files[open.file].length);
}

static struct model_open *any_open(void) {
    struct model_open *open = &model_opens[random_below(MODEL_OPENS)];
    for (int attempt = 0; attempt < 5 && !open->is; attempt++) open = &model_opens[random_below(MODEL_OPENS)];
    return open;
}

static void play_close(void) {
    struct model_open *open = any_open();
    if (went_well(call(primary, "FILE.CLOSE fs %s", open->id), open->is ? NULL : NO_HANDLE))
        model_close(open);
}

static void play_read(void) {
    struct model_open *open = any_open();
    size_t offset = random_size(MODEL_SIZE), length = random_size(MODEL_SIZE),
           whole = model_files[open->file].length;
    const char *refusal = NULL;
    if (!open->is)
        refusal = NO_HANDLE;
    else if (!(open->access & R))
        refusal = DENIED;
    else if (model_is_locked(open->file, open, TO_READ, (struct model_range){offset, length}))
        refusal = LOCKED;
    redisReply *reply = call(primary, "FILE.READ fs %s %d %d", open->id, (int)offset, (int)length);
    if (!went_well(reply, refusal)) return;
    size_t left = offset < whole ? whole - offset : 0;
    expect_bytes(reply, model_files[open->file].content + (left ? offset : 0), length < left ? length : left);
}

static void play_write(void) {
    struct model_open *open = any_open();
    size_t offset = random_size(MODEL_SIZE),
           length = random_size(random_below(2) ? 20 : MODEL_SIZE - offset + 1);
    char bytes[MODEL_SIZE];
    if (length > MODEL_SIZE - offset) length = MODEL_SIZE - offset;
    memset(bytes, 'a' + random_below(26), sizeof bytes);
    const char *refusal = NULL;
    if (!open->is)
        refusal = NO_HANDLE;
    else if (!(open->access & W))
        refusal = DENIED;
    else if (model_is_locked(open->file, open, TO_WRITE, (struct model_range){offset, length}))
        refusal = LOCKED;
    redisReply *reply = call(primary, "FILE.WRITE fs %s %d %b", open->id, (int)offset, bytes, length);
    if (!went_well(reply, refusal)) return;
    memcpy(model_files[open->file].content + offset, bytes, length);
    if (length && offset + length > model_files[open->file].length)
        model_files[open->file].length = offset + length;
}

static void play_truncate(void) {
    struct model_open *open = any_open();
    size_t size = random_size(MODEL_SIZE);
    const char *refusal = !open->is ? NO_HANDLE : open->access & W ? NULL : DENIED;
    if (went_well(call(primary, "FILE.TRUNCATE fs %s %d", open->id, (int)size), refusal))
        model_resize(open->file, size);
}

static struct model_range any_range(void) {
    struct model_range range = {(uint64_t)random_below(40) * 10, (uint64_t)random_below(MODEL_SIZE)};
    if (random_below(4)) range.length = (uint64_t)random_below(4) * 10;
    if (!random_below(10)) range = (struct model_range){UINT64_MAX - 255, (uint64_t)random_below(200)};
    return range;
}

static void play_lock(void) {
    struct model_open *open = any_open();
    struct model_lock lock = {.held = true, .exclusive = random_below(2)},
                      *place = &open->locks[random_below(MODEL_LOCKS)];
    lock.range = any_range();
    if (place->held) return;
    const char *refusal = NULL;
    if (!open->is)
        refusal = NO_HANDLE;
    else if (!(open->access & (R | W)))
        refusal = DENIED;
    else if (model_is_locked(open->file, open, lock.exclusive ? TO_LOCK_EXCLUSIVE : TO_LOCK_SHARED,
                             lock.range))
        refusal = LOCKED;
    redisReply *reply =
        call(primary, "FILE.LOCK fs %s %s %llu %llu", open->id, lock.exclusive ? "EXCLUSIVE" : "SHARED",
             (unsigned long long)lock.range.offset, (unsigned long long)lock.range.length);
    if (went_well(reply, refusal)) *place = lock;
}

static struct model_lock *find_lock(struct model_open *open, bool exclusive, struct model_range range) {
    for (int at = 0; at < MODEL_LOCKS; at++) {
        struct model_lock *lock = &open->locks[at];
        if (lock->held && lock->exclusive == exclusive && lock->range.offset == range.offset &&
            lock->range.length == range.length)
            return lock;
    }
    return NULL;
}

static void play_unlock(void) {
    struct model_open *open = any_open();
    const struct model_lock *known = &open->locks[random_below(MODEL_LOCKS)];
    struct model_range range = known->held && random_below(4) ? known->range : any_range();
    struct model_lock *lock = find_lock(open, true, range);
    if (!lock) lock = find_lock(open, false, range);
    const char *refusal = !open->is ? NO_HANDLE : lock ? NULL : NOT_LOCKED;
    if (went_well(call(primary, "FILE.UNLOCK fs %s %llu %llu", open->id, (unsigned long long)range.offset,
                       (unsigned long long)range.length),
                  refusal))
        lock->held = false;
}

static void play_dispose(void) {
    struct model_open *open = any_open();
    bool on = random_below(2);
    const char *refusal = NULL;
    if (!open->is)
        refusal = NO_HANDLE;
    else if (!(open->access & D))
        refusal = DENIED;
    else if (on && model_files[open->file].readonly)
        refusal = CANNOT_DELETE;
    if (went_well(call(primary, "FILE.DISPOSE fs %s %s", open->id, on ? "ON" : "OFF"), refusal))
        model_files[open->file].pending = on;
}

static void play_force(void) {
    int file = random_below(MODEL_FILES), closed = 0;
    if (random_below(4)) return;
    bool exists = model_files[file].exists;
    for (int index = 0; exists && index < MODEL_OPENS; index++)
        closed += model_opens[index].is && model_opens[index].file == file;
    redisReply *reply = call(primary, "FILE.CLOSEHANDLES fs %s *", paths[file]);
    if (!went_well(reply, exists ? NULL : NO_FILE)) return;
    expect_number(reply, closed);
    for (int index = 0; index < MODEL_OPENS; index++)
        if (model_opens[index].is && model_opens[index].file == file) model_close(&model_opens[index]);
}

/* --- Stateless commands --------------------------------------------------------------------------------- */

static redisReply *call_file(const char *line, int file, const char *rest, int lease) {
    const char *clause = lease ? pool_print("LEASE %s", lease_ids[lease]) : "";
    return call_line(primary, pool_print("%s fs %s %s %s", line, paths[file], rest, clause));
}

/* Mostly the right one. */
static int any_lease(int file) {
    return random_below(4) ? model_files[file].lease : random_below(3);
}

static void play_get(void) {
    int file = random_below(MODEL_FILES);
    struct model_wish wish = {.class = MODEL_READS,
                              .lease = any_lease(file),
                              .minds_locks = true,
                              .length = model_files[file].length};
    const char *refusal = model_refusal(file, &wish);
    redisReply *reply = call_file("FILE.GET", file, "", wish.lease);
    if (went_well(reply, refusal))
        expect_bytes(reply->element[1], model_files[file].content, model_files[file].length);
}

static void play_get_range(void) {
    int file = random_below(MODEL_FILES);
    size_t whole = model_files[file].length, offset = random_size(MODEL_SIZE), length = 1 + random_size(50);
    size_t left = offset < whole ? whole - offset : 0;
    struct model_wish wish = {
        .class = MODEL_READS, .minds_locks = true, .offset = offset, .length = length < left ? length : left};
    const char *refusal = model_refusal(file, &wish);
    if (!refusal && !left) refusal = BAD_RANGE;
    redisReply *reply = call_file("FILE.GET", file, pool_print("RANGE %zu %zu", offset, length), LEASE_NONE);
    if (went_well(reply, refusal))
        expect_bytes(reply->element[1], model_files[file].content + offset, wish.length);
}

static void play_put_or_clear(void) {
    int file = random_below(MODEL_FILES);
    bool clears = random_below(2);
    size_t offset = random_size(MODEL_SIZE), length = 1 + random_size(50);
    struct model_wish wish = {.class = MODEL_WRITES, .lease = any_lease(file), .minds_locks = true};
    const char *refusal = model_refusal(file, &wish);
    char *bytes = pool_take(length + 1);
    memset(bytes, clears ? '\0' : 'A' + random_below(26), length);
    if (!refusal && offset + length > model_files[file].length) refusal = BAD_RANGE;
    redisReply *reply =
        clears ? call_file("FILE.CLEARRANGE", file, pool_print("%zu %zu", offset, length), wish.lease)
               : call_file("FILE.PUTRANGE", file, pool_print("%zu %s", offset, bytes), wish.lease);
    if (went_well(reply, refusal)) memcpy(model_files[file].content + offset, bytes, length);
}

static void play_create(void) {
    int file = random_below(MODEL_FILES);
    size_t size = random_size(MODEL_SIZE);
    struct model_wish wish = {.class = MODEL_REPLACES,
                              .lease = model_files[file].exists ? any_lease(file) : LEASE_NONE,
                              .minds_locks = true};
    const char *refusal = model_files[file].exists ? model_refusal(file, &wish) : NULL;
    if (went_well(call_file("FILE.CREATE", file, pool_print("%zu", size), wish.lease), refusal))
        model_create(file, size);
}

static void play_delete(void) {
    int file = random_below(MODEL_FILES);
    struct model_wish wish = {.class = MODEL_DELETES, .lease = any_lease(file), .minds_locks = true};
    const char *refusal = model_refusal(file, &wish);
    if (went_well(call_file("FILE.DELETE", file, "", wish.lease), refusal))
        memset(&model_files[file], 0, sizeof model_files[file]);
}

static void play_resize(void) {
    int file = random_below(MODEL_FILES);
    size_t size = random_below(4) ? random_size(MODEL_SIZE) : model_files[file].length;
    struct model_wish wish = {
        .class = MODEL_WRITES, .lease = any_lease(file), .minds_locks = size != model_files[file].length};
    const char *refusal = model_refusal(file, &wish);
    if (went_well(call_file("FILE.SETPROPS", file, pool_print("SIZE %zu", size), wish.lease), refusal))
        model_resize(file, size);
}

static void play_readonly(void) {
    int file = random_below(MODEL_FILES);
    bool on = !random_below(3);
    struct model_wish wish = {.class = MODEL_WRITES, .lease = any_lease(file), .ignores_readonly = !on};
    const char *refusal = model_refusal(file, &wish);
    redisReply *reply =
        call_file("FILE.SETPROPS", file, on ? "ATTRIBUTES 1 READONLY" : "ATTRIBUTES 0", wish.lease);
    if (went_well(reply, refusal)) model_files[file].readonly = on;
}

static void play_setmeta(void) {
    int file = random_below(MODEL_FILES), meta = 1 + random_below(100);
    struct model_wish wish = {.class = MODEL_WRITES, .lease = any_lease(file)};
    const char *refusal = model_refusal(file, &wish);
    if (went_well(call_file("FILE.SETMETA", file, pool_print("META 1 n %d", meta), wish.lease), refusal))
        model_files[file].meta = meta;
}

static void play_copy(void) {
    int source = random_below(MODEL_FILES), file = random_below(MODEL_FILES);
    struct model_wish reads = {
        .class = MODEL_READS, .minds_locks = true, .length = model_files[source].length};
    struct model_wish writes = {.class = MODEL_REPLACES,
                                .lease = model_files[file].exists ? any_lease(file) : LEASE_NONE,
                                .minds_locks = true};
    const char *refusal = model_refusal(source, &reads);
    if (!refusal && model_files[file].exists) refusal = model_refusal(file, &writes);
    redisReply *reply = call_file("FILE.COPY", source, paths[file], writes.lease);
    if (went_well(reply, refusal) && source != file) model_take(file, source);
}

static void play_rename(void) {
    int source = random_below(MODEL_FILES), file = random_below(MODEL_FILES);
    bool replaces = random_below(2);
    struct model_wish leaves = {
        .class = MODEL_DELETES, .lease = model_files[source].lease, .minds_locks = true};
    struct model_wish comes = {.class = MODEL_REPLACES,
                               .lease = file == source || !model_files[file].exists ? LEASE_NONE
                                                                                    : model_files[file].lease,
                               .minds_locks = true};
    const char *refusal = model_refusal(source, &leaves);
    if (!refusal && source != file && model_files[file].exists) {
        refusal = model_files[file].pending ? PENDING : replaces ? NULL : EXISTS;
        if (!refusal) refusal = model_refusal(file, &comes);
        bool brings = model_files[source].lease && !model_files[file].lease;
        if (!refusal && brings && !model_is_shared(file, MODEL_LEASES)) refusal = SV;
    }
    const char *clause = comes.lease ? pool_print("NEWLEASE %s", lease_ids[comes.lease]) : "";
    redisReply *reply =
        call_file("FILE.RENAME", source,
                  pool_print("%s %s %s", paths[file], replaces ? "REPLACE" : "", clause), leaves.lease);
    if (!went_well(reply, refusal) || source == file) return;
    model_take(file, source);
    if (!model_files[file].lease) model_files[file].lease = model_files[source].lease;
    memset(&model_files[source], 0, sizeof model_files[source]);
}

/* There and back. */
static void play_move_directory(void) {
    const char *refusal = NULL;
    for (int file = FILES_OF_ROOT; file < MODEL_FILES; file++)
        if (model_files[file].exists && !model_is_shared(file, MODEL_DELETES)) refusal = SV;
    for (int file = FILES_OF_ROOT; file < MODEL_FILES; file++)
        if (model_files[file].exists && model_files[file].lease) refusal = LEASE_MISSING;
    if (went_well(call(primary, "FILE.RENAME fs d away"), refusal)) act("rename away D", NULL);
}

static void play_lease(void) {
    int file = random_below(MODEL_FILES), id = 1 + random_below(2);
    const char *refusal = NULL;
    if (!model_files[file].exists)
        refusal = NO_FILE;
    else if (model_files[file].pending)
        refusal = PENDING;
    else if (model_files[file].lease)
        refusal = model_files[file].lease == id ? NULL : LEASE_PRESENT;
    else if (!model_is_shared(file, MODEL_LEASES))
        refusal = SV;
    if (model_files[file].lease == id && !model_is_shared(file, MODEL_LEASES)) return;
    redisReply *reply = call(primary, "LEASE.ACQUIRE fs -1 ID %s FILE %s", lease_ids[id], paths[file]);
    if (went_well(reply, refusal)) model_files[file].lease = id;
}

static void play_break(void) {
    int file = random_below(MODEL_FILES);
    if (!model_files[file].exists || model_files[file].pending || !model_files[file].lease) return;
    redisReply *reply = random_below(2) ? call(primary, "LEASE.BREAK fs FILE %s", paths[file])
                                        : call(primary, "LEASE.RELEASE fs %s FILE %s",
                                               lease_ids[model_files[file].lease], paths[file]);
    require(!reply_is_error(reply), "it is leased: %s", reply_text(reply));
    model_files[file].lease = LEASE_NONE;
}

/* --- All of it ------------------------------------------------------------------------------------------ */

static int living(void) {
    int count = 0;
    for (int session = 0; session < MODEL_SESSIONS; session++) count += model_sessions[session].lives;
    return count;
}

static void compare_file(int file) {
    redisReply *stat = call(primary, "FILE.STAT fs %s", paths[file]);
    struct model_wish wish = {.class = MODEL_ASKS};
    if (!went_well(stat, model_refusal(file, &wish))) return;
    expect_number(field(stat, "content-length"), (long long)model_files[file].length);
    expect_text(field(stat, "lease-state"),
                model_files[file].lease ? "leased" : reply_string(field(stat, "lease-state")));
    require(model_files[file].lease || strcmp(reply_string(field(stat, "lease-state")), "leased") != 0,
            "nobody leased %s", paths[file]);
    assert_int_equal(field(stat, "attributes")->elements, model_files[file].readonly);
    redisReply *meta = field(stat, "meta");
    assert_int_equal(meta->elements, model_files[file].meta ? 2 : 0);
    if (model_files[file].meta) expect_text(meta->element[1], pool_print("%d", model_files[file].meta));
}

static void compare_handles(void) {
    redisReply *handles = expect_elements(call(primary, "FILE.HANDLES fs"), 2)->element[1];
    size_t open = 0, pending = 0, told = 0;
    for (int index = 0; index < MODEL_OPENS; index++) open += model_opens[index].is;
    for (int index = 0; index < MODEL_OPENS; index++)
        pending += model_opens[index].is && model_files[model_opens[index].file].pending;
    assert_int_equal(handles->elements, open);
    for (size_t index = 0; index < handles->elements; index++)
        told += field(handles->element[index], "pending")->integer == 1;
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
    for (int index = 0; index < MODEL_OPENS; index++)
        for (int at = 0; at < MODEL_LOCKS; at++) {
            const struct model_lock *lock = &model_opens[index].locks[at];
            count += lock->held && lock == find_lock(&model_opens[index], lock->exclusive, lock->range);
        }
    return count;
}

static void compare(void) {
    long long count = 0, bytes = 0;
    size_t shown = 0;
    for (int attempt = 0; attempt < 5000 && !sessions_are_settled(); attempt++) usleep(1000);
    require(sessions_are_settled(), "%d sessions live", living());
    for (int file = 0; file < MODEL_FILES; file++) {
        compare_file(file);
        count += model_files[file].exists;
        bytes += (long long)model_files[file].length;
        shown += model_files[file].exists && !model_files[file].pending;
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
    model_begin();
    time_passes(0);
    acts({"SHARE.CREATE fs", NULL}, {"mkdir D", NULL});
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
    for (int index = 0; index < MADE; index++) send_call(other, "FILE.CREATE other file-%d %d", index, index);
    int done = 0;
    while (!done) redisBufferWrite(other->context, &done);
    play_sequence(STEPS / 3);
    for (int index = 0; index < MADE; index++) expect_etag(receive(other));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RUN(a_random_sequence_goes_as_foretold),
        RUN(a_random_sequence_beside_others_goes_as_foretold),
    };
    return harness_run("file_random", tests);
}
