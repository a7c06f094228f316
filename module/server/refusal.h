/* Refusals: how an outcome becomes an error reply, and how often each was answered. */
#ifndef HOLDFAST_REFUSAL_H
#define HOLDFAST_REFUSAL_H

#include "server/command.h"

/* Words come from outside: what is not plain text is shown as \xHH, what is long is cut. */
void refusal_show_word(struct bytes word, char *text, size_t size);

/* Notes in the call which word is wrong. */
void refusal_describe(struct call *call, const struct fault *fault);

/* Notes in the call which word of the caller's is refused, behind the outcome's text. Answers the outcome. */
enum outcome refusal_of_word(struct call *call, enum outcome outcome, struct bytes word);

/* Notes in the call that it is one of several that is refused, and why: the outcome's text, or a note that is not empty. */
void refusal_note_place(struct call *call, unsigned place, enum outcome outcome, const char *note);

/* Notes in the call what the object, or its absence, looks like to a condition that failed. */
void refusal_describe_object(struct call *call, const struct stamp *object, const char *noun);

/* Answers null for OUTCOME_UNCHANGED, else an error "CLASS Code text"; a note that is not empty is the text. */
void refusal_reply(struct reply *out, enum outcome outcome, const char *note);

/* How often each refusal was answered, for INFO. */
unsigned long long refusal_count(enum outcome outcome);

#endif
