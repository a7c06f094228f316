/* What was measured, as a text and as JSON. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "workload.h"

/* --- Text --- */

static const char *number_separated(double number, char *text, size_t size) {
    char digits[32];
    snprintf(digits, sizeof(digits), "%.0f", number);
    size_t length = strlen(digits), used = 0;
    for (size_t i = 0; i < length && used + 2 < size; i++) {
        if (i && (length - i) % 3 == 0) text[used++] = ',';
        text[used++] = digits[i];
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
                compared.ratio.high, compared.reference->name);
        before = ", ";
    }
}

static void setting_print(const struct results *results, const struct setting *setting, FILE *file) {
    fprintf(file, "\n%s\n  %-28s %10s %17s %12s   %s\n", setting->title, "", "CPU ns/op", "quartiles", "op/s",
            "CPU, relative (quartiles)");
    for (size_t i = 0; i < results->measurement_count; i++) {
        const struct measurement *measurement = results->measurements[i];
        if (measurement->setting != setting) continue;
        struct spread cpu = spread_of(measurement->cpu_ns, measurement->rounds);
        struct spread rate = spread_of(measurement->rate, measurement->rounds);
        char median[48], low[48], high[48], range[100], per_second[48];
        snprintf(range, sizeof(range), "%s - %s", number_separated(cpu.low, low, sizeof(low)),
                 number_separated(cpu.high, high, sizeof(high)));
        fprintf(file, "  %-28s %10s %17s %12s", measurement->name,
                number_separated(cpu.median, median, sizeof(median)), range,
                number_separated(rate.median, per_second, sizeof(per_second)));
        ratios_print(results, measurement, file);
        fputc('\n', file);
    }
}

/* A workload that is measured with growing numbers of objects; the first of them is the fewest. */
static const struct measurement *fewest_of(const struct results *results, const struct measurement *most) {
    for (size_t i = 0; i < results->measurement_count; i++) {
        const struct measurement *measurement = results->measurements[i];
        if (measurement->setting == most->setting) return NULL;
        if (!text_is(measurement->name, most->name) || !measurement->setting->is_grown) continue;
        if (text_is(measurement->setting->section, most->setting->section)) return measurement;
    }
    return NULL;
}

static void growth_print(const struct results *results, const struct section *section, FILE *file) {
    bool is_begun = false;
    for (size_t i = 0; i < results->measurement_count; i++) {
        const struct measurement *most = results->measurements[i];
        if (!text_is(most->setting->section, section->name) || !most->setting->is_grown ||
            most->setting->objects != MILLION)
            continue;
        const struct measurement *fewest = fewest_of(results, most);
        if (!is_begun) fprintf(file, "\nCPU with a million objects, relative to a thousand (quartiles)\n");
        is_begun = true;
        struct spread growth = results_growth(fewest, most);
        fprintf(file, "  %-28s %10.2f   (%.2f-%.2f)", most->name, growth.median, growth.low, growth.high);
        struct compared compared;
        for (size_t cursor = 0; results_compare(results, most->setting, &cursor, &compared);) {
            if (compared.measurement != most) continue;
            double native = results_growth(fewest_of(results, compared.reference), compared.reference).median;
            fprintf(file, "   %.2f x that of %s", growth.median / native, compared.reference->name);
        }
        fputc('\n', file);
    }
}

static void facts_print(const struct results *results, const struct section *section, FILE *file) {
    const char *before = "\n";
    for (size_t i = 0; i < results->fact_count; i++) {
        const struct fact *fact = &results->facts[i];
        if (!text_is(fact->section, section->name)) continue;
        fprintf(file, "%s  %-60s %10.*f %s%s\n", before, fact->name, strncmp(fact->unit, "bytes", 5) ? 2 : 0,
                fact->value, fact->unit, fact->is_aside ? "   (aside)" : "");
        before = "";
    }
}

static void section_print(const struct results *results, const struct section *section, FILE *file) {
    bool is_measured = false;
    for (size_t i = 0; i < results->measurement_count; i++)
        is_measured = is_measured || text_is(results->measurements[i]->setting->section, section->name);
    for (size_t i = 0; i < results->fact_count; i++)
        is_measured = is_measured || text_is(results->facts[i].section, section->name);
    if (!is_measured) return;
    fprintf(file, "\n== %s: %s\n", section->name, section->title);
    for (size_t i = 0; i < results->measurement_count; i++) {
        const struct setting *setting = results->measurements[i]->setting;
        /* Those of a setting follow one another. */
        if (i && setting == results->measurements[i - 1]->setting) continue;
        if (text_is(setting->section, section->name)) setting_print(results, setting, file);
    }
    growth_print(results, section, file);
    facts_print(results, section, file);
}

/* Ends the line of a bar. */
static void bare_print(const struct bar *bar, FILE *file) {
    if (bar->bare != 0) fprintf(file, "; bare %.2f", bar->bare);
    fputc('\n', file);
}

static void bars_print(const struct results *results, FILE *file) {
    fprintf(file, "\n== bars: %zu of %zu met\n\n", results->bar_count - results_missed(results),
            results->bar_count);
    for (size_t i = 0; i < results->bar_count; i++) {
        const struct bar *bar = &results->bars[i];
        fprintf(file, "  %-7s %-66s %8.2f %-5s at most %-8.2f %+4.0f %%", bar->is_met ? "met" : "MISSED",
                bar->text, bar->value, bar->unit, bar->limit, bar_excess(bar));
        bare_print(bar, file);
    }
}

void report_text(const struct results *results, FILE *file) {
    fprintf(file,
            "Holdfast bench. Server: %s, on %s.\n"
            "CPU is processor time of the server's main thread. Numbers are medians of interleaved rounds; "
            "ratios are\n"
            "taken round by round.\n",
            results->server_version, results->machine);
    for (size_t i = 0; i < section_count; i++) section_print(results, &sections[i], file);
    bars_print(results, file);
}

/* --- A page --- */

/* The bars by subject: those that were missed with a line for each, those that were met one after the other. */

enum { PAGE_COLUMNS = 100 };

static const char *const subjects[SUBJECTS] = {
    [ABOUT_SMALL_CALLS] = "Small calls",
    [ABOUT_AOF] = "With an append-only file",
    [ABOUT_REPLICAS] = "With a replica",
    [ABOUT_LEASES] = "Leases",
    [ABOUT_LARGE_BLOBS] = "Large blobs",
    [ABOUT_QUEUES] = "Queues",
    [ABOUT_TABLES] = "Tables",
    [ABOUT_FILES] = "Files",
    [ABOUT_TRANSACTIONS] = "Transactions",
    [ABOUT_FEEDS] = "Feeds",
    [ABOUT_COPIES] = "Copies from another server",
    [ABOUT_MEMORY] = "Memory",
    [ABOUT_DISK] = "Files on disk",
    [ABOUT_PAUSES] = "How long a PING waits at most, unless the line says what",
};

/* The heading says already what is waited for. */
static int text_length(const struct bar *bar) {
    const char *said = bar->subject == ABOUT_PAUSES ? strstr(bar->text, ": longest PING") : NULL;
    bool is_all = said && text_is(said, ": longest PING");
    return (int)(is_all ? (size_t)(said - bar->text) : strlen(bar->text));
}

/* A value with as many digits as mean something. */
static char *value_text(const struct bar *bar) {
    double size = bar->value < 0 ? -bar->value : bar->value;
    return format_text("%.*f %s", size < 10 ? 2 : size < 100 ? 1 : 0, bar->value, bar->unit);
}

static void missed_print(const struct bar *bar, FILE *file) {
    char *value = value_text(bar);
    fprintf(file, "  MISSED  %-61.*s %10s, bar %g, %+.0f %%", text_length(bar), bar->text, value, bar->limit,
            bar_excess(bar));
    bare_print(bar, file);
    free(value);
}

/* Begins a new line when the entry does not fit. */
static size_t met_print(const struct bar *bar, size_t column, FILE *file) {
    char *value = value_text(bar),
         *entry = format_text("%.*s %s (%+.0f %%)", text_length(bar), bar->text, value, bar_excess(bar));
    size_t length = strlen(entry);
    if (!column)
        column = (size_t)fprintf(file, "  met     ");
    else if (column + 2 + length > PAGE_COLUMNS)
        column = (size_t)fprintf(file, "\n          ") - 1;
    else
        column += (size_t)fprintf(file, "; ");
    fputs(entry, file);
    free(entry);
    free(value);
    return column + length;
}

static void subject_print(const struct results *results, enum subject subject, FILE *file) {
    size_t bars = 0, met = 0, column = 0;
    for (size_t i = 0; i < results->bar_count; i++) {
        bars += results->bars[i].subject == subject;
        met += results->bars[i].subject == subject && results->bars[i].is_met;
    }
    if (!bars) return;
    fprintf(file, "%s: %zu of %zu met\n", subjects[subject], met, bars);
    for (size_t i = 0; i < results->bar_count; i++) {
        const struct bar *bar = &results->bars[i];
        if (bar->subject == subject && !bar->is_met) missed_print(bar, file);
    }
    for (size_t i = 0; i < results->bar_count; i++) {
        const struct bar *bar = &results->bars[i];
        if (bar->subject == subject && bar->is_met) column = met_print(bar, column, file);
    }
    if (column) fputc('\n', file);
}

void report_page(const struct results *results, FILE *file) {
    fprintf(file, "Holdfast bench: %zu of %zu bars met, %s, %s\n",
            results->bar_count - results_missed(results), results->bar_count, results->server_version,
            results->machine);
    fputs("x is a ratio of processor times of the server unless the line says otherwise; in % how far above "
          "or below its bar;\nbare: what a command of a module costs that does next to nothing with as many "
          "words.\n",
          file);
    for (enum subject subject = 0; subject < SUBJECTS; subject++) subject_print(results, subject, file);
}

/* --- JSON --- */

static void text_write(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void member_write(FILE *file, const char *name, const char *value) {
    fprintf(file, "\"%s\": ", name);
    text_write(file, value);
    fputs(", ", file);
}

static void spread_write(FILE *file, struct spread spread) {
    fprintf(file, "{\"median\": %.4f, \"low\": %.4f, \"high\": %.4f}", spread.median, spread.low,
            spread.high);
}

static void ratios_write(const struct results *results, const struct measurement *measurement, FILE *file) {
    struct compared compared;
    const char *before = "";
    for (size_t cursor = 0; results_compare(results, measurement->setting, &cursor, &compared);) {
        if (compared.measurement != measurement) continue;
        fputs(before, file);
        text_write(file, compared.reference->name);
        fputs(": ", file);
        spread_write(file, compared.ratio);
        before = ", ";
    }
}

static void measurement_write(const struct results *results, const struct measurement *measurement,
                              FILE *file) {
    const struct setting *setting = measurement->setting;
    member_write(file, "section", setting->section);
    member_write(file, "setting", setting->title);
    member_write(file, "family", measurement->family->name);
    member_write(file, "workload", measurement->name);
    fprintf(file, "\"bytes\": %zu, \"objects\": %u, \"pipeline\": %u, \"rounds\": %zu, \"cpu_ns\": ",
            sizes[setting->size].bytes, setting->objects, setting->pipeline, measurement->rounds);
    spread_write(file, spread_of(measurement->cpu_ns, measurement->rounds));
    fputs(", \"operations_per_second\": ", file);
    spread_write(file, spread_of(measurement->rate, measurement->rounds));
    fputs(", \"cpu_relative_to\": {", file);
    ratios_write(results, measurement, file);
    fputc('}', file);
}

static void next_write(FILE *file, size_t index) {
    fputs(index ? "},\n  {" : "\n  {", file);
}

static void end_write(FILE *file, size_t count) {
    fputs(count ? "}\n ]" : "]", file);
}

void report_json(const struct results *results, FILE *file) {
    fputs("{\n ", file);
    member_write(file, "server", results->server_version);
    member_write(file, "machine", results->machine);
    fputs("\n \"measurements\": [", file);
    for (size_t i = 0; i < results->measurement_count; i++) {
        next_write(file, i);
        measurement_write(results, results->measurements[i], file);
    }
    end_write(file, results->measurement_count);
    fputs(",\n \"facts\": [", file);
    for (size_t i = 0; i < results->fact_count; i++) {
        const struct fact *fact = &results->facts[i];
        next_write(file, i);
        member_write(file, "section", fact->section);
        member_write(file, "name", fact->name);
        member_write(file, "unit", fact->unit);
        fprintf(file, "\"value\": %.4f", fact->value);
    }
    end_write(file, results->fact_count);
    fputs(",\n \"bars\": [", file);
    for (size_t i = 0; i < results->bar_count; i++) {
        const struct bar *bar = &results->bars[i];
        next_write(file, i);
        member_write(file, "subject", subjects[bar->subject]);
        member_write(file, "text", bar->text);
        member_write(file, "unit", bar->unit);
        fprintf(file, "\"value\": %.4f, \"limit\": %.4f, \"bare\": %.4f, \"met\": %s", bar->value, bar->limit,
                bar->bare, bar->is_met ? "true" : "false");
    }
    end_write(file, results->bar_count);
    fputs("\n}\n", file);
}
