/*
 * What a part of a section has at hand, and how it tells single numbers.
 */
#ifndef BENCH_PART_H
#define BENCH_PART_H

#include "results.h"
#include "sections.h"

struct part {
    const struct section *section;
    const struct options *options;
    struct results *results;
    bool is_quick;
};

struct part part_of(const struct section *section, const struct options *options, struct results *results);

/* For what is measured at pipeline 16. The label is what its bars begin with. */
const struct setting *part_setting(const struct part *part, const char *label, const char *title,
                                   unsigned objects);

void part_tell(const struct part *part, const char *name, double value, const char *unit);

/* Likewise, and makes a bar of it. */
void part_judge(const struct part *part, const char *name, double value, double limit, const char *unit);

#endif
