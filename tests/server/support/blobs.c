#include "blobs.h"

#include "harness.h"
#include "text.h"

enum { PIPELINED = 1000 };

const char *snapshot(const char *container, const char *blob) {
    return expect_etag(call(primary, "BLOB.SNAPSHOT %s %s", container, blob));
}

void stage(const char *container, const char *blob, const char *id, size_t length, char letter) {
    expect_ok(call(primary, "BLOB.PUTBLOCK %s %s %s %b", container, blob, id, text_letters(length, letter),
                   length));
}

void fill_append_blob(const char *blob, int times) {
    for (int done = 0; done < times; done += PIPELINED) {
        int more = times - done < PIPELINED ? times - done : PIPELINED;
        for (int i = 0; i < more; i++) send_call(primary, "BLOB.APPEND box %s x", blob);
        for (int i = 0; i < more; i++)
            expect_number(expect_elements(receive(primary), 3)->element[2], done + i + 1);
    }
}

const char *content_of(const char *container, const char *blob, const char *rest) {
    struct words words = words_of_line("BLOB.GET");
    words_add(&words, container);
    words_add(&words, blob);
    words_add_line(&words, rest);
    return reply_string(expect_elements(call_words(primary, &words), 2)->element[1]);
}

long long memory_of(struct client *client, const char *key) {
    redisReply *reply = call(client, "MEMORY USAGE %s SAMPLES 0", key);
    return reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0;
}
