#include "lease_states.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "text.h"

/* clang-format off */
const struct lease_way lease_ways[] = {
    {NEVER_LEASED, NULL, {NULL}},

    {AVAILABLE_AGAIN, NULL, {"LEASE.ACQUIRE box 60 ID A", "LEASE.RELEASE box A"}},
    {AVAILABLE_AGAIN, NULL, {"LEASE.ACQUIRE box -1 ID A", "LEASE.RELEASE box A"}},
    {AVAILABLE_AGAIN, NULL, {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box", "LEASE.RELEASE box A"}},
    {AVAILABLE_AGAIN, NULL, {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box", "LEASE.RELEASE box A"}},
    {AVAILABLE_AGAIN, NULL, {"LEASE.ACQUIRE box 60 ID A", "60 s", "LEASE.RELEASE box A"}},
    {AVAILABLE_AGAIN, NULL, {"LEASE.ACQUIRE box 60 ID B", "LEASE.CHANGE box B A", "LEASE.RELEASE box A"}},
    {AVAILABLE_AGAIN, &on_blob, {"LEASE.ACQUIRE box 60 ID A", "60 s", "BLOB.PUT box cat x"}},
    {AVAILABLE_AGAIN, &on_blob, {"LEASE.ACQUIRE box 60 ID A", "60 s", "BLOB.SETMETA box cat META 0"}},
    {AVAILABLE_AGAIN, &on_blob, {"LEASE.ACQUIRE box 60 ID A", "60 s", "BLOB.SETPROPS box cat PROPS 0"}},
    {AVAILABLE_AGAIN, &on_blob, {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box", "BLOB.PUT box cat x"}},
    {AVAILABLE_AGAIN,
     &on_blob,
     {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box PERIOD 5", "5 s", "BLOB.SETMETA box cat META 0"}},

    {LEASED_INFINITE, NULL, {"LEASE.ACQUIRE box -1 ID A"}},
    {LEASED_INFINITE, NULL, {"LEASE.ACQUIRE box INFINITE ID A", "1000 s"}},
    {LEASED_INFINITE, NULL, {"LEASE.ACQUIRE box 60 ID A", "LEASE.ACQUIRE box -1 ID A"}},
    {LEASED_INFINITE, NULL, {"LEASE.ACQUIRE box -1 ID B", "LEASE.CHANGE box B A"}},
    {LEASED_INFINITE, &on_blob, {"LEASE.ACQUIRE box -1 ID A", "BLOB.PUT box cat x LEASE A"}},

    {LEASED_FINITE, NULL, {"LEASE.ACQUIRE box 60 ID A", "40 s"}},
    {LEASED_FINITE, NULL, {"LEASE.ACQUIRE box 60 ID A", "50 s", "LEASE.RENEW box A", "40 s"}},
    {LEASED_FINITE, NULL, {"LEASE.ACQUIRE box 60 ID A", "60 s", "LEASE.RENEW box A", "40 s"}},
    {LEASED_FINITE, NULL, {"LEASE.ACQUIRE box -1 ID A", "LEASE.ACQUIRE box 60 ID A", "40 s"}},
    {LEASED_FINITE, NULL, {"LEASE.ACQUIRE box 60 ID B", "20 s", "LEASE.CHANGE box B A", "20 s"}},
    {LEASED_FINITE, NULL, {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box PERIOD 0", "LEASE.ACQUIRE box 60 ID A", "40 s"}},
    {LEASED_FINITE, &on_blob, {"LEASE.ACQUIRE box 60 ID A", "40 s", "BLOB.SETMETA box cat META 0 LEASE A"}},

    {BREAKING, NULL, {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box PERIOD 20"}},
    {BREAKING, NULL, {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box PERIOD 60", "40 s"}},
    {BREAKING, NULL, {"LEASE.ACQUIRE box 60 ID A", "40 s", "LEASE.BREAK box"}},
    {BREAKING, NULL, {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box PERIOD 60", "40 s"}},
    {BREAKING, NULL, {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box PERIOD 20"}},
    {BREAKING, NULL, {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box PERIOD 50", "LEASE.BREAK box PERIOD 20"}},
    {BREAKING, &on_blob, {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box", "40 s", "BLOB.PUT box cat x LEASE A"}},

    {BROKEN, NULL, {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box"}},
    {BROKEN, NULL, {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box PERIOD 0"}},
    {BROKEN, NULL, {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box PERIOD 20", "20 s"}},
    {BROKEN, NULL, {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box PERIOD 0"}},
    {BROKEN, NULL, {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box", "60 s"}},
    {BROKEN, NULL, {"LEASE.ACQUIRE box 60 ID A", "LEASE.BREAK box PERIOD 20", "LEASE.BREAK box PERIOD 0"}},
    {BROKEN, NULL, {"LEASE.ACQUIRE box 60 ID A", "60 s", "LEASE.BREAK box"}},
    {BROKEN, &on_blob, {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box", "BLOB.GET box cat", "BLOB.STAT box cat"}},
    {BROKEN, &on_container, {"LEASE.ACQUIRE box -1 ID A", "LEASE.BREAK box", "CONTAINER.SETMETA box META 0"}},

    {EXPIRED, NULL, {"LEASE.ACQUIRE box 60 ID A", "60 s"}},
    {EXPIRED, NULL, {"LEASE.ACQUIRE box 60 ID A", "100000 s"}},
    {EXPIRED, NULL, {"LEASE.ACQUIRE box 60 ID A", "30 s", "LEASE.RENEW box A", "60 s"}},
    {EXPIRED, NULL, {"LEASE.ACQUIRE box 60 ID B", "LEASE.CHANGE box B A", "60 s"}},
    {EXPIRED, &on_blob, {"LEASE.ACQUIRE box 60 ID A", "60 s", "BLOB.GET box cat", "BLOB.GETMETA box cat"}},
    {EXPIRED, &on_blob, {"LEASE.ACQUIRE box 60 ID A", "60 s", "BLOB.PUT box cat x IFNONEMATCH *"}},
    {EXPIRED, &on_blob, {"LEASE.ACQUIRE box 60 ID A", "60 s", "BLOB.PUT box cat x LEASE A", "BLOB.DELETE box cat LEASE B"}},
    {EXPIRED, &on_blob, {"LEASE.ACQUIRE box 60 ID A", "60 s", "BLOB.PUT box dog x", "CONTAINER.SETMETA box META 0"}},
    {EXPIRED, &on_container, {"LEASE.ACQUIRE box 60 ID A", "60 s", "CONTAINER.SETMETA box META 1 a b", "CONTAINER.SETACL box"}},
    {EXPIRED, &on_container, {"LEASE.ACQUIRE box 60 ID A", "60 s", "BLOB.PUT box cat x", "BLOB.DELETE box cat", "BLOB.PUT box cat x"}},
};
/* clang-format on */

const size_t lease_ways_count = ARRAY_SIZE(lease_ways);

bool lease_way_fits(const struct lease_way *way, const struct lease_place *where) {
    return !way->only || way->only == where;
}

static const char put_cat[] = "BLOB.PUT box cat x";

const struct lease_kind lease_on_pages = {"BLOB.CREATEPAGE box cat 1024", "BLOB.CLEARPAGE box cat 0 512"};
const struct lease_kind lease_on_appends = {"BLOB.CREATEAPPEND box cat", "BLOB.APPEND box cat x"};

static const struct lease_kind *used_kind;

void lease_use_kind(const struct lease_kind *kind) {
    used_kind = kind;
}

/* The same step for a blob of the kind that is used. What is to fail, since there is a blob, fails anyway. */
static const char *step_of_kind(const char *line) {
    if (!used_kind || !text_begins(line, put_cat) || strstr(line, "IFNONEMATCH")) return line;
    return pool_print("%s%s", used_kind->write, line + strlen(put_cat));
}

redisReply *lease_play(const char *line, const struct lease_place *where) {
    long long seconds = atoll(line);
    if (seconds) {
        time_passes(seconds * 1000);
        return NULL;
    }
    struct words words = step_words(line);
    if (text_begins(line, "LEASE.")) words_add_line(&words, where->clause);
    return call_words(primary, &words);
}

void lease_reach(const struct lease_way *way, const struct lease_place *where) {
    call(primary, "DEL box");
    lease_setup();
    if (used_kind) {
        expect_ok(call(primary, "BLOB.DELETE box cat"));
        expect_etag(call_line(primary, used_kind->create));
    }
    for (int step = 0; step < LEASE_STEPS_MAX && way->steps[step]; step++) {
        const char *line = step_of_kind(way->steps[step]);
        redisReply *reply = lease_play(line, where);
        bool may_fail = !reply || !text_begins(line, "LEASE.");
        require(may_fail || !reply_is_error(reply), "%s of a %s gave %s", line, where->noun,
                reply_text(reply));
    }
}

const char *lease_way_text(const struct lease_way *way, const struct lease_place *where) {
    struct text text = {0};
    text_print(&text, "a %s", where->noun);
    for (int step = 0; step < LEASE_STEPS_MAX && way->steps[step]; step++)
        text_print(&text, "; %s", way->steps[step]);
    return text.bytes;
}

const char *lease_refusal(const char *name, const struct lease_place *where) {
    static const struct {
        const char *name;
        const char *error[2];
    } refusals[] = {
        {"PRES", {"CONFLICT LeaseAlreadyPresent"}},
        {"BRKACQ", {"CONFLICT LeaseIsBreakingAndCannotBeAcquired"}},
        {"MISM", {"CONFLICT LeaseIdMismatchWithLeaseOperation"}},
        {"NOTP", {"CONFLICT LeaseNotPresentWithLeaseOperation"}},
        {"BRKREN", {"CONFLICT LeaseIsBrokenAndCannotBeRenewed"}},
        {"BRKCHG", {"CONFLICT LeaseIsBreakingAndCannotBeChanged"}},
        {"MISSING", {"PRECONDITION LeaseIdMissing"}},
        {"LOST", {"PRECONDITION LeaseLost"}},
        {"WRONG",
         {"PRECONDITION LeaseIdMismatchWithBlobOperation",
          "PRECONDITION LeaseIdMismatchWithContainerOperation"}},
        {"ABSENT",
         {"PRECONDITION LeaseNotPresentWithBlobOperation",
          "PRECONDITION LeaseNotPresentWithContainerOperation"}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
        const char *const *error = refusals[i].error;
        if (!strcmp(name, refusals[i].name)) return error[1] && where == &on_container ? error[1] : error[0];
    }
    return NULL;
}
