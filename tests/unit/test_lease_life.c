/* The life of leases: four who want the same thing, for many thousands of steps of a clock, against naive
 * models; alone, and on the blobs of a container that changes, grows and moves beneath them. */
#include "lease/lease.h"

#include "container_trial.h"
#include "dice.h"
#include "lease_calls.h"
#include "mover.h"
#include "unit.h"

enum { BLOBS = 12, ITSELF = BLOBS, STEPS = 4000, ALONE_STEPS = 100000, COMPARE_EVERY = 8 };

static const int64_t beginning_ms = 1700000000000;

TEST(a_lease_equals_its_model) {
    unsigned seen[LEASE_VERBS][LEASE_STATES] = {{0}};
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct dice dice = {seed};
        struct lease_model model = {0};
        struct lease lease = {.owner = {"", 0}}, next;
        int64_t now_ms = beginning_ms;
        for (int step = 0; step < ALONE_STEPS; step++) {
            now_ms = instant_draw(&dice, &model, now_ms);
            struct lease_call call = lease_call_draw(&dice, &model, now_ms);
            seen[call.verb][lease_state(&lease, now_ms)]++;
            if (lease_call_decide(&call, &model, &lease, &next, true) == OUTCOME_DONE) {
                if (call.verb == VERB_WRITE && lease_ended(&lease, now_ms)) next = lease_freed(&lease);
                if (lease_needs_token(&lease, &next, now_ms)) next.token = call.token;
                lease = next;
            }
            lease_model_compare(&model, &lease, now_ms);
        }
    }
    for (int verb = 0; verb < LEASE_VERBS; verb++)
        for (int before = 0; before < LEASE_STATES; before++)
            require(seen[verb][before] > 1000, "call %d in state %d was rare", verb, before);
}

/* --- On blobs, and on a container itself ---------------------------------------------------------------- */

struct world {
    struct container_trial trial;
    struct dice dice;
    int64_t now_ms;
    struct lease_model leases[BLOBS + 1]; /* the last one is the container's */
    bool there[BLOBS];
    uint64_t etag;
};

static struct bytes name_of(size_t i) {
    return draft_name((unsigned)i);
}

static const struct lease *lease_of(const struct world *world, size_t i) {
    return i == ITSELF ? container_lease(world->trial.container)
                       : blob_lease(container_find(world->trial.container, name_of(i)));
}

/* As it comes out of its record. */
static void apply(struct world *world, const struct container_change *written) {
    struct container_change change;
    RECORD_WRITER(record);
    change_write(&container_changes, written, &record);
    require(change_read(&container_changes, record_written(&record), &change), "a record cannot be read");
    change.content = written->content;
    change.chunk = written->chunk;
    container_trial_apply(&world->trial, &change);
}

static struct container_change change_of(struct world *world, enum container_change_kind kind, size_t i) {
    return (struct container_change){
        .kind = kind, .name = name_of(i), .stamp = {++world->etag, world->now_ms}};
}

/* Contents of all sizes, so that blobs move; sometimes only their properties or metadata are written, or blocks, of
 * which a name may have nothing else. */
static void write_blob(struct world *world, size_t i, bool frees) {
    static const char content[2 * BLOB_INLINE_MAX];
    static const enum container_change_kind kinds[] = {BLOB_PUT,     BLOB_PUT,    BLOB_SETPROPS,
                                                       BLOB_SETMETA, BLOB_COMMIT, BLOB_STAGE};
    enum container_change_kind kind = kinds[dice_roll(&world->dice, ARRAY_SIZE(kinds))];
    if (!world->there[i] && kind != BLOB_STAGE) kind = BLOB_PUT;
    bool exists = blob_exists(container_find(world->trial.container, name_of(i)));
    if (!exists && (kind == BLOB_SETPROPS || kind == BLOB_SETMETA)) kind = BLOB_COMMIT;
    struct container_change change = change_of(world, kind, i);
    change.frees_lease = frees;
    change.block_id = bytes_text("id");
    if (kind == BLOB_PUT || kind == BLOB_STAGE) {
        size_t max = dice_percent(&world->dice, 80) ? 600 : sizeof(content);
        change.content = bytes_of(content, 1 + dice_roll(&world->dice, max - 1));
        if (change.content.length > BLOB_INLINE_MAX) change.chunk = chunk_copy(change.content);
    }
    if (change.chunk) change.content = chunk_bytes(change.chunk);
    apply(world, &change);
    world->there[i] = true;
}

/* A lease goes with its blob; the next blob of this name begins without one. */
static void delete_blob(struct world *world, size_t i) {
    struct container_change change = change_of(world, BLOB_DELETE, i);
    change.frees_lease = lease_ended(lease_of(world, i), world->now_ms);
    change.expired = change.frees_lease && lease_of(world, i)->kind == LEASE_HELD;
    apply(world, &change);
    world->leases[i] = (struct lease_model){0};
    world->there[i] = false;
}

static void write_container(struct world *world) {
    struct container_change change = change_of(world, CONTAINER_SETACL, 0);
    change.name = bytes_of("", 0);
    change.access = (enum container_access)dice_roll(&world->dice, ACCESS_KINDS);
    apply(world, &change);
}

/* What a granted call does. */
static void carry_out(struct world *world, size_t i, const struct lease_call *call, struct lease *next) {
    const struct lease *lease = lease_of(world, i);
    if (call->verb == VERB_READ) return;
    if (call->verb == VERB_WRITE) {
        if (i == ITSELF)
            write_container(world);
        else if (dice_percent(&world->dice, 25))
            delete_blob(world, i);
        else
            write_blob(world, i, lease_ended(lease, world->now_ms));
        return;
    }
    struct container_change change = change_of(world, i == ITSELF ? CONTAINER_LEASE : BLOB_LEASE, i);
    if (lease_needs_token(lease, next, world->now_ms)) next->token = call->token;
    change.lease = *next;
    apply(world, &change);
}

static void live(struct world *world) {
    size_t i = dice_roll(&world->dice, BLOBS + 1);
    world->now_ms = instant_draw(&world->dice, &world->leases[i], world->now_ms);
    if (i != ITSELF && !world->there[i]) {
        write_blob(world, i, false);
        return;
    }
    struct lease_call call = lease_call_draw(&world->dice, &world->leases[i], world->now_ms);
    struct lease next;
    if (lease_call_decide(&call, &world->leases[i], lease_of(world, i), &next, i != ITSELF) == OUTCOME_DONE)
        carry_out(world, i, &call, &next);
}

static void compare(struct world *world) {
    container_trial_compare(&world->trial);
    for (size_t i = 0; i <= BLOBS; i++) {
        lease_model_tick(&world->leases[i], world->now_ms);
        if (i == ITSELF || world->there[i])
            lease_model_compare(&world->leases[i], lease_of(world, i), world->now_ms);
    }
}

static void shake(struct world *world) {
    const struct relocation relocation = mover(&world->dice);
    switch (dice_roll(&world->dice, 40)) {
    case 0: container_trial_take_over(&world->trial, container_rebuild(world->trial.container, 100)); break;
    case 1:
        if (dice_percent(&world->dice, 80)) break;
        container_trial_copy(&world->trial);
        memset(world->leases, 0, sizeof(world->leases));
        break;
    case 2: world->trial.container = container_relocate_all(world->trial.container, &relocation); break;
    default: break;
    }
}

TEST(many_leases_equal_their_models) {
    for (uint64_t seed = 0; seed < 8; seed++) {
        static struct world world;
        const struct choice plain = {0};
        size_t max = 0;
        world = (struct world){.dice = {seed}, .now_ms = beginning_ms, .etag = UINT64_C(0x65a00000) << 32};
        container_trial_start(&world.trial, &plain);
        for (int step = 0; step < STEPS; step++) {
            live(&world);
            shake(&world);
            if (step % COMPARE_EVERY == 0) compare(&world);
            size_t standing = container_shadow_census(&world.trial.model).leases;
            if (standing > max) max = standing;
        }
        compare(&world);
        require(max > BLOBS / 2, "seed %d: never more than %zu leases stood", (int)seed, max);
        container_trial_end(&world.trial);
        require_same(container_census().leases, world.trial.before.leases, "all leases are freed");
        require_same(allocations_count(), 0, "all is freed");
    }
}
