#include "hostile.h"

#include <string.h>

#include "everywhere.h"
#include "payload.h"
#include "pool.h"
#include "text.h"
#include "world.h"

void require_whole(const char *key) {
    redisReply *container = call(primary, "CONTAINER.GET %s", key);
    require(!reply_is_error(container), "CONTAINER.GET gives %s", reply_text(container));
    call(primary, "CONTAINER.GETACL %s", key);
    call(primary, "MEMORY USAGE %s SAMPLES 0", key);
    redisReply *page = expect_elements(call(primary, "BLOB.LIST %s COUNT 5000 INCLUDE 1 META", key), 2);
    require(field(container, "blobs")->integer == (long long)page->element[1]->elements,
            "%lld blobs, but %zu listed", field(container, "blobs")->integer, page->element[1]->elements);
    long long bytes = 0;
    for (size_t index = 0; index < page->element[1]->elements; index++) {
        redisReply *name = field(page->element[1]->element[index], "name");
        redisReply *blob = expect_elements(call(primary, "BLOB.GET %s %b", key, name->str, name->len), 2);
        bytes += (long long)blob->element[1]->len;
    }
    expect_number(field(container, "bytes"), bytes);
    const char *digest = value_digest(primary, key);
    redisReply *dump = call(primary, "DUMP %s", key);
    expect_ok(call(primary, "RESTORE again 0 %b REPLACE", dump->str, dump->len));
    assert_string_equal(digest, value_digest(primary, "again"));
    call(primary, "BLOB.PUT %s after x", key);
    call(primary, "DEL again %s", key);
}

void hostile_restore(char *payload, size_t length, struct tally *tally) {
    payload_sign(payload, length);
    redisReply *reply = call(primary, "RESTORE doctored 0 %b REPLACE", payload, length);
    if (reply_is_error(reply)) {
        tally->refused++;
        expect_number(call(primary, "EXISTS doctored"), 0);
    } else {
        tally->accepted++;
        if (text_begins(call(primary, "TYPE doctored")->str, "holdfast")) require_whole("doctored");
    }
}

void hostile_fill(const char *container, int blobs) {
    expect_etag(call(primary, "CONTAINER.CREATE %s META 2 a b c d ACCESS BLOB", container));
    expect_etag(
        call(primary, "CONTAINER.SETACL %s ACCESS CONTAINER POLICIES 2 one 0 99 rw two - - l", container));
    for (int index = 0; index < blobs; index++) {
        expect_etag(call(primary,
                         "BLOB.PUT %s blob-%d %s META 1 name %d PROPS 2 content-type text/plain "
                         "cache-control %d",
                         container, index, pool_print("%0*d", index * 9 + 1, index), index, index));
    }
}

redisReply *hostile_dump(const char *container, int blobs) {
    hostile_fill(container, blobs);
    redisReply *dump = call(primary, "DUMP %s", container);
    require(payload_checksum(dump->str, dump->len - 8) ==
                *(const uint64_t *)(const void *)(dump->str + dump->len - 8),
            "the checksum of the tests is not that of the server");
    return dump;
}
