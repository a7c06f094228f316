/* The stateless FILE.* commands that write. */
#include "core/number.h"
#include "file/handle_lifetime.h"
#include "file/redis/file_access.h"
#include "file/redis/file_commands.h"
#include "server/call/form.h"

enum { ARG_RANGE_BYTES = 4 };

/* Access to all of a file that open handles and locks may refuse. */
static struct file_access access_as(enum sharing_class class, const struct guid *lease_id) {
    return (struct file_access){.class = class, .checks_locks = true, .lease_id = lease_id};
}

/* Finds an existing node that the command may access in this way. */
static enum outcome find_accessible(struct call *call, unsigned kind, const struct file_access *access,
                                    struct file_node **node) {
    enum outcome outcome = file_find_node(call, call_word(call, ARG_PATH), kind, node);
    return outcome == OUTCOME_DONE ? file_check_access(call, *node, access) : outcome;
}

static struct share_change *decide_file_change(struct call *call, enum share_change_kind kind,
                                               struct file_node *node, RedisModuleString *content) {
    struct share_change *change = decision_add_with(call, kind, content);
    change->path = call_word(call, ARG_PATH);
    change->node = node;
    return change;
}

/* Gives the change a new stamp, and replies its ETag. */
static struct share_change *decide_stamped_file(struct call *call, enum share_change_kind kind,
                                                struct file_node *node, RedisModuleString *content) {
    struct share_change *change = decide_file_change(call, kind, node, content);
    change->stamp = decision_new_stamp(call);
    reply_version(&call->out, change->stamp.etag);
    return change;
}

/* --- Directories --- */

static enum outcome check_not_pending(struct call *call, const struct file_node *node) {
    bool pending = file_fate(call, node).pending;
    return pending ? OUTCOME_DELETE_PENDING : OUTCOME_DONE;
}

enum outcome file_mkdir_decide(struct call *call) {
    struct tree_place place;
    enum outcome outcome = file_find(call, call_word(call, ARG_PATH), &place);
    if (outcome == OUTCOME_DONE && place.node) outcome = check_not_pending(call, place.node);
    if (outcome == OUTCOME_DONE && place.node)
        outcome = node_is_file(place.node) ? OUTCOME_FILE_KIND : OUTCOME_FILE_EXISTS;
    if (outcome != OUTCOME_DONE) return outcome;
    decide_stamped_file(call, FILE_MKDIR, NULL, NULL)->metadata = call->metadata.list;
    return OUTCOME_DONE;
}

enum outcome file_rmdir_decide(struct call *call) {
    struct file_node *node;
    enum outcome outcome = file_find_node(call, call_word(call, ARG_PATH), NODE_DIRECTORY, &node);
    if (outcome != OUTCOME_DONE) return outcome;
    if (!node->parent)
        return refusal_because(call, OUTCOME_INVALID_PATH, "the root directory cannot be removed");
    if (node->directory->children) return OUTCOME_DIRECTORY_NOT_EMPTY;
    decide_file_change(call, FILE_RMDIR, node, NULL);
    return call_done(call);
}

/* --- Whole files --- */

/* Finds the place for a file with new content: an existing file, or none. */
static enum outcome find_to_replace(struct call *call, struct bytes path, struct tree_place *place) {
    const struct file_access access = access_as(CLASS_WRITE_DELETE, call_lease_id(call));
    enum outcome outcome = file_find(call, path, place);
    if (outcome != OUTCOME_DONE) return outcome;
    if (!place->node) return access.lease_id ? OUTCOME_LEASE_ABSENT_FILE : OUTCOME_DONE;
    outcome = file_check_kind(place, NODE_FILE);
    return outcome == OUTCOME_DONE ? file_check_access(call, place->node, &access) : outcome;
}

static uint64_t length_of(const struct file_node *node) {
    return node ? node->content.length : 0;
}

static uint8_t given_attributes(const struct call *call) {
    return (uint8_t)call_number(call, SLOT_FILE_ATTRIBUTES, 0);
}

enum outcome file_create_decide(struct call *call) {
    struct tree_place place;
    enum outcome outcome = find_to_replace(call, call_word(call, ARG_PATH), &place);
    if (outcome == OUTCOME_DONE)
        outcome = file_check_quota(call, length_of(place.node), call_size(call, SLOT_SIZE));
    if (outcome != OUTCOME_DONE) return outcome;
    struct share_change *change = decide_stamped_file(call, FILE_CREATE, place.node, NULL);
    change->length = call_size(call, SLOT_SIZE);
    change->attributes = given_attributes(call);
    change->properties = call->properties.list;
    change->metadata = call->metadata.list;
    return OUTCOME_DONE;
}

enum outcome file_delete_decide(struct call *call) {
    struct file_node *node;
    const struct file_access access = access_as(CLASS_DELETE, call_lease_id(call));
    enum outcome outcome = find_accessible(call, NODE_FILE, &access, &node);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_file_change(call, FILE_DELETE, node, NULL);
    return call_done(call);
}

enum outcome file_copy_decide(struct call *call) {
    struct file_node *source;
    struct tree_place place;
    struct file_access access = {.class = CLASS_READ, .checks_locks = true, .range = {0, UINT64_MAX}};
    enum outcome outcome = find_accessible(call, NODE_FILE, &access, &source);
    if (outcome == OUTCOME_DONE) outcome = find_to_replace(call, call_word(call, ARG_TARGET), &place);
    if (outcome == OUTCOME_DONE)
        outcome = file_check_quota(call, length_of(place.node), source->content.length);
    if (outcome != OUTCOME_DONE) return outcome;
    struct share_change *change = decide_stamped_file(call, FILE_COPY, source, NULL);
    change->target = call_word(call, ARG_TARGET);
    change->parts = args_given(&call->args, SLOT_META) ? FILE_PART_METADATA : 0;
    change->metadata = call->metadata.list;
    return OUTCOME_DONE;
}

/* --- Moving --- */

/* A directory can be moved only when no file below it is open or leased. */
static enum outcome check_source(struct call *call, const struct file_node *node) {
    const struct file_access access = access_as(CLASS_DELETE, call_lease_id(call));
    if (node_is_file(node)) return file_check_access(call, node, &access);
    if (!node->parent)
        return refusal_because(call, OUTCOME_INVALID_PATH, "the root directory cannot be moved");
    if (call_lease_id(call)) return OUTCOME_LEASE_ABSENT_FILE;
    if (node->directory->leases)
        return refusal_because(call, OUTCOME_LEASE_ID_MISSING,
                               "files in the directory are leased: release or break their leases first");
    if (node->directory->handles == share_ended_handles(call->value, node, call_now_ms(call)))
        return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_SHARING_VIOLATION, "files in the directory are open");
}

static const struct guid *new_lease_id(const struct call *call) {
    bool given = args_given(&call->args, SLOT_FILE_NEWLEASE);
    return given ? &call->args.slots[SLOT_FILE_NEWLEASE].id : NULL;
}

/* A file that replaces another one brings its lease if the other one has none. Then the other one's open handles must
 * allow a lease, as if it were acquired. */
static enum outcome check_moved_lease(struct call *call, const struct file_node *node,
                                      const struct file_node *replaced) {
    bool brings = file_lease_of(node)->kind == LEASE_HELD && file_lease_of(replaced)->kind != LEASE_HELD;
    return brings ? file_check_leasable(call, replaced) : OUTCOME_DONE;
}

static enum outcome check_target(struct call *call, const struct file_node *node, struct tree_place *place) {
    struct bytes path = call_word(call, ARG_TARGET);
    enum outcome outcome = file_find(call, path, place);
    if (outcome != OUTCOME_DONE) return outcome;
    if (!place->parent) return OUTCOME_FILE_EXISTS;
    if (node_is_within(place->parent->node, node))
        return refusal_because(call, OUTCOME_INVALID_PATH, "a directory cannot move into itself");
    if (!tree_fits(node, place->parent, place->name))
        return refusal_because(
            call, OUTCOME_INVALID_PATH,
            "paths that are, or once were, below the directory would be too long or too deep");
    if (!place->node || place->node == node)
        return new_lease_id(call) ? OUTCOME_LEASE_ABSENT_FILE : OUTCOME_DONE;
    outcome = check_not_pending(call, place->node);
    if (outcome != OUTCOME_DONE) return outcome;
    if (!args_given(&call->args, SLOT_FILE_REPLACE)) return OUTCOME_FILE_EXISTS;
    if (!node_is_file(node) || !node_is_file(place->node)) return OUTCOME_FILE_KIND;
    const struct file_access access = access_as(CLASS_WRITE_DELETE, new_lease_id(call));
    outcome = file_check_access(call, place->node, &access);
    return outcome == OUTCOME_DONE ? check_moved_lease(call, node, place->node) : outcome;
}

enum outcome file_rename_decide(struct call *call) {
    struct file_node *source;
    struct tree_place place;
    enum outcome outcome = file_find_node(call, call_word(call, ARG_PATH), ANY_NODE, &source);
    if (outcome == OUTCOME_DONE) outcome = check_source(call, source);
    if (outcome == OUTCOME_DONE) outcome = check_target(call, source, &place);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_stamped_file(call, FILE_RENAME, source, NULL)->target = call_word(call, ARG_TARGET);
    return OUTCOME_DONE;
}

/* --- Properties and metadata --- */

enum outcome file_setprops_check(struct call *call) {
    const uint64_t any = ARGS_BIT(SLOT_PROPS) | ARGS_BIT(SLOT_SIZE) | ARGS_BIT(SLOT_FILE_ATTRIBUTES);
    if (call->args.given & any) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_SYNTAX, "syntax error: PROPS, SIZE or ATTRIBUTES is missing");
}

/* Locks are checked only if the size changes. A command that clears READONLY is not refused for it. */
static enum outcome find_to_setprops(struct call *call, struct file_node **node) {
    enum outcome outcome = file_find_node(call, call_word(call, ARG_PATH), NODE_FILE, node);
    if (outcome != OUTCOME_DONE) return outcome;
    bool sized = args_given(&call->args, SLOT_SIZE);
    bool clears =
        args_given(&call->args, SLOT_FILE_ATTRIBUTES) && !(given_attributes(call) & ATTRIBUTE_READONLY);
    struct file_access access = {
        .class = CLASS_WRITE,
        .checks_locks = sized && call_size(call, SLOT_SIZE) != (*node)->content.length,
        .ignores_readonly = clears,
        .lease_id = call_lease_id(call),
    };
    outcome = file_check_access(call, *node, &access);
    if (outcome != OUTCOME_DONE || !sized) return outcome;
    return file_check_quota(call, (*node)->content.length, call_size(call, SLOT_SIZE));
}

enum outcome file_setprops_decide(struct call *call) {
    struct file_node *node;
    enum outcome outcome = find_to_setprops(call, &node);
    if (outcome != OUTCOME_DONE) return outcome;
    struct share_change *change = decide_stamped_file(call, FILE_SETPROPS, node, NULL);
    change->properties = call->properties.list;
    change->attributes = given_attributes(call);
    if (args_given(&call->args, SLOT_PROPS)) change->parts |= FILE_PART_PROPERTIES;
    if (args_given(&call->args, SLOT_FILE_ATTRIBUTES)) change->parts |= FILE_PART_ATTRIBUTES;
    if (!args_given(&call->args, SLOT_SIZE)) return OUTCOME_DONE;
    change->parts |= FILE_PART_LENGTH;
    change->length = call_size(call, SLOT_SIZE);
    return OUTCOME_DONE;
}

enum outcome file_setmeta_decide(struct call *call) {
    struct file_node *node;
    struct file_access access = {.class = CLASS_WRITE, .lease_id = call_lease_id(call)};
    enum outcome outcome = find_accessible(call, ANY_NODE, &access, &node);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_stamped_file(call, FILE_SETMETA, node, NULL)->metadata = call->metadata.list;
    return OUTCOME_DONE;
}

/* --- Ranges --- */

enum outcome file_putrange_check(struct call *call) {
    size_t length = call_word(call, ARG_RANGE_BYTES).length;
    return length ? form_check_bytes(call, length, "can be put") : OUTCOME_INVALID_RANGE;
}

/* Finds the file to which the range at OFFSET has to belong. */
static enum outcome find_to_write(struct call *call, uint64_t length, struct file_node **node) {
    const struct file_access access = access_as(CLASS_WRITE, call_lease_id(call));
    enum outcome outcome = find_accessible(call, NODE_FILE, &access, node);
    if (outcome != OUTCOME_DONE) return outcome;
    if (!size_fits(call_size(call, SLOT_OFFSET), length, (*node)->content.length))
        return OUTCOME_INVALID_RANGE;
    pages_prefetch_bytes(&(*node)->content.pages);
    return OUTCOME_DONE;
}

enum outcome file_putrange_decide(struct call *call) {
    struct file_node *node;
    RedisModuleString *content = call->argv[ARG_RANGE_BYTES];
    enum outcome outcome = find_to_write(call, api_bytes(content).length, &node);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_stamped_file(call, FILE_PUTRANGE, node, content)->offset = call_size(call, SLOT_OFFSET);
    return OUTCOME_DONE;
}

enum outcome file_clearrange_decide(struct call *call) {
    struct file_node *node;
    uint64_t length = call_size(call, SLOT_LENGTH);
    enum outcome outcome = find_to_write(call, length, &node);
    if (outcome != OUTCOME_DONE) return outcome;
    struct share_change *change = decide_stamped_file(call, FILE_CLEARRANGE, node, NULL);
    change->offset = call_size(call, SLOT_OFFSET);
    change->length = length;
    return OUTCOME_DONE;
}
