#include "report.h"

static void text_write(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void name_write(FILE *file, const char *name, const char *value) {
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
        text_write(file, compared.reference->workload->name);
        fputs(": ", file);
        spread_write(file, compared.ratio);
        before = ", ";
    }
}

static void measurement_write(const struct results *results, const struct measurement *measurement,
                              FILE *file) {
    const struct setting *setting = measurement->setting;
    name_write(file, "section", setting->section);
    name_write(file, "setting", setting->title);
    name_write(file, "family", measurement->family->name);
    name_write(file, "workload", measurement->workload->name);
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
    name_write(file, "server", results->server_version);
    name_write(file, "machine", results->machine);
    fputs("\n \"measurements\": [", file);
    for (size_t index = 0; index < results->measurement_count; index++) {
        next_write(file, index);
        measurement_write(results, &results->measurements[index], file);
    }
    end_write(file, results->measurement_count);
    fputs(",\n \"facts\": [", file);
    for (size_t index = 0; index < results->fact_count; index++) {
        const struct fact *fact = &results->facts[index];
        next_write(file, index);
        name_write(file, "section", fact->section);
        name_write(file, "name", fact->name);
        name_write(file, "unit", fact->unit);
        fprintf(file, "\"value\": %.4f", fact->value);
    }
    end_write(file, results->fact_count);
    fputs(",\n \"bars\": [", file);
    for (size_t index = 0; index < results->bar_count; index++) {
        const struct bar *bar = &results->bars[index];
        next_write(file, index);
        name_write(file, "text", bar->text);
        name_write(file, "unit", bar->unit);
        fprintf(file, "\"value\": %.4f, \"limit\": %.4f, \"met\": %s", bar->value, bar->limit,
                bar->is_met ? "true" : "false");
    }
    end_write(file, results->bar_count);
    fputs("\n}\n", file);
}
