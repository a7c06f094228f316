/*
 * Queues, next to streams and to queues that libraries make of a sorted set, a hash and scripts: what a message costs
 * from its put to its deletion, with few messages there and with very many; bytes per message; messages that come due
 * all at once; and how long a put takes to reach a consumer that waits.
 */
#include "queues.h"

#include "basics.h"
#include "queue_courses.h"
#include "race.h"

enum { HANDS = 8192, BATCHED_HANDS = 256, DEPTHS = 4 };
#define FLAT_AT_MOST 1.3

/* --- A message's life --- */

static void measure_ratio(const struct part *part) {
    struct server *server = server_start(part->options, LARGE_BATCHES);
    struct dataset *data = dataset_open(server, 0, sizes[0].objects, MESSAGE_BYTES);
    struct race race = {.part = part, .server = server, .data = data};
    const struct setting *setting =
        part_setting(part, sizes[0].label,
                     print_text("messages of %s, pipeline %d", sizes[0].label, PIPELINE), data->objects);
    race_add(&race, setting, &queue_family, &queue_life, "queue", HANDS);
    race_add(&race, setting, &queue_family, &stream_life, "stream", HANDS);
    race_add(&race, setting, &queue_family, &script_life, "set", HANDS);
    race_add(&race, setting, &queue_family, &list_life, "list", HANDS);
    race_add(&race, setting, &queue_family, &queue_put, "queue:put", HANDS)->starts_anew = true;
    race_add(&race, setting, &queue_family, &stream_put, "stream:put", HANDS)->starts_anew = true;
    race_add(&race, setting, &native_family, &set_again, "", HANDS);
    struct racer *batch = race_add(&race, setting, &queue_family, &queue_batch, "queue:batch", BATCHED_HANDS);
    batch->filler = &queue_put;
    batch = race_add(&race, setting, &queue_family, &stream_batch, "stream:batch", BATCHED_HANDS);
    batch->filler = &stream_put;
    race_run(&race);
    judge_ratios(part->results, setting, 0);
    dataset_close(data);
    server_stop(server);
}

/* --- Few messages and very many --- */

static const struct depth {
    unsigned messages;
    const char *label;
} depths[DEPTHS] = {
    {1000, "a thousand"}, {100000, "100 thousand"}, {MILLION, "a million"}, {5 * MILLION, "5 million"}};

/* Each depth has a key of its own, all in one server. The last and the first are compared. */
static void measure_depths(const struct part *part, const struct course *course, const struct course *filler,
                           const char *what, unsigned count, double limit) {
    struct server *server = server_start(part->options, "");
    struct dataset *data = dataset_open(server, 0, sizes[0].objects, MESSAGE_BYTES);
    struct race race = {.part = part, .server = server, .data = data};
    const struct setting *settings[DEPTHS];
    for (unsigned index = 0; index < count; index++) {
        const struct depth *depth = &depths[index];
        char *key = print_text("depth:%u", depth->messages);
        settings[index] = part_setting(part, sizes[0].label, print_text("%s messages %s", depth->label, what),
                                       depth->messages);
        struct racer *racer = race_add(&race, settings[index], &queue_family, course, key, HANDS);
        race_fill(&race, filler, key, depth->messages);
        racer->troop->sent_out = depth->messages + PIPELINE;
    }
    race_run(&race);
    struct spread growth = results_growth(results_find(part->results, settings[0], course->name),
                                          results_find(part->results, settings[count - 1], course->name));
    char *name = print_text("%s with %s messages %s, to %s", course->name, depths[count - 1].label, what,
                            depths[0].label);
    part_tell(part, name, growth.median, "x");
    if (limit != 0) results_bar(part->results, name, growth.median, limit, "x");
    dataset_close(data);
    server_stop(server);
}

void measure_queues(const struct section *section, const struct options *options, struct results *results) {
    struct part part = part_of(section, options, results);
    measure_ratio(&part);
    unsigned count = part.is_quick ? DEPTHS - 1 : DEPTHS;
    measure_depths(&part, &queue_life, &queue_put, "visible", count, FLAT_AT_MOST);
    measure_depths(&part, &queue_life, &queue_put_later, "invisible", count, FLAT_AT_MOST);
    /* To fill these takes long, and there is no bar. */
    measure_depths(&part, &script_life, &script_put, "visible", count - 1, 0);
    measure_queue_memory(&part);
    measure_queue_due(&part);
    measure_queue_delay(&part);
}
