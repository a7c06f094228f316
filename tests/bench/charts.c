/* The charts of a run, as SVG files that stand alone: grouped bars, and lines. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "report.h"
#include "workload.h"

struct chart_value {
    double value;     /* NAN: nothing is drawn */
    double low, high; /* the whisker; both 0: none */
    double limit;     /* a mark above or in the bar; 0: none */
};

enum { SERIES_MAX = 24, GROUPS_MAX = 16 };

struct chart {
    char *path;
    const char *title, *subtitle;
    const char *groups[GROUPS_MAX]; /* along the axis */
    size_t group_count;
    const char *series[SERIES_MAX]; /* by colour */
    size_t series_count;
    struct chart_value values[GROUPS_MAX * SERIES_MAX]; /* group by group, in each one by series */
    double baseline;                                    /* a line that means "the same as"; 0: none */
    int digits;                                         /* after the point */
};

enum { WIDTH = 900, HEIGHT = 440, LEFT = 64, RIGHT = 24, TOP = 104, BOTTOM = 48 };
enum { LEGEND_TOP = 68, LEGEND_LETTER = 7, TICKS_ABOUT = 8, LABEL_HEIGHT = 13 };

/* Told apart by people who see colours differently, too. */
static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#d55e00", "#999999"};

struct canvas {
    FILE *file;
    double most; /* the value at the top of the axis */
};

static const char *colour_of(size_t series) {
    return colours[series % ARRAY_SIZE(colours)];
}

static double height_of(const struct canvas *canvas, double value) {
    return HEIGHT - BOTTOM - value / canvas->most * (HEIGHT - TOP - BOTTOM);
}

static double group_width(const struct chart *chart) {
    return (double)(WIDTH - LEFT - RIGHT) / (double)chart->group_count;
}

static void text_draw(const struct canvas *canvas, double x, double y, const char *style, const char *text) {
    fprintf(canvas->file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", canvas->file);
        else if (*text == '&')
            fputs("&amp;", canvas->file);
        else
            fputc(*text, canvas->file);
    }
    fputs("</text>\n", canvas->file);
}

static void number_draw(const struct canvas *canvas, double x, double y, const char *style, double value,
                        int digits) {
    char text[48];
    snprintf(text, sizeof(text), "%.*f", digits, value);
    text_draw(canvas, x, y, style, text);
}

static void line_draw(const struct canvas *canvas, double x1, double y1, double x2, double y2,
                      const char *style) {
    fprintf(canvas->file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
            style);
}

/* 1, 2 or 5 times a power of ten, so that about so many of them make up `most`. */
static double tick_of(double most) {
    double power = pow(10, floor(log10(most / TICKS_ABOUT)));
    double digit = most / TICKS_ABOUT / power;
    return power * (digit > 5 ? 10 : digit > 2 ? 5 : digit > 1 ? 2 : 1);
}

static double chart_greatest(const struct chart *chart) {
    double most = chart->baseline;
    for (size_t i = 0; i < chart->group_count * chart->series_count; i++) {
        const struct chart_value *value = &chart->values[i];
        if (isnan(value->value)) continue;
        most = fmax(most, fmax(value->value, fmax(value->high, value->limit)));
    }
    return most > 0 ? most : 1;
}

static void legend_draw(const struct canvas *canvas, const struct chart *chart) {
    double x = LEFT;
    for (size_t i = 0; i < chart->series_count; i++) {
        fprintf(canvas->file, "<rect x=\"%.1f\" y=\"%d\" width=\"12\" height=\"12\" rx=\"2\" fill=\"%s\"/>\n",
                x, LEGEND_TOP, colour_of(i));
        text_draw(canvas, x + 18, LEGEND_TOP + 10, "font-size=\"12\" fill=\"#333\"", chart->series[i]);
        x += 40 + (double)strlen(chart->series[i]) * LEGEND_LETTER;
    }
}

static struct canvas canvas_open(const struct chart *chart) {
    double most = chart_greatest(chart) * 1.08, tick = tick_of(most);
    struct canvas canvas = {.file = fopen(chart->path, "w"), .most = most};
    require(canvas.file, "cannot write %s: %s", chart->path, strerror(errno));
    fprintf(canvas.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"system-ui, "
            "sans-serif\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    text_draw(&canvas, LEFT, 30, "font-size=\"17\" font-weight=\"600\" fill=\"#111\"", chart->title);
    text_draw(&canvas, LEFT, 50, "font-size=\"12\" fill=\"#666\"", chart->subtitle);
    if (chart->series_count > 1) legend_draw(&canvas, chart);
    for (int number = 0; number * tick <= most; number++) {
        double value = number * tick;
        double y = height_of(&canvas, value);
        line_draw(&canvas, LEFT, y, WIDTH - RIGHT, y, "stroke=\"#e6e6e6\"");
        number_draw(&canvas, LEFT - 8, y + 4, "font-size=\"11\" text-anchor=\"end\" fill=\"#666\"", value,
                    tick < 1 ? (tick < 0.1 ? 2 : 1) : 0);
    }
    if (chart->baseline > 0) {
        double y = height_of(&canvas, chart->baseline);
        line_draw(&canvas, LEFT, y, WIDTH - RIGHT, y, "stroke=\"#444\" stroke-width=\"1.5\"");
    }
    for (size_t group = 0; group < chart->group_count; group++) {
        text_draw(&canvas, LEFT + ((double)group + 0.5) * group_width(chart), HEIGHT - BOTTOM + 22,
                  "font-size=\"13\" text-anchor=\"middle\" fill=\"#333\"", chart->groups[group]);
    }
    return canvas;
}

static void canvas_close(const struct canvas *canvas) {
    fputs("</svg>\n", canvas->file);
    fclose(canvas->file);
}

static void bar_draw(const struct canvas *canvas, const struct chart_value *value, double x, double width,
                     const char *colour, int digits) {
    double top = height_of(canvas, value->value), centre = x + width / 2, label = top;
    fprintf(canvas->file,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\" fill=\"%s\"/>\n", x, top,
            width, HEIGHT - BOTTOM - top, colour);
    if (value->high > 0) {
        label = fmin(label, height_of(canvas, value->high));
        line_draw(canvas, centre, height_of(canvas, value->low), centre, height_of(canvas, value->high),
                  "stroke=\"#333\" stroke-width=\"1.2\"");
    }
    if (value->limit > 0) {
        double y = height_of(canvas, value->limit);
        line_draw(canvas, x - 3, y, x + width + 3, y,
                  "stroke=\"#c00\" stroke-width=\"2\" stroke-dasharray=\"4 2\"");
        if (fabs(y - label + 7) < 10) label = fmin(y, label);
    }
    number_draw(canvas, centre, label - 5, "font-size=\"11\" text-anchor=\"middle\" fill=\"#333\"",
                value->value, digits);
}

static void chart_bars(const struct chart *chart) {
    struct canvas canvas = canvas_open(chart);
    double group = group_width(chart);
    double slot = fmin(group * 0.8 / (double)chart->series_count, 90);
    for (size_t i = 0; i < chart->group_count * chart->series_count; i++) {
        if (isnan(chart->values[i].value)) continue;
        size_t place = i / chart->series_count, series = i % chart->series_count;
        double centre = LEFT + ((double)place + 0.5) * group;
        double x = centre + ((double)series - (double)chart->series_count / 2) * slot;
        bar_draw(&canvas, &chart->values[i], x + slot * 0.08, slot * 0.84, colour_of(series), chart->digits);
    }
    canvas_close(&canvas);
}

static void line_of_series_draw(const struct canvas *canvas, const struct chart *chart, size_t series) {
    fputs("<polyline fill=\"none\" stroke-width=\"2.5\" points=\"", canvas->file);
    for (size_t group = 0; group < chart->group_count; group++) {
        double value = chart->values[group * chart->series_count + series].value;
        if (isnan(value)) continue;
        fprintf(canvas->file, "%.1f,%.1f ", LEFT + ((double)group + 0.5) * group_width(chart),
                height_of(canvas, value));
    }
    fprintf(canvas->file, "\" stroke=\"%s\"/>\n", colour_of(series));
}

/* The last values, from the greatest to the least, each far enough below the one before to be read. */
static void last_values_draw(const struct canvas *canvas, const struct chart *chart) {
    const struct chart_value *last = &chart->values[(chart->group_count - 1) * chart->series_count];
    double x = LEFT + ((double)chart->group_count - 0.5) * group_width(chart) + 8, y = 0;
    bool is_drawn[SERIES_MAX] = {false};
    for (size_t turn = 0; turn < chart->series_count && turn < SERIES_MAX; turn++) {
        size_t next = SERIES_MAX;
        for (size_t series = 0; series < chart->series_count && series < SERIES_MAX; series++) {
            if (is_drawn[series] || isnan(last[series].value)) continue;
            if (next == SERIES_MAX || last[series].value > last[next].value) next = series;
        }
        if (next == SERIES_MAX) return;
        is_drawn[next] = true;
        y = fmax(y + LABEL_HEIGHT, height_of(canvas, last[next].value) + 4);
        char style[160];
        snprintf(style, sizeof(style),
                 "font-size=\"12\" font-weight=\"600\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"4\" "
                 "paint-order=\"stroke\"",
                 colour_of(next));
        number_draw(canvas, x, y, style, last[next].value, chart->digits);
    }
}

static void chart_lines(const struct chart *chart) {
    struct canvas canvas = canvas_open(chart);
    double limit = 0;
    for (size_t i = 0; i < chart->group_count * chart->series_count; i++)
        limit = fmax(limit, chart->values[i].limit);
    if (limit > 0) {
        double y = height_of(&canvas, limit);
        line_draw(&canvas, LEFT, y, WIDTH - RIGHT, y,
                  "stroke=\"#c00\" stroke-width=\"2\" stroke-dasharray=\"4 2\"");
    }
    for (size_t series = 0; series < chart->series_count; series++)
        line_of_series_draw(&canvas, chart, series);
    last_values_draw(&canvas, chart);
    canvas_close(&canvas);
}

/* --- Charts of results --- */

static struct chart *chart_open(const char *folder, const char *name, const char *title,
                                const char *subtitle) {
    struct chart *chart = allocate(1, sizeof(*chart));
    *chart = (struct chart){
        .path = format_text("%s/%s.svg", folder, name), .title = title, .subtitle = subtitle, .digits = 2};
    return chart;
}

/* Draws it, unless there is nothing in it, and frees it. */
static void chart_finish(struct chart *chart, void (*draw)(const struct chart *chart)) {
    if (chart->group_count && chart->series_count) draw(chart);
    free(chart->path);
    free(chart);
}

/* Settings of a section at pipeline 16 in the order in which they were measured. */
static size_t settings_of(const struct results *results, const char *section,
                          const struct setting **settings) {
    size_t count = 0;
    for (size_t i = 0; i < results->measurement_count && count < GROUPS_MAX; i++) {
        const struct setting *setting = results->measurements[i]->setting;
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
static void ratios_draw(const struct results *results, const char *folder, const char *section,
                        const char *name, const char *title, bool (*is_wanted)(const struct compared *)) {
    struct chart *chart =
        chart_open(folder, name, title, "medians and quartiles at pipeline 16; dashed: the bar");
    const struct setting *settings[GROUPS_MAX];
    struct compared compared;
    chart->group_count = settings_of(results, section, settings);
    chart->baseline = 1;
    size_t cursor = 0;
    while (chart->group_count && chart->series_count < SERIES_MAX &&
           results_compare(results, settings[chart->group_count - 1], &cursor, &compared)) {
        if (!is_wanted(&compared)) continue;
        chart->series[chart->series_count++] =
            format_text("%s / %s", compared.comparison->workload, compared.comparison->against);
    }
    for (size_t group = 0; group < chart->group_count; group++) {
        chart->groups[group] = sizes[settings[group]->size].label;
        size_t series = 0;
        for (cursor = 0; results_compare(results, settings[group], &cursor, &compared);) {
            if (series == chart->series_count || !is_wanted(&compared)) continue;
            chart->values[group * chart->series_count + series++] =
                compared_value(&compared, settings[group]->size);
        }
    }
    chart_finish(chart, chart_bars);
}

static bool is_ours_to_native(const struct compared *compared) {
    const char *against = compared->reference->name;
    return compared->measurement->family != &native_family &&
           (text_is(against, "SET") || text_is(against, "GET"));
}

static bool is_condition_to_set(const struct compared *compared) {
    const char *name = compared->measurement->name;
    if (!text_is(compared->reference->name, "SET")) return false;
    return text_is(name, "Lua compare-and-set") || text_is(name, "BLOB.PUT IFMATCH");
}

static bool is_lease_to_lock(const struct compared *compared) {
    return compared->measurement->family == &lease_family && !text_is(compared->reference->name, "SET");
}

static void growth_draw(const struct results *results, const char *folder) {
    const struct setting *settings[GROUPS_MAX];
    struct chart *chart =
        chart_open(folder, "growth", "Processor time per operation as the number of objects grows",
                   "relative to a thousand objects; 100 B, random access, pipeline 16; dashed: the bar");
    chart->group_count = settings_of(results, "growth", settings);
    /* The first one is about inserting. */
    if (chart->group_count) chart->group_count--;
    chart->baseline = 1;
    for (size_t i = 0; i < results->measurement_count && chart->group_count; i++) {
        const struct measurement *fewest = results->measurements[i];
        if (fewest->setting != settings[1] || chart->series_count == SERIES_MAX) continue;
        chart->series[chart->series_count++] = fewest->name;
    }
    for (size_t group = 0; group < chart->group_count; group++) {
        chart->groups[group] = settings[group + 1]->title;
        for (size_t series = 0; series < chart->series_count; series++) {
            const struct measurement *fewest = results_find(results, settings[1], chart->series[series]);
            const struct measurement *most =
                results_find(results, settings[group + 1], chart->series[series]);
            chart->values[group * chart->series_count + series] =
                (struct chart_value){.value = fewest && most ? results_growth(fewest, most).median : NAN,
                                     .limit = most ? workload_named(most->name)->flat_limit : 0};
        }
    }
    chart_finish(chart, chart_lines);
}

static void facts_draw(const struct results *results, const char *folder, const char *section,
                       const char *title, const char *subtitle) {
    struct chart *chart = chart_open(folder, section, title, subtitle);
    chart->series[chart->series_count++] = "";
    chart->digits = 0;
    for (size_t i = 0; i < results->fact_count && chart->group_count < GROUPS_MAX; i++) {
        const struct fact *fact = &results->facts[i];
        if (!text_is(fact->section, section) || fact->is_aside) continue;
        chart->groups[chart->group_count] = fact->name;
        chart->values[chart->group_count++].value = fact->value;
    }
    chart_finish(chart, chart_bars);
}

void report_charts(const struct results *results, const char *folder) {
    ratios_draw(results, folder, "ratios", "ratios",
                "Processor time per operation, relative to native commands", is_ours_to_native);
    ratios_draw(results, folder, "ratios", "compare-and-set",
                "Compare-and-set: processor time per operation, relative to SET", is_condition_to_set);
    ratios_draw(results, folder, "leases", "leases",
                "Leases: processor time per operation, relative to locks made of SET NX PX",
                is_lease_to_lock);
    growth_draw(results, folder);
    facts_draw(results, folder, "handover", "Microseconds of processor time per hand-over",
               "one lease, by the number of those who wait in line for it");
    facts_draw(results, folder, "memory", "Bytes per object",
               "a million objects of 100 bytes with names of 13 bytes");
}
