#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile_of(const double *sorted, size_t count, double share) {
    double place = share * (double)(count - 1);
    size_t below = (size_t)floor(place);
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

double percentile(double *values, size_t count, double share) {
    qsort(values, count, sizeof(*values), compare_doubles);
    return quantile_of(values, count, share);
}

static struct spread spread_by_sorting(double *values, size_t count) {
    qsort(values, count, sizeof(*values), compare_doubles);
    return (struct spread){.median = quantile_of(values, count, 0.5),
                           .low = quantile_of(values, count, 0.25),
                           .high = quantile_of(values, count, 0.75)};
}

struct spread spread_of(const double *values, size_t count) {
    double *copy = allocate(count, sizeof(*copy));
    memcpy(copy, values, count * sizeof(*copy));
    struct spread spread = spread_by_sorting(copy, count);
    free(copy);
    return spread;
}

struct spread spread_of_ratios(const double *values, const double *references, size_t count) {
    double *ratios = allocate(count, sizeof(*ratios));
    for (size_t i = 0; i < count; i++) ratios[i] = values[i] / references[i];
    struct spread spread = spread_by_sorting(ratios, count);
    free(ratios);
    return spread;
}

double lesser(double left, double right) {
    return left < right ? left : right;
}

double greater(double left, double right) {
    return left > right ? left : right;
}
