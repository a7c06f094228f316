/* Datasets, their objects, and the list of all workloads. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTORIES = 1000, FILL_PIPELINE = 16 };

/* Of 64 KiB few enough for the whole to stay far below 500 MB. */
const struct size sizes[SIZES] = {{100, 1000, "100 B"}, {4096, 1000, "4 KiB"}, {65536, 1024, "64 KiB"}};

static const char first_token[] = "000000000000000000";

/* The same numbers in every run. */
static uint64_t random_next(uint64_t *state) {
    *state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

/* "417/000000006239": a path in one of many folders, as names in a store are. */
static void object_name_write(char *name, unsigned object, uint64_t *random) {
    char text[NAME_BYTES + 1];
    snprintf(text, sizeof(text), "%03u/%012u", (unsigned)(random_next(random) % DIRECTORIES), object);
    memcpy(name, text, NAME_BYTES);
}

void letters_write(char *text, size_t length, uint64_t random) {
    for (size_t i = 0; i < length; i++) text[i] = (char)('a' + random_next(&random) % 26);
}

struct dataset *dataset_open(const struct server *server, unsigned database, unsigned objects, size_t bytes) {
    uint64_t random = objects;
    struct dataset *data = allocate(1, sizeof(*data));
    for (unsigned i = 0; i < CONNECTIONS; i++) data->connections[i] = connection_open(server, database);
    data->objects = objects;
    data->bytes = bytes;
    data->content = allocate(bytes, 1);
    data->names = allocate(objects, NAME_BYTES);
    data->order = allocate(objects, sizeof(*data->order));
    letters_write(data->content, bytes, random);
    for (unsigned object = 0; object < objects; object++)
        object_name_write(data->names[object], object, &random);
    dataset_shuffle(data, random);
    return data;
}

void dataset_shuffle(struct dataset *data, uint64_t random) {
    for (unsigned object = 0; object < data->objects; object++) {
        unsigned place = (unsigned)(random_next(&random) % (object + 1));
        data->order[object] = data->order[place];
        data->order[place] = object;
    }
}

void dataset_close(struct dataset *data) {
    while (data->object_sets) {
        struct object_set *object_set = data->object_sets;
        data->object_sets = object_set->next;
        free(object_set->tokens);
        free(object_set);
    }
    for (unsigned i = 0; i < CONNECTIONS; i++) connection_close(data->connections[i]);
    free(data->content);
    free(data->names);
    free(data->order);
    free(data);
}

static struct object_set *object_set_find(struct dataset *data, const struct workload *filler) {
    struct object_set *object_set = data->object_sets;
    while (object_set && object_set->filler != filler) object_set = object_set->next;
    return object_set;
}

void commands_call(struct connection *connection, const char *commands) {
    for (char *command; (command = list_next(&commands)); free(command)) connection_call(connection, command);
}

struct object_set *dataset_prepare(struct dataset *data, const struct workload *filler) {
    struct object_set *object_set = allocate(1, sizeof(*object_set));
    *object_set = (struct object_set){.filler = filler, .next = data->object_sets};
    object_set->tokens = allocate(data->objects, TOKEN_BYTES);
    for (unsigned object = 0; object < data->objects; object++)
        memcpy(object_set->tokens[object], first_token, TOKEN_BYTES);
    data->object_sets = object_set;
    if (filler->creates) commands_call(data->connections[0], filler->creates);
    if (filler->prepare) filler->prepare(data);
    return object_set;
}

struct object_set *dataset_fill(struct dataset *data, const struct workload *filler) {
    struct object_set *object_set = object_set_find(data, filler);
    if (object_set) return object_set;
    object_set = dataset_prepare(data, filler);
    struct driver driver = driver_open(filler, data, object_set, FILL_PIPELINE, CONNECTIONS);
    driver_visit(&driver, data->objects);
    driver_close(&driver);
    return object_set;
}

/* --- Places in a large object --- */

struct offsets offsets_within(uint64_t bytes, unsigned step, unsigned span) {
    struct offsets offsets = {.step = step, .span = span};
    unsigned digits = 1;
    for (uint64_t least = 1; digits <= OFFSET_BYTES && least + span <= bytes; least *= 10, digits++) {
        uint64_t first = (least + step - 1) / step * step;
        uint64_t end = bytes < least * 10 ? bytes : least * 10; /* no byte that is meant lies behind it */
        if (first + span > end) continue;
        uint64_t count = (end - span - first) / step + 1;
        if (count < offsets.count) continue;
        offsets.first = first;
        offsets.count = count;
        offsets.digits = digits;
    }
    require(offsets.count, "%llu bytes have no places", (unsigned long long)bytes);
    return offsets;
}

/* --- All workloads --- */

const struct family *const families[] = {&native_family, &bare_family,        &blob_family,  &lock_family,
                                         &lease_family,  &large_blob_family,  &queue_family, &storage_family,
                                         &feed_family,   &transaction_family, &hash_family,  &table_family,
                                         &file_family};
const size_t family_count = ARRAY_SIZE(families);

const struct workload *workload_named(const char *name) {
    for (size_t i = 0; i < family_count; i++) {
        for (size_t number = 0; number < families[i]->workload_count; number++) {
            const struct workload *workload = &families[i]->workloads[number];
            if (text_is(workload->name, name)) return workload;
        }
    }
    give_up("there is no workload '%s'", name);
}

const struct family *family_of(const struct workload *workload) {
    for (size_t i = 0; i < family_count; i++) {
        const struct family *family = families[i];
        for (size_t number = 0; number < family->workload_count; number++)
            if (workload == &family->workloads[number]) return family;
    }
    give_up("'%s' is in no family", workload->name);
}
