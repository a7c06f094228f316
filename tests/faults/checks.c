#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "failure.h"

enum { RESOURCES_MAX = 8, EPOCH_BITS = 32 };

typedef int (*order)(const void *, const void *);

static int compare(uint64_t one, uint64_t other) {
    return (one > other) - (one < other);
}

static int by_begin(const void *one, const void *other) {
    return compare((uint64_t)((const struct event *)one)->begin_us,
                   (uint64_t)((const struct event *)other)->begin_us);
}

static int by_end(const void *one, const void *other) {
    return compare((uint64_t)((const struct event *)one)->end_us,
                   (uint64_t)((const struct event *)other)->end_us);
}

static int by_version(const void *one, const void *other) {
    return compare(((const struct event *)one)->version, ((const struct event *)other)->version);
}

/* A copy of those events that `fits` takes, sorted. */
static struct history selected(struct part *part, bool (*fits)(const struct part *, const struct event *),
                               order order) {
    struct history chosen = {0};
    for_each_event(&part->history) if (fits(part, event)) history_add(&chosen, *event);
    if (chosen.count) qsort(chosen.events, chosen.count, sizeof(*chosen.events), order);
    return chosen;
}

/* --- Versions ---------------------------------------------------------------------------------------------- */

static bool gave_version(const struct part *part, const struct event *event) {
    (void)part;
    bool gives =
        event->kind == WROTE || event->kind == GRANTED || event->kind == GUARDED || event->kind == MOVED;
    return gives && event->outcome == DONE;
}

static bool gave_version_rightly(const struct part *part, const struct event *event) {
    return gave_version(part, event) && event_term(part, event) >= 0;
}

static void require_once(struct part *part) {
    struct history given = selected(part, gave_version, by_version);
    for (size_t i = 1; i < given.count; i++)
        if (given.events[i].version == given.events[i - 1].version)
            violation(part, "the version 0x%016" PRIX64 " was given twice", given.events[i].version);
    history_free(&given);
}

static void require_growth(struct part *part) {
    struct history begun = selected(part, gave_version_rightly, by_begin);
    struct history ended = selected(part, gave_version_rightly, by_end);
    uint64_t greatest = 0;
    size_t next = 0;
    for_each_event(&begun) {
        for (; ended.events[next].end_us < event->begin_us; next++)
            if (ended.events[next].version > greatest) greatest = ended.events[next].version;
        if (event->version < greatest)
            violation(part, "0x%016" PRIX64 " was given after 0x%016" PRIX64, event->version, greatest);
    }
    history_free(&begun);
    history_free(&ended);
}

void versions_check(struct part *part) {
    require_once(part);
    require_growth(part);
}

/* --- Holders ----------------------------------------------------------------------------------------------- */

/* Only the answer has to come from the rightful primary: what is held goes on when that one dies. */
static bool held_rightly(const struct part *part, const struct event *event) {
    return event->kind == HELD && event->number < event->end_us &&
           stage_term(&part->trial->stage, event->server, event->begin_us, event->number) >= 0;
}

static int by_resource(const void *one, const void *other) {
    const struct event *a = one, *b = other;
    int resources = compare((uint64_t)a->resource, (uint64_t)b->resource);
    return resources ? resources : compare((uint64_t)a->number, (uint64_t)b->number);
}

static void tell_overlap(struct part *part, const struct event *one, const struct event *other) {
    int64_t until_us = one->end_us < other->end_us ? one->end_us : other->end_us;
    violation(part, "two hold %lld for %lld us: actor %d and actor %d", other->resource,
              until_us - other->number, one->actor, other->actor);
}

void holders_check(struct part *part) {
    struct history held = selected(part, held_rightly, by_resource);
    const struct event *last = NULL;
    for_each_event(&held) {
        bool same = last && last->resource == event->resource;
        if (same && last->version != event->version && event->number < last->end_us)
            tell_overlap(part, last, event);
        if (!same || event->end_us > last->end_us) last = event;
    }
    history_free(&held);
}

/* --- Guards ------------------------------------------------------------------------------------------------ */

static bool granted_rightly(const struct part *part, const struct event *event) {
    return event->kind == GRANTED && event->outcome == DONE && event_term(part, event) >= 0;
}

static bool guarded_rightly(const struct part *part, const struct event *event) {
    return event->kind == GUARDED && event->outcome == DONE && event_term(part, event) >= 0;
}

void guards_check(struct part *part) {
    struct history writes = selected(part, guarded_rightly, by_begin);
    struct history grants = selected(part, granted_rightly, by_end);
    uint64_t greatest[RESOURCES_MAX] = {0};
    size_t next = 0;
    for_each_event(&writes) {
        for (; next < grants.count && grants.events[next].end_us < event->begin_us; next++) {
            uint64_t *token = &greatest[grants.events[next].resource % RESOURCES_MAX];
            if (grants.events[next].version > *token) *token = grants.events[next].version;
        }
        if (event->base < greatest[event->resource % RESOURCES_MAX])
            violation(part, "a write under 0x%016" PRIX64 " passed after 0x%016" PRIX64 " was granted",
                      event->base, greatest[event->resource % RESOURCES_MAX]);
    }
    history_free(&writes);
    history_free(&grants);
}

/* --- The ledger -------------------------------------------------------------------------------------------- */

void ledger_add(struct part *part, uint64_t version, bool survived) {
    struct ledger *ledger = &part->trial->ledger;
    if (ledger->count == ledger->room) {
        ledger->room = ledger->room ? 2 * ledger->room : 256;
        ledger->entries = realloc(ledger->entries, ledger->room * sizeof(*ledger->entries));
        require(ledger->entries, "out of memory");
    }
    ledger->entries[ledger->count++] = (struct ledger_entry){part, version, survived};
}

static int newest_first(const void *one, const void *other) {
    return compare(((const struct ledger_entry *)other)->version,
                   ((const struct ledger_entry *)one)->version);
}

static void judge_loss(struct trial *trial, const struct ledger_entry *lost, uint64_t survivor) {
    bool has_later = survivor && survivor >> EPOCH_BITS == lost->version >> EPOCH_BITS;
    if (trial_keeps_all(trial))
        violation(lost->part, "0x%016" PRIX64 " was answered, and is lost", lost->version);
    else if (has_later)
        violation(lost->part, "0x%016" PRIX64 " is lost, and the later 0x%016" PRIX64 " is not",
                  lost->version, survivor);
}

void ledger_check(struct trial *trial) {
    struct ledger *ledger = &trial->ledger;
    if (ledger->count) qsort(ledger->entries, ledger->count, sizeof(*ledger->entries), newest_first);
    uint64_t survivor = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct ledger_entry *entry = &ledger->entries[i];
        if (entry->survived)
            survivor = entry->version;
        else
            judge_loss(trial, entry, survivor);
    }
    free(ledger->entries);
    *ledger = (struct ledger){0};
}
