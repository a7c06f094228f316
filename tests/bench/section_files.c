/*
 * Files: contents, next to strings; handles and locks of ranges, next to locks that are made of SET NX PX and a script.
 */
#include "files.h"

#include "basics.h"
#include "file_courses.h"
#include "race.h"
#include "runner.h"

enum { HANDS = 8192, COUNTS = 4 };
#define FLAT_AT_MOST       1.3
#define FLAT_LOCKS_AT_MOST 2

/* --- Contents --- */

static void measure_contents(const struct part *part) {
    const struct size *size = &sizes[1];
    struct server *server = server_start(part->options, "");
    struct dataset *data = dataset_open(server, 0, size->objects, size->bytes);
    struct setting setting = *part_setting(
        part, size->label, print_text("files of %s, pipeline %d", size->label, PIPELINE), size->objects);
    setting.size = 1;
    const struct setting *kept = setting_keep(setting);
    struct run run = run_open(server, part->options, part->results);
    run_add(&run, kept, data, FILES, 0);
    run_measure(&run);
    judge_ratios(part->results, kept, 0);
    dataset_close(data);
    server_stop(server);
}

/* --- Handles and locks --- */

static void measure_handles(const struct part *part) {
    struct server *server = server_start(part->options, "");
    struct dataset *data = dataset_open(server, 0, sizes[0].objects, sizes[0].bytes);
    struct race race = {.part = part, .server = server, .data = data};
    const struct setting *setting =
        part_setting(part, "handles", print_text("handles and locks, pipeline %d", PIPELINE), data->objects);
    race_add(&race, setting, &file_family, &file_open_close, "opened", HANDS);
    race_fill(&race, &file_fill, "opened", data->objects);
    race_add(&race, setting, &file_family, &file_lock_own, "locked", HANDS);
    race_add(&race, setting, &file_family, &file_lock_same, "locked:same", HANDS);
    race_add(&race, setting, &file_family, &string_lock_unlock, "", HANDS);
    race_run(&race);
    judge_ratios(part->results, setting, 0);
    dataset_close(data);
    server_stop(server);
}

/* --- Few and very many --- */

/* What grows, and how far it may make a course dearer. The first and the last are compared. */
struct growth {
    const struct course *course;
    const char *what; /* there are of it */
    unsigned counts[COUNTS], count;
    double limit;
    /* How many files the dataset has; 0: as many as is counted. */
    unsigned files;
    void (*add)(struct server *server, const char *share, unsigned count); /* may be NULL */
};

static const struct growth growths[] = {
    {&file_open_close, "files", {1000, 10000, 100000, MILLION}, 4, FLAT_AT_MOST, 0, NULL},
    {&file_open_close, "handles of other files", {10, 1000, 100000}, 3, FLAT_AT_MOST, 10000, handles_open},
    {&file_lock_same, "locks of the same file", {1, 100, 10000}, 3, FLAT_LOCKS_AT_MOST, 1000, locks_take},
};

/* Each count has a share of its own, all in one server. */
static void measure_growth_of(const struct part *part, const struct growth *growth) {
    struct server *server = server_start(part->options, "");
    struct race race = {.part = part, .server = server};
    struct dataset *data[COUNTS] = {0};
    const struct setting *settings[COUNTS] = {0};
    for (unsigned index = 0; index < growth->count; index++) {
        unsigned count = growth->counts[index];
        const char *share = print_text("share:%u", count);
        data[index] = dataset_open(server, 0, growth->files ? growth->files : count, sizes[0].bytes);
        race.data = data[index];
        settings[index] = part_setting(part, NULL, print_text("%u %s", count, growth->what), count);
        race_add(&race, settings[index], &file_family, growth->course, share, HANDS);
        race_fill(&race, &file_fill, share, data[index]->objects);
        if (growth->add) growth->add(server, share, count);
    }
    race_run(&race);
    const char *name = growth->course->name;
    unsigned last = growth->count - 1;
    struct spread grown = results_growth(results_find(part->results, settings[0], name),
                                         results_find(part->results, settings[last], name));
    part_judge(
        part, print_text("%s with %u %s, to %u", name, growth->counts[last], growth->what, growth->counts[0]),
        grown.median, growth->limit, "x");
    for (unsigned index = 0; index < growth->count; index++) dataset_close(data[index]);
    server_stop(server);
}

void measure_files(const struct section *section, const struct options *options, struct results *results) {
    struct part part = part_of(section, options, results);
    measure_contents(&part);
    measure_handles(&part);
    growth_measure(section, options, results, INSERTS_FILES, GROWS_FILES);
    for (size_t index = 0; index < sizeof growths / sizeof *growths; index++)
        measure_growth_of(&part, &growths[index]);
    measure_file_endings(&part);
}
