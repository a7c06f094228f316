#include "server/call/refusal.h"

#include "core/number.h"
#include "server/call/sample_reply.h"

#include <stdarg.h>
#include <stdio.h>

enum { SHOWN_WORD_MAX = 40, WORD_SHOWN_BYTES = 2 * SHOWN_WORD_MAX };

static unsigned long long counts[OUTCOME_COUNT];

unsigned long long refusal_count(enum outcome outcome) {
    return counts[outcome];
}

void refusal_show_word(struct bytes word, char *text, size_t size) {
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    for (size_t i = 0; i < word.length && i < SHOWN_WORD_MAX && used + 5 <= size; i++) {
        unsigned char c = (unsigned char)word.data[i];
        if (c >= 0x20 && c < 0x7f && c != '\\' && c != '"') {
            text[used++] = (char)c;
        } else {
            memcpy(text + used, (char[]){'\\', 'x', digits[c >> 4], digits[c & 15]}, 4);
            used += 4;
        }
    }
    text[used] = '\0';
}

static void put_quoted(struct text *text, const char *quote, struct bytes word, size_t size) {
    char shown[CALL_NOTE_BYTES];
    refusal_show_word(word, shown, size_min(size, sizeof(shown)));
    text_put(text, quote);
    text_put(text, shown);
    text_put(text, quote);
}

void refusal_put_owner(struct text *text, const char *preposition, struct bytes owner, size_t size) {
    if (!owner.length) return;
    text_put(text, preposition);
    put_quoted(text, "\"", owner, size);
}

void refusal_note(struct call *call, const char *reason) {
    struct text text = text_start(call->note, sizeof(call->note));
    text_put(&text, reason);
}

enum outcome refusal_because_format(struct call *call, enum outcome outcome, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(call->note, sizeof(call->note), format, values);
    va_end(values);
    return outcome;
}

static void note_word(struct call *call, const char *reason, struct bytes word) {
    struct text text = text_start(call->note, sizeof(call->note));
    text_put(&text, reason);
    text_put(&text, ": ");
    put_quoted(&text, "'", word, WORD_SHOWN_BYTES);
}

enum outcome refusal_of_word(struct call *call, enum outcome outcome, struct bytes word) {
    note_word(call, outcome_text(outcome)->text, word);
    return outcome;
}

/* How the list looks with its count: "META needs a count: META 1 name value". */
static void note_count(struct text *text, const struct clause *clause) {
    const char *token = clause->token.length ? clause->token.data : "the list";
    text_put(text, ": ");
    text_put(text, token);
    text_put(text, " needs a count: ");
    text_put(text, clause->token.length ? token : "");
    text_put(text, clause->token.length ? " 1" : "1");
    if (clause->words) {
        text_put(text, " ");
        text_put(text, clause->words[0]);
    }
    if (clause->shape == SHAPE_WORDS) return;
    for (int i = 0; i < CLAUSE_MAX_WIDTH && clause->names[i]; i++) {
        text_put(text, " ");
        text_put(text, clause->names[i]);
    }
}

static void note_syntax(struct call *call, const struct fault *fault) {
    struct text text = text_start(call->note, sizeof(call->note));
    text_put(&text, "syntax error near ");
    put_quoted(&text, "'", call_word(call, fault->at), WORD_SHOWN_BYTES);
    if (fault->uncounted) note_count(&text, fault->uncounted);
}

enum outcome refusal_of_command(struct call *call, const struct command *command) {
    return refusal_because_format(call, OUTCOME_NOT_PERMITTED,
                                  "this user has no permissions to run '%s' on its keys", command->name);
}

enum outcome refusal_of_option(struct call *call, int slot) {
    note_syntax(call, &(struct fault){.at = args_option_at(call->command->grammar, &call->args, slot)});
    return OUTCOME_SYNTAX;
}

/* What the clause takes, where the shape of the value says it. */
static const char *kind_of_value(const struct clause *clause) {
    switch (clause->shape) {
    case SHAPE_ID: return "a GUID";
    case SHAPE_VERSION: return "0x and 16 hexadecimal digits";
    case SHAPE_RANGE: return "an offset, and a length from 1 on or -1";
    case SHAPE_DURATION: return "seconds with at most three decimals";
    case SHAPE_NUMBER:
    case SHAPE_MEASURE: return "a whole number";
    case SHAPE_VALUE: return clause->max ? "text" : NULL;
    default: return NULL;
    }
}

static void put_bound(struct text *text, const char *preposition, int64_t bound, bool in_ms) {
    char number[32];
    snprintf(number, sizeof(number), "%.15g", in_ms ? (double)bound / 1000 : (double)bound);
    text_put(text, preposition);
    text_put(text, number);
}

/* " from 1 to 1000", " of 1 to 256 bytes"; seconds from 0 on need no lower bound, and -1 of them has its own word. */
static void put_bounds(struct text *text, const struct clause *clause) {
    bool in_ms = clause->shape == SHAPE_DURATION, open = clause->max == INT64_MAX;
    bool in_bytes = clause->shape == SHAPE_VALUE;
    if (in_ms && clause->min < 0) text_put(text, ", or -1");
    if (in_ms) text_put(text, open ? "" : ",");
    if (!in_ms || clause->min > 1) put_bound(text, in_bytes ? " of " : " from ", clause->min, in_ms);
    if (!open) put_bound(text, in_ms && clause->min <= 1 ? " up to " : " to ", clause->max, in_ms);
    if (!in_ms && open) text_put(text, " to 9223372036854775807");
    if (in_bytes) text_put(text, " bytes");
}

/* Its text does not say which value is wrong, or how. */
static bool is_general(enum outcome outcome) {
    return outcome == OUTCOME_INVALID_VALUE || outcome == OUTCOME_INVALID_QUERY ||
           outcome == OUTCOME_OUT_OF_RANGE || outcome == OUTCOME_INVALID_RANGE ||
           outcome == OUTCOME_INVALID_PAGE_RANGE || outcome == OUTCOME_ROW_COUNT;
}

/* "BLOCK takes seconds with at most three decimals, up to 604800, not 'x'" */
static bool note_value(struct call *call, const struct fault *fault) {
    const struct clause *clause = fault->clause;
    const char *kind = kind_of_value(clause);
    if (!kind || !is_general(fault->outcome)) return false;
    struct text text = text_start(call->note, sizeof(call->note));
    text_put(&text, clause->token.length ? clause->token.data : clause->names[0]);
    text_put(&text, " takes ");
    text_put(&text, kind);
    if (clause->max) put_bounds(&text, clause);
    text_put(&text, ", not ");
    put_quoted(&text, "'", call_word(call, fault->at), WORD_SHOWN_BYTES);
    return true;
}

static enum outcome describe_missing(struct call *call, const struct fault *fault) {
    if (fault->outcome != OUTCOME_SYNTAX) return fault->outcome;
    return refusal_because_format(call, OUTCOME_SYNTAX, "syntax error: %s is missing",
                                  fault->missing->token.data);
}

enum outcome refusal_describe(struct call *call, const struct fault *fault) {
    if (fault->missing) return describe_missing(call, fault);
    if (fault->outcome == OUTCOME_SYNTAX)
        note_syntax(call, fault);
    else if (!note_value(call, fault))
        note_word(call, fault->reason ? fault->reason : outcome_text(fault->outcome)->text,
                  call_word(call, fault->at));
    return fault->outcome;
}

void refusal_describe_object(struct call *call, const struct stamp *object, const char *noun) {
    char etag[VERSION_TEXT_LENGTH];
    struct text text = text_start(call->note, sizeof(call->note));
    text_put(&text, "the ");
    text_put(&text, noun);
    text_put(&text, object ? "'s ETag is " : " does not exist");
    if (!object) return;
    version_write(object->etag, etag);
    text_put_bytes(&text, etag, sizeof(etag));
    if (call->conditions.given & (IF_MATCH | IF_NONE_MATCH)) return;
    text_put(&text, ", last modified at ");
    text_put_number(&text, (uint64_t)object->modified_ms, 1);
}

void refusal_note_place(struct call *call, unsigned place, enum outcome outcome, const char *note) {
    char whole[CALL_NOTE_BYTES];
    struct text text = text_start(whole, sizeof(whole));
    text_put_number(&text, place, 1);
    text_put(&text, ": ");
    text_put(&text, note[0] ? note : outcome_text(outcome)->text);
    memcpy(call->note, whole, sizeof(whole));
}

/* Refusals are everyday answers, so they are put together without the cost of a format. */
void refusal_reply(struct reply *out, enum outcome outcome, const char *note) {
    if (outcome == OUTCOME_UNCHANGED) {
        reply_null(out);
        return;
    }
    if (sample_reply_given(out->ctx)) return; /* not counted: nobody was refused */
    counts[outcome]++;
    const struct outcome_text *refusal = outcome_text(outcome);
    char error[256];
    struct text text = text_start(error, sizeof(error));
    text_put(&text, refusal->beginning);
    text_put(&text, note[0] ? note : refusal->text);
    reply_error(out, error);
}
