#include "help.h"

#include "release.h"
#include "server/call/refusal.h"
#include "server/grammar/registration.h"

/* Twice the longest syntax, that of BLOB.COPY. */
enum { HELP_LINE_BYTES = 1024 };

static const struct command *commands;
static size_t command_count;

void help_start(const struct command *all, size_t count) {
    commands = all;
    command_count = count;
}

static bool is_named(const struct command *command, struct bytes topic) {
    return bytes_same_word(bytes_text(command->name), topic);
}

/* Whether this is the family of the command, as QUEUE is of QUEUE.PUT; NULL is any. HOLDFAST.APPLY is not shown: no
 * client sends it. */
static bool is_of_family(const struct command *command, const struct bytes *family) {
    if (command->key == KEY_EFFECT) return false;
    return !family || bytes_same_word(bytes_of(command->name, strcspn(command->name, ".")), *family);
}

static void reply_syntax(struct reply *out, const struct command *command) {
    char buffer[HELP_LINE_BYTES];
    struct text line = text_start(buffer, sizeof(buffer));
    registration_syntax(command, &line);
    reply_line(out, buffer);
}

static void reply_summary(struct reply *out, const struct command *command) {
    char buffer[HELP_LINE_BYTES];
    struct text line = text_start(buffer, sizeof(buffer));
    text_put(&line, command->name);
    text_put(&line, ": ");
    text_put(&line, command->summary);
    reply_line(out, buffer);
}

static void reply_example(struct reply *out, const struct command *command) {
    char buffer[HELP_LINE_BYTES];
    struct text line = text_start(buffer, sizeof(buffer));
    text_put(&line, "Example: ");
    text_put(&line, command->name);
    if (*command->example) text_put(&line, " ");
    text_put(&line, command->example);
    reply_line(out, buffer);
}

static void help_command(struct reply *out, const struct command *command) {
    reply_array(out, command->example ? 3 : 2);
    reply_syntax(out, command);
    reply_line(out, command->summary);
    if (command->example) reply_example(out, command);
}

static long help_family(struct reply *out, const struct bytes *family) {
    long found = 0;
    for (size_t i = 0; i < command_count; i++) found += is_of_family(&commands[i], family);
    if (!found) return 0;
    reply_array(out, found);
    for (size_t i = 0; i < command_count; i++)
        if (is_of_family(&commands[i], family)) reply_summary(out, &commands[i]);
    return found;
}

static const struct command *command_named(struct bytes topic) {
    for (size_t i = 0; i < command_count; i++)
        if (is_named(&commands[i], topic)) return &commands[i];
    return NULL;
}

enum outcome help_decide(struct call *call) {
    struct bytes topic = call_option(call, SLOT_HELP_TOPIC);
    const struct command *command = command_named(topic);
    if (command) {
        help_command(&call->out, command);
        return OUTCOME_DONE;
    }
    bool all = !args_given(&call->args, SLOT_HELP_TOPIC);
    if (help_family(&call->out, all ? NULL : &topic)) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_INVALID_QUERY, "no command or family has this name");
}

enum outcome version_decide(struct call *call) {
    reply_text(&call->out, RELEASE_TEXT);
    return OUTCOME_DONE;
}
