/* Histograms of INFO: cumulative, with count and sum, as monitoring wants them. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "single_server.h"
#include "text.h"

static struct client *keeper;

static const char *histogram(const char *name) {
    return info_field(call(keeper, "INFO holdfast"), name);
}

static long long part(const char *name, const char *label) {
    const char *line = histogram(name), *at = line ? strstr(line, pool_print("%s=", label)) : NULL;
    require(at, "%s has no %s: %s", name, label, line ? line : "it is not there");
    return atoll(at + strlen(label) + 1);
}

static void hold_for(long long ms) {
    long long offset_ms = atoll(call(keeper, "CONFIG GET holdfast.clock-offset-ms")->element[1]->str);
    require(!reply_is_error(call(keeper, "LEASE.ACQUIRE box -1 ID %s", ID_A)), "no lease");
    expect_ok(call(keeper, "CONFIG SET holdfast.clock-offset-ms %lld", offset_ms + ms));
    expect_ok(call(keeper, "LEASE.RELEASE box %s", ID_A));
}

TEST(histograms_are_cumulative) {
    static const char name[] = "holdfast_lease_holding_ms";
    keeper = test_client(server_start("keeper", ""));
    expect_etag(call(keeper, "CONTAINER.CREATE box"));
    require(text_begins(histogram(name), "le_1=0,count=0,sum=0"), "%s", histogram(name));
    hold_for(3000);
    hold_for(3000);
    hold_for(100);
    hold_for(10000000); /* beyond the last bound */
    assert_int_equal(part(name, "le_64"), 0);
    assert_int_equal(part(name, "le_128") + part(name, "le_256"), 2);
    assert_int_equal(part(name, "le_2048"), 1);
    assert_int_equal(part(name, "le_4096"), 3);
    assert_int_equal(part(name, "le_4194304"), 3);
    assert_int_equal(part(name, ",count"), 4);
    long long sum_ms = part(name, ",sum");
    require(sum_ms >= 10006100 && sum_ms < 10007000, "%lld", sum_ms);
}
