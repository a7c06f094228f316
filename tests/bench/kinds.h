/*
 * The objects that the workloads of the section `kinds` share, and that the section makes.
 */
#ifndef BENCH_KINDS_H
#define BENCH_KINDS_H

/* A string, as large as to matter and no larger. */
#define LARGE_STRING "string"
enum { LARGE_STRING_BYTES = 64 << 20 };

/* No multiple of what pieces of a blob have, so that ranges begin anywhere. */
enum { PLACES_APART = 1000 };

/* Containers of append blobs with the dataset's names, and of page blobs. */
#define SMALL_APPENDS "small"
#define LARGE_APPENDS "large"
#define LARGE_BLOB    "whole" /* in the container of large ones */
#define PAGE_BLOBS    "pages"
#define SMALL_PAGES   "small"
#define VAST_PAGES    "vast"

enum { PAGE_BYTES = 512, SMALL_PAGES_BYTES = 1 << 20 };
#define VAST_PAGES_BYTES (8LL << 30)

#endif
