/* The form of a call: all that its words alone show to be wrong. */
#ifndef HOLDFAST_FORM_H
#define HOLDFAST_FORM_H

#include "server/call/call.h"

/* Parses the words by the command's grammar, reads conditions, metadata, properties and policies, and checks what
 * needs no state. */
enum outcome form_check(struct call *call);

#endif
