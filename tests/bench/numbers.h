/* Medians, quartiles and percentiles: a single slow round cannot move them. */
#ifndef BENCH_NUMBERS_H
#define BENCH_NUMBERS_H

#include <stddef.h>

struct spread {
    double median, low, high; /* low and high are the quartiles */
};

struct spread spread_of(const double *values, size_t count);

/* The value below which that share of the values lies. Sorts them. */
double percentile(double *values, size_t count, double share);

/* The spread of the ratios, taken round by round: what disturbs a whole round disturbs both sides. */
struct spread spread_of_ratios(const double *values, const double *references, size_t count);

double lesser(double left, double right);
double greater(double left, double right);

#endif
