#include "share_details.h"

#include "core/policy.h"
#include "file/node.h"

struct bytes share_details_owner(const struct share_choice *choice) {
    static const char *const owners[] = {"", "worker-7", "somebody with a longer name"};
    return bytes_text(owners[choice->handle % 3]);
}

static void draw_details(struct share_details *details, const struct share_choice *choice) {
    const struct policy policy = {bytes_text("id"), 1, choice->range, bytes_text("rw")};
    pairs_start(&details->metadata);
    pairs_start(&details->properties);
    pairs_start(&details->policies);
    if (choice->sharing & 1) pairs_add_texts(&details->metadata, (const char *const[]){"k=v", "l=", NULL});
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
    static const char bytes[64] = "some bytes";
    draw_details(details, choice);
    return (struct share_change){.kind = kinds[choice->target % 4],
                                 .parts = choice->session % (FILE_PARTS_ALL + 1U),
                                 .offset = choice->range % 64U,
                                 .length = choice->handle,
                                 .attributes = choice->session & ATTRIBUTES_ALL,
                                 .metadata = pairs_list(&details->metadata),
                                 .properties = pairs_list(&details->properties),
                                 .content = bytes_of(bytes, choice->handle % sizeof(bytes))};
}

bool share_details_fit(struct model_node *node, const struct share_change *change) {
    uint64_t length = change->kind == FILE_PUTRANGE ? change->content.length : change->length;
    if (change->kind == FILE_SETMETA) return true;
    if (node->kind != MODEL_FILE) return false;
    if (change->kind == FILE_SETPROPS && change->parts & FILE_PART_LENGTH) node->length = change->length;
    return change->kind == FILE_SETPROPS || change->offset + length <= node->length;
}
