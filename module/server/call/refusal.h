/* Refusals: how an outcome becomes an error reply, and how often each was answered. */
#ifndef HOLDFAST_REFUSAL_H
#define HOLDFAST_REFUSAL_H

#include "core/inlining.h"
#include "core/text.h"
#include "server/call/call.h"

/* The word is user input: anything but plain text is shown as \xHH, and long words are cut. */
void refusal_show_word(struct bytes word, char *text, size_t size);

/* Adds an owner's label to a note in quotes, after the preposition, shown and cut in the same way; nothing without
 * a label. */
void refusal_put_owner(struct text *text, const char *preposition, struct bytes owner, size_t size);

/* Adds a reason to the refusal, in place of the table's text. Returns the outcome. */
void refusal_note(struct call *call, const char *reason);
static inline enum outcome refusal_because(struct call *call, enum outcome outcome, const char *reason) {
    refusal_note(call, reason);
    return outcome;
}
/* The same for a reason with something in it; slower. */
enum outcome refusal_because_format(struct call *call, enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes in the call which argument is wrong. Returns the outcome of the fault. */
ASIDE enum outcome refusal_describe(struct call *call, const struct fault *fault);

/* Notes in the call which word is refused, after the outcome's text. Returns the outcome. */
enum outcome refusal_of_word(struct call *call, enum outcome outcome, struct bytes word);

/* Notes in the call that its user may not run this command. Returns OUTCOME_NOT_PERMITTED. */
enum outcome refusal_of_command(struct call *call, const struct command *command);

/* Notes in the call that this option, which is given, may not be, as the parser does. Returns OUTCOME_SYNTAX. */
enum outcome refusal_of_option(struct call *call, int slot);

/* Notes in the call which of several commands is refused, and why: the outcome's text, or the note
 * if it is not empty. */
void refusal_note_place(struct call *call, unsigned place, enum outcome outcome, const char *note);

/* Notes in the call what the object, or its absence, looks like to a condition that failed. */
ASIDE void refusal_describe_object(struct call *call, const struct stamp *object, const char *noun);

/* Replies null for OUTCOME_UNCHANGED, else an error "CLASS Code text". A note that is not empty replaces the text. */
void refusal_reply(struct reply *out, enum outcome outcome, const char *note);

/* How often each refusal was replied, for INFO. */
unsigned long long refusal_count(enum outcome outcome);

#endif
