/* Properties and keys by chance: few names, few keys and few values of all types, so that they meet again and again. */
#ifndef HOLDFAST_UNIT_PROPERTY_DRAW_H
#define HOLDFAST_UNIT_PROPERTY_DRAW_H

#include "core/packed.h"
#include "dice.h"

enum { DRAWN_NAMES = 6 };

/* "p0" to "p5". */
struct bytes name_drawn(size_t number);

/* Puts a list of properties into the room, which the caller has started: mostly a few of the drawn names; seldom bytes
 * beside them that make an entity long, or so many names that some lists have no room for them. */
struct packed_list properties_draw(struct dice *dice, struct record_writer *room);

/* Puts a stored key into the room, which the caller has started: one of about a hundred. */
struct bytes key_draw(struct dice *dice, struct record_writer *room);

#endif
