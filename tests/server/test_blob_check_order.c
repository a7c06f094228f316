/* The order of checks: of each command two faults that stand next to each other in its order, given at once. The
 * earlier one answers, and nothing has happened: no blob, block, snapshot or lease has changed (step_play sees to it).
 *
 * The stage, `box`:
 *   cat    a block blob with a committed block AAAA, staged blocks AAAA and AAAB, and a snapshot $s
 *   disk   a page blob of 1024 bytes with the sequence number 5 and the snapshots $o and, newer, $n
 *   log    an append blob of 5 bytes
 *   held, page, roll   one of each kind under an infinite lease of A; held has a snapshot
 *   short  a block blob under a finite lease of A
 *   busy   a block blob to which a copy goes on, under an infinite lease of A
 *   parts  a name with a staged block alone */
#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "sources.h"
#include "steps.h"

#define SYNTAX     "ERR"
#define VALUE      "INVALID InvalidHeaderValue"
#define QUERY      "INVALID InvalidQueryParameterValue"
#define NAME       "INVALID OutOfRangeInput"
#define BAD_META   "INVALID InvalidMetadata"
#define MANY       "INVALID MultipleConditionHeadersNotSupported"
#define RANGE      "INVALID InvalidRange"
#define PAGE_RANGE "INVALID InvalidPageRange"
#define TOO_LARGE  "INVALID RequestBodyTooLarge"
#define NO_BOX     "NOTFOUND ContainerNotFound"
#define NO_BLOB    "NOTFOUND BlobNotFound"
#define KIND       "CONFLICT InvalidBlobType"
#define PENDING    "CONFLICT PendingCopyOperation"
#define MISSING    "PRECONDITION LeaseIdMissing"
#define WRONG      "PRECONDITION LeaseIdMismatchWithBlobOperation"
#define ABSENT     "PRECONDITION LeaseNotPresentWithBlobOperation"
#define INFINITE   "PRECONDITION InfiniteLeaseDurationRequired"
#define UNMET      "PRECONDITION ConditionNotMet"
#define TARGET     "PRECONDITION TargetConditionNotMet"
#define SOURCE     "PRECONDITION SourceConditionNotMet"
#define NUMBER     "PRECONDITION SequenceNumberConditionNotMet"
#define POSITION   "PRECONDITION AppendPositionConditionNotMet"
#define SIZE       "PRECONDITION MaxBlobSizeConditionNotMet"
#define NO_MATCH   " IFMATCH 0x0000000000000001"

static const struct step stage_steps[] = {
    {"CONTAINER.CREATE box", NULL, 0},
    {"BLOB.PUTBLOCK box cat AAAA old", NULL, 0},
    {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA", NULL, 0},
    {"BLOB.PUTBLOCK box cat AAAA new", NULL, 0},
    {"BLOB.PUTBLOCK box cat AAAB two", NULL, 0},
    {"BLOB.SNAPSHOT box cat", NULL, 's'},
    {"BLOB.CREATEPAGE box disk 1024 SEQUENCE 5", NULL, 0},
    {"BLOB.SNAPSHOT box disk", NULL, 'o'},
    {"BLOB.PUTPAGE box disk 0 512*x", NULL, 0},
    {"BLOB.SNAPSHOT box disk", NULL, 'n'},
    {"BLOB.CREATEAPPEND box log", NULL, 0},
    {"BLOB.APPEND box log 12345", NULL, 0},
    {"BLOB.PUT box held x", NULL, 0},
    {"BLOB.SNAPSHOT box held", NULL, 0},
    {"LEASE.ACQUIRE box -1 BLOB held ID A", NULL, 0},
    {"BLOB.CREATEPAGE box page 512 SEQUENCE 5", NULL, 0},
    {"LEASE.ACQUIRE box -1 BLOB page ID A", NULL, 0},
    {"BLOB.CREATEAPPEND box roll", NULL, 0},
    {"LEASE.ACQUIRE box -1 BLOB roll ID A", NULL, 0},
    {"BLOB.PUT box short x", NULL, 0},
    {"LEASE.ACQUIRE box 60 BLOB short ID A", NULL, 0},
    {"BLOB.PUT box busy x", NULL, 0},
    {"LEASE.ACQUIRE box -1 BLOB busy ID A", NULL, 0},
    {"BLOB.PUTBLOCK box parts AAAA x", NULL, 0},
};

static void play(const struct step *steps, size_t count) {
    time_passes(0);
    steps_play(stage_steps);
    pending_copy_with("busy", "LEASE " ID_A);
    steps_play_so_many(steps, count);
}

TEST(order_of_putblock) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCK box cat ! '' NONSENSE", SYNTAX, 0},
        {"BLOB.PUTBLOCK box cat ! '' LEASE x", VALUE, 0},
        {"BLOB.PUTBLOCK box '' ! ''", NAME, 0},
        {"BLOB.PUTBLOCK none cat ! x", QUERY, 0},
        {"BLOB.PUTBLOCK none cat ! ''", QUERY, 0},
        {"BLOB.PUTBLOCK none cat AAAA ''", VALUE, 0},
        {"BLOB.PUTBLOCK none cat AAAA x LEASE A", NO_BOX, 0},
        {"BLOB.PUTBLOCK box none AAAA x LEASE A", ABSENT, 0},
        {"BLOB.PUTBLOCK box page AAAA x", KIND, 0},
        {"BLOB.PUTBLOCK box page AAAA x LEASE B", KIND, 0},
        {"BLOB.PUTBLOCK box busy AAAA x", PENDING, 0},
        {"BLOB.PUTBLOCK box held AA== x", MISSING, 0},
        {"BLOB.PUTBLOCK box cat AA== x LEASE A", ABSENT, 0},
        {"BLOB.PUTBLOCK box cat AA== x", "INVALID InvalidBlobOrBlock", 0},
        {"BLOB.PUTBLOCK box parts AA== x", "INVALID InvalidBlobOrBlock", 0},
    };
    play(steps, ARRAY_SIZE(steps));
}

TEST(order_of_putblocklist) {
    static const struct step steps[] = {
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST ! META 1 1bad x NONSENSE", SYNTAX, 0},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST ! META 1 1bad x", BAD_META, 0},
        {"BLOB.PUTBLOCKLIST none cat 1 LATEST !", "INVALID InvalidBlockId", 0},
        {"BLOB.PUTBLOCKLIST none cat 1 LATEST AAAA IFMATCH * IFNONEMATCH *", MANY, 0},
        {"BLOB.PUTBLOCKLIST none cat 1 LATEST AAAZ LEASE A", NO_BOX, 0},
        {"BLOB.PUTBLOCKLIST box none 1 LATEST AAAZ LEASE A IFMATCH *", ABSENT, 0},
        {"BLOB.PUTBLOCKLIST box page 1 LATEST AAAZ", KIND, 0},
        {"BLOB.PUTBLOCKLIST box busy 1 LATEST AAAZ", PENDING, 0},
        {"BLOB.PUTBLOCKLIST box held 1 LATEST AAAZ IFNONEMATCH *", MISSING, 0},
        {"BLOB.PUTBLOCKLIST box held 1 LATEST AAAZ LEASE A IFNONEMATCH *", "CONFLICT BlobAlreadyExists", 0},
        {"BLOB.PUTBLOCKLIST box held 1 LATEST AAAZ LEASE A" NO_MATCH, UNMET, 0},
        {"BLOB.PUTBLOCKLIST box parts 1 LATEST AAAZ IFMATCH *", UNMET, 0},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAZ", "INVALID InvalidBlockList", 0},
        {"BLOB.PUTBLOCKLIST box cat 3 LATEST AAAA LATEST AAAB COMMITTED AAAB", "INVALID InvalidBlockList", 0},
    };
    play(steps, ARRAY_SIZE(steps));
}

TEST(order_of_getblocklist) {
    static const struct step steps[] = {
        {"BLOB.GETBLOCKLIST none cat NONSENSE LEASE x", SYNTAX, 0},
        {"BLOB.GETBLOCKLIST none cat ALL SNAPSHOT x", QUERY, 0},
        {"BLOB.GETBLOCKLIST none cat ALL LEASE x", VALUE, 0},
        {"BLOB.GETBLOCKLIST none cat LEASE A", NO_BOX, 0},
        {"BLOB.GETBLOCKLIST box none LEASE A", NO_BLOB, 0},
        {"BLOB.GETBLOCKLIST box parts SNAPSHOT $s LEASE A", NO_BLOB, 0},
        {"BLOB.GETBLOCKLIST box cat SNAPSHOT $o LEASE A", NO_BLOB, 0},
        {"BLOB.GETBLOCKLIST box page LEASE B", KIND, 0},
        {"BLOB.GETBLOCKLIST box held LEASE B", WRONG, 0},
    };
    play(steps, ARRAY_SIZE(steps));
}

TEST(order_of_createpage) {
    static const struct step steps[] = {
        {"BLOB.CREATEPAGE none disk 100 SEQUENCE -1 NONSENSE", SYNTAX, 0},
        {"BLOB.CREATEPAGE none '' 100", NAME, 0},
        {"BLOB.CREATEPAGE none disk x META 1 1bad x", VALUE, 0},
        {"BLOB.CREATEPAGE none disk 100 META 1 1bad x", BAD_META, 0},
        {"BLOB.CREATEPAGE none disk 100 IFMATCH * IFNONEMATCH *", VALUE, 0},
        {"BLOB.CREATEPAGE none disk 512 SEQUENCE -1", VALUE, 0},
        {"BLOB.CREATEPAGE none disk 512 IFMATCH * IFNONEMATCH *", MANY, 0},
        {"BLOB.CREATEPAGE none disk 512 LEASE A", NO_BOX, 0},
        {"BLOB.CREATEPAGE box none 512 LEASE A IFMATCH *", ABSENT, 0},
        {"BLOB.CREATEPAGE box held 512 LEASE B", KIND, 0},
        {"BLOB.CREATEPAGE box busy 512", KIND, 0},
        {"BLOB.CREATEPAGE box page 512 IFNONEMATCH *", MISSING, 0},
        {"BLOB.CREATEPAGE box page 512 LEASE B IFNONEMATCH *", WRONG, 0},
        {"BLOB.CREATEPAGE box page 512 LEASE A IFNONEMATCH *", "CONFLICT BlobAlreadyExists", 0},
    };
    play(steps, ARRAY_SIZE(steps));
}

TEST(order_of_putpage_and_clearpage) {
    static const struct step steps[] = {
        {"BLOB.PUTPAGE none disk 1 x IFSEQUENCE LE x NONSENSE", SYNTAX, 0},
        {"BLOB.PUTPAGE none disk x 512*x IFSEQUENCE LE x", PAGE_RANGE, 0},
        {"BLOB.PUTPAGE none disk 1 512*x IFSEQUENCE LE x", VALUE, 0},
        {"BLOB.PUTPAGE none disk 1 4194816*x", TOO_LARGE, 0},
        {"BLOB.PUTPAGE none disk 1 512*x IFMATCH * IFNONEMATCH *", PAGE_RANGE, 0},
        {"BLOB.PUTPAGE none disk 0 512*x IFMATCH * IFNONEMATCH *", MANY, 0},
        {"BLOB.PUTPAGE none disk 4096 512*x LEASE A", NO_BOX, 0},
        {"BLOB.PUTPAGE box none 4096 512*x LEASE A", NO_BLOB, 0},
        {"BLOB.PUTPAGE box parts 4096 512*x LEASE A", NO_BLOB, 0},
        {"BLOB.PUTPAGE box held 4096 512*x", KIND, 0},
        {"BLOB.PUTPAGE box busy 4096 512*x", KIND, 0},
        {"BLOB.PUTPAGE box page 4096 512*x IFMATCH 0x0000000000000001", MISSING, 0},
        {"BLOB.PUTPAGE box page 4096 512*x LEASE A IFSEQUENCE LT 5" NO_MATCH, UNMET, 0},
        {"BLOB.PUTPAGE box page 4096 512*x LEASE A IFSEQUENCE LT 5", NUMBER, 0},
        {"BLOB.PUTPAGE box page 4096 512*x LEASE A IFSEQUENCE LE 5", PAGE_RANGE, 0},
        {"BLOB.CLEARPAGE none disk 1 512 IFSEQUENCE LE x NONSENSE", SYNTAX, 0},
        {"BLOB.CLEARPAGE none disk 1 512 IFSEQUENCE LE x", VALUE, 0},
        {"BLOB.CLEARPAGE none disk 1 512 IFMATCH * IFNONEMATCH *", PAGE_RANGE, 0},
        {"BLOB.CLEARPAGE none disk 0 512 IFMATCH * IFNONEMATCH *", MANY, 0},
        {"BLOB.CLEARPAGE none disk 0 512 LEASE A", NO_BOX, 0},
        {"BLOB.CLEARPAGE box none 0 512 LEASE A", NO_BLOB, 0},
        {"BLOB.CLEARPAGE box roll 4096 512", KIND, 0},
        {"BLOB.CLEARPAGE box page 4096 512" NO_MATCH, MISSING, 0},
        {"BLOB.CLEARPAGE box disk 4096 512 IFSEQUENCE EQ 4" NO_MATCH, UNMET, 0},
        {"BLOB.CLEARPAGE box disk 4096 512 IFSEQUENCE EQ 4", NUMBER, 0},
        {"BLOB.CLEARPAGE box disk 512 1024 IFSEQUENCE EQ 5", PAGE_RANGE, 0},
    };
    play(steps, ARRAY_SIZE(steps));
}

TEST(order_of_getpages) {
    static const struct step steps[] = {
        {"BLOB.GETPAGES none disk RANGE x 1 NONSENSE", SYNTAX, 0},
        {"BLOB.GETPAGES none disk RANGE x 1 SINCE x", RANGE, 0},
        {"BLOB.GETPAGES none disk SINCE x RANGE x 1", QUERY, 0},
        {"BLOB.GETPAGES none disk SINCE x IFNONEMATCH *", QUERY, 0},
        {"BLOB.GETPAGES none disk IFNONEMATCH *", "INVALID UnsatisfiableCondition", 0},
        {"BLOB.GETPAGES none disk LEASE A", NO_BOX, 0},
        {"BLOB.GETPAGES box none LEASE A", NO_BLOB, 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $s SINCE $o LEASE A", NO_BLOB, 0},
        {"BLOB.GETPAGES box held LEASE B", KIND, 0},
        {"BLOB.GETPAGES box page LEASE B" NO_MATCH, WRONG, 0},
        {"BLOB.GETPAGES box disk RANGE 1024 1" NO_MATCH, UNMET, 0},
        {"BLOB.GETPAGES box disk RANGE 1024 1 SINCE $s", RANGE, 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $o SINCE $n", "INVALID PreviousSnapshotCannotBeNewer", 0},
        {"BLOB.GETPAGES box disk SNAPSHOT $n SINCE $s", "CONFLICT PreviousSnapshotNotFound", 0},
    };
    play(steps, ARRAY_SIZE(steps));
}

TEST(order_of_append_blobs) {
    static const struct step steps[] = {
        {"BLOB.CREATEAPPEND none log META 1 1bad x NONSENSE", SYNTAX, 0},
        {"BLOB.CREATEAPPEND none log META 1 1bad x IFMATCH * IFNONEMATCH *", BAD_META, 0},
        {"BLOB.CREATEAPPEND none log IFMATCH * IFNONEMATCH *", MANY, 0},
        {"BLOB.CREATEAPPEND none log LEASE A", NO_BOX, 0},
        {"BLOB.CREATEAPPEND box none LEASE A IFMATCH *", ABSENT, 0},
        {"BLOB.CREATEAPPEND box held LEASE B", KIND, 0},
        {"BLOB.CREATEAPPEND box roll IFNONEMATCH *", MISSING, 0},
        {"BLOB.CREATEAPPEND box roll LEASE A IFNONEMATCH *", "CONFLICT BlobAlreadyExists", 0},
        {"BLOB.APPEND none log '' IFPOSITION x NONSENSE", SYNTAX, 0},
        {"BLOB.APPEND none log '' IFPOSITION x", VALUE, 0},
        {"BLOB.APPEND none log '' IFMATCH * IFNONEMATCH *", VALUE, 0},
        {"BLOB.APPEND none log x IFMATCH * IFNONEMATCH *", MANY, 0},
        {"BLOB.APPEND none log x LEASE A", NO_BOX, 0},
        {"BLOB.APPEND box none x LEASE A", NO_BLOB, 0},
        {"BLOB.APPEND box parts x LEASE A", NO_BLOB, 0},
        {"BLOB.APPEND box held x", KIND, 0},
        {"BLOB.APPEND box busy x", KIND, 0},
        {"BLOB.APPEND box roll x IFPOSITION 9" NO_MATCH, MISSING, 0},
        {"BLOB.APPEND box roll x IFPOSITION 9 LEASE A" NO_MATCH, UNMET, 0},
        {"BLOB.APPEND box roll x IFMAXSIZE 0 IFPOSITION 9 LEASE A", POSITION, 0},
        {"BLOB.APPEND box roll x IFMAXSIZE 0 IFPOSITION 0 LEASE A", SIZE, 0},
    };
    play(steps, ARRAY_SIZE(steps));
}

TEST(order_of_snapshot) {
    static const struct step steps[] = {
        {"BLOB.SNAPSHOT none cat META 1 1bad x NONSENSE", SYNTAX, 0},
        {"BLOB.SNAPSHOT none cat META 1 1bad x IFMATCH * IFNONEMATCH *", BAD_META, 0},
        {"BLOB.SNAPSHOT none cat IFMATCH * IFNONEMATCH *", MANY, 0},
        {"BLOB.SNAPSHOT none cat LEASE A", NO_BOX, 0},
        {"BLOB.SNAPSHOT box none LEASE A", NO_BLOB, 0},
        {"BLOB.SNAPSHOT box parts" NO_MATCH, NO_BLOB, 0},
        {"BLOB.SNAPSHOT box busy LEASE B", PENDING, 0},
        {"BLOB.SNAPSHOT box held LEASE B" NO_MATCH, WRONG, 0},
        {"BLOB.SNAPSHOT box cat LEASE A" NO_MATCH, ABSENT, 0},
        {"BLOB.SNAPSHOT box held" NO_MATCH, UNMET, 0},
        {"BLOB.SNAPSHOT box held IFUNMODIFIEDSINCE 1", UNMET, 0},
    };
    play(steps, ARRAY_SIZE(steps));
}

TEST(order_of_copy) {
    static const struct step steps[] = {
        {"BLOB.COPY none new box none META 1 1bad x NONSENSE", SYNTAX, 0},
        {"BLOB.COPY none new box '' SNAPSHOT x", NAME, 0},
        {"BLOB.COPY none new box cat SNAPSHOT x META 1 1bad x", QUERY, 0},
        {"BLOB.COPY none new box cat META 1 1bad x SOURCEIFMATCH * SOURCEIFNONEMATCH *", BAD_META, 0},
        {"BLOB.COPY none new box cat SOURCEIFMATCH * SOURCEIFNONEMATCH *", MANY, 0},
        {"BLOB.COPY none new nowhere cat", NO_BOX, 0},
        {"BLOB.COPY box new nowhere cat LEASE A", NO_BOX, 0},
        {"BLOB.COPY box new box none LEASE A", NO_BLOB, 0},
        {"BLOB.COPY box disk box none", NO_BLOB, 0},
        {"BLOB.COPY box new box cat LEASE A IFMATCH *", ABSENT, 0},
        {"BLOB.COPY box page box cat LEASE B", KIND, 0},
        {"BLOB.COPY box busy box disk", KIND, 0},
        {"BLOB.COPY box busy box cat LEASE B", PENDING, 0},
        {"BLOB.COPY box held box cat IFNONEMATCH *", MISSING, 0},
        {"BLOB.COPY box short box cat LEASE B", WRONG, 0},
        {"BLOB.COPY box short box cat LEASE A" NO_MATCH, INFINITE, 0},
        {"BLOB.COPY box held box cat LEASE A SOURCEIFMATCH 0x0000000000000001" NO_MATCH, TARGET, 0},
        {"BLOB.COPY box held box cat LEASE A SOURCEIFMATCH 0x0000000000000001 IFNONEMATCH *",
         "CONFLICT BlobAlreadyExists", 0},
        {"BLOB.COPY box held box cat LEASE A SOURCEIFMATCH 0x0000000000000001", SOURCE, 0},
        {"BLOB.COPY box parts box cat IFMATCH * SOURCEIFMATCH 0x0000000000000001", TARGET, 0},
    };
    play(steps, ARRAY_SIZE(steps));
}

TEST(order_of_abortcopy_and_delete) {
    static const struct step steps[] = {
        {"BLOB.ABORTCOPY none cat x NONSENSE", SYNTAX, 0},
        {"BLOB.ABORTCOPY none cat x LEASE x", VALUE, 0},
        {"BLOB.ABORTCOPY none cat x", QUERY, 0},
        {"BLOB.ABORTCOPY none cat 0x0000000000000001", NO_BOX, 0},
        {"BLOB.ABORTCOPY box none 0x0000000000000001 LEASE A", NO_BLOB, 0},
        {"BLOB.ABORTCOPY box held 0x0000000000000001", MISSING, 0},
        {"BLOB.ABORTCOPY box busy 0x0000000000000001", MISSING, 0},
        {"BLOB.ABORTCOPY box held 0x0000000000000001 LEASE A", "CONFLICT NoPendingCopyOperation", 0},
        {"BLOB.ABORTCOPY box busy 0x0000000000000001 LEASE A", "CONFLICT CopyIdMismatch", 0},
        {"BLOB.DELETE none cat SNAPSHOT x SNAPSHOTS NONSENSE", SYNTAX, 0},
        {"BLOB.DELETE none cat SNAPSHOT x SNAPSHOTS ONLY", QUERY, 0},
        {"BLOB.DELETE none cat SNAPSHOT $s SNAPSHOTS ONLY IFMATCH * IFNONEMATCH *", VALUE, 0},
        {"BLOB.DELETE none cat IFMATCH * IFNONEMATCH *", MANY, 0},
        {"BLOB.DELETE none cat LEASE A", NO_BOX, 0},
        {"BLOB.DELETE box none LEASE A", NO_BLOB, 0},
        {"BLOB.DELETE box cat SNAPSHOT $o LEASE A", NO_BLOB, 0},
        {"BLOB.DELETE box cat SNAPSHOT $s LEASE A" NO_MATCH, ABSENT, 0},
        {"BLOB.DELETE box cat SNAPSHOT $s" NO_MATCH, UNMET, 0},
        {"BLOB.DELETE box busy", MISSING, 0},
        {"BLOB.DELETE box busy SNAPSHOTS ONLY", PENDING, 0},
        {"BLOB.DELETE box held" NO_MATCH, MISSING, 0},
        {"BLOB.DELETE box held LEASE A" NO_MATCH, UNMET, 0},
        {"BLOB.DELETE box held LEASE A", "CONFLICT SnapshotsPresent", 0},
    };
    play(steps, ARRAY_SIZE(steps));
}

TEST(order_of_setprops_on_pages) {
    static const struct step steps[] = {
        {"BLOB.SETPROPS none disk SIZE x SEQUENCE MORE 1", SYNTAX, 0},
        {"BLOB.SETPROPS none disk IFMATCH * IFNONEMATCH *", SYNTAX, 0},
        {"BLOB.SETPROPS none disk SIZE 100 IFMATCH * IFNONEMATCH *", VALUE, 0},
        {"BLOB.SETPROPS none disk SIZE 512 IFMATCH * IFNONEMATCH *", MANY, 0},
        {"BLOB.SETPROPS none disk SIZE 512 LEASE A", NO_BOX, 0},
        {"BLOB.SETPROPS box none SIZE 512 LEASE A", NO_BLOB, 0},
        {"BLOB.SETPROPS box held SIZE 512", KIND, 0},
        {"BLOB.SETPROPS box busy SEQUENCE INCREMENT", KIND, 0},
        {"BLOB.SETPROPS box busy PROPS 0 LEASE B", PENDING, 0},
        {"BLOB.SETPROPS box page SEQUENCE INCREMENT" NO_MATCH, MISSING, 0},
        {"BLOB.SETPROPS box page SEQUENCE INCREMENT LEASE A" NO_MATCH, UNMET, 0},
        {"BLOB.SETPROPS box disk SEQUENCE UPDATE 9223372036854775807", "<etag>", 0},
        {"BLOB.SETPROPS box disk SIZE 512 SEQUENCE INCREMENT" NO_MATCH, UNMET, 0},
        {"BLOB.SETPROPS box disk SIZE 512 SEQUENCE INCREMENT", "CONFLICT SequenceNumberIncrementTooLarge", 0},
    };
    play(steps, ARRAY_SIZE(steps));
}
