#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "chart.h"
#include "report.h"
#include "sections.h"

enum { SERIES_AT_MOST = 24, GROUPS_AT_MOST = 16 };

/* A chart in the making. */
struct plot {
    const char *groups[GROUPS_AT_MOST];
    const char *series[SERIES_AT_MOST];
    struct chart_value values[GROUPS_AT_MOST * SERIES_AT_MOST];
    struct chart chart;
};

static struct plot *plot_open(const char *folder, const char *name, const char *title, const char *subtitle) {
    struct plot *plot = take(1, sizeof *plot);
    plot->chart = (struct chart){.path = print_text("%s/%s.svg", folder, name),
                                 .title = title,
                                 .subtitle = subtitle,
                                 .groups = plot->groups,
                                 .series = plot->series,
                                 .values = plot->values,
                                 .digits = 2};
    return plot;
}

static void plot_close(struct plot *plot, void (*draw)(const struct chart *chart)) {
    if (plot->chart.group_count && plot->chart.series_count) draw(&plot->chart);
    free(plot);
}

/* Settings of a section at pipeline 16 in the order in which they were measured. */
static size_t settings_of(const struct results *results, const char *section,
                          const struct setting **settings) {
    size_t count = 0;
    for (size_t index = 0; index < results->measurement_count && count < GROUPS_AT_MOST; index++) {
        const struct setting *setting = results->measurements[index].setting;
        if (!text_is(setting->section, section) || setting->pipeline != PIPELINE) continue;
        if (!count || settings[count - 1] != setting) settings[count++] = setting;
    }
    return count;
}

static struct chart_value compared_value(const struct compared *compared, unsigned size) {
    return (struct chart_value){.value = compared->ratio.median,
                                .low = compared->ratio.low,
                                .high = compared->ratio.high,
                                .limit = compared->comparison->limits[size]};
}

/* By size, the comparisons of a section that were made at all sizes and that are wanted. */
static void ratios_draw(const struct results *results, const char *section, struct plot *plot,
                        bool (*is_wanted)(const struct compared *)) {
    const struct setting *settings[GROUPS_AT_MOST];
    struct compared compared;
    struct chart *chart = &plot->chart;
    chart->group_count = settings_of(results, section, settings);
    chart->baseline = 1;
    size_t cursor = 0;
    while (chart->group_count && chart->series_count < SERIES_AT_MOST &&
           results_compare(results, settings[chart->group_count - 1], &cursor, &compared)) {
        if (!is_wanted(&compared)) continue;
        plot->series[chart->series_count++] =
            print_text("%s / %s", compared.comparison->workload, compared.comparison->against);
    }
    for (size_t group = 0; group < chart->group_count; group++) {
        plot->groups[group] = sizes[settings[group]->size].label;
        size_t series = 0;
        for (cursor = 0; results_compare(results, settings[group], &cursor, &compared);) {
            if (series == chart->series_count || !is_wanted(&compared)) continue;
            plot->values[group * chart->series_count + series++] =
                compared_value(&compared, settings[group]->size);
        }
    }
    plot_close(plot, chart_bars);
}

static bool is_ours_to_native(const struct compared *compared) {
    const char *against = compared->reference->workload->name;
    return compared->measurement->family != &native_family &&
           (text_is(against, "SET") || text_is(against, "GET"));
}

static bool is_condition_to_set(const struct compared *compared) {
    const char *name = compared->measurement->workload->name;
    if (!text_is(compared->reference->workload->name, "SET")) return false;
    return text_is(name, "Lua compare-and-set") || text_is(name, "BLOB.PUT IFMATCH");
}

static bool is_lease_to_lock(const struct compared *compared) {
    return compared->measurement->family == &lease_family &&
           !text_is(compared->reference->workload->name, "SET");
}

static void growth_draw(const struct results *results, const char *folder) {
    const struct setting *settings[GROUPS_AT_MOST];
    struct plot *plot =
        plot_open(folder, "growth", "Processor time per operation as the number of objects grows",
                  "relative to a thousand objects; 100 B, random access, pipeline 16; dashed: the bar");
    struct chart *chart = &plot->chart;
    chart->group_count = settings_of(results, "growth", settings);
    /* The first one is about inserting. */
    if (chart->group_count) chart->group_count--;
    chart->baseline = 1;
    for (size_t index = 0; index < results->measurement_count && chart->group_count; index++) {
        const struct measurement *fewest = &results->measurements[index];
        if (fewest->setting != settings[1] || chart->series_count == SERIES_AT_MOST) continue;
        plot->series[chart->series_count++] = fewest->workload->name;
    }
    for (size_t group = 0; group < chart->group_count; group++) {
        plot->groups[group] = settings[group + 1]->title;
        for (size_t series = 0; series < chart->series_count; series++) {
            const struct measurement *fewest = results_find(results, settings[1], plot->series[series]);
            const struct measurement *most = results_find(results, settings[group + 1], plot->series[series]);
            plot->values[group * chart->series_count + series] =
                (struct chart_value){.value = fewest && most ? results_growth(fewest, most).median : NAN,
                                     .limit = most ? most->workload->flat_limit : 0};
        }
    }
    plot_close(plot, chart_lines);
}

static void facts_draw(const struct results *results, const char *folder, const char *section,
                       const char *title, const char *subtitle) {
    struct plot *plot = plot_open(folder, section, title, subtitle);
    struct chart *chart = &plot->chart;
    plot->series[chart->series_count++] = "";
    chart->digits = 0;
    for (size_t index = 0; index < results->fact_count && chart->group_count < GROUPS_AT_MOST; index++) {
        const struct fact *fact = &results->facts[index];
        if (!text_is(fact->section, section) || fact->is_aside) continue;
        plot->groups[chart->group_count] = fact->name;
        plot->values[chart->group_count++].value = fact->value;
    }
    plot_close(plot, chart_bars);
}

void report_charts(const struct results *results, const char *folder) {
    ratios_draw(results, "ratios",
                plot_open(folder, "ratios", "Processor time per operation, relative to native commands",
                          "medians and quartiles at pipeline 16; dashed: the bar"),
                is_ours_to_native);
    ratios_draw(results, "ratios",
                plot_open(folder, "compare-and-set",
                          "Compare-and-set: processor time per operation, relative to SET",
                          "medians and quartiles at pipeline 16; dashed: the bar"),
                is_condition_to_set);
    ratios_draw(results, "leases",
                plot_open(folder, "leases",
                          "Leases: processor time per operation, relative to locks made of SET NX PX",
                          "medians and quartiles at pipeline 16; dashed: the bar"),
                is_lease_to_lock);
    growth_draw(results, folder);
    facts_draw(results, folder, "handover", "Microseconds of processor time per hand-over",
               "one lease, by the number of those who wait in line for it");
    facts_draw(results, folder, "memory", "Bytes per object",
               "a million objects of 100 bytes with names of 16 bytes");
}
