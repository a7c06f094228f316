/*
 * Commands at one moment: a transaction, in which the clock of the primary stands still but for the steps that it is
 * told to make. So what happens at an instant, and what a millisecond before it, can be told apart.
 */
#ifndef HOLDFAST_TESTS_STANDSTILL_H
#define HOLDFAST_TESTS_STANDSTILL_H

#include "client.h"
#include "expect.h"

/* The lines of a text, which stand with "; " between them, and NULL behind them. */
const char *const *lines_of(const char *text);

/* Plays the lines of the text; one like "+5000" lets so many milliseconds pass. Answers the replies to all others. The
 * clocks are alike again afterwards. */
redisReply *standstill(const char *text);

#endif
