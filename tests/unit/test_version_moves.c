/* Versions of keys whose values move: several servers mint, save, load, lose what they had not saved, and are replaced
 * by replicas, at random and with clocks that differ. For each key no version comes twice, and each is greater than
 * those before it. What knows less than the whole rule fails here, which shows that the model can tell. */
#include "core/version.h"

#include "dice.h"
#include "unit.h"

#include <inttypes.h>
#include <string.h>

enum {
    SERVERS = 4,
    KEYS = 4,
    SHELF = 16, /* payloads that somebody keeps */
    WORLDS = 50,
    STEPS = 60000,
    SLOTS = 1 << 17, /* of a table of all versions of a key */
};

#define DAY_MS  INT64_C(86400000)
#define YEAR_MS INT64_C(31557600000)
#define NOW_MS  INT64_C(1800000000000)

/* Parts of the rule, so that the model can do without them. */
struct rule {
    const char *name;
    bool carries; /* payloads tell the newest version of the server that saved them */
    bool leaves;  /* who meets a version of an epoch not below its own begins a new one */
};

static const struct rule whole = {"whole", true, true};
static const struct rule without[] = {
    {"without both, as it was once", false, false},
    {"going on in others' epochs", true, false},
    {"without what payloads carry", false, true},
};

struct value {
    bool there;
    version stored; /* the newest version in the value itself; 0 once its object is deleted */
    version floor;  /* what the model knows: the newest that was minted for it, here or before it came */
};

struct payload {
    struct value value;
    version carried;
};

/* What is in a server's file, or known to its replica. */
struct state {
    struct value values[KEYS];
    version newest;
};

struct server {
    struct mint mint;
    int64_t offset_ms;
    struct value values[KEYS];
    version minted[KEYS]; /* the newest that it minted for the key */
    struct state file, replica;
};

static struct world {
    const struct rule *rule;
    struct dice dice;
    int64_t now_ms;
    struct server servers[SERVERS];
    struct payload shelves[KEYS][SHELF];
    version seen[KEYS][SLOTS];
    size_t minted, twice, not_greater, moves, promotions, outranked;
} world;

static int64_t now_of(const struct server *server) {
    return world.now_ms + server->offset_ms;
}

static void observe(struct server *server, version seen) {
    struct mint *mint = &server->mint;
    if (world.rule->leaves) {
        mint_observe(mint, seen);
    } else if (seen > mint->newest) {
        mint->newest = mint->last = seen;
        mint->end = UINT64_MAX;
    }
}

/* Notes it; false if it was there. */
static bool is_new(int key, version v) {
    size_t slot = (size_t)(v * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;
    for (; world.seen[key][slot]; slot = (slot + 1) % SLOTS)
        if (world.seen[key][slot] == v) return false;
    world.seen[key][slot] = v;
    return true;
}

static version mint_for(struct server *server, int key) {
    struct value *value = &server->values[key];
    version v = mint_version(&server->mint, now_of(server));
    world.minted++;
    if (!is_new(key, v)) world.twice++;
    if (v <= value->floor || v <= server->minted[key]) world.not_greater++;
    value->stored = value->floor = server->minted[key] = v;
    return v;
}

static struct payload dump(const struct server *server, int key) {
    version carried = world.rule->carries ? server->mint.newest : 0;
    return (struct payload){server->values[key], carried};
}

static void load(struct server *server, int key, const struct payload *payload) {
    require(mint_believes(&server->mint, payload->carried, now_of(server)), "nobody would believe it");
    server->values[key] = payload->value;
    observe(server, payload->value.stored);
    observe(server, payload->carried);
    world.moves++;
}

static struct state state_of(const struct server *server) {
    struct state state = {.newest = world.rule->carries ? server->mint.newest : 0};
    memcpy(state.values, server->values, sizeof(state.values));
    return state;
}

/* A process that knows only this, and becomes a primary. */
static void begin(struct server *server, const struct state *state) {
    server->mint = (struct mint)MINT_INITIAL;
    memcpy(server->values, state->values, sizeof(server->values));
    for (int key = 0; key < KEYS; key++) {
        observe(server, state->values[key].stored);
        server->minted[key] = 0;
    }
    observe(server, state->newest);
    mint_renew_epoch(&server->mint, dice_word(&world.dice));
    server->file = server->replica = *state;
}

/* The old primary is cut off and goes on for a while: its versions are nobody's, and below those of its successor, if
 * anything of its epoch had reached the replica. */
static void promote(struct server *server) {
    struct server old = *server;
    struct state replica = server->replica;
    version stray[KEYS] = {0};
    bool known = replica.newest >> 32 >= old.mint.last >> 32 && !old.mint.due;
    begin(server, &replica);
    for (size_t step = dice_roll(&world.dice, 40); step--;) {
        int key = (int)dice_roll(&world.dice, KEYS);
        if (old.values[key].there) stray[key] = mint_for(&old, key);
        if (!server->values[key].there) continue;
        version successor = mint_for(server, key);
        if (known && successor <= stray[key]) world.outranked++;
    }
    world.promotions++;
}

static void write(struct server *server, int key) {
    if (server->values[key].there) mint_for(server, key);
}

static void move(struct server *from, struct server *to, int key, bool stays) {
    struct payload payload = dump(from, key);
    if (!payload.value.there || from == to) return;
    load(to, key, &payload);
    if (!stays) from->values[key].there = false;
}

static void step(void) {
    struct dice *dice = &world.dice;
    struct server *server = &world.servers[dice_roll(dice, SERVERS)];
    struct server *other = &world.servers[dice_roll(dice, SERVERS)];
    int key = (int)dice_roll(dice, KEYS);
    struct payload *kept = &world.shelves[key][dice_roll(dice, SHELF)];
    size_t chance = dice_roll(dice, 1000);
    if (dice_percent(dice, 2)) world.now_ms += (int64_t)dice_roll(dice, 3000);
    if (chance < 500)
        write(server, key);
    else if (chance < 650)
        server->values[key].stored = 0;
    else if (chance < 750)
        move(server, other, key, false);
    else if (chance < 800)
        move(server, other, key, true);
    else if (chance < 850 && server->values[key].there)
        *kept = dump(server, key);
    else if (chance < 920 && kept->value.there)
        load(server, key, kept);
    else if (chance < 950)
        server->file = state_of(server);
    else if (chance < 985)
        server->replica = state_of(server);
    else if (chance < 995)
        promote(server);
    else if (chance < 998)
        begin(server, &server->file);
}

/* One that goes by the time, one ahead, one behind, and one so far behind that it never catches up. */
static const int64_t offsets_ms[SERVERS] = {0, DAY_MS, -DAY_MS, -6 * YEAR_MS};

static void play(const struct rule *rule, uint64_t seed, size_t steps) {
    memset(&world, 0, sizeof(world));
    world.rule = rule;
    world.dice.state = seed;
    world.now_ms = NOW_MS;
    for (int i = 0; i < SERVERS; i++) {
        struct state nothing = {.newest = 0};
        world.servers[i].offset_ms = offsets_ms[((size_t)i + seed) % SERVERS];
        for (int key = 0; key < KEYS; key++) nothing.values[key].there = key == i;
        begin(&world.servers[i], &nothing);
    }
    while (steps--) step();
}

TEST(versions_stay_new) {
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        play(&whole, seed, STEPS);
        require(!world.twice, "world %" PRIu64 ": %zu versions come twice", seed, world.twice);
        require(!world.not_greater, "world %" PRIu64 ": %zu are not greater", seed, world.not_greater);
        require(!world.outranked, "world %" PRIu64 ": %zu outrank a successor's", seed, world.outranked);
        require(world.minted > STEPS / 10 && world.moves > STEPS / 50 && world.promotions > 100,
                "world %" PRIu64 ": %zu minted, %zu moves, %zu promotions", seed, world.minted, world.moves,
                world.promotions);
    }
}

TEST(without_any_part_of_the_rule_versions_repeat) {
    for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
        size_t twice = 0, not_greater = 0;
        for (uint64_t seed = 1; seed <= 4; seed++) {
            play(&without[i], seed, STEPS / 4);
            twice += world.twice;
            not_greater += world.not_greater;
        }
        require(twice + not_greater > 0, "%s: nothing is found", without[i].name);
        require(twice > 0 || without[i].leaves, "%s: nothing comes twice", without[i].name);
        require(not_greater > 0 || without[i].carries, "%s: nothing falls", without[i].name);
    }
}

/* --- How fast epochs grow --- */

static int64_t lead_seconds(const struct mint *mint, int64_t now_ms) {
    return (int64_t)(mint->newest >> 32) - now_ms / 1000;
}

/* A value that goes to and fro, with a write on each side, so many times a second. */
static void toss(struct mint sides[2], int64_t *now_ms, size_t times, size_t a_second) {
    for (size_t i = 0; i < times; i++) {
        if (i % a_second == 0) *now_ms += 1000;
        version before = sides[0].newest;
        version one = mint_version(&sides[0], *now_ms);
        mint_observe(&sides[1], sides[0].newest);
        version other = mint_version(&sides[1], *now_ms);
        mint_observe(&sides[0], sides[1].newest);
        require(one > before && other > one, "exchange %zu does not grow", i);
    }
}

TEST(epochs_do_not_run_away) {
    const int64_t five_years = INT64_C(157788000);
    struct mint sides[2] = {MINT_INITIAL, MINT_INITIAL};
    int64_t now_ms = NOW_MS;
    mint_renew_epoch(&sides[0], 1);
    mint_renew_epoch(&sides[1], 2);
    toss(sides, &now_ms, 100000, 200);
    int64_t lead = lead_seconds(&sides[0], now_ms);
    require(lead > 190000 && lead < 200000, "an epoch for each move: %" PRId64, lead);
    /* The lead is used up: as many moves a second as there are seconds are no more than the clock makes good. */
    mint_observe(&sides[0], (version)((uint64_t)(now_ms / 1000 + five_years) << 32 | 5));
    toss(sides, &now_ms, 4000000, 200);
    lead = lead_seconds(&sides[0], now_ms);
    require(lead >= five_years && lead <= five_years + 10, "400 moves a second: %" PRId64, lead - five_years);
    require(mint_believes(&(struct mint)MINT_INITIAL, sides[1].newest, now_ms), "nobody would believe it");
}

/* What one server saves, however much of it, takes another one into one new epoch; what it saved itself, into none. */
TEST(many_loads_begin_one_epoch) {
    struct mint source = MINT_INITIAL, target = MINT_INITIAL;
    mint_renew_epoch(&source, 3);
    mint_renew_epoch(&target, 4);
    version first = mint_version(&target, NOW_MS);
    for (int i = 0; i < 100000; i++) {
        mint_version(&source, NOW_MS + 5000);
        mint_observe(&target, source.newest);
        mint_version(&target, NOW_MS + 5000);
    }
    require_same(target.newest >> 32, (source.newest >> 32) + 1, "one epoch above the source's");
    require_same(first >> 32, NOW_MS / 1000, "the first one");
    for (int i = 0; i < 100000; i++) {
        mint_observe(&target, target.newest - (version)(i / 2));
        mint_version(&target, NOW_MS + 5000);
    }
    require_same(target.newest >> 32, (source.newest >> 32) + 1, "its own are no meeting");
}

/* Stretches of an annex, whoever begins them, end before the next one, and before the annex does. */
TEST(versions_of_three_servers_never_meet) {
    struct mint sides[3] = {MINT_INITIAL, MINT_INITIAL, MINT_INITIAL};
    version end = 0;
    struct dice dice = {5};
    for (size_t i = 0; i < ARRAY_SIZE(sides); i++) mint_renew_epoch(&sides[i], dice_word(&dice));
    mint_version(&sides[0], NOW_MS); /* the others' clocks have stopped */
    for (int round = 1; round < 100000; round++) {
        struct mint *side = &sides[round % 3];
        mint_observe(side, sides[(round + 2) % 3].newest);
        side->due = EPOCH_OF_MEETING;
        version minted = mint_version(side, 0);
        require(minted > end, "round %d: it begins in the one before", round);
        require((uint32_t)minted > UINT32_C(0xc0000000) && side->end >> 32 == minted >> 32,
                "round %d: %" PRIx64 " to %" PRIx64 " is no annex", round, minted, side->end);
        require(side->end - side->begin == 1 << 18, "round %d: its length", round);
        end = side->end;
        side->last = side->end - dice_roll(&dice, 1 << 18) - 1;
        mint_version(side, 0);
    }
}
