/* Key lines: in which lines clients wait for a key, so that all of them can be looked at when much may have changed in
 * it. News of a key costs the same however many lines it has, and however often it comes before they are looked at. */
#ifndef HOLDFAST_KEY_LINES_H
#define HOLDFAST_KEY_LINES_H

#include "server/base/key_name.h"

#include "ccan/list/list.h"

struct lines_of_key;

/* A part of a line, by which its key knows it. */
struct key_line {
    struct lines_of_key *of;
    struct list_node node;
};

void key_lines_add(struct key_line *line, struct key_name key);
void key_lines_remove(struct key_line *line);

/* Much may have changed in the key. False when nobody waits for it. */
bool key_lines_news(struct key_name key);

/* Whether there is a line that has not been looked at since. */
bool key_lines_have_news(void);

/* A line that has not been looked at since news of its key: it has been now. NULL when there is none. */
struct key_line *key_lines_next(void);

#endif
