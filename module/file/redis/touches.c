/* Transactions: what FILE.* on paths and LEASE.* change, and how their decided changes fit behind others. */
#include "core/things.h"
#include "file/redis/handlers.h"
#include "lease/redis/handlers.h"

static struct bytes folded(struct bytes path, struct things *things) {
    char *folded = things_alloc(things, path_folded_max(path));
    return bytes_of(folded, path_fold(folded, path));
}

void file_touches(const struct call *call, struct things *things) {
    things_add(things, "file", folded(call_word(call, ARG_PATH), things));
}

/* Several commands may add to a directory; none may while another one removes it. */
static const char directory_noun[] = "directory";

void file_begins_touches(const struct call *call, struct things *things) {
    struct bytes path = folded(call_word(call, ARG_PATH), things);
    things_add(things, "file", path);
    things_share(things, directory_noun, path_parent(path));
}

void file_rmdir_touches(const struct call *call, struct things *things) {
    struct bytes path = folded(call_word(call, ARG_PATH), things);
    things_add(things, "file", path);
    things_add(things, directory_noun, path);
}

/* A lease is a thing of its own, apart from the object that has it. */
void lease_touches(const struct call *call, struct things *things) {
    struct bytes name = call_option(call, SLOT_BLOB);
    if (args_given(&call->args, SLOT_FILE)) name = folded(call_option(call, SLOT_FILE), things);
    things_add(things, "lease", name);
}

/* An earlier change of the transaction may have moved or removed the file. */
bool share_refresh(struct call *call, void *decided) {
    struct share_change *change = decided;
    if (!change->node) return true;
    change->node = tree_find(call->value, change->path).node;
    return change->node || change->kind != FILE_LEASE;
}
