/* GETPAGES with SINCE: what has become other between an earlier snapshot and now, or a later one. */
#include <string.h>

#include "blobs.h"
#include "harness.h"
#include "pool.h"
#include "random.h"
#include "steps.h"
#include "text.h"

#define DIFF(length, pages, cleared)                                                                         \
    "[\"etag\", <etag>, \"content-length\", " #length ", \"pages\", " pages ", \"cleared\", " cleared "]"

TEST(differences_to_a_snapshot) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 5120", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 512 2048*a", "[<etag>, 0]", 0},
        {"BLOB.SNAPSHOT box disk", "[<etag>, <etag>]", 'a'},
        {"BLOB.GETPAGES box disk SINCE $a", DIFF(5120, "[]", "[]"), 0},
        {"BLOB.PUTPAGE box disk 0 512*b", "[<etag>, 0]", 0},
        {"BLOB.PUTPAGE box disk 1024 512*b", "[<etag>, 0]", 0},
        {"BLOB.CLEARPAGE box disk 2048 512", "[<etag>, 0]", 0},
        {"BLOB.PUTPAGE box disk 4608 512*b", "[<etag>, 0]", 0},
        {"BLOB.GETPAGES box disk SINCE $a",
         DIFF(5120, "[[0, 512], [1024, 512], [4608, 512]]", "[[2048, 512]]"), 0},
        {"BLOB.GETPAGES box disk",
         "[\"etag\", <etag>, \"content-length\", 5120, \"pages\", [[0, 2048], [4608, 512]]]", 0},
        {"BLOB.GETPAGES box disk RANGE 1024 1536 SINCE $a", DIFF(5120, "[[1024, 512]]", "[[2048, 512]]"), 0},
        {"BLOB.GETPAGES box disk RANGE 1023 1 SINCE $a", DIFF(5120, "[]", "[]"), 0},
        {"BLOB.SNAPSHOT box disk", "[<etag>, <etag>]", 'b'},
        {"BLOB.PUTPAGE box disk 0 5120*c", "[<etag>, 0]", 0},
        {"BLOB.GETPAGES box disk SINCE $b", DIFF(5120, "[[0, 5120]]", "[]"), 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $b SINCE $a",
         DIFF(5120, "[[0, 512], [1024, 512], [4608, 512]]", "[[2048, 512]]"), 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $a SINCE $a", DIFF(5120, "[]", "[]"), 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $a SINCE $b", "INVALID PreviousSnapshotCannotBeNewer", 0},
    };
    create("box");
    steps_play(steps);
}

/* Bytes are compared: what was written again as it was, or written and cleared again, has not changed. */
TEST(equal_bytes_are_no_difference) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 2048", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 0 1024*a", "[<etag>, 0]", 0},
        {"BLOB.SNAPSHOT box disk", NULL, 'a'},
        {"BLOB.PUTPAGE box disk 0 512*b", "[<etag>, 0]", 0},
        {"BLOB.PUTPAGE box disk 0 1024*a", "[<etag>, 0]", 0},
        {"BLOB.PUTPAGE box disk 1536 512*c", "[<etag>, 0]", 0},
        {"BLOB.CLEARPAGE box disk 1536 512", "[<etag>, 0]", 0},
        {"BLOB.GETPAGES box disk SINCE $a", DIFF(2048, "[]", "[]"), 0},
        {"BLOB.CLEARPAGE box disk 0 512", "[<etag>, 0]", 0},
        {"BLOB.GETPAGES box disk SINCE $a", DIFF(2048, "[]", "[[0, 512]]"), 0},
    };
    create("box");
    steps_play(steps);
}

TEST(differences_of_sizes) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 1024", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 0 1024*a", "[<etag>, 0]", 0},
        {"BLOB.SNAPSHOT box disk", NULL, 'a'},
        {"BLOB.SETPROPS box disk SIZE 10485760", "<etag>", 0},
        {"BLOB.PUTPAGE box disk 10485248 512*z", "[<etag>, 0]", 0},
        {"BLOB.GETPAGES box disk SINCE $a", DIFF(10485760, "[[10485248, 512]]", "[]"), 0},
        {"BLOB.SNAPSHOT box disk", NULL, 'b'},
        {"BLOB.SETPROPS box disk SIZE 512", "<etag>", 0},
        {"BLOB.GETPAGES box disk SINCE $a", DIFF(512, "[]", "[]"), 0},
        {"BLOB.SETPROPS box disk SIZE 1024", "<etag>", 0},
        {"BLOB.GETPAGES box disk SINCE $a", DIFF(1024, "[]", "[[512, 512]]"), 0},
    };
    create("box");
    steps_play(steps);
}

/* What was created anew, by a command or by a copy, has no past to be compared with. */
TEST(a_blob_that_was_made_anew_has_no_past) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE box disk 512", "<etag>", 0},
        {"BLOB.SNAPSHOT box disk", NULL, 'a'},
        {"BLOB.SETMETA box disk META 0", "<etag>", 0},
        {"BLOB.SETPROPS box disk PROPS 0", "<etag>", 0},
        {"BLOB.GETPAGES box disk SINCE $a", DIFF(512, "[]", "[]"), 0},
        {"BLOB.COPY box disk box disk", NULL, 0},
        {"BLOB.GETPAGES box disk SINCE $a", "CONFLICT BlobOverwritten", 0},
        {"BLOB.SNAPSHOT box disk", NULL, 'b'},
        {"BLOB.GETPAGES box disk SINCE $b", DIFF(512, "[]", "[]"), 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $b SINCE $a", "CONFLICT BlobOverwritten", 0},
        {"BLOB.COPY box disk box disk SNAPSHOT $a", NULL, 0},
        {"BLOB.GETPAGES box disk SINCE $a", "CONFLICT BlobOverwritten", 0},
        {"BLOB.CREATEPAGE box disk 512", "<etag>", 0},
        {"BLOB.GETPAGES box disk SINCE $b", "CONFLICT BlobOverwritten", 0},
        {"BLOB.DELETE box disk SNAPSHOT $b", "OK", 0},
        {"BLOB.GETPAGES box disk SINCE $b", "CONFLICT PreviousSnapshotNotFound", 0},
        {"BLOB.GETPAGES box disk SINCE 0x0000000000000000", "CONFLICT PreviousSnapshotNotFound", 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $b SINCE $a", "NOTFOUND BlobNotFound", 0},
        {"BLOB.GETPAGES box disk SINCE nonsense", "INVALID InvalidQueryParameterValue", 0},
        {"BLOB.GETPAGES box disk SINCE 1", "INVALID InvalidQueryParameterValue", 0},
    };
    create("box");
    steps_play(steps);
}

/* --- Random writes against what is known of each page --- */

enum { PAGE = 512, DISK_PAGES = 400, ROUNDS = 60, WRITES = 12, KEPT = 6 };

/* A letter for each page, and 0 for one that is not there. */
struct disk {
    char page[DISK_PAGES];
    const char *id;
};

static void write_somewhere(struct disk *disk) {
    int first = random_below(DISK_PAGES), count = 1 + random_below(random_below(4) ? 5 : 100);
    if (first + count > DISK_PAGES) count = DISK_PAGES - first;
    char letter = random_below(3) ? (char)('a' + random_below(3)) : 0;
    const char *line = letter
                           ? pool_print("BLOB.PUTPAGE box disk %d %d*%c", first * PAGE, count * PAGE, letter)
                           : pool_print("BLOB.CLEARPAGE box disk %d %d", first * PAGE, count * PAGE);
    step_play(line, "[<etag>, 0]", 0);
    memset(disk->page + first, letter, (size_t)count);
}

/* The runs of pages for which `wanted` holds, as the command shows them. */
static const char *runs(const struct disk *now, const struct disk *then, bool cleared) {
    struct text text = {0};
    text_add(&text, "[", 1);
    for (int page = 0, begin = -1; page <= DISK_PAGES; page++) {
        bool differs = page < DISK_PAGES && now->page[page] != then->page[page];
        bool wanted = differs && cleared == !now->page[page];
        if (wanted && begin < 0) begin = page;
        if (wanted || begin < 0) continue;
        text_print(&text, "%s[%d, %d]", text.length > 1 ? ", " : "", begin * PAGE, (page - begin) * PAGE);
        begin = -1;
    }
    text_add(&text, "]", 1);
    return text.bytes;
}

static void require_difference(const struct disk *now, const struct disk *then) {
    const char *answer =
        pool_print("[\"etag\", <etag>, \"content-length\", %d, \"pages\", %s, \"cleared\", %s]",
                   DISK_PAGES * PAGE, runs(now, then, false), runs(now, then, true));
    const char *which = now->id ? pool_print("SNAPSHOT %s ", now->id) : "";
    step_play(pool_print("BLOB.GETPAGES box disk %sSINCE %s", which, then->id), answer, 0);
}

TEST(differences_of_random_writes) {
    static struct disk now, taken[KEPT];
    memset(&now, 0, sizeof(now));
    random_begin();
    create("box");
    step_play(pool_print("BLOB.CREATEPAGE box disk %d", DISK_PAGES * PAGE), "<etag>", 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int write = random_below(WRITES); write >= 0; write--) write_somewhere(&now);
        if (!random_below(20)) expect_ok(call(primary, "DEBUG RELOAD"));
        struct disk *slot = &taken[round % KEPT];
        if (round >= KEPT) expect_ok(call(primary, "BLOB.DELETE box disk SNAPSHOT %s", slot->id));
        *slot = now;
        slot->id = snapshot("box", "disk");
        write_somewhere(&now);
        for (int other = 0; other < KEPT && other <= round; other++) {
            require_difference(&now, &taken[other]);
            if (strcmp(taken[other].id, slot->id) < 0) require_difference(slot, &taken[other]);
        }
    }
}
