#include "course.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"

enum { COMMAND_BYTES = 8192, DIGITS = 20 };

static void number_write(struct request *request, char kind, uint64_t number) {
    char digits[DIGITS];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    request->bytes[request->length++] = kind;
    memcpy(request->bytes + request->length, digits + at, sizeof digits - at);
    request->length += sizeof digits - at;
    memcpy(request->bytes + request->length, "\r\n", 2);
    request->length += 2;
}

void request_begin(struct request *request, size_t words) {
    number_write(request, '*', words);
}

void request_word(struct request *request, const char *bytes, size_t length) {
    number_write(request, '$', length);
    memcpy(request->bytes + request->length, bytes, length);
    memcpy(request->bytes + request->length + length, "\r\n", 2);
    request->length += length + 2;
}

void request_text(struct request *request, const char *text) {
    request_word(request, text, strlen(text));
}

void request_number(struct request *request, uint64_t number) {
    char text[DIGITS + 1];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    request_text(request, text);
}

void word_keep(char *to, size_t *length, const struct reply *part) {
    require(part->kind == '$' && part->length <= HELD_BYTES, "what should be an id is none");
    memcpy(to, part->text, part->length);
    *length = part->length;
}

struct troop *troop_open(const struct course *course, const struct dataset *data, const char *key) {
    struct troop *troop = take(1, sizeof *troop);
    troop->course = course;
    troop->data = data;
    snprintf(troop->key, sizeof troop->key, "%s", key);
    troop->room = take((size_t)PIPELINE * STEPS_AT_MOST, COMMAND_BYTES);
    return troop;
}

void troop_close(struct troop *troop) {
    free(troop->room);
    free(troop);
}

static void squad_send(struct troop *troop, unsigned which) {
    struct squad *squad = &troop->squads[which];
    const struct step *step = troop->course->steps[squad->step];
    struct request request = {.bytes = troop->room};
    for (unsigned index = 0; index < PIPELINE; index++) step->write(troop, &squad->hands[index], &request);
    wire_send(troop->data->wires[which], request.bytes, request.length);
}

static void squad_start(struct troop *troop, unsigned which) {
    struct squad *squad = &troop->squads[which];
    squad->is_busy = true;
    squad->step = 0;
    for (unsigned index = 0; index < PIPELINE; index++) {
        squad->hands[index].batch = troop->course->batch;
        squad->hands[index].number = ++troop->sent_out;
    }
    squad_send(troop, which);
}

/* What the replies bring is kept, and the next step begins, if there is one. */
static void squad_go_on(struct troop *troop, unsigned which) {
    struct squad *squad = &troop->squads[which];
    const struct step *step = troop->course->steps[squad->step];
    for (unsigned index = 0; index < PIPELINE; index++) {
        for (unsigned command = 0; command < step->commands; command++) {
            struct reply reply = wire_receive(troop->data->wires[which], troop->key);
            require(step->read(&squad->hands[index], &reply),
                    "%s: step %u was answered by something unexpected", troop->key, squad->step + 1);
        }
    }
    squad->is_busy = troop->course->steps[++squad->step];
    if (squad->is_busy) squad_send(troop, which);
}

void troop_run(struct troop *troop, uint64_t hands) {
    bool is_anybody_busy = true;
    for (uint64_t started = 0; is_anybody_busy;) {
        is_anybody_busy = false;
        for (unsigned which = 0; which < CONNECTIONS; which++) {
            struct squad *squad = &troop->squads[which];
            if (squad->is_busy) squad_go_on(troop, which);
            if (!squad->is_busy && started < hands) {
                squad_start(troop, which);
                started += PIPELINE;
            }
            is_anybody_busy = is_anybody_busy || squad->is_busy;
        }
    }
}
