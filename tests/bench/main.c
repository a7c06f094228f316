/* Measures the module next to what one would use in its place, on one server and in one run.
 *
 * What counts is the processor time that an operation costs the server, as a ratio to a native command that
 * moves the same bytes: a ratio of neighbours says more than a number of operations per second, which is a
 * number about a machine. */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ccan/array_size/array_size.h"
#include "processes.h"
#include "report.h"
#include "server.h"

/* --- Sections --- */

const struct section sections[] = {
#define SECTION(name, subject, title) {#name, title, measure_##name, subject},
#include "sections.h"
#undef SECTION
};
const size_t section_count = ARRAY_SIZE(sections);

/* --- Options --- */

enum { LARGE_MB = 1024, LARGE_MB_QUICK = 512, LARGE_MB_MIN = 64, LARGE_MB_MAX = 16384 };
enum { ROUNDS = 50, ROUNDS_QUICK = 9, ROUNDS_MAX = 1000 };

static const char usage[] =
    "usage: holdfast-bench [--quick] [--rounds N] [--only SECTION] [--large MB]\n"
    "                      [--strict] [--output FOLDER]\n"
    "  --quick    fewer rounds, fewer objects\n"
    "  --rounds   how often each workload is measured (50)\n"
    "  --only     these sections alone, with commas between them, see below; of one it prints the tables\n"
    "  --large    how many MiB a blob of the section 'large_blobs' has (1024, quick: 512); it takes as much\n"
    "             memory and half as much again\n"
    "  --strict   end with status 1 when a bar is missed\n"
    "  --output   where results and charts go (HOLDFAST_TMP, or build/bench)\n"
    "environment: HOLDFAST_MODULE (build/holdfast.so), HOLDFAST_BARE (build/bench/bare.so), HOLDFAST_SERVER\n"
    "  (redis-server)\n"
    "sections:\n";

static void show_usage(FILE *file) {
    fputs(usage, file);
    for (size_t i = 0; i < section_count; i++)
        fprintf(file, "  %-12s %s\n", sections[i].name, sections[i].title);
}

static const char *environment_or(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static char *absolute_path(const char *path, const char *what) {
    char *absolute = realpath(path, NULL);
    require(absolute, "%s %s: %s", what, path, strerror(errno));
    return absolute;
}

static unsigned number_read(const char *option, const char *text, long min, long max) {
    char *end;
    long number = strtol(text, &end, 10);
    require(*text && !*end && number >= min && number <= max, "--%s takes %ld to %ld", option, min, max);
    return (unsigned)number;
}

/* Whether a list of names with commas between them has that name, or there is no list. */
static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *word = list; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL)
        if (strcspn(word, ",") == length && !memcmp(word, name, length)) return true;
    return !list;
}

/* Gives up unless there are as many sections of those names as there are names. */
static void require_sections(const char *list) {
    size_t names = 1, found = 0;
    for (const char *comma = strchr(list, ','); comma; comma = strchr(comma + 1, ',')) names++;
    for (size_t i = 0; i < section_count; i++) found += is_listed(list, sections[i].name);
    if (names == found) return;
    show_usage(stderr);
    give_up("not all of these are sections: %s", list);
}

static struct options options_read(int count, char **words) {
    static const struct option known[] = {
        {"quick", no_argument, NULL, 'q'},      {"rounds", required_argument, NULL, 'r'},
        {"only", required_argument, NULL, 'o'}, {"large", required_argument, NULL, 'l'},
        {"strict", no_argument, NULL, 's'},     {"output", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0},
    };
    struct options options = {.rounds = ROUNDS};
    const char *output = environment_or("HOLDFAST_TMP", "build/bench");
    int option;
    while ((option = getopt_long(count, words, "h", known, NULL)) != -1) {
        switch (option) {
        case 'q': options.rounds = ROUNDS_QUICK; break;
        case 'r': options.rounds = number_read("rounds", optarg, 1, ROUNDS_MAX); break;
        case 'l': options.large_mb = number_read("large", optarg, LARGE_MB_MIN, LARGE_MB_MAX); break;
        case 'o': options.only = optarg; break;
        case 's': options.strict = true; break;
        case 'f': output = optarg; break;
        case 'h': show_usage(stdout); exit(0);
        default: show_usage(stderr); exit(STATUS_COULD_NOT_RUN);
        }
    }
    if (!options.large_mb) options.large_mb = options.rounds < QUICK_BELOW ? LARGE_MB_QUICK : LARGE_MB;
    require(optind == count, "what is '%s'? --help tells what is understood", words[optind]);
    if (options.only) require_sections(options.only);
    folder_make(output);
    options.output = absolute_path(output, "the output folder");
    options.module = absolute_path(environment_or("HOLDFAST_MODULE", "build/holdfast.so"), "the module");
    options.bare = absolute_path(environment_or("HOLDFAST_BARE", "build/bench/bare.so"), "the bare module");
    options.server = environment_or("HOLDFAST_SERVER", "redis-server");
    return options;
}

/* --- The run --- */

static const char *machine_name(void) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    const char *model = "an unknown processor";
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "model name", 10) != 0 || !strchr(line, ':')) continue;
        line[strcspn(line, "\n")] = '\0';
        model = format_text("%s", strchr(line, ':') + 2);
        break;
    }
    if (file) fclose(file);
    return format_text("%s, %ld processors", model, sysconf(_SC_NPROCESSORS_ONLN));
}

static const char *version_of(const struct options *options) {
    struct server *server = server_start(options, "");
    char *version = server_info(server, "redis_version");
    server_stop(server);
    return format_text("%s %s", options->server, version);
}

static void report_write(const struct results *results, const struct options *options, const char *name,
                         void (*report)(const struct results *results, FILE *file)) {
    /* By renaming, since standard output may be on its way into a file of the same name. */
    char *path = format_text("%s/%s", options->output, name), *partial = format_text("%s.partial", path);
    FILE *file = fopen(partial, "w");
    require(file, "cannot write %s: %s", partial, strerror(errno));
    report(results, file);
    require(!fclose(file) && !rename(partial, path), "cannot write %s: %s", path, strerror(errno));
    free(path);
    free(partial);
}

/* What was measured so far, and the section that is under way, if any: for the end of a run that could not go on. */
static struct {
    struct options options;
    struct results results;
    const struct section *section;
} current;

static void report_all(void) {
    const struct options *options = &current.options;
    report_write(&current.results, options, "results.txt", report_text);
    report_write(&current.results, options, "results.json", report_json);
    report_charts(&current.results, options->output);
    bool is_one = options->only && !strchr(options->only, ',');
    (is_one ? report_text : report_page)(&current.results, stdout);
    printf("All numbers: %s/results.txt and results.json; charts: *.svg there\n", options->output);
}

static void report_unfinished(void) {
    if (!current.section || !current.results.bar_count) return;
    const char *name = current.section->name;
    current.section = NULL;
    report_all();
    printf("NOT WHOLE: the run ended in section '%s'\n", name);
}

static void section_measure(const struct section *section) {
    const struct context context = {section, &current.options, &current.results,
                                    current.options.rounds < QUICK_BELOW};
    int64_t before_ns = monotonic_ns();
    fprintf(stderr, "measuring %s: %s", section->name, section->title);
    current.section = section;
    section->measure(&context);
    current.section = NULL;
    fprintf(stderr, " (%.0f s)\n", (double)(monotonic_ns() - before_ns) / 1e9);
}

int main(int count, char **words) {
    current.options = options_read(count, words);
    current.results =
        (struct results){.machine = machine_name(), .server_version = version_of(&current.options)};
    atexit(report_unfinished);
    for (size_t i = 0; i < section_count; i++)
        if (is_listed(current.options.only, sections[i].name)) section_measure(&sections[i]);
    report_all();
    return current.options.strict && results_missed(&current.results) ? STATUS_BARS_MISSED : 0;
}
