/* A lease by the storage service's prose: its state is kept, not computed, and moves with the clock. Ids are small
 * numbers, for which a test puts in GUIDs; 0 is none. */
#ifndef HOLDFAST_MODELS_LEASE_MODEL_H
#define HOLDFAST_MODELS_LEASE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_OWNER_SIZE = 24, MODEL_INFINITE = -1 };

enum model_lease_state {
    MODEL_AVAILABLE,
    MODEL_LEASED,
    MODEL_BREAKING,
    MODEL_BROKEN,
    MODEL_EXPIRED,
    MODEL_LEASE_STATES
};

/* Zeroed: never leased. */
struct lease_model {
    enum model_lease_state state;
    int id; /* of the holder, or of the last one */
    uint64_t token;
    int64_t duration_ms;       /* or MODEL_INFINITE */
    int64_t ends_ms, since_ms; /* it ends while it is locked, and not infinite */
    char owner[MODEL_OWNER_SIZE];
};

enum lease_verb {
    VERB_ACQUIRE,
    VERB_RENEW,
    VERB_CHANGE,
    VERB_RELEASE,
    VERB_BREAK,
    VERB_READ,
    VERB_WRITE,
    LEASE_VERBS
};

/* An operation on the lease, or a read or write of what it guards. */
struct lease_call {
    enum lease_verb verb;
    int64_t now_ms;
    int id;       /* that the caller gives; 0 for none */
    int proposed; /* acquire, change: the id for the holder; 0 for none */
    int drawn;    /* acquire: the id of a holder who proposed none */
    int64_t duration_ms;
    int64_t period_ms; /* break; negative for none */
    uint64_t token;    /* for a new holder */
    const char *owner;
};

extern const char *const model_lease_words[MODEL_LEASE_STATES];

/* The clock shows this instant; it never runs backwards. */
void lease_model_tick(struct lease_model *model, int64_t now_ms);

/* Plays the call, and answers the refusal, as "CLASS Code", or NULL. */
const char *lease_model_call(struct lease_model *model, const struct lease_call *call);
/* The refusal alone; the model does not change. */
const char *lease_model_refusal(const struct lease_model *model, const struct lease_call *call);

/* Forgets the holder but for the id and the token, as a write does with a lease that has ended. */
void lease_model_free(struct lease_model *model);

bool lease_model_locked(const struct lease_model *model);
/* Whether it is leased without end. */
bool lease_model_endless(const struct lease_model *model);
/* Until it is unlocked, when it is not endless. */
int64_t lease_model_left_ms(const struct lease_model *model, int64_t now_ms);

#endif
