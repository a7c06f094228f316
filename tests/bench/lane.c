#define _GNU_SOURCE
#include "workload.h"

#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"

enum { REPLY_BYTES_SHOWN = 80 };

/* Bytes that no command contains, and no zeros: they can be printed. */
const char name_mark[NAME_BYTES] = "\001name\001\001\001\001\001\001\001\001\001\001";
const char token_mark[TOKEN_BYTES] = "\001token\001\001\001\001\001\001\001\001\001\001\001\001";

const char folder_mark[FOLDER_BYTES] = "\001in";
const char file_mark[FILE_BYTES] = "\001file\001\001\001\001\001\001\001";

const char place_mark[PLACE_BYTES] = "\001at\001\001\001\001\001\001\001";
const char last_mark[PLACE_BYTES] = "\001to\001\001\001\001\001\001\001";

/* No multiple of it is a number of places, so that as many objects as there are places have different ones. */
#define FAR_APART 2654435761u

static void gaps_find(struct form *form, size_t from, const char *mark, size_t bytes, enum gap_kind kind) {
    char *found;
    unsigned number = 0;
    for (unsigned index = 0; index < form->gap_count; index++) number += form->gaps[index].kind == kind;
    while ((found = memmem(form->bytes + from, form->length - from, mark, bytes))) {
        require(form->gap_count < GAPS_AT_MOST, "a form has too many gaps");
        from = (size_t)(found - form->bytes);
        form->gaps[form->gap_count++] = (struct gap){.at = from, .kind = kind, .number = number};
        number++;
        from += bytes;
    }
}

void form_print(struct form *form, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *command;
    int length = redisvFormatCommand(&command, format, arguments);
    va_end(arguments);
    require(length > 0, "cannot format '%s'", format);
    size_t before = form->length;
    form->length += (size_t)length;
    form->bytes = realloc(form->bytes, form->length);
    if (!form->bytes) give_up("out of memory");
    memcpy(form->bytes + before, command, (size_t)length);
    redisFreeCommand(command);
    gaps_find(form, before, name_mark, sizeof name_mark, GAP_NAME);
    gaps_find(form, before, folder_mark, sizeof folder_mark, GAP_FOLDER);
    gaps_find(form, before, file_mark, sizeof file_mark, GAP_FILE);
    gaps_find(form, before, token_mark, sizeof token_mark, GAP_TOKEN);
    form->commands++;
}

void form_open_places(struct form *form, const struct places *places) {
    gaps_find(form, 0, place_mark, places->digits, GAP_PLACE);
    gaps_find(form, 0, last_mark, places->digits, GAP_LAST);
}

struct places places_within(uint64_t bytes, unsigned step, unsigned span) {
    struct places places = {.step = step, .span = span};
    unsigned digits = 1;
    for (uint64_t least = 1; digits <= PLACE_BYTES && least + span <= bytes; least *= 10, digits++) {
        uint64_t first = (least + step - 1) / step * step;
        uint64_t end = bytes < least * 10 ? bytes : least * 10; /* no byte that is meant lies behind it */
        if (first + span > end) continue;
        uint64_t count = (end - span - first) / step + 1;
        if (count < places.count) continue;
        places.first = first;
        places.count = count;
        places.digits = digits;
    }
    require(places.count, "%llu bytes have no places", (unsigned long long)bytes);
    return places;
}

struct lane lane_open(const struct workload *workload, struct dataset *data, struct stock *stock,
                      unsigned pipeline, unsigned connections) {
    struct lane lane = {.workload = workload,
                        .data = data,
                        .stock = stock,
                        .pipeline = pipeline,
                        .batch = workload->batch ? workload->batch : 1,
                        .connections = connections};
    workload->form(data, &lane.form);
    if (workload->places) {
        lane.places = workload->places(data);
        form_open_places(&lane.form, &lane.places);
    }
    lane.requests = take(pipeline, lane.form.length);
    for (unsigned index = 0; index < pipeline; index++) {
        memcpy(lane.requests + index * lane.form.length, lane.form.bytes, lane.form.length);
    }
    return lane;
}

void lane_close(struct lane *lane) {
    free(lane->form.bytes);
    free(lane->requests);
}

static uint64_t place_of(const struct places *places, unsigned object) {
    return places->first + object * (uint64_t)FAR_APART % places->count * places->step;
}

static void digits_write(char *text, uint64_t number, unsigned digits) {
    for (; digits; number /= 10) text[--digits] = (char)('0' + number % 10);
}

static void gap_fill(const struct lane *lane, unsigned object, const struct gap *gap, char *to) {
    const struct places *places = &lane->places;
    const char *name = lane->data->names[object];
    switch (gap->kind) {
    case GAP_NAME: memcpy(to, name, NAME_BYTES); break;
    case GAP_FOLDER: memcpy(to, name, FOLDER_BYTES); break;
    case GAP_FILE: memcpy(to, name + NAME_BYTES - FILE_BYTES, FILE_BYTES); break;
    case GAP_TOKEN: memcpy(to, lane->stock->tokens[object], TOKEN_BYTES); break;
    case GAP_PLACE: digits_write(to, place_of(places, object), places->digits); break;
    case GAP_LAST: digits_write(to, place_of(places, object) + places->span - 1, places->digits); break;
    case GAP_KINDS: break;
    }
}

/* Of the gaps of a kind each is for the next one of the objects, and then again for the first. */
static void request_write(const struct lane *lane, const unsigned *objects, char *request) {
    const struct form *form = &lane->form;
    for (unsigned index = 0; index < form->gap_count; index++) {
        const struct gap *gap = &form->gaps[index];
        gap_fill(lane, objects[gap->number % lane->batch], gap, request + gap->at);
    }
}

static void reply_check(struct lane *lane, struct wire *wire, unsigned object) {
    const char *name = lane->workload->name;
    struct reply reply = wire_receive_any(wire);
    if (lane->workload->is_expected(lane, object, &reply)) return;
    int shown = reply.length < REPLY_BYTES_SHOWN ? (int)reply.length : REPLY_BYTES_SHOWN;
    give_up("%s was answered by something unexpected: %c%.*s", name, reply.kind,
            reply.kind == '*' ? 0 : shown, reply.text);
}

static void batch_send(struct lane *lane, unsigned connection, unsigned count) {
    const unsigned *objects = lane->data->order + lane->position;
    unsigned requests = count / lane->batch;
    for (unsigned index = 0; index < requests; index++) {
        request_write(lane, objects + (size_t)index * lane->batch,
                      lane->requests + index * lane->form.length);
    }
    wire_send(lane->data->wires[connection], lane->requests, requests * lane->form.length);
    lane->batches[connection].objects = objects;
    lane->batches[connection].count = count;
    lane->position += count;
}

static void batch_receive(struct lane *lane, unsigned connection) {
    const unsigned *objects = lane->batches[connection].objects;
    for (unsigned index = 0; index < lane->batches[connection].count; index += lane->batch) {
        lane->answered = objects + index;
        for (unsigned command = 0; command < lane->form.commands; command++)
            reply_check(lane, lane->data->wires[connection], lane->answered[command % lane->batch]);
    }
    lane->batches[connection].count = 0;
}

uint64_t lane_run(struct lane *lane, int64_t nanoseconds) {
    uint64_t operations = 0;
    unsigned count = lane->pipeline * lane->batch;
    int64_t end = monotonic_ns() + nanoseconds;
    for (unsigned connection = 0; monotonic_ns() < end; connection = (connection + 1) % lane->connections) {
        batch_receive(lane, connection);
        /* All that is in flight are different objects, so that the token that a reply brings is there before
         * it is needed. */
        if (lane->position + count > lane->data->objects) lane->position = 0;
        batch_send(lane, connection, count);
        operations += count;
    }
    for (unsigned connection = 0; connection < lane->connections; connection++)
        batch_receive(lane, connection);
    return operations;
}

void lane_visit(struct lane *lane, unsigned count) {
    require(lane->position + count <= lane->data->objects, "there are not so many objects");
    require(count % lane->batch == 0, "%s takes %u objects at a time", lane->workload->name, lane->batch);
    for (unsigned connection = 0; count; connection = (connection + 1) % lane->connections) {
        unsigned most = lane->pipeline * lane->batch, now = count < most ? count : most;
        batch_receive(lane, connection);
        batch_send(lane, connection, now);
        count -= now;
    }
    for (unsigned connection = 0; connection < lane->connections; connection++)
        batch_receive(lane, connection);
}

uint64_t lane_circle(struct lane *lane, unsigned times) {
    for (unsigned time = 0; time < times; time++) {
        lane->position = 0;
        lane_visit(lane, lane->data->objects);
    }
    return (uint64_t)times * lane->data->objects;
}

bool is_anything(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)lane;
    (void)object;
    return reply->kind != '-';
}

bool is_ok(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)lane;
    (void)object;
    return reply->kind == '+';
}

bool is_integer(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)lane;
    (void)object;
    return reply->kind == ':';
}

bool is_content(struct lane *lane, unsigned object, const struct reply *reply) {
    (void)object;
    return reply->kind == '$' && reply->length == lane->data->bytes;
}

bool is_etag_and_content(struct lane *lane, unsigned object, const struct reply *reply) {
    if (reply->kind != '*' || reply->length != 2) return false;
    struct reply etag = reply_element(reply, 0);
    struct reply content = reply_element(reply, 1);
    return etag.length == TOKEN_BYTES && !memcmp(etag.text, lane->stock->tokens[object], TOKEN_BYTES) &&
           is_content(lane, object, &content);
}

bool is_token(struct lane *lane, unsigned object, const struct reply *reply) {
    if (reply->kind != '$' || reply->length != TOKEN_BYTES) return false;
    memcpy(lane->stock->tokens[object], reply->text, TOKEN_BYTES);
    return true;
}
