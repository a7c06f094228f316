/* What any module pays for such calls: commands of a module that does next to nothing (modules/bare.c), with as many
 * words and answers of the same shape as those of the workloads that name them. */
#include <string.h>

#include "ccan/array_size/array_size.h"
#include "workload.h"

#define VALUE "barevalue" /* as long as "container" */

static bool is_error(struct driver *driver, unsigned object, const struct reply *reply) {
    (void)driver;
    (void)object;
    return reply->kind == '-' && !strncmp(reply->text, "CONFLICT ", 9);
}

static const struct workload workloads[] = {
    {.name = BARE "BLOB.PUT",
     .request = "BARE.PUT " VALUE " {name} {content}",
     .filler = BARE "BLOB.PUT",
     .is_expected = is_token},
    {.name = BARE "BLOB.PUT IFMATCH",
     .request = "BARE.PUT " VALUE " {name} {content} IFMATCH {token}",
     .filler = BARE "BLOB.PUT",
     .is_expected = is_token},
    {.name = BARE "BLOB.GET",
     .request = "BARE.GET " VALUE " {name}",
     .filler = BARE "BLOB.PUT",
     .is_expected = is_etag_and_content},
    {.name = BARE "LEASE.ACQUIRE refused",
     .request = "BARE.REFUSE " VALUE " 3600 BLOB {name} ID 11111111-1111-1111-1111-111111111111",
     .filler = BARE "BLOB.PUT",
     .is_expected = is_error},
    {.name = BARE "LEASE.ACQUIRE, RELEASE",
     .request =
         "BARE.GET " VALUE " 3600 BLOB {name} ID " HOLDER_ID "; BARE.PUT " VALUE " " HOLDER_ID " BLOB {name}",
     .filler = BARE "BLOB.PUT",
     .is_expected = is_anything},
    {.name = BARE "BLOB.PUT LEASE",
     .request = "BARE.PUT " VALUE " {name} {content} LEASE " HOLDER_ID,
     .filler = BARE "BLOB.PUT",
     .is_expected = is_token},
    {.name = BARE "FILE.GET",
     .request = "BARE.GET " VALUE " {name}",
     .filler = BARE "BLOB.PUT",
     .is_expected = is_etag_and_content},
    {.name = BARE "FILE.PUTRANGE",
     .request = "BARE.PUT " VALUE " {name} 0 {content}",
     .filler = BARE "BLOB.PUT",
     .is_expected = is_token},
    {.name = BARE "TABLE.MERGE of 2, IFMATCH",
     .request = "BARE.PUT " VALUE " {folder} {file} IFMATCH {token} PROPS 2 status delivered1 "
                "quantity:int32 184249",
     .filler = BARE "BLOB.PUT",
     .is_expected = is_token},
    {.name = BARE "ATOMIC of 1 BLOB.PUT",
     .request = "BARE.PUT " VALUE " 1 4 BLOB.PUT several {name} {content}",
     .filler = BARE "BLOB.PUT",
     .is_expected = is_token},
    {.name = BARE "BLOB.PUT ONCE",
     .request = "BARE.PUT " VALUE " {name} {content} ONCE 5f0c2b9e-3c1d-4e57-9a60-{number}",
     .filler = BARE "BLOB.PUT",
     .is_expected = is_token},
};

const struct family bare_family = {
    .name = "bare", .workloads = workloads, .workload_count = ARRAY_SIZE(workloads)};
