#include "pairs.h"

void pairs_start(struct pairs *pairs) {
    record_start(&pairs->writer);
    pairs->count = 0;
}

void pairs_add(struct pairs *pairs, struct bytes name, struct bytes value) {
    record_put_bytes(&pairs->writer, name);
    record_put_bytes(&pairs->writer, value);
    pairs->count++;
}

void pairs_end(struct pairs *pairs) {
    record_end(&pairs->writer);
}

struct packed_list pairs_list(const struct pairs *pairs) {
    return (struct packed_list){pairs->count, record_written(&pairs->writer)};
}

void pairs_add_texts(struct pairs *pairs, const char *const *texts) {
    for (; *texts; texts++) {
        size_t name = strcspn(*texts, "=");
        pairs_add(pairs, bytes_of(*texts, name), bytes_text(*texts + name + ((*texts)[name] == '=')));
    }
}
