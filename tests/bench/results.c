#include "results.h"

#include <stdlib.h>
#include <string.h>

#include "basics.h"

const struct setting *setting_keep(struct setting setting) {
    struct setting *kept = take(1, sizeof *kept);
    *kept = setting;
    return kept;
}

struct measurement *results_measure(struct results *results, const struct setting *setting,
                                    const struct family *family, const struct workload *workload,
                                    size_t rounds) {
    results->measurements =
        one_more(results->measurements, results->measurement_count, sizeof *results->measurements);
    struct measurement *measurement = &results->measurements[results->measurement_count++];
    *measurement = (struct measurement){.setting = setting,
                                        .family = family,
                                        .workload = workload,
                                        .rounds = rounds,
                                        .cpu_ns = take(rounds, sizeof(double)),
                                        .rate = take(rounds, sizeof(double))};
    return measurement;
}

void results_fact(struct results *results, struct fact fact) {
    results->facts = one_more(results->facts, results->fact_count, sizeof *results->facts);
    results->facts[results->fact_count++] = fact;
}

void results_bar(struct results *results, const char *text, double value, double limit, const char *unit) {
    results->bars = one_more(results->bars, results->bar_count, sizeof *results->bars);
    results->bars[results->bar_count++] =
        (struct bar){.text = text, .value = value, .limit = limit, .unit = unit, .is_met = value <= limit};
}

const struct measurement *results_find(const struct results *results, const struct setting *setting,
                                       const char *workload) {
    for (size_t index = 0; index < results->measurement_count; index++) {
        const struct measurement *measurement = &results->measurements[index];
        if (measurement->setting == setting && text_is(measurement->workload->name, workload))
            return measurement;
    }
    return NULL;
}

static const struct comparison *comparison_at(size_t number) {
    for (size_t index = 0; index < family_count; index++) {
        if (number < families[index]->comparison_count) return &families[index]->comparisons[number];
        number -= families[index]->comparison_count;
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

size_t results_missed(const struct results *results) {
    size_t missed = 0;
    for (size_t index = 0; index < results->bar_count; index++) missed += !results->bars[index].is_met;
    return missed;
}
