/* Stored access policies: up to five named sets of permissions with a start and an end, kept for the application.
 * Holdfast stores and returns them; they grant nothing by themselves. */
#ifndef HOLDFAST_POLICY_H
#define HOLDFAST_POLICY_H

#include "core/outcome.h"
#include "core/packed.h"

enum { POLICIES_MAX = 5, POLICY_ID_MAX_BYTES = 64, POLICY_INSTANT_NONE = -1 };

struct policy {
    struct bytes id;
    int64_t start_ms; /* POLICY_INSTANT_NONE when there is none */
    int64_t expiry_ms;
    struct bytes permissions;
};

/* Unix milliseconds, or - for none. */
bool policy_instant_read(struct bytes text, int64_t *instant_ms);

void policy_pack(struct record_writer *writer, const struct policy *policy);
bool policy_next(struct record_reader *reader, struct policy *policy);

/* Refuses a valid list whose permissions use other letters than these. */
enum outcome policies_check_letters(struct packed_list list, const char *letters);

/* Also for untrusted lists. */
enum outcome policies_check(struct packed_list list);

#endif
