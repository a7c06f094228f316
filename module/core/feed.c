#include "core/feed.h"

#include "core/census.h"
#include "core/garbage.h"
#include "core/hash.h"
#include "core/memory.h"
#include "core/number.h"

enum { MARKERS_MAX = 512, MARKERS_BYTES = 64 << 10 }; /* in one record of a file */
enum { FREED_AT_ONCE = 1000, MARKER_NAME_AT = sizeof(struct feed_entry) };

static struct census all_kept, all_dropped;

struct feed_census feed_census(void) {
    return (struct feed_census){census_sum(&all_kept), census_sum(&all_dropped)};
}

static version version_of(const struct entry *entry) {
    return ((const struct feed_entry *)entry)->v;
}

/* --- Markers --- */

static void add_marker(struct account *account, struct feed *feed, uint32_t hash, struct bytes name,
                       version v) {
    struct feed_entry *marker = account_add(account, memory_alloc(MARKER_NAME_AT + name.length));
    *marker = (struct feed_entry){
        .entry = {.hash = hash, .name_length = (uint16_t)name.length, .name_at = MARKER_NAME_AT}, .v = v};
    memcpy((char *)marker + MARKER_NAME_AT, name.data, name.length);
    hash_index_add(&feed->markers, &marker->entry);
    version_order_add(account, &feed->order, v, &marker->entry, true);
    if (v <= feed->whole_from) return;
    feed->kept++;
    census_count(&all_kept, 0, 1);
}

static void free_marker(struct account *account, struct feed *feed, struct entry *marker) {
    version_order_remove(account, &feed->order, version_of(marker), marker);
    hash_index_remove(&feed->markers, marker);
    account_discard(account, marker);
}

static void end_markers(struct feed *feed) {
    if (!feed->markers.count) hash_index_end(&feed->markers);
}

static struct entry *marker_named(const struct feed *feed, uint32_t hash, struct bytes name) {
    return hash_index_find(&feed->markers, hash, name);
}

/* The oldest marker that is newer than this version. */
static struct entry *marker_behind(const struct feed *feed, version v) {
    struct version_cursor cursor = version_order_seek(&feed->order, v);
    version_cursor_to_marked(&feed->order, &cursor);
    const struct version_slot *slot = version_cursor_slot(&feed->order, &cursor);
    return slot ? version_slot_entry(slot) : NULL;
}

static void uncount_markers(struct feed *feed, uint64_t markers) {
    feed->kept -= markers;
    census_count(&all_kept, markers, 0);
}

static void count_dropped(struct feed *feed, uint64_t markers) {
    uncount_markers(feed, markers);
    census_count(&all_dropped, 0, markers);
}

/* Removes the marker of an object that exists again. */
static void forget_marker(struct account *account, struct feed *feed, const struct entry *object) {
    struct entry *marker = marker_named(feed, object->hash, entry_name(object));
    if (!marker) return;
    if (version_of(marker) > feed->whole_from) uncount_markers(feed, 1);
    free_marker(account, feed, marker);
}

/* --- Freeing --- */

static void finish_feed(struct account *account, struct feed *feed) {
    end_markers(feed);
    account_keep(account, &feed->frontier, bytes_of("", 0));
    account_discard(account, feed);
}

/* Frees markers up to this version. False when the effort did not suffice. */
static bool free_markers(struct account *account, struct feed *feed, version last, size_t *effort) {
    version from = 0;
    for (struct entry *marker; (marker = marker_behind(feed, from)) && version_of(marker) <= last;) {
        if (!*effort) return false;
        (*effort)--;
        from = version_of(marker) - 1;
        free_marker(account, feed, marker);
    }
    return true;
}

static bool free_order(struct account *account, struct feed *feed, size_t *effort) {
    while (feed->order.count) {
        if (!*effort) return false;
        (*effort)--;
        version_order_shrink(account, &feed->order);
    }
    return true;
}

static bool free_some(struct account *account, struct garbage_part *part, size_t *effort) {
    struct feed *feed = part->root;
    if (!free_markers(account, feed, feed->over ? UINT64_MAX : feed->whole_from, effort)) return false;
    if (feed->over && !free_order(account, feed, effort)) return false;
    feed->aside = false;
    if (feed->over) finish_feed(account, feed);
    return true;
}

/* A feed is part of the garbage only once: when its turn comes, all that can be freed is. */
static void free_in_background(struct account *account, struct feed *feed) {
    if (feed->aside) return;
    feed->aside = true;
    garbage_free(account, (struct garbage_part){.free = free_some, .root = feed}, FREED_AT_ONCE);
}

static size_t markers_up_to(const struct feed *feed, version v) {
    struct version_cursor cursor = version_order_seek(&feed->order, v);
    return version_order_marked_before(&feed->order, &cursor);
}

/* Drops the markers up to this version. */
static void raise_floor(struct account *account, struct feed *feed, version v) {
    if (v <= feed->whole_from) return;
    count_dropped(feed, markers_up_to(feed, v) - markers_up_to(feed, feed->whole_from));
    feed->whole_from = v;
    free_in_background(account, feed);
}

/* And those of the same version, which only a doctored effect can have. */
static void drop_oldest(struct account *account, struct feed *feed) {
    struct entry *marker = marker_behind(feed, feed->whole_from);
    version v = feed->whole_from = version_of(marker);
    do {
        count_dropped(feed, 1);
        free_marker(account, feed, marker);
    } while ((marker = marker_behind(feed, v - 1)) && version_of(marker) == v);
}

/* --- Versions --- */

/* The newest version was the last one of its epoch. The oldest end may have to make way for it: bookmarks
 * from before that end could no longer be checked, so they become invalid. */
static void add_epoch(struct account *account, struct feed *feed, version first) {
    if (feed->end_count == FEED_EPOCHS - 1) {
        version oldest = feed->ends[0];
        memmove(feed->begins, feed->begins + 1, feed->end_count * sizeof(*feed->begins));
        memmove(feed->ends, feed->ends + 1, --feed->end_count * sizeof(*feed->ends));
        raise_floor(account, feed, oldest);
    }
    feed->ends[feed->end_count++] = feed->newest;
    feed->begins[feed->end_count] = first;
}

/* A transaction may apply its changes in another order than that of their versions. */
static void begin_earlier(struct feed *feed, version v) {
    version *begin = &feed->begins[feed->end_count];
    if (v < *begin && version_epoch(v) == version_epoch(*begin)) *begin = v;
}

/* A copy goes its own way. */
static void leave_line(struct feed *feed) {
    feed->copied = false;
    feed->line = 0;
}

/* A file has told the newest version; its snapshots may have later ones. */
static void note_version(struct account *account, struct feed *feed, version v) {
    if (feed->loading) return;
    if (feed->copied) leave_line(feed);
    if (v <= feed->newest) {
        begin_earlier(feed, v);
        return;
    }
    if (version_epoch(v) != version_epoch(feed->newest)) add_epoch(account, feed, v);
    feed->newest = v;
}

version feed_end_of(const struct feed *feed, uint64_t number) {
    for (unsigned i = 0; i <= feed->end_count; i++)
        if (version_epoch(feed_end(feed, i)) == number) return feed_end(feed, i);
    return 0;
}

/* --- Life --- */

struct feed *feed_new(struct account *account, version beginning, uint64_t keep) {
    struct feed *feed = account_add(account, memory_zeroed(sizeof(*feed)));
    feed->newest = feed->whole_from = beginning;
    feed->keep = keep;
    feed->frontier = bytes_of("", 0);
    feed->building = true;
    return feed;
}

void feed_drop(struct account *account, struct feed *feed) {
    feed->over = true;
    uncount_markers(feed, feed->kept);
    free_in_background(account, feed);
}

void feed_free(struct account *account, struct feed *feed) {
    size_t effort = SIZE_MAX;
    if (!feed) return;
    uncount_markers(feed, feed->kept);
    free_markers(account, feed, UINT64_MAX, &effort);
    version_order_end(account, &feed->order);
    finish_feed(account, feed);
}

void feed_set_keep(struct account *account, struct feed *feed, uint64_t keep) {
    feed->keep = keep;
    if (feed->kept <= keep) return;
    size_t dropped = feed->kept - keep + markers_up_to(feed, feed->whole_from);
    struct version_cursor last = version_order_marked_at(&feed->order, dropped - 1);
    raise_floor(account, feed, version_cursor_slot(&feed->order, &last)->v);
}

/* --- What happens to objects --- */

void feed_add(struct account *account, struct feed *feed, struct entry *object) {
    forget_marker(account, feed, object);
    version_order_add(account, &feed->order, version_of(object), object, false);
    note_version(account, feed, version_of(object));
}

/* While the feed is being built, it may not have the object yet. */
void feed_move(struct account *account, struct feed *feed, struct entry *object, version before) {
    version_order_remove(account, &feed->order, before, object);
    version_order_add(account, &feed->order, version_of(object), object, false);
    note_version(account, feed, version_of(object));
}

void feed_mark(struct account *account, struct feed *feed, struct entry *object, version deletion) {
    version_order_remove(account, &feed->order, version_of(object), object);
    add_marker(account, feed, object->hash, entry_name(object), deletion);
    note_version(account, feed, deletion);
    if (feed->kept > feed->keep) drop_oldest(account, feed);
}

bool feed_is_loading(const struct feed *feed) {
    return feed && feed->loading;
}

void feed_loaded(struct feed *feed) {
    if (feed) feed->loading = false;
}

void feed_tell_again(struct feed *feed) {
    if (feed) feed->untold = true;
}

bool feed_admits_name(const struct feed *feed, struct bytes name) {
    return !feed->loading || !feed->markers.count || !marker_named(feed, hash_bytes(name), name);
}

bool feed_admits(const struct feed *feed, struct bytes name, version v) {
    return !feed->loading || (v <= feed->newest && feed_admits_name(feed, name));
}

bool feed_has_newer(const struct feed *feed) {
    struct version_cursor cursor = version_order_seek(&feed->order, feed->newest);
    return version_cursor_slot(&feed->order, &cursor);
}

void feed_slots(const struct feed *feed, const struct entry *object, struct entry_slots *slots) {
    struct version_slot *slot = feed ? version_order_slot(&feed->order, version_of(object), object) : NULL;
    if (slot) entry_slots_add(slots, (void **)&slot->entry);
}

/* --- Building --- */

struct bytes feed_portion(const struct feed *feed, const struct order_index *objects) {
    struct order_cursor cursor = order_index_seek_after(objects, feed->frontier);
    struct bytes last = {"", 0};
    struct entry *entry;
    for (int left = FEED_PORTION; (entry = order_cursor_take(&cursor)) && left; left--)
        last = entry_name(entry);
    return entry ? last : bytes_of("", 0);
}

/* Whether there is more behind the portion. */
static bool add_portion(struct account *account, struct feed *feed, const struct order_index *objects,
                        struct bytes last, bool (*exists)(const struct entry *entry)) {
    struct order_cursor cursor = order_index_seek_after(objects, feed->frontier);
    struct entry *entry;
    while ((entry = order_cursor_take(&cursor)) &&
           (!last.length || bytes_compare(entry_name(entry), last) <= 0))
        if (!exists || exists(entry)) {
            version_order_add(account, &feed->order, version_of(entry), entry, false);
            note_version(account, feed, version_of(entry));
        }
    return entry;
}

static bool comes_behind(const struct order_index *objects, struct bytes last) {
    struct order_cursor cursor = order_index_seek_after(objects, last);
    return order_cursor_take(&cursor);
}

void feed_build(struct account *account, struct feed *feed, const struct order_index *objects,
                struct bytes last, bool (*exists)(const struct entry *entry)) {
    if (!feed_is_unfinished(feed)) return;
    bool more = feed->building ? add_portion(account, feed, objects, last, exists)
                               : last.length && comes_behind(objects, last);
    account_keep(account, &feed->frontier, more ? last : bytes_of("", 0));
    if (!more) feed->building = feed->untold = false;
}

/* --- Files: the state --- */

void feed_put_state(const struct feed *feed, struct record_writer *writer) {
    record_put_word(writer, feed->whole_from);
    record_put_word(writer, feed->newest);
    record_put_number(writer, feed->keep);
    record_put_number(writer, feed->end_count);
    for (unsigned i = 0; i < feed->end_count; i++) record_put_word(writer, feed->ends[i]);
    for (unsigned i = 0; feed->end_count && i <= feed->end_count; i++)
        record_put_word(writer, feed->begins[i]);
}

/* Each end must be of an earlier epoch than the next one, and all before the newest version's. */
static bool ends_are_sound(const struct feed *feed) {
    for (unsigned i = 0; i < feed->end_count; i++)
        if (!feed->ends[i] || version_epoch(feed->ends[i]) >= version_epoch(feed_end(feed, i + 1)))
            return false;
    return true;
}

static bool begins_are_sound(const struct feed *feed) {
    for (unsigned i = 0; i <= feed->end_count; i++) {
        version begin = feed->begins[i], end = feed_end(feed, i);
        if (begin && (begin > end || version_epoch(begin) != version_epoch(end))) return false;
    }
    return true;
}

static bool read_state(struct bytes state, struct feed *feed) {
    struct record_reader reader = record_reader(state);
    *feed = (struct feed){.loading = true, .frontier = {"", 0}};
    feed->whole_from = record_word(&reader);
    feed->newest = record_word(&reader);
    feed->keep = record_number(&reader);
    uint64_t ends = record_number(&reader);
    if (ends > FEED_EPOCHS - 1) return false;
    for (; feed->end_count < ends; feed->end_count++) feed->ends[feed->end_count] = record_word(&reader);
    uint64_t begins = ends && record_more(&reader) ? ends + 1 : 0; /* none in older files */
    for (uint64_t i = 0; i < begins; i++) feed->begins[i] = record_word(&reader);
    return record_complete(&reader) && feed->whole_from && feed->whole_from <= feed->newest &&
           feed->newest <= VERSION_MAX && feed->keep <= FEED_KEEP_MAX && ends_are_sound(feed) &&
           begins_are_sound(feed);
}

version feed_state_newest(struct bytes state) {
    struct feed feed;
    return read_state(state, &feed) ? feed.newest : 0;
}

struct feed *feed_read_state(struct account *account, struct bytes state) {
    struct feed read;
    if (!read_state(state, &read)) return NULL;
    struct feed *feed = account_add(account, memory_alloc(sizeof(*feed)));
    *feed = read;
    return feed;
}

/* --- Files: the markers --- */

struct version_cursor feed_first_marker(const struct feed *feed) {
    struct version_cursor cursor = version_order_seek(&feed->order, feed->whole_from);
    version_cursor_to_marked(&feed->order, &cursor);
    return cursor;
}

bool feed_put_markers(const struct feed *feed, struct version_cursor *cursor, struct record_writer *writer) {
    const struct version_slot *slot;
    unsigned count = 0;
    while ((slot = version_cursor_slot(&feed->order, cursor)) && count < MARKERS_MAX &&
           writer->length < MARKERS_BYTES) {
        record_put_word(writer, slot->v);
        record_put_bytes(writer, entry_name(version_slot_entry(slot)));
        count++;
        version_cursor_next(&feed->order, cursor);
        version_cursor_to_marked(&feed->order, cursor);
    }
    return count;
}

/* Reads a marker and adds it after all previous ones. Returns its version; 0, and nothing done, when it does not fit
 * the saved state. */
static version restore_marker(struct account *account, struct feed *feed, struct record_reader *reader,
                              bool (*name_is_sound)(const void *name)) {
    version v = record_word(reader);
    struct bytes name = record_bytes(reader);
    if (reader->failed || name.length > UINT16_MAX || (name_is_sound && !name_is_sound(&name))) return 0;
    bool fits = feed->loading && v > feed->whole_from && v <= feed->newest && feed->kept < feed->keep;
    uint32_t hash = hash_bytes(name);
    if (!fits || marker_behind(feed, v - 1) || marker_named(feed, hash, name)) return 0;
    add_marker(account, feed, hash, name, v);
    return v;
}

/* Takes the markers from this version on out again. */
static void unrestore_markers(struct account *account, struct feed *feed, version from) {
    for (struct entry *marker; (marker = marker_behind(feed, from - 1));) {
        uncount_markers(feed, 1);
        free_marker(account, feed, marker);
    }
}

bool feed_read_markers(struct account *account, struct feed *feed, struct bytes markers,
                       bool (*name_is_sound)(const void *name)) {
    struct record_reader reader = record_reader(markers);
    version first = 0;
    while (!record_complete(&reader)) {
        version v = restore_marker(account, feed, &reader, name_is_sound);
        if (!first) first = v;
        if (v) continue;
        if (first) unrestore_markers(account, feed, first);
        return false;
    }
    return true;
}

/* --- Memory --- */

size_t feed_memory(const struct feed *feed) {
    return feed ? feed->markers.memory : 0;
}

size_t feed_places(const struct feed *feed) {
    return feed ? size_max(feed->order.count, feed->markers.buckets) : 0;
}

static void move_marker(void *owner, struct entry *entry, const struct relocation *relocation) {
    const struct feed *feed = owner;
    struct feed_entry *marker = (struct feed_entry *)entry;
    void **named = hash_index_slot(&feed->markers, entry);
    struct version_slot *slot = version_order_slot(&feed->order, marker->v, entry);
    *named = relocate(relocation, marker);
    version_slot_set(slot, *named, true);
}

void feed_relocate(struct feed *feed, size_t place, const struct relocation *relocation) {
    if (!feed) return;
    if (!place && feed->frontier.length)
        feed->frontier.data = relocate(relocation, (char *)feed->frontier.data);
    version_order_relocate(&feed->order, place, relocation);
    hash_index_move(&feed->markers, place, relocation, move_marker, feed);
}
