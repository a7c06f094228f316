/*
 * Charts as SVG files that stand alone: grouped bars, and lines.
 */
#ifndef BENCH_CHART_H
#define BENCH_CHART_H

#include <stddef.h>

struct chart_value {
    double value;     /* NAN: nothing is drawn */
    double low, high; /* the whisker; both 0: none */
    double limit;     /* a mark above or in the bar; 0: none */
};

struct chart {
    const char *path, *title, *subtitle;
    const char *const *groups; /* along the axis */
    size_t group_count;
    const char *const *series; /* by colour */
    size_t series_count;
    const struct chart_value *values; /* group by group, in each one by series */
    double baseline;                  /* a line that means "the same as"; 0: none */
    int digits;                       /* after the point */
};

void chart_bars(const struct chart *chart);
void chart_lines(const struct chart *chart);

#endif
