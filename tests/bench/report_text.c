#include <string.h>

#include "basics.h"
#include "report.h"
#include "sections.h"

static const char *separated(double number, char *text, size_t size) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.0f", number);
    size_t length = strlen(digits), used = 0;
    for (size_t index = 0; index < length && used + 2 < size; index++) {
        if (index && (length - index) % 3 == 0) text[used++] = ',';
        text[used++] = digits[index];
    }
    text[used] = '\0';
    return text;
}

static void ratios_print(const struct results *results, const struct measurement *measurement, FILE *file) {
    struct compared compared;
    const char *before = "   ";
    for (size_t cursor = 0; results_compare(results, measurement->setting, &cursor, &compared);) {
        if (compared.measurement != measurement) continue;
        fprintf(file, "%s%.2f (%.2f-%.2f) x %s", before, compared.ratio.median, compared.ratio.low,
                compared.ratio.high, compared.reference->workload->name);
        before = ", ";
    }
}

static void setting_print(const struct results *results, const struct setting *setting, FILE *file) {
    fprintf(file, "\n%s\n  %-28s %10s %17s %12s   %s\n", setting->title, "", "CPU ns/op", "quartiles", "op/s",
            "CPU, relative (quartiles)");
    for (size_t index = 0; index < results->measurement_count; index++) {
        const struct measurement *measurement = &results->measurements[index];
        if (measurement->setting != setting) continue;
        struct spread cpu = spread_of(measurement->cpu_ns, measurement->rounds);
        struct spread rate = spread_of(measurement->rate, measurement->rounds);
        char median[48], low[48], high[48], range[100], per_second[48];
        snprintf(range, sizeof range, "%s - %s", separated(cpu.low, low, sizeof low),
                 separated(cpu.high, high, sizeof high));
        fprintf(file, "  %-28s %10s %17s %12s", measurement->workload->name,
                separated(cpu.median, median, sizeof median), range,
                separated(rate.median, per_second, sizeof per_second));
        ratios_print(results, measurement, file);
        fputc('\n', file);
    }
}

/* A workload that is measured with growing numbers of objects; the first of them is the fewest. */
static const struct measurement *fewest_of(const struct results *results, const struct measurement *most) {
    for (size_t index = 0; index < results->measurement_count; index++) {
        const struct measurement *measurement = &results->measurements[index];
        if (measurement->setting == most->setting) return NULL;
        if (measurement->workload != most->workload || !measurement->setting->is_grown) continue;
        if (text_is(measurement->setting->section, most->setting->section)) return measurement;
    }
    return NULL;
}

static void growth_print(const struct results *results, const struct section *section, FILE *file) {
    bool is_begun = false;
    for (size_t index = 0; index < results->measurement_count; index++) {
        const struct measurement *most = &results->measurements[index];
        if (!text_is(most->setting->section, section->name) || !most->setting->is_grown ||
            most->setting->objects != MILLION)
            continue;
        const struct measurement *fewest = fewest_of(results, most);
        if (!is_begun) fprintf(file, "\nCPU with a million objects, relative to a thousand (quartiles)\n");
        is_begun = true;
        struct spread growth = results_growth(fewest, most);
        fprintf(file, "  %-28s %10.2f   (%.2f-%.2f)", most->workload->name, growth.median, growth.low,
                growth.high);
        struct compared compared;
        for (size_t cursor = 0; results_compare(results, most->setting, &cursor, &compared);) {
            if (compared.measurement != most) continue;
            double native = results_growth(fewest_of(results, compared.reference), compared.reference).median;
            fprintf(file, "   %.2f x that of %s", growth.median / native, compared.reference->workload->name);
        }
        fputc('\n', file);
    }
}

static void facts_print(const struct results *results, const struct section *section, FILE *file) {
    const char *before = "\n";
    for (size_t index = 0; index < results->fact_count; index++) {
        const struct fact *fact = &results->facts[index];
        if (!text_is(fact->section, section->name)) continue;
        fprintf(file, "%s  %-60s %10.*f %s%s\n", before, fact->name, strncmp(fact->unit, "bytes", 5) ? 2 : 0,
                fact->value, fact->unit, fact->is_aside ? "   (aside)" : "");
        before = "";
    }
}

static void section_print(const struct results *results, const struct section *section, FILE *file) {
    bool is_begun = false;
    for (size_t index = 0; index < results->measurement_count; index++) {
        is_begun = is_begun || text_is(results->measurements[index].setting->section, section->name);
    }
    for (size_t index = 0; index < results->fact_count; index++) {
        is_begun = is_begun || text_is(results->facts[index].section, section->name);
    }
    if (!is_begun) return;
    fprintf(file, "\n== %s: %s\n", section->name, section->title);
    for (size_t index = 0; index < results->measurement_count; index++) {
        const struct setting *setting = results->measurements[index].setting;
        /* Those of a setting follow one another. */
        if (index && setting == results->measurements[index - 1].setting) continue;
        if (text_is(setting->section, section->name)) setting_print(results, setting, file);
    }
    growth_print(results, section, file);
    facts_print(results, section, file);
}

static void bars_print(const struct results *results, FILE *file) {
    fprintf(file, "\n== bars: %zu of %zu met\n\n", results->bar_count - results_missed(results),
            results->bar_count);
    for (size_t index = 0; index < results->bar_count; index++) {
        const struct bar *bar = &results->bars[index];
        fprintf(file, "  %-7s %-66s %8.2f %-5s at most %-8.2f %+4.0f %%\n", bar->is_met ? "met" : "MISSED",
                bar->text, bar->value, bar->unit, bar->limit, 100 * (bar->value / bar->limit - 1));
    }
}

void report_text(const struct results *results, FILE *file) {
    fprintf(file,
            "Holdfast bench. Server: %s, on %s.\n"
            "CPU is processor time of the server's main thread. Numbers are medians of interleaved rounds; "
            "ratios are\n"
            "taken round by round.\n",
            results->server_version, results->machine);
    for (size_t index = 0; index < section_count; index++) section_print(results, &sections[index], file);
    bars_print(results, file);
}
