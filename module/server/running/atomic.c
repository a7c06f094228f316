#include "server/running/atomic.h"

#include "core/memory.h"
#include "core/number.h"
#include "core/targets.h"
#include "server/base/info.h"
#include "server/call/form.h"
#include "server/call/limits.h"
#include "server/call/other_key.h"
#include "server/call/refusal.h"
#include "server/effects/commit.h"
#include "server/effects/effect.h"
#include "server/effects/once.h"
#include "server/running/run.h"
#include "server/waiting/wait.h"

#include "ccan/array_size/array_size.h"

#include <string.h>

enum { ARG_COMMANDS = 2 };

/* The words of a command, from its name on. */
struct slice {
    int at, words;
};

/* One of the commands. */
struct part {
    struct call call;
    struct slice slice;
    struct bytes key;
    bool shares_key; /* an earlier part has opened it */
};

struct transaction {
    struct call *whole;
    struct part *parts;
    unsigned count;           /* of parts that have been started */
    bool is_alone;            /* there is one part and no more: nothing can change twice */
    const struct call *grows; /* one of them that may take more memory; NULL for none */
    struct targets targets;
    struct limits limits;
};

static struct { unsigned long long done, commands, refused; } stats;

/* --- All commands --- */

enum { ROWS_MAX = 256 }; /* a power of two, and more than twice as many as there are commands */

static struct atomic_row {
    struct bytes name;
    const struct command *command; /* NULL for none */
    int min_words;
    bool grows; /* may take more memory */
} rows[ROWS_MAX];

/* Hashes the length, the first letter and the last four: names that share more differ there. */
static size_t row_place(struct bytes name) {
    unsigned hash = (unsigned)name.length;
    for (size_t i = name.length > 4 ? name.length - 4 : 0; i < name.length; i++)
        hash = hash * 31 + (unsigned char)bytes_lower(name.data[i]);
    return (name.length ? hash + (unsigned char)bytes_lower(name.data[0]) : hash) % ROWS_MAX;
}

/* A search ends at an empty row, so there must be one. */
static bool rows_suffice(RedisModuleCtx *ctx, size_t count) {
    if (2 * count < ROWS_MAX) return true;
    RedisModule_Log(ctx, "warning", "%zu commands are too many for the %d rows of transactions", count,
                    ROWS_MAX);
    return false;
}

/* Parts may share a key that another part has opened, and then have none of their own to create or to drop. */
static bool leaves_key_in_place(RedisModuleCtx *ctx, const struct command *command) {
    bool stays = command->key != KEY_CREATE && command->key != KEY_REMOVE && command->key != KEY_CLEAR;
    if (stays || !command->touches) return true;
    RedisModule_Log(ctx, "warning", "%s may create or drop its key, so it cannot be part of a transaction",
                    command->name);
    return false;
}

static bool has_readers(const struct data_type *type) {
    const struct change_schema *schema = type->changes;
    for (unsigned kind = 0; kind < schema->kind_count; kind++)
        if (change_is(schema, &kind, CHANGE_COMES_FIRST)) return true;
    return false;
}

/* Only one data type can have changes that come first: its keep_sources gets those of the whole transaction. */
static bool leaves_one_reader(RedisModuleCtx *ctx, const struct command *command) {
    static const struct data_type *reader;
    const struct data_type *type = command->data_type;
    if (!command->touches || !type || !has_readers(type)) return true;
    if (!reader) reader = type;
    if (type == reader) return true;
    RedisModule_Log(ctx, "warning", "%s and %s both have changes that come first in a transaction",
                    reader->type_name, type->type_name);
    return false;
}

bool atomic_start(RedisModuleCtx *ctx, const struct command *commands, size_t count) {
    if (!rows_suffice(ctx, count)) return false;
    for (size_t i = 0; i < count; i++) {
        if (!leaves_key_in_place(ctx, &commands[i]) || !leaves_one_reader(ctx, &commands[i])) return false;
        struct bytes name = bytes_text(commands[i].name);
        size_t at = row_place(name);
        while (rows[at].command) at = (at + 1) % ROWS_MAX;
        rows[at] = (struct atomic_row){.name = name,
                                       .command = &commands[i],
                                       .min_words = args_min(commands[i].grammar),
                                       .grows = command_may_grow(&commands[i])};
    }
    return true;
}

/* The row of this name; one without a command if there is none. */
static const struct atomic_row *row_named(struct bytes name) {
    size_t at = row_place(name);
    while (rows[at].command && !bytes_same_word(rows[at].name, name)) at = (at + 1) % ROWS_MAX;
    return &rows[at];
}

void touches_nothing(const struct call *call, struct targets *targets) {
    (void)call;
    (void)targets;
}

/* --- Words --- */

/* The next command. False when its number of words is not a number, or is wrong. */
static bool next_slice(RedisModuleString **argv, int argc, int *at, struct slice *slice) {
    int64_t words;
    if (*at >= argc || !number_read(args_at(argv, *at), &words)) return false;
    if (words < 1 || words >= argc - *at) return false;
    *slice = (struct slice){*at + 1, (int)words};
    *at += 1 + (int)words;
    return true;
}

/* Reports keys as far as the words make sense: a call with other words is refused before it opens any. */
void atomic_tell_keys(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    int at = ARG_COMMANDS;
    struct slice slice;
    while (next_slice(argv, argc, &at, &slice)) {
        const struct command *command = row_named(args_at(argv, slice.at))->command;
        if (command) command_tell_keys(command, ctx, argv + slice.at, slice.words, slice.at);
    }
}

static enum outcome refuse_syntax(struct call *call, int at) {
    const struct fault fault = {.outcome = OUTCOME_SYNTAX, .at = at < call->argc ? at : call->argc - 1};
    return refusal_describe(call, &fault);
}

static enum outcome refuse_words(struct call *call, int at) {
    enum outcome outcome = refuse_syntax(call, at);
    size_t length = strlen(call->note);
    struct text text = text_start(call->note + length, sizeof(call->note) - length);
    text_put(&text, ": a command begins with the number of its words");
    return outcome;
}

/* --- Refusals --- */

/* Refusals with one of Redis's own classes read as they do for the command alone. */
static enum outcome refuse_part(struct transaction *transaction, unsigned place, enum outcome outcome) {
    const char *note = transaction->parts[place].call.note;
    const struct outcome_text *refusal = outcome_text(outcome);
    if (refusal->redis_own)
        memcpy(transaction->whole->note, note, CALL_NOTE_BYTES);
    else
        refusal_note_place(transaction->whole, place, outcome, note);
    return outcome;
}

static enum outcome refuse_collision(struct transaction *transaction) {
    const struct collision *collision = &transaction->targets.collision;
    return refusal_because_format(transaction->whole, OUTCOME_CHANGED_TWICE, "%u: changes the same %s as %u",
                                  collision->place, collision->noun, collision->earlier);
}

/* --- Form --- */

static enum outcome refuse_command(struct call *call) {
    return refusal_of_word(call, OUTCOME_NOT_IN_TRANSACTION, call_word(call, 0));
}

static enum outcome refuse_wait(struct call *call) {
    return refusal_because(call, OUTCOME_NOT_IN_TRANSACTION,
                           "no command of a transaction waits: leave BLOCK out");
}

/* A transaction blocks the server no longer than the longest list does. */
static enum outcome check_listed(const struct transaction *transaction, struct call *call) {
    if (transaction->targets.listed <= LISTED_MAX) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_OUT_OF_RANGE,
                           "the lists of a transaction together are longer than one may be");
}

static enum outcome read_part(struct transaction *transaction) {
    struct part *part = &transaction->parts[transaction->count];
    struct call *call = &part->call, *whole = transaction->whole;
    const struct slice slice = part->slice;
    const struct atomic_row *row = row_named(call_word(whole, slice.at));
    const struct command *command = row->command;
    call_start(call, command, whole->ctx, whole->argv + slice.at, slice.words);
    call->limits = &transaction->limits;
    transaction->count++;
    if (row->grows) transaction->grows = call;
    if (!command || !command->touches) return refuse_command(call);
    if (slice.words < row->min_words)
        return refusal_because_format(call, OUTCOME_SYNTAX, "wrong number of arguments for '%s'",
                                      command->name);
    enum outcome outcome = form_check(call);
    if (outcome != OUTCOME_DONE) return outcome;
    if (args_given(&call->args, SLOT_ONCE)) return refuse_syntax(call, call->args.slots[SLOT_ONCE].at - 1);
    if (args_given(&call->args, SLOT_BLOCK)) return refuse_wait(call);
    part->key = call_word(call, 1);
    if (transaction->is_alone) return OUTCOME_DONE;
    targets_begin(&transaction->targets, part->key, transaction->count - 1);
    command->touches(call, &transaction->targets);
    return check_listed(transaction, call);
}

/* Checks that the words add up, and parses what follows the commands. */
static enum outcome check_slices(const struct transaction *transaction, unsigned count) {
    struct call *whole = transaction->whole;
    int at = ARG_COMMANDS;
    for (unsigned i = 0; i < count; i++)
        if (!next_slice(whole->argv, whole->argc, &at, &transaction->parts[i].slice))
            return refuse_words(whole, at);
    return form_check_tail(whole, at);
}

static enum outcome read_parts(struct transaction *transaction, unsigned count) {
    while (transaction->count < count) {
        enum outcome outcome = read_part(transaction);
        if (outcome != OUTCOME_DONE) return refuse_part(transaction, transaction->count - 1, outcome);
    }
    return transaction->targets.collision.noun ? refuse_collision(transaction) : OUTCOME_DONE;
}

/* --- Rights and memory --- */

/* Whether rights that have been asked for cover this call, too. */
static bool same_rights(const struct part *part, const struct part *other) {
    const struct command *command = part->call.command;
    return command == other->call.command && !command->other_key && bytes_equal(part->key, other->key);
}

/* In ACL LOG, as if the server had refused the call alone: a key, or else the command. */
static enum outcome refuse_rights(struct call *whole, RedisModuleUser *user, const struct call *call) {
    if (command_may_use_keys(call->command, whole->ctx, call->argv, call->argc))
        api_log_command(whole->ctx, user, call->command->name);
    return refusal_of_command(whole, call->command);
}

static enum outcome check_rights_as(const struct transaction *transaction, RedisModuleUser *user) {
    const int db = RedisModule_GetSelectedDb(transaction->whole->ctx);
    for (unsigned i = 0; i < transaction->count; i++) {
        const struct call *call = &transaction->parts[i].call;
        if (i && same_rights(&transaction->parts[i], &transaction->parts[i - 1])) continue;
        if (api_may_run(user, db, call->argv, call->argc)) continue;
        return refuse_rights(transaction->whole, user, call);
    }
    return OUTCOME_DONE;
}

/* A caller without a user, as another module, has all rights. */
static enum outcome check_rights(const struct transaction *transaction) {
    RedisModuleUser *user = api_user(transaction->whole->ctx);
    enum outcome outcome = user ? check_rights_as(transaction, user) : OUTCOME_DONE;
    api_user_end(user);
    return outcome;
}

/* All keys must be in one place: each is compared with the one before it. */
static enum outcome check_places(const struct transaction *transaction) {
    for (unsigned i = 1; i < transaction->count; i++) {
        const struct part *part = &transaction->parts[i], *before = part - 1;
        if (bytes_equal(part->key, before->key)) continue;
        enum outcome outcome =
            other_key_place(transaction->whole->ctx, before->call.argv[1], part->call.argv[1]);
        if (outcome != OUTCOME_DONE) return outcome;
    }
    return OUTCOME_DONE;
}

/* The server does not know of the commands inside. */
static enum outcome check_memory(const struct transaction *transaction) {
    if (!transaction->grows) return OUTCOME_DONE;
    return call_is_out_of_memory(transaction->grows) ? OUTCOME_OUT_OF_MEMORY : OUTCOME_DONE;
}

/* --- One state --- */

/* An earlier part that has opened the same key, for writing if this one writes. */
static const struct call *opener_of(const struct transaction *transaction, unsigned place) {
    const struct part *part = &transaction->parts[place];
    bool reads = part->call.command->key == KEY_READ;
    for (unsigned i = 0; i < place; i++) {
        const struct part *earlier = &transaction->parts[i];
        bool fits = !earlier->shares_key && (reads || earlier->call.command->key != KEY_READ);
        if (fits && bytes_equal(earlier->key, part->key)) return &earlier->call;
    }
    return NULL;
}

static void open_parts(struct transaction *transaction) {
    int64_t now_us = call_now_us(transaction->whole);
    for (unsigned i = 0; i < transaction->count; i++) {
        struct part *part = &transaction->parts[i];
        struct call *call = &part->call;
        const struct call *opener = opener_of(transaction, i);
        part->shares_key = opener;
        if (opener)
            call_share_key(call, opener);
        else
            call_open_key(call);
        call->now_us = now_us;
        if (call->value && call->command->prefetch) call->command->prefetch(call);
    }
}

static void settle_parts(struct transaction *transaction) {
    for (unsigned i = 0; i < transaction->count; i++) run_settle(&transaction->parts[i].call);
    for (unsigned i = 0; i < transaction->count; i++) {
        struct call *call = &transaction->parts[i].call;
        call->out = reply_to_record(call_writer(call));
        run_let_ahead(call);
    }
}

static enum outcome decide_part(struct part *part) {
    if (part->call.opened != OUTCOME_DONE) return call_check_value(&part->call);
    enum outcome outcome = run_part(&part->call);
    if (outcome != OUTCOME_UNCHANGED) return outcome;
    part->call.out.packed->length = 0;
    reply_null(&part->call.out);
    return OUTCOME_DONE;
}

static enum outcome decide_parts(struct transaction *transaction) {
    transaction->limits.listed = transaction->targets.listed;
    for (unsigned i = 0; i < transaction->count; i++) {
        enum outcome outcome = decide_part(&transaction->parts[i]);
        if (outcome != OUTCOME_DONE) return refuse_part(transaction, i, outcome);
    }
    return OUTCOME_DONE;
}

/* --- Carrying out --- */

static bool refresh_change(struct call *call, void *change) {
    return !call->data_type->refresh || call->data_type->refresh(call, change);
}

/* Applies the changes that have all traits in `with` and none in `without`. Returns whether there are others. */
static bool apply_those(struct transaction *transaction, unsigned with, unsigned without) {
    bool others = false;
    for (unsigned i = 0; i < transaction->count; i++) {
        struct call *call = &transaction->parts[i].call;
        for (struct decided *next = call->decision.first; next; next = next->next) {
            unsigned traits = change_kind(call->data_type->changes, next->change)->traits;
            if ((traits & with) != with || traits & without) {
                others = true;
                continue;
            }
            next->dropped = transaction->count > 1 && !refresh_change(call, next->change);
            if (!next->dropped) commit_apply(call, next);
        }
    }
    return others;
}

/* The calls whose changes read what others of them may change. All are of one data type. */
static unsigned find_readers(const struct transaction *transaction, struct call **readers) {
    unsigned count = 0;
    for (unsigned i = 0; i < transaction->count; i++) {
        struct call *call = &transaction->parts[i].call;
        const struct decided *decided = call->decision.first;
        if (decided && change_is(call->data_type->changes, decided->change, CHANGE_COMES_FIRST))
            readers[count++] = call;
    }
    return count;
}

static void apply_readers(struct transaction *transaction) {
    struct call *readers[ATOMIC_COMMANDS_MAX];
    unsigned count = find_readers(transaction, readers);
    if (!count) return;
    const struct data_type *type = readers[0]->data_type;
    if (type->keep_sources) type->keep_sources(readers, count);
    apply_those(transaction, CHANGE_COMES_FIRST, 0);
    if (type->drop_sources) type->drop_sources(readers, count);
}

static void for_each_applied(struct transaction *transaction,
                             void (*step)(struct call *call, const void *change)) {
    for (unsigned i = 0; i < transaction->count; i++) {
        struct call *call = &transaction->parts[i].call;
        for (const struct decided *next = call->decision.first; next; next = next->next)
            if (!next->dropped) step(call, next->change);
    }
}

static void follow_and_wake(struct transaction *transaction) {
    for_each_applied(transaction, commit_follow);
    if (wait_anybody()) for_each_applied(transaction, commit_wake);
}

static void answer_parts(const struct transaction *transaction) {
    struct call *whole = transaction->whole;
    reply_array(&whole->out, transaction->count);
    for (unsigned i = 0; i < transaction->count; i++)
        reply_play(whole->ctx, reply_packed(&transaction->parts[i].call.out));
}

/* --- Once --- */

/* Whether the transaction has been answered before. Its token is remembered in the first key that it changed, which
 * need not be the first one that it names for writing. If that first one knows the token from another call, the token
 * is used up. */
static bool is_repeated(struct transaction *transaction, enum outcome *outcome) {
    bool first = true;
    for (unsigned i = 0; i < transaction->count; i++) {
        struct call *call = &transaction->parts[i].call;
        if (call->command->key == KEY_READ || transaction->parts[i].shares_key) continue;
        if (once_is_known(transaction->whole, call)) {
            *outcome = once_answer(transaction->whole, call);
            if (first || *outcome == OUTCOME_DONE) return true;
        }
        first = false;
    }
    return false;
}

/* The call whose value remembers the token: one that changes the first key in which anything changes and, if there is a
 * choice, whose change cannot be dropped. */
static struct call *find_carrier(const struct transaction *transaction) {
    struct call *carrier = NULL;
    for (unsigned i = 0; i < transaction->count; i++) {
        struct call *call = &transaction->parts[i].call;
        const struct decided *decided = call->decision.first;
        if (!decided || (carrier && carrier->value != call->value)) continue;
        if (!carrier) carrier = call;
        if (!change_is(call->data_type->changes, decided->change, CHANGE_COMES_LAST)) return call;
    }
    return carrier;
}

static enum outcome refuse_answer(struct call *whole) {
    return refusal_because_format(whole, OUTCOME_OUT_OF_RANGE,
                                  "with ONCE a transaction returns at most %d bytes", ONCE_BYTES_MAX);
}

/* Decided like the rest: an answer that is too large to be remembered refuses the transaction. */
static enum outcome remember_whole(struct transaction *transaction) {
    struct call *whole = transaction->whole;
    struct call *carrier = args_given(&whole->args, SLOT_ONCE) ? find_carrier(transaction) : NULL;
    if (!carrier) return OUTCOME_DONE;
    struct reply answer = reply_to_record(call_writer(whole));
    reply_array(&answer, transaction->count);
    for (unsigned i = 0; i < transaction->count; i++)
        record_put_raw(answer.packed, reply_packed(&transaction->parts[i].call.out));
    if (answer.packed->length > ONCE_BYTES_MAX) return refuse_answer(whole);
    once_remember(whole, carrier, reply_packed(&answer));
    return OUTCOME_DONE;
}

static void bundle_effects(struct transaction *transaction, struct effect_bundle *bundle) {
    for (unsigned i = 0; i < transaction->count; i++) transaction->parts[i].call.bundle = bundle;
}

static void apply_changes(struct transaction *transaction) {
    apply_readers(transaction);
    if (apply_those(transaction, 0, CHANGE_COMES_FIRST | CHANGE_COMES_LAST))
        apply_those(transaction, CHANGE_COMES_LAST, 0);
}

static bool may_change_several(const struct transaction *transaction) {
    const struct decided *first = transaction->parts[0].call.decision.first;
    return transaction->count > 1 || (first && first->next);
}

static void apply_bundled(struct transaction *transaction) {
    struct effect_bundle bundle;
    effect_bundle_start(&bundle, transaction->whole->ctx);
    bundle_effects(transaction, &bundle);
    apply_changes(transaction);
    bundle_effects(transaction, NULL);
    effect_bundle_end(&bundle);
}

static void carry_out(struct transaction *transaction) {
    if (may_change_several(transaction))
        apply_bundled(transaction);
    else
        apply_changes(transaction);
    stats.done++;
    stats.commands += transaction->count;
    for (unsigned i = 0; i < transaction->count; i++) run_count(&transaction->parts[i].call);
    follow_and_wake(transaction);
    answer_parts(transaction);
}

/* --- The command --- */

static enum outcome run_parts(struct transaction *transaction, unsigned count) {
    enum outcome outcome = check_slices(transaction, count);
    if (outcome == OUTCOME_DONE) outcome = read_parts(transaction, count);
    if (outcome == OUTCOME_DONE) outcome = check_rights(transaction);
    if (outcome == OUTCOME_DONE) outcome = check_places(transaction);
    if (outcome == OUTCOME_DONE) outcome = check_memory(transaction);
    if (outcome != OUTCOME_DONE) return outcome;
    open_parts(transaction);
    if (args_given(&transaction->whole->args, SLOT_ONCE) && is_repeated(transaction, &outcome))
        return outcome;
    settle_parts(transaction);
    outcome = decide_parts(transaction);
    if (outcome == OUTCOME_DONE) outcome = remember_whole(transaction);
    if (outcome == OUTCOME_DONE) carry_out(transaction);
    return outcome;
}

/* Most transactions use this one array. Only one at a time may: a listener that the server tells of a new key may run
 * another one. */
enum { USUAL_PARTS = 16 };

static struct part usual_parts[USUAL_PARTS];
static bool usual_parts_are_taken;

static struct part *take_parts(unsigned count) {
    if (usual_parts_are_taken || count > USUAL_PARTS) return memory_alloc(count * sizeof(struct part));
    usual_parts_are_taken = true;
    return usual_parts;
}

static void give_parts_back(struct part *parts) {
    if (parts == usual_parts)
        usual_parts_are_taken = false;
    else
        memory_free(parts);
}

static enum outcome run_transaction(struct call *whole, unsigned count) {
    struct transaction transaction;
    transaction.whole = whole;
    transaction.parts = take_parts(count);
    transaction.count = 0;
    transaction.is_alone = count == 1;
    transaction.grows = NULL;
    transaction.limits = (struct limits){0};
    targets_start(&transaction.targets);
    enum outcome outcome = run_parts(&transaction, count);
    for (unsigned i = 0; i < transaction.count; i++) call_end(&transaction.parts[i].call);
    targets_end(&transaction.targets);
    give_parts_back(transaction.parts);
    return outcome;
}

enum outcome atomic_handle(struct call *call) {
    enum outcome outcome = run_transaction(call, (unsigned)call->args.slots[SLOT_COMMANDS].number);
    stats.refused += outcome != OUTCOME_DONE;
    return outcome;
}

void atomic_info(RedisModuleInfoCtx *ctx) {
    const struct info_number numbers[] = {
        {"atomic_transactions", stats.done},
        {"atomic_commands", stats.commands},
        {"atomic_refused", stats.refused},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
}
