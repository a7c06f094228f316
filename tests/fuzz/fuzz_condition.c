/* Conditions from outside: the first bytes choose the use, which conditions are given, and the object; the rest are the
 * texts of two tags, split at a zero byte. What the module decides must be what the rules say, each written out here as
 * the service's documentation has it, without the shortcuts of the module. */
#include "core/condition.h"
#include "require.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 6, ETAG_DIGITS = 16 };

static const version etag = UINT64_C(0x65a0000000000005);
static const int64_t modified_ms = 100;

/* An ETag is 0x and 16 digits, bare or in one pair of double quotes, in either case; anything else matches nothing. */
static bool tag_is_of_the_object(struct bytes text) {
    char digits[ETAG_DIGITS + 1] = {0};
    if (text.length == 2 + ETAG_DIGITS + 2 && text.data[0] == '"' && text.data[text.length - 1] == '"')
        text = bytes_of(text.data + 1, text.length - 2);
    if (text.length != 2 + ETAG_DIGITS || strncasecmp(text.data, "0x", 2) != 0) return false;
    memcpy(digits, text.data + 2, ETAG_DIGITS);
    if (strspn(digits, "0123456789abcdefABCDEF") != ETAG_DIGITS) return false;
    return strtoull(digits, NULL, 16) == etag;
}

static bool is_star(struct bytes text) {
    return text.length == 1 && text.data[0] == '*';
}

struct call {
    enum condition_use use;
    bool exists;
    bool match, none_match, modified, unmodified; /* given */
    struct bytes match_text, none_match_text;
    int64_t modified_since_ms, unmodified_since_ms;
};

static bool matches(struct bytes text) {
    return is_star(text) || tag_is_of_the_object(text);
}

static enum outcome judge_read(const struct call *call) {
    if (call->none_match && is_star(call->none_match_text)) return OUTCOME_UNSATISFIABLE_CONDITION;
    if (!call->exists) {
        bool any = call->match || call->none_match || call->modified || call->unmodified;
        return any ? OUTCOME_BLOB_NOT_FOUND : OUTCOME_DONE;
    }
    if (call->match && !matches(call->match_text)) return OUTCOME_CONDITION_NOT_MET;
    if (call->unmodified && !(modified_ms <= call->unmodified_since_ms)) return OUTCOME_CONDITION_NOT_MET;
    if (call->none_match && !matches(call->none_match_text)) return OUTCOME_DONE;
    if (call->modified && modified_ms > call->modified_since_ms) return OUTCOME_DONE;
    return call->none_match || call->modified ? OUTCOME_UNCHANGED : OUTCOME_DONE;
}

static enum outcome judge_write(const struct call *call) {
    int tags = call->match + call->none_match, dates = call->modified + call->unmodified;
    if (tags > 1 || dates > 1) return OUTCOME_TOO_MANY_CONDITIONS;
    if (call->match && call->modified) return OUTCOME_TOO_MANY_CONDITIONS;
    if (call->none_match && call->unmodified) return OUTCOME_TOO_MANY_CONDITIONS;
    if (tags + dates == 0) return OUTCOME_DONE;
    if (!call->exists && call->use == CONDITIONS_WRITE) return OUTCOME_BLOB_NOT_FOUND;
    if (!call->exists) return call->match ? OUTCOME_CONDITION_NOT_MET : OUTCOME_DONE;
    bool holds = true;
    if (call->match) {
        holds = matches(call->match_text);
    } else if (call->none_match && is_star(call->none_match_text)) {
        if (call->use == CONDITIONS_CREATE) return OUTCOME_BLOB_EXISTS;
    } else if (call->none_match) {
        holds = !matches(call->none_match_text);
    } else if (call->modified) {
        holds = modified_ms > call->modified_since_ms;
    } else {
        holds = modified_ms <= call->unmodified_since_ms;
    }
    return holds ? OUTCOME_DONE : OUTCOME_CONDITION_NOT_MET;
}

static enum outcome decide(const struct call *call) {
    const struct conditions conditions = {
        .given = call->match * (unsigned)IF_MATCH + call->none_match * (unsigned)IF_NONE_MATCH +
                 call->modified * (unsigned)IF_MODIFIED_SINCE +
                 call->unmodified * (unsigned)IF_UNMODIFIED_SINCE,
        .match = tag_read(call->match_text),
        .none_match = tag_read(call->none_match_text),
        .modified_since_ms = call->modified_since_ms,
        .unmodified_since_ms = call->unmodified_since_ms,
    };
    const struct stamp object = {etag, modified_ms};
    enum outcome outcome = conditions_check_form(&conditions, call->use);
    if (outcome != OUTCOME_DONE) return outcome;
    /* Reads of what is missing are refused before conditions are asked. */
    return conditions_check(&conditions, call->use, call->exists ? &object : NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const enum condition_use uses[] = {CONDITIONS_READ, CONDITIONS_WRITE, CONDITIONS_CREATE};
    if (size < HEAD) return 0;
    struct call call = {
        .use = uses[data[0] % 3],
        .exists = data[1] & 1,
        .match = data[2] & 1,
        .none_match = data[2] & 2,
        .modified = data[2] & 4,
        .unmodified = data[2] & 8,
        .modified_since_ms = data[3],
        .unmodified_since_ms = data[4],
    };
    struct bytes texts = bytes_of(data + HEAD, size - HEAD);
    const char *end = texts.length ? memchr(texts.data, '\0', texts.length) : NULL;
    size_t first = end ? (size_t)(end - texts.data) : texts.length;
    call.match_text = bytes_of(texts.data, first);
    call.none_match_text = end ? bytes_of(end + 1, texts.length - first - 1) : texts;
    enum outcome expected = call.use == CONDITIONS_READ ? judge_read(&call) : judge_write(&call);
    enum outcome outcome = decide(&call);
    require(outcome == expected, "%s, not %s", outcome_word(outcome), outcome_word(expected));
    return 0;
}
