/* The conditions of a call (IFMATCH and its like): read from its words, checked against an object. */
#ifndef HOLDFAST_CONDITIONS_H
#define HOLDFAST_CONDITIONS_H

#include "server/call/call.h"

/* Reads conditions from four slots in the order of the shared ones. */
void conditions_read(const struct call *call, int first_slot, struct conditions *conditions);

/* Checks the call's conditions against an object; NULL when it does not exist. On failure the call's note tells why. */
enum outcome conditions_check_object(struct call *call, const struct stamp *object, const char *noun);

#endif
