/* Outcomes: the possible results of a decision, and the one table of their classes, codes and texts.
 *
 * All outcomes from OUTCOME_FIRST on are refusals: they are answered by an error, and nothing has changed. The class
 * tells a program what to do next, the code is the storage service's own name for the case, and the text helps a
 * person to understand it. */
#ifndef HOLDFAST_OUTCOME_H
#define HOLDFAST_OUTCOME_H

#include <stdbool.h>

enum outcome {
    OUTCOME_DONE = 0,
    OUTCOME_UNCHANGED, /* a read whose conditions say "not modified" */
    OUTCOME_WAITING,   /* the caller waits in line and is answered later */
#define OUTCOME(name, class, code, text)       OUTCOME_##name,
#define REDIS_OUTCOME(name, class, code, text) OUTCOME_##name,
#include "core/outcome_table.h"
    OUTCOME_COUNT,
    OUTCOME_FIRST = OUTCOME_WAITING + 1, /* the first refusal */
};

struct outcome_text {
    const char *class;
    const char *code;
    const char *text;
    const char *beginning; /* what comes before the text in a reply: "CLASS Code " */
    bool redis_own;        /* replied without a code, as "CLASS text" */
};

/* Only for refusals. */
const struct outcome_text *outcome_text(enum outcome outcome);

#endif
