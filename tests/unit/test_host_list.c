/* Host lists: which patterns are some, and whom they allow. */
#include "core/host_list.h"

#include "unit.h"

TEST(host_lists_are_told_from_malformed_ones) {
    static const struct {
        const char *list;
        bool sound;
    } rows[] = {
        {"", true},
        {"  ", true},
        {"*", true},
        {"a:1", true},
        {"a:1 b:65535\tc:*", true},
        {"*:6379", true},
        {"10.0.?.*:*", true},
        {"[::1]:6379", true},
        {"::1:6379", true},
        {"a", false},
        {"a:", false},
        {":6379", false},
        {"a:0", false},
        {"a:65536", false},
        {"a:x", false},
        {"a:06379", false},
        {"a:1 b", false},
        {"a:1*", false},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++)
        require_same(host_list_is_sound(bytes_text(rows[row].list)), rows[row].sound, "'%s'", rows[row].list);
}

TEST(a_list_allows_its_hosts_and_ports) {
    static const struct {
        const char *list, *host;
        int port;
        bool allowed;
    } rows[] = {
        {"", "a", 1, false},
        {"*", "a", 1, true},
        {"*", "::1", 65535, true},
        {"a:1", "a", 1, true},
        {"a:1", "A", 1, true},
        {"a:1", "a", 2, false},
        {"a:1", "b", 1, false},
        {"a:1", "aa", 1, false},
        {"a:1", "", 1, false},
        {"a:*", "a", 7, true},
        {"*:7", "anybody", 7, true},
        {"*:7", "anybody", 8, false},
        {"b:2 a:1", "a", 1, true},
        {"b:1 a:2", "a", 1, false},
        {"10.0.0.*:6379", "10.0.0.12", 6379, true},
        {"10.0.0.*:6379", "10.0.1.12", 6379, false},
        {"10.0.0.*:6379", "110.0.0.1", 6379, false},
        {"10.0.0.?:6379", "10.0.0.12", 6379, false},
        {"*.internal:*", "redis.eu.internal", 1, true},
        {"*.internal:*", "internal", 1, false},
        {"*.internal:*", "redis.internal.evil", 1, false},
        {"a*b*c:1", "aXbXbYc", 1, true},
        {"a*b*c:1", "aXbXbY", 1, false},
        {"[::1]:6379", "::1", 6379, true},
        {"[fe80::*]:6379", "fe80::1:2", 6379, true},
        {"[::1]:6379", "::2", 6379, false},
        {"***:1", "a", 1, true},
    };
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++)
        require_same(host_list_allows(bytes_text(rows[row].list), bytes_text(rows[row].host), rows[row].port),
                     rows[row].allowed, "'%s' for %s:%d", rows[row].list, rows[row].host, rows[row].port);
}
