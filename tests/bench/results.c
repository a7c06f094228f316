#include "results.h"

#include <stdlib.h>

#include "bench.h"
#include "workload.h"

struct measurement *results_add_measurement(struct results *results, const struct setting *setting,
                                            const char *name, const struct family *family, size_t rounds) {
    results->measurements =
        grow_array(results->measurements, results->measurement_count, sizeof(*results->measurements));
    struct measurement *measurement = allocate(1, sizeof(*measurement));
    *measurement = (struct measurement){.setting = setting,
                                        .family = family,
                                        .name = format_text("%s", name),
                                        .rounds = rounds,
                                        .cpu_ns = allocate(rounds, sizeof(double)),
                                        .rate = allocate(rounds, sizeof(double))};
    results->measurements[results->measurement_count++] = measurement;
    return measurement;
}

void results_add_bar(struct results *results, enum subject subject, const char *text, double value,
                     double limit, const char *unit) {
    results->bars = grow_array(results->bars, results->bar_count, sizeof(*results->bars));
    results->bars[results->bar_count++] = (struct bar){.subject = subject,
                                                       .text = text,
                                                       .value = value,
                                                       .limit = limit,
                                                       .unit = unit,
                                                       .is_met = value <= limit};
}

/* The ratio for the command that does next to nothing, if there is one and it was measured, too. */
static double bare_ratio(const struct results *results, const struct compared *compared) {
    char *name = format_text(BARE "%s", compared->measurement->name);
    const struct measurement *bare = results_find(results, compared->measurement->setting, name);
    free(name);
    if (!bare) return 0;
    return spread_of_ratios(bare->cpu_ns, compared->reference->cpu_ns, bare->rounds).median;
}

void results_add_ratio_bar(struct results *results, const struct compared *compared, double limit) {
    const struct setting *setting = compared->measurement->setting;
    const struct comparison *comparison = compared->comparison;
    if (limit == 0) return;
    char *text = format_text("%s / %s%s%s", comparison->workload, comparison->against,
                             setting->label ? ", " : "", setting->label ? setting->label : "");
    results_add_bar(results, setting->subject, text, compared->ratio.median, limit, "x");
    results->bars[results->bar_count - 1].bare = bare_ratio(results, compared);
}

const struct measurement *results_find(const struct results *results, const struct setting *setting,
                                       const char *workload) {
    for (size_t i = 0; i < results->measurement_count; i++) {
        const struct measurement *measurement = results->measurements[i];
        if (measurement->setting == setting && text_is(measurement->name, workload)) return measurement;
    }
    return NULL;
}

const struct measurement *results_need(const struct results *results, const struct setting *setting,
                                       const char *workload) {
    const struct measurement *measurement = results_find(results, setting, workload);
    require(measurement, "%s was not measured: %s", workload, setting->title);
    return measurement;
}

static const struct comparison *comparison_at(size_t number) {
    for (size_t i = 0; i < family_count; i++) {
        if (number < families[i]->comparison_count) return &families[i]->comparisons[number];
        number -= families[i]->comparison_count;
    }
    return NULL;
}

bool results_compare(const struct results *results, const struct setting *setting, size_t *cursor,
                     struct compared *compared) {
    const struct comparison *comparison;
    while ((comparison = comparison_at((*cursor)++))) {
        const struct measurement *measurement = results_find(results, setting, comparison->workload);
        const struct measurement *reference = results_find(results, setting, comparison->against);
        if (!measurement || !reference) continue;
        *compared =
            (struct compared){comparison, measurement, reference,
                              spread_of_ratios(measurement->cpu_ns, reference->cpu_ns, measurement->rounds)};
        return true;
    }
    return false;
}

struct spread results_growth(const struct measurement *fewest, const struct measurement *most) {
    return spread_of_ratios(most->cpu_ns, fewest->cpu_ns, most->rounds);
}

double bar_excess(const struct bar *bar) {
    return 100 * (bar->value / bar->limit - 1);
}

size_t results_missed(const struct results *results) {
    size_t missed = 0;
    for (size_t i = 0; i < results->bar_count; i++) missed += !results->bars[i].is_met;
    return missed;
}

/* --- What a section adds --- */

const struct setting *context_setting(const struct context *context, struct setting setting) {
    struct setting *kept = allocate(1, sizeof(*kept));
    *kept = setting;
    kept->section = context->section->name;
    if (!kept->subject) kept->subject = context->section->subject;
    if (!kept->pipeline) kept->pipeline = PIPELINE;
    return kept;
}

static void keep_fact(const struct context *context, struct fact fact) {
    struct results *results = context->results;
    fact.section = context->section->name;
    results->facts = grow_array(results->facts, results->fact_count, sizeof(*results->facts));
    results->facts[results->fact_count++] = fact;
}

void add_fact(const struct context *context, const char *name, double value, const char *unit) {
    keep_fact(context, (struct fact){.name = name, .value = value, .unit = unit});
}

void add_aside(const struct context *context, const char *name, double value, const char *unit) {
    keep_fact(context, (struct fact){.name = name, .value = value, .unit = unit, .is_aside = true});
}

void add_bar(const struct context *context, enum subject subject, const char *name, double value,
             double limit, const char *unit) {
    add_fact(context, name, value, unit);
    if (limit > 0) results_add_bar(context->results, subject, name, value, limit, unit);
}

void add_pause_bar(const struct context *context, const char *name, double ms, double limit_ms) {
    add_bar(context, ABOUT_PAUSES, name, ms, limit_ms, "ms");
}
