/* What others got wrong about leases, each as a test of its own. */

#include "clock.h"
#include "harness.h"
#include "lease_states.h"
#include "pool.h"

static redisReply *listed_blob(void) {
    return expect_elements(call(primary, "BLOB.LIST box"), 2)->element[1]->element[0];
}

/* cat is leased by A for 15 seconds. */
BEFORE_EACH {
    lease_setup();
    acquire("box", "15", "BLOB cat ID " ID_A);
}

TEST(a_lease_belongs_to_the_name_and_survives_overwriting) {
    expect_etag(lease_play("BLOB.PUT box cat purr LEASE A", &on_blob));
    char *content = pool_take(100000);
    expect_etag(call(primary, "BLOB.PUT box cat %b LEASE %s", content, (size_t)100000, ID_A));
    expect_etag(lease_play("BLOB.PUT box cat x LEASE A", &on_blob));
    expect_state("box", &on_blob, "leased");
    expect_error(lease_play("BLOB.PUT box cat x", &on_blob), "PRECONDITION LeaseIdMissing");
}

TEST(a_repeated_change_succeeds) {
    const char *token = lease_token(lease_play("LEASE.CHANGE box A B", &on_blob));
    assert_string_equal(lease_token(lease_play("LEASE.CHANGE box A B", &on_blob)), token);
    assert_string_equal(lease_token(lease_play("LEASE.CHANGE box C B", &on_blob)), token);
    expect_error(lease_play("LEASE.CHANGE box A C", &on_blob), "CONFLICT LeaseIdMismatchWithLeaseOperation");
}

/* What is still locked never answers 0. */
TEST(the_time_of_a_break_is_rounded_up) {
    time_passes(14000);
    expect_number(lease_play("LEASE.BREAK box", &on_blob), 1);
    expect_error(call(primary, "BLOB.PUT box cat x"), "PRECONDITION LeaseIdMissing");
    lease_play("LEASE.ACQUIRE box 60 ID A", &on_container);
    expect_number(lease_play("LEASE.BREAK box PERIOD 0.5", &on_container), 1);
    expect_state("box", &on_container, "breaking");
}

/* All ways to write one and the same id. */
TEST(ids_are_compared_as_numbers) {
    expect_ok(lease_play("LEASE.RELEASE box A", &on_blob));
    static const char *const spellings[] = {
        "aaaaaaaa000040008000000000abcdef",
        "AAAAAAAA000040008000000000ABCDEF",
        "aaaaaaaa-0000-4000-8000-000000abcdef",
        "AAAAAAAA-0000-4000-8000-000000ABCDEF",
        "{aaaaaaaa-0000-4000-8000-000000abcdef}",
        "{AAAAaaaa-0000-4000-8000-000000abcDEF}",
        "(aaaaaaaa-0000-4000-8000-000000abcdef)",
        "{0xaaaaaaaa,0x0000,0x4000,{0x80,0x00,0x00,0x00,0x00,0xab,0xcd,0xef}}",
        "{0XAAAAAAAA,0X0000,0X4000,{0X80,0X00,0X00,0X00,0X00,0XAB,0XCD,0XEF}}",
    };
    enum { SPELLINGS = ARRAY_SIZE(spellings) };
    for (int i = 0; i < SPELLINGS; i++) {
        const char *one = spellings[i], *other = spellings[(i + 1) % SPELLINGS];
        redisReply *reply = call(primary, "LEASE.ACQUIRE box 60 BLOB cat ID %s", one);
        expect_text(expect_elements(reply, 2)->element[0], spellings[2]);
        expect_etag(call(primary, "BLOB.PUT box cat x LEASE %s", other));
        expect_text(call(primary, "LEASE.CHANGE box %s %s BLOB cat", ID_B, other)->element[0], spellings[2]);
        lease_token(call(primary, "LEASE.RENEW box %s BLOB cat", other));
        expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", other));
        expect_error(call(primary, "BLOB.GET box cat LEASE %s", one), "PRECONDITION LeaseLost");
    }
}

TEST(the_duration_is_shown_only_while_leased) {
    expect_text(field(stat_of("box", "cat"), "lease-duration"), "fixed");
    expect_number(lease_play("LEASE.BREAK box", &on_blob), 15);
    assert_null(reply_field_if_any(stat_of("box", "cat"), "lease-duration"));
    time_passes(15000);
    assert_null(reply_field_if_any(stat_of("box", "cat"), "lease-duration"));
    acquire("box", "-1", "BLOB cat ID " ID_A);
    expect_text(field(stat_of("box", "cat"), "lease-duration"), "infinite");
    acquire("box", "15", "BLOB cat ID " ID_A);
    time_passes(15000);
    assert_null(reply_field_if_any(stat_of("box", "cat"), "lease-duration"));
    assert_null(reply_field_if_any(listed_blob(), "lease-duration"));
}

TEST(listings_show_the_state_of_the_moment) {
    expect_text(field(listed_blob(), "lease-state"), "leased");
    expect_text(field(listed_blob(), "lease-status"), "locked");
    expect_text(field(listed_blob(), "lease-duration"), "fixed");
    time_passes(15000);
    expect_text(field(listed_blob(), "lease-state"), "expired");
    expect_text(field(listed_blob(), "lease-status"), "unlocked");
    lease_token(lease_play("LEASE.RENEW box A", &on_blob));
    lease_play("LEASE.BREAK box PERIOD 3", &on_blob);
    expect_text(field(listed_blob(), "lease-state"), "breaking");
    time_passes(3000);
    expect_text(field(listed_blob(), "lease-state"), "broken");
    put("box", "cat", "x");
    expect_text(field(listed_blob(), "lease-state"), "available");
}
