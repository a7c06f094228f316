/* Changes of a share that are read from records: each field is sound, and fields that belong together fit. */
#include "file/node.h"
#include "file/share_change.h"
#include "unit.h"

#define MAX_BYTES ((uint64_t)FILE_MAX_BYTES)

static bool reads(const struct share_change *change) {
    struct record_writer writer;
    struct share_change again;
    record_start(&writer);
    change_write(&share_changes, change, &writer);
    bool sound = change_read(&share_changes, record_written(&writer), &again);
    record_end(&writer);
    return sound;
}

TEST(ranges_lie_inside_of_the_largest_file) {
    static const struct {
        uint64_t offset, length;
        bool sound;
    } ranges[] = {
        {0, 0, true},
        {0, MAX_BYTES, true},
        {MAX_BYTES, 0, true},
        {MAX_BYTES - 1, 1, true},
        {MAX_BYTES, 1, false},
        {MAX_BYTES + 1, 0, false},
        {0, MAX_BYTES + 1, false},
        {UINT64_MAX, 2, false}, /* the end is 1 */
        {2, UINT64_MAX, false}, /* likewise */
    };
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
        struct share_change change = {.kind = FILE_CLEARRANGE,
                                      .stamp = {1, 1},
                                      .path = bytes_text("a"),
                                      .offset = ranges[i].offset,
                                      .length = ranges[i].length};
        require_same(reads(&change), ranges[i].sound, "range %zu", i);
    }
}

TEST(locks_lie_anywhere_below_the_end) {
    static const struct {
        uint64_t offset, length;
        bool sound;
    } ranges[] = {
        {MAX_BYTES, MAX_BYTES, true}, {UINT64_MAX, 1, true},  {1, UINT64_MAX, true},
        {UINT64_MAX, 2, false},       {2, UINT64_MAX, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
        struct share_change change = {
            .kind = FILE_LOCK, .offset = ranges[i].offset, .length = ranges[i].length};
        require_same(reads(&change), ranges[i].sound, "lock %zu", i);
    }
}

TEST(handles_are_as_many_as_they_say) {
    static const char ids[3 * sizeof(struct guid)];
    static const struct {
        uint64_t count;
        size_t length;
        enum share_change_kind kind;
        bool sound;
    } lists[] = {
        {1, 16, FILE_CLOSE, true},  {2, 32, FILE_CLOSE, true},  {0, 0, FILE_CLOSE, false},
        {0, 0, SHARE_SWEEP, true},  {2, 16, FILE_CLOSE, false}, {1, 32, FILE_CLOSE, false},
        {1, 17, FILE_CLOSE, false}, {1, 15, FILE_CLOSE, false}, {UINT64_MAX, 16, FILE_CLOSE, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        struct share_change change = {.kind = lists[i].kind,
                                      .handles = {lists[i].count, bytes_of(ids, lists[i].length)}};
        require_same(reads(&change), lists[i].sound, "list %zu", i);
    }
}

TEST(a_node_in_a_file_has_one_name) {
    static const struct {
        const char *name;
        bool sound;
    } names[] = {{"a", true}, {"A name", true}, {"", false}, {"a/b", false}, {"..", false}, {"a:b", false}};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct share_change change = {.kind = LOAD_NODE, .name = bytes_text(names[i].name)};
        require_same(reads(&change), names[i].sound, "'%s'", names[i].name);
    }
}
