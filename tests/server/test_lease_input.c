/* Bad input to LEASE.* and to LEASE, ID, OWNER, PERIOD and BLOCK: the right code, no trace, and
 * nobody's place lost. */
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "traces.h"
#include "waiting.h"

/* Neither seconds nor -1 nor INFINITE, or seconds of no kind that is allowed. */
static const char *const bad_durations[] = {
    "0",     "14",   "14.999", "60.001",  "61",   "-2",      "-0.5", "-1.0",
    "NaN",   "nan",  "inf",    "1e300",   "1e1",  "0x20",    "15s",  "''",
    "+15",   "15.",  ".5",     "15.0001", "15,5", "FOREVER", "-",    "9223372036854775807",
    "99999", "1000", "--1",    "-INF",    "1 5",  "15.0x",   "*",    "99999999999999999999999999",
};

static const char *const bad_ids[] = {
    "''",
    "x",
    "*",
    "aaaaaaaa",
    "aaaaaaaa-0000-4000-8000-00000000000",
    "aaaaaaaa-0000-4000-8000-00000000000a0",
    "gaaaaaaa-0000-4000-8000-00000000000a",
    "aaaaaaaa-00004-000-8000-00000000000a",
    "aaaaaaaa_0000_4000_8000_00000000000a",
    "{aaaaaaaa-0000-4000-8000-00000000000a",
    "aaaaaaaa-0000-4000-8000-00000000000a}",
    "(aaaaaaaa-0000-4000-8000-00000000000a}",
    "[aaaaaaaa-0000-4000-8000-00000000000a]",
    "{aaaaaaaa00004000800000000000000a}",
    "aaaaaaaa0000400080000000000000g0",
    "\"aaaaaaaa-0000-4000-8000-00000000000a\"",
    "{0xaaaaaaaa,0x0000,0x4000,{0x80,0x00,0x00,0x00,0x00,0x00,0x00,0x0a}",
    "{0xaaaaaaaa,0x0000,0x4000,{0x80,0x00,0x00,0x00,0x00,0x00,0x00}}",
};

static const char *const bad_waits[] = {"-1",  "-0.001",         "INFINITE", "NaN",    "1e3",     "''",
                                        "0x1", "99999999999999", "x",        "1.0005", "INF INF", "-2"};

static const char *const bad_periods[] = {"-1", "61", "60.001", "INFINITE", "1e1", "''", "NaN", "x", "-0"};

/* Every line, a %s in it being a bad value, must be refused alike. */
static void refuse_values(const char *const *lines, const char *const *values, size_t count) {
    for (; *lines; lines++) {
        for (size_t i = 0; i < count; i++) {
            struct words words = words_of_line(*lines);
            for (size_t word = 0; word < words.count; word++) {
                if (strcmp(words.word[word], "%") != 0) continue;
                words_replace(&words, word, strcmp(values[i], "''") ? values[i] : "");
            }
            expect_error(call_words(primary, &words), "INVALID InvalidHeaderValue");
        }
    }
}

/* Somebody holds cat, two wait for it, and one waits for news of it. */
static struct client *second, *third, *reader;

static void crowded_setup(void) {
    lease_setup();
    acquire("box", "60", "BLOB cat ID " ID_A);
    expect_ok(call(primary, "SET text x"));
    second = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    third = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_C " BLOCK 0");
    reader = waiting("BLOB.GET box dog BLOCK 0");
    traces_begin("none");
}

/* All are where they were, and are served in their order. */
static void crowd_goes_on(void) {
    traces_require_none();
    assert_int_equal(waiters_at(primary), 3);
    expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A));
    assert_string_equal(lease_id(answer_of(second)), ID_B);
    expect_still_waiting(third);
    expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", ID_B));
    assert_string_equal(lease_id(answer_of(third)), ID_C);
    put("box", "dog", "woof");
    expect_etag(answer_of(reader));
}

TEST(lease_durations_out_of_range_are_refused) {
    static const char *const lines[] = {
        "LEASE.ACQUIRE box % BLOB cat", "LEASE.ACQUIRE box %",  "LEASE.ACQUIRE box % BLOB cat BLOCK 1",
        "LEASE.ACQUIRE none %",         "LEASE.ACQUIRE text %", NULL};
    crowded_setup();
    refuse_values(lines, bad_durations, ARRAY_SIZE(bad_durations));
    crowd_goes_on();
}

TEST(malformed_lease_ids_are_refused) {
    static const char *const lines[] = {"LEASE.ACQUIRE box 60 BLOB cat ID %",
                                        "LEASE.ACQUIRE box 60 BLOB cat ID % BLOCK 1",
                                        "LEASE.RENEW box % BLOB cat",
                                        "LEASE.CHANGE box % aaaaaaaa-0000-4000-8000-00000000000a BLOB cat",
                                        "LEASE.CHANGE box aaaaaaaa-0000-4000-8000-00000000000a % BLOB cat",
                                        "LEASE.RELEASE box % BLOB cat",
                                        "LEASE.RENEW none %",
                                        "BLOB.PUT box cat x LEASE %",
                                        "BLOB.PUT box dog x LEASE %",
                                        "BLOB.GET box cat LEASE %",
                                        "BLOB.GET box cat LEASE % BLOCK 1",
                                        "BLOB.STAT box cat LEASE %",
                                        "BLOB.GETMETA box cat LEASE %",
                                        "BLOB.SETMETA box cat META 0 LEASE %",
                                        "BLOB.SETPROPS box cat PROPS 0 LEASE %",
                                        "BLOB.DELETE box cat LEASE %",
                                        "CONTAINER.GET box LEASE %",
                                        "CONTAINER.GETMETA box LEASE %",
                                        "CONTAINER.GETACL box LEASE %",
                                        "CONTAINER.SETMETA box META 0 LEASE %",
                                        "CONTAINER.SETACL box LEASE %",
                                        "CONTAINER.DELETE box LEASE %",
                                        NULL};
    crowded_setup();
    refuse_values(lines, bad_ids, ARRAY_SIZE(bad_ids));
    crowd_goes_on();
}

TEST(waits_out_of_range_are_refused) {
    static const char *const lines[] = {"LEASE.ACQUIRE box 60 BLOB cat BLOCK %",
                                        "LEASE.ACQUIRE box 60 BLOCK %",
                                        "BLOB.GET box cat BLOCK %",
                                        "BLOB.GET box dog BLOCK %",
                                        "BLOB.GET none dog BLOCK %",
                                        NULL};
    crowded_setup();
    refuse_values(lines, bad_waits, ARRAY_SIZE(bad_waits));
    crowd_goes_on();
}

TEST(break_periods_out_of_range_are_refused) {
    static const char *const lines[] = {"LEASE.BREAK box BLOB cat PERIOD %", "LEASE.BREAK box PERIOD %",
                                        "LEASE.BREAK none PERIOD %", NULL};
    crowded_setup();
    refuse_values(lines, bad_periods, ARRAY_SIZE(bad_periods));
    crowd_goes_on();
}

TEST(owners_that_are_too_long_are_refused) {
    char *owner = pool_take(257);
    memset(owner, 'o', 257);
    crowded_setup();
    expect_error(call(primary, "LEASE.ACQUIRE box 60 OWNER %b", owner, (size_t)257),
                 "INVALID InvalidHeaderValue");
    expect_error(call(primary, "LEASE.ACQUIRE box 60 BLOB cat OWNER %b BLOCK 1", owner, (size_t)257),
                 "INVALID InvalidHeaderValue");
    crowd_goes_on();
    lease_token(call(primary, "LEASE.ACQUIRE box 60 OWNER %b", owner, (size_t)256));
    expect_bytes(field(lease_of("box", &on_container), "owner"), owner, 256);
}

TEST(oversized_keys_and_names_are_refused) {
    static const char *const commands[] = {
        "LEASE.ACQUIRE box 60",    "LEASE.RENEW box " ID_A, "LEASE.CHANGE box " ID_A " " ID_B,
        "LEASE.RELEASE box " ID_A, "LEASE.BREAK box",       "LEASE.GET box"};
    char *name = pool_take(1026);
    memset(name, 'n', 1025);
    crowded_setup();
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        struct words words = words_of_line(commands[i]);
        words_add(&words, "BLOB");
        words_add(&words, "");
        expect_error(call_words(primary, &words), "INVALID OutOfRangeInput");
        words_replace(&words, words.count - 1, name);
        expect_error(call_words(primary, &words), "INVALID OutOfRangeInput");
        words_replace(&words, words.count - 1, name + 1);
        expect_error(call_words(primary, &words), "NOTFOUND BlobNotFound");
    }
    crowd_goes_on();
}

/* Nobody begins to wait. Without BLOCK these are told as by every command: see test_grammar.c. */
TEST(waits_for_missing_keys_and_other_types_are_refused) {
    static const char *const missing[] = {"LEASE.ACQUIRE none 60 BLOCK 1",
                                          "LEASE.ACQUIRE none 60 BLOB cat BLOCK 0",
                                          "LEASE.CHANGE none " ID_A " " ID_B " BLOB cat",
                                          "LEASE.BREAK none BLOB cat",
                                          "BLOB.GET none cat BLOCK 0",
                                          NULL};
    static const char *const no_blob[] = {"LEASE.ACQUIRE box 60 BLOB none",
                                          "LEASE.ACQUIRE box 60 BLOB none BLOCK 0",
                                          "LEASE.ACQUIRE box 60 BLOB none IFMATCH * BLOCK 1",
                                          "LEASE.GET box BLOB none",
                                          "BLOB.GET box none IFNONEMATCH 0x0000000000000001 BLOCK 0",
                                          "BLOB.GET box none IFMODIFIEDSINCE 0 BLOCK 0",
                                          NULL};
    static const char *const wrong_type[] = {"LEASE.ACQUIRE text 60 BLOB cat BLOCK 0",
                                             "BLOB.GET text cat BLOCK 0", NULL};
    crowded_setup();
    expect_each_error(primary, missing, "NOTFOUND ContainerNotFound");
    expect_each_error(primary, no_blob, "NOTFOUND BlobNotFound");
    expect_each_error(primary, wrong_type, "WRONGTYPE");
    crowd_goes_on();
}

TEST(refusals_of_leases_leave_no_trace) {
    static const struct {
        const char *line;
        const char *error;
    } refusals[] = {
        {"LEASE.ACQUIRE box 60 BLOB cat", "CONFLICT LeaseAlreadyPresent"},
        {"LEASE.ACQUIRE box -1 BLOB cat ID " ID_B, "CONFLICT LeaseAlreadyPresent"},
        {"LEASE.RENEW box " ID_B " BLOB cat", "CONFLICT LeaseIdMismatchWithLeaseOperation"},
        {"LEASE.RENEW box " ID_A, "CONFLICT LeaseIdMismatchWithLeaseOperation"},
        {"LEASE.CHANGE box " ID_B " " ID_C " BLOB cat", "CONFLICT LeaseIdMismatchWithLeaseOperation"},
        {"LEASE.CHANGE box " ID_A " " ID_B, "CONFLICT LeaseNotPresentWithLeaseOperation"},
        {"LEASE.RELEASE box " ID_B " BLOB cat", "CONFLICT LeaseIdMismatchWithLeaseOperation"},
        {"LEASE.BREAK box", "CONFLICT LeaseNotPresentWithLeaseOperation"},
        {"LEASE.ACQUIRE box 60 BLOB cat IFMATCH 0x0000000000000001", "PRECONDITION ConditionNotMet"},
        {"LEASE.RELEASE box " ID_A " BLOB cat IFMATCH 0x0000000000000001", "PRECONDITION ConditionNotMet"},
        {"LEASE.ACQUIRE box 60 BLOB cat IFMATCH 0x0000000000000001 BLOCK 1", "PRECONDITION ConditionNotMet"},
        {"BLOB.PUT box cat x", "PRECONDITION LeaseIdMissing"},
        {"BLOB.PUT box cat x LEASE " ID_B, "PRECONDITION LeaseIdMismatchWithBlobOperation"},
        {"BLOB.DELETE box cat", "PRECONDITION LeaseIdMissing"},
        {"BLOB.SETMETA box cat META 0", "PRECONDITION LeaseIdMissing"},
        {"LEASE.LIST box COUNT 0", "INVALID OutOfRangeQueryParameterValue"},
        {"LEASE.LIST box COUNT -1", "INVALID OutOfRangeQueryParameterValue"},
        {"LEASE.ACQUIRE box", "ERR"},
        {"LEASE.ACQUIRE box 60 cat", "ERR syntax error"},
        {"LEASE.ACQUIRE box 60 ID", "ERR syntax error"},
        {"LEASE.ACQUIRE box 60 BLOCK 1 BLOCK 1", "ERR syntax error"},
        {"LEASE.RENEW box", "ERR"},
        {"LEASE.CHANGE box " ID_A, "ERR"},
        {"LEASE.GET", "ERR"},
        {"LEASE.RENEW box " ID_A " LEASE " ID_A, "ERR syntax error"},
        {"CONTAINER.CREATE other LEASE " ID_A, "ERR syntax error"},
        {"BLOB.LIST box LEASE " ID_A, "ERR syntax error"},
    };
    crowded_setup();
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
        expect_error(call_line(primary, refusals[i].line), refusals[i].error);
    crowd_goes_on();
}

/* The bounds are the operator's. */
TEST(durations_that_the_operator_allows) {
    lease_setup();
    lease_token(call(primary, "LEASE.ACQUIRE box 15 BLOB cat ID %s", ID_A));
    lease_token(call(primary, "LEASE.ACQUIRE box 60.000 BLOB cat ID %s", ID_A));
    lease_token(call(primary, "LEASE.ACQUIRE box 15.5 BLOB cat ID %s", ID_A));
    lease_token(call(primary, "LEASE.ACQUIRE box infinite BLOB cat ID %s", ID_A));
    configure(primary, "holdfast.lease-min-seconds", "0.001");
    configure(primary, "holdfast.lease-max-seconds", "86400");
    lease_token(call(primary, "LEASE.ACQUIRE box 86400 BLOB cat ID %s", ID_A));
    expect_error(call(primary, "LEASE.ACQUIRE box 86400.001 BLOB cat ID %s", ID_A),
                 "INVALID InvalidHeaderValue duration must be -1 or 0.001..86400 seconds, with at most three "
                 "decimals");
    expect_error(call(primary, "LEASE.ACQUIRE box 0 BLOB cat ID %s", ID_A), "INVALID InvalidHeaderValue");
    expect_error(call(primary, "LEASE.ACQUIRE box 0.29999999999999999 BLOB cat ID %s", ID_A),
                 "INVALID InvalidHeaderValue duration must be -1 or 0.001..86400 seconds, with at most three "
                 "decimals");
    lease_token(call(primary, "LEASE.ACQUIRE box 0.001 BLOB cat ID %s", ID_A));
    time_passes(1);
    expect_state("box", &on_blob, "expired");
    /* The bounds are looked at when a lease is acquired: what was acquired once keeps its duration. */
    lease_token(call(primary, "LEASE.ACQUIRE box 0.5 BLOB cat ID %s", ID_A));
    expect_ok(call(primary, "CONFIG SET holdfast.lease-min-seconds 15"));
    lease_token(call(primary, "LEASE.RENEW box %s BLOB cat", ID_A));
    time_passes(500);
    expect_state("box", &on_blob, "expired");
}

TEST(settings_of_lease_bounds_refuse_other_values) {
    static const char *const values[] = {"0", "-1", "x", "", "0.0001", "INFINITE", "1e3"};
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        expect_error(call(primary, "CONFIG SET holdfast.lease-min-seconds %s", values[i]), "ERR");
        expect_error(call(primary, "CONFIG SET holdfast.lease-max-seconds %s", values[i]), "ERR");
    }
    expect_text(call(primary, "CONFIG GET holdfast.lease-min-seconds")->element[1], "15");
    expect_text(call(primary, "CONFIG GET holdfast.lease-max-seconds")->element[1], "60");
}
