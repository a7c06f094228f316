/* Effects and records made by hand, in the form in which they travel and stand in files: for states that no command
 * leads to, and for hostile ones. */
#ifndef HOLDFAST_TESTS_EFFECTS_H
#define HOLDFAST_TESTS_EFFECTS_H

#include <stdint.h>

#include "client.h"
#include "text.h"

/* A record of a change of a container, see blob/container_change.h. It begins with its head, and with the name of a blob
 * if there is one. */
struct text effect_start(int kind, const char *name);
void effect_byte(struct text *record, unsigned char byte);
void effect_number(struct text *record, uint64_t number);
void effect_word(struct text *record, uint64_t word);
void effect_bytes(struct text *record, const void *bytes, size_t length);
void effect_text(struct text *record, const char *text);

/* One record more for a bundle, about the command's key; the bundle begins with the byte 'B': see change/bundle.h. */
void effect_bundle_add(struct text *bundle, uint64_t beside, const struct text *record);

/* Sends it to the primary as if it came from a primary of its own; content may be NULL. */
redisReply *effect_play(const char *key, const struct text *record, const char *content);

#endif
