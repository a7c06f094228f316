/* BLOB.COPY … FROM: starts copies from another server, and fails those that have no copier. See copier.h. */
#include "blob/redis/blob_commands.h"
#include "blob/redis/copier.h"
#include "core/host_list.h"
#include "server/call/conditions.h"

enum { ORPHANS_MAX = 100, LOOKS_MAX = 5000 };

/* --- Arguments --- */

static struct bytes given_host(const struct call *call) {
    return host_without_brackets(call_option(call, SLOT_FROM));
}

static bool given_port(const struct call *call, int64_t *port) {
    return host_port_read(call_word(call, call->args.slots[SLOT_FROM].at + 1), port);
}

/* No host name is longer than 255 bytes; a label shows printable characters only. */
static bool host_is_sound(struct bytes host) {
    if (!host.length || host.length > 255) return false;
    for (size_t i = 0; i < host.length; i++)
        if (host.data[i] <= ' ' || host.data[i] > '~') return false;
    return true;
}

enum outcome copy_from_check(struct call *call) {
    int64_t port;
    struct bytes host = given_host(call);
    if (!given_port(call, &port) || !host_is_sound(host))
        return refusal_because(call, OUTCOME_INVALID_VALUE, "FROM takes a host and a port from 1 to 65535");
    if (copier_may_read_from(host, (int)port)) return OUTCOME_DONE;
    if (!copier_is_on())
        return refusal_because(call, OUTCOME_CANNOT_VERIFY_SOURCE,
                               "copies from other servers are off: see holdfast.copy-from");
    return refusal_because_format(call, OUTCOME_CANNOT_VERIFY_SOURCE,
                                  "holdfast.copy-from does not list %.*s:%d",
                                  host.length < 100 ? (int)host.length : 100, host.data, (int)port);
}

/* The conditions as words for BLOB.STAT. IFNONEMATCH * is left out: it matters for creation alone. */
static void put_conditions(const struct call *call, struct copy_order *order) {
    static const struct {
        int slot;
        const char *token;
    } rows[] = {{SLOT_SOURCE, "IFMATCH"},
                {SLOT_SOURCE_NONE_MATCH, "IFNONEMATCH"},
                {SLOT_SOURCE_MODIFIED, "IFMODIFIEDSINCE"},
                {SLOT_SOURCE_UNMODIFIED, "IFUNMODIFIEDSINCE"}};
    struct conditions conditions;
    conditions_read(call, SLOT_SOURCE, &conditions);
    bool tagged = conditions.given & (IF_MATCH | IF_NONE_MATCH); /* then only the tag counts */
    for (int i = 0; i < 4; i++) {
        bool any = i == 1 && conditions.none_match.kind == TAG_ANY;
        if (!args_given(&call->args, rows[i].slot) || any || (i >= 2 && tagged)) continue;
        order->conditions[order->condition_words++] = bytes_text(rows[i].token);
        order->conditions[order->condition_words++] = call_option(call, rows[i].slot);
    }
}

static const struct copy_order *write_order(struct call *call) {
    struct copy_order *order = call_alloc(call, sizeof(*order));
    int64_t port = 0;
    given_port(call, &port);
    *order = (struct copy_order){
        .host = given_host(call),
        .port = (int)port,
        .container = call_word(call, ARG_SOURCE_CONTAINER),
        .blob = call_word(call, ARG_SOURCE_BLOB),
        .has_snapshot = args_given(&call->args, SLOT_SNAPSHOT),
        .snapshot = copy_given_snapshot(call),
        .has_metadata = args_given(&call->args, SLOT_META),
        .metadata = call->metadata.list,
    };
    put_conditions(call, order);
    return order;
}

/* --- The decision --- */

static void put_address(struct call *call, struct record_writer *label) {
    int at = call->args.slots[SLOT_FROM].at;
    record_put_raw(label, call_word(call, at));
    record_put_byte(label, ':');
    record_put_raw(label, call_word(call, at + 1));
    record_put_byte(label, '/');
}

/* Reads nothing of the source. Once the change is applied, container_changed gives it to copier_new, which takes the
 * order over. */
enum outcome blob_copy_from(struct call *call) {
    struct blob *target = blob_named(call);
    enum outcome outcome = copy_check_target(call, target);
    if (outcome != OUTCOME_DONE) return outcome;
    struct record_writer *label = call_writer(call);
    put_address(call, label);
    copy_put_label(call, label);
    struct container_change *change = blob_decide_write(call, BLOB_COPYSTART, target, NULL);
    change->order = write_order(call);
    change->copy = (struct copy){
        .status = COPY_PENDING, .id = decision_new_version(call), .source = record_written(label)};
    copy_reply(call, change, "pending");
    return OUTCOME_DONE;
}

/* --- Upkeep --- */

static void fail_interrupted(struct call *call, struct blob *blob) {
    static const char why[] =
        "interrupted: this server was started or promoted, or the container came from elsewhere";
    struct source_failure failure;
    source_failure_say(&failure, COPY_FAILED_INTERRUPTED, bytes_text(why));
    copier_fail(call, blob, &failure);
}

bool copies_fail_orphans(struct call *call) {
    struct container *container = call->value;
    for (int looks = 0, orphans = 0; looks < LOOKS_MAX && orphans < ORPHANS_MAX; looks++) {
        struct blob *blob = container_next_copying(container);
        if (!blob) return false;
        if (copier_is_there(call, blob_special(blob)->copy->id)) continue;
        fail_interrupted(call, blob);
        orphans++;
    }
    return true;
}
