/* An aggregate: what the server side knows of a family, that is, of one data type. The server side names no
 * family; each one hands in a filled struct, and holdfast.c walks over them. */
#ifndef HOLDFAST_AGGREGATE_H
#define HOLDFAST_AGGREGATE_H

#include "change/change.h"
#include "core/bytes.h"
#include "core/chunk.h"
#include "core/outcome.h"
#include "server/api.h"

enum { EVENTS_MAX = 2 }; /* keyspace notifications of one change */

/* What one effect does to the value of a key. */
struct effect_target {
    void *value;                    /* NULL when the key does not exist; the family may set a new one */
    bool drop;                      /* the family wants the key gone */
    struct bytes name;              /* what in the value it is about; empty for the value itself */
    const char *events[EVENTS_MAX]; /* the keyspace notifications, if any */
    int64_t upkeep_ms; /* when the value will want to be looked after because of it; 0 for never */
    bool notable;      /* see server/noted.h */
};

enum effect_result {
    EFFECT_APPLIED,
    EFFECT_MISFIT,    /* sound, but not what the state allows: nothing done */
    EFFECT_MALFORMED, /* not readable: nothing done */
};

/* What travels beside a record: the bytes of a content, or the key of another value. */
struct effect_content {
    bool given;
    struct bytes bytes;
    RedisModuleString *argument; /* that holds the bytes; NULL for those that came inside of the record */
    bool obeyed; /* it comes from where everything is decided; else the client's rights count */
    RedisModuleCtx *ctx;
};

struct call;
struct doctor_rule;
struct loading;
struct setting;
struct lease_home;

struct aggregate {
    const char *type_name;
    const struct change_family *changes;
    /* The value, from a change that creates it. */
    void *(*make)(const void *change);
    /* Applies any other change. False, and nothing done, when it does not fit. */
    bool (*move)(void *value, const void *change);
    /* Gives a change what travels beside it: the bytes of a content, or the key of another value. NULL for a type whose
     * changes have nothing beside them. */
    void (*attach)(void *change, const struct effect_content *content);
    /* Whether what a change from elsewhere says can be believed by somebody whose clock shows this instant; for more
     * than its versions, which are looked at in any case. May be NULL. */
    bool (*is_plausible)(const void *change, int64_t horizon_ms);
    /* The bytes that travel beside a change of a walk. */
    const struct bytes *(*content_of)(const void *change);
    /* Whether the key of another value travels beside a change; may be NULL. */
    bool (*has_source)(const void *change);
    /* The changes that build a value anew. */
    void (*walk)(const void *value, const struct change_walk *walk);
    /* Whether a file may go on with this change; NULL if only the value has a say in it. */
    bool (*keeps_order)(struct loading *loading, const void *change);
    /* What in the value a change is about, for those who wait for it; NULL for the value itself. */
    struct bytes (*subject)(const void *change);
    /* When time will have ended something that has to be cleared away; UPKEEP_NEVER. NULL if time ends nothing. */
    int64_t (*next_look_ms)(const void *value);
    /* Where the value keeps the instant at which somebody will look: an int64_t, 0 for nobody. */
    size_t look_at;
    /* Where the value keeps what it remembers of calls: see once.h. */
    size_t remembered_at;
    /* Whether the value is worth a look of DOCTOR's: after this change, or, with NULL, as it is. In bounded time; may be
     * NULL. And where the value keeps whether its key is noted, a bool: see server/noted.h. */
    bool (*notable)(const void *value, const void *change);
    size_t noted_at;
    /* What DOCTOR then asks about it; ended by one without a check. May be NULL. */
    const struct doctor_rule *rules;
    /* How many hold something in all values that is granted to one alone; may be NULL. */
    unsigned long long (*holdings)(void);
    /* The keyspace notifications of a change, if they are more than its kind's own, which is in events[0]. */
    void (*events)(const void *change, const char *events[EVENTS_MAX]);
    /* Looks at the value before a change of the call, and when it has happened: for counts, and for what is to be
     * expected. Either may be NULL. */
    void (*before)(struct call *call, void *change);
    void (*after)(struct call *call, const void *change);
    /* A change was decided together with others, of which some have happened: looks anew for what it is about, and for what
     * follows from them. False when it is about something that has gone, and goes with it. May be NULL. */
    bool (*refresh)(struct call *call, void *change);
    /* Before and after changes that come first among those that are decided as one: sees to it that all of them read what
     * was there before any of them. May be NULL. */
    void (*keep_sources)(struct call *const *calls, size_t count);
    void (*drop_sources)(struct call *const *calls, size_t count);
    /* After the last change of a call, when anybody waits: serves whom it can. May be NULL. */
    void (*wake)(struct call *call, const void *change);
    /* Where those who wait have claims: whether somebody who came before the call, and waits still, wants what does not
     * go with what it wants; and whether it would wait, directly or by others, for somebody who waits for it. */
    bool (*has_rival)(const struct call *call);
    bool (*closes_circle)(const struct call *call);
    /* Somebody waits for something in the value: sees to what only time will bring. May be NULL. */
    void (*awaited)(struct call *call);
    unsigned char family; /* the first byte of its records */
    int encoding_version; /* of its files */
    RedisModuleTypeMethods methods;
    enum outcome missing;            /* when a command wants the key and it is not there */
    const struct lease_home *leases; /* NULL: nothing in it can be leased */
    const struct setting *settings;  /* ended by one without a name */
    void (*info)(RedisModuleInfoCtx *ctx);
    /* What has to be gathered from the values: not while the server is going down. May be NULL. */
    void (*survey)(RedisModuleInfoCtx *ctx);
    /* Clears away what time has ended, in a bounded portion; answers when there will be more. May be NULL. */
    int64_t (*upkeep)(struct call *call);
    RedisModuleType *type; /* set at load */
};

/* All families, ended by NULL; once, at load. */
void aggregates_start(struct aggregate *const *aggregates);

/* NULL when there is none. */
const struct aggregate *aggregate_of_type(const RedisModuleType *type);
const struct aggregate *aggregate_of_family(unsigned char family);
/* The first one that has something to lease. */
const struct aggregate *aggregate_leasable(void);
/* See holdings above, for all families. */
unsigned long long aggregates_holdings(void);

#endif
