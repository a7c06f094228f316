#include "server/waiting/feed_commands.h"

#include "server/base/info.h"
#include "server/call/decision.h"
#include "server/call/refusal.h"
#include "server/call/reply_limit.h"

#include "ccan/array_size/array_size.h"

enum {
    PAGE_CHANGES = 1000,
    PAGE_CHANGES_MAX = 5000,
    CHANGES_LOOKED_AT_MAX = 20000,
    PAGE_ROOM_BYTES = 1 << 20,
    CHANGE_OVERHEAD_BYTES = 192,
};

struct wait_kind feed_news = {.discipline = WAIT_TOGETHER};

static unsigned long long changes_told;

/* --- Bookmarks --- */

enum outcome feed_bookmark_check(struct bytes text) {
    struct bookmark bookmark;
    return bookmark_read(text, &bookmark) ? OUTCOME_DONE : OUTCOME_INVALID_QUERY;
}

const char *feed_bookmark_explain(struct bytes text) {
    (void)text;
    return "SINCE takes a version, a bookmark, 0 or $";
}

static void reply_bookmark(struct reply *out, const struct bookmark *bookmark) {
    char text[BOOKMARK_MAX_BYTES];
    size_t length = bookmark_write(bookmark, text);
    reply_bytes(out, bytes_of(text, length));
}

static enum outcome refuse_lost(struct call *call, const struct feed *feed) {
    char from[VERSION_TEXT_LENGTH];
    if (feed->foreign) return OUTCOME_CHANGES_LOST;
    version_write(feed->whole_from, from);
    return refusal_because_format(call, OUTCOME_CHANGES_LOST,
                                  "the feed is whole from %.*s on: list anew, then follow",
                                  VERSION_TEXT_LENGTH, from);
}

static enum outcome find_place(struct call *call, const struct feed *feed, struct bookmark *asked) {
    if (!feed) return OUTCOME_FEED_OFF;
    if (feed->building) return OUTCOME_FEED_BUILDING;
    bookmark_read(call_option(call, SLOT_SINCE_BOOKMARK), asked);
    bool primary = RedisModule_GetContextFlags(call->ctx) & REDISMODULE_CTX_FLAGS_MASTER;
    struct known_versions known = {version_newest(), primary, version_passed()};
    return feed_lost(feed, asked, &known) ? refuse_lost(call, feed) : OUTCOME_DONE;
}

/* --- Pages --- */

struct page_of_changes {
    const struct version_slot *slots;
    size_t count;
    struct bookmark behind;
};

/* The page ends in front of what does not fit any more. */
static struct page_of_changes collect_changes(struct call *call, const struct feed *feed,
                                              struct bookmark from, const struct feed_view *view) {
    size_t max = reply_page_max(call, SLOT_PAGE_SIZE, PAGE_CHANGES, PAGE_CHANGES_MAX);
    size_t budget = reply_limit_up_to(PAGE_ROOM_BYTES), taken = 0;
    struct version_slot *slots = call_alloc(call, max * sizeof(*slots)), slot;
    struct page_of_changes page = {slots, 0, from};
    struct feed_walk walk = feed_follow(feed, from);
    for (int looked_at = 0; looked_at < CHANGES_LOOKED_AT_MAX && page.count < max; looked_at++) {
        bool more = feed_next(&walk, &slot);
        struct bytes name = more && slot.entry ? entry_name(version_slot_entry(&slot)) : bytes_of("", 0);
        bool wanted = name.length && (!view->wants || view->wants(call, name));
        if (wanted) taken += CHANGE_OVERHEAD_BYTES + name.length;
        if (wanted && page.count && taken > budget) break;
        if (wanted) slots[page.count++] = slot;
        page.behind = walk.at;
        if (!more) break;
    }
    return page;
}

static void reply_change(struct call *call, const struct version_slot *slot, const struct feed_view *view) {
    const struct entry *entry = version_slot_entry(slot);
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        view->name(&map, entry_name(entry));
        reply_field_version(&map, "etag", slot->v);
        if (version_slot_marked(slot))
            reply_field_number(&map, "deleted", 1);
        else if (view->describe)
            view->describe(&map, entry);
    }
}

static void reply_page(struct call *call, const struct page_of_changes *page, const struct feed_view *view) {
    reply_array(&call->out, 2);
    reply_bookmark(&call->out, &page->behind);
    reply_array(&call->out, (long)page->count);
    for (size_t i = 0; i < page->count; i++) reply_change(call, &page->slots[i], view);
    decision_count(call, &changes_told, page->count);
}

/* A caller with the bookmark 0 or $ always gets a reply: it learns a real bookmark. A replica tells nothing of a state
 * before the one of the last page: an older one may have come back since, with objects that its pages would pass. */
static bool is_behind(const struct feed *feed, const struct bookmark *asked) {
    if (!asked->position) return true;
    if (asked->began > feed->newest || asked->seen > feed->newest) return false;
    return asked->began || asked->position < feed->newest;
}

enum outcome feed_answer(struct call *call, const struct feed *feed, const struct feed_view *view) {
    struct bookmark asked;
    enum outcome outcome = find_place(call, feed, &asked);
    if (outcome != OUTCOME_DONE) return outcome;
    if (!is_behind(feed, &asked)) {
        struct page_of_changes nothing = {NULL, 0, asked};
        reply_page(call, &nothing, view);
        return decision_not_yet(call, &feed_news, bytes_of("", 0), WAIT_NO_INSTANT, OUTCOME_DONE);
    }
    if (!reply_is_wanted(&call->out)) return OUTCOME_DONE; /* a probe: nobody would see the page */
    struct page_of_changes page = collect_changes(call, feed, feed_resolve(feed, asked), view);
    reply_page(call, &page, view);
    return OUTCOME_DONE;
}

/* --- News, and INFO --- */

void feed_wake(const struct call *call) {
    if (feed_news.waiting) wait_look(call, &feed_news, bytes_of("", 0));
}

void feed_info(RedisModuleInfoCtx *ctx) {
    struct feed_census census = feed_census();
    const struct info_number numbers[] = {
        {"feed_followers", feed_news.waiting},
        {"feed_changes_told", changes_told},
        {"feed_markers", census.kept},
        {"feed_markers_dropped", census.dropped},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
}
