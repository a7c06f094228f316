/*
 * Long random sequences of commands against a model that is as simple as can be: three containers of sixteen
 * blobs in plain arrays. Every answer is foretold, and every now and then all is compared, reloaded and
 * passed on.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "random.h"
#include "text.h"

enum { CONTAINERS = 3, BLOBS = 16, CONTENT_AT_MAX = 3000, STEPS = 12000, STEPS_BETWEEN_LOOKS = 500 };

struct model_blob {
    bool exists;
    char etag[20];
    char content[CONTENT_AT_MAX];
    size_t length;
    int meta;     /* a number that the metadata hold, or -1 for none */
    int language; /* likewise for the property content-language */
};

struct model_container {
    bool exists;
    char etag[20];
    int meta;
    struct model_blob blob[BLOBS];
};

static struct model_container model[CONTAINERS];
static char last_etag[20];

static const char *const blob_names[BLOBS] = {
    "a", "b", "ab", "a/b", "a/c", "a/b/c", "A", "z", "\xff", "\x01\r\n", "long-long-long-long-long-long-name",
    "0", "1", "10", "-",   "~",
};

static const char *container_name(int container) {
    return pool_print("box-%d", container);
}

/* Every ETag must be greater than all before it, whoever got them. */
static void note_etag(char *place, const redisReply *reply) {
    const char *etag = expect_etag(reply);
    require(strcmp(etag, last_etag) > 0, "%s is not greater than %s", etag, last_etag);
    memcpy(last_etag, etag, sizeof last_etag - 1);
    memcpy(place, etag, sizeof last_etag - 1);
}

enum guard {
    NO_GUARD,
    RIGHT_MATCH,
    WRONG_MATCH,
    ANY_MATCH,
    NONE_AT_ALL,
    RIGHT_NONE_MATCH,
    WRONG_NONE_MATCH,
    GUARDS
};

static void add_guard(struct words *words, enum guard guard, const char *etag) {
    static const char *const tokens[] = {
        "", "IFMATCH", "IFMATCH", "IFMATCH", "IFNONEMATCH", "IFNONEMATCH", "IFNONEMATCH"};
    if (guard == NO_GUARD) return;
    bool is_right = guard == RIGHT_MATCH || guard == RIGHT_NONE_MATCH;
    bool is_star = guard == ANY_MATCH || guard == NONE_AT_ALL;
    words_add(words, tokens[guard]);
    words_add(words, is_star ? "*" : is_right && *etag ? etag : "0x0000000000000001");
}

/* What a write under a guard is answered with, or NULL when it succeeds. */
static const char *foretold_refusal(const struct model_container *container, const struct model_blob *blob,
                                    enum guard guard, bool creates) {
    if (!container->exists) return "NOTFOUND ContainerNotFound";
    bool expects_something = guard == RIGHT_MATCH || guard == WRONG_MATCH || guard == ANY_MATCH;
    if (!blob->exists) {
        if (!creates) return "NOTFOUND BlobNotFound";
        return expects_something ? "PRECONDITION ConditionNotMet" : NULL;
    }
    if (guard == NONE_AT_ALL && creates) return "CONFLICT BlobAlreadyExists";
    return guard == WRONG_MATCH || guard == RIGHT_NONE_MATCH ? "PRECONDITION ConditionNotMet" : NULL;
}

/* Sends the command with the guard; answers the reply of a success, or NULL after the foretold refusal. */
static redisReply *write_guarded(struct words *words, int container, int blob, bool creates) {
    enum guard guard = random_below(2) ? NO_GUARD : (enum guard)random_below(GUARDS);
    struct model_blob *target = &model[container].blob[blob];
    add_guard(words, guard, target->exists ? target->etag : "");
    const char *refusal = foretold_refusal(&model[container], target, guard, creates);
    redisReply *reply = call_words(primary, words);
    if (!refusal) return reply;
    expect_error(reply, refusal);
    return NULL;
}

static struct words blob_command(const char *command, int container, int blob) {
    struct words words = {0};
    words_add(&words, command);
    words_add(&words, container_name(container));
    words_add(&words, blob_names[blob]);
    return words;
}

static void add_meta(struct words *words, int meta) {
    words_add_line(words, meta < 0 ? "META 0" : pool_print("META 2 number %d Other %0*d", meta, meta, 0));
}

static void play_put(int container, int blob) {
    struct model_blob next = {.exists = true, .meta = random_below(3) - 1, .language = random_below(3) - 1};
    next.length = random_below(4) ? random_size(100) : random_size(CONTENT_AT_MAX);
    random_fill(next.content, next.length);
    struct words words = blob_command("BLOB.PUT", container, blob);
    words_add_bytes(&words, next.content, next.length);
    if (next.meta >= 0) add_meta(&words, next.meta);
    if (next.language >= 0) words_add_line(&words, pool_print("PROPS 1 content-language %d", next.language));
    redisReply *reply = write_guarded(&words, container, blob, true);
    if (!reply) return;
    note_etag(next.etag, reply);
    model[container].blob[blob] = next;
}

static void play_setmeta(int container, int blob) {
    int meta = random_below(40) - 5;
    struct words words = blob_command("BLOB.SETMETA", container, blob);
    add_meta(&words, meta);
    redisReply *reply = write_guarded(&words, container, blob, false);
    if (!reply) return;
    note_etag(model[container].blob[blob].etag, reply);
    model[container].blob[blob].meta = meta;
}

static void play_setprops(int container, int blob) {
    int language = random_below(10) - 2;
    struct words words = blob_command("BLOB.SETPROPS", container, blob);
    words_add_line(&words, language < 0 ? "PROPS 0" : pool_print("PROPS 1 content-language %d", language));
    redisReply *reply = write_guarded(&words, container, blob, false);
    if (!reply) return;
    note_etag(model[container].blob[blob].etag, reply);
    model[container].blob[blob].language = language;
}

static void play_delete(int container, int blob) {
    struct words words = blob_command("BLOB.DELETE", container, blob);
    redisReply *reply = write_guarded(&words, container, blob, false);
    if (!reply) return;
    expect_ok(reply);
    model[container].blob[blob].exists = false;
}

static void play_get(int container, int blob) {
    const struct model_blob *expected = &model[container].blob[blob];
    struct words words = blob_command("BLOB.GET", container, blob);
    size_t offset = 0;
    size_t length = expected->length;
    if (random_below(2) && expected->exists && expected->length) {
        offset = random_size(expected->length);
        length = 1 + random_size(200);
        words_add_line(&words, pool_print("RANGE %zu %zu", offset, length));
        if (length > expected->length - offset) length = expected->length - offset;
    }
    redisReply *reply = call_words(primary, &words);
    const char *refusal = foretold_refusal(&model[container], expected, NO_GUARD, false);
    if (refusal) {
        expect_error(reply, refusal);
        return;
    }
    expect_text(reply->element[0], expected->etag);
    expect_bytes(reply->element[1], expected->content + offset, length);
}

static void play_create(int container, int blob) {
    (void)blob;
    int meta = random_below(20) - 5;
    struct words words = words_of_line("CONTAINER.CREATE");
    words_add(&words, container_name(container));
    add_meta(&words, meta);
    redisReply *reply = call_words(primary, &words);
    if (model[container].exists) {
        expect_error(reply, "CONFLICT ContainerAlreadyExists");
        return;
    }
    memset(&model[container], 0, sizeof model[container]);
    model[container].exists = true;
    model[container].meta = meta;
    note_etag(model[container].etag, reply);
}

static void play_container_setmeta(int container, int blob) {
    (void)blob;
    int meta = random_below(20) - 5;
    struct words words = words_of_line("CONTAINER.SETMETA");
    words_add(&words, container_name(container));
    add_meta(&words, meta);
    redisReply *reply = call_words(primary, &words);
    if (!model[container].exists) {
        expect_error(reply, "NOTFOUND ContainerNotFound");
        return;
    }
    note_etag(model[container].etag, reply);
    model[container].meta = meta;
}

static void play_removal(int container, int blob) {
    (void)blob;
    if (random_below(10)) return; /* not too often, or nothing ever grows */
    redisReply *reply = call(primary, "%s %s", random_below(2) ? "UNLINK" : "DEL", container_name(container));
    expect_number(reply, model[container].exists);
    model[container].exists = false;
}

static void play_copy_or_rename(int container, int blob) {
    int other = blob % CONTAINERS;
    if (random_below(10) || other == container || !model[container].exists) return;
    if (random_below(2)) {
        expect_number(call(primary, "COPY %s %s REPLACE", container_name(container), container_name(other)),
                      1);
        model[other] = model[container];
    } else {
        expect_ok(call(primary, "RENAME %s %s", container_name(container), container_name(other)));
        model[other] = model[container];
        model[container].exists = false;
    }
}

static void compare_meta(const redisReply *meta, int number) {
    expect_elements((redisReply *)meta, number < 0 ? 0 : 4);
    if (number >= 0) expect_text(field(meta, "number"), pool_print("%d", number));
}

static void compare_blob(const redisReply *item, const struct model_blob *blob) {
    expect_text(field(item, "etag"), blob->etag);
    expect_number(field(item, "content-length"), (long long)blob->length);
    compare_meta(field(item, "meta"), blob->meta);
    redisReply *language = reply_field_if_any(item, "content-language");
    require(!language == (blob->language < 0), "the language is %s", language ? language->str : "lost");
    if (language) expect_text(language, pool_print("%d", blob->language));
}

static int blob_of_name(const redisReply *name) {
    for (int blob = 0; blob < BLOBS; blob++) {
        if (strlen(blob_names[blob]) == name->len && !memcmp(blob_names[blob], name->str, name->len))
            return blob;
    }
    failure("nobody put %s", reply_text(name));
    return 0;
}

static void compare_container(int container) {
    const char *name = container_name(container);
    redisReply *properties = call(primary, "CONTAINER.GET %s", name);
    if (!model[container].exists) {
        expect_error(properties, "NOTFOUND ContainerNotFound");
        return;
    }
    expect_text(field(properties, "etag"), model[container].etag);
    compare_meta(field(properties, "meta"), model[container].meta);
    redisReply *items = expect_elements(call(primary, "BLOB.LIST %s INCLUDE 1 META", name), 2)->element[1];
    long long count = 0;
    long long bytes = 0;
    for (int blob = 0; blob < BLOBS; blob++) {
        if (!model[container].blob[blob].exists) continue;
        count++;
        bytes += (long long)model[container].blob[blob].length;
    }
    expect_number(field(properties, "blobs"), count);
    expect_number(field(properties, "bytes"), bytes);
    expect_elements(items, (size_t)count);
    for (size_t index = 0; index < items->elements; index++) {
        int blob = blob_of_name(field(items->element[index], "name"));
        require(model[container].blob[blob].exists, "%s was deleted", blob_names[blob]);
        compare_blob(items->element[index], &model[container].blob[blob]);
        compare_blob(call(primary, "BLOB.STAT %s %s", name, blob_names[blob]), &model[container].blob[blob]);
        play_get(container, blob);
    }
}

static void play_step(void) {
    static const struct {
        int weight;
        void (*play)(int container, int blob);
    } plays[] = {
        {30, play_put},           {10, play_setmeta}, {10, play_setprops},         {12, play_delete},
        {20, play_get},           {6, play_create},   {4, play_container_setmeta}, {4, play_removal},
        {4, play_copy_or_rename},
    };
    int drawn = random_below(100);
    size_t index = 0;
    while (drawn >= plays[index].weight) drawn -= plays[index++].weight;
    int container = random_below(CONTAINERS);
    plays[index].play(container, random_below(BLOBS));
}

static void play_sequence(void) {
    random_begin();
    memset(model, 0, sizeof model);
    memset(last_etag, 0, sizeof last_etag);
    for (int step = 0; step < STEPS; step++) {
        play_step();
        if (step % STEPS_BETWEEN_LOOKS) continue;
        for (int container = 0; container < CONTAINERS; container++) compare_container(container);
        if (!random_below(4)) expect_ok(call(primary, "DEBUG RELOAD"));
    }
    for (int container = 0; container < CONTAINERS; container++) compare_container(container);
}

TEST(a_random_sequence_goes_as_foretold) {
    play_sequence();
}

/* The same while two others do other things on other keys, so that replies and effects interleave. */
TEST(a_random_sequence_beside_others_goes_as_foretold) {
    struct client *other = test_client(primary->server);
    expect_etag(call(other, "CONTAINER.CREATE other"));
    for (int index = 0; index < 2000; index++) send_call(other, "BLOB.PUT other blob-%d %d", index, index);
    int done = 0;
    while (!done) redisBufferWrite(other->context, &done);
    play_sequence();
    for (int index = 0; index < 2000; index++) expect_etag(receive(other));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RUN(a_random_sequence_goes_as_foretold),
        RUN(a_random_sequence_beside_others_goes_as_foretold),
    };
    return harness_run("random", tests);
}
