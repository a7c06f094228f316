#include "table/operation.h"
#include "table/filter_match.h"

/* What a verb does in one situation: a step, or a refusal. */
struct reaction {
    enum outcome refusal;
    enum table_step_kind step;
};

/* clang-format off */
#define TAKES(step)     {OUTCOME_DONE, STEP_##step}
#define REFUSES(reason) {OUTCOME_##reason, STEP_KINDS}

static const struct {
    enum table_change_kind change;
    bool conditional, properties;
    struct reaction existing, absent;
} verbs[VERBS] = {
    [VERB_INSERT]          = {TABLE_INSERT,          false, true,  REFUSES(ENTITY_EXISTS), TAKES(ADD)},
    [VERB_REPLACE]         = {TABLE_REPLACE,         true,  true,  TAKES(SET),    REFUSES(RESOURCE_NOT_FOUND)},
    [VERB_MERGE]           = {TABLE_MERGE,           true,  true,  TAKES(MERGE),  REFUSES(RESOURCE_NOT_FOUND)},
    [VERB_DELETE]          = {TABLE_DELETE,          true,  false, TAKES(REMOVE), REFUSES(RESOURCE_NOT_FOUND)},
    [VERB_INSERTORREPLACE] = {TABLE_INSERTORREPLACE, false, true,  TAKES(SET),    TAKES(ADD)},
    [VERB_INSERTORMERGE]   = {TABLE_INSERTORMERGE,   false, true,  TAKES(MERGE),  TAKES(ADD)},
};
/* clang-format on */

enum table_change_kind verb_change(enum verb verb) {
    return verbs[verb].change;
}

bool verb_is_conditional(enum verb verb) {
    return verbs[verb].conditional;
}

bool verb_has_properties(enum verb verb) {
    return verbs[verb].properties;
}

static bool condition_holds(const struct operation *operation, const struct entity *entity) {
    if (operation->match.kind == TAG_VERSION && operation->match.version != entity->etag) return false;
    if (!operation->filter) return true;
    struct row row = entity_row(entity);
    size_t work = 0;
    return filter_matches(operation->filter, &row, &work);
}

struct verdict operation_judge(struct entity *existing, const struct operation *operation) {
    const struct reaction *reaction =
        existing ? &verbs[operation->verb].existing : &verbs[operation->verb].absent;
    struct verdict verdict = {reaction->refusal, reaction->step, existing};
    if (verdict.outcome == OUTCOME_DONE && existing && verbs[operation->verb].conditional &&
        !condition_holds(operation, existing))
        verdict.outcome = OUTCOME_UPDATE_CONDITION_NOT_MET;
    if (verdict.outcome == OUTCOME_DONE && verdict.step == STEP_MERGE)
        verdict.outcome = entity_check_merged_size(existing, operation->properties);
    return verdict;
}
