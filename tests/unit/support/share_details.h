/* Changes of a share that only describe it or a node: lists, numbers, the share's lease, and bytes in a file; made from
 * a choice. */
#ifndef HOLDFAST_UNIT_SHARE_DETAILS_H
#define HOLDFAST_UNIT_SHARE_DETAILS_H

#include "file/share_change.h"
#include "pairs.h"
#include "share_life.h"

/* What the changes borrow from. Not to be copied. */
struct share_details {
    struct pairs metadata, properties, policies;
};

struct share_change share_details_of_share(struct share_details *details, const struct share_choice *choice,
                                           int64_t now_ms);
/* Without a path. */
struct share_change share_details_of_node(struct share_details *details, const struct share_choice *choice);
/* Whether such a change fits a node of the model, which gets its new length. */
bool share_details_fit(struct model_node *node, const struct share_change *change);
void share_details_end(struct share_details *details);

/* Of a session or a lease. */
struct bytes share_details_owner(const struct share_choice *choice);

#endif
