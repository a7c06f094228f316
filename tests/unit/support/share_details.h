/* What a choice says of a share: ranges, share modes, and changes that only describe it or a node: lists, numbers, the
 * share's lease, and bytes in a file. */
#ifndef HOLDFAST_UNIT_SHARE_DETAILS_H
#define HOLDFAST_UNIT_SHARE_DETAILS_H

#include "file/share_change.h"
#include "pairs.h"
#include "share_life.h"

/* What the changes borrow from. Not to be copied. */
struct share_details {
    struct pairs metadata, properties, policies;
    char bytes[700];
};

struct share_change share_details_of_share(struct share_details *details, const struct share_choice *choice,
                                           int64_t now_ms);
/* Without a path. */
struct share_change share_details_of_node(struct share_details *details, const struct share_choice *choice);
/* Whether such a change fits a node of the model, which then gets it. */
bool share_details_fit(struct share_model *model, int node, const struct share_choice *choice,
                       const struct share_change *change);
void share_details_end(struct share_details *details);

/* Metadata by the model's number for it. */
struct packed_list share_details_metadata(struct pairs *pairs, int meta);
int share_details_meta(const struct packed_list *metadata);

struct model_range share_choice_range(const struct share_choice *choice);
/* Whether it has a last byte that a number can be of. */
bool share_range_is_sound(struct model_range range);

struct model_sharing share_choice_sharing(uint8_t choice);

/* What the share has for what the model has. */
struct sharing share_sharing(struct model_sharing sharing);
enum lease_kind share_lease_kind(enum model_file_lease lease);
struct guid share_session_id(int session);
struct guid share_handle_id(int handle);

/* Of a session or a lease. */
struct bytes share_details_owner(const struct share_choice *choice);

#endif
