#include "core/condition.h"

struct tag tag_read(struct bytes text) {
    struct tag tag = {TAG_MALFORMED, 0};
    if (text.length == 1 && text.data[0] == '*')
        tag.kind = TAG_ANY;
    else if (version_read(text, &tag.version))
        tag.kind = TAG_VERSION;
    return tag;
}

static bool condition_tag_matches(const struct tag *tag, const struct stamp *object) {
    return tag->kind == TAG_ANY || (tag->kind == TAG_VERSION && tag->version == object->etag);
}

enum outcome conditions_check_form(const struct conditions *conditions, enum condition_use use) {
    unsigned given = conditions->given;
    if (use == CONDITIONS_READ) {
        bool never_new = given & IF_NONE_MATCH && conditions->none_match.kind == TAG_ANY;
        return never_new ? OUTCOME_UNSATISFIABLE_CONDITION : OUTCOME_DONE;
    }
    switch (given) {
    case 0:
    case IF_MATCH:
    case IF_NONE_MATCH:
    case IF_MODIFIED_SINCE:
    case IF_UNMODIFIED_SINCE:
    case IF_NONE_MATCH | IF_MODIFIED_SINCE:
    case IF_MATCH | IF_UNMODIFIED_SINCE: return OUTCOME_DONE;
    default: return OUTCOME_TOO_MANY_CONDITIONS;
    }
}

static enum outcome check_read(const struct conditions *c, const struct stamp *object) {
    if (c->given & IF_MATCH && !condition_tag_matches(&c->match, object)) return OUTCOME_CONDITION_NOT_MET;
    if (c->given & IF_UNMODIFIED_SINCE && object->modified_ms > c->unmodified_since_ms)
        return OUTCOME_CONDITION_NOT_MET;
    bool asks_for_news = c->given & (IF_NONE_MATCH | IF_MODIFIED_SINCE);
    bool other_tag = c->given & IF_NONE_MATCH && !condition_tag_matches(&c->none_match, object);
    bool newer = c->given & IF_MODIFIED_SINCE && object->modified_ms > c->modified_since_ms;
    return !asks_for_news || other_tag || newer ? OUTCOME_DONE : OUTCOME_UNCHANGED;
}

static enum outcome check_met(bool holds) {
    return holds ? OUTCOME_DONE : OUTCOME_CONDITION_NOT_MET;
}

static enum outcome check_none_match(const struct conditions *c, enum condition_use use,
                                     const struct stamp *object) {
    if (c->none_match.kind != TAG_ANY) return check_met(!condition_tag_matches(&c->none_match, object));
    /* IFNONEMATCH * means "only if it does not exist", which concerns creation alone: other writes need the
     * object and ignore it. */
    return use == CONDITIONS_CREATE ? OUTCOME_BLOB_EXISTS : OUTCOME_DONE;
}

enum outcome conditions_check(const struct conditions *c, enum condition_use use,
                              const struct stamp *object) {
    if (!c->given) return OUTCOME_DONE;
    if (!object && use != CONDITIONS_CREATE) return OUTCOME_BLOB_NOT_FOUND;
    if (!object) return check_met(!(c->given & IF_MATCH));
    if (use == CONDITIONS_READ) return check_read(c, object);
    if (c->given & IF_MATCH) return check_met(condition_tag_matches(&c->match, object));
    if (c->given & IF_NONE_MATCH) return check_none_match(c, use, object);
    if (c->given & IF_MODIFIED_SINCE) return check_met(object->modified_ms > c->modified_since_ms);
    return check_met(object->modified_ms <= c->unmodified_since_ms);
}
