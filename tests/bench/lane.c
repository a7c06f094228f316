#define _GNU_SOURCE
#include "workload.h"

#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"

enum { REPLY_BYTES_SHOWN = 80 };

/* Bytes that no command contains. */
const char name_mark[NAME_BYTES] = "\001name\001\001\001\001\001\001\001\001\001\001";
const char token_mark[TOKEN_BYTES] = "\001token\001\001\001\001\001\001\001\001\001\001\001";

static void gaps_find(struct form *form, size_t from, const char *mark, size_t bytes, bool is_token) {
    char *found;
    while ((found = memmem(form->bytes + from, form->length - from, mark, bytes))) {
        require(form->gap_count < GAPS_AT_MOST, "a form has too many gaps");
        from = (size_t)(found - form->bytes);
        form->gaps[form->gap_count++] = (struct gap){.at = from, .is_token = is_token};
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
    gaps_find(form, before, name_mark, sizeof name_mark, false);
    gaps_find(form, before, token_mark, sizeof token_mark, true);
    form->commands++;
}

struct lane lane_open(const struct workload *workload, struct dataset *data, struct stock *stock,
                      unsigned pipeline, unsigned connections) {
    struct lane lane = {
        .workload = workload, .data = data, .stock = stock, .pipeline = pipeline, .connections = connections};
    workload->form(data, &lane.form);
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

static void request_write(struct lane *lane, unsigned object, char *request) {
    const struct form *form = &lane->form;
    for (unsigned index = 0; index < form->gap_count; index++) {
        const struct gap *gap = &form->gaps[index];
        if (gap->is_token)
            memcpy(request + gap->at, lane->stock->tokens[object], TOKEN_BYTES);
        else
            memcpy(request + gap->at, lane->data->names[object], NAME_BYTES);
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
    for (unsigned index = 0; index < count; index++) {
        request_write(lane, objects[index], lane->requests + index * lane->form.length);
    }
    wire_send(lane->data->wires[connection], lane->requests, count * lane->form.length);
    lane->batches[connection].objects = objects;
    lane->batches[connection].count = count;
    lane->position += count;
}

static void batch_receive(struct lane *lane, unsigned connection) {
    const unsigned *objects = lane->batches[connection].objects;
    for (unsigned index = 0; index < lane->batches[connection].count; index++) {
        for (unsigned command = 0; command < lane->form.commands; command++)
            reply_check(lane, lane->data->wires[connection], objects[index]);
    }
    lane->batches[connection].count = 0;
}

uint64_t lane_run(struct lane *lane, int64_t nanoseconds) {
    uint64_t operations = 0;
    int64_t end = monotonic_ns() + nanoseconds;
    for (unsigned connection = 0; monotonic_ns() < end; connection = (connection + 1) % lane->connections) {
        batch_receive(lane, connection);
        /* All that is in flight are different objects, so that the token that a reply brings is there before
         * it is needed. */
        if (lane->position + lane->pipeline > lane->data->objects) lane->position = 0;
        batch_send(lane, connection, lane->pipeline);
        operations += lane->pipeline;
    }
    for (unsigned connection = 0; connection < lane->connections; connection++)
        batch_receive(lane, connection);
    return operations;
}

void lane_visit(struct lane *lane, unsigned count) {
    require(lane->position + count <= lane->data->objects, "there are not so many objects");
    for (unsigned connection = 0; count; connection = (connection + 1) % lane->connections) {
        unsigned now = count < lane->pipeline ? count : lane->pipeline;
        batch_receive(lane, connection);
        batch_send(lane, connection, now);
        count -= now;
    }
    for (unsigned connection = 0; connection < lane->connections; connection++)
        batch_receive(lane, connection);
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

bool is_token(struct lane *lane, unsigned object, const struct reply *reply) {
    if (reply->kind != '$' || reply->length != TOKEN_BYTES) return false;
    memcpy(lane->stock->tokens[object], reply->text, TOKEN_BYTES);
    return true;
}
