/* Transactions: what FILE.* on paths change, and how their decided changes fit after others. */
#include "core/targets.h"
#include "file/redis/file_commands.h"

struct bytes file_target_name(struct bytes path, struct targets *targets) {
    char *folded = targets_alloc(targets, path_folded_max(path));
    return bytes_of(folded, path_fold(folded, path));
}

void file_touches(const struct call *call, struct targets *targets) {
    targets_add(targets, "file", file_target_name(call_word(call, ARG_PATH), targets));
}

/* Several commands may add to a directory; none may while another one removes it. */
static const char directory_noun[] = "directory";

void file_begins_touches(const struct call *call, struct targets *targets) {
    struct bytes path = file_target_name(call_word(call, ARG_PATH), targets);
    targets_add(targets, "file", path);
    targets_share(targets, directory_noun, path_parent(path));
}

void file_rmdir_touches(const struct call *call, struct targets *targets) {
    struct bytes path = file_target_name(call_word(call, ARG_PATH), targets);
    targets_add(targets, "file", path);
    targets_add(targets, directory_noun, path);
}

/* An earlier change of the transaction may have moved or removed the file. */
bool share_refresh(struct call *call, void *decided) {
    struct share_change *change = decided;
    if (!change->node) return true;
    change->node = tree_find(call->value, change->path).node;
    return change->node || change->kind != FILE_LEASE;
}
