/*
 * Measures the module next to what one would use in its place, on one server and in one run.
 *
 * What counts is the processor time that an operation costs the server, as a ratio to a native command that
 * moves the same bytes: a ratio of neighbours says more than a number of operations per second, which is a
 * number about a machine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basics.h"
#include "report.h"
#include "sections.h"

static const char *machine_name(void) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    const char *model = "an unknown processor";
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) != 0 || !strchr(line, ':')) continue;
        line[strcspn(line, "\n")] = '\0';
        model = print_text("%s", strchr(line, ':') + 2);
        break;
    }
    if (file) fclose(file);
    return print_text("%s, %ld processors", model, sysconf(_SC_NPROCESSORS_ONLN));
}

static const char *version_of(const struct options *options) {
    struct server *server = server_start(options, "");
    char *version = server_info(server, "redis_version");
    server_stop(server);
    return print_text("%s %s", options->server, version);
}

static void report_write(const struct results *results, const struct options *options, const char *name,
                         void (*report)(const struct results *results, FILE *file)) {
    /* By renaming, since standard output may be on its way into a file of the same name. */
    char *path = print_text("%s/%s", options->output, name), *partial = print_text("%s.partial", path);
    FILE *file = fopen(partial, "w");
    require(file, "cannot write %s: %s", partial, strerror(errno));
    report(results, file);
    require(!fclose(file) && !rename(partial, path), "cannot write %s: %s", path, strerror(errno));
    free(path);
    free(partial);
}

int main(int count, char **words) {
    struct options options = options_read(count, words);
    struct results results = {.machine = machine_name(), .server_version = version_of(&options)};
    for (size_t index = 0; index < section_count; index++) {
        const struct section *section = &sections[index];
        if (options.only && !text_is(options.only, section->name)) continue;
        fprintf(stderr, "measuring %s: %s\n", section->name, section->title);
        section->measure(section, &options, &results);
    }
    report_text(&results, stdout);
    report_write(&results, &options, "results.txt", report_text);
    report_write(&results, &options, "results.json", report_json);
    report_charts(&results, options.output);
    return options.strict && results_missed(&results) ? STATUS_BARS_MISSED : 0;
}
