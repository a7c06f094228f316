/* Every error that the module can report is provoked here, and its counter in INFO moves. An error that INFO does not
 * tell of in the end is one that no test provokes: add one. */
#include <string.h>

#include "blobs.h"
#include "core/outcome.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "sources.h"
#include "steps.h"
#include "stream.h"
#include "tables.h"
#include "text.h"
#include "waiting.h"

#define RECEIPT_A "aaaaaaaa000040008000aaaaaaaaaaaa"

static const char counter_prefix[] = "holdfast_refused_";

/* Played in this order on a container `box` with metadata and a blob `cat` in it, and a string `text`. What has no
 * error leads to the next one. */
static const struct {
    const char *error;
    const char *command;
} provocations[] = {
    {"PRECONDITION ConditionNotMet", "BLOB.PUT box cat x IFMATCH 0x0000000000000001"},
    {"CONFLICT ContainerAlreadyExists", "CONTAINER.CREATE box"},
    {"CONFLICT BlobAlreadyExists", "BLOB.PUT box cat x IFNONEMATCH *"},
    {"NOTFOUND ContainerNotFound", "CONTAINER.GET none"},
    {"NOTFOUND BlobNotFound", "BLOB.GET box none"},
    {"INVALID OutOfRangeInput", "BLOB.GET box ''"},
    {"INVALID InvalidHeaderValue", "BLOB.GET box cat IFMODIFIEDSINCE x"},
    {"INVALID InvalidRange", "BLOB.GET box cat RANGE 100 1"},
    {"INVALID InvalidMetadata", "BLOB.SETMETA box cat META 1 1bad x"},
    {"INVALID EmptyMetadataKey", "BLOB.SETMETA box cat META 1 '' x"},
    {"INVALID InvalidMd5", "BLOB.PUT box cat x PROPS 1 content-md5 x"},
    {"INVALID Md5Mismatch", "BLOB.PUT box cat x PROPS 1 content-md5 AAAAAAAAAAAAAAAAAAAAAA=="},
    {"INVALID InvalidXmlDocument", "CONTAINER.SETACL box POLICIES 1 '' - - r"},
    {"INVALID InvalidXmlNodeValue", "CONTAINER.SETACL box POLICIES 1 a x - r"},
    {"INVALID MultipleConditionHeadersNotSupported", "BLOB.DELETE box cat IFMATCH * IFNONEMATCH *"},
    {"INVALID UnsatisfiableCondition", "BLOB.GET box cat IFNONEMATCH *"},
    {"INVALID OutOfRangeQueryParameterValue", "BLOB.LIST box COUNT 0"},
    {"WRONGTYPE", "BLOB.GET text cat"},
    {"ERR", "BLOB.GET box cat NONSENSE"},
    {"NOPERM", "HOLDFAST.APPLY box x"},
    {"INVALID NotInTransaction", "HOLDFAST.ATOMIC 1 2 BLOB.LIST box"},
    {"PRECONDITION LeaseNotPresentWithBlobOperation", "BLOB.GET box cat LEASE " ID_A},
    {"PRECONDITION LeaseNotPresentWithContainerOperation", "CONTAINER.GET box LEASE " ID_A},
    {"CONFLICT LeaseNotPresentWithLeaseOperation", "LEASE.BREAK box"},
    {NULL, "QUEUE.CREATE jobs"},
    {"CONFLICT QueueAlreadyExists", "QUEUE.CREATE jobs META 1 a b"},
    {"NOTFOUND QueueNotFound", "QUEUE.STAT none"},
    {"NOTFOUND MessageNotFound", "QUEUE.DELETE jobs " ID_A " " RECEIPT_A},
    {"INVALID MissingRequiredQueryParameter", "QUEUE.DELETE jobs " ID_A " ''"},
    {"INVALID InvalidQueryParameterValue", "QUEUE.PUT jobs text TTL 0"},
    {NULL, "TABLE.CREATE t"},
    {NULL, "TABLE.INSERT t p r PROPS 0"},
    {"CONFLICT TableAlreadyExists", "TABLE.CREATE t"},
    {"NOTFOUND TableNotFound", "TABLE.QUERY none"},
    {"NOTFOUND ResourceNotFound", "TABLE.GET t p none"},
    {"NOTFOUND ResourceNotFound", "TABLE.DROP none"},
    {"CONFLICT EntityAlreadyExists", "TABLE.INSERT t p r PROPS 0"},
    {"PRECONDITION UpdateConditionNotSatisfied", "TABLE.DELETE t p r IFMATCH 0x0000000000000001"},
    {"PRECONDITION UpdateConditionNotSatisfied", "TABLE.DELETE t p r IFMATCH * IF a"},
    {"INVALID MissingRequiredHeader", "TABLE.DELETE t p r"},
    {"INVALID InvalidInput", "TABLE.DELETE t p r IFMATCH x"},
    {"INVALID InvalidInput", "TABLE.BATCH t p 0"},
    {"INVALID InvalidInput", "TABLE.GET t p a/b"},
    {"INVALID InvalidInput", "TABLE.INSERT t p s PROPS 1 RowKey r"},
    {"INVALID NotImplemented", "TABLE.QUERY t FILTER \"1 eq 1\""},
    {"INVALID OutOfRangeInput", "TABLE.INSERT t p a/b PROPS 0"},
    {"INVALID OutOfRangeInput", "TABLE.INSERT t p s PROPS 1 a:datetime 1600-01-01"},
    {"INVALID PropertyValueTooLarge", "TABLE.INSERT t p s PROPS 1 a 32769*x"},
    {"INVALID PropertyNameInvalid", "TABLE.INSERT t p s PROPS 1 1a x"},
    {"INVALID PropertyNameTooLong", "TABLE.INSERT t p s PROPS 1 256*a x"},
    {"INVALID DuplicatePropertiesSpecified", "TABLE.INSERT t p s PROPS 2 a x a x"},
    {"INVALID InvalidDuplicateRow", "TABLE.BATCH t p 2 DELETE r IFMATCH * INSERT r PROPS 0"},
    {"INVALID InvalidXmlNodeValue", "TABLE.SETACL t POLICIES 1 a - - w"},
    {NULL, "LEASE.ACQUIRE box -1 ID " ID_A},
    {NULL, "LEASE.ACQUIRE box -1 BLOB cat ID " ID_A},
    {"CONFLICT LeaseAlreadyPresent", "LEASE.ACQUIRE box -1"},
    {"CONFLICT LeaseIdMismatchWithLeaseOperation", "LEASE.RENEW box " ID_B},
    {"PRECONDITION LeaseIdMissing", "CONTAINER.DELETE box"},
    {"PRECONDITION LeaseIdMismatchWithBlobOperation", "BLOB.GET box cat LEASE " ID_B},
    {"PRECONDITION LeaseIdMismatchWithContainerOperation", "CONTAINER.GET box LEASE " ID_B},
    {NULL, "LEASE.BREAK box PERIOD 60"},
    {"CONFLICT LeaseIsBreakingAndCannotBeAcquired", "LEASE.ACQUIRE box 60 ID " ID_A},
    {"CONFLICT LeaseIsBreakingAndCannotBeChanged", "LEASE.CHANGE box " ID_A " " ID_B},
    {"CONFLICT LeaseIsBrokenAndCannotBeRenewed", "LEASE.RENEW box " ID_A},
    {NULL, "LEASE.RELEASE box " ID_A},
    {NULL, "LEASE.RELEASE box " ID_A " BLOB cat"},
    {"PRECONDITION LeaseLost", "CONTAINER.GET box LEASE " ID_A},
    {"INVALID InvalidQueryParameterValue", "BLOB.STAT box cat SNAPSHOT x"},
    {"INVALID InvalidPageRange", "BLOB.PUTPAGE box cat 1 x"},
    {"INVALID InvalidBlockId", "BLOB.PUTBLOCKLIST box cat 1 LATEST !"},
    {"INVALID InvalidBlockList", "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA"},
    {NULL, "BLOB.PUTBLOCK box cat AAAA x"},
    {"INVALID InvalidBlobOrBlock", "BLOB.PUTBLOCK box cat AA== x"},
    {NULL, "BLOB.PUT box told x ONCE token"},
    {"INVALID IdempotentParameterMismatch", "BLOB.PUT box told y ONCE token"},
    {"INVALID InvalidInput", "BLOB.PUT box told x ONCE ''"},
    {"PRECONDITION TargetConditionNotMet", "BLOB.COPY box cat box cat IFMATCH 0x0000000000000001"},
    {"PRECONDITION SourceConditionNotMet", "BLOB.COPY box cat box cat SOURCEIFMATCH 0x0000000000000001"},
    {"INVALID CannotVerifyCopySource", "BLOB.COPY box cat box cat FROM nowhere 6379"},
    {"CONFLICT NoPendingCopyOperation", "BLOB.ABORTCOPY box cat 0x0000000000000001"},
    {NULL, "BLOB.CREATEAPPEND box log"},
    {"CONFLICT InvalidBlobType", "BLOB.PUT box log x"},
    {"PRECONDITION AppendPositionConditionNotMet", "BLOB.APPEND box log x IFPOSITION 1"},
    {"PRECONDITION MaxBlobSizeConditionNotMet", "BLOB.APPEND box log xx IFMAXSIZE 1"},
    {"CONFLICT FeedOff", "CONTAINER.CHANGES box SINCE 0"},
    {NULL, "CONTAINER.FEED box ON"},
    {"CONFLICT ChangesLost", "CONTAINER.CHANGES box SINCE 0x0000000000000001"},
    {NULL, "CONTAINER.FEED box OFF"},
    {NULL, "BLOB.CREATEAPPEND box closed"},
    {NULL, "BLOB.SEAL box closed"},
    {"CONFLICT BlobIsSealed", "BLOB.APPEND box closed x"},
    {NULL, "LEASE.ACQUIRE box 60 BLOB log ID " ID_A},
    {"PRECONDITION InfiniteLeaseDurationRequired", "BLOB.COPY box log box log LEASE " ID_A},
    {NULL, "LEASE.RELEASE box " ID_A " BLOB log"},
    {NULL, "BLOB.CREATEPAGE box disk 512 SEQUENCE 9223372036854775807"},
    {"PRECONDITION SequenceNumberConditionNotMet", "BLOB.CLEARPAGE box disk 0 512 IFSEQUENCE LT 5"},
    {"CONFLICT SequenceNumberIncrementTooLarge", "BLOB.SETPROPS box disk SEQUENCE INCREMENT"},
    {"CONFLICT PreviousSnapshotNotFound", "BLOB.GETPAGES box disk SINCE 0x0000000000000001"},
    {NULL, "SHARE.CREATE share"},
    {"CONFLICT ShareAlreadyExists", "SHARE.CREATE share"},
    {"NOTFOUND ShareNotFound", "SHARE.GET none"},
    {"PRECONDITION LeaseNotPresentWithShareOperation", "SHARE.GET share LEASE " ID_A},
    {NULL, "SHARE.SETPROPS share QUOTA 10"},
    {"CONFLICT ShareSizeLimitReached", "FILE.CREATE share f 11"},
    {NULL, "FILE.CREATE share f 10"},
    {NULL, "FILE.MKDIR share d"},
    {NULL, "FILE.CREATE share d/f 0 ATTRIBUTES 1 READONLY"},
    {"NOTFOUND ResourceNotFound", "FILE.GET share none"},
    {"NOTFOUND ParentNotFound", "FILE.GET share none/f"},
    {"CONFLICT ResourceAlreadyExists", "FILE.MKDIR share D"},
    {"CONFLICT ResourceTypeMismatch", "FILE.GET share d"},
    {"CONFLICT DirectoryNotEmpty", "FILE.RMDIR share d"},
    {"INVALID InvalidFileOrDirectoryPathName", "FILE.GET share /f"},
    {"INVALID InvalidResourceName", "FILE.GET share .."},
    {"CONFLICT ReadOnlyAttribute", "FILE.DELETE share d/f"},
    {"NOTFOUND ShareSnapshotNotFound", "FILE.GET share f SNAPSHOT 0x0000000000000001"},
    {"NOTFOUND SessionNotFound", "SHARE.PING share " ID_A},
    {"NOTFOUND HandleNotFound", "FILE.CLOSE share " ID_A},
    {"INVALID InvalidLockRange", "FILE.UNLOCK share " ID_A " 18446744073709551616 0"},
    {"PRECONDITION LeaseNotPresentWithFileOperation", "FILE.GET share f LEASE " ID_A},
    {NULL, "LEASE.ACQUIRE share -1 FILE f ID " ID_A},
    {"CONFLICT LeaseIdMismatchWithFileOperation", "FILE.GET share f LEASE " ID_B},
    {NULL, "LEASE.RELEASE share " ID_A " FILE f"},
    {NULL, "LEASE.ACQUIRE share -1 ID " ID_A},
    {"CONFLICT LeaseIdMismatchWithShareOperation", "SHARE.GET share LEASE " ID_B},
    {NULL, "LEASE.RELEASE share " ID_A},
};

/* What has not occurred is not shown. */
static long long count_of(struct client *client, const char *counter) {
    long long count = info_of(client, counter);
    return count < 0 ? 0 : count;
}

static void provoke(const struct words *words, const char *error) {
    const char *code = strrchr(error, ' ');
    const char *counter = code ? pool_print("%s%s", counter_prefix, code + 1) : NULL;
    long long before = counter ? count_of(primary, counter) : 0;
    redisReply *reply = call_words(primary, words);
    expect_error(reply, error);
    if (!code) return;
    require(strlen(reply->str) > strlen(error) + 1, "no explanation in %s", reply_text(reply));
    require(count_of(primary, counter) == before + 1, "%s did not grow by one", counter);
}

static void provoke_by(const char *line, const char *error) {
    struct words words = words_of_line(line);
    provoke(&words, error);
}

static const char *open_for(const char *session, const char *rest) {
    redisReply *reply = call_line(primary, pool_print("FILE.OPEN share %s %s", session, rest));
    return reply_string(field(reply, "handle"));
}

static void provoke_with_handles(void) {
    const char *session = reply_string(call(primary, "SHARE.CONNECT share 100"));
    const char *whole = "ACCESS 2 READ DELETE SHARE 3 READ WRITE DELETE";
    const char *handle = open_for(session, pool_print("f %s", whole));
    provoke_by("FILE.DELETE share f", "CONFLICT SharingViolation");
    provoke_by(pool_print("FILE.WRITE share %s 0 x", handle), "INVALID AccessDenied");
    provoke_by(pool_print("FILE.UNLOCK share %s 0 1", handle), "NOTFOUND RangeNotLocked");
    expect_ok(call(primary, "FILE.LOCK share %s SHARED 0 1", handle));
    provoke_by("FILE.PUTRANGE share f 0 x", "CONFLICT FileLockConflict");
    provoke_by(pool_print("FILE.OPEN share %s d/f %s DELETEONCLOSE", session, whole),
               "CONFLICT CannotDeleteFileOrDirectory");
    expect_ok(call(primary, "FILE.DISPOSE share %s ON", handle));
    provoke_by("FILE.STAT share f", "CONFLICT SMBDeletePending");
    expect_ok(call(primary, "FILE.CLOSE share %s", handle));
}

/* Each of two has what the other one waits for. */
static void provoke_a_circle(void) {
    const char *one = reply_string(call(primary, "SHARE.CONNECT share 100"));
    const char *two = reply_string(call(primary, "SHARE.CONNECT share 100"));
    const char *alone = "ACCESS 1 READ SHARE 1 NONE DISPOSITION OPENIF";
    open_for(one, pool_print("first %s", alone));
    open_for(two, pool_print("second %s", alone));
    struct client *waiter =
        waiting(pool_print("FILE.OPEN share %s second ACCESS 1 READ SHARE 1 NONE BLOCK 60", one));
    provoke_by(pool_print("FILE.OPEN share %s first %s BLOCK 60", two, alone), "CONFLICT Deadlock");
    expect_ok(call(primary, "SHARE.DISCONNECT share %s", one));
    expect_error(answer_within(waiter, 5000), "NOTFOUND SessionNotFound");
    expect_ok(call(primary, "SHARE.DISCONNECT share %s", two));
}

static void provoke_with_share_snapshots(void) {
    for (int taken = 0; taken < 200; taken++)
        expect_elements(call(primary, "SHARE.SNAPSHOT share META 0"), 2);
    provoke_by("SHARE.SNAPSHOT share", "CONFLICT ShareSnapshotCountExceeded");
    provoke_by("SHARE.DELETE share", "CONFLICT ShareHasSnapshots");
    expect_ok(call(primary, "SHARE.DELETE share SNAPSHOTS INCLUDE"));
}

static void provoke_a_mismatch(void) {
    redisReply *message = call(primary, "QUEUE.PUT jobs text");
    configure(primary, "holdfast.queue-receipt-mismatch", "mismatch");
    struct words words = words_of_line("QUEUE.DELETE jobs");
    words_add(&words, field(message, "id")->str);
    words_add(&words, RECEIPT_A);
    provoke(&words, "INVALID PopReceiptMismatch");
}

static void provoke_want_of_memory(void) {
    redisReply *message = call(primary, "QUEUE.PUT jobs text");
    struct words words = words_of_line("QUEUE.UPDATE jobs");
    words_add(&words, field(message, "id")->str);
    words_add(&words, field(message, "receipt")->str);
    words_add_line(&words, "VISIBILITY 1 MESSAGE longer");
    configure(primary, "maxmemory", "1");
    provoke(&words, "OOM");
    configure(primary, "maxmemory", "0");
}

/* An effect of one key for another one, which holds something else. */
static void provoke_a_misfit(void) {
    struct stream *stream = stream_attach(primary->server);
    expect_etag(call(primary, "CONTAINER.SETMETA box META 0"));
    const redisReply *effect = expect_elements(stream_commands(stream, primary), 1)->element[0];
    struct words words = words_of_line("HOLDFAST.APPLY text");
    words_add_bytes(&words, effect->element[2]->str, effect->element[2]->len);
    provoke(&words, "ERR");
    expect_text(call(primary, "GET text"), "x");
}

static void provoke_under_other_settings(void) {
    provoke_a_mismatch();
    provoke_want_of_memory();
    struct words words = words_of_line("BLOB.SETMETA box cat META 1 n");
    words_add(&words, pool_print("%09000d", 1));
    provoke(&words, "INVALID MetadataTooLarge");
    words = words_of_line("BLOB.GET box");
    char *segments = pool_print("%0600d", 0);
    words_add(&words, segments);
    memset(segments, '/', strlen(segments));
    words_replace(&words, 2, segments);
    provoke(&words, "INVALID InvalidUri");
    configure(primary, "holdfast.max-blob-bytes", "3");
    words = words_of_line("BLOB.PUT box cat four");
    provoke(&words, "INVALID RequestBodyTooLarge");
    expect_misfits();
    configure(primary, "holdfast.accept-effects", "yes");
    words = words_of_line("HOLDFAST.APPLY box x");
    provoke(&words, "ERR");
    provoke_a_misfit();
}

static void provoke_with_snapshots(void) {
    const char *older = expect_etag(call(primary, "BLOB.SNAPSHOT box disk"));
    const char *newer = expect_etag(call(primary, "BLOB.SNAPSHOT box disk"));
    struct words words = words_of_line("BLOB.DELETE box disk");
    provoke(&words, "CONFLICT SnapshotsPresent");
    words = words_of_line(pool_print("BLOB.GETPAGES box disk SNAPSHOT %s SINCE %s", older, newer));
    provoke(&words, "INVALID PreviousSnapshotCannotBeNewer");
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 512"));
    words = words_of_line(pool_print("BLOB.GETPAGES box disk SINCE %s", older));
    provoke(&words, "CONFLICT BlobOverwritten");
}

static void provoke_with_a_pending_copy(void) {
    const char *id = pending_copy("cat");
    struct words words = words_of_line("BLOB.PUT box cat x");
    provoke(&words, "CONFLICT PendingCopyOperation");
    words = words_of_line("BLOB.ABORTCOPY box cat 0x0000000000000001");
    provoke(&words, "CONFLICT CopyIdMismatch");
    expect_ok(call(primary, "BLOB.ABORTCOPY box cat %s", id));
}

/* What comes from a snapshot may lack what was written behind it. */
static void provoke_in_grace(void) {
    configure(primary, "holdfast.grace-seconds", "60");
    expect_ok(call(primary, "DEBUG RELOAD"));
    struct words words = words_of_line("LEASE.ACQUIRE box 15");
    provoke(&words, "CONFLICT ServerRecovering");
    expect_ok(call(primary, "HOLDFAST.GRACE END"));
}

/* In a transaction a feed is not built any further. */
static void provoke_a_feed_that_is_built(void) {
    struct words words = words_of_line("CONTAINER.CHANGES large SINCE 0");
    expect_etag(call(primary, "CONTAINER.CREATE large"));
    for (int i = 0; i < 1001; i++) expect_etag(call(primary, "BLOB.PUT large n%d x", i));
    expect_ok(call(primary, "MULTI"));
    call(primary, "CONTAINER.FEED large ON");
    call_words(primary, &words);
    redisReply *replies = expect_elements(call(primary, "EXEC"), 2);
    expect_error(replies->element[1], "CONFLICT FeedBuilding");
}

static void provoke_with_many_blocks(void) {
    struct words words = words_of_line("BLOB.PUTBLOCKLIST box cat 50001");
    for (int block = 0; block < 50001; block++) words_add_line(&words, "LATEST AAAA");
    provoke(&words, "INVALID BlockListTooLong");
    expect_etag(call(primary, "BLOB.CREATEAPPEND box full"));
    fill_append_blob("full", 50000);
    words = words_of_line("BLOB.APPEND box full x");
    provoke(&words, "CONFLICT BlockCountExceedsLimit");
}

static void provoke_with_few_rights(void) {
    expect_ok(call(primary, "ACL SETUSER few on nopass ~* +@all -blob.put"));
    struct client *client = test_client(primary->server);
    expect_ok(call(client, "AUTH few x"));
    expect_error(call(client, "HOLDFAST.ATOMIC 1 4 BLOB.PUT box cat meow"), "NOPERM this user");
    expect_number(call(primary, "ACL DELUSER few"), 1);
}

static void provoke_with_much_in_an_entity(void) {
    struct words words = step_words(pool_print("TABLE.INSERT t p s %s", some_properties(253)));
    provoke(&words, "INVALID TooManyProperties");
    words = words_of_line("TABLE.INSERT t p s PROPS 17");
    for (int part = 0; part < 17; part++) words_add_line(&words, pool_print("p%d:binary %065000d", part, 0));
    provoke(&words, "INVALID EntityTooLarge");
}

/* Those of a cluster alone: test_keys_in_cluster.c and test_cluster.c provoke them. */
static bool needs_cluster(enum outcome outcome) {
    return outcome == OUTCOME_CROSS_SLOT || outcome == OUTCOME_SLOT_MIGRATES;
}

/* The codes of errors that INFO does not tell of yet. */
static const char *silent_codes(void) {
    struct text silent = EMPTY_TEXT;
    redisReply *info = call(primary, "INFO holdfast");
    for (enum outcome outcome = OUTCOME_FIRST; outcome < OUTCOME_COUNT; outcome++) {
        const char *code = outcome_text(outcome)->code;
        if (needs_cluster(outcome)) continue;
        if (info_number(info, pool_print("%s%s", counter_prefix, code)) < 1) text_print(&silent, " %s", code);
    }
    return silent.bytes;
}

TEST(every_error_is_provoked) {
    expect_etag(call(primary, "CONTAINER.CREATE box META 1 a b"));
    put("box", "cat", "meow");
    expect_ok(call(primary, "SET text x"));
    for (size_t i = 0; i < ARRAY_SIZE(provocations); i++) {
        struct words words = step_words(provocations[i].command);
        if (provocations[i].error) {
            provoke(&words, provocations[i].error);
        } else {
            require(!reply_is_error(call_words(primary, &words)), "%s fails", provocations[i].command);
        }
    }
    provoke_with_snapshots();
    provoke_with_a_pending_copy();
    provoke_a_feed_that_is_built();
    provoke_in_grace();
    provoke_with_many_blocks();
    provoke_with_handles();
    provoke_a_circle();
    provoke_with_share_snapshots();
    provoke_with_much_in_an_entity();
    provoke_with_few_rights();
    provoke_under_other_settings();
    const char *silent = silent_codes();
    require(!*silent, "no test provokes%s", silent);
}

static const char *refusals_shown(struct client *client) {
    struct text shown = EMPTY_TEXT;
    redisReply *info = call(client, "INFO holdfast");
    for (const char *line = info->str; (line = strstr(line, "holdfast_refused")); line++) {
        text_add(&shown, line, strcspn(line, "\r\n"));
        text_add(&shown, " ", 1);
    }
    return shown.bytes;
}

TEST(info_shows_the_errors_that_occurred) {
    struct client *client = test_client(server_start("fresh", ""));
    assert_string_equal(refusals_shown(client), "holdfast_refused:0 ");
    expect_error(call(client, "BLOB.GET box cat"), "NOTFOUND ContainerNotFound");
    expect_error(call(client, "BLOB.GET box cat NONSENSE"), "ERR");
    expect_error(call(client, "BLOB.GET box dog"), "NOTFOUND ContainerNotFound");
    assert_string_equal(
        refusals_shown(client),
        "holdfast_refused_class_NOTFOUND:2 holdfast_refused_class_ERR:1 "
        "holdfast_refused_ContainerNotFound:2 holdfast_refused_SyntaxError:1 holdfast_refused:3 ");
}

/* The first words are what programs and errorstats go by: no data of a user may get there. */
TEST(errorstats_know_the_classes) {
    create("box");
    expect_ok(call(primary, "CONFIG RESETSTAT"));
    expect_error(call(primary, "BLOB.GET box none"), "NOTFOUND BlobNotFound");
    expect_error(call(primary, "BLOB.GET box ''"), "NOTFOUND");
    expect_error(call(primary, "BLOB.PUT box none x IFMATCH *"), "PRECONDITION ConditionNotMet");
    redisReply *info = call(primary, "INFO errorstats");
    assert_string_equal(info_field(info, "errorstat_NOTFOUND"), "count=2");
    assert_string_equal(info_field(info, "errorstat_PRECONDITION"), "count=1");
}

/* People go by the text, so it names what is wrong, and what would be right. On a container `box` with a blob `cat`, a share `fs` with a
 * file `f`, and a queue `jobs`. */
static const struct {
    const char *command, *error;
} texts[] = {
    {"LEASE.RENEW box 60 BLOB cat", "INVALID InvalidHeaderValue lease-id takes a GUID, not '60'"},
    {"BLOB.PUT box cat x LEASE me", "INVALID InvalidHeaderValue LEASE takes a GUID, not 'me'"},
    {"LEASE.ACQUIRE box 60 BLOCK x",
     "INVALID InvalidHeaderValue BLOCK takes seconds with at most three decimals, up to 315360000, not 'x'"},
    {"QUEUE.GET jobs BLOCK -1",
     "INVALID InvalidHeaderValue BLOCK takes seconds with at most three decimals, up to 315360000, not '-1'"},
    {"QUEUE.GET jobs VISIBILITY 0",
     "INVALID OutOfRangeQueryParameterValue VISIBILITY takes seconds with at most three decimals, from 1 to "
     "604800, not '0'"},
    {"QUEUE.PUT jobs x TTL x",
     "INVALID InvalidQueryParameterValue TTL takes seconds with at most three decimals, or -1, not 'x'"},
    {"QUEUE.PEEK jobs COUNT x",
     "INVALID InvalidQueryParameterValue COUNT takes a whole number from 1 to 1000, not 'x'"},
    {"QUEUE.DELETE jobs id x", "INVALID InvalidQueryParameterValue receipt takes a GUID, not 'x'"},
    {"SHARE.CREATE other QUOTA -1",
     "INVALID InvalidHeaderValue QUOTA takes a whole number from 0 to 9223372036854775807, not '-1'"},
    {"BLOB.LIST box COUNT 9223372036854775808",
     "INVALID OutOfRangeQueryParameterValue COUNT takes a whole number from 1 to 9223372036854775807, not "
     "'9223372036854775808'"},
    {"TABLE.QUERY t TOP 99999999999999999999",
     "INVALID InvalidInput TOP takes a whole number from 0 to 9223372036854775807, not "
     "'99999999999999999999'"},
    {"BLOB.GET box cat SNAPSHOT x",
     "INVALID InvalidQueryParameterValue SNAPSHOT takes 0x and 16 hexadecimal digits, not 'x'"},
    {"BLOB.SETPROPS box cat PROPS 1 colour red",
     "INVALID InvalidHeaderValue PROPS takes content-type, -encoding, -language, -disposition, -md5 and "
     "cache-control, each once, and 8192 bytes in all"},
    {"BLOB.GET box cat RANGE 0 0",
     "INVALID InvalidRange RANGE takes an offset, and a length from 1 on or -1, not '0'"},
    {"BLOB.GET box cat RANGE 1 x",
     "INVALID InvalidRange RANGE takes an offset, and a length from 1 on or -1, not 'x'"},
    {"FILE.GET fs f RANGE -2 0",
     "INVALID InvalidRange RANGE takes an offset, and a length from 1 on or -1, not '-2'"},
    {"BLOB.GET box cat RANGE 100 1", "INVALID InvalidRange the range lies outside the content"},
    {"FILE.CLEARRANGE fs f 0 0",
     "INVALID InvalidRange length takes a whole number from 1 to 4398046511104, not '0'"},
    {"BLOB.CLEARPAGE box cat x 512",
     "INVALID InvalidPageRange offset takes a whole number from 0 to 8796093022208, not 'x'"},
    {"BLOB.CREATEPAGE box disk 511", "INVALID InvalidHeaderValue a size is a multiple of 512, not 511"},
    {"BLOB.SETPROPS box cat SIZE 513", "INVALID InvalidHeaderValue a size is a multiple of 512, not 513"},
    {"FILE.HANDLES fs MARKER x",
     "INVALID InvalidQueryParameterValue MARKER takes what the page before returned"},
    {"QUEUE.PUT jobs x GROUP ''",
     "INVALID InvalidQueryParameterValue GROUP takes text of 1 to 256 bytes, not ''"},
    {"QUEUE.PUT jobs x ONCE ''", "INVALID InvalidInput a token of ONCE has 1 to 64 bytes: ''"},
    {"HOLDFAST.ATOMIC 1 5 BLOB.GET box cat BLOCK 1",
     "INVALID NotInTransaction 0: no command of a transaction waits: leave BLOCK out"},
    {"BLOB.SETPROPS box cat SEQUENCE FOO", "ERR syntax error near 'FOO'"},
    {"BLOB.SETPROPS box cat SEQUENCE", "ERR syntax error near 'SEQUENCE'"},
    {"BLOB.SETPROPS box cat SEQUENCE MAX", "ERR syntax error near 'SEQUENCE'"},
    {"BLOB.CLEARPAGE box cat 0 512 IFSEQUENCE FOO 5", "ERR syntax error near 'FOO'"},
    {"LEASE.ACQUIRE fs 60 FILE f",
     "INVALID InvalidHeaderValue the lease of a file must be infinite: its duration is -1"},
    {"LEASE.RENEW fs " ID_A " FILE f",
     "INVALID InvalidHeaderValue the lease of a file has no end: there is nothing to renew"},
    {"LEASE.BREAK fs PERIOD 5 FILE f",
     "INVALID InvalidHeaderValue the lease of a file is broken at once: leave PERIOD out"},
    {"FILE.LOCK fs h SHARED 0 18446744073709551616",
     "INVALID InvalidLockRange a locked range must lie between 0 and 2^64, and a length is at most 2^64 - 1"},
    {"QUEUE.CREATE jobs MAXDELIVERIES 2",
     "CONFLICT QueueAlreadyExists the queue exists with other settings, QUEUE.CONFIGURE and QUEUE.SETMETA "
     "change them"},
    {"QUEUE.SETACL jobs POLICIES 1 a - - w",
     "INVALID InvalidXmlNodeValue a policy's permissions are some of the letters raup, each at most once"},
    {"FILE.GET fs f", "INVALID InvalidRange 1099511627776 bytes are more than the 33554432 that "
                      "holdfast.max-reply-bytes allows "
                      "for a content in pieces, use RANGE"},
};

TEST(texts_say_what_is_wrong) {
    create("box");
    put("box", "cat", "meow");
    expect_etag(call(primary, "SHARE.CREATE fs"));
    expect_etag(call(primary, "FILE.CREATE fs f 1099511627776"));
    expect_ok(call(primary, "QUEUE.CREATE jobs"));
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        const char *found = reply_text(call_line(primary, texts[i].command));
        require(!strcmp(found, pool_print("(error) %s", texts[i].error)), "%s gave\n    %s, not\n    %s",
                texts[i].command, found, texts[i].error);
    }
}

TEST(texts_say_how_long_a_label_may_be) {
    static const struct {
        const char *command, *option, *error;
    } cases[] = {
        {"LEASE.ACQUIRE box 60", "OWNER",
         "INVALID InvalidHeaderValue OWNER takes text of 0 to 256 bytes, not"},
        {"SHARE.CONNECT fs 60", "OWNER",
         "INVALID InvalidHeaderValue OWNER takes text of 0 to 256 bytes, not"},
        {"QUEUE.PUT jobs x", "GROUP",
         "INVALID InvalidQueryParameterValue GROUP takes text of 1 to 256 bytes, not"},
        {"QUEUE.PUT jobs x", "DEDUP",
         "INVALID InvalidQueryParameterValue DEDUP takes text of 1 to 256 bytes, not"},
        {"QUEUE.RELEASE jobs id aaaaaaaa000040008000aaaaaaaaaaaa", "REASON",
         "INVALID InvalidQueryParameterValue REASON takes text of 0 to 256 bytes, not"},
    };
    char label[257];
    memset(label, 'x', sizeof(label));
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct words words = words_of_line(cases[i].command);
        words_add(&words, cases[i].option);
        words_add_bytes(&words, label, sizeof(label));
        expect_error(call_words(primary, &words), cases[i].error);
    }
}

TEST(a_missing_key_is_what_the_option_says) {
    static const char *const files[] = {"LEASE.ACQUIRE none -1 FILE f",
                                        "LEASE.ACQUIRE none -1 FILE f BLOCK 0",
                                        "LEASE.RENEW none " ID_A " FILE f",
                                        "LEASE.CHANGE none " ID_A " " ID_B " FILE f",
                                        "LEASE.RELEASE none " ID_A " FILE f",
                                        "LEASE.BREAK none FILE f",
                                        "LEASE.GET none FILE f",
                                        NULL};
    expect_each_error(primary, files, "NOTFOUND ShareNotFound");
    expect_error(call(primary, "HOLDFAST.ATOMIC 1 5 LEASE.RELEASE none %s FILE f", ID_A),
                 "NOTFOUND ShareNotFound");
    expect_error(call(primary, "LEASE.GET none BLOB f"), "NOTFOUND ContainerNotFound");
}
