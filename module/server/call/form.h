/* The form of a call: all that its words alone show to be wrong. */
#ifndef HOLDFAST_FORM_H
#define HOLDFAST_FORM_H

#include "server/call/call.h"

/* The most that one call may bring: pages, a range of a file, entities. */
enum { FORM_BYTES_MAX = 4 << 20 };

/* Refuses more bytes; `deed` says what is done with them, as in "can be put". */
enum outcome form_check_bytes(struct call *call, size_t length, const char *deed);

/* Parses the words by the command's grammar, reads conditions, metadata, properties and policies, and checks what
 * needs no state. */
enum outcome form_check(struct call *call);

/* Parses the options from this word on, for commands whose other words are not all in their grammar. */
enum outcome form_check_tail(struct call *call, int at);

#endif
