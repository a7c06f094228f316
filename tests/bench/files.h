/*
 * What the workloads and courses of the section `files` share, and its parts.
 */
#ifndef BENCH_FILES_H
#define BENCH_FILES_H

#include "part.h"

#define SHARE "share"
enum { FOLDERS = 1000 };

/* Very many handles that end together. */
void measure_file_endings(const struct part *part);

#endif
