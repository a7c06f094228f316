#include "chart.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "basics.h"

enum { WIDTH = 900, HEIGHT = 440, LEFT = 64, RIGHT = 24, TOP = 104, BOTTOM = 48 };
enum { LEGEND_TOP = 68, LEGEND_LETTER = 7, TICKS_ABOUT = 8, LINES_AT_MOST = 32, LABEL_HEIGHT = 13 };

/* Told apart by people who see colours differently, too. */
static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                      "#56b4e9", "#d55e00", "#999999"};

struct canvas {
    FILE *file;
    double most; /* the value at the top of the axis */
};

static const char *colour_of(size_t series) {
    return colours[series % (sizeof colours / sizeof *colours)];
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
    snprintf(text, sizeof text, "%.*f", digits, value);
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

static double greatest(const struct chart *chart) {
    double most = chart->baseline;
    for (size_t index = 0; index < chart->group_count * chart->series_count; index++) {
        const struct chart_value *value = &chart->values[index];
        if (isnan(value->value)) continue;
        most = fmax(most, fmax(value->value, fmax(value->high, value->limit)));
    }
    return most > 0 ? most : 1;
}

static void legend_draw(const struct canvas *canvas, const struct chart *chart) {
    double x = LEFT;
    for (size_t index = 0; index < chart->series_count; index++) {
        fprintf(canvas->file, "<rect x=\"%.1f\" y=\"%d\" width=\"12\" height=\"12\" rx=\"2\" fill=\"%s\"/>\n",
                x, LEGEND_TOP, colour_of(index));
        text_draw(canvas, x + 18, LEGEND_TOP + 10, "font-size=\"12\" fill=\"#333\"", chart->series[index]);
        x += 40 + (double)strlen(chart->series[index]) * LEGEND_LETTER;
    }
}

static struct canvas canvas_open(const struct chart *chart) {
    double most = greatest(chart) * 1.08, tick = tick_of(most);
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

void chart_bars(const struct chart *chart) {
    struct canvas canvas = canvas_open(chart);
    double group = group_width(chart);
    double slot = fmin(group * 0.8 / (double)chart->series_count, 90);
    for (size_t index = 0; index < chart->group_count * chart->series_count; index++) {
        if (isnan(chart->values[index].value)) continue;
        size_t place = index / chart->series_count, series = index % chart->series_count;
        double centre = LEFT + ((double)place + 0.5) * group;
        double x = centre + ((double)series - (double)chart->series_count / 2) * slot;
        bar_draw(&canvas, &chart->values[index], x + slot * 0.08, slot * 0.84, colour_of(series),
                 chart->digits);
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
    bool is_drawn[LINES_AT_MOST] = {false};
    for (size_t turn = 0; turn < chart->series_count && turn < LINES_AT_MOST; turn++) {
        size_t next = LINES_AT_MOST;
        for (size_t series = 0; series < chart->series_count && series < LINES_AT_MOST; series++) {
            if (is_drawn[series] || isnan(last[series].value)) continue;
            if (next == LINES_AT_MOST || last[series].value > last[next].value) next = series;
        }
        if (next == LINES_AT_MOST) return;
        is_drawn[next] = true;
        y = fmax(y + LABEL_HEIGHT, height_of(canvas, last[next].value) + 4);
        char style[160];
        snprintf(style, sizeof style,
                 "font-size=\"12\" font-weight=\"600\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"4\" "
                 "paint-order=\"stroke\"",
                 colour_of(next));
        number_draw(canvas, x, y, style, last[next].value, chart->digits);
    }
}

void chart_lines(const struct chart *chart) {
    struct canvas canvas = canvas_open(chart);
    double limit = 0;
    for (size_t index = 0; index < chart->group_count * chart->series_count; index++) {
        limit = fmax(limit, chart->values[index].limit);
    }
    if (limit > 0) {
        double y = height_of(&canvas, limit);
        line_draw(&canvas, LEFT, y, WIDTH - RIGHT, y,
                  "stroke=\"#c00\" stroke-width=\"2\" stroke-dasharray=\"4 2\"");
    }
    for (size_t series = 0; series < chart->series_count; series++) {
        line_of_series_draw(&canvas, chart, series);
    }
    last_values_draw(&canvas, chart);
    canvas_close(&canvas);
}
