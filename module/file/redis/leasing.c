/* What LEASE.* needs to know of shares and files. */
#include "file/redis/file_access.h"
#include "file/redis/file_commands.h"
#include "file/redis/waiting.h"
#include "lease/redis/lease_home.h"
#include "lease/redis/leases.h"

static enum outcome find_leased_file(struct call *call, struct lease_subject *subject) {
    struct file_node *node;
    enum outcome outcome = file_find_node(call, call_option(call, SLOT_FILE), NODE_FILE, &node);
    if (outcome != OUTCOME_DONE) return outcome;
    if (file_fate(call, node).pending) return OUTCOME_DELETE_PENDING;
    subject->buffer = file_line_id(node);
    subject->name = bytes_of(&subject->buffer, sizeof(subject->buffer));
    subject->noun = "file";
    subject->object = node;
    subject->stamp = &node->stamp;
    subject->lease = file_lease_of(node);
    subject->endless = true;
    return OUTCOME_DONE;
}

static enum outcome file_lease_check_begin(struct call *call, const struct lease_subject *subject) {
    return subject->object ? file_check_leasable(call, subject->object) : OUTCOME_DONE;
}

static void settle_subject(struct call *call) {
    if (args_given(&call->args, SLOT_FILE)) file_settle_at(call, call_option(call, SLOT_FILE));
}

static void decide_file_lease(struct call *call, const struct lease_subject *subject,
                              const struct lease *next, enum lease_event event, bool expired) {
    struct share_change *change = share_decide(call, subject->object ? FILE_LEASE : SHARE_LEASE);
    change->node = subject->object;
    change->lease = *next;
    change->event = event;
    change->expired = expired;
    if (subject->object) change->path = call_option(call, SLOT_FILE);
}

static const struct lease *lease_of_file(struct entry *entry) {
    return lease_of_entry(entry)->lease;
}

static bool leased_file_is_there(struct call *call, struct entry *entry) {
    return !file_fate(call, lease_of_entry(entry)->usage->node).gone;
}

static char *leased_path(struct entry *entry, struct bytes *name) {
    return node_path_new(lease_of_entry(entry)->usage->node, name);
}

static size_t leased_path_length(struct entry *entry) {
    return node_path_length(lease_of_entry(entry)->usage->node);
}

static struct bytes file_line_name(struct entry *entry, uint64_t *buffer) {
    *buffer = file_line_id(lease_of_entry(entry)->usage->node);
    return bytes_of(buffer, sizeof(*buffer));
}

static const struct lease *share_lease_set_by(const void *decided) {
    const struct share_change *change = decided;
    return change->kind == SHARE_LEASE || change->kind == FILE_LEASE ? &change->lease : NULL;
}

const struct lease_home share_leases = {
    .noun = "share",
    .own_noun = LEASE_OF_SHARE,
    .stamp_at = offsetof(struct share, stamp),
    .lease_at = offsetof(struct share, lease),
    .leased_at = offsetof(struct share, leased),
    .object_slot = SLOT_FILE,
    .foreign_slot = SLOT_BLOB,
    .foreign_note = "a share has no blobs, use FILE",
    .target_name = file_target_name,
    .set_by = share_lease_set_by,
    .find = find_leased_file,
    .settle = settle_subject,
    .decide = decide_file_lease,
    .lease_of = lease_of_file,
    .exists = leased_file_is_there,
    .display_name = leased_path,
    .display_length = leased_path_length,
    .line_name = file_line_name,
    .check_begin = file_lease_check_begin,
};
