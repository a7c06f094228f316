#include "share_life.h"

#include "core/duration.h"
#include "file/share.h"
#include "file/tree.h"
#include "mover.h"
#include "require.h"
#include "share_details.h"
#include "share_trial.h"

#include <ctype.h>
#include <stdlib.h>

enum { NAMES = 3, NAMES_MAX = 3, TTL_MS = 50, BYTES_MAX = 900, PASS_MAX_MS = 20, TOKENS = 4 };

/* --- Choices --- */

/* One to three names; the greatest bit chooses the case. */
static void choose_names(uint8_t choice, char names[NAMES_MAX + 1]) {
    unsigned rest = choice % 128, depth = 1 + rest % NAMES_MAX;
    memset(names, 0, NAMES_MAX + 1);
    rest /= NAMES_MAX;
    for (unsigned i = 0; i < depth; i++, rest /= NAMES) names[i] = (char)('a' + rest % NAMES);
}

struct life_path {
    char text[MODEL_PATH_MAX_BYTES];
    struct bytes bytes;
    struct model_place place;
};

static void shift_case(struct life_path *path, bool upper) {
    for (size_t i = 0; upper && i < path->bytes.length; i++) path->text[i] = (char)toupper(path->text[i]);
}

static void choose_path(const struct share_life *life, uint8_t choice, struct life_path *path) {
    char names[NAMES_MAX + 1];
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
        path->bytes = bytes_of(path->text, share_model_path(&life->model, number, path->text));
        path->place.node = number;
        path->place.parent = life->model.nodes[number].parent;
        shift_case(path, choice & 128);
        return;
    }
}

/* Mostly one that is there, or one that is not. */
static int choose_handle(const struct share_life *life, uint8_t choice, bool is_there) {
    for (int i = 0; choice % 8 && i < LIFE_HANDLES; i++)
        if (life->model.handles[(choice + i) % LIFE_HANDLES].is_there == is_there)
            return (choice + i) % LIFE_HANDLES;
    return choice % LIFE_HANDLES;
}

/* Mostly one that has not ended. */
static int choose_session(const struct share_life *life, uint8_t choice) {
    for (int i = 0; choice % 8 && i < LIFE_SESSIONS; i++) {
        const struct model_session *session = &life->model.sessions[(choice + i) % LIFE_SESSIONS];
        if (session->is_there && !session->ended) return (choice + i) % LIFE_SESSIONS;
    }
    return choice % LIFE_SESSIONS;
}

/* --- Changes --- */

/* Through a record. */
static void say(struct share_life *life, struct share_change *change, bool fits) {
    struct record_writer record ENDS_BY(record_end);
    change->stamp = (struct stamp){++life->versions, life->now_ms};
    record_start(&record);
    change_write(&share_changes, change, &record);
    bool applied = share_trial_take(&life->share, record_written(&record), change->content);
    require_same(applied, fits, "a change of kind %d", (int)change->kind);
    if (life->companion) share_trial_take(&life->companion, record_written(&record), change->content);
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
    int meta = choice->session % 4;
    bool fits = false, adds = choice->kind % 6 < 2 || choice->kind % 6 == 4;
    if (adds && !share_model_has_space(model)) return;
    PAIR_LIST(metadata);
    switch (choice->kind % 6) {
    case 0:
        change.kind = FILE_CREATE;
        change.length = choice->range * UINT64_C(8);
        change.metadata = share_details_metadata(&metadata, meta);
        fits = share_model_create(model, path.place, MODEL_FILE, change.length, meta);
        break;
    case 1:
        change.kind = FILE_MKDIR;
        change.metadata = share_details_metadata(&metadata, meta);
        fits = share_model_create(model, path.place, MODEL_DIRECTORY, 0, meta);
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
    int session = choice->session % LIFE_SESSIONS;
    struct share_change change = {.session = share_session_id(session),
                                  .ttl_ms = TTL_MS,
                                  .owner = share_details_owner(choice),
                                  .ends_with_connection = choice->sharing & 1};
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
        fits = share_model_ping(&life->model, session, change.instant_ms);
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
    struct record_writer handles ENDS_BY(record_end);
    int other = choice->target % LIFE_HANDLES;
    struct share_change change = {.kind = choice->range & 1 ? FILE_CLOSE : FILE_CLOSEHANDLES};
    record_start(&handles);
    record_put_guid(&handles, share_handle_id(handle));
    record_put_guid(&handles, share_handle_id(other));
    change.handles = (struct packed_list){2, record_written(&handles)};
    bool first = share_model_close(&life->model, handle), second = share_model_close(&life->model, other);
    say(life, &change, first || second);
}

static void say_open(struct share_life *life, const struct share_choice *choice, int handle) {
    struct life_path path;
    int session = choose_session(life, choice->session);
    choose_file(life, choice->path, &path);
    struct model_handle as = {.session = session,
                              .sharing = share_choice_sharing(choice->sharing),
                              .deletes = choice->sharing & 64};
    struct share_change change = {.kind = FILE_OPEN,
                                  .path = path.bytes,
                                  .session = share_session_id(session),
                                  .handle = share_handle_id(handle),
                                  .sharing = share_sharing(as.sharing),
                                  .deletes_on_close = as.deletes,
                                  .instant_ms = life->now_ms};
    /* Most are as they should be: nobody who counts stands in the way. */
    bool is_there = path.place.node != NOBODY;
    if (is_there && !(choice->sharing & 128) &&
        share_model_denies(&life->model, path.place.node, as.sharing, life->now_ms))
        return;
    say(life, &change, share_model_open(&life->model, path.place, handle, &as));
}

static void say_lock(struct share_life *life, const struct share_choice *choice, int handle) {
    struct model_range range = share_choice_range(choice);
    bool exclusive = !(choice->sharing & 1);
    struct share_change change = {.kind = FILE_LOCK,
                                  .handle = share_handle_id(handle),
                                  .lock = exclusive ? LOCK_EXCLUSIVE : LOCK_SHARED,
                                  .offset = range.offset,
                                  .length = range.length};
    if (!share_model_has_space_for_lock(&life->model)) return;
    bool sound = share_range_is_sound(range);
    say(life, &change, sound && share_model_lock(&life->model, handle, exclusive, range));
    change.kind = FILE_UNLOCK;
    if (choice->sharing & 2) say(life, &change, sound && share_model_unlock(&life->model, handle, range));
}

static void say_unlock(struct share_life *life, const struct share_choice *choice, int handle) {
    struct model_range range = share_choice_range(choice);
    struct share_change change = {.kind = FILE_UNLOCK,
                                  .handle = share_handle_id(handle),
                                  .offset = range.offset,
                                  .length = range.length};
    say(life, &change, share_range_is_sound(range) && share_model_unlock(&life->model, handle, range));
}

/* The mark, a new length, or some bytes. */
static void say_through(struct share_life *life, const struct share_choice *choice, int handle) {
    const struct model_handle *known = &life->model.handles[handle];
    bool fits = known->is_there && known->node != NOBODY;
    char bytes[BYTES_MAX];
    struct share_change change = {.kind = FILE_DISPOSE, .handle = share_handle_id(handle)};
    change.on = choice->range & 1;
    if (choice->sharing % 3 == 0) {
        if (fits) life->model.nodes[known->node].pending = change.on;
    } else if (choice->sharing % 3 == 1) {
        change.kind = FILE_TRUNCATE;
        change.length = choice->range * UINT64_C(8);
        if (fits) share_model_resize(&life->model, known->node, change.length);
    } else {
        size_t length = choice->target * 4U % BYTES_MAX;
        memset(bytes, choice->session | 1, length);
        change.kind = FILE_WRITE;
        change.offset = choice->range * UINT64_C(8);
        change.content = bytes_of(bytes, length);
        if (fits) share_model_write(&life->model, known->node, change.offset, bytes, length);
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
    struct share_change change = {.kind = FILE_UNOPEN, .handle = share_handle_id(handle)};
    life->model.handles[handle].deletes = false;
    say(life, &change, share_model_close(&life->model, handle));
}

static void say_lease(struct share_life *life, const struct share_choice *choice) {
    static const enum model_file_lease kinds[] = {MODEL_LEASE_HELD, MODEL_LEASE_HELD, MODEL_LEASE_ENDING,
                                                  MODEL_UNLEASED};
    struct life_path path;
    choose_file(life, choice->path, &path);
    struct share_change change = {.kind = FILE_LEASE, .path = path.bytes, .event = LEASE_EVENT_QUIET};
    enum model_file_lease kind = kinds[choice->range % 4];
    int id = 1 + choice->handle % 2;
    change.lease = (struct lease){.kind = share_lease_kind(kind),
                                  .id = {1, (uint64_t)id},
                                  .token = 1 + choice->target % TOKENS,
                                  .duration_ms = DURATION_INFINITE_MS,
                                  .ends_ms = kind == MODEL_LEASE_HELD ? LEASE_FOREVER : life->now_ms,
                                  .owner = {"", 0}};
    say(life, &change, share_model_lease(&life->model, path.place, kind, id, change.lease.token));
}

static void say_settle(struct share_life *life, const struct share_choice *choice) {
    struct life_path path;
    choose_file(life, choice->path, &path);
    struct share_change change = {.kind = FILE_SETTLE, .path = path.bytes};
    say(life, &change, share_model_settle(&life->model, path.place));
}

/* --- What the model does not know of --- */

static void say_of_share(struct share_life *life, const struct share_choice *choice) {
    struct share_details details ENDS_BY(share_details_end);
    struct share_change change = share_details_of_share(&details, choice, life->now_ms);
    if (change.kind == SHARE_LEASE) life->is_leased = change.lease.kind != LEASE_FREE;
    say(life, &change, true);
}

static void say_of_node(struct share_life *life, const struct share_choice *choice) {
    struct share_details details ENDS_BY(share_details_end);
    struct life_path path;
    choose_file(life, choice->path, &path);
    struct share_change change = share_details_of_node(&details, choice);
    change.path = path.bytes;
    bool there = path.place.node != NOBODY;
    say(life, &change, there && share_details_fit(&life->model, path.place.node, choice, &change));
}

/* --- Snapshots --- */

static void take_picture(const struct share_model *model, struct share_model *picture) {
    *picture = *model;
    for (int i = 1; i < MODEL_NODES; i++)
        if (share_model_is_gone(model, i, INT64_MIN)) picture->nodes[i].kind = MODEL_NOTHING;
}

static void say_snapshot(struct share_life *life) {
    if (life->snapshots == LIFE_SNAPSHOTS) return;
    struct share_change change = {.kind = SHARE_SNAPSHOT, .snapshot = ++life->versions};
    take_picture(&life->model, &life->pictures[life->snapshots++]);
    say(life, &change, true);
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
        share_relocate_place(life->share, place, &relocation);
}

/* --- Lives --- */

void share_life_start(struct share_life *life) {
    *life = (struct share_life){.before = share_census(), .now_ms = 1000};
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
    case 13:
    case 14: say_of_share(life, choice); break;
    default: move_all(life, choice->range);
    }
}

void share_life_step(struct share_life *life, const struct share_choice *choice) {
    struct share_choice rest = *choice;
    life->now_ms += choice->pass % PASS_MAX_MS;
    life->model.etag = life->versions + 1;
    rest.kind = choice->kind / 8;
    switch (choice->kind % 8) {
    case 0:
    case 1: say_node(life, &rest); break;
    case 2: say_session(life, &rest); break;
    case 3: say_rarely(life, &rest); break;
    case 4: say_of_node(life, &rest); break;
    default: say_handle(life, &rest);
    }
}

void share_life_end(struct share_life *life) {
    share_require_whole(life->share);
    share_require_buildable(life->share, 2);
    share_free(life->share);
}
