/* Stories: commands with the answers that they must get, one after the other, as a table.
 *
 * Words of a command have short forms:
 *   A, B, C    lease ids
 *   $x         what an earlier step kept under x
 *   512*a      as many letters
 *   "a b C"    what is between the quotes, as it is
 * A line like "15 s" lets so much time pass, on all servers.
 *
 * An answer is the shape of the reply (see reply_shape), or an error without its explanation. NULL stands for any
 * answer but an error. What answers with an error must leave no trace: no change, no effect, no notification. */
#ifndef HOLDFAST_TESTS_STEPS_H
#define HOLDFAST_TESTS_STEPS_H

#include "client.h"

struct step {
    const char *command;
    const char *answer;
    char keep; /* the letter under which the reply's first version is kept; 0 for none */
};

/* Plays an array of steps. What was kept is forgotten when the next test begins. */
#define steps_play(steps) steps_play_so_many(steps, ARRAY_SIZE(steps))
void steps_play_so_many(const struct step *steps, size_t count);

/* One step; answers the reply. */
redisReply *step_play(const char *command, const char *answer, char keep);

/* If the line is one like "15 s", time passes. */
bool step_lets_time_pass(const char *command);

/* Whether an answer is an error, and whether a reply is an answer. */
bool answer_is_refusal(const char *answer);
bool reply_is_answer(const redisReply *reply, const char *answer);

/* The words of a line, with the short forms written out. */
struct words step_words(const char *line);

/* What was kept, and keeping something. */
const char *step_kept(char letter);
void step_keep(char letter, const char *text);

#endif
