#include "part.h"

struct part part_of(const struct section *section, const struct options *options, struct results *results) {
    return (struct part){section, options, results, options->rounds < QUICK_BELOW};
}

const struct setting *part_setting(const struct part *part, const char *label, const char *title,
                                   unsigned objects) {
    return setting_keep((struct setting){.section = part->section->name,
                                         .title = title,
                                         .label = label,
                                         .objects = objects,
                                         .pipeline = PIPELINE});
}

void part_tell(const struct part *part, const char *name, double value, const char *unit) {
    results_fact(part->results, (struct fact){part->section->name, name, value, unit, true});
}

void part_judge(const struct part *part, const char *name, double value, double limit, const char *unit) {
    part_tell(part, name, value, unit);
    results_bar(part->results, name, value, limit, unit);
}
