/*
 * A median with its quartiles: what one slow moment of the machine cannot move.
 */
#ifndef BENCH_STATISTICS_H
#define BENCH_STATISTICS_H

#include <stddef.h>

struct spread {
    double median, low, high; /* low and high are the quartiles */
};

struct spread spread_of(const double *values, size_t count);

/* The value below which that share of them lies. Sorts them. */
double share_of(double *values, size_t count, double share);

/* Of the quotients, round by round: what disturbs a whole round disturbs both sides. */
struct spread spread_of_ratios(const double *values, const double *references, size_t count);

double lesser(double left, double right);
double greater(double left, double right);

#endif
