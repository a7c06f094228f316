/* What a family implements so that LEASE.* finds what it has to lease: one struct lease_home, which its data type
 * has among its members. */
#ifndef HOLDFAST_LEASE_HOME_H
#define HOLDFAST_LEASE_HOME_H

#include "core/order_index.h"
#include "core/outcome.h"
#include "core/targets.h"
#include "lease/lease.h"

struct call;

/* The object that is leased. */
struct lease_subject {
    struct bytes name; /* empty for the aggregate itself */
    uint64_t buffer;   /* for a name that is not stored anywhere else */
    const char *noun;
    void *object; /* the family's object; NULL for the aggregate itself */
    const struct stamp *stamp;
    const struct lease *lease;
    bool endless; /* leases without end only: nothing to renew, and breaking one ends it */
};

/* What LEASE.* needs to know of a family. */
struct lease_home {
    const char *noun; /* of the value */
    enum lease_noun own_noun;
    /* Where a value has its stamp, its own lease (a pointer), and the index of its leased objects. */
    size_t stamp_at, lease_at, leased_at;
    int object_slot;  /* of the option that names an object of the value */
    int foreign_slot; /* of the option that names an object of another family */
    const char *foreign_note;
    /* The name of an object as transactions compare it. NULL if that is the name itself. */
    struct bytes (*target_name)(struct bytes name, struct targets *targets);
    /* Finds the object that the call names. The subject is that of the value, without stamp and lease. */
    enum outcome (*find)(struct call *call, struct lease_subject *subject);
    /* Clears expired state around the subject before a decision. May be NULL. */
    void (*settle)(struct call *call);
    /* Decides the change by which the lease becomes the next one. */
    void (*decide)(struct call *call, const struct lease_subject *subject, const struct lease *next,
                   enum lease_event event, bool expired);
    const struct lease *(*lease_of)(struct entry *entry);
    /* The lease that a change sets; NULL for none. */
    const struct lease *(*set_by)(const void *change);
    /* Whether the entry's object still exists: it may have expired. */
    bool (*exists)(struct call *call, struct entry *entry);
    /* The display name of an entry's object. Returns a buffer that the caller frees, or NULL when the name is the
     * entry's own. NULL if that holds for all entries. */
    char *(*display_name)(struct entry *entry, struct bytes *name);
    /* Its length. */
    size_t (*display_length)(struct entry *entry);
    /* The name of the object's line of waiters, perhaps in the buffer. NULL if that is the entry's name. */
    struct bytes (*line_name)(struct entry *entry, uint64_t *buffer);
    /* The checks on a lease that begins, besides those of existing leases. May be NULL. */
    enum outcome (*check_begin)(struct call *call, const struct lease_subject *subject);
};

static inline const void *lease_home_member(const void *value, size_t at) {
    return (const char *)value + at;
}

static inline const struct stamp *lease_home_stamp(const struct lease_home *home, const void *value) {
    return lease_home_member(value, home->stamp_at);
}

static inline const struct lease *lease_home_own(const struct lease_home *home, const void *value) {
    const struct lease *const *own = lease_home_member(value, home->lease_at);
    return lease_or_none(*own);
}

/* It has no root while there are none. */
static inline const struct order_index *lease_home_leased(const struct lease_home *home, const void *value) {
    return lease_home_member(value, home->leased_at);
}

#endif
