#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "basics.h"
#include "sections.h"

enum { LARGE_MB = 1024, LARGE_MB_QUICK = 512, LARGE_MB_LEAST = 64, LARGE_MB_MOST = 16384 };
enum { ROUNDS = 50, ROUNDS_QUICK = 9, ROUNDS_AT_MOST = 1000, SLICE_MS = 25, SLICE_MS_QUICK = 25 };

static const char usage[] =
    "usage: holdfast-bench [--quick] [--rounds N] [--only SECTION] [--large MB]\n"
    "                      [--strict] [--output FOLDER]\n"
    "  --quick    fewer and shorter rounds\n"
    "  --rounds   how often each workload is measured (50)\n"
    "  --only     one section alone, see below\n"
    "  --large    how large the large blobs of the section 'kinds' are (1024, quick: 512); it takes as much\n"
    "             memory and half as much again\n"
    "  --strict   end with status 1 when a bar is missed\n"
    "  --output   where results and charts go (HOLDFAST_TMP, or build/bench)\n"
    "environment: HOLDFAST_MODULE (build/holdfast.so), HOLDFAST_SERVER (redis-server)\n"
    "sections:\n";

static void show_usage(FILE *file) {
    fputs(usage, file);
    for (size_t index = 0; index < section_count; index++) {
        fprintf(file, "  %-10s %s\n", sections[index].name, sections[index].title);
    }
}

static const char *environment(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static void make_folders(const char *path) {
    char *partial = print_text("%s", path);
    for (char *slash = strchr(partial + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(partial, 0777);
        *slash = '/';
    }
    require(!mkdir(partial, 0777) || errno == EEXIST, "cannot make the folder %s: %s", path, strerror(errno));
    free(partial);
}

static char *absolute_path(const char *path, const char *what) {
    char *absolute = realpath(path, NULL);
    require(absolute, "%s %s: %s", what, path, strerror(errno));
    return absolute;
}

static unsigned number_read(const char *option, const char *text, long least, long most) {
    char *end;
    long number = strtol(text, &end, 10);
    require(*text && !*end && number >= least && number <= most, "--%s takes %ld to %ld", option, least,
            most);
    return (unsigned)number;
}

static void require_section(const char *name) {
    for (size_t index = 0; index < section_count; index++) {
        if (text_is(sections[index].name, name)) return;
    }
    show_usage(stderr);
    give_up("there is no section '%s'", name);
}

struct options options_read(int count, char **words) {
    static const struct option known[] = {
        {"quick", no_argument, NULL, 'q'},      {"rounds", required_argument, NULL, 'r'},
        {"only", required_argument, NULL, 'o'}, {"large", required_argument, NULL, 'l'},
        {"strict", no_argument, NULL, 's'},     {"output", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0},
    };
    struct options options = {.rounds = ROUNDS, .slice_ms = SLICE_MS};
    const char *output = environment("HOLDFAST_TMP", "build/bench");
    int option;
    while ((option = getopt_long(count, words, "h", known, NULL)) != -1) {
        switch (option) {
        case 'q':
            options.rounds = ROUNDS_QUICK;
            options.slice_ms = SLICE_MS_QUICK;
            break;
        case 'r': options.rounds = number_read("rounds", optarg, 1, ROUNDS_AT_MOST); break;
        case 'l': options.large_mb = number_read("large", optarg, LARGE_MB_LEAST, LARGE_MB_MOST); break;
        case 'o': options.only = optarg; break;
        case 's': options.strict = true; break;
        case 'f': output = optarg; break;
        case 'h': show_usage(stdout); exit(0);
        default: show_usage(stderr); exit(STATUS_COULD_NOT_RUN);
        }
    }
    if (!options.large_mb) options.large_mb = options.rounds < QUICK_BELOW ? LARGE_MB_QUICK : LARGE_MB;
    require(optind == count, "what is '%s'? --help tells what is understood", words[optind]);
    if (options.only) require_section(options.only);
    make_folders(output);
    options.output = absolute_path(output, "the output folder");
    options.module = absolute_path(environment("HOLDFAST_MODULE", "build/holdfast.so"), "the module");
    options.server = environment("HOLDFAST_SERVER", "redis-server");
    return options;
}
