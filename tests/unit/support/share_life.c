#include "share_life.h"

#include "core/duration.h"
#include "file/share_walk.h"
#include "file/tree.h"
#include "mover.h"
#include "require.h"
#include "share_details.h"
#include "share_trial.h"

#include <ctype.h>
#include <stdlib.h>

enum { NAMES = 2, TTL_MS = 50, BYTES_MAX = 900, PASS_MAX_MS = 20 };

static const uint64_t offsets[] = {0, 1, 2, 3, 5, 8, UINT64_MAX - 3, UINT64_MAX};
static const uint64_t lengths[] = {0, 1, 2, 4, 7, 3, 5, UINT64_MAX};

/* --- Choices --- */

/* One to three names; the greatest bit chooses the case. */
static void choose_names(uint8_t choice, char names[MODEL_PATH_NAMES + 1]) {
    unsigned rest = choice % 128, depth = 1 + rest % MODEL_PATH_NAMES;
    memset(names, 0, MODEL_PATH_NAMES + 1);
    rest /= MODEL_PATH_NAMES;
    for (unsigned i = 0; i < depth; i++, rest /= NAMES) names[i] = (char)('a' + rest % NAMES);
}

struct life_path {
    char text[MODEL_PATH_BYTES];
    struct bytes bytes;
    struct model_place place;
};

static void shift_case(struct life_path *path, bool upper) {
    char *text = path->text + (path->bytes.data - path->text);
    for (size_t i = 0; upper && i < path->bytes.length; i++) text[i] = (char)toupper(text[i]);
}

static void choose_path(const struct share_life *life, uint8_t choice, struct life_path *path) {
    char names[MODEL_PATH_NAMES + 1];
    size_t length = 0;
    choose_names(choice, names);
    path->place = share_model_find(&life->model, names);
    for (int i = 0; names[i]; i++) {
        if (i) path->text[length++] = '/';
        path->text[length++] = names[i];
    }
    path->bytes = bytes_of(path->text, length);
    shift_case(path, choice & 128);
}

/* Mostly that of a file which is there. */
static void choose_file(const struct share_life *life, uint8_t choice, struct life_path *path) {
    choose_path(life, choice, path);
    for (int i = 0; choice % 8 && i < MODEL_NODES; i++) {
        int number = (choice + i) % MODEL_NODES;
        if (life->model.nodes[number].kind != MODEL_FILE) continue;
        path->bytes = share_model_path(&life->model, number, path->text);
        path->place.node = number;
        path->place.parent = life->model.nodes[number].parent;
        shift_case(path, choice & 128);
        return;
    }
}

/* Mostly one that is there, or one that is not. */
static int choose_handle(const struct share_life *life, uint8_t choice, bool is_there) {
    for (int i = 0; choice % 8 && i < MODEL_HANDLES; i++)
        if (life->model.handles[(choice + i) % MODEL_HANDLES].is_there == is_there)
            return (choice + i) % MODEL_HANDLES;
    return choice % MODEL_HANDLES;
}

/* Mostly one that has not ended. */
static int choose_session(const struct share_life *life, uint8_t choice) {
    for (int i = 0; choice % 8 && i < MODEL_SESSIONS; i++) {
        const struct model_session *session = &life->model.sessions[(choice + i) % MODEL_SESSIONS];
        if (session->is_there && !session->ended) return (choice + i) % MODEL_SESSIONS;
    }
    return choice % MODEL_SESSIONS;
}

static struct lock_range choose_range(const struct share_choice *choice) {
    return (struct lock_range){offsets[choice->range % 8], lengths[choice->range / 8 % 8]};
}

static bool ends_in_time(struct lock_range range) {
    return range.offset == 0 || range.length <= UINT64_MAX - range.offset + 1;
}

static struct sharing choose_sharing(uint8_t choice) {
    return (struct sharing){choice & SHARING_ALL, choice >> 3 & SHARING_ALL};
}

static struct guid session_id(int session) {
    return (struct guid){0x5e, (uint64_t)session + 1};
}

static struct guid handle_id(int handle) {
    return (struct guid){0x4a, (uint64_t)handle + 1};
}

/* --- Changes --- */

/* Through a record. */
static void say(struct share_life *life, struct share_change *change, bool fits) {
    struct record_writer record;
    change->stamp = (struct stamp){++life->versions, life->now_ms};
    record_start(&record);
    change_write(&share_changes, change, &record);
    bool applied = share_trial_take(&life->share, bytes_of(record.data, record.length), change->content);
    require_same(applied, fits, "a change of kind %d", (int)change->kind);
    if (life->companion)
        share_trial_take(&life->companion, bytes_of(record.data, record.length), change->content);
    record_end(&record);
}

static void say_node(struct share_life *life, const struct share_choice *choice) {
    struct life_path path, target;
    bool takes_file = choice->kind % 6 >= 3;
    if (takes_file)
        choose_file(life, choice->path, &path);
    else
        choose_path(life, choice->path, &path);
    choose_path(life, choice->target, &target);
    struct share_change change = {.path = path.bytes, .target = target.bytes};
    struct share_model *model = &life->model;
    bool fits = false;
    change.length = choice->range;
    if (!share_model_has_room(model)) return;
    switch (choice->kind % 6) {
    case 0:
        change.kind = FILE_CREATE;
        fits = share_model_create(model, path.place, MODEL_FILE, change.length);
        break;
    case 1:
        change.kind = FILE_MKDIR;
        fits = share_model_create(model, path.place, MODEL_DIRECTORY, 0);
        break;
    case 2:
        change.kind = FILE_RMDIR;
        fits = share_model_remove(model, path.place, MODEL_DIRECTORY);
        break;
    case 3:
        change.kind = FILE_DELETE;
        fits = share_model_remove(model, path.place, MODEL_FILE);
        break;
    case 4:
        change.kind = FILE_COPY;
        fits = share_model_copy(model, path.place, target.place);
        break;
    default: change.kind = FILE_RENAME; fits = share_model_rename(model, path.place, target.place);
    }
    say(life, &change, fits);
}

static void say_session(struct share_life *life, const struct share_choice *choice) {
    int session = choice->session % MODEL_SESSIONS;
    struct share_change change = {.session = session_id(session),
                                  .ttl_ms = TTL_MS,
                                  .owner = share_details_owner(choice),
                                  .ends_with_connection = choice->sharing & 1};
    struct model_session *known = &life->model.sessions[session];
    bool fits;
    change.instant_ms = life->now_ms + choice->range % TTL_MS;
    switch (choice->kind % 8) {
    case 0:
    case 1:
    case 2:
        change.kind = SHARE_CONNECT;
        fits = share_model_connect(&life->model, session, change.instant_ms);
        break;
    case 3:
    case 4:
        change.kind = SHARE_PING;
        fits = known->is_there && !known->ended;
        if (fits) known->due_ms = change.instant_ms;
        break;
    case 5:
        change.kind = choice->range & 1 ? SHARE_DISCONNECT : SHARE_EXPIRE;
        fits = share_model_end_session(&life->model, session);
        break;
    default:
        change.kind = SHARE_SWEEP;
        change.on = true;
        fits = share_model_sweep(&life->model, session);
    }
    say(life, &change, fits);
}

/* Two handles at once, or the same one twice. */
static void say_close(struct share_life *life, const struct share_choice *choice, int handle) {
    struct record_writer handles;
    int other = choice->target % MODEL_HANDLES;
    struct share_change change = {.kind = choice->range & 1 ? FILE_CLOSE : FILE_CLOSEHANDLES};
    record_start(&handles);
    share_handle_put(&handles, handle_id(handle));
    share_handle_put(&handles, handle_id(other));
    change.handles = (struct packed_list){2, bytes_of(handles.data, handles.length)};
    bool first = share_model_close(&life->model, handle), second = share_model_close(&life->model, other);
    say(life, &change, first || second);
    record_end(&handles);
}

static void say_open(struct share_life *life, const struct share_choice *choice, int handle) {
    struct life_path path;
    int session = choose_session(life, choice->session);
    choose_file(life, choice->path, &path);
    struct model_handle as = {
        .session = session, .sharing = choose_sharing(choice->sharing), .deletes = choice->sharing & 64};
    struct share_change change = {.kind = FILE_OPEN,
                                  .path = path.bytes,
                                  .session = session_id(session),
                                  .handle = handle_id(handle),
                                  .sharing = as.sharing,
                                  .deletes_on_close = as.deletes,
                                  .instant_ms = life->now_ms};
    /* Most are as they should be: nobody who counts stands in the way. */
    bool is_there = path.place.node != NOBODY;
    if (is_there && !(choice->sharing & 128) &&
        share_model_denies(&life->model, path.place.node, as.sharing, life->now_ms))
        return;
    say(life, &change, share_model_open(&life->model, path.place, handle, &as));
}

static bool has_room_for_lock(const struct share_model *model) {
    for (int i = 0; i < MODEL_LOCKS; i++)
        if (!model->locks[i].times) return true;
    return false;
}

static void say_lock(struct share_life *life, const struct share_choice *choice, int handle) {
    struct lock_range range = choose_range(choice);
    enum lock_kind kind = choice->sharing & 1 ? LOCK_SHARED : LOCK_EXCLUSIVE;
    struct share_change change = {.kind = FILE_LOCK,
                                  .handle = handle_id(handle),
                                  .lock = kind,
                                  .offset = range.offset,
                                  .length = range.length};
    if (!has_room_for_lock(&life->model)) return;
    bool sound = ends_in_time(range);
    say(life, &change, sound && share_model_lock(&life->model, handle, kind, range));
    change.kind = FILE_UNLOCK;
    if (choice->sharing & 2) say(life, &change, sound && share_model_unlock(&life->model, handle, range));
}

static void say_unlock(struct share_life *life, const struct share_choice *choice, int handle) {
    struct lock_range range = choose_range(choice);
    struct share_change change = {
        .kind = FILE_UNLOCK, .handle = handle_id(handle), .offset = range.offset, .length = range.length};
    say(life, &change, ends_in_time(range) && share_model_unlock(&life->model, handle, range));
}

/* The mark, a new length, or some bytes. */
static void say_through(struct share_life *life, const struct share_choice *choice, int handle) {
    static const char zeros[BYTES_MAX];
    const struct model_handle *known = &life->model.handles[handle];
    bool fits = known->is_there && known->node != NOBODY;
    struct model_node *node = fits ? &life->model.nodes[known->node] : NULL;
    struct share_change change = {.kind = FILE_DISPOSE, .handle = handle_id(handle)};
    change.on = choice->range & 1;
    if (choice->sharing % 3 == 0) {
        if (fits) node->pending = change.on;
    } else if (choice->sharing % 3 == 1) {
        change.kind = FILE_TRUNCATE;
        change.length = choice->range;
        if (fits) node->length = change.length;
    } else {
        change.kind = FILE_WRITE;
        change.offset = choice->range * UINT64_C(16);
        change.content = bytes_of(zeros, choice->target % BYTES_MAX);
        uint64_t end = change.offset + change.content.length;
        if (fits && end > node->length) node->length = end;
    }
    say(life, &change, fits);
}

static void say_handle(struct share_life *life, const struct share_choice *choice) {
    int handle = choose_handle(life, choice->handle, true);
    switch (choice->kind % 8) {
    case 0:
    case 1:
    case 2: say_open(life, choice, choose_handle(life, choice->handle, false)); break;
    case 3:
    case 4: say_lock(life, choice, handle); break;
    case 5: say_unlock(life, choice, handle); break;
    case 6: say_through(life, choice, handle); break;
    default: say_close(life, choice, handle);
    }
}

static void say_unopen(struct share_life *life, const struct share_choice *choice) {
    int handle = choose_handle(life, choice->handle, true);
    struct share_change change = {.kind = FILE_UNOPEN, .handle = handle_id(handle)};
    life->model.handles[handle].deletes = false;
    say(life, &change, share_model_close(&life->model, handle));
}

static void say_lease(struct share_life *life, const struct share_choice *choice) {
    static const enum lease_kind kinds[] = {LEASE_HELD, LEASE_HELD, LEASE_ENDING, LEASE_FREE};
    struct life_path path;
    choose_file(life, choice->path, &path);
    struct share_change change = {.kind = FILE_LEASE, .path = path.bytes, .event = LEASE_EVENT_QUIET};
    enum lease_kind kind = kinds[choice->range % 4];
    change.lease = (struct lease){.kind = kind,
                                  .id = {1, 1},
                                  .token = 1 + choice->target % MODEL_TOKENS,
                                  .duration_ms = DURATION_INFINITE_MS,
                                  .ends_ms = kind == LEASE_HELD ? LEASE_FOREVER : life->now_ms,
                                  .owner = {"", 0}};
    say(life, &change, share_model_lease(&life->model, path.place, kind, change.lease.token));
}

static void say_settle(struct share_life *life, const struct share_choice *choice) {
    struct life_path path;
    choose_file(life, choice->path, &path);
    struct share_change change = {.kind = FILE_SETTLE, .path = path.bytes};
    say(life, &change, share_model_settle(&life->model, path.place));
}

/* --- What the model does not know of --- */

static void say_of_share(struct share_life *life, const struct share_choice *choice) {
    struct share_details details;
    struct share_change change = share_details_of_share(&details, choice, life->now_ms);
    if (change.kind == SHARE_LEASE) life->is_leased = change.lease.kind != LEASE_FREE;
    say(life, &change, true);
    share_details_end(&details);
}

static void say_of_node(struct share_life *life, const struct share_choice *choice) {
    struct share_details details;
    struct life_path path;
    choose_file(life, choice->path, &path);
    struct share_change change = share_details_of_node(&details, choice);
    change.path = path.bytes;
    bool there = path.place.node != NOBODY;
    say(life, &change, there && share_details_fit(&life->model.nodes[path.place.node], &change));
    share_details_end(&details);
}

/* --- Snapshots --- */

static void take_picture(const struct share_model *model, struct life_picture *picture) {
    picture->count = 0;
    for (int i = 1; i < MODEL_NODES; i++) {
        if (!model->nodes[i].kind || share_model_is_gone(model, i, INT64_MIN)) continue;
        struct bytes path = share_model_path(model, i, picture->paths[picture->count]);
        memmove(picture->paths[picture->count], path.data, path.length);
        picture->lengths[picture->count] = path.length;
        picture->is_file[picture->count++] = model->nodes[i].kind == MODEL_FILE;
    }
}

static void say_snapshot(struct share_life *life) {
    if (life->snapshots == LIFE_SNAPSHOTS) return;
    struct share_change change = {.kind = SHARE_SNAPSHOT, .snapshot = ++life->versions};
    take_picture(&life->model, &life->pictures[life->snapshots++]);
    say(life, &change, true);
}

static void compare_snapshots(const struct share_life *life) {
    for (unsigned snapshot = 1; snapshot <= life->snapshots; snapshot++) {
        const struct life_picture *picture = &life->pictures[snapshot - 1];
        for (size_t i = 0; i < picture->count; i++) {
            struct bytes path = bytes_of(picture->paths[i], picture->lengths[i]);
            const struct file_node *node = tree_find_in_snapshot(life->share, path, snapshot);
            require(node != NULL, "snapshot %u has lost a node", snapshot);
            require_same(node_is_file(node), picture->is_file[i], "its kind in snapshot %u", snapshot);
        }
        require_same(share_count_listed(life->share, life->share->root->directory, snapshot), picture->count,
                     "nodes of snapshot %u", snapshot);
    }
}

/* --- Comparing --- */

static void compare_tally(const struct share_life *life, int node, const struct usage_view *view) {
    for (uint8_t i = 0; i < 64; i++) {
        struct sharing wanted = choose_sharing(i);
        bool denied = share_model_denies(&life->model, node, wanted, life->now_ms);
        require_same(sharing_fits_all(wanted, &view->tally), !denied, "an open for %u with %u", wanted.access,
                     wanted.share);
    }
    require_same(view->pending, share_model_is_pending(&life->model, node, life->now_ms), "the mark");
    require_same(view->gone, share_model_is_gone(&life->model, node, life->now_ms), "the end of a file");
}

/* What stands in the way is named, and counts. */
static void compare_obstacle(const struct share_life *life, const struct file_node *node, int number,
                             struct sharing wanted) {
    bool denied = share_model_denies(&life->model, number, wanted, life->now_ms);
    if (!node->usage) return;
    const struct file_open *obstacle = usage_obstacle(node->usage, wanted, life->now_ms);
    require_same(obstacle != NULL, denied, "a handle that is in the way");
    if (!obstacle) return;
    require(!session_has_ended(obstacle->group->session, life->now_ms), "it is of a session that is over");
    require(!sharing_fits(wanted, obstacle->sharing), "it is not in the way");
}

static void ask_lock(const struct share_life *life, const struct file_node *node, int number, int handle,
                     struct lock_range range) {
    struct file_open *open = NULL;
    if (handle != NOBODY) {
        struct guid id = handle_id(handle);
        open = share_open_find(life->share, &id);
    }
    for (enum lock_test question = LOCK_TO_READ; question <= LOCK_ANYWHERE; question++) {
        bool expected = share_model_is_locked(&life->model, number, handle, question, range, life->now_ms);
        const struct range_lock *lock =
            usage_lock(node->usage, question, open ? &open->locks : NULL, range, life->now_ms);
        require_same(lock != NULL, expected, "question %d", question);
        if (lock)
            require(!session_has_ended(open_of_lock(lock)->group->session, life->now_ms),
                    "a lock of a session that is over");
    }
}

static void compare_locks(const struct share_life *life, const struct file_node *node, int number) {
    size_t count = share_model_locks_of(&life->model, number);
    require_same(node->usage ? node->usage->locks.count : 0, count, "locks of a file");
    if (!count) return;
    for (uint8_t i = 0; i < 64; i++) {
        struct lock_range range = choose_range(&(struct share_choice){.range = i});
        if (!ends_in_time(range)) continue;
        ask_lock(life, node, number, NOBODY, range);
        for (int handle = 0; handle < MODEL_HANDLES; handle++)
            if (life->model.handles[handle].is_there && life->model.handles[handle].node == number)
                ask_lock(life, node, number, handle, range);
    }
}

static void compare_file(const struct share_life *life, const struct file_node *node, int number) {
    const struct model_node *known = &life->model.nodes[number];
    struct usage_view view = share_view(life->share, node, life->now_ms);
    const struct lease *lease = file_lease_of(node);
    require_same(node->content.length, known->length, "the length of a file");
    require_same(lease->kind, known->lease, "the lease of a file");
    if (known->lease != LEASE_FREE) require_same(lease->token, known->token, "the token of a lease");
    compare_tally(life, number, &view);
    compare_obstacle(life, node, number, choose_sharing((uint8_t)life->now_ms));
    compare_locks(life, node, number);
}

static void compare_nodes(const struct share_life *life) {
    size_t count = 0;
    for (int i = 1; i < MODEL_NODES; i++) {
        char room[MODEL_PATH_BYTES];
        const struct model_node *known = &life->model.nodes[i];
        if (!known->kind) continue;
        const struct file_node *node = tree_find(life->share, share_model_path(&life->model, i, room)).node;
        require(node != NULL, "node %d is lost", i);
        require_same(node_is_file(node), known->kind == MODEL_FILE, "the kind of node %d", i);
        if (node_is_file(node)) compare_file(life, node, i);
        count++;
    }
    require_same(life->share->files + life->share->directories, count, "nodes");
}

static void compare_sessions(const struct share_life *life) {
    int64_t next_ms = INT64_MAX;
    for (int i = 0; i < MODEL_SESSIONS; i++) {
        const struct model_session *known = &life->model.sessions[i];
        struct guid id = session_id(i);
        const struct share_session *session = share_session_find(life->share, &id);
        require_same(session != NULL, known->is_there, "session %d", i);
        if (!session) continue;
        require_same(session->ended, known->ended, "the end of session %d", i);
        require_same(session_has_ended(session, life->now_ms),
                     share_model_is_over(&life->model, i, life->now_ms), "session %d is over", i);
        int64_t due_ms = known->ended ? 0 : known->due_ms;
        if (due_ms < next_ms) next_ms = due_ms;
    }
    require_same(share_next_end_ms(life->share), next_ms, "when a session ends next");
}

static void compare_handles(const struct share_life *life) {
    for (int i = 0; i < MODEL_HANDLES; i++) {
        const struct model_handle *known = &life->model.handles[i];
        struct guid id = handle_id(i);
        const struct file_open *open = share_open_find(life->share, &id);
        char room[MODEL_PATH_BYTES];
        require_same(open != NULL, known->is_there, "handle %d", i);
        if (!open) continue;
        require_same(open->group->usage != NULL, known->node != NOBODY, "the file of handle %d", i);
        if (!open->group->usage) continue;
        struct bytes path = share_model_path(&life->model, known->node, room);
        require(open->group->usage->node == tree_find(life->share, path).node, "handle %d has another file",
                i);
    }
}

static void compare_census(const struct share_life *life) {
    struct share_census census = share_census();
    size_t sessions = 0, ended = 0, handles = 0, locks = 0, leases = life->is_leased;
    for (int i = 0; i < MODEL_SESSIONS; i++) {
        sessions += life->model.sessions[i].is_there;
        ended += life->model.sessions[i].is_there && life->model.sessions[i].ended;
    }
    for (int i = 0; i < MODEL_HANDLES; i++) handles += life->model.handles[i].is_there;
    for (int i = 0; i < MODEL_LOCKS; i++) locks += life->model.locks[i].times > 0;
    for (int i = 1; i < MODEL_NODES; i++)
        leases += life->model.nodes[i].kind == MODEL_FILE && life->model.nodes[i].lease != LEASE_FREE;
    require_same(census.sessions - life->before.sessions, sessions, "sessions in the census");
    require_same(census.ended - life->before.ended, ended, "ended sessions in the census");
    require_same(census.handles - life->before.handles, handles, "handles in the census");
    require_same(census.locks - life->before.locks, locks, "locks in the census");
    require_same(census.leases - life->before.leases, leases, "leases in the census");
}

void share_life_compare(const struct share_life *life) {
    compare_nodes(life);
    compare_sessions(life);
    compare_handles(life);
    compare_census(life);
    compare_snapshots(life);
}

/* --- Other shares --- */

static void take_over(struct share_life *life, struct share *successor) {
    share_free(life->share);
    life->share = successor;
}

void share_life_reload(struct share_life *life) {
    struct record_writer *bytes = malloc(sizeof(*bytes));
    share_require_whole(life->share);
    take_over(life, share_rebuilt(life->share, bytes));
    record_end(bytes);
    free(bytes);
    share_model_reload(&life->model);
}

static void copy(struct share_life *life) {
    take_over(life, share_copy(life->share));
    life->is_leased = false;
    share_model_twin(&life->model);
}

static void move_all(struct share_life *life, uint64_t seed) {
    struct dice dice = {seed};
    struct relocation relocation = mover(&dice);
    life->share = share_relocate(life->share, &relocation);
    for (size_t place = 0; place < share_places(life->share); place++)
        share_relocate_nodes(life->share, place, &relocation);
}

/* --- Lives --- */

void share_life_start(struct share_life *life) {
    memset(life, 0, sizeof(*life));
    life->before = share_census();
    life->now_ms = 1000;
    share_model_start(&life->model);
    say(life, &(struct share_change){.kind = SHARE_CREATE}, true);
}

static void say_rarely(struct share_life *life, const struct share_choice *choice) {
    switch (choice->kind % 16) {
    case 0:
    case 1:
    case 2:
    case 3: say_lease(life, choice); break;
    case 4:
    case 5:
    case 6: say_settle(life, choice); break;
    case 7:
    case 8: say_unopen(life, choice); break;
    case 9:
    case 10: say_snapshot(life); break;
    case 11: share_life_reload(life); break;
    case 12: copy(life); break;
    case 13: say_of_share(life, choice); break;
    case 14: say_of_node(life, choice); break;
    default: move_all(life, choice->range);
    }
}

void share_life_step(struct share_life *life, const struct share_choice *choice) {
    struct share_choice rest = *choice;
    life->now_ms += choice->pass % PASS_MAX_MS;
    rest.kind = choice->kind / 8;
    switch (choice->kind % 8) {
    case 0:
    case 1: say_node(life, &rest); break;
    case 2: say_session(life, &rest); break;
    case 3: say_rarely(life, &rest); break;
    default: say_handle(life, &rest);
    }
}

void share_life_end(struct share_life *life) {
    share_require_whole(life->share);
    share_free(life->share);
}
