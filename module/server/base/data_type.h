/* A data type: what the server side knows of it. The server side names none of them: each has a filled struct in its
 * own folder, and holdfast.c registers them. */
#ifndef HOLDFAST_DATA_TYPE_H
#define HOLDFAST_DATA_TYPE_H

#include "change/change.h"
#include "core/bytes.h"
#include "core/chunk.h"
#include "core/outcome.h"
#include "server/base/api.h"

enum {
    EVENTS_MAX = 2,       /* keyspace notifications per change */
    ENCODING_VERSION = 0, /* of files: the only one that can be read */
};

/* What others are told of a change: see server/effects/telling.h. */
struct told {
    bool modified;                  /* for those who watch the key, or cache what they have read of it */
    const char *events[EVENTS_MAX]; /* keyspace notifications, if any */
};

/* What one effect does to a key's value. */
struct effect_target {
    void *value;       /* NULL when the key does not exist; a new one may be set */
    bool drop;         /* the key is to be deleted */
    struct bytes name; /* name of the changed object in the value; empty for the value itself */
    struct told told;
    int64_t upkeep_ms; /* when the value needs upkeep because of this change; UPKEEP_NEVER */
    bool notable;      /* see server/effects/doctor_keys.h */
};

enum effect_result {
    EFFECT_APPLIED,
    EFFECT_MISFIT,    /* well-formed, but it does not fit the state: nothing done */
    EFFECT_MALFORMED, /* malformed: nothing done */
};

/* What travels beside a record: the bytes of a content, or the key of another value. */
struct effect_content {
    bool given;
    struct bytes bytes;
    RedisModuleString *argument; /* argument that holds the bytes; NULL for those inside the record */
    bool obeyed;                 /* comes from the primary or a file; otherwise the client's rights count */
    RedisModuleCtx *ctx;
};

struct call;
struct doctor_rule;
struct loading;
struct setting;
struct lease_home;

struct data_type {
    const char *type_name;
    const char *noun;        /* what the log calls a value: "a queue" */
    enum outcome missing;    /* outcome when a command needs the key and it does not exist */
    const char *permissions; /* letters that its access policies may have; NULL: any */
    RedisModuleTypeMethods methods;
    RedisModuleType *type; /* set at load */

    /* --- Changes --- */
    const struct change_schema *changes;
    /* Creates the value from a change of a creating kind. */
    void *(*make)(const void *change);
    /* Applies any other change. False, and nothing done, when it does not fit. */
    bool (*apply)(void *value, const void *change);
    /* Attaches what travels beside a change: the bytes of a content, or the key of another value. NULL for a type
     * whose changes have neither. */
    void (*attach)(void *change, const struct effect_content *content);
    size_t content_at; /* offset of the content, a struct bytes, in a change that has one */
    size_t feed_at;    /* offset of the feed, a struct feed *, in a value; 0: it has none */
    /* Whether the key of another value travels beside a change; may be NULL. */
    bool (*has_source)(const void *change);
    /* Whether the values in a change from elsewhere are plausible for a clock at this instant. Versions are checked
     * in any case. May be NULL. */
    bool (*is_plausible)(const void *change, int64_t horizon_ms);
    /* The name of the object that a change is about, for waiters; NULL for the value itself. */
    struct bytes (*object_name)(const void *change);
    /* The keyspace notifications of a change, if there are others besides its kind's own, which is in events[0]. */
    void (*events)(const void *change, const char *events[EVENTS_MAX]);
    /* Called before and after a change of the call is applied, for what follows from it outside of the value:
     * counters, upkeep, copiers, connections. Either may be NULL. */
    void (*before)(struct call *call, void *change);
    void (*after)(struct call *call, const void *change);

    /* --- Transactions --- */
    /* The change was decided in a transaction whose earlier changes have been applied: looks up its objects again,
     * and whatever depends on them. False when its object is gone, and the change is dropped. May be NULL. */
    bool (*refresh)(struct call *call, void *change);
    /* Called before and after the changes that come first in a transaction: makes all of them read the state before
     * any of them. May be NULL. */
    void (*keep_sources)(struct call *const *calls, size_t count);
    void (*drop_sources)(struct call *const *calls, size_t count);

    /* --- Files --- */
    /* Walks the changes that rebuild a value. */
    void (*walk)(const void *value, const struct change_walk *walk);
    /* Prefetches what a change from a file will look up, while the one before it is applied; may be NULL. */
    void (*prefetch)(const void *value, const void *change);
    /* Whether a file may continue with this change; NULL if the value alone can tell. */
    bool (*keeps_order)(struct loading *loading, const void *change);
    /* Whether a file has brought all of a value; NULL if every value is complete. */
    bool (*is_whole)(const void *value);
    /* Called for a value from a file of the server's, or of its primary's. What is built in portions, and is complete
     * in a file, may be unfinished on replicas: upkeep tells of it again. May be NULL. */
    void (*tell_again)(void *value);

    /* --- Waiting --- */
    /* Called for each change of a call, once all of them are applied, when anybody waits: serves the waiters it can.
     * May be NULL. */
    void (*wake)(struct call *call, const void *change);
    /* Where waiters have claims: whether an earlier waiter's claim conflicts with the call's; and whether the call
     * would wait, directly or indirectly, for somebody who waits for it. */
    bool (*has_rival)(struct call *call);
    bool (*closes_circle)(struct call *call);
    /* Somebody waits for something in the value: schedules what only time will bring. May be NULL. */
    void (*awaited)(struct call *call);

    /* --- Upkeep --- */
    /* When expired state will have to be cleared; UPKEEP_NEVER. NULL if nothing in the type expires. */
    int64_t (*next_look_ms)(const void *value);
    /* Clears a portion of the expired state; returns when the value needs upkeep again, now if that was not all. May
     * be NULL. */
    int64_t (*upkeep)(struct call *call);

    /* --- Leases: the one family that all others know, and the server side by this --- */
    const struct lease_home *leases; /* NULL: nothing in it can be leased */
    /* How many exclusive grants (leases, handles, ...) exist in all values; may be NULL. */
    unsigned long long (*holdings)(void);

    /* --- For those who run the server: settings, INFO, DOCTOR --- */
    const struct setting *settings; /* ended by one without a name; NULL for none */
    void (*info)(RedisModuleInfoCtx *ctx);
    /* What has to be gathered from the values: not while the server is going down. May be NULL. */
    void (*survey)(RedisModuleInfoCtx *ctx);
    /* Whether DOCTOR should look at the value: after this change, or, with NULL, as it is. Takes bounded time; may
     * be NULL. */
    bool (*notable)(const struct data_type *type, const void *value, const void *change);
    /* DOCTOR's rules for such a value; ended by one without a check. May be NULL. */
    const struct doctor_rule *rules;
};

/* Registers all data types, ended by NULL; called once, at load. */
void data_types_start(struct data_type *const *all);

/* The data type of values of this server type, or of records that begin with this letter; NULL if there is none. */
const struct data_type *data_type_of(const RedisModuleType *type);
const struct data_type *data_type_of_letter(uint8_t letter);
/* The data type after this one whose values have something to lease: the first one for NULL, NULL after the last. */
const struct data_type *data_type_next_leasable(const struct data_type *type);
/* The sum of `holdings` over all data types. */
unsigned long long data_types_holdings(void);

#endif
