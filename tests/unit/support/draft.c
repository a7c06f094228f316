#include "draft.h"

#include "allocations.h"
#include "blob/container.h"
#include "core/duration.h"
#include "core/memory.h"
#include "core/name.h"
#include "core/policy.h"

#include <stdio.h>

static const char *const property_texts[] = {
    "content-type=text/plain", "content-encoding=gzip",
    "content-language=de",     "content-disposition=attachment; filename=\"a name of some length.txt\"",
    "cache-control=no-cache",  "content-md5=1B2M2Y8AsgTpgAmY7PhCfg==",
};

enum { PROPERTY_SETS = 1 << 6, METADATA_SETS = 5, POLICY_SETS = 3, SIZES = 9 };

static const size_t sizes[SIZES] = {0, 1, 40, 200, BLOB_INLINE_MAX - 4, BLOB_INLINE_MAX, 1100, 5000, 65400};

static void add_properties(struct pairs *pairs, unsigned set) {
    for (unsigned i = 0; i < 6; i++)
        if (set >> i & 1) pairs_add_texts(pairs, (const char *const[]){property_texts[i], NULL});
}

static void add_metadata(struct pairs *pairs, unsigned set) {
    static char large[8000];
    static const unsigned counts[METADATA_SETS] = {0, 1, 3, 40, 0};
    for (unsigned i = 0; i < counts[set]; i++) {
        char name[16], value[24];
        int name_length = snprintf(name, sizeof(name), "Name_%u", i);
        int value_length = snprintf(value, sizeof(value), "value %u of %u", i, counts[set]);
        pairs_add(pairs, bytes_of(name, (size_t)name_length), bytes_of(value, (size_t)value_length));
    }
    if (set == METADATA_SETS - 1) pairs_add(pairs, bytes_text("large"), bytes_of(large, sizeof(large)));
}

static void add_policies(struct pairs *pairs, unsigned set) {
    static const unsigned counts[POLICY_SETS] = {0, 1, POLICIES_MAX};
    for (unsigned i = 0; i < counts[set]; i++) {
        char id[16];
        int length = snprintf(id, sizeof(id), "policy %u", i);
        struct policy policy = {bytes_of(id, (size_t)length), (int64_t)i * 1000, (int64_t)i * 2000,
                                bytes_text("rwdl")};
        if (i == 0) policy.start_ms = POLICY_INSTANT_NONE;
        if (i == 1) policy.expiry_ms = POLICY_INSTANT_NONE;
        policy_pack(&pairs->writer, &policy);
        pairs->count++;
    }
}

struct bytes draft_name(unsigned n) {
    static char names[DRAFT_NAMES][NAME_MAX_BYTES];
    char *name = names[n % DRAFT_NAMES];
    switch (n % DRAFT_NAMES) {
    case 0: return bytes_of("\0", 1);
    case 1: return bytes_of("\xff", 1);
    case 2: return bytes_of("a\0b", 3);
    case 3: memset(name, 'z', NAME_MAX_BYTES); return bytes_of(name, NAME_MAX_BYTES);
    case 4: memset(name, 'z', NAME_MAX_BYTES); return bytes_of(name, NAME_MAX_BYTES - 1);
    default: memset(name, 'a', DRAFT_NAMES); return bytes_of(name, n % DRAFT_NAMES);
    }
}

/* What a lease says is bent until its end fits to the rest of it. */
static void fit_end(struct lease *lease) {
    bool endless = lease->kind == LEASE_HELD && lease->duration_ms == DURATION_INFINITE_MS;
    if (lease->kind == LEASE_FREE) return;
    if (lease->kind == LEASE_HELD && lease->duration_ms == 0) lease->duration_ms = 1;
    if (endless)
        lease->ends_ms = LEASE_FOREVER;
    else if (lease->ends_ms == LEASE_FOREVER)
        lease->ends_ms = LEASE_FOREVER - 1;
}

/* Of every kind, with the shortest and the longest of what a lease can say. */
static struct lease lease_of(const struct choice *choice) {
    static const char owner[LEASE_OWNER_MAX_BYTES] = "worker-7";
    static const int64_t durations[] = {DURATION_INFINITE_MS, 0, 15000, INT64_MAX - 1};
    static const int64_t instants[] = {0, 1, 90000, LEASE_FOREVER};
    static const size_t lengths[] = {0, 8, LEASE_OWNER_MAX_BYTES};
    unsigned sort = choice->properties;
    struct lease lease = {
        .kind = (enum lease_kind)(sort % LEASE_KINDS),
        .id = {choice->stamp, ~(uint64_t)choice->fine},
        .token = (UINT64_C(0x65a00000) << 32) + choice->stamp + 1,
        .duration_ms = durations[sort / 3 % 4],
        .since_ms = choice->stamp,
        .ends_ms = instants[sort / 12 % 4],
        .owner = bytes_of(owner, lengths[sort / 48 % 3]),
    };
    fit_end(&lease);
    return lease;
}

/* Bytes that differ from one content to the next. */
static struct bytes content_of(const struct choice *choice) {
    static char room[1 << 17];
    if (!room[0])
        for (size_t i = 0; i < sizeof(room); i++) room[i] = (char)(1 + i % 251);
    size_t length = sizes[choice->size % SIZES] + choice->fine % 8;
    return bytes_of(room + choice->stamp + choice->fine, length);
}

void draft_make(struct draft *draft, const struct choice *choice) {
    pairs_start(&draft->properties);
    pairs_start(&draft->metadata);
    pairs_start(&draft->policies);
    add_properties(&draft->properties, choice->properties % PROPERTY_SETS);
    add_metadata(&draft->metadata, choice->metadata % METADATA_SETS);
    add_policies(&draft->policies, choice->metadata % POLICY_SETS);
    enum change_kind kind = (enum change_kind)(choice->kind % CHANGE_KINDS);
    draft->change = (struct change){
        .kind = kind,
        .access = (enum container_access)(choice->stamp % ACCESS_KINDS),
        .name = change_has_name(kind) ? draft_name(choice->name) : bytes_of("", 0),
        .stamp = {(UINT64_C(0x65a00000) << 32) + choice->stamp + 1, choice->stamp * INT64_C(1000)},
        .created_ms = choice->stamp * INT64_C(999),
        .properties = pairs_list(&draft->properties),
        .metadata = pairs_list(&draft->metadata),
        .policies = pairs_list(&draft->policies),
        .lease = lease_of(choice),
        .event = (enum lease_event)(choice->metadata % LEASE_EVENTS),
        .frees_lease = choice->beside & 16,
        .expired = choice->beside & 32,
        .content = change_has_content(kind) ? content_of(choice) : bytes_of("", 0),
    };
}

void draft_end(struct draft *draft) {
    pairs_end(&draft->properties);
    pairs_end(&draft->metadata);
    pairs_end(&draft->policies);
}

struct chunk *draft_chunk(const struct draft *draft, const struct choice *choice) {
    struct bytes content = draft->change.content;
    if (!change_has_content(draft->change.kind)) return NULL;
    switch (choice->beside % 4) {
    case 0: return NULL;
    case 1: return chunk_copy(content);
    default: break;
    }
    if (content.length <= BLOB_INLINE_MAX) return NULL;
    void *owner = owner_new(content);
    return chunk_adopt(owner, owner_bytes(owner), memory_size(owner));
}

static bool same_list(struct packed_list a, struct packed_list b) {
    return a.count == b.count && (a.count == 0 || bytes_equal(a.items, b.items));
}

bool lease_same(const struct lease *a, const struct lease *b) {
    return a->kind == b->kind && guid_equal(a->id, b->id) && a->token == b->token &&
           a->duration_ms == b->duration_ms && a->since_ms == b->since_ms && a->ends_ms == b->ends_ms &&
           bytes_equal(a->owner, b->owner);
}

bool lease_sound(const struct lease *lease) {
    bool endless = lease->ends_ms == LEASE_FOREVER, infinite = lease->duration_ms == DURATION_INFINITE_MS;
    bool possible = lease->token && lease->token <= VERSION_MOST && lease->since_ms >= 0 &&
                    lease->ends_ms >= 0 && lease->duration_ms >= DURATION_INFINITE_MS &&
                    lease->owner.length <= LEASE_OWNER_MAX_BYTES;
    switch (lease->kind) {
    case LEASE_FREE: return possible;
    case LEASE_HELD: return possible && endless == infinite && lease->duration_ms != 0;
    case LEASE_BROKEN_OFF: return possible && !endless;
    default: return false;
    }
}

bool change_same(const struct change *a, const struct change *b) {
    return a->kind == b->kind && a->access == b->access && bytes_equal(a->name, b->name) &&
           a->stamp.etag == b->stamp.etag && a->stamp.modified_ms == b->stamp.modified_ms &&
           a->created_ms == b->created_ms && same_list(a->properties, b->properties) &&
           same_list(a->metadata, b->metadata) && same_list(a->policies, b->policies) &&
           lease_same(&a->lease, &b->lease) && a->event == b->event && a->frees_lease == b->frees_lease &&
           a->expired == b->expired;
}
