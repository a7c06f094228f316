#include "share_details.h"

#include "core/policy.h"
#include "file/node.h"
#include "require.h"

#include <string.h>

struct model_range share_choice_range(const struct share_choice *choice) {
    static const uint64_t offsets[] = {0, 1, 2, 3, 5, 8, UINT64_MAX - 3, UINT64_MAX};
    static const uint64_t lengths[] = {0, 1, 2, 4, 7, 3, 5, UINT64_MAX};
    return (struct model_range){offsets[choice->range % 8], lengths[choice->range / 8 % 8]};
}

bool share_range_is_sound(struct model_range range) {
    return range.offset == 0 || range.length <= UINT64_MAX - range.offset + 1;
}

struct model_sharing share_choice_sharing(uint8_t choice) {
    return (struct model_sharing){choice & MODEL_ALL_ACCESS, choice >> 3 & MODEL_ALL_ACCESS};
}

struct sharing share_sharing(struct model_sharing sharing) {
    return (struct sharing){(uint8_t)sharing.access, (uint8_t)sharing.share};
}

enum lease_kind share_lease_kind(enum model_file_lease lease) {
    static const enum lease_kind kinds[] = {
        [MODEL_UNLEASED] = LEASE_FREE, [MODEL_LEASE_HELD] = LEASE_HELD, [MODEL_LEASE_ENDING] = LEASE_ENDING};
    return kinds[lease];
}

struct guid share_session_id(int session) {
    return (struct guid){0x5e, (uint64_t)session + 1};
}

struct guid share_handle_id(int handle) {
    return (struct guid){0x4a, (uint64_t)handle + 1};
}

struct bytes share_details_owner(const struct share_choice *choice) {
    static const char *const owners[] = {"", "worker-7", "somebody with a longer name"};
    return bytes_text(owners[choice->handle % 3]);
}

struct packed_list share_details_metadata(struct pairs *pairs, int meta) {
    char text[] = "m=?";
    text[2] = (char)('0' + meta);
    if (meta) pairs_add_texts(pairs, (const char *const[]){text, "l=", NULL});
    return pairs_list(pairs);
}

int share_details_meta(const struct packed_list *metadata) {
    struct record_reader reader = record_reader(metadata->items);
    struct bytes name, value;
    if (!metadata->count) return 0;
    require(packed_next_pair(&reader, &name, &value) && value.length == 1, "a pair of metadata");
    return value.data[0] - '0';
}

static void draw_details(struct share_details *details, const struct share_choice *choice) {
    const struct policy policy = {bytes_text("id"), 1, choice->range, bytes_text("rw")};
    pairs_start(&details->metadata);
    pairs_start(&details->properties);
    pairs_start(&details->policies);
    share_details_metadata(&details->metadata, choice->sharing % 4);
    if (choice->sharing & 2)
        pairs_add_texts(&details->properties, (const char *const[]){"content-type=text/plain", NULL});
    if (choice->sharing & 4) policy_pack(&details->policies.writer, &policy);
    details->policies.count = choice->sharing >> 2 & 1;
}

void share_details_end(struct share_details *details) {
    pairs_end(&details->metadata);
    pairs_end(&details->properties);
    pairs_end(&details->policies);
}

static struct lease lease_of(const struct share_choice *choice, int64_t now_ms) {
    return (struct lease){.kind = choice->sharing & 16 ? LEASE_ENDING : LEASE_FREE,
                          .id = {choice->session, 1},
                          .token = (version)choice->target + 1,
                          .duration_ms = choice->range * INT64_C(1000),
                          .ends_ms = now_ms + choice->range,
                          .owner = share_details_owner(choice)};
}

struct share_change share_details_of_share(struct share_details *details, const struct share_choice *choice,
                                           int64_t now_ms) {
    static const enum share_change_kind kinds[] = {SHARE_SETMETA, SHARE_SETPROPS, SHARE_SETACL, SHARE_LEASE};
    draw_details(details, choice);
    return (struct share_change){.kind = kinds[choice->path % 4],
                                 .quota = choice->target * UINT64_C(1000),
                                 .metadata = pairs_list(&details->metadata),
                                 .policies = pairs_list(&details->policies),
                                 .lease = lease_of(choice, now_ms),
                                 .event = (enum lease_event)(choice->range % LEASE_EVENTS),
                                 .expired = choice->sharing & 8};
}

struct share_change share_details_of_node(struct share_details *details, const struct share_choice *choice) {
    static const enum share_change_kind kinds[] = {FILE_SETMETA, FILE_SETPROPS, FILE_PUTRANGE,
                                                   FILE_CLEARRANGE};
    draw_details(details, choice);
    memset(details->bytes, choice->sharing | 1, sizeof(details->bytes));
    return (struct share_change){
        .kind = kinds[choice->target % 4],
        .parts = choice->session % (FILE_PARTS_ALL + 1U),
        .offset = choice->range * UINT64_C(4),
        .length = choice->handle * UINT64_C(2),
        .attributes = choice->session & ATTRIBUTES_ALL,
        .metadata = pairs_list(&details->metadata),
        .properties = pairs_list(&details->properties),
        .content = bytes_of(details->bytes, (size_t)choice->handle * 2 % sizeof(details->bytes))};
}

static bool of_range_fits(struct share_model *model, int node, const struct share_change *change) {
    bool puts = change->kind == FILE_PUTRANGE;
    uint64_t length = puts ? change->content.length : change->length;
    if (change->offset + length > model->nodes[node].content.length) return false;
    share_model_write(model, node, change->offset, puts ? change->content.data : NULL, length);
    return true;
}

bool share_details_fit(struct share_model *model, int node, const struct share_choice *choice,
                       const struct share_change *change) {
    struct model_content *content = &model->nodes[node].content;
    bool is_about_file = change->kind != FILE_SETMETA;
    if (is_about_file && model->nodes[node].kind != MODEL_FILE) return false;
    if (is_about_file && change->kind != FILE_SETPROPS) return of_range_fits(model, node, change);
    if (!is_about_file) content->meta = choice->sharing % 4;
    if (is_about_file && change->parts & FILE_PART_LENGTH) share_model_resize(model, node, change->length);
    if (is_about_file && change->parts & FILE_PART_ATTRIBUTES) content->attributes = change->attributes;
    share_model_stamp(model, node);
    return true;
}
