/*
 * Long random sequences of commands by clients whose sessions die, against a model that is as simple as can be: a few
 * files in plain arrays, with all that is open, locked, leased and marked. Every answer is foretold, and every now and
 * then all is compared and reloaded.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chance.h"
#include "files.h"
#include "leases.h"
#include "pool.h"
#include "text.h"
#include "world.h"

enum { FILES = 6, SESSIONS = 5, OPENS = 24, LOCKS = 8, SIZE = 500, STEPS = 9000, STEPS_BETWEEN_LOOKS = 300 };
enum { R = 1, W = 2, D = 4, EVERY = 7 };
enum { EXCLUSIVE, SHARED };
enum { LEASE_NONE, LEASE_A, LEASE_B };

static const char *const paths[FILES] = {"a", "b", "c", "d/x", "d/y", "D/Z"};
static const char *const lease_ids[] = {"", ID_A, ID_B};

struct lock {
    bool held, exclusive;
    unsigned long long offset, length;
};

struct open {
    bool is; /* else it was, if it has an id */
    char id[40];
    int session, file, access, share;
    bool deletes;
    struct lock locks[LOCKS];
};

static struct {
    bool exists, pending, readonly;
    int lease, meta;
    char content[SIZE];
    size_t length;
} files[FILES];

static struct {
    bool lives;
    char id[40];
    int ttl_s, left_s;
} sessions[SESSIONS];

static struct open opens[OPENS];

/* --- The model -------------------------------------------------------------------------------------------------------- */

static bool is_open(int file) {
    for (int index = 0; index < OPENS; index++)
        if (opens[index].is && opens[index].file == file) return true;
    return false;
}

static void settle(int file) {
    if (!files[file].pending || is_open(file)) return;
    memset(&files[file], 0, sizeof files[file]);
}

static void model_close(struct open *open) {
    open->is = false;
    memset(open->locks, 0, sizeof open->locks);
    if (open->deletes) files[open->file].pending = true;
    settle(open->file);
}

static void model_end(int session) {
    sessions[session].lives = false;
    for (int index = 0; index < OPENS; index++)
        if (opens[index].is && opens[index].session == session) model_close(&opens[index]);
}

static bool overlap(const struct lock *lock, unsigned long long offset, unsigned long long length) {
    return lock->held && lock->offset < offset + length && offset < lock->offset + lock->length;
}

enum question { READING, WRITING, LOCKING_SHARED, LOCKING_EXCLUSIVE, ANY_LOCK };

/* Whether a lock of the file stands in the way of one who has it open, or of nobody in particular. */
static bool is_locked(int file, const struct open *self, enum question question, unsigned long long offset, unsigned long long length) {
    if (question <= WRITING && !length) return false;
    for (int index = 0; index < OPENS; index++) {
        if (!opens[index].is || opens[index].file != file) continue;
        bool own = &opens[index] == self;
        for (int at = 0; at < LOCKS; at++) {
            const struct lock *lock = &opens[index].locks[at];
            if (question == ANY_LOCK && lock->held) return true;
            if (!overlap(lock, offset, length)) continue;
            if (question == LOCKING_EXCLUSIVE) return true;
            if (lock->exclusive ? !own : question == WRITING) return true;
        }
    }
    return false;
}

enum class { CLASS_A, CLASS_R, CLASS_W, CLASS_WD, CLASS_DEL, CLASS_LEASE };

static bool class_fits(enum class class, const struct open *open) {
    static const int needs[] = {0, R, W, W | D};
    if (class == CLASS_DEL) return false;
    if (!open->access) return true;
    if (class == CLASS_LEASE) return open->share == EVERY && open->access == R;
    return (needs[class] & ~open->share) == 0;
}

static bool is_shared(int file, enum class class) {
    for (int index = 0; index < OPENS; index++)
        if (opens[index].is && opens[index].file == file && !class_fits(class, &opens[index])) return false;
    return true;
}

struct wish {
    enum class class;
    int lease; /* the id that comes along */
    bool minds_locks, ignores_readonly;
    size_t offset, length; /* of what is read */
};

static const char *foretold(int file, const struct wish *wish) {
    bool writes = wish->class >= CLASS_W && wish->class <= CLASS_DEL;
    if (!files[file].exists) return NO_FILE;
    if (files[file].pending) return PENDING;
    if (wish->lease && !files[file].lease) return LEASE_ABSENT;
    if (wish->lease && wish->lease != files[file].lease) return LEASE_OTHER;
    if (writes && files[file].lease && !wish->lease) return LEASE_MISSING;
    if (writes && files[file].readonly && !wish->ignores_readonly) return READ_ONLY;
    if (!is_shared(file, wish->class)) return SV;
    enum question question = writes ? ANY_LOCK : READING;
    if (wish->minds_locks && is_locked(file, NULL, question, wish->offset, wish->length)) return LOCKED;
    return NULL;
}

/* Whether the answer is as foretold, and no error. */
static bool went_well(const redisReply *reply, const char *refusal) {
    if (refusal) expect_error(reply, refusal);
    require(refusal || !reply_is_error(reply), "nothing stands in the way, but it answers %s", reply_text(reply));
    return !refusal;
}

/* --- Sessions ---------------------------------------------------------------------------------------------------------- */

/* Time passes by thousands of seconds, and sessions live for so many and a half: what passes by itself makes no
 * difference. */
static void play_connect(void) {
    int session = chance(SESSIONS);
    if (sessions[session].lives) return;
    int ttl_s = 500 + 1000 * chance(4);
    redisReply *id = call(primary, "SHARE.CONNECT fs %d OWNER client-%d", ttl_s, session);
    require(id->len == 36, "no session: %s", reply_text(id));
    sessions[session].lives = true;
    sessions[session].ttl_s = sessions[session].left_s = ttl_s;
    memcpy(sessions[session].id, id->str, 37);
}

static void play_ping(void) {
    int session = chance(SESSIONS);
    redisReply *reply = call(primary, "SHARE.PING fs %s", sessions[session].id);
    if (!went_well(reply, sessions[session].lives ? NULL : NO_SESSION)) return;
    expect_number(reply, sessions[session].ttl_s * 1000LL);
    sessions[session].left_s = sessions[session].ttl_s;
}

static void play_disconnect(void) {
    int session = chance(SESSIONS);
    redisReply *reply = call(primary, "SHARE.DISCONNECT fs %s", sessions[session].id);
    if (went_well(reply, sessions[session].lives ? NULL : NO_SESSION)) model_end(session);
}

static void play_time(void) {
    time_passes(1000000);
    for (int session = 0; session < SESSIONS; session++) {
        sessions[session].left_s -= 1000;
        if (sessions[session].lives && sessions[session].left_s < 0) model_end(session);
    }
}

/* --- Handles ------------------------------------------------------------------------------------------------------------- */

enum disposition { OPEN, CREATE, OPENIF, OVERWRITE, OVERWRITEIF, SUPERSEDE };

static const char *foretold_opening(int file, const struct open *open, enum disposition disposition, int counted) {
    if (!sessions[open->session].lives) return NO_SESSION;
    if (!files[file].exists) return disposition == OPEN || disposition == OVERWRITE ? NO_FILE : NULL;
    if (files[file].pending) return PENDING;
    if (disposition == CREATE) return EXISTS;
    if (files[file].readonly && (open->access & W || disposition >= OVERWRITE)) return READ_ONLY;
    if (files[file].readonly && open->deletes) return CANNOT_DELETE;
    if (files[file].lease && counted & (W | D)) return SV;
    for (int index = 0; index < OPENS; index++) {
        const struct open *other = &opens[index];
        if (!other->is || other->file != file || !other->access || !counted) continue;
        if (counted & ~other->share || other->access & ~open->share) return SV;
    }
    return NULL;
}

static struct words opening(const struct open *open, const char *disposition, size_t size) {
    static const char *const names[] = {"READ", "WRITE", "DELETE"};
    struct words words = words_of_line("FILE.OPEN fs");
    words_add(&words, sessions[open->session].id);
    words_add(&words, paths[open->file]);
    for (int part = 0; part < 2; part++) {
        int bits = part ? open->share : open->access;
        words_add(&words, part ? "SHARE" : "ACCESS");
        words_add_number(&words, bits ? __builtin_popcount((unsigned)bits) : 1);
        if (!bits) words_add(&words, part ? "NONE" : "ATTRIBUTES");
        for (int bit = 0; bit < 3; bit++)
            if (bits >> bit & 1) words_add(&words, names[bit]);
    }
    words_add_line(&words, pool_print("DISPOSITION %s SIZE %zu%s", disposition, size, open->deletes ? " DELETEONCLOSE" : ""));
    return words;
}

/* An empty file of a size, which keeps what it is leased by and who has it open. */
static void model_create(int file, size_t size) {
    memset(files[file].content, 0, SIZE);
    files[file].exists = true;
    files[file].readonly = false;
    files[file].meta = 0;
    files[file].length = size;
}

static void play_open(void) {
    static const char *const names[] = {"OPEN", "CREATE", "OPENIF", "OVERWRITE", "OVERWRITEIF", "SUPERSEDE"};
    struct open *place = &opens[chance(OPENS)];
    if (place->is) return;
    enum disposition disposition = chance(2) ? OPEN : (enum disposition)chance(6);
    struct open open = {.session = chance(SESSIONS), .file = chance(FILES), .access = chance(8), .share = chance(3) ? EVERY : chance(8)};
    open.deletes = open.access & D && !chance(4);
    size_t size = chance_size(SIZE);
    bool existed = files[open.file].exists;
    int counted = open.access;
    if (existed && (disposition == OVERWRITE || disposition == OVERWRITEIF)) counted |= W;
    if (existed && disposition == SUPERSEDE) counted |= D;
    const char *refusal = foretold_opening(open.file, &open, disposition, counted);
    struct words words = opening(&open, names[disposition], size);
    redisReply *reply = call_words(primary, &words);
    if (!went_well(reply, refusal)) return;
    memcpy(open.id, reply_string(field(reply, "handle")), 37);
    if (!existed || disposition >= OVERWRITE) model_create(open.file, size);
    open.is = true;
    *place = open;
    expect_number(field(reply, "content-length"), (long long)files[open.file].length);
}

static struct open *any_open(void) {
    struct open *open = &opens[chance(OPENS)];
    for (int attempt = 0; attempt < 5 && !open->is; attempt++) open = &opens[chance(OPENS)];
    return open;
}

static void play_close(void) {
    struct open *open = any_open();
    if (went_well(call(primary, "FILE.CLOSE fs %s", open->id), open->is ? NULL : NO_HANDLE)) model_close(open);
}

static void play_read(void) {
    struct open *open = any_open();
    size_t offset = chance_size(SIZE), length = chance_size(SIZE), whole = files[open->file].length;
    const char *refusal = NULL;
    if (!open->is)
        refusal = NO_HANDLE;
    else if (!(open->access & R))
        refusal = DENIED;
    else if (is_locked(open->file, open, READING, offset, length))
        refusal = LOCKED;
    redisReply *reply = call(primary, "FILE.READ fs %s %d %d", open->id, (int)offset, (int)length);
    if (!went_well(reply, refusal)) return;
    size_t left = offset < whole ? whole - offset : 0;
    expect_bytes(reply, files[open->file].content + (left ? offset : 0), length < left ? length : left);
}

static void play_write(void) {
    struct open *open = any_open();
    size_t offset = chance_size(SIZE), length = chance_size(chance(2) ? 20 : SIZE - offset + 1);
    char bytes[SIZE];
    if (length > SIZE - offset) length = SIZE - offset;
    memset(bytes, 'a' + chance(26), sizeof bytes);
    const char *refusal = NULL;
    if (!open->is)
        refusal = NO_HANDLE;
    else if (!(open->access & W))
        refusal = DENIED;
    else if (is_locked(open->file, open, WRITING, offset, length))
        refusal = LOCKED;
    redisReply *reply = call(primary, "FILE.WRITE fs %s %d %b", open->id, (int)offset, bytes, length);
    if (!went_well(reply, refusal)) return;
    memcpy(files[open->file].content + offset, bytes, length);
    if (length && offset + length > files[open->file].length) files[open->file].length = offset + length;
}

static void model_resize(int file, size_t size) {
    if (size < files[file].length) memset(files[file].content + size, 0, SIZE - size);
    files[file].length = size;
}

static void play_truncate(void) {
    struct open *open = any_open();
    size_t size = chance_size(SIZE);
    const char *refusal = !open->is ? NO_HANDLE : open->access & W ? NULL : DENIED;
    if (went_well(call(primary, "FILE.TRUNCATE fs %s %d", open->id, (int)size), refusal)) model_resize(open->file, size);
}

static void any_range(unsigned long long *offset, unsigned long long *length) {
    *offset = (unsigned long long)chance(40) * 10;
    *length = chance(4) ? (unsigned long long)chance(4) * 10 : (unsigned long long)chance(SIZE);
    if (!chance(10)) *offset = 0xffffffffffffff00ULL, *length = (unsigned long long)chance(200);
}

static void play_lock(void) {
    struct open *open = any_open();
    struct lock lock = {.held = true, .exclusive = chance(2)}, *place = &open->locks[chance(LOCKS)];
    any_range(&lock.offset, &lock.length);
    if (place->held) return;
    const char *refusal = NULL;
    if (!open->is)
        refusal = NO_HANDLE;
    else if (!(open->access & (R | W)))
        refusal = DENIED;
    else if (is_locked(open->file, open, lock.exclusive ? LOCKING_EXCLUSIVE : LOCKING_SHARED, lock.offset, lock.length))
        refusal = LOCKED;
    redisReply *reply = call(primary, "FILE.LOCK fs %s %s %llu %llu", open->id, lock.exclusive ? "EXCLUSIVE" : "SHARED", lock.offset,
                             lock.length);
    if (went_well(reply, refusal)) *place = lock;
}

static struct lock *find_lock(struct open *open, bool exclusive, const struct lock *range) {
    for (int at = 0; at < LOCKS; at++) {
        struct lock *lock = &open->locks[at];
        if (lock->held && lock->exclusive == exclusive && lock->offset == range->offset && lock->length == range->length) return lock;
    }
    return NULL;
}

static void play_unlock(void) {
    struct open *open = any_open();
    struct lock range = open->locks[chance(LOCKS)];
    if (!range.held || !chance(4)) any_range(&range.offset, &range.length);
    struct lock *lock = find_lock(open, true, &range);
    if (!lock) lock = find_lock(open, false, &range);
    const char *refusal = !open->is ? NO_HANDLE : lock ? NULL : NOT_LOCKED;
    if (went_well(call(primary, "FILE.UNLOCK fs %s %llu %llu", open->id, range.offset, range.length), refusal)) lock->held = false;
}

static void play_dispose(void) {
    struct open *open = any_open();
    bool on = chance(2);
    const char *refusal = NULL;
    if (!open->is)
        refusal = NO_HANDLE;
    else if (!(open->access & D))
        refusal = DENIED;
    else if (on && files[open->file].readonly)
        refusal = CANNOT_DELETE;
    if (went_well(call(primary, "FILE.DISPOSE fs %s %s", open->id, on ? "ON" : "OFF"), refusal)) files[open->file].pending = on;
}

static void play_force(void) {
    int file = chance(FILES), closed = 0;
    if (chance(4)) return;
    bool exists = files[file].exists;
    for (int index = 0; exists && index < OPENS; index++) closed += opens[index].is && opens[index].file == file;
    redisReply *reply = call(primary, "FILE.CLOSEHANDLES fs %s *", paths[file]);
    if (!went_well(reply, exists ? NULL : NO_FILE)) return;
    expect_number(reply, closed);
    for (int index = 0; index < OPENS; index++)
        if (opens[index].is && opens[index].file == file) model_close(&opens[index]);
}

/* --- Stateless commands ----------------------------------------------------------------------------------------------------- */

static redisReply *call_file(const char *line, int file, const char *rest, int lease) {
    const char *clause = lease ? pool_print("LEASE %s", lease_ids[lease]) : "";
    return call_line(primary, pool_print("%s fs %s %s %s", line, paths[file], rest, clause));
}

/* Mostly the right one. */
static int any_lease(int file) {
    return chance(4) ? files[file].lease : chance(3);
}

static void play_get(void) {
    int file = chance(FILES);
    struct wish wish = {.class = CLASS_R, .lease = any_lease(file), .minds_locks = true, .length = files[file].length};
    const char *refusal = foretold(file, &wish);
    redisReply *reply = call_file("FILE.GET", file, "", wish.lease);
    if (went_well(reply, refusal)) expect_bytes(reply->element[1], files[file].content, files[file].length);
}

static void play_get_range(void) {
    int file = chance(FILES);
    size_t whole = files[file].length, offset = chance_size(SIZE), length = 1 + chance_size(50);
    size_t left = offset < whole ? whole - offset : 0;
    struct wish wish = {.class = CLASS_R, .minds_locks = true, .offset = offset, .length = length < left ? length : left};
    const char *refusal = foretold(file, &wish);
    if (!refusal && !left) refusal = BAD_RANGE;
    redisReply *reply = call_file("FILE.GET", file, pool_print("RANGE %zu %zu", offset, length), LEASE_NONE);
    if (went_well(reply, refusal)) expect_bytes(reply->element[1], files[file].content + offset, wish.length);
}

static void play_put_or_clear(void) {
    int file = chance(FILES);
    bool clears = chance(2);
    size_t offset = chance_size(SIZE), length = 1 + chance_size(50);
    struct wish wish = {.class = CLASS_W, .lease = any_lease(file), .minds_locks = true};
    const char *refusal = foretold(file, &wish);
    char *bytes = pool_take(length + 1);
    memset(bytes, clears ? '\0' : 'A' + chance(26), length);
    if (!refusal && offset + length > files[file].length) refusal = BAD_RANGE;
    redisReply *reply = clears ? call_file("FILE.CLEARRANGE", file, pool_print("%zu %zu", offset, length), wish.lease)
                               : call_file("FILE.PUTRANGE", file, pool_print("%zu %s", offset, bytes), wish.lease);
    if (went_well(reply, refusal)) memcpy(files[file].content + offset, bytes, length);
}

static void play_create(void) {
    int file = chance(FILES);
    size_t size = chance_size(SIZE);
    struct wish wish = {.class = CLASS_WD, .lease = files[file].exists ? any_lease(file) : LEASE_NONE, .minds_locks = true};
    const char *refusal = files[file].exists ? foretold(file, &wish) : NULL;
    if (went_well(call_file("FILE.CREATE", file, pool_print("%zu", size), wish.lease), refusal)) model_create(file, size);
}

static void play_delete(void) {
    int file = chance(FILES);
    struct wish wish = {.class = CLASS_DEL, .lease = any_lease(file), .minds_locks = true};
    const char *refusal = foretold(file, &wish);
    if (went_well(call_file("FILE.DELETE", file, "", wish.lease), refusal)) memset(&files[file], 0, sizeof files[file]);
}

static void play_resize(void) {
    int file = chance(FILES);
    size_t size = chance(4) ? chance_size(SIZE) : files[file].length;
    struct wish wish = {.class = CLASS_W, .lease = any_lease(file), .minds_locks = size != files[file].length};
    const char *refusal = foretold(file, &wish);
    if (went_well(call_file("FILE.SETPROPS", file, pool_print("SIZE %zu", size), wish.lease), refusal)) model_resize(file, size);
}

static void play_readonly(void) {
    int file = chance(FILES);
    bool on = !chance(3);
    struct wish wish = {.class = CLASS_W, .lease = any_lease(file), .ignores_readonly = !on};
    const char *refusal = foretold(file, &wish);
    redisReply *reply = call_file("FILE.SETPROPS", file, on ? "ATTRIBUTES 1 READONLY" : "ATTRIBUTES 0", wish.lease);
    if (went_well(reply, refusal)) files[file].readonly = on;
}

static void play_setmeta(void) {
    int file = chance(FILES), meta = 1 + chance(100);
    struct wish wish = {.class = CLASS_W, .lease = any_lease(file)};
    const char *refusal = foretold(file, &wish);
    if (went_well(call_file("FILE.SETMETA", file, pool_print("META 1 n %d", meta), wish.lease), refusal)) files[file].meta = meta;
}

static void model_take(int file, int source) {
    memcpy(files[file].content, files[source].content, SIZE);
    files[file].length = files[source].length;
    files[file].readonly = files[source].readonly;
    files[file].meta = files[source].meta;
    files[file].exists = true;
}

static void play_copy(void) {
    int source = chance(FILES), file = chance(FILES);
    struct wish reads = {.class = CLASS_R, .minds_locks = true, .length = files[source].length};
    struct wish writes = {.class = CLASS_WD, .lease = files[file].exists ? any_lease(file) : LEASE_NONE, .minds_locks = true};
    const char *refusal = foretold(source, &reads);
    if (!refusal && files[file].exists) refusal = foretold(file, &writes);
    redisReply *reply = call_file("FILE.COPY", source, paths[file], writes.lease);
    if (went_well(reply, refusal) && source != file) model_take(file, source);
}

static void play_rename(void) {
    int source = chance(FILES), file = chance(FILES);
    bool replaces = chance(2);
    struct wish leaves = {.class = CLASS_DEL, .lease = files[source].lease, .minds_locks = true};
    struct wish comes = {.class = CLASS_WD, .lease = file == source || !files[file].exists ? LEASE_NONE : files[file].lease, .minds_locks = true};
    const char *refusal = foretold(source, &leaves);
    if (!refusal && source != file && files[file].exists) {
        refusal = files[file].pending ? PENDING : replaces ? NULL : EXISTS;
        if (!refusal) refusal = foretold(file, &comes);
    }
    const char *clause = comes.lease ? pool_print("NEWLEASE %s", lease_ids[comes.lease]) : "";
    redisReply *reply =
        call_file("FILE.RENAME", source, pool_print("%s %s %s", paths[file], replaces ? "REPLACE" : "", clause), leaves.lease);
    if (!went_well(reply, refusal) || source == file) return;
    model_take(file, source);
    if (!files[file].lease) files[file].lease = files[source].lease;
    memset(&files[source], 0, sizeof files[source]);
}

static void play_lease(void) {
    int file = chance(FILES), id = 1 + chance(2);
    const char *refusal = NULL;
    if (!files[file].exists)
        refusal = NO_FILE;
    else if (files[file].pending)
        refusal = PENDING;
    else if (files[file].lease)
        refusal = files[file].lease == id ? NULL : LEASE_PRESENT;
    else if (!is_shared(file, CLASS_LEASE))
        refusal = SV;
    if (files[file].lease == id && !is_shared(file, CLASS_LEASE)) return;
    redisReply *reply = call(primary, "LEASE.ACQUIRE fs -1 ID %s FILE %s", lease_ids[id], paths[file]);
    if (went_well(reply, refusal)) files[file].lease = id;
}

static void play_break(void) {
    int file = chance(FILES);
    if (!files[file].exists || files[file].pending || !files[file].lease) return;
    redisReply *reply = chance(2) ? call(primary, "LEASE.BREAK fs FILE %s", paths[file])
                                  : call(primary, "LEASE.RELEASE fs %s FILE %s", lease_ids[files[file].lease], paths[file]);
    require(!reply_is_error(reply), "it is leased: %s", reply_text(reply));
    files[file].lease = LEASE_NONE;
}

/* --- All of it ------------------------------------------------------------------------------------------------------------------ */

static int living(void) {
    int count = 0;
    for (int session = 0; session < SESSIONS; session++) count += sessions[session].lives;
    return count;
}

static void compare_file(int file) {
    redisReply *stat = call(primary, "FILE.STAT fs %s", paths[file]);
    struct wish wish = {.class = CLASS_A};
    if (!went_well(stat, foretold(file, &wish))) return;
    expect_number(field(stat, "content-length"), (long long)files[file].length);
    expect_text(field(stat, "lease-state"), files[file].lease ? "leased" : reply_string(field(stat, "lease-state")));
    require(files[file].lease || strcmp(reply_string(field(stat, "lease-state")), "leased") != 0, "nobody leased %s", paths[file]);
    assert_int_equal(field(stat, "attributes")->elements, files[file].readonly);
    redisReply *meta = field(stat, "meta");
    assert_int_equal(meta->elements, files[file].meta ? 2 : 0);
    if (files[file].meta) expect_text(meta->element[1], pool_print("%d", files[file].meta));
}

static void compare_handles(void) {
    redisReply *handles = expect_elements(call(primary, "FILE.HANDLES fs"), 2)->element[1];
    size_t open = 0, pending = 0, told = 0;
    for (int index = 0; index < OPENS; index++) open += opens[index].is;
    for (int index = 0; index < OPENS; index++) pending += opens[index].is && files[opens[index].file].pending;
    assert_int_equal(handles->elements, open);
    for (size_t index = 0; index < handles->elements; index++) told += field(handles->element[index], "pending")->integer == 1;
    assert_int_equal(told, pending);
}

static void compare(void) {
    long long count = 0, bytes = 0, locks = 0;
    size_t shown = 0;
    for (int attempt = 0; attempt < 5000 && info_of(primary, "holdfast_share_sessions") != living(); attempt++) usleep(1000);
    assert_int_equal(info_of(primary, "holdfast_share_sessions"), living());
    for (int file = 0; file < FILES; file++) {
        compare_file(file);
        count += files[file].exists;
        bytes += (long long)files[file].length;
        shown += files[file].exists && !files[file].pending;
    }
    for (int index = 0; index < OPENS; index++)
        for (int at = 0; at < LOCKS; at++) locks += opens[index].locks[at].held;
    compare_handles();
    require(info_of(primary, "holdfast_file_locks") <= locks, "there are locks that nobody has");
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
        {4, play_connect}, {3, play_ping},     {1, play_disconnect}, {1, play_time},    {14, play_open},   {6, play_close},
        {6, play_read},    {6, play_write},    {2, play_truncate},   {9, play_lock},    {6, play_unlock},  {4, play_dispose},
        {1, play_force},   {6, play_get},      {4, play_get_range},  {6, play_put_or_clear}, {5, play_create}, {2, play_delete},
        {2, play_resize},  {2, play_readonly}, {2, play_setmeta},    {2, play_copy},    {2, play_rename},  {2, play_lease},
        {2, play_break},
    };
    int drawn = chance(100);
    size_t index = 0;
    while (drawn >= plays[index].weight) drawn -= plays[index++].weight;
    plays[index].play();
}

static void play_sequence(int steps) {
    chance_begin();
    memset(files, 0, sizeof files);
    memset(sessions, 0, sizeof sessions);
    memset(opens, 0, sizeof opens);
    time_passes(0);
    acts({"SHARE.CREATE fs", NULL}, {"mkdir D", NULL});
    for (int step = 0; step < steps; step++) {
        play_step();
        if (step % STEPS_BETWEEN_LOOKS) continue;
        compare();
        if (!chance(4)) expect_ok(call(primary, "DEBUG RELOAD"));
    }
    compare();
}

SCENE(a_random_sequence_goes_as_foretold) {
    play_sequence(STEPS);
}

/* The same while somebody else does other things on other keys, so that replies and effects interleave. */
SCENE(a_random_sequence_beside_others_goes_as_foretold) {
    enum { MADE = 2000 };
    struct client *other = visitor(primary->server);
    expect_etag(call(other, "SHARE.CREATE other"));
    for (int index = 0; index < MADE; index++) send_call(other, "FILE.CREATE other file-%d %d", index, index);
    int done = 0;
    while (!done) redisBufferWrite(other->context, &done);
    play_sequence(STEPS / 3);
    for (int index = 0; index < MADE; index++) expect_etag(receive(other));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PLAY(a_random_sequence_goes_as_foretold),
        PLAY(a_random_sequence_beside_others_goes_as_foretold),
    };
    return world_run("file_random", tests);
}
