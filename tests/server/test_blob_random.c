/*
 * Long random sequences of commands on blobs of all kinds, against a model that keeps every byte of every blob and
 * snapshot in arrays of their own and shares nothing. Every answer is foretold; now and then all is compared, on a
 * replica as well, and loaded anew from files of every sort.
 */
#include <stdlib.h>
#include <string.h>

#include "blobs.h"
#include "harness.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"
#include "text.h"

enum {
    CONTAINERS = 2,
    BLOBS = 4,
    SNAPSHOTS = 3,
    IDS = 6,
    BLOCKS = 12,
    PAGE = 512,
    PAGES = 200,
    CONTENT_AT_MAX = 160000,
    STEPS = 12000,
    STEPS_BETWEEN_LOOKS = 300,
};

enum kind { NOTHING, BLOCK, PAGED, APPENDED };

struct block {
    int id;
    size_t length;
};

/* What a blob or a snapshot is. */
struct state {
    enum kind kind;
    size_t length;
    int meta; /* -1 for none */
    long long sequence;
    int appends;
    bool has_blocks;
    int blocks;
    struct block block[BLOCKS];
    bool present[PAGES];
    char content[CONTENT_AT_MAX];
};

struct staged {
    bool is_there;
    size_t length;
    char *content;
};

struct blob {
    struct state state;
    int snapshots;
    struct state taken[SNAPSHOTS];
    char id[SNAPSHOTS][20];
    int id_form; /* of the staged blocks */
    struct staged staged[IDS];
};

static struct blob model[CONTAINERS][BLOBS];

static const char *const names[BLOBS] = {"a", "b", "b/c", "\xff\x01"};
static const char *const containers[CONTAINERS] = {"box", "{box}2"};
static const char *const id_texts[2][IDS] = {{"AAAA", "AAAB", "AAAC", "AAAD", "AAAE", "////"},
                                             {"AA==", "AQ==", "Ag==", "Aw==", "BA==", "/w=="}};

struct spot {
    int container;
    int blob;
};

static struct blob *at(struct spot spot) {
    return &model[spot.container][spot.blob];
}

static struct spot somewhere(void) {
    return (struct spot){random_below(CONTAINERS), random_below(BLOBS)};
}

static struct words command(const char *name, struct spot spot) {
    struct words words = words_of_line(name);
    words_add(&words, containers[spot.container]);
    words_add(&words, names[spot.blob]);
    return words;
}

static size_t some_length(size_t max) {
    size_t length = random_below(3)   ? random_size(300)
                    : random_below(4) ? random_size(9000)
                                      : random_size(100000);
    return length < max ? length : max;
}

/* Which block comes, and from where, when a list is asked for. */
static bool is_staged(const struct blob *blob) {
    for (int id = 0; id < IDS; id++)
        if (blob->staged[id].is_there) return true;
    return false;
}

static void unstage(struct blob *blob) {
    for (int id = 0; id < IDS; id++) {
        free(blob->staged[id].content);
        blob->staged[id] = (struct staged){0};
    }
}

/* The answer to a command that must succeed, or NULL after the error that is foretold. */
static redisReply *expect_outcome(const struct words *words, const char *refusal) {
    redisReply *reply = call_words(primary, words);
    if (!refusal) {
        require(!reply_is_error(reply), "%s\n    gave %s", words_text(words), reply_text(reply));
        return reply;
    }
    expect_error(reply, refusal);
    return NULL;
}

static const char *refusal_of_kind(const struct blob *blob, enum kind kind, bool creates) {
    if (blob->state.kind == NOTHING) return creates ? NULL : "NOTFOUND BlobNotFound";
    return kind == NOTHING || blob->state.kind == kind ? NULL : "CONFLICT InvalidBlobType";
}

static int add_meta(struct words *words) {
    int meta = random_below(3) ? -1 : random_below(100);
    if (meta >= 0) words_add_line(words, pool_print("META 1 n %d", meta));
    return meta;
}

static void begin_state(struct blob *blob, enum kind kind, int meta) {
    unstage(blob);
    struct state *state = &blob->state;
    memset(state, 0, sizeof *state);
    state->kind = kind;
    state->meta = meta;
}

/* --- Whole blobs --- */

static void play_put(struct spot spot) {
    static char content[CONTENT_AT_MAX];
    size_t length = some_length(CONTENT_AT_MAX);
    random_fill(content, length);
    struct words words = command("BLOB.PUT", spot);
    words_add_bytes(&words, content, length);
    int meta = add_meta(&words);
    if (!expect_outcome(&words, refusal_of_kind(at(spot), BLOCK, true))) return;
    begin_state(at(spot), BLOCK, meta);
    memcpy(at(spot)->state.content, content, length);
    at(spot)->state.length = length;
}

static void play_setmeta(struct spot spot) {
    struct words words = command("BLOB.SETMETA", spot);
    int meta = add_meta(&words);
    if (meta < 0) words_add_line(&words, "META 0");
    if (!expect_outcome(&words, refusal_of_kind(at(spot), NOTHING, false))) return;
    at(spot)->state.meta = meta;
}

static void play_delete(struct spot spot) {
    static const char *const clauses[] = {"", "SNAPSHOTS INCLUDE", "SNAPSHOTS ONLY"};
    struct blob *blob = at(spot);
    int how = random_below(3);
    struct words words = command("BLOB.DELETE", spot);
    words_add_line(&words, clauses[how]);
    const char *refusal = how == 0 && blob->snapshots ? "CONFLICT SnapshotsPresent" : NULL;
    if (blob->state.kind == NOTHING && !is_staged(blob)) refusal = "NOTFOUND BlobNotFound";
    if (!expect_outcome(&words, refusal)) return;
    blob->snapshots = 0;
    if (how == 2) return;
    unstage(blob);
    blob->state.kind = NOTHING;
}

/* --- Blocks --- */

static void play_putblock(struct spot spot) {
    struct blob *blob = at(spot);
    int form = random_below(8) ? blob->id_form : random_below(2), id = random_below(IDS);
    size_t length = 1 + some_length(CONTENT_AT_MAX / BLOCKS - 1);
    char *content = malloc(length);
    random_fill(content, length);
    struct words words = command("BLOB.PUTBLOCK", spot);
    words_add(&words, id_texts[form][id]);
    words_add_bytes(&words, content, length);
    const char *refusal = refusal_of_kind(blob, BLOCK, true);
    if (!refusal && is_staged(blob) && form != blob->id_form) refusal = "INVALID InvalidBlobOrBlock";
    if (!expect_outcome(&words, refusal)) {
        free(content);
        return;
    }
    blob->id_form = form;
    free(blob->staged[id].content);
    blob->staged[id] = (struct staged){true, length, content};
}

/* Ids of a committed block carry their form, so that both can stand beside each other. */
static int committed_id(int form, int id) {
    return form * IDS + id;
}

static bool find_committed(const struct state *state, int id, size_t *offset, size_t *length) {
    *offset = 0;
    bool any = state->kind != NOTHING && state->has_blocks;
    for (int index = 0; any && index < state->blocks; index++) {
        *length = state->block[index].length;
        if (state->block[index].id == id) return true;
        *offset += *length;
    }
    return false;
}

/* Adds a block to the next state; false if there is none. */
static bool choose(const struct blob *blob, struct state *next, int word, int form, int id) {
    size_t offset = 0, length = 0;
    const char *bytes = NULL;
    bool staged = word != 0 && form == blob->id_form && blob->staged[id].is_there;
    if (staged) {
        bytes = blob->staged[id].content;
        length = blob->staged[id].length;
    } else if (word != 1 && find_committed(&blob->state, committed_id(form, id), &offset, &length)) {
        bytes = blob->state.content + offset;
    }
    if (!bytes) return false;
    memcpy(next->content + next->length, bytes, length);
    next->length += length;
    next->block[next->blocks++] = (struct block){committed_id(form, id), length};
    return true;
}

static void play_putblocklist(struct spot spot) {
    static const char *const words_of_choice[] = {"COMMITTED", "UNCOMMITTED", "LATEST"};
    static struct state next;
    struct blob *blob = at(spot);
    int count = random_below(BLOCKS), used[2 * IDS] = {0};
    bool whole = true;
    memset(&next, 0, sizeof next);
    next.kind = BLOCK;
    next.has_blocks = count > 0;
    struct words words = command("BLOB.PUTBLOCKLIST", spot);
    words_add_number(&words, count);
    for (int index = 0; index < count; index++) {
        int id = random_below(IDS), form = random_below(5) ? blob->id_form : random_below(2),
            word = random_below(6) ? 2 : random_below(3);
        int *before = &used[committed_id(form, id)];
        if (*before && random_below(10)) word = *before - 1;
        if (*before && *before != word + 1) whole = false;
        *before = word + 1;
        words_add(&words, words_of_choice[word]);
        words_add(&words, id_texts[form][id]);
        if (whole) whole = choose(blob, &next, word, form, id);
    }
    next.meta = add_meta(&words);
    const char *refusal = refusal_of_kind(blob, BLOCK, true);
    if (!refusal && !whole) refusal = "INVALID InvalidBlockList";
    if (!expect_outcome(&words, refusal)) return;
    unstage(blob);
    blob->state = next;
}

/* --- Pages --- */

static void play_createpage(struct spot spot) {
    int pages = random_below(PAGES);
    struct words words = command("BLOB.CREATEPAGE", spot);
    words_add_number(&words, (long long)pages * PAGE);
    long long sequence = random_below(10);
    words_add_line(&words, pool_print("SEQUENCE %lld", sequence));
    int meta = add_meta(&words);
    if (!expect_outcome(&words, refusal_of_kind(at(spot), PAGED, true))) return;
    begin_state(at(spot), PAGED, meta);
    at(spot)->state.length = (size_t)pages * PAGE;
    at(spot)->state.sequence = sequence;
}

static void play_pages(struct spot spot) {
    static char bytes[PAGES * PAGE];
    struct state *state = &at(spot)->state;
    int first = random_below(PAGES), count = 1 + random_below(random_below(3) ? 4 : 90);
    bool puts = random_below(3);
    if (first + count > PAGES) count = PAGES - first;
    size_t offset = (size_t)first * PAGE, length = (size_t)count * PAGE;
    struct words words = command(puts ? "BLOB.PUTPAGE" : "BLOB.CLEARPAGE", spot);
    words_add_number(&words, (long long)offset);
    memset(bytes, 0, length);
    if (puts) random_fill(bytes, length);
    if (puts) words_add_bytes(&words, bytes, length);
    if (!puts) words_add_number(&words, (long long)length);
    const char *refusal = refusal_of_kind(at(spot), PAGED, false);
    if (!refusal && offset + length > state->length) refusal = "INVALID InvalidPageRange";
    redisReply *reply = expect_outcome(&words, refusal);
    if (!reply) return;
    expect_number(reply->element[1], state->sequence);
    memcpy(state->content + offset, bytes, length);
    memset(state->present + first, puts, (size_t)count);
}

static void play_resize(struct spot spot) {
    struct state *state = &at(spot)->state;
    int pages = random_below(PAGES);
    struct words words = command("BLOB.SETPROPS", spot);
    words_add_line(&words, pool_print("SIZE %d SEQUENCE INCREMENT", pages * PAGE));
    if (!expect_outcome(&words, refusal_of_kind(at(spot), PAGED, false))) return;
    size_t length = (size_t)pages * PAGE;
    if (length < state->length) {
        memset(state->content + length, 0, state->length - length);
        memset(state->present + pages, 0, (size_t)(PAGES - pages));
    }
    state->length = length;
    state->sequence++;
}

/* --- Append blobs --- */

static void play_createappend(struct spot spot) {
    struct words words = command("BLOB.CREATEAPPEND", spot);
    int meta = add_meta(&words);
    if (!expect_outcome(&words, refusal_of_kind(at(spot), APPENDED, true))) return;
    begin_state(at(spot), APPENDED, meta);
}

static void play_append(struct spot spot) {
    static char bytes[CONTENT_AT_MAX];
    struct state *state = &at(spot)->state;
    size_t length = 1 + some_length(70000);
    if (state->kind == APPENDED && state->length + length > CONTENT_AT_MAX) {
        play_createappend(spot);
        return;
    }
    random_fill(bytes, length);
    struct words words = command("BLOB.APPEND", spot);
    words_add_bytes(&words, bytes, length);
    if (random_below(2)) words_add_line(&words, pool_print("IFPOSITION %zu", state->length));
    redisReply *reply = expect_outcome(&words, refusal_of_kind(at(spot), APPENDED, false));
    if (!reply) return;
    expect_number(reply->element[1], (long long)state->length);
    expect_number(reply->element[2], ++state->appends);
    memcpy(state->content + state->length, bytes, length);
    state->length += length;
}

/* --- Snapshots and copies --- */

static void play_snapshot(struct spot spot) {
    struct blob *blob = at(spot);
    if (blob->snapshots == SNAPSHOTS) {
        int which = random_below(SNAPSHOTS);
        struct words words = command("BLOB.DELETE", spot);
        words_add_line(&words, pool_print("SNAPSHOT %s", blob->id[which]));
        expect_ok(call_words(primary, &words));
        for (int index = which; index + 1 < SNAPSHOTS; index++) {
            blob->taken[index] = blob->taken[index + 1];
            memcpy(blob->id[index], blob->id[index + 1], sizeof blob->id[index]);
        }
        blob->snapshots--;
        return;
    }
    struct words words = command("BLOB.SNAPSHOT", spot);
    int meta = add_meta(&words);
    redisReply *reply = expect_outcome(&words, refusal_of_kind(blob, NOTHING, false));
    if (!reply) return;
    blob->taken[blob->snapshots] = blob->state;
    if (meta >= 0) blob->taken[blob->snapshots].meta = meta;
    memcpy(blob->id[blob->snapshots++], expect_etag(reply), 19);
}

static void play_copy(struct spot spot) {
    static struct state copied;
    struct spot from = random_below(4) ? somewhere() : spot;
    struct blob *blob = at(spot), *source = at(from);
    struct words words = command("BLOB.COPY", spot);
    words_add(&words, containers[from.container]);
    words_add(&words, names[from.blob]);
    copied = source->state;
    if (source->snapshots && random_below(2)) {
        int which = random_below(source->snapshots);
        words_add_line(&words, pool_print("SNAPSHOT %s", source->id[which]));
        copied = source->taken[which];
    }
    int meta = add_meta(&words);
    const char *refusal = copied.kind == NOTHING ? "NOTFOUND BlobNotFound" : NULL;
    if (!refusal) refusal = refusal_of_kind(blob, copied.kind, true);
    if (!expect_outcome(&words, refusal)) return;
    unstage(blob);
    blob->state = copied;
    if (meta >= 0) blob->state.meta = meta;
}

/* --- Comparing --- */

static redisReply *ask(struct client *client, const char *name, struct spot spot, const char *id,
                       const char *rest) {
    struct words words = command(name, spot);
    if (id) words_add_line(&words, pool_print("SNAPSHOT %s", id));
    words_add_line(&words, rest);
    redisReply *reply = call_words(client, &words);
    require(!reply_is_error(reply), "%s gave %s", words_text(&words), reply_text(reply));
    return reply;
}

static void compare_pages(struct client *client, struct spot spot, const char *id,
                          const struct state *state) {
    struct text ranges = {0};
    text_add(&ranges, "[", 1);
    for (int page = 0, begin = -1; page <= PAGES; page++) {
        bool is_there = page < PAGES && state->present[page];
        if (is_there && begin < 0) begin = page;
        if (is_there || begin < 0) continue;
        text_print(&ranges, "%s[%d, %d]", ranges.length > 1 ? ", " : "", begin * PAGE, (page - begin) * PAGE);
        begin = -1;
    }
    text_add(&ranges, "]", 1);
    expect_shape(field(ask(client, "BLOB.GETPAGES", spot, id, ""), "pages"), ranges.bytes);
}

static void compare_blocks(struct client *client, struct spot spot, const char *id,
                           const struct state *state) {
    struct text blocks = {0};
    text_add(&blocks, "[", 1);
    bool any = state->kind != NOTHING && state->has_blocks;
    for (int index = 0; any && index < state->blocks; index++) {
        const struct block *block = &state->block[index];
        text_print(&blocks, "%s[\"%s\", %zu]", index ? ", " : "", id_texts[block->id / IDS][block->id % IDS],
                   block->length);
    }
    text_add(&blocks, "]", 1);
    expect_shape(field(ask(client, "BLOB.GETBLOCKLIST", spot, id, ""), "committed"), blocks.bytes);
}

static void compare_state(struct client *client, struct spot spot, const char *id,
                          const struct state *state) {
    static const char *const kinds[] = {"", "block", "page", "append"};
    redisReply *stat = ask(client, "BLOB.STAT", spot, id, "");
    expect_text(field(stat, "blob-type"), kinds[state->kind]);
    expect_number(field(stat, "content-length"), (long long)state->length);
    const char *meta = state->meta < 0 ? "[]" : pool_print("[\"n\", \"%d\"]", state->meta);
    expect_shape(field(stat, "meta"), meta);
    if (state->kind == PAGED) expect_number(field(stat, "sequence-number"), state->sequence);
    if (state->kind == APPENDED) expect_number(field(stat, "block-count"), state->appends);
    expect_bytes(ask(client, "BLOB.GET", spot, id, "")->element[1], state->content, state->length);
    if (state->length) {
        size_t offset = random_size(state->length), length = 1 + random_size(2000);
        redisReply *part = ask(client, "BLOB.GET", spot, id, pool_print("RANGE %zu %zu", offset, length));
        if (length > state->length - offset) length = state->length - offset;
        expect_bytes(part->element[1], state->content + offset, length);
    }
    if (state->kind == PAGED) compare_pages(client, spot, id, state);
    if (state->kind == BLOCK) compare_blocks(client, spot, id, state);
}

static void compare_staged(struct client *client, struct spot spot) {
    const struct blob *blob = at(spot);
    struct text blocks = {0};
    text_add(&blocks, "[", 1);
    for (int id = 0; id < IDS; id++) {
        if (!blob->staged[id].is_there) continue;
        text_print(&blocks, "%s[\"%s\", %zu]", blocks.length > 1 ? ", " : "", id_texts[blob->id_form][id],
                   blob->staged[id].length);
    }
    text_add(&blocks, "]", 1);
    bool shown = is_staged(blob) || blob->state.kind == BLOCK;
    struct words words = command("BLOB.GETBLOCKLIST", spot);
    words_add(&words, "UNCOMMITTED");
    redisReply *reply = call_words(client, &words);
    if (shown) expect_shape(field(reply, "uncommitted"), blocks.bytes);
    if (!shown) assert_true(reply_is_error(reply));
}

static void compare_all(struct client *client) {
    for (int container = 0; container < CONTAINERS; container++) {
        long long blobs = 0, bytes = 0;
        for (int blob = 0; blob < BLOBS; blob++) {
            struct spot spot = {container, blob};
            const struct blob *expected = at(spot);
            compare_staged(client, spot);
            if (expected->state.kind == NOTHING) continue;
            blobs++;
            bytes += (long long)expected->state.length;
            compare_state(client, spot, NULL, &expected->state);
            for (int taken = 0; taken < expected->snapshots; taken++)
                compare_state(client, spot, expected->id[taken], &expected->taken[taken]);
        }
        redisReply *all = call(client, "CONTAINER.GET %s", containers[container]);
        expect_number(field(all, "blobs"), blobs);
        expect_number(field(all, "bytes"), bytes);
    }
}

static void play_step(void) {
    static const struct {
        int weight;
        void (*play)(struct spot spot);
    } plays[] = {
        {8, play_put},           {4, play_setmeta},    {8, play_delete},   {20, play_putblock},
        {10, play_putblocklist}, {5, play_createpage}, {14, play_pages},   {4, play_resize},
        {4, play_createappend},  {9, play_append},     {7, play_snapshot}, {7, play_copy},
    };
    int drawn = random_below(100);
    size_t index = 0;
    while (drawn >= plays[index].weight) drawn -= plays[index++].weight;
    plays[index].play(somewhere());
}

static void forget(void *thing) {
    (void)thing;
    for (int container = 0; container < CONTAINERS; container++)
        for (int blob = 0; blob < BLOBS; blob++) unstage(&model[container][blob]);
    memset(model, 0, sizeof model);
}

/* `look` is what happens now and then before all is compared. */
static void play_sequence(int steps, void (*look)(void)) {
    random_begin();
    pool_keep(&model, forget);
    for (int container = 0; container < CONTAINERS; container++) create(containers[container]);
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
    for (int container = 0; container < CONTAINERS; container++) pass_through_copies(containers[container]);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        RUN(random_blobs_are_the_same_on_replicas),
        RUN(random_blobs_are_the_same_after_loading),
        RUN(random_blobs_are_the_same_under_other_names),
        RUN(random_blobs_are_the_same_in_append_only_files),
    };
    return harness_run("blob_random", tests);
}
