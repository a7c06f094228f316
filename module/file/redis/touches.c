/* Transactions: what FILE.* on paths change, and how their decided changes fit behind others. */
#include "core/things.h"
#include "file/redis/handlers.h"

struct bytes file_thing_name(struct bytes path, struct things *things) {
    char *folded = things_alloc(things, path_folded_max(path));
    return bytes_of(folded, path_fold(folded, path));
}

void file_touches(const struct call *call, struct things *things) {
    things_add(things, "file", file_thing_name(call_word(call, ARG_PATH), things));
}

/* Several commands may add to a directory; none may while another one removes it. */
static const char directory_noun[] = "directory";

void file_begins_touches(const struct call *call, struct things *things) {
    struct bytes path = file_thing_name(call_word(call, ARG_PATH), things);
    things_add(things, "file", path);
    things_share(things, directory_noun, path_parent(path));
}

void file_rmdir_touches(const struct call *call, struct things *things) {
    struct bytes path = file_thing_name(call_word(call, ARG_PATH), things);
    things_add(things, "file", path);
    things_add(things, directory_noun, path);
}

/* An earlier change of the transaction may have moved or removed the file. */
bool share_refresh(struct call *call, void *decided) {
    struct share_change *change = decided;
    if (!change->node) return true;
    change->node = tree_find(call->value, change->path).node;
    return change->node || change->kind != FILE_LEASE;
}
