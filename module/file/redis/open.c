/* FILE.OPEN. */
#include "file/redis/file_access.h"
#include "file/redis/file_commands.h"
#include "file/redis/handles.h"
#include "file/redis/waiting.h"
#include "server/base/entropy.h"
#include "server/waiting/grace.h"

const char *const file_access_words[] = {"READ", "WRITE", "DELETE", "ATTRIBUTES", NULL};
const char *const file_share_words[] = {"READ", "WRITE", "DELETE", "NONE", NULL};
const char *const file_disposition_words[] = {"OPEN",        "CREATE",    "OPENIF", "OVERWRITE",
                                              "OVERWRITEIF", "SUPERSEDE", NULL};

enum { SHARE_NONE = 8 };

/* What a disposition does if the file exists, and if it does not. */
enum disposal { DISPOSAL_REFUSE, DISPOSAL_OPEN, DISPOSAL_CREATE, DISPOSAL_OVERWRITE, DISPOSAL_SUPERSEDE };

/* clang-format off */
enum { IF_EXISTS, IF_MISSING };
static const enum disposal disposals[][2] = {
    /*                exists               missing */
    /* OPEN */        {DISPOSAL_OPEN,      DISPOSAL_REFUSE},
    /* CREATE */      {DISPOSAL_REFUSE,    DISPOSAL_CREATE},
    /* OPENIF */      {DISPOSAL_OPEN,      DISPOSAL_CREATE},
    /* OVERWRITE */   {DISPOSAL_OVERWRITE, DISPOSAL_REFUSE},
    /* OVERWRITEIF */ {DISPOSAL_OVERWRITE, DISPOSAL_CREATE},
    /* SUPERSEDE */   {DISPOSAL_SUPERSEDE, DISPOSAL_CREATE},
};

static const struct { const char *action; uint8_t counted; } traits[] = {
    /*                      shown as       access that it adds */
    [DISPOSAL_OPEN]      = {"opened",      0},
    [DISPOSAL_CREATE]    = {"created",     0},
    [DISPOSAL_OVERWRITE] = {"overwritten", SHARING_WRITE},
    [DISPOSAL_SUPERSEDE] = {"superseded",  SHARING_DELETE},
};
/* clang-format on */

enum outcome file_open_check(struct call *call) {
    int64_t access = call->args.slots[SLOT_FILE_ACCESS].number;
    int64_t share = call->args.slots[SLOT_FILE_SHARE].number;
    if (share & SHARE_NONE && share != SHARE_NONE)
        return refusal_because(call, OUTCOME_INVALID_VALUE, "SHARE NONE excludes all other modes");
    if (args_given(&call->args, SLOT_FILE_DELETEONCLOSE) && !(access & SHARING_DELETE))
        return refusal_because(call, OUTCOME_INVALID_VALUE, "DELETEONCLOSE requires ACCESS DELETE");
    return OUTCOME_DONE;
}

static struct sharing given_sharing(const struct call *call) {
    return (struct sharing){(uint8_t)(call->args.slots[SLOT_FILE_ACCESS].number & SHARING_ALL),
                            (uint8_t)(call->args.slots[SLOT_FILE_SHARE].number & SHARING_ALL)};
}

static enum disposal given_disposal(const struct call *call, const struct file_node *node) {
    return disposals[call_number(call, SLOT_FILE_DISPOSITION, 0)][node ? IF_EXISTS : IF_MISSING];
}

/* A FILE.OPEN while it is checked. */
struct opening {
    struct share_session *session;
    struct tree_place place;
    enum disposal disposal;
    struct sharing sharing;
    struct sharing counted; /* with the access that the disposition adds */
};

/* A read-only file may be opened for deletion, but not be deleted. */
static enum outcome check_readonly(const struct call *call, const struct opening *opening) {
    if (!(opening->place.node->attributes & ATTRIBUTE_READONLY)) return OUTCOME_DONE;
    bool writes = opening->sharing.access & SHARING_WRITE || opening->disposal >= DISPOSAL_OVERWRITE;
    if (writes) return OUTCOME_READ_ONLY;
    return args_given(&call->args, SLOT_FILE_DELETEONCLOSE) ? OUTCOME_CANNOT_DELETE : OUTCOME_DONE;
}

static enum outcome check_lease_to_open(struct call *call, const struct opening *opening) {
    bool leased = lease_locked(lease_state(file_lease_of(opening->place.node), call_now_ms(call)));
    if (!leased || sharing_fits_lease(opening->counted)) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_SHARING_VIOLATION,
                           "the file is leased: it can only be opened for reading");
}

/* The lease and the open handles. */
static enum outcome check_others(struct call *call, const struct opening *opening) {
    const struct file_node *node = opening->place.node;
    struct wait_claim claim = claim_to_open(opening->session, opening->counted);
    enum outcome outcome = check_lease_to_open(call, opening);
    if (outcome == OUTCOME_DONE) outcome = file_check_sharing(call, node, opening->counted);
    if (outcome != OUTCOME_DONE) return file_not_yet(call, &opening_wait, node, &claim, outcome);
    file_in_line(call, &opening_wait, node, &claim);
    return OUTCOME_DONE;
}

/* The checks of an existing file: not pending ─▶ disposition ─▶ not read-only ─▶ lease ─▶ share modes of handles. */
static enum outcome check_existing(struct call *call, struct opening *opening) {
    const struct file_node *node = opening->place.node;
    if (file_fate(call, node).pending) return OUTCOME_DELETE_PENDING;
    if (opening->disposal == DISPOSAL_REFUSE) return OUTCOME_FILE_EXISTS;
    opening->counted.access |= traits[opening->disposal].counted;
    enum outcome outcome = check_readonly(call, opening);
    return outcome == OUTCOME_DONE ? check_others(call, opening) : outcome;
}

static enum outcome find_opening(struct call *call, struct opening *opening) {
    enum outcome outcome = file_find_session(call, call_word(call, ARG_SESSION), &opening->session);
    if (outcome == OUTCOME_DONE) outcome = file_find(call, call_word(call, ARG_OPEN_PATH), &opening->place);
    if (outcome != OUTCOME_DONE) return outcome;
    const struct file_node *node = opening->place.node;
    if (node && !node_is_file(node)) return OUTCOME_FILE_KIND;
    opening->sharing = opening->counted = given_sharing(call);
    opening->disposal = given_disposal(call, node);
    if (!node && opening->disposal == DISPOSAL_REFUSE) return OUTCOME_FILE_NOT_FOUND;
    outcome = node ? check_existing(call, opening) : OUTCOME_DONE;
    if (outcome != OUTCOME_DONE || opening->disposal == DISPOSAL_OPEN) return outcome;
    return file_check_quota(call, node ? node->content.length : 0, call_size(call, SLOT_SIZE));
}

/* The last check: in grace no new handle may exclude others. A handle for attributes only excludes nobody. */
static enum outcome check_grace_to_open(struct call *call, const struct opening *opening) {
    bool shares = !opening->counted.access || opening->counted.share == SHARING_ALL;
    if (shares || !grace_lasts(call)) return OUTCOME_DONE;
    struct wait_claim claim = claim_to_open(opening->session, opening->counted);
    return file_not_yet(call, &opening_wait, opening->place.node, &claim, grace_refuse(call));
}

/* The reply. */
struct open_reply {
    struct guid handle;
    version etag;
    uint64_t length;
};

static void decide_file(struct call *call, const struct opening *opening, struct open_reply *opened) {
    struct share_change *change = share_decide(call, FILE_CREATE);
    change->path = call_word(call, ARG_OPEN_PATH);
    change->node = opening->place.node;
    change->stamp = decision_new_stamp(call);
    change->length = call_size(call, SLOT_SIZE);
    opened->etag = change->stamp.etag;
    opened->length = change->length;
}

/* A file that the same command creates has no node yet: applying finds it by its path. */
static void decide_handle(struct call *call, const struct opening *opening, struct open_reply *opened) {
    struct share_change *change = share_decide(call, FILE_OPEN);
    change->path = call_word(call, ARG_OPEN_PATH);
    change->node = opening->place.node;
    change->session = opening->session->id;
    change->holder = opening->session;
    change->handle = opened->handle = entropy_guid();
    change->sharing = opening->sharing;
    change->deletes_on_close = args_given(&call->args, SLOT_FILE_DELETEONCLOSE);
    change->instant_ms = call_now_ms(call);
}

static void reply_opened(struct reply *out, const struct open_reply *opened, enum disposal disposal) {
    struct reply_map map = reply_map(out, 4);
    reply_field_guid(&map, "handle", opened->handle);
    reply_field_version(&map, "etag", opened->etag);
    reply_field_number(&map, "content-length", (long long)opened->length);
    reply_field_bytes(&map, "action", bytes_text(traits[disposal].action));
}

/* Closes the handle; a file that was created or overwritten stays so. */
void file_open_give_back(struct call *call, struct record_reader *granted) {
    struct file_handle *handle = file_granted_handle(call, granted);
    if (handle) file_decide_with_handle(call, FILE_UNOPEN, handle, NULL);
}

enum outcome file_open_decide(struct call *call) {
    struct opening opening;
    struct open_reply opened;
    enum outcome outcome = find_opening(call, &opening);
    if (outcome != OUTCOME_DONE) return outcome;
    if (((const struct share *)call->value)->numbers >= SHARE_NUMBERS_MAX) return OUTCOME_OUT_OF_RANGE;
    outcome = check_grace_to_open(call, &opening);
    if (outcome != OUTCOME_DONE) return outcome;
    if (opening.disposal == DISPOSAL_OPEN) {
        opened.etag = opening.place.node->stamp.etag;
        opened.length = opening.place.node->content.length;
    } else {
        decide_file(call, &opening, &opened);
    }
    decide_handle(call, &opening, &opened);
    if (call->grant) record_put_guid(call->grant, opened.handle);
    reply_opened(&call->out, &opened, opening.disposal);
    return OUTCOME_DONE;
}
