#include "server/waiting/key_lines.h"

#include "core/memory.h"
#include "core/number.h"

#include "ccan/container_of/container_of.h"

struct lines_of_key {
    struct entry entry; /* its name is the packed key name */
    struct list_head lines;
    size_t count;
    size_t unlooked;             /* how many from the front have not been looked at since the news */
    struct list_node among_news; /* while there are such lines */
};

static struct hash_index keys;
static LIST_HEAD(with_news);

static struct lines_of_key *find_lines_of_key(struct key_name name) {
    struct entry *entry = key_name_find(&keys, name);
    return entry ? container_of(entry, struct lines_of_key, entry) : NULL;
}

static struct lines_of_key *new_lines_of_key(struct key_name name) {
    struct lines_of_key *key = key_name_add(&keys, name, sizeof(*key));
    list_head_init(&key->lines);
    return key;
}

static void set_unlooked(struct lines_of_key *key, size_t count) {
    if (!key->unlooked && count) list_add_tail(&with_news, &key->among_news);
    if (key->unlooked && !count) list_del(&key->among_news);
    key->unlooked = count;
}

void key_lines_add(struct key_line *line, struct key_name key) {
    line->of = find_lines_of_key(key);
    if (!line->of) line->of = new_lines_of_key(key);
    list_add_tail(&line->of->lines, &line->node);
    line->of->count++;
}

/* If it was one of those to look at, one of the others is looked at in its place. */
void key_lines_remove(struct key_line *line) {
    struct lines_of_key *key = line->of;
    list_del(&line->node);
    key->count--;
    set_unlooked(key, size_min(key->unlooked, key->count));
    if (key->count) return;
    hash_index_remove(&keys, &key->entry);
    memory_free(key);
}

bool key_lines_news(struct key_name name) {
    struct lines_of_key *key = find_lines_of_key(name);
    if (key) set_unlooked(key, key->count);
    return key;
}

bool key_lines_have_news(void) {
    return !list_empty(&with_news);
}

struct key_line *key_lines_next(void) {
    struct lines_of_key *key = list_top(&with_news, struct lines_of_key, among_news);
    if (!key) return NULL;
    struct key_line *line = list_top(&key->lines, struct key_line, node);
    list_del(&line->node);
    list_add_tail(&key->lines, &line->node);
    set_unlooked(key, key->unlooked - 1);
    return line;
}
