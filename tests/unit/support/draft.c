#include "draft.h"

#include "allocations.h"
#include "blob/block_plan.h"
#include "blob/blocks.h"
#include "core/duration.h"
#include "core/feed.h"
#include "core/memory.h"
#include "core/name.h"
#include "core/policy.h"

#include <stdio.h>

static const char *const property_texts[] = {
    "content-type=text/plain", "content-encoding=gzip",
    "content-language=de",     "content-disposition=attachment; filename=\"a name of some length.txt\"",
    "cache-control=no-cache",  "content-md5=1B2M2Y8AsgTpgAmY7PhCfg==",
};

/* Of the server that made the drafts. */
static const version epoch = UINT64_C(0x65a00000) << 32;

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
        .token = epoch + choice->stamp + 1,
        .duration_ms = durations[sort / 3 % 4],
        .since_ms = choice->stamp,
        .ends_ms = instants[sort / 12 % 4],
        .owner = bytes_of(owner, lengths[sort / 48 % 3]),
    };
    fit_end(&lease);
    return lease;
}

/* Bytes that differ from one content to the next. */
static struct bytes bytes_like(const struct choice *choice, size_t length) {
    static char room[1 << 17];
    if (!room[0])
        for (size_t i = 0; i < sizeof(room); i++) room[i] = (char)(1 + i % 251);
    return bytes_of(room + choice->stamp + choice->fine, length);
}

static bool is_paged(enum container_change_kind kind) {
    return kind == BLOB_PUTPAGE || kind == BLOB_CLEARPAGE;
}

static struct bytes content_of(const struct choice *choice, enum container_change_kind kind) {
    size_t length = sizes[choice->size % SIZES] + choice->fine % 8;
    if (kind == BLOB_PUTPAGE) length = (1UL + choice->size % 80U) * PAGE_BYTES;
    if (kind == CONTAINER_CHUNK && choice->fine % 2) length = PAGE_BYTES;
    return bytes_like(choice, length);
}

/* --- Numbers, blocks and copies --- */

/* The nth of a few block ids, most of which are equally long. */
static struct bytes draft_block_id(unsigned n) {
    static const char longest[BLOCK_ID_MAX_BYTES] = "the longest id";
    switch (n % 12) {
    case 10: return bytes_of("\0\xff", 2);
    case 11: return bytes_of(longest, sizeof(longest));
    default: return bytes_of(&"0123456789"[n % 12], 1);
    }
}

/* Numbers that are drawn from the choice and do not depend on each other. */
static struct dice dice_of(const struct choice *choice) {
    struct dice dice = {0};
    memcpy(&dice.state, choice, sizeof(*choice));
    return dice;
}

static void add_list_item(struct record_writer *list, struct dice *dice, enum container_change_kind kind,
                          uint64_t place) {
    struct bytes id = draft_block_id((unsigned)dice_roll(dice, dice_percent(dice, 90) ? 5 : 12));
    uint64_t number = 1 + dice_roll(dice, dice_percent(dice, 80) ? 2 : 5);
    switch (kind) {
    case BLOB_BLOCKS:
        record_put_bytes(list, id);
        record_put_number(list, number);
        break;
    case BLOB_SPANS: record_put_number(list, number); break;
    case BLOB_LEAVES:
        record_put_number(list, place + dice_roll(dice, 2));
        record_put_word(list, UINT64_C(1) << dice_roll(dice, 8));
        record_put_number(list, number);
        break;
    default:
        block_choice_put(list, dice_percent(dice, 80) ? BLOCK_LATEST : (enum block_choice)dice_roll(dice, 3),
                         id);
    }
}

static struct packed_list add_list(struct draft *draft, const struct choice *choice,
                                   enum container_change_kind kind) {
    struct dice dice = dice_of(choice);
    uint64_t count = kind == BLOB_LEAVES ? choice->size % 3U : choice->size % 6U;
    for (uint64_t i = 0; i < count; i++) add_list_item(&draft->list, &dice, kind, 2 * i);
    return (struct packed_list){count, record_written(&draft->list)};
}

/* A pending copy may arrive; one that has not succeeded may be of a blob of unknown kind. */
static void flag_copy(struct copy *copy, const struct choice *choice) {
    if (!(choice->beside & 8)) return;
    copy->arriving = copy->status == COPY_PENDING && choice->fine & 4;
    copy->untyped = !copy->arriving && copy->status != COPY_SUCCESS;
}

static struct copy copy_of(const struct choice *choice) {
    static const char source[] = "a container/a name that is told to people";
    struct copy copy = {
        .status = (enum copy_status)(COPY_PENDING + choice->fine % (COPY_STATUSES - 1)),
        .id = epoch + choice->metadata + 1,
        .source = bytes_of(source, choice->properties % sizeof(source)),
        .done = choice->size,
        .total = choice->size % 3 ? choice->size : (uint64_t)INT64_MAX,
        .completed_ms = choice->fine % 2 ? choice->stamp * INT64_C(1001) : 0,
        .description = bytes_of(source, choice->metadata % sizeof(source)),
    };
    flag_copy(&copy, choice);
    return copy;
}

/* A state has only what blobs of its kind have. */
static void fit_state(struct container_change *change) {
    if (change->blob_kind != KIND_PAGE) {
        change->parts &= ~(unsigned)(PART_LENGTH | PART_SEQUENCE);
        change->born = 0;
    }
    if (change->blob_kind == KIND_APPEND) return;
    change->count = 0;
    change->parts &= ~(unsigned)STATE_IS_SEALED;
}

/* What only some kinds have, and each may have. */
static void add_numbers(struct container_change *change, const struct choice *choice) {
    struct dice dice = dice_of(choice);
    bool large = choice->properties % 16 == 0;
    change->parts = (unsigned)dice_roll(&dice, PARTS_ALL + 1);
    change->blob_kind = (enum blob_kind)(choice->size % KIND_UNCOMMITTED);
    change->offset = choice->size * UINT64_C(512);
    change->length = choice->fine % (DRAFT_PAGES_MAX + 1U) * UINT64_C(512);
    if (is_paged(change->kind) && choice->fine % 4) change->length %= UINT64_C(40) * 512;
    if (change->kind == CONTAINER_CHUNK)
        change->length = change->content.length + (choice->stamp % 4 ? 0 : 1000);
    change->count = large ? UINT64_MAX : choice->size % 5U;
    change->sequence = large ? INT64_MAX : choice->fine;
    change->born = large ? VERSION_MAX : choice->stamp;
    change->snapshot = choice->stamp % 4 ? epoch + choice->stamp : 0;
    change->block_id = draft_block_id(choice->fine % 4 ? choice->fine % 5U : choice->fine / 4U);
    change->touched_ms = large ? INT64_MAX : choice->stamp * STAGED_LIFE_MS / 8;
    change->source = draft_name(choice->fine);
    change->source_snapshot = choice->beside & 128 ? change->snapshot : 0;
    change->minted = choice->beside & 64 ? change->stamp.etag : 0;
    if (change->kind == CONTAINER_FEEDON) change->minted = epoch + 0xffff;
    change->from_elsewhere = choice->beside & 4;
    change->copy = copy_of(choice);
    if (change->kind == BLOB_STATE || change->kind == BLOB_COPYBEGIN) fit_state(change);
}

/* Of names that no other draft has. */
static void add_markers(struct record_writer *markers, const struct choice *choice) {
    struct dice dice = dice_of(choice);
    version v = epoch + choice->stamp;
    for (unsigned i = 0; i < choice->size % 4U; i++) {
        char name[32];
        v += dice_roll(&dice, 5);
        int length = snprintf(name, sizeof(name), "deleted at %u", (unsigned)(v - epoch));
        record_put_word(markers, dice_percent(&dice, 2) ? v << dice_roll(&dice, 64) : v);
        record_put_bytes(markers, bytes_of(name, dice_percent(&dice, 2) ? 0 : (size_t)length));
    }
    if (dice_percent(&dice, 5)) record_put_byte(markers, 1);
}

/* A state admits all that drafts make; a frontier is a name, or none. */
static struct bytes add_feed(struct draft *draft, const struct choice *choice,
                             enum container_change_kind kind) {
    struct feed feed = {.whole_from = epoch | choice->stamp,
                        .newest = epoch | 0xffff,
                        .keep = choice->fine % 4U,
                        .end_count = choice->size % 3U};
    for (unsigned i = 0; i < feed.end_count; i++) {
        feed.ends[i] = epoch - ((version)(feed.end_count - i) << 32) + choice->fine;
        feed.begins[i] = feed.ends[i] - choice->fine / 2;
    }
    if (kind == CONTAINER_FEEDMARKERS) add_markers(&draft->feed, choice);
    if (kind == CONTAINER_FEEDBUILT && choice->fine % 2) return draft_name(choice->name);
    if (kind == CONTAINER_FEEDSTATE) feed_put_state(&feed, &draft->feed);
    return record_written(&draft->feed);
}

void draft_make(struct draft *draft, const struct choice *choice) {
    pairs_start(&draft->properties);
    pairs_start(&draft->metadata);
    pairs_start(&draft->policies);
    record_start(&draft->list);
    record_start(&draft->feed);
    add_properties(&draft->properties, choice->properties % PROPERTY_SETS);
    add_metadata(&draft->metadata, choice->metadata % METADATA_SETS);
    add_policies(&draft->policies, choice->metadata % POLICY_SETS);
    enum container_change_kind kind = (enum container_change_kind)(choice->kind % CONTAINER_CHANGE_KINDS);
    draft->change = (struct container_change){
        .kind = kind,
        .access = (enum container_access)(choice->stamp % ACCESS_KINDS),
        .name = container_change_kinds[kind].is.fields & CONTAINER_HAS(NAME) ? draft_name(choice->name)
                                                                             : bytes_of("", 0),
        .stamp = {epoch + choice->stamp + 1, choice->stamp * INT64_C(1000)},
        .created_ms = choice->stamp * INT64_C(999),
        .properties = pairs_list(&draft->properties),
        .metadata = pairs_list(&draft->metadata),
        .policies = pairs_list(&draft->policies),
        .list = add_list(draft, choice, kind),
        .feed = add_feed(draft, choice, kind),
        .lease = lease_of(choice),
        .event = (enum lease_event)(choice->metadata % LEASE_EVENTS),
        .frees_lease = choice->beside & 16,
        .expired = choice->beside & 32,
    };
    if (change_is(&container_changes, &draft->change, CHANGE_HAS_CONTENT))
        draft->change.content = content_of(choice, kind);
    add_numbers(&draft->change, choice);
}

void draft_end(struct draft *draft) {
    pairs_end(&draft->properties);
    pairs_end(&draft->metadata);
    pairs_end(&draft->policies);
    record_end(&draft->list);
    record_end(&draft->feed);
}

void change_set_content(struct container_change *change, struct bytes content) {
    change->content = content;
    if (content.length <= BLOB_INLINE_MAX) return;
    change->chunk = chunk_with_owner(content);
    change->content = chunk_bytes(change->chunk);
}

/* Pages are always copied, nothing at all is no chunk, and a large content never stands in the blob. */
struct chunk *draft_chunk(const struct draft *draft, const struct choice *choice) {
    struct bytes content = draft->change.content;
    bool large = content.length > BLOB_INLINE_MAX;
    if (!content.length || draft->change.kind == BLOB_PUTPAGE) return NULL;
    if (choice->beside % 4 == 1) return chunk_copy(content);
    if (!large || (choice->beside % 4 == 0 && draft->change.kind != BLOB_PUT)) return NULL;
    return chunk_with_owner(content);
}

/* --- Whether two say the same --- */

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
    bool possible = lease->token && lease->token <= VERSION_MAX && lease->since_ms >= 0 &&
                    lease->ends_ms >= 0 && lease->duration_ms >= DURATION_INFINITE_MS &&
                    lease->owner.length <= LEASE_OWNER_MAX_BYTES;
    switch (lease->kind) {
    case LEASE_FREE: return possible;
    case LEASE_HELD: return possible && endless == infinite && lease->duration_ms != 0;
    case LEASE_ENDING: return possible && !endless;
    default: return false;
    }
}

bool copy_same(const struct copy *a, const struct copy *b) {
    return a->status == b->status && a->id == b->id && bytes_equal(a->source, b->source) &&
           a->done == b->done && a->total == b->total && a->completed_ms == b->completed_ms &&
           a->arriving == b->arriving && a->untyped == b->untyped &&
           bytes_equal(a->description, b->description);
}

static bool same_numbers(const struct container_change *a, const struct container_change *b) {
    return a->offset == b->offset && a->length == b->length && a->count == b->count &&
           a->sequence == b->sequence && a->born == b->born && a->snapshot == b->snapshot &&
           bytes_equal(a->block_id, b->block_id) && a->touched_ms == b->touched_ms &&
           a->minted == b->minted && bytes_equal(a->feed, b->feed);
}

bool change_same(const struct container_change *a, const struct container_change *b) {
    return a->kind == b->kind && a->access == b->access && a->blob_kind == b->blob_kind &&
           a->parts == b->parts && bytes_equal(a->name, b->name) && a->stamp.etag == b->stamp.etag &&
           a->stamp.modified_ms == b->stamp.modified_ms && a->created_ms == b->created_ms &&
           same_list(a->properties, b->properties) && same_list(a->metadata, b->metadata) &&
           same_list(a->policies, b->policies) && same_list(a->list, b->list) &&
           lease_same(&a->lease, &b->lease) && copy_same(&a->copy, &b->copy) && a->event == b->event &&
           a->frees_lease == b->frees_lease && a->expired == b->expired &&
           a->from_elsewhere == b->from_elsewhere && bytes_equal(a->source, b->source) &&
           a->source_snapshot == b->source_snapshot && same_numbers(a, b);
}
