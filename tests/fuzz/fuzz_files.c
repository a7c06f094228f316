/* The framing of files: a value that has lived a little is written down as the pieces of which a file consists, records
 * and the contents behind them; somebody swaps, drops, doubles, cuts and changes pieces; and the rest is loaded.
 *
 * A file that nobody has touched gives back the same value. Whatever else is believed to its end is whole, is saved to
 * pieces that load to the same again, and takes no more memory than a multiple of the file. What is not believed leaves
 * nothing behind. The life goes on in what was loaded: a container does as a model that has learnt what was loaded, and
 * anything else gets the changes of the value that nobody has touched, whether they fit or not, and stays whole.
 *
 * The first byte chooses the family, the second one how many edits there are, and how many of the last choices come
 * after loading. Each edit has four bytes; each choice of what happens in the value's life, behind them, has eight. */
#include "allocations.h"
#include "blob/container_walk.h"
#include "ccan/array_size/array_size.h"
#include "change_edit.h"
#include "container_trial.h"
#include "core/number.h"
#include "file/share.h"
#include "file/share_load.h"
#include "queue/queue.h"
#include "queue_trial.h"
#include "require.h"
#include "share_life.h"
#include "share_trial.h"
#include "table/table.h"
#include "table_trial.h"

#include <stdint.h>
#include <stdlib.h>

enum {
    PIECES_MAX = 2000,
    STEPS_MAX = 40,
    EDITS_MAX = 4,
    EDIT_BYTES = 4,
    CHOICE_BYTES = 8,
    HELD_PER_BYTE = 64,
    HELD_BESIDE = 1 << 16,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- Tapes --- */

struct tape {
    size_t count;
    struct bytes pieces[PIECES_MAX]; /* each an allocation of its own, with nothing behind it */
};

static struct bytes copy_of(struct bytes bytes) {
    char *copy = malloc(bytes.length ? bytes.length : 1);
    require(copy != NULL, "there is memory");
    if (bytes.length) memcpy(copy, bytes.data, bytes.length);
    return bytes_of(copy, bytes.length);
}

static void put_piece(struct tape *tape, struct bytes bytes) {
    require(tape->count < PIECES_MAX, "room for a piece");
    tape->pieces[tape->count++] = copy_of(bytes);
}

static void put_record(struct tape *tape, struct record_writer *record, const struct bytes *content) {
    put_piece(tape, record_written(record));
    if (content) put_piece(tape, *content);
    record_end(record);
}

static void drop_piece(struct tape *tape, size_t at) {
    free((void *)(uintptr_t)tape->pieces[at].data);
    tape->count--;
    memmove(&tape->pieces[at], &tape->pieces[at + 1], (tape->count - at) * sizeof(tape->pieces[0]));
}

static void end_tape(struct tape *tape) {
    while (tape->count) drop_piece(tape, tape->count - 1);
}

static size_t tape_bytes(const struct tape *tape) {
    size_t bytes = 0;
    for (size_t i = 0; i < tape->count; i++) bytes += tape->pieces[i].length;
    return bytes;
}

union any_change {
    struct container_change container;
    struct share_change share;
    struct queue_change queue;
    struct table_change table;
};

/* --- Loading: the next record of a file, and what stands behind it --- */

struct loader {
    const struct tape *tape;
    size_t at;
    struct container_loader container;
    struct container_census before;
    struct share *share;
    struct queue *queue;
    struct table *table;
};

static bool next_piece(struct loader *loader, struct bytes *piece) {
    if (loader->at == loader->tape->count) return false;
    *piece = loader->tape->pieces[loader->at++];
    return true;
}

static bool load_container(struct loader *loader, struct bytes record) {
    struct container_change change;
    struct bytes content = {"", 0};
    if (!change_read(&container_changes, record, &change)) return false;
    if (change_is(&container_changes, &change, CHANGE_HAS_CONTENT) && !next_piece(loader, &content))
        return false;
    return container_load(&loader->container, &change, content);
}

/* Reads a change, if a file may have such a one where it stands. */
static bool read_believed(const struct change_schema *changes, struct bytes record, void *change,
                          bool is_first) {
    if (!change_read(changes, record, change)) return false;
    bool creates = change_is(changes, change, CHANGE_CREATES);
    return creates == is_first && (creates || change_is(changes, change, CHANGE_IN_FILES));
}

static bool load_share(struct loader *loader, struct bytes record) {
    struct share_change change;
    struct bytes content = {"", 0};
    if (!read_believed(&share_changes, record, &change, !loader->share)) return false;
    if (loader->share && loader->share->load && !share_load_is(change.kind)) return false;
    if (change_is(&share_changes, &change, CHANGE_HAS_CONTENT) && !next_piece(loader, &content)) return false;
    return share_trial_take(&loader->share, record, content);
}

static bool load_queue(struct loader *loader, struct bytes record) {
    struct queue_change change;
    if (!read_believed(&queue_changes, record, &change, !loader->queue)) return false;
    if (loader->queue) return queue_apply(loader->queue, &change);
    loader->queue = queue_new(&change);
    return true;
}

static bool load_table(struct loader *loader, struct bytes record) {
    struct table_change change;
    if (!read_believed(&table_changes, record, &change, !loader->table)) return false;
    if (loader->table) return table_apply(loader->table, &change);
    loader->table = table_new(&change);
    return true;
}

/* --- Saving --- */

struct saving {
    struct tape *tape;
    const struct change_schema *changes;
    size_t content_at; /* of changes that have one */
};

static void save_change(void *context, const void *change) {
    const struct saving *saving = context;
    const void *content = (const char *)change + saving->content_at;
    struct record_writer record;
    record_start(&record);
    change_write(saving->changes, change, &record);
    put_record(saving->tape, &record,
               change_is(saving->changes, change, CHANGE_HAS_CONTENT) ? content : NULL);
}

static struct change_walk walk_to(struct saving *saving) {
    return (struct change_walk){.piece = SIZE_MAX, .holders = true, .take = save_change, .context = saving};
}

static void save_container(const struct container *container, struct tape *tape) {
    struct saving saving = {tape, &container_changes, offsetof(struct container_change, content)};
    const struct change_walk walk = walk_to(&saving);
    container_walk(container, &walk);
}

static void save_share(const struct share *share, struct tape *tape) {
    struct saving saving = {tape, &share_changes, offsetof(struct share_change, content)};
    const struct change_walk walk = walk_to(&saving);
    share_walk(share, &walk);
}

static void save_queue(const struct queue *queue, struct tape *tape) {
    struct saving saving = {.tape = tape, .changes = &queue_changes};
    const struct change_walk walk = walk_to(&saving);
    queue_walk(queue, &walk);
}

static void save_table(const struct table *table, struct tape *tape) {
    struct saving saving = {.tape = tape, .changes = &table_changes};
    const struct change_walk walk = walk_to(&saving);
    table_walk(table, &walk);
}

/* --- Families --- */

static bool loader_is_whole(const struct loader *loader) {
    const struct container *container = loader->container.container;
    if (container) return !container->load_chunks;
    if (loader->share) return !loader->share->load;
    return loader->queue || loader->table;
}

static void loader_save(const struct loader *loader, struct tape *tape) {
    if (loader->container.container) save_container(loader->container.container, tape);
    if (loader->share) save_share(loader->share, tape);
    if (loader->queue) save_queue(loader->queue, tape);
    if (loader->table) save_table(loader->table, tape);
}

static void loader_end(struct loader *loader) {
    if (loader->container.container) container_free(loader->container.container);
    if (loader->share) share_free(loader->share);
    if (loader->queue) queue_free(loader->queue);
    if (loader->table) table_free(loader->table);
}

/* A life is saved after its first steps. What was loaded then goes through the rest of it. */
struct steps {
    const uint8_t *choices;
    size_t early, count;
};

static void choice_at(const struct steps *steps, size_t at, void *choice) {
    memcpy(choice, steps->choices + at * CHOICE_BYTES, CHOICE_BYTES);
}

static void live_container(const struct steps *steps, struct tape *tape) {
    struct container_trial trial ENDS_BY(container_trial_end);
    struct choice choice = {0};
    container_trial_start(&trial, &choice);
    for (size_t i = 0; i < steps->early; i++) {
        choice_at(steps, i, &choice);
        container_trial_step(&trial, &choice);
    }
    save_container(trial.container, tape);
}

/* Beside a model that has learnt what was loaded. */
static void live_on_container(const struct steps *steps, struct loader *loader) {
    struct container_trial trial;
    struct choice choice;
    container_trial_adopt(&trial, loader->container.container, &loader->before);
    container_trial_compare(&trial);
    for (size_t i = steps->early; i < steps->count; i++) {
        choice_at(steps, i, &choice);
        container_trial_step(&trial, &choice);
        container_trial_compare(&trial);
    }
    container_trial_take_over(&trial, container_rebuild(trial.container, 1000));
    container_trial_copy(&trial);
    container_trial_end(&trial);
    loader->container.container = NULL;
}

/* All or the early steps of a life, of which the companion has the later ones. */
static void live_some_share(struct share_life *life, const struct steps *steps, size_t count,
                            struct share *companion) {
    struct share_choice choice;
    share_life_start(life);
    for (size_t i = 0; i < count; i++) {
        if (i == steps->early) life->companion = companion;
        choice_at(steps, i, &choice);
        share_life_step(life, &choice);
    }
}

static void live_share(const struct steps *steps, struct tape *tape) {
    static struct share_life life;
    live_some_share(&life, steps, steps->early, NULL);
    save_share(life.share, tape);
    share_free(life.share);
}

static void live_on_share(const struct steps *steps, struct loader *loader) {
    static struct share_life life;
    live_some_share(&life, steps, steps->count, loader->share);
    share_require_whole(loader->share);
    share_free(life.share);
}

static void live_some_queue(struct queue_trial *trial, const struct steps *steps, size_t count,
                            struct queue *companion) {
    struct queue_choice choice;
    queue_trial_start(trial);
    for (size_t i = 0; i < count; i++) {
        if (i == steps->early) trial->companion = companion;
        choice_at(steps, i, &choice);
        queue_trial_step(trial, &choice);
    }
}

static void live_queue(const struct steps *steps, struct tape *tape) {
    static struct queue_trial trial;
    live_some_queue(&trial, steps, steps->early, NULL);
    save_queue(trial.queue, tape);
    queue_trial_end(&trial);
}

static void live_on_queue(const struct steps *steps, struct loader *loader) {
    static struct queue_trial trial;
    live_some_queue(&trial, steps, steps->count, loader->queue);
    queue_trial_end(&trial);
}

static void live_some_table(struct table_trial *trial, const struct steps *steps, size_t count,
                            struct table *companion) {
    struct table_choice choice;
    table_trial_start(trial);
    for (size_t i = 0; i < count; i++) {
        if (i == steps->early) trial->companion = companion;
        choice_at(steps, i, &choice);
        table_trial_step(trial, &choice);
    }
}

static void live_table(const struct steps *steps, struct tape *tape) {
    static struct table_trial trial;
    live_some_table(&trial, steps, steps->early, NULL);
    save_table(trial.table, tape);
    table_trial_end(&trial);
}

static void live_on_table(const struct steps *steps, struct loader *loader) {
    static struct table_trial trial;
    live_some_table(&trial, steps, steps->count, loader->table);
    table_trial_end(&trial);
}

static const struct {
    const struct change_schema *changes;
    void (*live)(const struct steps *steps, struct tape *tape);
    bool (*load)(struct loader *loader, struct bytes record);
    void (*live_on)(const struct steps *steps, struct loader *loader);
} families[] = {
    {&container_changes, live_container, load_container, live_on_container},
    {&share_changes, live_share, load_share, live_on_share},
    {&queue_changes, live_queue, load_queue, live_on_queue},
    {&table_changes, live_table, load_table, live_on_table},
};

/* --- Edits --- */

static void flip(struct bytes piece, uint8_t at, uint8_t bits) {
    char *bytes = (char *)(uintptr_t)piece.data;
    if (piece.length) bytes[at % piece.length] ^= (char)bits;
}

static void double_piece(struct tape *tape, size_t at, size_t to) {
    struct bytes piece = tape->pieces[at];
    put_piece(tape, piece);
    piece = tape->pieces[tape->count - 1];
    memmove(&tape->pieces[to + 1], &tape->pieces[to], (tape->count - 1 - to) * sizeof(piece));
    tape->pieces[to] = piece;
}

/* A record that says something else, if it is sound. */
static void replace_record(struct tape *tape, size_t at, size_t family, const void *change) {
    union any_change again;
    struct record_writer record ENDS_BY(record_end);
    record_start(&record);
    change_write(families[family].changes, change, &record);
    struct bytes written = record_written(&record);
    if (change_read(families[family].changes, written, &again)) {
        struct bytes piece = copy_of(written);
        free((void *)(uintptr_t)tape->pieces[at].data);
        tape->pieces[at] = piece;
    }
}

static void edit_field(struct tape *tape, size_t at, size_t family, uint8_t field, uint8_t value) {
    union any_change change;
    if (!change_read(families[family].changes, tape->pieces[at], &change)) return;
    change_edit_field(families[family].changes, &change, field, value);
    replace_record(tape, at, family, &change);
}

/* Another change of the same kind and name; of containers. */
static void draw_again(struct tape *tape, size_t at, uint16_t seed) {
    struct container_change change;
    struct choice choice;
    struct dice dice = {seed};
    if (!change_read(&container_changes, tape->pieces[at], &change)) return;
    struct draft draft ENDS_BY(draft_end);
    dice_fill(&dice, &choice, sizeof(choice));
    choice.kind = (uint8_t)change.kind;
    draft_make(&draft, &choice);
    draft.change.name = change.name;
    replace_record(tape, at, 0, &draft.change);
}

enum {
    EDIT_CUT,
    EDIT_DROP,
    EDIT_DOUBLE,
    EDIT_SWAP,
    EDIT_FLIP,
    EDIT_SHORTEN,
    EDIT_FIELD,
    EDIT_DRAW,
    EDIT_KINDS
};

static void edit(struct tape *tape, size_t family, const uint8_t *bytes) {
    if (!tape->count) return;
    size_t at = bytes[1] % tape->count, other = bytes[2] % tape->count;
    struct bytes piece = tape->pieces[at];
    switch (bytes[0] % EDIT_KINDS) {
    case EDIT_CUT:
        while (tape->count > at) drop_piece(tape, tape->count - 1);
        break;
    case EDIT_DROP: drop_piece(tape, at); break;
    case EDIT_DOUBLE: double_piece(tape, at, other); break;
    case EDIT_SWAP:
        tape->pieces[at] = tape->pieces[other];
        tape->pieces[other] = piece;
        break;
    case EDIT_FLIP: flip(piece, bytes[2], bytes[3]); break;
    case EDIT_FIELD: edit_field(tape, at, family, bytes[2], bytes[3]); break;
    case EDIT_DRAW:
        if (!family) draw_again(tape, at, (uint16_t)(bytes[2] << 8 | bytes[3]));
        break;
    default: tape->pieces[at].length = piece.length ? bytes[2] % piece.length : 0;
    }
}

/* --- What must hold --- */

static bool load_all(size_t family, const struct tape *tape, struct loader *loader) {
    struct bytes record;
    *loader = (struct loader){.tape = tape, .before = container_census()};
    while (next_piece(loader, &record))
        if (!families[family].load(loader, record)) return false;
    return loader_is_whole(loader);
}

static void require_begins_with(const struct tape *tape, const struct tape *beginning) {
    require(tape->count >= beginning->count, "%zu pieces of %zu", tape->count, beginning->count);
    for (size_t i = 0; i < beginning->count; i++)
        require_bytes(tape->pieces[i], beginning->pieces[i], "piece %zu", i);
}

static void require_same_tape(const struct tape *tape, const struct tape *expected) {
    require_begins_with(tape, expected);
    require_same(tape->count, expected->count, "pieces");
}

/* What was loaded is saved, and loaded and saved again. */
static void require_lasting(size_t family, const struct loader *loader, struct tape *saved) {
    static struct tape again;
    struct loader next ENDS_BY(loader_end);
    loader_save(loader, saved);
    require(load_all(family, saved, &next), "what was saved is not loaded");
    loader_save(&next, &again);
    require_same_tape(&again, saved);
    end_tape(&again);
}

static void load_and_compare(size_t family, const struct tape *tape, const struct steps *steps,
                             bool is_untouched, bool is_beginning) {
    static struct tape saved;
    struct loader loader;
    size_t before = allocations_bytes(), max = tape_bytes(tape) * HELD_PER_BYTE + HELD_BESIDE;
    bool loaded = load_all(family, tape, &loader);
    require(allocations_bytes() - before <= max, "%zu bytes of memory out of %zu of a file",
            allocations_bytes() - before, tape_bytes(tape));
    require(loaded || !is_untouched, "a file that nobody has touched is not loaded");
    if (loaded) require_lasting(family, &loader, &saved);
    if (is_untouched) require_same_tape(&saved, tape);
    /* What has come is kept; a share has a root besides. A blob whose content has not
     * come is written as an empty one. */
    bool is_of_blobs = loader.container.container != NULL;
    if (loaded && is_beginning && !is_of_blobs) require_begins_with(&saved, tape);
    if (loaded && loader.share) share_require_whole(loader.share);
    end_tape(&saved);
    if (loaded && steps->early < steps->count) {
        families[family].live_on(steps, &loader);
        if (!is_of_blobs) require_lasting(family, &loader, &saved);
        end_tape(&saved);
    }
    loader_end(&loader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct tape tape;
    if (size < 2) return 0;
    size_t family = data[0] % ARRAY_SIZE(families), edits = data[1] % (EDITS_MAX + 1);
    size_t later = data[1] / (EDITS_MAX + 1);
    struct steps steps = {.choices = data + 2 + edits * EDIT_BYTES};
    if (size < (size_t)(steps.choices - data)) return 0;
    steps.count = size_min((size - (size_t)(steps.choices - data)) / CHOICE_BYTES, STEPS_MAX);
    steps.early = steps.count - size_min(steps.count, later);
    allocations_forget();
    families[family].live(&steps, &tape);
    for (size_t i = 0; i < edits; i++) edit(&tape, family, data + 2 + i * EDIT_BYTES);
    bool is_cut = edits == 1 && data[2] % EDIT_KINDS == EDIT_CUT;
    load_and_compare(family, &tape, &steps, !edits, is_cut);
    end_tape(&tape);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
