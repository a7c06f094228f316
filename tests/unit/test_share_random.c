/* Shares: random lives against a naive model of the tree and of each snapshot; and after every few steps the same share
 * built anew from its own records, as a file has them, and as a twin. */
#include "core/memory.h"
#include "dice.h"
#include "file/share_apply.h"
#include "file/share_load.h"
#include "file/share_walk.h"
#include "file/tree.h"
#include "mover.h"
#include "share_trial.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    NAMES = 3,
    DEPTH = 3,
    PATHS = NAMES + NAMES * NAMES + NAMES * NAMES * NAMES,
    BYTES_MAX = 1600,
    SNAPSHOTS_MAX = 6,
    SESSIONS = 3,
    STEPS = 700,
    LIVES = 24,
};

/* What stands at a path: 0 for nothing. */
enum target { NOTHING, A_FILE, A_DIRECTORY };

struct place {
    uint8_t target;
    uint8_t meta; /* 0 for none, or the value */
    uint16_t length;
    unsigned char bytes[BYTES_MAX];
};

struct picture {
    struct place places[PATHS];
};

struct life {
    struct dice dice;
    struct share *share;
    struct picture *now;
    struct picture *then[SNAPSHOTS_MAX];
    unsigned snapshots;
    version versions;
    uint64_t ids;
    char text[PATHS][16];
};

/* --- Paths, by number --- */

/* Numbers of one level follow each other, children of one directory as well. */
static int parent_of(int path) {
    return path < NAMES ? -1 : (path - NAMES) / NAMES;
}

static int first_child(int path) {
    return path * NAMES + NAMES;
}

static struct bytes path_of(struct life *life, int path) {
    return bytes_text(life->text[path]);
}

static void name_paths(struct life *life) {
    for (int path = 0; path < PATHS; path++) {
        int parent = parent_of(path);
        char *text = life->text[path];
        size_t length = 0;
        if (parent >= 0) {
            length = strlen(life->text[parent]);
            memcpy(text, life->text[parent], length);
            text[length++] = '/';
        }
        text[length] = "aBc"[path % NAMES];
    }
}

static int deepest_first(int path) {
    return first_child(path) < PATHS ? first_child(path) : -1;
}

/* --- The model --- */

static bool has_children(const struct picture *picture, int path) {
    int child = deepest_first(path);
    for (int i = 0; child >= 0 && i < NAMES; i++)
        if (picture->places[child + i].target) return true;
    return false;
}

static bool parent_is_there(const struct picture *picture, int path) {
    int parent = parent_of(path);
    return parent < 0 || picture->places[parent].target == A_DIRECTORY;
}

static int level_of(int path) {
    return path < 0 ? 0 : 1 + level_of(parent_of(path));
}

static int height_of(const struct picture *picture, int path) {
    int child = deepest_first(path), max = 0;
    for (int i = 0; child >= 0 && i < NAMES; i++) {
        int height = picture->places[child + i].target ? 1 + height_of(picture, child + i) : 0;
        if (height > max) max = height;
    }
    return max;
}

static void move_places(struct picture *picture, int from, int to) {
    picture->places[to] = picture->places[from];
    int child = deepest_first(from), goal = deepest_first(to);
    for (int i = 0; child >= 0 && goal >= 0 && i < NAMES; i++) move_places(picture, child + i, goal + i);
    picture->places[from] = (struct place){0};
}

static bool is_below(int path, int above) {
    while (path > above) path = parent_of(path);
    return path == above;
}

/* --- Changes --- */

static bool apply(struct life *life, struct share_change *change) {
    if (!change->stamp.etag) change->stamp = (struct stamp){++life->versions, 1000};
    return share_apply(life->share, change);
}

static struct guid guid_of(uint64_t number) {
    return (struct guid){number * 0x9e3779b97f4a7c15U, number};
}

static void put_meta(struct record_writer *writer, uint8_t value, struct packed_list *list) {
    record_start(writer);
    if (value) {
        char text[8];
        snprintf(text, sizeof(text), "%d", value);
        record_put_bytes(writer, bytes_text("m"));
        record_put_bytes(writer, bytes_text(text));
    }
    *list = (struct packed_list){value != 0, bytes_of(writer->data, writer->length)};
}

static void try_create(struct life *life, int path, enum target target) {
    struct place *place = &life->now->places[path];
    uint16_t length = (uint16_t)dice_roll(&life->dice, BYTES_MAX);
    uint8_t meta = (uint8_t)dice_roll(&life->dice, 3);
    struct record_writer room;
    struct share_change change = {
        .kind = target == A_FILE ? FILE_CREATE : FILE_MKDIR, .path = path_of(life, path), .length = length};
    put_meta(&room, meta, &change.metadata);
    bool fits = parent_is_there(life->now, path) &&
                (place->target == NOTHING || (target == A_FILE && place->target == A_FILE));
    require_same(apply(life, &change), fits, "creating %s", life->text[path]);
    record_end(&room);
    if (!fits) return;
    *place = (struct place){.target = (uint8_t)target, .meta = meta, .length = target == A_FILE ? length : 0};
}

static void try_write(struct life *life, int path) {
    struct place *place = &life->now->places[path];
    char bytes[700];
    size_t length = 1 + dice_roll(&life->dice, sizeof(bytes) - 1);
    uint64_t offset = dice_roll(&life->dice, BYTES_MAX);
    memset(bytes, (int)dice_roll(&life->dice, 256), length);
    struct share_change change = {.kind = FILE_PUTRANGE,
                                  .path = path_of(life, path),
                                  .offset = offset,
                                  .content = bytes_of(bytes, length)};
    bool fits = place->target == A_FILE && offset + length <= place->length;
    require_same(apply(life, &change), fits, "writing to %s", life->text[path]);
    if (fits) memcpy(place->bytes + offset, bytes, length);
}

static void try_clear(struct life *life, int path) {
    struct place *place = &life->now->places[path];
    uint64_t offset = dice_roll(&life->dice, BYTES_MAX), length = 1 + dice_roll(&life->dice, 1200);
    struct share_change change = {
        .kind = FILE_CLEARRANGE, .path = path_of(life, path), .offset = offset, .length = length};
    bool fits = place->target == A_FILE && offset + length <= place->length;
    require_same(apply(life, &change), fits, "clearing %s", life->text[path]);
    if (fits) memset(place->bytes + offset, 0, length);
}

static void try_resize(struct life *life, int path) {
    struct place *place = &life->now->places[path];
    uint16_t length = (uint16_t)dice_roll(&life->dice, BYTES_MAX);
    struct share_change change = {
        .kind = FILE_SETPROPS, .path = path_of(life, path), .parts = FILE_PART_LENGTH, .length = length};
    bool fits = place->target == A_FILE;
    require_same(apply(life, &change), fits, "resizing %s", life->text[path]);
    if (!fits) return;
    if (length < place->length) memset(place->bytes + length, 0, BYTES_MAX - length);
    place->length = length;
}

static void try_setmeta(struct life *life, int path) {
    uint8_t meta = (uint8_t)dice_roll(&life->dice, 4);
    struct record_writer room;
    struct share_change change = {.kind = FILE_SETMETA, .path = path_of(life, path)};
    put_meta(&room, meta, &change.metadata);
    bool fits = life->now->places[path].target;
    require_same(apply(life, &change), fits, "metadata of %s", life->text[path]);
    record_end(&room);
    if (fits) life->now->places[path].meta = meta;
}

static void try_delete(struct life *life, int path) {
    struct place *place = &life->now->places[path];
    bool file = place->target == A_FILE;
    struct share_change change = {.kind = file ? FILE_DELETE : FILE_RMDIR, .path = path_of(life, path)};
    bool fits = file || (place->target == A_DIRECTORY && !has_children(life->now, path));
    require_same(apply(life, &change), fits, "deleting %s", life->text[path]);
    if (fits) *place = (struct place){0};
}

static void try_copy(struct life *life, int path, int to) {
    struct place *place = &life->now->places[path], *goal = &life->now->places[to];
    struct share_change change = {
        .kind = FILE_COPY, .path = path_of(life, path), .target = path_of(life, to)};
    bool fits = place->target == A_FILE && goal->target != A_DIRECTORY && parent_is_there(life->now, to);
    require_same(apply(life, &change), fits, "copying %s to %s", life->text[path], life->text[to]);
    if (fits) *goal = *place;
}

static void try_rename(struct life *life, int path, int to) {
    const struct place *place = &life->now->places[path], *goal = &life->now->places[to];
    struct share_change change = {
        .kind = FILE_RENAME, .path = path_of(life, path), .target = path_of(life, to)};
    bool fits = place->target && parent_is_there(life->now, to) && !is_below(parent_of(to), path);
    if (goal->target && to != path) fits &= place->target == A_FILE && goal->target == A_FILE;
    /* What would be deeper than the model's paths is left out. */
    if (fits && level_of(to) + height_of(life->now, path) > DEPTH) return;
    require_same(apply(life, &change), fits, "moving %s to %s", life->text[path], life->text[to]);
    if (fits && to != path) move_places(life->now, path, to);
}

static void take_snapshot(struct life *life) {
    if (life->snapshots == SNAPSHOTS_MAX) return;
    struct share_change change = {.kind = SHARE_SNAPSHOT, .snapshot = ++life->versions};
    require(apply(life, &change), "a snapshot");
    struct picture *picture = malloc(sizeof(*picture));
    *picture = *life->now;
    life->then[life->snapshots++] = picture;
}

/* --- Handles: what they do to the tree is that files go; the model has none that are open --- */

static void open_and_close(struct life *life, int path) {
    uint64_t number = ++life->ids;
    struct share_change begin = {
        .kind = SHARE_CONNECT, .session = guid_of(number), .ttl_ms = 1000, .instant_ms = 5000};
    require(apply(life, &begin), "a session");
    struct share_change open = {.kind = FILE_OPEN,
                                .path = path_of(life, path),
                                .session = begin.session,
                                .handle = guid_of(number),
                                .sharing = {SHARING_READ | SHARING_DELETE, SHARING_ALL},
                                .deletes_on_close = dice_roll(&life->dice, 2)};
    bool file = life->now->places[path].target == A_FILE;
    require_same(apply(life, &open), file, "opening %s", life->text[path]);
    struct share_change lock = {
        .kind = FILE_LOCK, .handle = open.handle, .lock = LOCK_SHARED, .offset = number % 7, .length = 9};
    require_same(apply(life, &lock), file, "locking %s", life->text[path]);
    struct share_change end = {.kind = SHARE_DISCONNECT, .session = begin.session};
    struct share_change sweep = {.kind = SHARE_SWEEP, .session = begin.session, .on = true};
    require(apply(life, &end) && apply(life, &sweep), "the end of a session");
    require_same(life->share->sessions.count, 0, "sessions");
    if (file && open.deletes_on_close) life->now->places[path] = (struct place){0};
}

/* --- Comparing --- */

static void compare_content(const struct node_view *view, const struct place *place, const char *text) {
    char bytes[BYTES_MAX];
    require_same(view->content->length, place->length, "the length of %s", text);
    sparse_read(view->content, 0, bytes, place->length);
    require_bytes(bytes_of(bytes, place->length), bytes_of(place->bytes, place->length), "%s", text);
}

static void compare_place(struct life *life, const struct share *share, const struct picture *picture,
                          unsigned snapshot, int path) {
    const struct place *place = &picture->places[path];
    const struct file_node *node = tree_find_in_snapshot(share, path_of(life, path), snapshot);
    require_same(node != NULL, place->target != NOTHING, "%s in %u", life->text[path], snapshot);
    if (!node) return;
    struct node_view view = node_view(node, snapshot);
    require_same(node_is_file(node), place->target == A_FILE, "the kind of %s in %u", life->text[path],
                 snapshot);
    require_same(view.metadata.count, place->meta != 0, "the metadata of %s in %u", life->text[path],
                 snapshot);
    if (place->meta) {
        struct record_reader reader = record_reader(view.metadata.items);
        struct bytes name, value;
        require(packed_next_pair(&reader, &name, &value), "a pair");
        require_same(value.data[0] - '0', place->meta, "the metadata of %s in %u", life->text[path],
                     snapshot);
    }
    if (node_is_file(node)) compare_content(&view, place, life->text[path]);
}

static void compare_picture(struct life *life, const struct share *share, const struct picture *picture,
                            unsigned snapshot) {
    size_t count = 0;
    for (int path = 0; path < PATHS; path++) {
        compare_place(life, share, picture, snapshot, path);
        count += picture->places[path].target != NOTHING;
    }
    require_same(share_count_listed(share, share->root->directory, snapshot), count, "listed in %u",
                 snapshot);
}

static void compare_all(struct life *life, const struct share *share) {
    compare_picture(life, share, life->now, 0);
    for (unsigned i = 0; i < life->snapshots; i++) compare_picture(life, share, life->then[i], i + 1);
}

/* --- Built anew --- */

static void compare_rebuilt(struct life *life) {
    struct record_writer *bytes = malloc(sizeof(*bytes));
    struct share *again = share_rebuilt(life->share, bytes);
    compare_all(life, again);
    share_free(again);
    record_end(bytes);
    free(bytes);
    share_require_whole(life->share);
    struct share *twin = share_copy(life->share);
    compare_all(life, twin);
    share_free(twin);
}

/* --- Lives --- */

static void step(struct life *life) {
    int path = (int)dice_roll(&life->dice, PATHS), other = (int)dice_roll(&life->dice, PATHS);
    switch (dice_roll(&life->dice, 16)) {
    case 0:
    case 1:
    case 2: try_create(life, path, A_FILE); break;
    case 3:
    case 4:
    case 5: try_create(life, path % (NAMES + NAMES * NAMES), A_DIRECTORY); break;
    case 6:
    case 7:
    case 8: try_write(life, path); break;
    case 9: try_clear(life, path); break;
    case 10: try_resize(life, path); break;
    case 11: try_setmeta(life, path); break;
    case 12: try_delete(life, path); break;
    case 13: try_copy(life, path, other); break;
    case 14: try_rename(life, path, other); break;
    default: open_and_close(life, path); break;
    }
    if (!dice_roll(&life->dice, 60)) take_snapshot(life);
}

static struct share *new_share(struct life *life) {
    struct share_change change = {.kind = SHARE_CREATE, .stamp = {++life->versions, 1}};
    return share_new(&change);
}

static void relocate_all(struct life *life) {
    struct relocation relocation = mover(&life->dice);
    life->share = share_relocate(life->share, &relocation);
    for (size_t place = 0; place < life->share->nodes.by_hash.buckets; place++)
        share_relocate_nodes(life->share, place, &relocation);
}

static void live(uint64_t seed) {
    struct life *life = calloc(1, sizeof(*life));
    life->dice = (struct dice){seed};
    life->now = calloc(1, sizeof(*life->now));
    life->share = new_share(life);
    name_paths(life);
    for (int i = 0; i < STEPS; i++) {
        step(life);
        if (i % 50 == 0) relocate_all(life);
        if (i % 10 == 0) compare_all(life, life->share);
        if (i % 70 == 0) compare_rebuilt(life);
    }
    compare_all(life, life->share);
    compare_rebuilt(life);
    share_free(life->share);
    for (unsigned i = 0; i < life->snapshots; i++) free(life->then[i]);
    free(life->now);
    free(life);
}

static void random_lives(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= LIVES; seed++) live(seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {tidy_test(random_lives)};
    return cmocka_run_group_tests_name("share random", tests, NULL, NULL);
}
