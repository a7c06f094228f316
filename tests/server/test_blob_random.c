/* Long random sequences of commands on containers and on blobs of all kinds, with conditions and without, against the
 * model that the unit tests ask, too. Every answer is foretold; now and then all is compared, on a replica as well, and
 * loaded anew from files of every sort. */
#include <stdlib.h>
#include <string.h>

#include "blobs.h"
#include "expect_container.h"
#include "harness.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"

enum {
    CONTAINERS = 3,
    BLOBS = 8,
    SNAPSHOTS = 3,
    IDS = 6,
    BLOCKS = 12,
    PAGES = 200,
    CONTENT_MAX = 160000,
    STEPS = 12000,
    STEPS_BETWEEN_LOOKS = 400,
};

static struct container_model model[CONTAINERS];
static uint64_t last_etag;

static const char *const names[BLOBS] = {"a", "ab", "a/b", "a/c", "A", "0", "\x01\r\n", "\xff"};
static const char *const containers[CONTAINERS] = {"box", "{box}2", "{box}3"};

/* Block ids of two lengths; such texts stand in the order of the bytes that they mean. */
static const char *const ids[2 * IDS] = {"AAAA",     "AAAB",     "AAAC",     "AAAD",
                                         "AAAE",     "zzzz",     "AAAAAAAA", "AAAAAAAB",
                                         "AAAAAAAC", "AAAAAAAD", "AAAAAAAE", "zzzzzzzz"};

/* A blob that may be there, or not. */
struct spot {
    int container, name;
};

static struct model_view view_of_text(const char *text) {
    return (struct model_view){text, strlen(text)};
}

static struct spot somewhere(void) {
    return (struct spot){random_below(CONTAINERS), random_below(BLOBS)};
}

static struct model_blob *blob_at(struct spot spot) {
    return container_model_find(&model[spot.container], view_of_text(names[spot.name]));
}

/* A state of a blob that is not there is zeros. */
static const struct model_state *state_at(struct spot spot) {
    static const struct model_state nothing = {.kind = MODEL_UNCOMMITTED};
    const struct model_blob *blob = blob_at(spot);
    return blob ? &blob->state : &nothing;
}

static size_t some_length(size_t max) {
    size_t length = random_below(3)   ? random_size(300)
                    : random_below(4) ? random_size(9000)
                                      : random_size(100000);
    return length < max ? length : max;
}

/* --- Calls --- */

/* A command, as words for the server and as a call for the model. */
struct draw {
    struct spot spot;
    struct words words;
    struct model_call call;
};

static struct draw draw(const char *command, struct spot spot, enum model_verb verb) {
    struct draw draw = {spot, words_of_line(command), {.verb = verb, .name = view_of_text(names[spot.name])}};
    words_add(&draw.words, containers[spot.container]);
    if (verb > MODEL_SET_CONTAINER_METADATA) words_add(&draw.words, names[spot.name]);
    return draw;
}

static void add_content(struct draw *draw, size_t length) {
    char *bytes = pool_take(length + 1);
    random_fill(bytes, length);
    words_add_bytes(&draw->words, bytes, length);
    draw->call.content = (struct model_view){bytes, length};
}

/* The model keeps what a reply shows of it. Without a META a copy and a snapshot keep what their source has. */
static void add_metadata(struct draw *draw) {
    static const char *const clauses[] = {"META 0", "META 1 n %d", "META 2 n %d Other %0*d"};
    static const char *const shapes[] = {"", "\"n\", \"%d\"", "\"n\", \"%d\", \"Other\", \"%0*d\""};
    bool sets = draw->call.verb == MODEL_SET_METADATA || draw->call.verb == MODEL_SET_CONTAINER_METADATA;
    int count = random_below(3), number = random_below(100);
    draw->call.keeps_metadata = !count;
    if (count || sets) words_add_line(&draw->words, pool_print(clauses[count], number, number, 0));
    draw->call.metadata = view_of_text(pool_print(shapes[count], number, number, 0));
}

static void add_language(struct draw *draw) {
    if (random_below(2)) return;
    const char *language = pool_print("%d", random_below(10));
    words_add_line(&draw->words, pool_print("PROPS 1 content-language %s", language));
    draw->call.properties = view_of_text(language);
}

static void add_condition(struct draw *draw) {
    static const char *const clauses[] = {"", "IFMATCH %s", "IFMATCH *", "IFNONEMATCH %s", "IFNONEMATCH *"};
    const struct model_blob *blob = blob_at(draw->spot);
    if (random_below(2)) return;
    draw->call.condition = (enum model_condition)random_below(MODEL_IF_NEW + 1);
    draw->call.if_etag = random_below(2) && model_exists(blob) ? blob->state.etag : 1;
    words_add_line(&draw->words, pool_print(clauses[draw->call.condition], etag_text(draw->call.if_etag)));
}

/* Every ETag and every snapshot's id must be greater than all before it, whichever client got them. */
static uint64_t etag_of(const redisReply *reply) {
    const char *text = expect_etag(reply);
    uint64_t etag = strtoull(text, NULL, 16);
    require(etag > last_etag, "%s is not greater than %s", text, etag_text(last_etag));
    last_etag = etag;
    return etag;
}

/* Sends it, and expects what the model foretells: the reply of a success, or NULL after the refusal. */
static redisReply *expect_foretold(struct draw *draw) {
    const char *refusal = container_model_refusal(&model[draw->spot.container], &draw->call);
    redisReply *reply = call_words(primary, &draw->words);
    if (refusal) {
        expect_error(reply, refusal);
        return NULL;
    }
    require(!reply_is_error(reply), "%s\n    gave %s", words_text(&draw->words), reply_text(reply));
    return reply;
}

static redisReply *play(struct draw *draw) {
    bool seals_again = draw->call.verb == MODEL_SEAL && state_at(draw->spot)->sealed;
    redisReply *reply = expect_foretold(draw);
    if (!reply || draw->call.verb == MODEL_GET) return reply;
    bool is_plain = reply->type == REDIS_REPLY_STATUS;
    if (!is_plain && !seals_again) draw->call.etag = etag_of(reply);
    if (seals_again) draw->call.etag = state_at(draw->spot)->etag;
    container_model_play(&model[draw->spot.container], &draw->call);
    return reply;
}

static redisReply *play_guarded(struct draw *draw) {
    add_condition(draw);
    return play(draw);
}

static void play_described(struct draw *draw) {
    add_metadata(draw);
    play_guarded(draw);
}

/* --- Whole blobs --- */

static void play_put(struct spot spot) {
    struct draw put = draw("BLOB.PUT", spot, MODEL_PUT);
    add_content(&put, some_length(CONTENT_MAX));
    add_metadata(&put);
    add_language(&put);
    play_guarded(&put);
}

static void play_get(struct spot spot) {
    struct draw get = draw("BLOB.GET", spot, MODEL_GET);
    const struct model_state *state = state_at(spot);
    size_t offset = 0, length = (size_t)state->length;
    if (length && random_below(2)) {
        offset = random_size(length);
        length = 1 + random_size(2000);
        words_add_line(&get.words, pool_print("RANGE %zu %zu", offset, length));
        if (length > state->length - offset) length = (size_t)state->length - offset;
    }
    redisReply *reply = play(&get);
    if (!reply) return;
    expect_text(reply->element[0], etag_text(state->etag));
    expect_content(reply->element[1], state, offset, length);
}

static void play_setmeta(struct spot spot) {
    struct draw set = draw("BLOB.SETMETA", spot, MODEL_SET_METADATA);
    play_described(&set);
}

/* Of a page blob also its size, and its number. */
static void play_setprops(struct spot spot) {
    struct draw set = draw("BLOB.SETPROPS", spot, MODEL_SET_PROPERTIES);
    bool resizes = random_below(2);
    add_language(&set);
    set.call.keeps_properties = resizes && !set.call.properties.length;
    if (!resizes && !set.call.properties.length) words_add_line(&set.words, "PROPS 0");
    set.call.sets_length = set.call.sets_sequence = resizes;
    set.call.length = (uint64_t)random_below(PAGES) * MODEL_PAGE_BYTES;
    set.call.sequence = state_at(spot)->sequence + 1;
    if (resizes) words_add_line(&set.words, pool_print("SIZE %d SEQUENCE INCREMENT", (int)set.call.length));
    play_guarded(&set);
}

static void play_delete(struct spot spot) {
    static const struct {
        const char *clause;
        enum model_verb verb;
    } ways[] = {{"", MODEL_DELETE},
                {"SNAPSHOTS INCLUDE", MODEL_DELETE_WITH_SNAPSHOTS},
                {"SNAPSHOTS ONLY", MODEL_DELETE_SNAPSHOTS}};
    int way = random_below(3);
    struct draw delete = draw("BLOB.DELETE", spot, ways[way].verb);
    words_add_line(&delete.words, ways[way].clause);
    play_guarded(&delete);
}

/* --- Blocks --- */

/* An id; mostly as long as those that are staged. */
static int some_id(struct spot spot, int chance) {
    const struct model_blob *blob = blob_at(spot);
    bool is_long = blob && blob->staged.count && blob->staged.all[0].id.length > strlen(ids[0]);
    if (!random_below(chance)) is_long = random_below(2);
    return random_below(IDS) + is_long * IDS;
}

static void play_putblock(struct spot spot) {
    int id = some_id(spot, 8);
    struct draw put = draw("BLOB.PUTBLOCK", spot, MODEL_PUT_BLOCK);
    put.call.block_id = view_of_text(ids[id]);
    words_add(&put.words, ids[id]);
    add_content(&put, 1 + some_length(CONTENT_MAX / BLOCKS - 1));
    play(&put);
}

static void play_putblocklist(struct spot spot) {
    static const char *const origins[] = {"COMMITTED", "UNCOMMITTED", "LATEST"};
    struct model_choice choices[BLOCKS];
    int used[2 * IDS] = {0}; /* one more than the origin */
    struct draw put = draw("BLOB.PUTBLOCKLIST", spot, MODEL_PUT_BLOCK_LIST);
    put.call.blocks = choices;
    put.call.block_count = random_size(BLOCKS);
    words_add_number(&put.words, (long long)put.call.block_count);
    for (size_t i = 0; i < put.call.block_count; i++) {
        int id = some_id(spot, 5), origin = random_below(6) ? FROM_LATEST : random_below(3);
        if (used[id] && random_below(10)) origin = used[id] - 1;
        used[id] = origin + 1;
        choices[i] = (struct model_choice){(enum model_origin)origin, view_of_text(ids[id])};
        words_add(&put.words, origins[origin]);
        words_add(&put.words, ids[id]);
    }
    play_described(&put);
}

/* --- Pages --- */

static void play_createpage(struct spot spot) {
    struct draw create = draw("BLOB.CREATEPAGE", spot, MODEL_CREATE_PAGE);
    create.call.length = (uint64_t)random_below(PAGES) * MODEL_PAGE_BYTES;
    create.call.sequence = random_below(10);
    words_add_number(&create.words, (long long)create.call.length);
    words_add_line(&create.words, pool_print("SEQUENCE %d", (int)create.call.sequence));
    play_described(&create);
}

static void play_pages(struct spot spot) {
    bool puts = random_below(3);
    int first = random_below(PAGES), count = 1 + random_below(random_below(3) ? 4 : 90);
    if (first + count > PAGES) count = PAGES - first;
    size_t length = (size_t)count * MODEL_PAGE_BYTES;
    struct draw write =
        draw(puts ? "BLOB.PUTPAGE" : "BLOB.CLEARPAGE", spot, puts ? MODEL_PUT_PAGE : MODEL_CLEAR_PAGE);
    write.call.offset = (uint64_t)first * MODEL_PAGE_BYTES;
    write.call.length = length;
    words_add_number(&write.words, (long long)write.call.offset);
    if (puts)
        add_content(&write, length);
    else
        words_add_number(&write.words, (long long)length);
    redisReply *reply = play_guarded(&write);
    if (reply) expect_number(reply->element[1], state_at(spot)->sequence);
}

/* --- Append blobs --- */

static void play_createappend(struct spot spot) {
    struct draw create = draw("BLOB.CREATEAPPEND", spot, MODEL_CREATE_APPEND);
    play_described(&create);
}

static void play_append(struct spot spot) {
    const struct model_state *state = state_at(spot);
    struct draw append = draw("BLOB.APPEND", spot, MODEL_APPEND_TO);
    add_content(&append, 1 + some_length(70000));
    if (state->kind == MODEL_APPEND && state->length + append.call.content.length > CONTENT_MAX) {
        play_createappend(spot);
        return;
    }
    append.call.at_offset = random_below(2);
    append.call.offset = state->length + !random_below(8);
    if (append.call.at_offset)
        words_add_line(&append.words, pool_print("IFPOSITION %d", (int)append.call.offset));
    redisReply *reply = play_guarded(&append);
    if (!reply) return;
    state = state_at(spot);
    expect_number(reply->element[1], (long long)(state->length - append.call.content.length));
    expect_number(reply->element[2], (long long)state->appended);
}

static void play_seal(struct spot spot) {
    struct draw seal = draw("BLOB.SEAL", spot, MODEL_SEAL);
    play_guarded(&seal);
}

/* --- Snapshots and copies --- */

static void play_snapshot_end(struct spot spot, uint64_t id) {
    struct draw delete = draw("BLOB.DELETE", spot, MODEL_DELETE_SNAPSHOTS);
    delete.call.snapshot = id;
    words_add_line(&delete.words, pool_print("SNAPSHOT %s", etag_text(id)));
    play_guarded(&delete);
}

/* One that has metadata of its own has an ETag of its own, which the answer does not tell. */
static void play_snapshot(struct spot spot) {
    const struct model_blob *blob = blob_at(spot);
    struct draw take = draw("BLOB.SNAPSHOT", spot, MODEL_TAKE_SNAPSHOT);
    if (blob && blob->snapshot_count == SNAPSHOTS) {
        play_snapshot_end(spot, blob->snapshots[random_below(SNAPSHOTS)].id);
        return;
    }
    add_metadata(&take);
    if (!play_guarded(&take) || take.call.keeps_metadata || !blob) return;
    struct model_snapshot *taken = &blob->snapshots[blob->snapshot_count - 1];
    struct words stat = draw("BLOB.STAT", spot, MODEL_GET).words;
    words_add_line(&stat, pool_print("SNAPSHOT %s", etag_text(taken->id)));
    taken->state.etag = etag_of(field(call_words(primary, &stat), "etag"));
}

static void play_copy(struct spot spot) {
    struct spot from = random_below(4) ? somewhere() : spot;
    const struct model_blob *source = blob_at(from);
    struct draw copy = draw("BLOB.COPY", spot, MODEL_COPY);
    words_add(&copy.words, containers[from.container]);
    words_add(&copy.words, names[from.name]);
    copy.call.from = &model[from.container];
    copy.call.source = view_of_text(names[from.name]);
    if (source && source->snapshot_count && random_below(2)) {
        copy.call.snapshot = source->snapshots[random_size(source->snapshot_count)].id;
        words_add_line(&copy.words, pool_print("SNAPSHOT %s", etag_text(copy.call.snapshot)));
    }
    play_described(&copy);
}

/* --- Containers --- */

static void play_container(struct spot spot) {
    bool creates = random_below(3);
    struct draw write = creates ? draw("CONTAINER.CREATE", spot, MODEL_CREATE_CONTAINER)
                                : draw("CONTAINER.SETMETA", spot, MODEL_SET_CONTAINER_METADATA);
    add_metadata(&write);
    play(&write);
}

/* Not too often, or nothing ever grows. */
static void play_container_end(struct spot spot) {
    struct container_model *ended = &model[spot.container];
    struct container_model *other = &model[(spot.container + 1) % CONTAINERS];
    const char *name = containers[spot.container],
               *other_name = containers[(spot.container + 1) % CONTAINERS];
    if (random_below(4)) return;
    switch (random_below(4)) {
    case 0:
        expect_number(call(primary, "%s %s", random_below(2) ? "UNLINK" : "DEL", name), ended->exists);
        break;
    case 1:
        if (!ended->exists) return;
        expect_ok(call(primary, "RENAME %s %s", name, other_name));
        container_model_copy(ended, other);
        break;
    default:
        if (!ended->exists) return;
        expect_number(call(primary, "COPY %s %s REPLACE", name, other_name), 1);
        container_model_copy(ended, other);
        return;
    }
    container_model_end(ended);
}

/* --- Sequences --- */

static void compare_all(struct client *client) {
    for (int container = 0; container < CONTAINERS; container++)
        expect_container(client, containers[container], &model[container]);
}

static void play_step(void) {
    static const struct {
        int weight;
        void (*play)(struct spot spot);
    } plays[] = {
        {9, play_put},      {6, play_get},          {4, play_setmeta},      {8, play_setprops},
        {6, play_delete},   {19, play_putblock},    {9, play_putblocklist}, {5, play_createpage},
        {13, play_pages},   {4, play_createappend}, {9, play_append},       {1, play_seal},
        {7, play_snapshot}, {7, play_copy},         {2, play_container},    {1, play_container_end},
    };
    int drawn = random_below(110);
    size_t index = 0;
    while (drawn >= plays[index].weight) drawn -= plays[index++].weight;
    plays[index].play(somewhere());
}

static void forget(void *target) {
    (void)target;
    for (int container = 0; container < CONTAINERS; container++) container_model_end(&model[container]);
    last_etag = 0;
}

/* `look` is what happens now and then before all is compared. */
static void play_sequence(int steps, void (*look)(void)) {
    random_begin();
    pool_keep(&model, forget);
    for (int container = 0; container < CONTAINERS; container++) play_container((struct spot){container, 0});
    for (int step = 1; step <= steps; step++) {
        play_step();
        if (step % STEPS_BETWEEN_LOOKS) continue;
        look();
        compare_all(primary);
    }
}

static void look_at_replicas(void) {
    await_replicas();
    require_same(primary, replica, "within a random sequence");
    compare_all(replica);
    require_same(replica, chained, "within a random sequence");
}

static void load_again(void) {
    expect_ok(call(primary, "DEBUG RELOAD"));
    await_replicas();
}

static void pass_on(void) {
    for (int container = 0; container < CONTAINERS; container++)
        if (model[container].exists) pass_through_copies(containers[container]);
}

TEST(random_blobs_are_the_same_on_replicas) {
    play_sequence(STEPS, look_at_replicas);
}

TEST(random_blobs_are_the_same_after_loading) {
    play_sequence(STEPS / 2, load_again);
}

TEST(random_blobs_are_the_same_under_other_names) {
    play_sequence(STEPS / 2, pass_on);
}

/* The chained replica keeps an append-only file: it is rewritten in the middle, and loaded. */
static void rewrite_in_turn(void) {
    static bool with_preamble;
    await_replicas();
    with_preamble = !with_preamble;
    rewrite_append_only_file(chained, with_preamble);
    for (int step = 0; step < 10; step++) play_step();
    await_replicas();
    expect_ok(call(chained, "DEBUG LOADAOF"));
    require_same(primary, chained, "after loading a rewritten file and what came after");
    compare_all(chained);
}

TEST(random_blobs_are_the_same_in_append_only_files) {
    play_sequence(STEPS / 3, rewrite_in_turn);
}

/* While others do other things on other keys, so that replies and effects interleave. */
TEST(random_blobs_beside_others_are_as_foretold) {
    struct client *other = test_client(primary->server);
    expect_etag(call(other, "CONTAINER.CREATE other"));
    for (int i = 0; i < 2000; i++) send_call(other, "BLOB.PUT other blob-%d %d", i, i);
    send_now(other);
    play_sequence(STEPS / 3, await_replicas);
    for (int i = 0; i < 2000; i++) expect_etag(receive(other));
}
