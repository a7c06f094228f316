/* FILE.HANDLES and FILE.CLOSEHANDLES, for operators, who refer to handles by number. Handles of sessions that have
 * ended do not count. */
#include "core/memory.h"
#include "core/number.h"
#include "file/handle_lifetime.h"
#include "file/redis/file_access.h"
#include "file/redis/file_commands.h"

#include <stdlib.h>

enum { ARG_CLOSED = 3, PAGE_DEFAULT = 100, PAGE_MAX = 1000, LOOKED_AT_MAX = 20000, CLOSED_MAX = 2000 };

/* What a handle takes in the reply besides its path and owner. */
enum { HANDLE_REPLY_BYTES = 352 };

/* The handles of a file, or of all files below a directory. */
struct handle_selection {
    const struct file_node *node;
    bool recursive;
};

static enum outcome check_recursion(struct call *call, const struct handle_selection *selection) {
    if (!selection->recursive || !node_is_file(selection->node)) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_INVALID_QUERY, "RECURSIVE is for directories");
}

static enum outcome select_handles(struct call *call, struct bytes path, struct handle_selection *selection) {
    struct file_node *node;
    selection->recursive = args_given(&call->args, SLOT_FILE_RECURSIVE);
    enum outcome outcome = file_find_node(call, path, ANY_NODE, &node);
    selection->node = node;
    return outcome == OUTCOME_DONE ? check_recursion(call, selection) : outcome;
}

/* Whether its file, if it still has one, is the selected one, or is below the directory. */
static bool is_within(const struct handle_selection *selection, const struct file_handle *handle) {
    if (!handle->group->usage) return false;
    if (node_is_file(selection->node)) return handle_node(handle) == selection->node;
    return selection->recursive && node_is_within(handle_node(handle), selection->node);
}

static bool is_selected(struct call *call, const struct handle_selection *selection,
                        const struct file_handle *handle) {
    return is_within(selection, handle) && !session_has_ended(handle->group->session, call_now_ms(call));
}

static bool has_handles(const struct handle_selection *selection) {
    const struct file_node *node = selection->node;
    if (node_is_file(node)) return node->usage && node->usage->tally.handles;
    return selection->recursive && node->directory->handles;
}

/* --- FILE.HANDLES --- */

static bool given_marker(const struct call *call, uint64_t *number) {
    *number = 0;
    if (!args_given(&call->args, SLOT_MARKER)) return true;
    return number_read_unsigned(call_option(call, SLOT_MARKER), number);
}

enum outcome file_handles_check(struct call *call) {
    uint64_t number;
    if (given_marker(call, &number)) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_INVALID_QUERY, "MARKER takes what the page before returned");
}

static void reply_words(struct reply *out, unsigned bits, const char *none) {
    static const char *const words[] = {"read", "write", "delete"};
    reply_array(out, bits ? __builtin_popcount(bits) : 1);
    if (!bits) reply_bytes(out, bytes_text(none));
    for (int i = 0; i < SHARING_BITS; i++)
        if (bits >> i & 1) reply_bytes(out, bytes_text(words[i]));
}

static void reply_path(struct reply_map *map, const struct file_node *node) {
    struct bytes path;
    char *buffer = node_path_new(node, &path);
    reply_field_bytes(map, "path", path);
    memory_free(buffer);
}

static void reply_handle(struct call *call, const struct file_handle *handle) {
    const struct share_session *session = handle->group->session;
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        reply_field_number(&map, "handle", (long long)handle_number(handle));
        reply_path(&map, handle_node(handle));
        reply_field_number(&map, "session", (long long)session->number);
        if (session->owner_length) reply_field_bytes(&map, "owner", session_owner(session));
        reply_field(&map, "access");
        reply_words(map.out, handle->sharing.access, "attributes");
        reply_field(&map, "share");
        reply_words(map.out, handle->sharing.share, "none");
        reply_field_number(&map, "opened", handle->opened_ms);
        reply_field_number(&map, "pending", file_fate(call, handle_node(handle)).pending);
    }
}

struct handle_page {
    uint64_t from;
    size_t max;
    struct page_bytes taken;
    const struct file_handle *found[PAGE_MAX];
    size_t count;
    const struct file_handle *next; /* NULL at the end */
};

/* Adds a handle to the page, or ends the page before it. */
static void show_handle(struct handle_page *page, const struct file_handle *handle) {
    size_t bytes =
        HANDLE_REPLY_BYTES + node_path_length(handle_node(handle)) + handle->group->session->owner_length;
    if (page->count < page->max && page_bytes_take(&page->taken, bytes))
        page->found[page->count++] = handle;
    else
        page->next = handle;
}

static int compare_handle_numbers(const void *a, const void *b) {
    const struct file_handle *const *one = a, *const *other = b;
    uint64_t number = handle_number(*one), other_number = handle_number(*other);
    return (number > other_number) - (number < other_number);
}

/* The handles of a file are not sorted. */
static void gather_of_file(struct call *call, const struct handle_selection *selection,
                           struct handle_page *page) {
    const struct file_usage *usage = selection->node->usage;
    const struct file_handle **handles =
        memory_alloc(usage->tally.handles * sizeof(const struct file_handle *));
    const struct handle_group *group;
    const struct file_handle *handle;
    size_t count = 0;
    list_for_each (&usage->groups, group, of_usage)
        list_for_each (&group->handles, handle, among)
            if (handle_number(handle) >= page->from && is_selected(call, selection, handle))
                handles[count++] = handle;
    if (count) qsort(handles, count, sizeof(const struct file_handle *), compare_handle_numbers);
    for (size_t i = 0; i < count && !page->next; i++) show_handle(page, handles[i]);
    memory_free(handles);
}

static void gather_of_share(struct call *call, const struct handle_selection *selection,
                            struct handle_page *page) {
    struct order_cursor cursor = share_handles_seek(call->value, page->from);
    int left = LOOKED_AT_MAX;
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) {
        const struct file_handle *handle = handle_of_numbered(entry);
        if (!left--) page->next = handle;
        if (!page->next && is_selected(call, selection, handle)) show_handle(page, handle);
        if (page->next) return;
    }
}

/* Pages of a directory, or of a file with very many handles, may have fewer handles than requested, or none. */
static void reply_handle_page(struct call *call, const struct handle_selection *selection) {
    struct handle_page page = {.max = reply_page_max(call, SLOT_PAGE_SIZE, PAGE_DEFAULT, PAGE_MAX)};
    const struct file_node *node = selection->node;
    char marker[NUMBER_TEXT_MAX];
    given_marker(call, &page.from);
    if (has_handles(selection)) {
        bool few = node_is_file(node) && node->usage->tally.handles <= LOOKED_AT_MAX;
        (few ? gather_of_file : gather_of_share)(call, selection, &page);
    }
    size_t digits = page.next ? number_write((int64_t)handle_number(page.next), marker) : 0;
    reply_page_begin(&call->out, bytes_of(marker, digits), page.count);
    for (size_t i = 0; i < page.count; i++) reply_handle(call, page.found[i]);
}

/* Without a path: all handles of the share. */
enum outcome file_handles_decide(struct call *call) {
    const struct share *share = call->value;
    struct handle_selection selection = {share->root, true};
    if (args_given(&call->args, SLOT_FILE_PATH)) {
        struct bytes path = call_option(call, SLOT_FILE_PATH);
        enum outcome outcome = select_handles(call, path, &selection);
        if (outcome != OUTCOME_DONE) return outcome;
    }
    reply_handle_page(call, &selection);
    return OUTCOME_DONE;
}

/* --- FILE.CLOSEHANDLES --- */

static bool given_handle(const struct call *call, uint64_t *number) {
    return number_read_unsigned(call_word(call, ARG_CLOSED), number);
}

static bool given_all(const struct call *call) {
    return bytes_equal(call_word(call, ARG_CLOSED), bytes_text("*"));
}

enum outcome file_closehandles_check(struct call *call) {
    uint64_t number;
    if (given_all(call) || given_handle(call, &number)) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_INVALID_VALUE,
                           "a handle must be a number shown by FILE.HANDLES, or * for all");
}

struct closing {
    struct call *call;
    struct handle_selection selection;
    struct record_writer *handles;
    size_t count, effort;
};

/* False when one command may close no more. */
static bool close_one(struct closing *closing, const struct file_handle *handle) {
    if (closing->effort >= CLOSED_MAX) return false;
    if (!is_selected(closing->call, &closing->selection, handle)) return true;
    closing->effort += 1 + handle->lock_count;
    closing->count++;
    record_put_guid(closing->handles, handle->id);
    return true;
}

static void close_number(struct closing *closing, uint64_t number) {
    struct order_cursor cursor = share_handles_seek(closing->call->value, number);
    struct entry *entry = order_cursor_entry(&cursor);
    const struct file_handle *handle = entry ? handle_of_numbered(entry) : NULL;
    if (handle && handle_number(handle) == number) close_one(closing, handle);
}

static void close_all_of_file(struct closing *closing) {
    const struct handle_group *group;
    const struct file_handle *handle;
    list_for_each (&closing->selection.node->usage->groups, group, of_usage)
        list_for_each (&group->handles, handle, among)
            if (!close_one(closing, handle)) return;
}

/* The handles of a share are in one order, so those of other directories are passed over. Callers take a reply of 0
 * for the end: the search goes on until all that are below the directory have been seen. */
static void close_all_of_directory(struct closing *closing) {
    struct order_cursor cursor = share_handles_seek(closing->call->value, 0);
    uint64_t left = closing->selection.node->directory->handles;
    for (struct entry *entry; left && (entry = order_cursor_take(&cursor));) {
        const struct file_handle *handle = handle_of_numbered(entry);
        if (!is_within(&closing->selection, handle)) continue;
        left--;
        if (!close_one(closing, handle)) return;
    }
}

static void close_all(struct closing *closing) {
    if (!has_handles(&closing->selection)) return;
    if (node_is_file(closing->selection.node))
        close_all_of_file(closing);
    else
        close_all_of_directory(closing);
}

/* Closes as many handles as one command may, and replies how many; callers repeat it for the rest. */
enum outcome file_closehandles_decide(struct call *call) {
    struct closing closing = {.call = call, .handles = call_writer(call)};
    uint64_t number = 0;
    enum outcome outcome = select_handles(call, call_word(call, ARG_PATH), &closing.selection);
    if (outcome != OUTCOME_DONE) return outcome;
    if (given_all(call))
        close_all(&closing);
    else if (given_handle(call, &number))
        close_number(&closing, number);
    if (closing.count) {
        struct share_change *change = share_decide(call, FILE_CLOSEHANDLES);
        change->handles = (struct packed_list){closing.count, record_written(closing.handles)};
    }
    reply_number(&call->out, (long long)closing.count);
    return OUTCOME_DONE;
}
