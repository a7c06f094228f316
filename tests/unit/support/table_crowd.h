/* Crowds: tables of entities that are drawn by chance, some of which are there and some not, and
 * what a naive filter says of each. */
#ifndef HOLDFAST_UNIT_TABLE_CROWD_H
#define HOLDFAST_UNIT_TABLE_CROWD_H

#include "naive_row.h"
#include "table/query.h"

enum { CROWD_MAX = 240 };

struct crowd_member {
    struct naive_entity entity;
    struct naive_row row;
    bool there;
};

/* Members stand in the order of their keys, which they have alone. */
struct table_crowd {
    struct table *table;
    struct crowd_member members[CROWD_MAX];
    unsigned count;
};

/* About half of them are there; the table has so many indexes, of the first of the naive names. */
void table_crowd_start(struct table_crowd *crowd, struct dice *dice, unsigned indexes);
void table_crowd_end(struct table_crowd *crowd);

/* Comes, or goes, or is written anew as it is. */
void table_crowd_turn(struct table_crowd *crowd, unsigned number);
void table_crowd_rewrite(struct table_crowd *crowd, unsigned number);

/* NULL for a key that nobody has. */
struct crowd_member *table_crowd_find(struct table_crowd *crowd, struct bytes key);

/* The ways to answer a filter: as the table chooses, by a scan, by keys, and by each index. False for an index that is
 * of no use; otherwise the plan has to be ended. */
enum { WAY_CHOSEN, WAY_SCAN, WAY_KEYS, WAY_INDEX };
bool plan_by_way(const struct table *table, const struct filter *filter, unsigned way, struct plan *plan);

/* The entity c_000123 of such a partition and number. */
void table_add_row(struct table *table, char partition, unsigned number, struct packed_list properties);

/* All pages of a filter: how many, their rows, the most and the fewest in one, and the most work for one. */
struct query_pages {
    enum plan_kind kind;
    size_t count, rows, rows_max, min_rows, max_work;
};

struct query_pages query_pages_of(const struct table *table, const char *text, size_t rows_max);

#endif
