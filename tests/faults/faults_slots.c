/* Slots move to and fro between two nodes of a cluster, with all the keys that the actors work on and wait for; key by
 * key, and where the server can, at once. A container of 100,000 blobs moves along. */
#include <string.h>

#include "expect.h"
#include "faults.h"
#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"
#include "shards.h"

enum { ROUNDS = 2, BLOBS = 100000, SENT_AT_ONCE = 1000 };

static const char large[] = "large:{counters}";

static void fill(struct client *client) {
    expect_etag(call(client, "CONTAINER.CREATE %s", large));
    for (int sent = 0; sent < BLOBS; sent += SENT_AT_ONCE) {
        for (int i = 0; i < SENT_AT_ONCE; i++)
            send_call(client, "BLOB.PUT %s blob-%06d content", large, sent + i);
        for (int i = 0; i < SENT_AT_ONCE; i++) expect_etag(receive(client));
    }
}

static void move_by_hand(int slot, struct client *from, struct client *to) {
    slot_opens(slot, from, to);
    slot_moves(slot, from, to);
    slot_closes(slot, to);
    await_slot(slot, to);
}

/* Now and then it comes to nothing first. */
static void move_at_once(struct trial *trial, int slot, struct client *from, struct client *to) {
    if (!trial_chance(trial, 3)) {
        slot_sets_out(slot, from, to);
        trial_pause_ms(trial, 0, 50);
        slot_stays(slot, from, to);
    }
    slot_migrates(slot, from, to);
}

static void move_all(struct trial *trial, struct client *from, struct client *to) {
    bool may_at_once = slots_migrate_at_once(from);
    for (int i = 0; i < trial->part_count; i++) {
        int slot = slot_of(trial->parts[i].workload->key);
        if (may_at_once && trial_chance(trial, 2))
            move_at_once(trial, slot, from, to);
        else
            move_by_hand(slot, from, to);
        trial_pause_ms(trial, 20, 200);
    }
}

static void require_no_misfits(struct trial *trial) {
    for (int i = 0; i < trial->stage.count; i++) {
        long long misfits = misfits_of(node[i]);
        if (misfits) violation(&trial->parts[0], "%lld effects did not fit at node %d", misfits, i);
    }
}

static void move_slots(struct trial *trial) {
    fill(node[0]);
    const char *digest = value_digest(node[0], large);
    for (int round = 0; round < ROUNDS; round++) {
        move_all(trial, node[0], node[1]);
        move_all(trial, node[1], node[0]);
    }
    if (strcmp(value_digest(node[0], large), digest) != 0)
        violation(&trial->parts[0], "the container of %d blobs has changed", BLOBS);
    require_no_misfits(trial);
}

const struct fault slots_fault = {.name = "slots",
                                  .promise = NOTHING_LOST,
                                  .settings = "",
                                  .cluster = true,
                                  .servers = 2,
                                  .strike = move_slots};
