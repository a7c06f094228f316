/* What a run writes: a page on standard output; results.txt with all tables; results.json for programs; charts. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "results.h"

void report_page(const struct results *results, FILE *file);
void report_text(const struct results *results, FILE *file);
void report_json(const struct results *results, FILE *file);
void report_charts(const struct results *results, const char *folder);

#endif
