/* Another server from which a blob is copied, in the worst of moods: all bytes but the first two are what it
 * says, in portions as the first byte has it; the second one chooses the order. Whatever it is, the reader
 * asks and takes on, and each change that it tells is sound and fits the container, up to the end of the
 * copy, in which nothing is half. */
#include "blob/container.h"
#include "blob/container_apply.h"
#include "blob/source_reader.h"
#include "change/change.h"
#include "require.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { QUESTIONS_MAX = 5000 };

static const version copy_id = (UINT64_C(0x65a00000) << 32) + 7;

static struct container *stage(void) {
    struct stamp stamp = {copy_id, 7};
    struct container *container =
        container_new(&(struct container_change){.kind = CONTAINER_CREATE, .stamp = stamp});
    struct container_change start = {
        .kind = BLOB_COPYSTART,
        .name = bytes_text("blob"),
        .stamp = stamp,
        .copy = {.status = COPY_PENDING, .id = copy_id, .source = bytes_text("there")}};
    require(container_apply(container, &start), "a copy cannot begin");
    return container;
}

/* As an effect would: written, read again, applied. */
static void carry_out(struct container *container, struct container_change *change) {
    struct record_writer record ENDS_BY(record_end);
    struct container_change read;
    change->name = bytes_text("blob");
    record_start(&record);
    change_write(&container_changes, change, &record);
    require(change_read(&container_changes, record_written(&record), &read), "a change of kind %d is unsound",
            (int)change->kind);
    read.content = change->content;
    require(container_apply(container, &read), "a change of kind %d does not fit", (int)change->kind);
}

static void end_copy(struct container *container, const struct source_reader *reader) {
    const struct source_failure *failure = source_reader_failure(reader);
    struct copy copy = *blob_special(container_find(container, bytes_text("blob")))->copy;
    copy.status = failure ? COPY_FAILED : COPY_SUCCESS;
    copy.arriving = copy.untyped = false;
    if (failure) copy.description = bytes_text(failure->text);
    struct container_change end = {.kind = BLOB_COPYEND, .stamp = {copy_id + 1, 8}, .copy = copy};
    carry_out(container, &end);
    const struct blob *blob = container_find(container, bytes_text("blob"));
    require(!failure || blob_length(blob) == 0, "half a blob is left");
}

static void ask_all(struct source_reader *reader, unsigned *questions) {
    struct source_question question;
    while (*questions < QUESTIONS_MAX && source_reader_ask(reader, &question)) {
        require(question.count <= SOURCE_WORDS_MAX, "too many words");
        (*questions)++;
    }
}

/* What is whole by now. */
static bool take_all(struct source_reader *reader, struct source_answers *answers,
                     struct container *container, unsigned *questions) {
    struct container_change change;
    bool failed = false;
    for (const struct answer *answer; (answer = source_answers_next(answers, &failed));) {
        source_reader_take(reader, answer);
        while (source_reader_next(reader, &change)) carry_out(container, &change);
        ask_all(reader, questions);
    }
    return !failed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    size_t portion = data[0] ? data[0] : size;
    unsigned questions = 0;
    struct copy_order order = {
        .container = bytes_text("src"), .blob = bytes_text("blob"), .has_snapshot = data[1] & 1};
    struct source_reader *reader = source_reader_new(&order);
    struct source_answers *answers = source_answers_new();
    struct container *container = stage();
    ask_all(reader, &questions);
    for (size_t at = 2; at < size; at += portion) {
        size_t length = size - at < portion ? size - at : portion;
        if (!source_answers_feed(answers, bytes_of(data + at, length))) break;
        if (!take_all(reader, answers, container, &questions)) break;
        if (data[1] & 2) {
            source_reader_reconnected(reader);
            ask_all(reader, &questions);
        }
    }
    if (!source_reader_is_done(reader))
        source_reader_fail(reader, COPY_FAILED_UNREACHABLE, bytes_text("lost"));
    end_copy(container, reader);
    container_free(container);
    source_answers_free(answers);
    source_reader_free(reader);
    return 0;
}
