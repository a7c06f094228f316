/* What any module pays for such calls: commands of a module that does next to nothing (modules/bare.c), with as many
 * words and answers of the same shape as those of the workloads that name them. */
#include <string.h>

#include "answers.h"
#include "workload.h"

#define VALUE " barevalue " /* as long as "container" */

static bool is_bare_refusal(const struct answer *answer) {
    return answer->reply.kind == '-' && !strncmp(answer->reply.text, "CONFLICT ", 9);
}

#define ROW(like, text, check)                                                                               \
    { .name = BARE like, .request = (text), .filler = BARE "BLOB.PUT", .is_expected = (check) }

static const struct workload workloads[] = {
    ROW("BLOB.PUT", "BARE.PUT" VALUE "{name} {content}", is_token),
    ROW("BLOB.PUT IFMATCH", "BARE.PUT" VALUE "{name} {content} IFMATCH {token}", is_token),
    ROW("BLOB.GET", "BARE.GET" VALUE "{name}", is_etag_and_content),
    ROW("LEASE.ACQUIRE refused",
        "BARE.REFUSE" VALUE "3600 BLOB {name} ID 11111111-1111-1111-1111-111111111111", is_bare_refusal),
    ROW("LEASE.ACQUIRE, RELEASE",
        "BARE.GET" VALUE "3600 BLOB {name} ID " HOLDER_ID "; BARE.PUT" VALUE HOLDER_ID " BLOB {name}",
        is_anything),
    ROW("BLOB.PUT LEASE", "BARE.PUT" VALUE "{name} {content} LEASE " HOLDER_ID, is_token),
    ROW("FILE.GET", "BARE.GET" VALUE "{name}", is_etag_and_content),
    ROW("FILE.PUTRANGE", "BARE.PUT" VALUE "{name} 0 {content}", is_token),
    ROW("TABLE.MERGE of 2, IFMATCH",
        "BARE.PUT" VALUE "{folder} {file} IFMATCH {token} PROPS 2 status delivered1 quantity:int32 184249",
        is_token),
    ROW("ATOMIC of 1 BLOB.PUT", "BARE.PUT" VALUE "1 4 BLOB.PUT several {name} {content}", is_token),
    ROW("BLOB.PUT ONCE", "BARE.PUT" VALUE "{name} {content} ONCE 5f0c2b9e-3c1d-4e57-9a60-{number}", is_token),
};

const struct family bare_family = FAMILY_ALONE("bare", workloads);
