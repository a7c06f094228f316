#include "file/redis/waiting.h"

#include "core/guid.h"
#include "core/hash.h"
#include "core/memory.h"

/* Past these numbers a circle may not be found: then its calls wait as long as BLOCK says, with BLOCK 0 for good. */
enum {
    SESSIONS_MAX = 512, /* sessions that are followed when looking for a circle */
    SEEN_SLOTS = 1024,  /* of the table of these sessions */
    STEPS_MAX = 32768,  /* of one search: handles, locks and waiters that are looked at */
    FOLLOWING = 16,     /* steps that it takes to follow a waiter: its file is looked up */
};

static uint64_t line_id_of_path(struct bytes path) {
    char *folded = memory_alloc(path_folded_max(path) + 1);
    size_t size = path_fold(folded, path);
    uint64_t line_id = hash_bytes(bytes_of(folded, size));
    folded[size] = '/'; /* for another hash of the same path */
    line_id = line_id << 32 | hash_bytes(bytes_of(folded, size + 1));
    memory_free(folded);
    return line_id;
}

uint64_t file_line_id(const struct file_node *node) {
    struct bytes path;
    char *buffer = node_path_new(node, &path);
    uint64_t line_id = line_id_of_path(path);
    memory_free(buffer);
    return line_id;
}

/* --- Claims --- */

enum { WORD_ACCESS, WORD_SHARE };
enum { WORD_TEST, WORD_OFFSET, WORD_LENGTH };

struct wait_claim claim_to_open(const struct share_session *session, struct sharing wanted) {
    return (struct wait_claim){session->id, {[WORD_ACCESS] = wanted.access, [WORD_SHARE] = wanted.share}};
}

struct wait_claim claim_to_lock(const struct file_handle *handle, enum lock_test test,
                                struct lock_range range) {
    return (struct wait_claim){
        handle->group->session->id,
        {[WORD_TEST] = (uint64_t)test, [WORD_OFFSET] = range.offset, [WORD_LENGTH] = range.length}};
}

static struct sharing claimed_sharing(const struct wait_claim *claim) {
    return (struct sharing){(uint8_t)claim->words[WORD_ACCESS], (uint8_t)claim->words[WORD_SHARE]};
}

static struct lock_range claimed_range(const struct wait_claim *claim) {
    return (struct lock_range){claim->words[WORD_OFFSET], claim->words[WORD_LENGTH]};
}

static bool are_rivals(const struct wait_kind *kind, const struct wait_claim *a, const struct wait_claim *b) {
    if (kind == &opening_wait) return !sharing_fits(claimed_sharing(a), claimed_sharing(b));
    bool both_shared = a->words[WORD_TEST] == LOCK_TO_SHARE && b->words[WORD_TEST] == LOCK_TO_SHARE;
    return !both_shared && lock_ranges_overlap(claimed_range(a), claimed_range(b));
}

static bool is_no_rival(void *context, const struct wait_kind *kind, const struct wait_claim *claim,
                        const struct held_call *held) {
    const struct call *call = context;
    (void)held;
    return !are_rivals(kind, call->wait.claim, claim);
}

bool file_has_rival(struct call *call) {
    const struct wait_request *wait = &call->wait;
    return !wait_visit_ahead(call, call->held, wait->kind, wait->name, is_no_rival, call);
}

/* --- Circles --- */

struct circle {
    const struct call *call;
    int64_t now_ms;
    struct guid self;
    unsigned steps_left; /* of the whole search */
    bool closed;
    unsigned count;
    const struct wait_claim *claim; /* whose obstacles are added */
    const struct held_call *held;   /* which has this claim; NULL for a call that just arrived */
    struct guid sessions[SESSIONS_MAX];
    uint16_t seen[SEEN_SLOTS]; /* by hash of the id: the number of a session, from 1; 0 in empty slots */
};

/* False when the search has done all that one search may. */
static bool take_steps(struct circle *circle, unsigned steps) {
    bool enough = circle->steps_left >= steps;
    circle->steps_left = enough ? circle->steps_left - steps : 0;
    return enough;
}

/* The slot of the session, or the empty one where it belongs. */
static uint16_t *seen_slot(struct circle *circle, const struct guid *session) {
    uint32_t at = hash_bytes(guid_bytes(session)) % SEEN_SLOTS;
    while (circle->seen[at] && !guid_equal(circle->sessions[circle->seen[at] - 1], *session))
        at = (at + 1) % SEEN_SLOTS;
    return &circle->seen[at];
}

/* Adds a session that the waiter waits for. False when the search is over. */
static bool add_session(struct circle *circle, struct guid session, struct guid waiter) {
    if (!take_steps(circle, 1)) return false;
    if (guid_equal(session, waiter)) return true;
    if (guid_equal(session, circle->self)) circle->closed = true;
    if (circle->closed || circle->count == SESSIONS_MAX) return false;
    uint16_t *slot = seen_slot(circle, &session);
    if (*slot) return true;
    circle->sessions[circle->count++] = session;
    *slot = (uint16_t)circle->count;
    return true;
}

static bool add_holder(void *context, const struct file_handle *handle) {
    struct circle *circle = context;
    return add_session(circle, handle->group->session->id, circle->claim->party);
}

static bool add_lock_holder(void *context, const struct range_lock *lock) {
    struct circle *circle = context;
    const struct share_session *session = handle_of_lock(lock)->group->session;
    if (session_has_ended(session, circle->now_ms)) return take_steps(circle, 1);
    return add_session(circle, session->id, circle->claim->party);
}

static void add_holders(struct circle *circle, const struct wait_kind *kind, const struct file_node *node) {
    const struct wait_claim *claim = circle->claim;
    if (!node || !node->usage) return;
    if (kind == &opening_wait)
        usage_obstacles(node->usage, claimed_sharing(claim), circle->now_ms, &circle->steps_left, add_holder,
                        circle);
    else
        range_locks_visit(&node->usage->locks, (enum lock_test)claim->words[WORD_TEST], NULL,
                          claimed_range(claim), add_lock_holder, circle);
}

static bool add_rival(void *context, const struct wait_kind *kind, const struct wait_claim *claim,
                      const struct held_call *held) {
    struct circle *circle = context;
    (void)held;
    if (!are_rivals(kind, claim, circle->claim)) return take_steps(circle, 1);
    return add_session(circle, claim->party, circle->claim->party);
}

static void add_rivals(struct circle *circle, const struct wait_kind *kind, const struct file_node *node) {
    uint64_t line_id = file_line_id(node);
    struct bytes name = bytes_of(&line_id, sizeof(line_id));
    wait_visit_ahead(circle->call, circle->held, kind, name, add_rival, circle);
}

/* The file that the command concerns whose obstacles are added. */
static const struct file_node *awaited_file(const struct circle *circle, const struct wait_kind *kind) {
    RedisModuleString **argv = circle->held ? circle->held->argv : circle->call->argv;
    const struct share *share = circle->call->value;
    struct guid id;
    if (kind == &opening_wait) {
        struct bytes path = api_bytes(argv[ARG_OPEN_PATH]);
        return tree_find(share, path).node;
    }
    const struct file_handle *handle =
        guid_read(api_bytes(argv[ARG_HANDLE]), &id) ? share_handle_find(share, &id) : NULL;
    return handle && handle->group->usage ? handle_node(handle) : NULL;
}

/* Adds the sessions that a waiter waits for. */
static bool follow_waiter(void *context, const struct wait_kind *kind, const struct wait_claim *claim,
                          const struct held_call *held) {
    struct circle *circle = context;
    if (!take_steps(circle, FOLLOWING)) return false;
    circle->claim = claim;
    circle->held = held;
    const struct file_node *node = awaited_file(circle, kind);
    add_holders(circle, kind, node);
    if (node && !circle->closed) add_rivals(circle, kind, node);
    return !circle->closed;
}

bool file_closes_circle(struct call *call) {
    const struct wait_request *wait = &call->wait;
    struct circle circle = {
        .call = call, .now_ms = call_now_ms(call), .self = wait->claim->party, .steps_left = STEPS_MAX};
    follow_waiter(&circle, wait->kind, wait->claim, call->held);
    for (unsigned i = 0; i < circle.count && !circle.closed && circle.steps_left; i++)
        wait_visit_party(call, circle.sessions[i], follow_waiter, &circle);
    return circle.closed;
}

/* --- What a call waits for --- */

/* Without a node: the name of the line for the file that FILE.OPEN would create. */
static struct bytes line_name(struct call *call, const struct file_node *node) {
    uint64_t *line_id = call_alloc(call, sizeof(*line_id));
    *line_id = node ? file_line_id(node) : line_id_of_path(call_word(call, ARG_OPEN_PATH));
    return bytes_of(line_id, sizeof(*line_id));
}

/* Naming a line takes time, as it hashes the path: only calls that may wait do so. */
enum outcome file_not_yet(struct call *call, struct wait_kind *kind, const struct file_node *node,
                          const struct wait_claim *claim, enum outcome refused) {
    if (!args_given(&call->args, SLOT_BLOCK)) return refused;
    decision_not_yet(call, kind, line_name(call, node), WAIT_NO_INSTANT, refused);
    decision_claims(call, claim);
    return refused;
}

void file_in_line(struct call *call, struct wait_kind *kind, const struct file_node *node,
                  const struct wait_claim *claim) {
    if (!args_given(&call->args, SLOT_BLOCK) || !wait_anybody()) return;
    decision_in_line(call, kind, line_name(call, node));
    decision_claims(call, claim);
}
