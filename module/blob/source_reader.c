#include "blob/source_reader.h"

#include "blob/blob.h"
#include "blob/source_facts.h"
#include "core/memory.h"
#include "core/number.h"

/* Enough requests in flight to keep both sides busy, and not too much memory. */
enum { QUESTIONS_MAX = 16, BYTES_IN_FLIGHT_MAX = 2 * SOURCE_PIECE_BYTES };

/* A window with too many ranges for one reply is halved. */
#define WINDOW_FIRST_BYTES (UINT64_C(1) << 30)

enum subject { ABOUT_BLOB, ABOUT_BLOCKS, ABOUT_PAGES, ABOUT_CONTENT };

struct asked {
    enum subject subject;
    uint64_t offset, length;
};

struct source_reader {
    const struct copy_order *order;
    struct asked asked[QUESTIONS_MAX]; /* requests without a reply: a ring */
    unsigned first, count, sent;       /* `sent` of them have been sent on this connection */
    unsigned taken_back;  /* requests on this connection, before those, whose replies are dropped */
    uint64_t in_flight;   /* bytes of content requested */
    uint64_t piece_bytes; /* of content in one request; halved when the source refuses that */

    struct source_facts facts; /* when known */
    bool known, asked_blob, asked_blocks, begun, made_begin;

    uint64_t next_offset; /* of the content that has not been requested */
    uint64_t next_window, window_bytes;
    struct page_range *ranges; /* of pages, in the last window */
    size_t range_count, range_at;
    bool awaits_ranges;

    struct bytes piece; /* the part of the last answer that has not become changes */
    uint64_t piece_offset;
    uint64_t block_left; /* bytes of the last block still to come */

    bool failed;
    struct source_failure failure;
};

struct source_reader *source_reader_new(const struct copy_order *order) {
    struct source_reader *reader = memory_zeroed(sizeof(*reader));
    reader->order = order;
    reader->piece_bytes = SOURCE_PIECE_BYTES;
    reader->window_bytes = WINDOW_FIRST_BYTES;
    source_facts_start(&reader->facts);
    return reader;
}

void source_reader_free(struct source_reader *reader) {
    source_facts_end(&reader->facts);
    memory_free(reader->ranges);
    memory_free(reader);
}

/* --- Failing --- */

void source_failure_say(struct source_failure *failure, enum copy_failure reason, struct bytes text) {
    size_t length = size_min(text.length, COPY_DESCRIPTION_MAX_BYTES);
    for (size_t i = 0; i < length; i++)
        failure->text[i] = text.data[i] >= ' ' && text.data[i] <= '~' ? text.data[i] : '?';
    failure->text[length] = '\0';
    failure->reason = reason;
}

void source_reader_fail(struct source_reader *reader, enum copy_failure reason, struct bytes text) {
    if (reader->failed) return;
    reader->failed = true;
    reader->piece = bytes_of(NULL, 0);
    source_failure_say(&reader->failure, reason, text);
}

static bool fail_reader(struct source_reader *reader, enum copy_failure reason, const char *text) {
    source_reader_fail(reader, reason, bytes_text(text));
    return false;
}

static bool fail_garbled(struct source_reader *reader, const char *text) {
    return fail_reader(reader, COPY_FAILED_GARBLED, text);
}

const struct source_failure *source_reader_failure(const struct source_reader *reader) {
    return reader->failed ? &reader->failure : NULL;
}

/* --- Requests --- */

static struct asked *question_at(struct source_reader *reader, unsigned at) {
    return &reader->asked[(reader->first + at) % QUESTIONS_MAX];
}

static void add_question(struct source_reader *reader, enum subject subject, uint64_t offset,
                         uint64_t length) {
    *question_at(reader, reader->count++) = (struct asked){subject, offset, length};
    if (subject == ABOUT_CONTENT) reader->in_flight += length;
}

static void add_content(struct source_reader *reader, uint64_t from, uint64_t end) {
    uint64_t length = size_min(end - from, reader->piece_bytes);
    add_question(reader, ABOUT_CONTENT, from, length);
    reader->next_offset = from + length;
}

static bool add_next_window(struct source_reader *reader) {
    uint64_t all = reader->facts.length;
    if (reader->awaits_ranges || reader->next_window >= all) return false;
    add_question(reader, ABOUT_PAGES, reader->next_window,
                 size_min(reader->window_bytes, all - reader->next_window));
    reader->awaits_ranges = true;
    return true;
}

static uint64_t end_of_range(const struct page_range *range) {
    return range->offset + range->length;
}

static bool add_pages(struct source_reader *reader) {
    if (reader->awaits_ranges) return false;
    if (reader->range_at == reader->range_count) return add_next_window(reader);
    const struct page_range *range = &reader->ranges[reader->range_at];
    uint64_t end = end_of_range(range);
    add_content(reader, reader->next_offset > range->offset ? reader->next_offset : range->offset, end);
    if (reader->next_offset == end) reader->range_at++;
    return true;
}

/* Adds the next request, if one can be sent now. */
static bool add_next(struct source_reader *reader) {
    if (reader->count == QUESTIONS_MAX || reader->in_flight > BYTES_IN_FLIGHT_MAX - SOURCE_PIECE_BYTES)
        return false;
    if (!reader->asked_blob) {
        add_question(reader, ABOUT_BLOB, 0, 0);
        return reader->asked_blob = true;
    }
    if (!reader->known) return false;
    if (reader->facts.kind == KIND_BLOCK && reader->facts.length && !reader->asked_blocks) {
        add_question(reader, ABOUT_BLOCKS, 0, 0);
        return reader->asked_blocks = true;
    }
    if (reader->facts.kind == KIND_PAGE) return add_pages(reader);
    if (reader->next_offset >= reader->facts.length) return false;
    add_content(reader, reader->next_offset, reader->facts.length);
    return true;
}

static void put_word(struct source_question *question, struct bytes word) {
    question->word[question->count++] = word;
}

static void put_version_option(struct source_question *question, const char *token, version v, unsigned at) {
    version_write(v, question->versions[at]);
    put_word(question, bytes_text(token));
    put_word(question, bytes_of(question->versions[at], VERSION_TEXT_LENGTH));
}

static void put_range_option(struct source_question *question, const struct asked *asked) {
    put_word(question, bytes_text("RANGE"));
    put_word(question,
             bytes_of(question->numbers[0], number_write((int64_t)asked->offset, question->numbers[0])));
    put_word(question,
             bytes_of(question->numbers[1], number_write((int64_t)asked->length, question->numbers[1])));
}

static void write_question(const struct source_reader *reader, const struct asked *asked,
                           struct source_question *question) {
    static const char *const commands[] = {"BLOB.STAT", "BLOB.GETBLOCKLIST", "BLOB.GETPAGES", "BLOB.GET"};
    const struct copy_order *order = reader->order;
    question->count = 0;
    put_word(question, bytes_text(commands[asked->subject]));
    put_word(question, order->container);
    put_word(question, order->blob);
    if (asked->subject == ABOUT_BLOCKS) put_word(question, bytes_text("COMMITTED"));
    if (asked->subject >= ABOUT_PAGES) put_range_option(question, asked);
    if (order->has_snapshot) put_version_option(question, "SNAPSHOT", order->snapshot, 0);
    if (asked->subject >= ABOUT_PAGES) put_version_option(question, "IFMATCH", reader->facts.etag, 1);
    if (asked->subject != ABOUT_BLOB) return;
    for (unsigned i = 0; i < order->condition_words; i++) put_word(question, order->conditions[i]);
}

bool source_reader_ask(struct source_reader *reader, struct source_question *question) {
    if (reader->failed) return false;
    if (reader->sent == reader->count && !add_next(reader)) return false;
    write_question(reader, question_at(reader, reader->sent++), question);
    return true;
}

void source_reader_reconnected(struct source_reader *reader) {
    reader->sent = reader->taken_back = 0;
}

/* --- Answers --- */

static bool error_begins(struct bytes text, const char *beginning) {
    return bytes_start_with(text, bytes_text(beginning));
}

/* After the first answer, IFMATCH is the only condition: when it is not met, the source has changed. */
static bool take_error(struct source_reader *reader, const struct asked *asked, struct bytes text) {
    bool later = asked->subject != ABOUT_BLOB;
    bool changed = later && (error_begins(text, "PRECONDITION ") || error_begins(text, "NOTFOUND "));
    if (!text.length) text = bytes_text("ERR the source does not say why it refuses");
    source_reader_fail(reader, changed ? COPY_FAILED_CHANGED : COPY_FAILED_REFUSED, text);
    return false;
}

static bool take_facts(struct source_reader *reader, const struct answer *answer) {
    if (answer->kind == ANSWER_NULL)
        return fail_reader(reader, COPY_FAILED_REFUSED,
                           "PRECONDITION SourceConditionNotMet the source has nothing new");
    const char *fault = source_facts_read(&reader->facts, answer);
    if (fault) return fail_garbled(reader, fault);
    if (reader->facts.pending)
        return fail_reader(reader, COPY_FAILED_REFUSED,
                           "CONFLICT PendingCopyOperation a copy to the source is pending");
    if (reader->order->has_metadata) reader->facts.metadata = reader->order->metadata;
    reader->known = true;
    reader->begun = reader->facts.kind != KIND_BLOCK || !reader->facts.length;
    return true;
}

static bool take_blocks(struct source_reader *reader, const struct answer *answer) {
    const char *fault = source_facts_read_blocks(&reader->facts, answer);
    if (fault) return fail_garbled(reader, fault);
    if (reader->facts.etag != reader->facts.etag_of_blocks)
        return fail_reader(reader, COPY_FAILED_CHANGED,
                           "PRECONDITION ConditionNotMet the source has changed");
    return reader->begun = true;
}

/* There were too many ranges for one reply: tries half of the window. */
static bool narrow_window(struct source_reader *reader, const struct asked *asked) {
    if (asked->length <= PAGE_BYTES) return false;
    reader->window_bytes = asked->length / 2 / PAGE_BYTES * PAGE_BYTES;
    if (reader->window_bytes < PAGE_BYTES) reader->window_bytes = PAGE_BYTES;
    reader->awaits_ranges = false;
    return true;
}

/* Takes back all requests: the content is asked for anew from here on. */
static void go_back(struct source_reader *reader, uint64_t offset) {
    reader->taken_back += reader->sent;
    reader->count = reader->sent = 0;
    reader->in_flight = 0;
    reader->awaits_ranges = false;
    reader->next_offset = offset;
    while (reader->range_at && end_of_range(&reader->ranges[reader->range_at - 1]) > offset)
        reader->range_at--;
}

/* The piece was too large for one reply: tries halves. */
static bool halve_pieces(struct source_reader *reader, const struct asked *asked) {
    if (asked->length <= PAGE_BYTES) return false;
    while (reader->piece_bytes >= asked->length) reader->piece_bytes /= 2;
    go_back(reader, asked->offset);
    return true;
}

static void end_window(struct source_reader *reader, const struct asked *asked) {
    reader->next_window = asked->offset + asked->length;
    reader->awaits_ranges = false;
    if (reader->range_count < SOURCE_LIST_MAX / 4 && reader->window_bytes < PAGES_MAX_BYTES)
        reader->window_bytes *= 2;
}

static bool take_ranges(struct source_reader *reader, const struct asked *asked,
                        const struct answer *answer) {
    struct page_range window = {asked->offset, asked->length};
    const char *fault =
        source_ranges_read(answer, window, &reader->facts, &reader->ranges, &reader->range_count);
    if (fault) return fail_garbled(reader, fault);
    reader->range_at = 0;
    end_window(reader, asked);
    return true;
}

static bool take_content(struct source_reader *reader, const struct asked *asked,
                         const struct answer *answer) {
    struct bytes etag, content;
    version v;
    bool sound = answer->kind == ANSWER_LIST && answer->count == 2 &&
                 answer_is_text(&answer->items[0], &etag) && version_read(etag, &v) &&
                 answer_is_text(&answer->items[1], &content);
    if (!sound) return fail_garbled(reader, "the source's answer to BLOB.GET is not valid");
    if (v != reader->facts.etag)
        return fail_garbled(reader, "the source answers with an ETag that it was not asked for");
    if (content.length != asked->length)
        return fail_garbled(reader, "the source sends more or less than it was asked for");
    reader->piece = content;
    reader->piece_offset = asked->offset;
    return true;
}

static bool take_subject(struct source_reader *reader, const struct asked *asked,
                         const struct answer *answer) {
    bool too_large = answer->kind == ANSWER_ERROR && error_begins(answer->text, "INVALID InvalidRange ");
    if (too_large && asked->subject == ABOUT_PAGES && narrow_window(reader, asked)) return true;
    if (too_large && asked->subject == ABOUT_CONTENT && halve_pieces(reader, asked)) return true;
    if (answer->kind == ANSWER_ERROR) return take_error(reader, asked, answer->text);
    switch (asked->subject) {
    case ABOUT_BLOB: return take_facts(reader, answer);
    case ABOUT_BLOCKS: return take_blocks(reader, answer);
    case ABOUT_PAGES: return take_ranges(reader, asked, answer);
    default: return take_content(reader, asked, answer);
    }
}

bool source_reader_take(struct source_reader *reader, const struct answer *answer) {
    if (reader->failed) return false;
    if (reader->taken_back) {
        reader->taken_back--;
        return true;
    }
    if (!reader->sent) return fail_garbled(reader, "the source answers what it was not asked");
    struct asked asked = *question_at(reader, 0);
    reader->first = (reader->first + 1) % QUESTIONS_MAX;
    reader->count--;
    reader->sent--;
    if (asked.subject == ABOUT_CONTENT) reader->in_flight -= asked.length;
    return take_subject(reader, &asked, answer);
}

/* --- Changes --- */

static void make_begin(struct source_reader *reader, struct container_change *change) {
    const struct source_facts *facts = &reader->facts;
    reader->made_begin = true;
    *change = (struct container_change){
        .kind = BLOB_COPYBEGIN,
        .blob_kind = facts->kind,
        .parts = PART_PROPERTIES | PART_METADATA | (facts->sealed ? STATE_IS_SEALED : 0U),
        .properties = facts->properties,
        .metadata = facts->metadata,
        .total = facts->length,
        .appended = facts->append_blocks,
    };
    if (facts->kind != KIND_PAGE) return;
    change->parts |= PART_LENGTH | PART_SEQUENCE;
    change->length = facts->length;
    change->sequence = facts->sequence;
}

static void make_piece(struct source_reader *reader, struct container_change *change, uint64_t max) {
    change->offset = reader->piece_offset;
    change->content = bytes_of(reader->piece.data, size_min(reader->piece.length, max));
    reader->piece_offset += change->content.length;
    reader->piece.data += change->content.length;
    reader->piece.length -= change->content.length;
}

/* A piece of a blob in blocks ends where the current block does. */
static void make_block_piece(struct source_reader *reader, struct container_change *change) {
    struct source_facts *facts = &reader->facts;
    change->kind = BLOB_COPYPIECE;
    if (!reader->block_left) {
        change->kind = BLOB_COPYBLOCK;
        source_facts_next_block(facts);
        reader->block_left = facts->block_bytes;
        change->block_id = facts->block_id;
    }
    change->length = facts->block_bytes;
    make_piece(reader, change, reader->block_left);
    reader->block_left -= change->content.length;
}

bool source_reader_next(struct source_reader *reader, struct container_change *change) {
    if (reader->failed) return false;
    if (reader->begun && !reader->made_begin) {
        make_begin(reader, change);
        return true;
    }
    if (!reader->piece.length) return false;
    *change = (struct container_change){.kind = BLOB_COPYPIECE};
    if (reader->facts.block_count)
        make_block_piece(reader, change);
    else
        make_piece(reader, change, UINT64_MAX);
    return true;
}

bool source_reader_is_done(const struct source_reader *reader) {
    if (reader->failed || !reader->made_begin || reader->count || reader->piece.length) return false;
    if (reader->facts.kind != KIND_PAGE) return reader->next_offset == reader->facts.length;
    return reader->range_at == reader->range_count && reader->next_window >= reader->facts.length;
}
