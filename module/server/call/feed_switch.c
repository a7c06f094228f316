#include "server/call/feed_switch.h"

#include "server/call/decision.h"
#include "server/call/refusal.h"

const char *const feed_words[] = {"ON", "OFF", NULL};

static bool is_given_on(const struct call *call) {
    return call->args.slots[SLOT_FEED_WORD].number == FEED_WORD_ON;
}

enum outcome feed_switch_check(struct call *call) {
    if (is_given_on(call) || !args_given(&call->args, SLOT_FEED_KEEP)) return OUTCOME_DONE;
    return refusal_of_option(call, SLOT_FEED_KEEP);
}

/* FEED_CHANGE_KINDS when the feed is as asked. */
static enum feed_change_kind given_feed_kind(const struct call *call, const struct feed *feed,
                                             uint64_t keep) {
    if (!is_given_on(call)) return feed ? FEED_OFF : FEED_CHANGE_KINDS;
    if (!feed) return FEED_ON;
    bool keeps = args_given(&call->args, SLOT_FEED_KEEP) && feed->keep != keep;
    return keeps ? FEED_KEEP : FEED_CHANGE_KINDS;
}

enum outcome feed_switch(struct call *call, const struct feed *feed, unsigned first,
                         void (*set)(void *change, const struct feed_change *given)) {
    struct feed_change given = {.keep = (uint64_t)call_number(call, SLOT_FEED_KEEP, FEED_KEEP_DEFAULT)};
    given.kind = given_feed_kind(call, feed, given.keep);
    if (given.kind == FEED_ON) {
        enum outcome outcome = call_check_memory(call);
        if (outcome != OUTCOME_DONE) return outcome;
        given.beginning = decision_new_version(call);
    }
    if (given.kind != FEED_CHANGE_KINDS) set(decision_add(call, first + given.kind), &given);
    return call_done(call);
}
