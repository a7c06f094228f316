/* What tests of tables have in common: entities and filters on a line, pages walked to their end, types in a table. */
#ifndef HOLDFAST_TESTS_TABLES_H
#define HOLDFAST_TESTS_TABLES_H

#include "client.h"
#include "expect.h"

/* An ETag that nothing has. */
#define STALE "0x0000000000000001"

#define STALE_ENTITY "PRECONDITION UpdateConditionNotSatisfied"
#define NO_ENTITY    "NOTFOUND ResourceNotFound"
#define NO_TABLE     "NOTFOUND TableNotFound"
#define BAD_INPUT    "INVALID InvalidInput"

/* Makes the table `t`. */
void table_setup(void);

/* One line to the primary, with the short forms of steps.h: what is in double quotes is one word. */
redisReply *ask(const char *line);
redisReply *ask_at(struct client *client, const char *line);

/* The same, which must give an ETag, and is answered with it. */
const char *written_at(struct place place, const char *line);
#define written(line) written_at(HERE, line)

/* Lines with what they are answered with: a shape, an error's beginning, or NULL for anything but an error. Errors
 * must leave no trace. */
struct answered {
    const char *line, *answer;
};

#define play_answers(rows) play_so_many_answers(rows, ARRAY_SIZE(rows))
void play_so_many_answers(const struct answered *rows, size_t count);

/* TABLE.QUERY t <rest>, page by page: the keys that are found as "pk/rk pk/rk", and how many pages there were. */
const char *found_at(struct client *client, const char *rest, int *pages);
const char *found(const char *rest);

/* With FILTER, as one word. */
const char *found_by(const char *filter);

/* What EXPLAIN says of a filter: its plan alone. */
const char *plan_of(const char *filter);

/* So many of them: "PROPS 3 p0 0 p1 1 p2 2". */
const char *some_properties(int count);

/* The Timestamp of an entity in t. */
const char *timestamp_of(const char *keys);

/* `count` entities in the partition p of t, by transactions: rows 000000, 000001, ...; each has n:int32, its number, and
 * ten:int32, its number modulo 10. */
void fill_table(struct client *client, int count);

/* TABLE.QUERY ... EXPLAIN */
redisReply *explained(struct client *client, const char *table, const char *filter);

/* Waits until queries use the index of a property; an equality leads to less than a walk over all entities. */
void await_index(struct client *client, const char *table, const char *property);

#endif
