/* The TABLE.* commands on tables as a whole: creation, policies, indexes. */
#include "table/redis/table_commands.h"

#include "server/call/form.h"
#include "table/name_set.h"

enum outcome table_create_decide(struct call *call) {
    if (call->value) return OUTCOME_TABLE_EXISTS;
    table_decide(call, TABLE_CREATE);
    return call_done(call);
}

enum outcome table_drop_decide(struct call *call) {
    if (!call->value)
        return refusal_because(call, OUTCOME_RESOURCE_NOT_FOUND, outcome_text(OUTCOME_TABLE_NOT_FOUND)->text);
    table_decide(call, TABLE_DROP);
    return call_done(call);
}

enum outcome table_getacl_decide(struct call *call) {
    reply_policies(&call->out, packed_view(((const struct table *)call->value)->policies));
    return OUTCOME_DONE;
}

enum outcome table_setacl_decide(struct call *call) {
    struct table_change *change = table_decide(call, TABLE_SETACL);
    change->policies = call->policies.list;
    return call_done(call);
}

/* --- Indexes --- */

static struct bytes name_at(const struct call *call, int number) {
    return call_word(call, ARG_NAMES + number);
}

/* Whether the last two arguments are ONCE and a token, after any number of names. */
static bool ends_with_once(const struct call *call) {
    return bytes_same_word(call_word(call, call->argc - 2), bytes_text("ONCE"));
}

/* The names end before ONCE and its token. */
static int name_count(const struct call *call) {
    return call->argc - ARG_NAMES - (args_given(&call->args, SLOT_ONCE) ? 2 : 0);
}

static enum outcome parse_tail(struct call *call) {
    const int tail = call->argc - 2;
    return tail > ARG_NAMES && ends_with_once(call) ? form_check_tail(call, tail) : OUTCOME_DONE;
}

enum outcome table_names_check(struct call *call) {
    enum outcome tail = parse_tail(call);
    if (tail != OUTCOME_DONE) return tail;
    for (int i = 0; i < name_count(call); i++) {
        enum outcome outcome = property_name_check(name_at(call, i));
        if (outcome != OUTCOME_DONE) return refusal_of_word(call, outcome, name_at(call, i));
        if (filter_subject_of(name_at(call, i)) != SUBJECT_PROPERTY)
            return refusal_of_word(call, OUTCOME_NOT_INDEXED, name_at(call, i));
    }
    return OUTCOME_DONE;
}

/* The call's names that have, or have not, an index; each once. */
static struct packed_list pick_names(struct call *call, bool indexed) {
    struct record_writer *writer = call_writer(call);
    struct packed_list names = {0, {"", 0}};
    struct name_set seen;
    name_set_start(&seen);
    for (int i = 0; i < name_count(call) && seen.count < NAME_SET_MAX; i++) {
        struct bytes name = name_at(call, i);
        if (!!table_index_of(call->value, name) != indexed || !name_set_add(&seen, name)) continue;
        record_put_bytes(writer, name);
        names.count++;
    }
    names.items = record_written(writer);
    return names;
}

static enum outcome decide_names(struct call *call, enum table_change_kind kind, struct packed_list names) {
    if (names.count) {
        struct table_change *change = table_decide(call, kind);
        change->names = names;
    }
    return call_done(call);
}

enum outcome table_index_decide(struct call *call) {
    const struct table *table = call->value;
    struct packed_list names = pick_names(call, false);
    if (table->index_count + names.count <= TABLE_INDEXES_MAX) return decide_names(call, TABLE_INDEX, names);
    return refusal_because_format(call, OUTCOME_INVALID_INPUT, "a table has at most %d indexes",
                                  TABLE_INDEXES_MAX);
}

enum outcome table_unindex_decide(struct call *call) {
    for (int i = 0; i < name_count(call); i++)
        if (!table_index_of(call->value, name_at(call, i)))
            return refusal_of_word(call, OUTCOME_INDEX_NOT_FOUND, name_at(call, i));
    return decide_names(call, TABLE_UNINDEX, pick_names(call, true));
}

enum outcome table_indexes_decide(struct call *call) {
    const struct table *table = call->value;
    reply_array(&call->out, table->index_count);
    for (unsigned i = 0; i < table->index_count; i++) reply_bytes(&call->out, table->indexes[i].name);
    return OUTCOME_DONE;
}
