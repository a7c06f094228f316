/*
 * The main comparison: every workload, with each size of content, one request at a time and 16 at a time.
 */
#include "basics.h"
#include "runner.h"
#include "sections.h"

void judge_ratios(struct results *results, const struct setting *setting, unsigned wanted) {
    struct compared compared;
    for (size_t cursor = 0; results_compare(results, setting, &cursor, &compared);) {
        const struct comparison *comparison = compared.comparison;
        double limit = comparison->limits[setting->size];
        if (limit == 0 || (compared.measurement->workload->traits & wanted) != wanted) continue;
        results_bar(results,
                    print_text("%s, %s, to %s", setting->label, comparison->workload, comparison->against),
                    compared.ratio.median, limit, "x");
    }
}

static void measure_size(const struct section *section, const struct options *options,
                         struct results *results, struct server *server, unsigned size) {
    static const unsigned pipelines[] = {1, PIPELINE};
    struct dataset *data = dataset_open(server, size, sizes[size].objects, sizes[size].bytes);
    for (size_t index = 0; index < sizeof pipelines / sizeof *pipelines; index++) {
        const struct setting *setting = setting_keep((struct setting){
            .section = section->name,
            .title = print_text("%s, pipeline %u", sizes[size].label, pipelines[index]),
            .label = sizes[size].label,
            .size = size,
            .objects = data->objects,
            .pipeline = pipelines[index],
        });
        struct run run = run_open(server, options, results);
        run_add(&run, setting, data, 0, size ? SMALL_ONLY | APART : APART);
        run_measure(&run);
        if (setting->pipeline == PIPELINE) judge_ratios(results, setting, 0);
    }
    dataset_close(data);
}

void measure_ratios(const struct section *section, const struct options *options, struct results *results) {
    struct server *server = server_start(options, "");
    for (unsigned size = 0; size < SIZES; size++) measure_size(section, options, results, server, size);
    server_stop(server);
}
