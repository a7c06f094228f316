#include "core/host_list.h"

#include "core/number.h"

static bool is_any(struct bytes text) {
    return text.length == 1 && text.data[0] == '*';
}

static bool is_gap(char c) {
    return c == ' ' || c == '\t';
}

/* The next word; false after the last one. */
static bool next_pattern(struct bytes *list, struct bytes *word) {
    const char *at = list->data, *end = list->data + list->length;
    while (at < end && is_gap(*at)) at++;
    const char *start = at;
    while (at < end && !is_gap(*at)) at++;
    *word = bytes_of(start, (size_t)(at - start));
    *list = bytes_of(at, (size_t)(end - at));
    return word->length != 0;
}

bool host_port_read(struct bytes text, int64_t *port) {
    return number_read(text, port) && *port >= 1 && *port <= PORT_MAX;
}

struct bytes host_without_brackets(struct bytes host) {
    bool has = host.length > 2 && host.data[0] == '[' && host.data[host.length - 1] == ']';
    return has ? bytes_of(host.data + 1, host.length - 2) : host;
}

/* The last colon separates the port, since an IPv6 address has colons itself. Brackets around the
 * host are removed. */
static bool split_pattern(struct bytes pattern, struct bytes *host, struct bytes *port) {
    size_t at = pattern.length;
    while (at && pattern.data[at - 1] != ':') at--;
    if (at < 2) return false;
    *port = bytes_of(pattern.data + at, pattern.length - at);
    *host = host_without_brackets(bytes_of(pattern.data, at - 1));
    return true;
}

/* On a mismatch after a star, the star takes one character more. */
static bool host_matches(struct bytes pattern, struct bytes text) {
    size_t at = 0, place = 0, star = SIZE_MAX, from = 0;
    while (place < text.length) {
        char wanted = at < pattern.length ? pattern.data[at] : '\0';
        if (at < pattern.length && wanted == '*') {
            star = at++;
            from = place;
        } else if (at < pattern.length &&
                   (wanted == '?' || bytes_lower(wanted) == bytes_lower(text.data[place]))) {
            at++;
            place++;
        } else if (star != SIZE_MAX) {
            at = star + 1;
            place = ++from;
        } else {
            return false;
        }
    }
    while (at < pattern.length && pattern.data[at] == '*') at++;
    return at == pattern.length;
}

bool host_list_is_sound(struct bytes list) {
    struct bytes word, host, port;
    int64_t number;
    while (next_pattern(&list, &word)) {
        if (is_any(word)) continue;
        if (!split_pattern(word, &host, &port) || !(is_any(port) || host_port_read(port, &number)))
            return false;
    }
    return true;
}

static bool pattern_allows(struct bytes pattern, struct bytes host, int port) {
    struct bytes wanted_host, wanted_port;
    int64_t number;
    if (is_any(pattern)) return true;
    if (!split_pattern(pattern, &wanted_host, &wanted_port) || !host_matches(wanted_host, host)) return false;
    return is_any(wanted_port) || (host_port_read(wanted_port, &number) && number == port);
}

bool host_list_allows(struct bytes list, struct bytes host, int port) {
    struct bytes word;
    while (next_pattern(&list, &word))
        if (pattern_allows(word, host, port)) return true;
    return false;
}
