/* Parsing the commands that write entities: from argv to operations. */
#include "table/redis/drafts.h"

#include "core/text.h"
#include "server/call/form.h"
#include "server/call/refusal.h"
#include "table/filter_parser.h"
#include "table/name_set.h"

#include <inttypes.h>

enum { ARG_OPERATIONS = 4 };

/* --- Keys --- */

/* In a query or lookup, where keys are part of a URL, the storage service reports forbidden characters
 * by another code. */
enum outcome table_lookup_key_check(struct bytes key) {
    enum outcome outcome = key_check(key);
    return outcome == OUTCOME_KEY_CHARACTER ? OUTCOME_KEY_UNUSABLE : outcome;
}

/* A key that is being looked up is in its stored form already. */
static void put_key(const struct call *call, struct bytes row, struct drafts *drafts, struct draft *draft) {
    struct record_writer *buffer = drafts->buffer;
    const struct catalog_search *lookup = call_searched(call, row);
    draft->key_at = buffer->length;
    if (lookup)
        record_put_raw(buffer, lookup->name);
    else
        stored_key_put(buffer, call_word(call, ARG_PARTITION), row);
    draft->key_length = buffer->length - draft->key_at;
}

/* --- Properties --- */

/* Callers may write back what they have read: PartitionKey, RowKey and Timestamp are skipped if the keys
 * are the same. */
static enum outcome check_system_property(const struct call *call, enum filter_subject subject,
                                          struct bytes row, struct bytes text) {
    struct bytes partition = call_word(call, ARG_PARTITION);
    bool other = (subject == SUBJECT_PARTITION && !bytes_equal(text, partition)) ||
                 (subject == SUBJECT_ROW && !bytes_equal(text, row));
    return other ? OUTCOME_OTHER_KEY : OUTCOME_DONE;
}

static enum outcome read_property(struct call *call, struct bytes row, int at, struct drafts *drafts,
                                  struct draft *draft, struct name_set *names) {
    struct property property;
    enum value_type type;
    struct bytes text = call_word(call, at + 1);
    enum outcome outcome = property_name_read(call_word(call, at), &property.name, &type);
    if (outcome != OUTCOME_DONE) return outcome;
    name_set_add(names, property.name);
    enum filter_subject subject = filter_subject_of(property.name);
    if (subject != SUBJECT_PROPERTY) {
        drafts->skipped_bytes += text.length;
        return check_system_property(call, subject, row, text);
    }
    /* The text of a double may be much longer than its packed form. */
    if (type == VALUE_DOUBLE) drafts->skipped_bytes += text.length;
    outcome = value_read(type, text, &property.value);
    if (outcome != OUTCOME_DONE) return outcome;
    property_put(drafts->buffer, &property);
    draft->property_count++;
    return OUTCOME_DONE;
}

static struct packed_list properties_of(const struct drafts *drafts, const struct draft *draft) {
    return (struct packed_list){draft->property_count, bytes_of(drafts->buffer->data + draft->properties_at,
                                                                draft->properties_length)};
}

static struct bytes draft_key(const struct drafts *drafts, const struct draft *draft) {
    return bytes_of(drafts->buffer->data + draft->key_at, draft->key_length);
}

static enum outcome read_draft_properties(struct call *call, const struct argument *pairs, struct bytes row,
                                          struct drafts *drafts, struct draft *draft) {
    struct name_set names;
    name_set_start(&names);
    draft->properties_at = drafts->buffer->length;
    drafts->measured = true;
    for (int i = 0; i < pairs->count; i++) {
        enum outcome outcome = read_property(call, row, pairs->at + 2 * i, drafts, draft, &names);
        if (outcome != OUTCOME_DONE)
            return refusal_of_word(call, outcome, call_word(call, pairs->at + 2 * i));
        if (draft->property_count > PROPERTIES_MAX) return OUTCOME_TOO_MANY_PROPERTIES;
    }
    draft->properties_length = drafts->buffer->length - draft->properties_at;
    if (names.count < (size_t)pairs->count) return OUTCOME_DUPLICATE_PROPERTIES;
    return entity_check_size(draft_key(drafts, draft), properties_of(drafts, draft));
}

/* --- Conditions --- */

enum outcome filter_read(struct call *call, struct bytes text, struct filter *filter) {
    struct filter_fault fault;
    if (filter_compile(text, filter, &fault)) return OUTCOME_DONE;
    return refusal_because_format(call, fault.outcome, "at %zu: %s", fault.position, fault.text);
}

static enum outcome read_conditions(struct call *call, const struct args *args, struct drafts *drafts,
                                    struct draft *draft) {
    draft->match = args->slots[SLOT_MATCH].tag;
    if (draft->match.kind == TAG_MALFORMED)
        return refusal_because(call, OUTCOME_INVALID_INPUT, "IFMATCH takes an ETag or *");
    if (!args_given(args, SLOT_IF)) return OUTCOME_DONE;
    struct filter filter;
    draft->condition = call_word(call, args->slots[SLOT_IF].at);
    drafts->skipped_bytes += draft->condition.length;
    enum outcome outcome = filter_read(call, draft->condition, &filter);
    if (outcome == OUTCOME_DONE) filter_end(&filter);
    return outcome;
}

/* --- Operations --- */

static enum outcome read_draft(struct call *call, enum verb verb, const struct args *args, int row_at,
                               struct drafts *drafts) {
    struct draft *draft = &drafts->items[drafts->count++];
    struct bytes row = call_word(call, row_at);
    *draft = (struct draft){.verb = verb, .match = {.kind = TAG_ANY}};
    put_key(call, row, drafts, draft);
    enum outcome outcome = OUTCOME_DONE;
    if (verb_is_conditional(verb)) outcome = read_conditions(call, args, drafts, draft);
    if (outcome != OUTCOME_DONE || !verb_has_properties(verb)) return outcome;
    return read_draft_properties(call, &args->slots[SLOT_ENTITY], row, drafts, draft);
}

static bool request_fits(const struct call *call) {
    size_t bytes = 0;
    for (int at = ARG_PARTITION; at < call->argc; at++) bytes += call_word(call, at).length;
    return bytes <= FORM_BYTES_MAX;
}

/* They last as long as the call. */
static struct drafts *start_reading(struct call *call, size_t operations, bool numbered) {
    struct drafts *drafts = call_alloc(call, sizeof(*drafts) + operations * sizeof(drafts->items[0]));
    *drafts = (struct drafts){.buffer = call_writer(call), .numbered = numbered, .measured = numbered};
    call->form = drafts;
    return drafts;
}

/* A request that is too large is refused for that, whatever else is wrong with it. Small ones are not measured. */
static enum outcome end_reading(struct call *call, const struct drafts *drafts, enum outcome outcome) {
    bool is_small =
        outcome == OUTCOME_DONE && drafts->buffer->length + drafts->skipped_bytes < FORM_BYTES_MAX / 2;
    bool counts = drafts->measured && outcome != OUTCOME_SYNTAX;
    if (is_small || !counts || request_fits(call)) return outcome;
    return refusal_because(call, OUTCOME_BODY_TOO_LARGE, "all arguments together have at most 4 MiB");
}

enum outcome drafts_read_one(struct call *call, enum verb verb) {
    struct drafts *drafts = start_reading(call, 1, false);
    return end_reading(call, drafts, read_draft(call, verb, &call->args, ARG_ROW, drafts));
}

static int verb_named(const struct command *command, struct bytes word) {
    for (int verb = 0; verb < VERBS; verb++)
        if (bytes_same_word(bytes_text(command->parts[verb].word), word)) return verb;
    return -1;
}

/* Whether an operation may end before this word: at the next one, or at the options behind the last. */
static bool ends_operation(const struct command *command, struct bytes word) {
    return verb_named(command, word) >= 0 || args_begins_option(command->grammar, word);
}

/* Reads the next operation, from *at on. After a fault in an earlier one only syntax errors count. */
static enum outcome read_next_draft(struct call *call, int *at, enum outcome earlier, struct drafts *drafts) {
    struct args args;
    int verb = *at < call->argc ? verb_named(call->command, call_word(call, *at)) : -1, start = *at;
    struct fault fault = {.outcome = OUTCOME_SYNTAX, .at = start < call->argc ? start : call->argc - 1};
    if (verb >= 0)
        args_parse_part(call->command->parts[verb].grammar, call->argv, call->argc, start, &args, &fault, at);
    bool stopped = fault.missing && *at < call->argc && !ends_operation(call->command, call_word(call, *at));
    if (stopped) fault = (struct fault){.outcome = OUTCOME_SYNTAX, .at = *at};
    bool counts = earlier == OUTCOME_DONE || fault.outcome == OUTCOME_SYNTAX;
    if (!counts) return earlier;
    if (fault.outcome == OUTCOME_DONE) return read_draft(call, (enum verb)verb, &args, start + 1, drafts);
    if (fault.outcome != OUTCOME_SYNTAX) drafts->count++;
    call->note[0] = '\0';
    if (start < call->argc)
        refusal_describe(call, &fault);
    else
        refusal_because_format(call, fault.outcome,
                               "syntax error: the batch has fewer than %" PRId64 " operations",
                               call->args.slots[SLOT_OPERATIONS].number);
    return fault.outcome;
}

/* The number of the first operation on an entity that an earlier one names; 0 when there is none. */
static unsigned find_duplicate(const struct drafts *drafts) {
    for (unsigned second = 1; second < drafts->count; second++)
        for (unsigned first = 0; first < second; first++)
            if (bytes_equal(draft_key(drafts, &drafts->items[first]),
                            draft_key(drafts, &drafts->items[second])))
                return second;
    return 0;
}

/* Reads the options behind the operations. */
static enum outcome read_tail(struct call *call, int at, enum outcome earlier) {
    struct fault fault;
    enum outcome outcome =
        args_parse_tail(call->command->grammar, call->argv, call->argc, at, &call->args, &fault);
    bool counts = earlier == OUTCOME_DONE || outcome == OUTCOME_SYNTAX;
    if (outcome == OUTCOME_DONE || !counts) return earlier;
    call->note[0] = '\0';
    return refusal_describe(call, &fault);
}

static enum outcome read_all(struct call *call, struct drafts *drafts) {
    enum outcome outcome = OUTCOME_DONE;
    int at = ARG_OPERATIONS;
    for (int64_t left = call->args.slots[SLOT_OPERATIONS].number; left; left--) {
        bool first_fault = outcome == OUTCOME_DONE;
        outcome = read_next_draft(call, &at, outcome, drafts);
        if (outcome == OUTCOME_SYNTAX) return outcome;
        if (outcome != OUTCOME_DONE && first_fault) drafts_note(call, drafts, drafts->count - 1, outcome);
    }
    return at < call->argc ? read_tail(call, at, outcome) : outcome;
}

enum outcome drafts_read_batch(struct call *call) {
    struct drafts *drafts = start_reading(call, (size_t)call->args.slots[SLOT_OPERATIONS].number, true);
    enum outcome outcome = end_reading(call, drafts, read_all(call, drafts));
    unsigned duplicate = outcome == OUTCOME_DONE ? find_duplicate(drafts) : 0;
    if (!duplicate) return outcome;
    drafts_note(call, drafts, duplicate, OUTCOME_DUPLICATE_ROW);
    return OUTCOME_DUPLICATE_ROW;
}

struct operation draft_operation(const struct drafts *drafts, const struct draft *draft) {
    return (struct operation){
        .verb = draft->verb,
        .key = draft_key(drafts, draft),
        .match = draft->match,
        .properties = properties_of(drafts, draft),
    };
}

void drafts_note(struct call *call, const struct drafts *drafts, unsigned number, enum outcome outcome) {
    if (drafts->numbered) refusal_note_place(call, number, outcome, call->note);
}
