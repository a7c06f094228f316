/* Changes that build a share from a file: each has its place in the order, and names nodes and snapshots that are there.
 * What does not fit does nothing. */
#include "file/share.h"
#include "unit.h"

enum { STEPS_MAX = 8, SNAPSHOTS = 2 };

#define NODE(...)                                                                                            \
    { .kind = LOAD_NODE, .name = {"a", 1}, __VA_ARGS__ }
#define PLACE(...)                                                                                           \
    { .kind = LOAD_SNAPSHOT_PLACE, .name = {"a", 1}, __VA_ARGS__ }
#define STATE(...)                                                                                           \
    { .kind = LOAD_STATE, .stamp = {1, 1}, __VA_ARGS__ }
#define ROOT      STATE(0)
#define DIRECTORY .node_kind = NODE_DIRECTORY

/* All steps but the last fit; the last one does if the row says so. */
static const struct {
    const char *why;
    bool fits;
    struct share_change steps[STEPS_MAX];
} rows[] = {
    {"a file behind the root", true, {ROOT, NODE(0)}},
    {"a file before the root is known", false, {NODE(0)}},
    {"a file before its directory is known", false, {ROOT, NODE(DIRECTORY), NODE(.parent_number = 1)}},
    {"a file below a file", false, {ROOT, NODE(0), STATE(0), NODE(.parent_number = 1)}},
    {"a file below nothing", false, {ROOT, NODE(.parent_number = 1)}},
    {"a name twice", false, {ROOT, NODE(0), STATE(0), NODE(0)}},
    {"as young as the last snapshot", true, {ROOT, NODE(.born = SNAPSHOTS)}},
    {"younger than all snapshots", false, {ROOT, NODE(.born = SNAPSHOTS + 1)}},
    {"a file of a snapshot", true, {ROOT, NODE(.born = 1, .last = SNAPSHOTS)}},
    {"a file of no snapshot", false, {ROOT, NODE(.born = 1, .last = 1)}},
    {"a file of a snapshot that is not there", false, {ROOT, NODE(.born = 1, .last = SNAPSHOTS + 1)}},
    {"a file in a directory of snapshots alone",
     false,
     {ROOT, NODE(DIRECTORY, .last = 1), STATE(0), NODE(.parent_number = 1)}},
    {"another place in a snapshot",
     true,
     {ROOT, NODE(.born = 1), STATE(0), PLACE(.node_number = 1, .last = 1)}},
    {"another place now", false, {ROOT, NODE(0), STATE(0), PLACE(.node_number = 1, .last = 1)}},
    {"another place in no snapshot",
     false,
     {ROOT, NODE(.born = 2), STATE(0), PLACE(.node_number = 1, .born = 1, .last = 1)}},
    {"another place in a snapshot that is not there",
     false,
     {ROOT, NODE(.born = 1, .last = 2), STATE(0), PLACE(.node_number = 1, .born = 2, .last = SNAPSHOTS + 1)}},
    {"another place that somebody has",
     false,
     {ROOT, NODE(.born = 1), STATE(0), NODE(.last = 1), STATE(0), PLACE(.node_number = 1, .last = 1)}},
    {"another place of the root", false, {ROOT, PLACE(.last = 1)}},
    {"another place of nothing", false, {ROOT, PLACE(.node_number = 1, .last = 1)}},
    {"another place of what is being loaded",
     false,
     {ROOT, NODE(.born = 1), PLACE(.node_number = 1, .last = 1)}},
    {"an older state", true, {ROOT, NODE(0), STATE(.last = 1)}},
    {"a state of a snapshot that is not there", false, {ROOT, NODE(0), STATE(.last = SNAPSHOTS + 1)}},
    {"a state of a snapshot twice", false, {ROOT, NODE(0), STATE(.last = 1), STATE(.last = 1)}},
    {"an older state behind a newer one", false, {ROOT, NODE(0), STATE(.last = 2), STATE(.last = 1)}},
    {"a state of nothing", false, {ROOT, STATE(0)}},
    {"changed with the last snapshot", true, {ROOT, NODE(0), STATE(.changed = SNAPSHOTS)}},
    {"changed behind the last snapshot", false, {ROOT, NODE(0), STATE(.changed = SNAPSHOTS + 1)}},
    {"changed before its older state", false, {ROOT, NODE(0), STATE(.last = 2), STATE(.changed = 1)}},
    {"a length of a file", true, {ROOT, NODE(0), {.kind = LOAD_LENGTH, .length = 9}}},
    {"a length of a directory", false, {{.kind = LOAD_LENGTH, .length = 9}}},
    {"a length of nothing", false, {ROOT, {.kind = LOAD_LENGTH, .length = 9}}},
    {"a leaf without its pages",
     false,
     {ROOT, NODE(0), {.kind = LOAD_LENGTH, .length = 512}, {.kind = LOAD_LEAF, .present = 1}}},
    {"the end", true, {ROOT, NODE(0), STATE(0), {.kind = LOAD_END}}},
    {"the end before a state", false, {ROOT, NODE(0), {.kind = LOAD_END}}},
    {"a file behind the end", false, {ROOT, NODE(0), STATE(0), {.kind = LOAD_END}, NODE(0)}},
};

static bool takes(struct share *share, const struct share_change *step) {
    struct share_change change = *step;
    return share_apply(share, &change);
}

static struct share *share_with_snapshots(void) {
    struct share *share = share_new(&(struct share_change){.kind = SHARE_CREATE, .stamp = {1, 1}});
    for (version id = 10; id < 10 + SNAPSHOTS; id++) {
        struct share_change change = {.kind = SHARE_SNAPSHOT, .stamp = {id, 1}, .snapshot = id};
        require(takes(share, &change), "a snapshot");
    }
    return share;
}

TEST(a_step_that_does_not_fit_does_nothing) {
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct share_change *step = rows[i].steps;
        struct share *share = share_with_snapshots();
        for (; step < rows[i].steps + STEPS_MAX - 1 && step[1].kind != SHARE_CREATE; step++)
            require(takes(share, step), "%s: step %zu", rows[i].why, (size_t)(step - rows[i].steps));
        size_t allocations = share_allocations(share), memory = share_memory(share);
        require_same(takes(share, step), rows[i].fits, "%s", rows[i].why);
        if (!rows[i].fits) {
            require_same(share_allocations(share), allocations, "%s", rows[i].why);
            require_same(share_memory(share), memory, "%s", rows[i].why);
        }
        share_free(share);
    }
}
