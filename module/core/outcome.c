#include "core/outcome.h"

static const struct outcome_text texts[OUTCOME_COUNT] = {
#define OUTCOME(name, class, code, text)       [OUTCOME_##name] = {class, code, text, class " " code " ", false},
#define REDIS_OUTCOME(name, class, code, text) [OUTCOME_##name] = {class, code, text, class " ", true},
#include "core/outcome_table.h"
};

const struct outcome_text *outcome_text(enum outcome outcome) {
    return &texts[outcome];
}
