/* An aggregate: what the server side knows of a family, that is, of one data type. The server side names no
 * family; each one hands in a filled struct, and holdfast.c walks over them. */
#ifndef HOLDFAST_AGGREGATE_H
#define HOLDFAST_AGGREGATE_H

#include "change/change.h"
#include "core/bytes.h"
#include "core/chunk.h"
#include "core/outcome.h"
#include "server/api.h"

/* What one effect does to the value of a key. */
struct effect_target {
    void *value;           /* NULL when the key does not exist; the family may set a new one */
    bool drop;             /* the family wants the key gone */
    struct bytes name;     /* what in the value it is about; empty for the value itself */
    const char *events[2]; /* the keyspace notifications, if any */
    int64_t upkeep_ms;     /* when the value will want to be looked after because of it; 0 for never */
};

enum effect_result {
    EFFECT_APPLIED,
    EFFECT_MISFIT,    /* sound, but not what the state allows: nothing done */
    EFFECT_MALFORMED, /* not readable: nothing done */
};

/* What travels beside a record: the bytes of a content, or the key of another value. */
struct effect_content {
    bool given;
    RedisModuleString *argument;
    bool shared; /* the server may go on using the argument after the command */
    bool obeyed; /* it comes from where everything is decided; else the client's rights count */
    RedisModuleCtx *ctx;
};

struct call;
struct setting;
struct lease_home;

struct aggregate {
    const char *type_name;
    const struct change_family *changes;
    /* Carries out a change that was decided. */
    void (*commit)(struct call *call, void *change, RedisModuleString *content);
    /* Somebody waits for something in the value: sees to what only time will bring. May be NULL. */
    void (*awaited)(struct call *call);
    /* After the last change of a call, when anybody waits: serves whom it can. May be NULL. */
    void (*wake)(struct call *call, const void *change);
    unsigned char family; /* the first byte of its records */
    int encoding_version; /* of its files */
    RedisModuleTypeMethods methods;
    enum outcome missing; /* when a command wants the key and it is not there */
    enum effect_result (*apply)(struct effect_target *target, struct bytes record,
                                const struct effect_content *content, int64_t horizon_ms);
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

#endif
