/* Leases and everybody else's commands: may a read or a write pass, and what does it leave of the lease?
 *
 * The table is the specification's, cell by cell, for every command that takes LEASE. A is the current or
 * last id, B is another one. What a write that passes leaves of the lease comes behind "ok". */
#include <string.h>

#include "harness.h"
#include "lease_states.h"
#include "pool.h"
#include "same_everywhere.h"
#include "text.h"
#include "traces.h"

enum column { NO_ID_WRITE, NO_ID_READ, ID_A_WRITE, ID_A_READ, ID_B_WRITE, ID_B_READ, COLUMNS };

/* clang-format off */

static const char *const gate[LEASE_STATES][COLUMNS] = {
    /*                   no id, write    no id, read     A, write  A, read         B, write  B, read */
    [NEVER_LEASED]    = {"ok available", "ok available", "ABSENT", "ABSENT",       "ABSENT", "ABSENT"},
    [AVAILABLE_AGAIN] = {"ok available", "ok available", "LOST",   "LOST",         "ABSENT", "ABSENT"},
    [LEASED_INFINITE] = {"MISSING",      "ok leased",    "ok leased",   "ok leased",    "WRONG",  "WRONG"},
    [LEASED_FINITE]   = {"MISSING",      "ok leased",    "ok leased",   "ok leased",    "WRONG",  "WRONG"},
    [BREAKING]        = {"MISSING",      "ok breaking",  "ok breaking", "ok breaking",  "WRONG",  "WRONG"},
    [BROKEN]          = {"ok available", "ok broken",    "LOST",   "LOST",         "ABSENT", "ABSENT"},
    [EXPIRED]         = {"ok available", "ok expired",   "LOST",   "LOST",         "ABSENT", "ABSENT"},
};

/* clang-format on */

static const struct command {
    const char *line;
    const struct lease_place *where;
    bool writes;
    bool deletes;
    bool is_free; /* what a container's lease does not guard is as free as a read */
    const struct lease_kind *kind;
} commands[] = {
    {"BLOB.PUT box cat x", &on_blob, true, false, false, NULL},
    {"BLOB.SETPROPS box cat PROPS 0", &on_blob, true, false, false, NULL},
    {"BLOB.SETMETA box cat META 0", &on_blob, true, false, false, NULL},
    {"BLOB.PUTBLOCK box cat AAAA x", &on_blob, true, false, false, NULL},
    {"BLOB.PUTBLOCKLIST box cat 0", &on_blob, true, false, false, NULL},
    {"BLOB.DELETE box cat", &on_blob, true, true, false, NULL},
    {"BLOB.DELETE box cat SNAPSHOTS INCLUDE", &on_blob, true, true, false, NULL},
    {"BLOB.DELETE box cat SNAPSHOTS ONLY", &on_blob, true, false, false, NULL},
    {"BLOB.GET box cat", &on_blob, false, false, false, NULL},
    {"BLOB.GET box cat RANGE 0 -1", &on_blob, false, false, false, NULL},
    {"BLOB.STAT box cat", &on_blob, false, false, false, NULL},
    {"BLOB.GETMETA box cat", &on_blob, false, false, false, NULL},
    {"BLOB.GETBLOCKLIST box cat ALL", &on_blob, false, false, false, NULL},
    {"BLOB.SNAPSHOT box cat", &on_blob, false, false, false, NULL},
    {"CONTAINER.DELETE box", &on_container, true, true, false, NULL},
    {"CONTAINER.GET box", &on_container, false, false, false, NULL},
    {"CONTAINER.GETMETA box", &on_container, false, false, false, NULL},
    {"CONTAINER.GETACL box", &on_container, false, false, false, NULL},
    {"CONTAINER.SETMETA box META 1 a b", &on_container, true, false, true, NULL},
    {"CONTAINER.SETACL box ACCESS BLOB", &on_container, true, false, true, NULL},
    {"BLOB.CREATEPAGE box cat 512", &on_blob, true, false, false, &lease_on_pages},
    {"BLOB.PUTPAGE box cat 0 512*x", &on_blob, true, false, false, &lease_on_pages},
    {"BLOB.CLEARPAGE box cat 0 512", &on_blob, true, false, false, &lease_on_pages},
    {"BLOB.SETPROPS box cat SIZE 512", &on_blob, true, false, false, &lease_on_pages},
    {"BLOB.SETPROPS box cat SEQUENCE INCREMENT", &on_blob, true, false, false, &lease_on_pages},
    {"BLOB.SNAPSHOT box cat META 1 a b", &on_blob, false, false, false, &lease_on_pages},
    {"BLOB.GETPAGES box cat", &on_blob, false, false, false, &lease_on_pages},
    {"BLOB.CREATEAPPEND box cat", &on_blob, true, false, false, &lease_on_appends},
    {"BLOB.APPEND box cat x", &on_blob, true, false, false, &lease_on_appends},
    {"BLOB.GET box cat", &on_blob, false, false, false, &lease_on_appends},
};

static const char *const ids[COLUMNS] = {"", "", "LEASE A", "LEASE A", "LEASE B", "LEASE B"};

struct trial {
    const struct command *command;
    const struct lease_way *way;
    const char *cell;
    const char *line;
};

static void require_trial(const struct trial *trial, bool truth, const redisReply *reply) {
    require(truth, "%s; %s\n    should give %s, but gave %s",
            lease_way_text(trial->way, trial->command->where), trial->line, trial->cell, reply_text(reply));
}

static void require_left(const struct trial *trial) {
    const struct command *command = trial->command;
    if (command->deletes) return;
    redisReply *lease = lease_of("box", command->where);
    const char *state = reply_string(field(lease, "state"));
    require_trial(trial, !strcmp(state, trial->cell + strlen("ok ")), lease);
    /* A write extends nothing. */
    redisReply *left = reply_field_if_any(lease, "remaining-ms");
    if (left) require_trial(trial, left->integer <= 20000 && left->integer > 15000, lease);
}

static void play_trial(struct trial *trial, enum column column) {
    lease_use_kind(trial->command->kind);
    lease_reach(trial->way, trial->command->where);
    const char *digest = value_digest(primary, "box");
    trial->line = pool_print("%s %s", trial->command->line, ids[column]);
    redisReply *reply = lease_play(trial->line, trial->command->where);
    const char *refusal = lease_refusal(trial->cell, trial->command->where);
    if (refusal) {
        require_trial(trial, reply_is_error(reply) && text_begins(reply->str, refusal), reply);
        require_trial(trial, !strcmp(value_digest(primary, "box"), digest), reply);
    } else {
        require_trial(trial, !reply_is_error(reply), reply);
        require_left(trial);
    }
}

static void play_gate(const struct lease_place *where) {
    for (size_t way = 0; way < lease_ways_count; way++) {
        if (!lease_way_fits(&lease_ways[way], where)) continue;
        for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
            struct trial trial = {.command = &commands[i], .way = &lease_ways[way]};
            if (trial.command->where != where) continue;
            for (int column = NO_ID_WRITE; column < COLUMNS; column++) {
                bool is_write = trial.command->writes && !trial.command->is_free;
                if (is_write != (column % 2 == 0)) continue;
                trial.cell = gate[trial.way->state][column];
                play_trial(&trial, (enum column)column);
            }
        }
    }
    lease_use_kind(NULL);
}

TEST(the_gate_of_blobs) {
    play_gate(&on_blob);
}

TEST(the_gate_of_containers) {
    play_gate(&on_container);
}

/* The lease comes before the conditions, existence before both. */
TEST(the_lease_is_looked_at_before_the_conditions) {
    static const char *const missing_id[] = {
        "BLOB.PUT box cat x IFNONEMATCH *",
        "BLOB.PUT box cat x IFMATCH 0x0000000000000001",
        "BLOB.SETMETA box cat META 0 IFMATCH 0x0000000000000001",
        "BLOB.SETPROPS box cat PROPS 0 IFUNMODIFIEDSINCE 0",
        "BLOB.DELETE box cat IFMATCH 0x0000000000000001",
        "CONTAINER.DELETE box IFMATCH 0x0000000000000001",
        NULL,
    };
    lease_setup();
    const char *etag = put("box", "cat", "purr");
    acquire("box", "60", "ID " ID_A " BLOB cat");
    acquire("box", "60", "ID " ID_A);
    expect_each_error(primary, missing_id, "PRECONDITION LeaseIdMissing");
    expect_error(call(primary, "BLOB.GET box cat LEASE %s IFNONEMATCH %s", ID_B, etag),
                 "PRECONDITION LeaseIdMismatchWithBlobOperation");
    expect_error(call(primary, "BLOB.GET box cat LEASE %s RANGE 100 1", ID_B),
                 "PRECONDITION LeaseIdMismatchWithBlobOperation");
    expect_error(call(primary, "CONTAINER.SETMETA box META 0 LEASE %s IFMATCH 0x0000000000000001", ID_B),
                 "PRECONDITION LeaseIdMismatchWithContainerOperation");
    expect_null(call(primary, "BLOB.GET box cat LEASE %s IFNONEMATCH %s", ID_A, etag));
    expect_error(call(primary, "BLOB.PUT box cat x LEASE %s IFNONEMATCH *", ID_A),
                 "CONFLICT BlobAlreadyExists");
    expect_error(call(primary, "BLOB.PUT box cat x LEASE %s IFMATCH 0x0000000000000001", ID_A),
                 "PRECONDITION ConditionNotMet");
    expect_error(call(primary, "BLOB.PUT none cat x LEASE %s", ID_A), "NOTFOUND ContainerNotFound");
}

/* Conditions come before the state of the lease, and see the ETag that leases never change. */
TEST(conditions_of_lease_operations) {
    lease_setup();
    const char *etag = put("box", "cat", "purr");
    const char *container = reply_string(field(call(primary, "CONTAINER.GET box"), "etag"));
    long long modified = instant_of("box", "cat");
    acquire("box", "60", pool_print("BLOB cat ID " ID_A " IFMATCH %s", etag));
    acquire("box", "60", pool_print("ID " ID_A " IFMATCH %s", container));
    expect_error(call(primary, "LEASE.ACQUIRE box 60 BLOB cat IFMATCH 0x0000000000000001"),
                 "PRECONDITION ConditionNotMet");
    expect_error(call(primary, "LEASE.RENEW box %s BLOB cat IFNONEMATCH %s", ID_B, etag),
                 "PRECONDITION ConditionNotMet");
    expect_error(call(primary, "LEASE.CHANGE box %s %s BLOB cat IFMODIFIEDSINCE %lld", ID_A, ID_B, modified),
                 "PRECONDITION ConditionNotMet");
    expect_error(call(primary, "LEASE.RELEASE box %s IFUNMODIFIEDSINCE 0", ID_A),
                 "PRECONDITION ConditionNotMet");
    expect_error(call(primary, "LEASE.BREAK box IFMATCH 0x0000000000000001"), "PRECONDITION ConditionNotMet");
    expect_error(call(primary, "LEASE.RENEW box %s BLOB cat IFMATCH %s IFNONEMATCH %s", ID_A, etag, etag),
                 "INVALID MultipleConditionHeadersNotSupported");
    /* A star that nothing must match is as absent for what does not create. */
    lease_token(call(primary, "LEASE.RENEW box %s BLOB cat IFNONEMATCH *", ID_A));
    lease_token(call(primary, "LEASE.CHANGE box %s %s BLOB cat IFMATCH *", ID_A, ID_B));
    expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat IFUNMODIFIEDSINCE %lld", ID_B, modified));
    expect_number(call(primary, "LEASE.BREAK box PERIOD 0 IFMATCH %s", container), 0);
    expect_text(field(stat_of("box", "cat"), "etag"), etag);
    expect_number(field(stat_of("box", "cat"), "last-modified"), modified);
    expect_text(field(call(primary, "CONTAINER.GET box"), "etag"), container);
}

TEST(a_lease_id_for_a_missing_blob_is_refused) {
    lease_setup();
    traces_begin("none");
    expect_error(call(primary, "BLOB.PUT box none x LEASE %s", ID_A),
                 "PRECONDITION LeaseNotPresentWithBlobOperation");
    expect_error(call(primary, "BLOB.PUT box none x LEASE %s IFMATCH *", ID_A),
                 "PRECONDITION LeaseNotPresentWithBlobOperation");
    static const char *const others[] = {"BLOB.GET box none LEASE " ID_A,
                                         "BLOB.STAT box none LEASE " ID_A,
                                         "BLOB.GETMETA box none LEASE " ID_A,
                                         "BLOB.SETMETA box none META 0 LEASE " ID_A,
                                         "BLOB.SETPROPS box none PROPS 0 LEASE " ID_A,
                                         "BLOB.DELETE box none LEASE " ID_A,
                                         "LEASE.ACQUIRE box 60 BLOB none",
                                         "LEASE.RENEW box " ID_A " BLOB none",
                                         "LEASE.CHANGE box " ID_A " " ID_B " BLOB none",
                                         "LEASE.RELEASE box " ID_A " BLOB none",
                                         "LEASE.BREAK box BLOB none",
                                         "LEASE.GET box BLOB none",
                                         NULL};
    expect_each_error(primary, others, "NOTFOUND BlobNotFound");
    traces_require_none();
}

/* A leased container lets everything pass but its deletion, and a leased blob does not keep it. */
TEST(containers_guard_their_deletion_alone) {
    lease_setup();
    acquire("box", "-1", "ID " ID_A);
    put("box", "dog", "woof");
    acquire("box", "60", "BLOB dog ID " ID_B);
    expect_etag(call(primary, "BLOB.PUT box dog woof LEASE %s", ID_B));
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    expect_etag(call(primary, "CONTAINER.SETMETA box META 1 a b"));
    expect_etag(call(primary, "CONTAINER.SETACL box ACCESS BLOB LEASE %s", ID_A));
    expect_elements(call(primary, "BLOB.LIST box"), 2);
    expect_error(call(primary, "BLOB.PUT box dog x LEASE %s", ID_A),
                 "PRECONDITION LeaseIdMismatchWithBlobOperation");
    expect_error(call(primary, "CONTAINER.DELETE box"), "PRECONDITION LeaseIdMissing");
    expect_error(call(primary, "CONTAINER.DELETE box LEASE %s", ID_B),
                 "PRECONDITION LeaseIdMismatchWithContainerOperation");
    expect_ok(call(primary, "CONTAINER.DELETE box LEASE %s", ID_A));
    create("box");
    expect_state("box", &on_container, "available");
}

static void require_same_object(const redisReply *before, const redisReply *after) {
    static const char *const fields[] = {"etag", "last-modified", "created"};
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        require(reply_same(field(before, fields[i]), field(after, fields[i])), "%s has changed", fields[i]);
    }
}

TEST(leases_change_no_etag) {
    static const char *const steps[] = {"LEASE.ACQUIRE box 60 ID A", "LEASE.RENEW box A",
                                        "LEASE.CHANGE box A B",      "LEASE.BREAK box PERIOD 1",
                                        "LEASE.RELEASE box B",       "LEASE.ACQUIRE box -1 ID C",
                                        "LEASE.BREAK box",           "LEASE.ACQUIRE box 15 OWNER x"};
    const struct lease_place *const places[] = {&on_blob, &on_container};
    lease_setup();
    redisReply *blob = stat_of("box", "cat"), *container = call(primary, "CONTAINER.GET box");
    for (size_t place = 0; place < 2; place++) {
        for (size_t step = 0; step < ARRAY_SIZE(steps); step++) {
            redisReply *reply = lease_play(steps[step], places[place]);
            require(!reply_is_error(reply), "%s gave %s", steps[step], reply_text(reply));
            require_same_object(blob, stat_of("box", "cat"));
            require_same_object(container, call(primary, "CONTAINER.GET box"));
        }
    }
}

/* Whatever creates a name anew finds no lease and no memory of one. */
TEST(deletion_ends_a_lease_for_good) {
    lease_setup();
    acquire("box", "60", "BLOB cat ID " ID_A);
    expect_ok(call(primary, "BLOB.DELETE box cat LEASE %s", ID_A));
    put("box", "cat", "meow");
    expect_error(call(primary, "BLOB.GET box cat LEASE %s", ID_A),
                 "PRECONDITION LeaseNotPresentWithBlobOperation");
    acquire("box", "60", "ID " ID_A);
    expect_number(call(primary, "DEL box"), 1);
    create("box");
    expect_error(call(primary, "CONTAINER.GET box LEASE %s", ID_A),
                 "PRECONDITION LeaseNotPresentWithContainerOperation");
}
