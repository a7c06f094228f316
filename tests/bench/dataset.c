#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"

enum { DIRECTORIES = 1000, FILL_PIPELINE = 16 };

/* Of 64 KiB few enough for the whole to stay far below 500 MB. */
const struct size sizes[SIZES] = {{100, 10000, "100 B"}, {4096, 10000, "4 KiB"}, {65536, 1024, "64 KiB"}};

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
static void name_write(char *name, unsigned object, uint64_t *random) {
    char text[NAME_BYTES + 1];
    snprintf(text, sizeof text, "%03u/%012u", (unsigned)(random_next(random) % DIRECTORIES), object);
    memcpy(name, text, NAME_BYTES);
}

struct dataset *dataset_open(const struct server *server, unsigned database, unsigned objects, size_t bytes) {
    uint64_t random = objects;
    struct dataset *data = take(1, sizeof *data);
    for (unsigned index = 0; index < CONNECTIONS; index++) data->wires[index] = wire_open(server, database);
    data->objects = objects;
    data->bytes = bytes;
    data->content = take(bytes, 1);
    data->names = take(objects, NAME_BYTES);
    data->order = take(objects, sizeof *data->order);
    for (size_t index = 0; index < bytes; index++)
        data->content[index] = (char)('a' + random_next(&random) % 26);
    for (unsigned object = 0; object < objects; object++) {
        name_write(data->names[object], object, &random);
        unsigned place = (unsigned)(random_next(&random) % (object + 1));
        data->order[object] = data->order[place];
        data->order[place] = object;
    }
    return data;
}

void dataset_close(struct dataset *data) {
    while (data->stocks) {
        struct stock *stock = data->stocks;
        data->stocks = stock->next;
        free(stock->tokens);
        free(stock);
    }
    for (unsigned index = 0; index < CONNECTIONS; index++) wire_close(data->wires[index]);
    free(data->content);
    free(data->names);
    free(data->order);
    free(data);
}

static struct stock *stock_find(struct dataset *data, const struct workload *filler) {
    struct stock *stock = data->stocks;
    while (stock && stock->filler != filler) stock = stock->next;
    return stock;
}

struct stock *dataset_empty_stock(struct dataset *data, const struct workload *filler) {
    struct stock *stock = take(1, sizeof *stock);
    *stock = (struct stock){.filler = filler, .next = data->stocks};
    stock->tokens = take(data->objects, TOKEN_BYTES);
    for (unsigned object = 0; object < data->objects; object++) {
        memcpy(stock->tokens[object], first_token, TOKEN_BYTES);
    }
    data->stocks = stock;
    if (filler->prepare) filler->prepare(data);
    return stock;
}

struct stock *dataset_stock(struct dataset *data, const struct workload *filler) {
    struct stock *stock = stock_find(data, filler);
    if (stock) return stock;
    stock = dataset_empty_stock(data, filler);
    struct lane lane = lane_open(filler, data, stock, FILL_PIPELINE, CONNECTIONS);
    lane_visit(&lane, data->objects);
    lane_close(&lane);
    return stock;
}
