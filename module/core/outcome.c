#include "core/outcome.h"

static const struct outcome_text texts[OUTCOME_COUNT] = {
#define STORAGE_ROW(name, class, code, text) [OUTCOME_##name] = {class, code, text, false},
#define REDIS_ROW(name, class, code, text)   [OUTCOME_##name] = {class, code, text, true},
    STORAGE_OUTCOMES(STORAGE_ROW) REDIS_OUTCOMES(REDIS_ROW)};

const struct outcome_text *outcome_text(enum outcome outcome) {
    return &texts[outcome];
}
