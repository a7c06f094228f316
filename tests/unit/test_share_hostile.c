/* Shares: records that somebody has doctored. Whatever is read and applied, nothing breaks, and everything is given
 * back in the end. */
#include "dice.h"
#include "file/share.h"
#include "record_trial.h"
#include "share_trial.h"
#include "unit.h"

#include <stdlib.h>

enum { RECORDS_MAX = 400, ROUNDS = 3000, WRITTEN = 900 };

struct record {
    char *bytes;
    size_t length;
    char *content; /* NULL for none */
    size_t content_length;
};

struct tape {
    struct record records[RECORDS_MAX];
    size_t count;
};

static char *copy_of(struct bytes bytes) {
    char *copy = malloc(bytes.length + 1);
    if (bytes.length) memcpy(copy, bytes.data, bytes.length);
    return copy;
}

static void write_down(void *context, const void *walked) {
    const struct share_change *change = walked;
    struct tape *tape = context;
    RECORD_WRITER(writer);
    change_write(&share_changes, change, &writer);
    require(tape->count < RECORDS_MAX, "room for a record");
    struct record *record = &tape->records[tape->count++];
    *record = (struct record){copy_of(record_written(&writer)), writer.length, NULL, 0};
    if (change_is(&share_changes, change, CHANGE_HAS_CONTENT)) {
        record->content = copy_of(change->content);
        record->content_length = change->content.length;
    }
}

static void say(struct share *share, struct share_change *change, struct tape *tape) {
    static version versions = 100;
    change->stamp = (struct stamp){++versions, 5};
    require(share_apply(share, change), "kind %d", change->kind);
    write_down(tape, change);
}

#define SAY(...) say(share, &(struct share_change){__VA_ARGS__}, tape)

/* A share with some of all there is; what was done is on the tape as well. */
static struct share *furnished(struct tape *tape) {
    static char bytes[WRITTEN];
    struct share_change create = {.kind = SHARE_CREATE, .stamp = {1, 1}};
    struct share *share = share_new(&create);
    struct guid one = {1, 1}, two = {2, 2}, first = {3, 3}, second = {4, 4};
    struct bytes file = bytes_text("d/File");
    struct lease lease = {
        .kind = LEASE_HELD, .id = one, .token = 7, .duration_ms = -1, .ends_ms = LEASE_FOREVER};
    lease.owner = bytes_of("", 0);
    write_down(tape, &create);
    SAY(.kind = FILE_MKDIR, .path = bytes_text("d"));
    SAY(.kind = FILE_CREATE, .path = file, .length = 5000);
    SAY(.kind = FILE_PUTRANGE, .path = file, .offset = 100, .content = bytes_of(bytes, sizeof(bytes)));
    SAY(.kind = SHARE_SNAPSHOT, .snapshot = 50);
    SAY(.kind = FILE_CLEARRANGE, .path = file, .offset = 0, .length = 600);
    SAY(.kind = FILE_RENAME, .path = bytes_text("d"), .target = bytes_text("e"));
    SAY(.kind = FILE_COPY, .path = bytes_text("e/file"), .target = bytes_text("copy"));
    SAY(.kind = SHARE_SNAPSHOT, .snapshot = 60);
    SAY(.kind = FILE_DELETE, .path = bytes_text("copy"));
    SAY(.kind = SHARE_CONNECT, .session = one, .ttl_ms = 10, .instant_ms = 20, .owner = bytes_text("x"));
    SAY(.kind = SHARE_CONNECT, .session = two, .ttl_ms = 10, .instant_ms = 20, .owner = bytes_text(""));
    SAY(.kind = FILE_OPEN, .path = bytes_text("e/file"), .session = one, .handle = first,
        .sharing = {SHARING_ALL, SHARING_ALL});
    SAY(.kind = FILE_OPEN, .path = bytes_text("e/file"), .session = two, .handle = second,
        .sharing = {SHARING_ALL, SHARING_ALL}, .deletes_on_close = true);
    SAY(.kind = FILE_LOCK, .handle = first, .lock = LOCK_SHARED, .offset = 1, .length = 9);
    SAY(.kind = FILE_WRITE, .handle = second, .offset = 6000, .content = bytes_of(bytes, 10));
    SAY(.kind = FILE_LEASE, .path = bytes_text("e/file"), .lease = lease);
    SAY(.kind = SHARE_DISCONNECT, .session = two);
    return share;
}

static void doctor(struct dice *dice, struct record *record) {
    for (size_t times = 1 + dice_roll(dice, 3); times; times--)
        if (record->length > 2)
            record->bytes[2 + dice_roll(dice, record->length - 2)] ^= (char)dice_word(dice);
    if (dice_percent(dice, 20)) record->length = dice_roll(dice, record->length + 1);
}

/* One that is not taken changes nothing. */
static void take_doctored(struct share **share, const struct record *record) {
    struct bytes bytes = bytes_of(record->bytes, record->length);
    struct bytes content = bytes_of(record->content, record->content_length);
    struct record_writer before, after;
    if (!*share) {
        share_trial_take(share, bytes, content);
        return;
    }
    share_free(share_rebuilt(*share, &before));
    if (!share_trial_take(share, bytes, content)) {
        share_free(share_rebuilt(*share, &after));
        require_bytes(record_written(&after), record_written(&before), "kind %d, not taken",
                      record->bytes[1]);
        record_end(&after);
    }
    record_end(&before);
}

/* Most are as they were, some have other bytes, some come twice, early or not at all. */
static void play(struct dice *dice, const struct tape *tape) {
    struct share *share = NULL;
    for (size_t i = 0; i < tape->count; i++) {
        size_t at = dice_percent(dice, 4) ? dice_roll(dice, tape->count) : i;
        struct record record = tape->records[at];
        if (dice_percent(dice, 3)) continue;
        record.bytes = copy_of(bytes_of(record.bytes, record.length));
        bool is_doctored = dice_percent(dice, 8);
        if (is_doctored) doctor(dice, &record);
        if ((is_doctored || at != i) && dice_percent(dice, 30))
            take_doctored(&share, &record);
        else
            share_trial_take(&share, bytes_of(record.bytes, record.length),
                             bytes_of(record.content, record.content_length));
        free(record.bytes);
    }
    if (!share) return;
    share_require_whole(share);
    share_free(share);
}

static void forget(struct tape *tape) {
    for (size_t i = 0; i < tape->count; i++) {
        free(tape->records[i].bytes);
        free(tape->records[i].content);
    }
    tape->count = 0;
}

TEST(doctored_records_break_nothing) {
    static struct tape changes, file;
    struct dice dice = {42};
    struct share *share = furnished(&changes);
    share_walk(share, &(struct change_walk){.holders = true, .take = write_down, .context = &file});
    share_free(share);
    for (int round = 0; round < ROUNDS; round++) {
        play(&dice, &changes);
        play(&dice, &file);
    }
    forget(&changes);
    forget(&file);
}

TEST(records_that_end_too_soon_are_not_read) {
    static struct tape changes;
    share_free(furnished(&changes));
    for (size_t i = 0; i < changes.count; i++) {
        struct bytes record = bytes_of(changes.records[i].bytes, changes.records[i].length);
        record_require_same_again(&share_changes, record);
        record_require_whole(&share_changes, record);
    }
    forget(&changes);
}

/* What the first records of a file make. */
static struct share *loaded(const struct tape *file, size_t count) {
    struct share *share = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct record *record = &file->records[i];
        struct bytes content = bytes_of(record->content, record->content_length);
        require(share_trial_take(&share, bytes_of(record->bytes, record->length), content), "record %zu", i);
    }
    return share;
}

/* A share whose file was read in part is whole: it can be saved, and counts what it has. */
TEST(a_share_that_comes_in_part_is_whole) {
    static struct tape changes, file;
    struct share *share = furnished(&changes);
    share_walk(share, &(struct change_walk){.holders = true, .take = write_down, .context = &file});
    share_free(share);
    for (size_t count = 1; count <= file.count; count++) {
        share = loaded(&file, count);
        share_require_whole(share);
        share_free(share);
    }
    forget(&changes);
    forget(&file);
}

/* As by a server that begins a new file while a slot arrives. */
TEST(a_share_that_is_saved_while_it_is_built_is_built_on) {
    static struct tape changes;
    struct share *share = furnished(&changes);
    for (unsigned save_every = 1; save_every < 8; save_every++) share_require_buildable(share, save_every);
    share_free(share);
    forget(&changes);
}

static bool takes(struct share *share, struct share_change change) {
    return share_apply(share, &change);
}

/* In a snapshot everything has one place, and so no directory is below itself. */
TEST(a_loaded_node_has_one_place_in_each_snapshot) {
    struct share_change create = {.kind = SHARE_CREATE, .stamp = {1, 1}};
    struct share_change done = {.kind = LOAD_STATE, .stamp = {1, 1}};
    struct bytes name = bytes_text("d"), other = bytes_text("e");
    struct share *share = share_new(&create);
    for (version id = 10; id < 15; id++)
        require(takes(share, (struct share_change){.kind = SHARE_SNAPSHOT, .stamp = {id, 1}, .snapshot = id}),
                "a snapshot");
    require(takes(share, done), "the root");
    require(
        takes(share,
              (struct share_change){.kind = LOAD_NODE, .node_kind = NODE_DIRECTORY, .name = name, .born = 3}),
        "a directory");
    require(takes(share, done), "its state");
    struct share_change snapshot_place = {
        .kind = LOAD_SNAPSHOT_PLACE, .node_number = 1, .parent_number = 1, .name = name, .last = 5};
    require(!takes(share, snapshot_place), "below itself, where it is now");
    snapshot_place.last = 3;
    require(takes(share, snapshot_place), "where it was before");
    snapshot_place.name = other;
    snapshot_place.parent_number = 0;
    snapshot_place.born = 2;
    require(!takes(share, snapshot_place), "where it was then is taken");
    struct share_change gone = {
        .kind = LOAD_NODE, .node_kind = NODE_DIRECTORY, .name = other, .born = 3, .last = 5};
    require(takes(share, gone) && takes(share, done), "one that only snapshots see");
    snapshot_place = (struct share_change){.kind = LOAD_SNAPSHOT_PLACE,
                                           .node_number = 2,
                                           .parent_number = 2,
                                           .name = other,
                                           .born = 4,
                                           .last = 5};
    require(!takes(share, snapshot_place), "below itself then");
    share_require_whole(share);
    share_free(share);
}

/* Its handles are still there to be swept, and have no file. */
TEST(an_ended_session_without_files_is_not_written) {
    static struct tape changes, *tape = &changes;
    struct share *share = furnished(tape);
    SAY(.kind = FILE_SETTLE, .path = bytes_text("e/file"));
    require_same(share->sessions.count, 2, "sessions");
    share_require_whole(share);
    struct record_writer bytes;
    struct share *again = share_rebuilt(share, &bytes);
    require_same(again->sessions.count, 1, "sessions of which something is left");
    record_end(&bytes);
    share_free(again);
    share_free(share);
    forget(&changes);
}
