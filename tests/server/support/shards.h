/* A real cluster: primaries that share the slots evenly, and replicas of the first ones. All tests of a program play on
 * the same one; each begins with empty nodes, and with the slots where they were at first. */
#ifndef HOLDFAST_TESTS_SHARDS_H
#define HOLDFAST_TESTS_SHARDS_H

#include "client.h"

enum { SHARDS_MAX = 6 };

/* Connections to the nodes, the primaries first; the first of them is `primary` of harness.h, too. */
extern struct client *node[SHARDS_MAX];

/* Starts it, and waits until all nodes agree that it works. */
void shards_start(int primaries, int replicas, const char *settings);
void shards_stop(void);

/* Closes the connections; the servers are somebody else's to end. */
void shards_leave(void);

/* Empties it, and gives every slot back to where it was at first; one that is in between is closed. */
void shards_begin(void);

/* A hash tag whose slot is this primary's at first; different numbers have different slots. */
const char *shards_tag(int primary, int number);

int slot_of(const char *key);

/* Moving a slot by hand, as redis-cli does: both nodes are told, its keys go one by one, all nodes are told. */
void slot_opens(int slot, struct client *from, struct client *to);
void slot_moves(int slot, struct client *from, struct client *to);
void slot_closes(int slot, struct client *to);

/* What newer servers have: the slot's data are copied beside the work, and it changes hands at once. */
bool slots_migrate_at_once(struct client *at);
void slot_migrates(int slot, struct client *from, struct client *to);

/* The same in two steps. In between all of it has been copied, changes are sent on, and it still belongs to `from`. */
void slot_sets_out(int slot, struct client *from, struct client *to);
void slot_arrives(int slot, struct client *from, struct client *to);

/* Ends it in between: the slot stays where it is. */
void slot_stays(int slot, struct client *from, struct client *to);

bool slot_is_at(int slot, struct client *of);

/* Until all nodes that can be asked see the slot at this one. */
void await_slot(int slot, struct client *at);

#endif
