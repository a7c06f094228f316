/* Outcomes: the table has a sound row for each refusal. */
#include "core/outcome.h"

#include "unit.h"

#include <stdio.h>

static const char *const own_classes[] = {"PRECONDITION", "CONFLICT", "NOTFOUND", "INVALID", NULL};
static const char *const redis_classes[] = {"ERR",       "WRONGTYPE", "NOPERM", "OOM",
                                            "CROSSSLOT", "TRYAGAIN",  NULL};

static bool is_among(const char *word, const char *const *classes) {
    while (*classes && strcmp(*classes, word) != 0) classes++;
    return *classes;
}

static bool is_word(const char *text) {
    size_t letters = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
    return letters && !text[letters];
}

/* Classes of Redis's own say what they mean; the storage service's say it by a code. */
TEST(every_refusal_has_class_code_and_text) {
    require_same(OUTCOME_DONE, 0, "what is not refused is zero");
    for (int outcome = OUTCOME_FIRST; outcome < OUTCOME_COUNT; outcome++) {
        const struct outcome_text *text = outcome_text((enum outcome)outcome);
        require(text->class && text->code && text->text, "outcome %d has an empty row", outcome);
        require(is_among(text->class, text->redis_own ? redis_classes : own_classes), "%s has the class %s",
                text->code, text->class);
        require(is_word(text->code), "'%s' is no code", text->code);
        require(text->text[0], "%s has no text", text->code);
        require(!strpbrk(text->text, "\r\n"), "the text of %s would break the protocol", text->code);
    }
}

static bool same(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

/* One code may stand for several cases, of which each has a text of its own. */
TEST(no_two_outcomes_have_the_same_code) {
    for (int a = OUTCOME_FIRST; a < OUTCOME_COUNT; a++) {
        for (int b = OUTCOME_FIRST; b < a; b++) {
            const struct outcome_text *one = outcome_text((enum outcome)a);
            const struct outcome_text *other = outcome_text((enum outcome)b);
            require(!same(one->code, other->code) || !same(one->text, other->text), "%s stands twice",
                    one->code);
        }
    }
}

TEST(errors_begin_with_class_and_code) {
    for (int outcome = OUTCOME_FIRST; outcome < OUTCOME_COUNT; outcome++) {
        const struct outcome_text *text = outcome_text((enum outcome)outcome);
        char beginning[128];
        snprintf(beginning, sizeof(beginning), "%s %s ", text->class, text->code);
        if (text->redis_own) snprintf(beginning, sizeof(beginning), "%s ", text->class);
        require(same(text->beginning, beginning), "'%s', not '%s'", text->beginning, beginning);
    }
}

static const struct {
    enum outcome outcome;
    const char *class, *code;
} known[] = {
    {OUTCOME_CONDITION_NOT_MET, "PRECONDITION", "ConditionNotMet"},
    {OUTCOME_BLOB_EXISTS, "CONFLICT", "BlobAlreadyExists"},
    {OUTCOME_CONTAINER_EXISTS, "CONFLICT", "ContainerAlreadyExists"},
    {OUTCOME_BLOB_NOT_FOUND, "NOTFOUND", "BlobNotFound"},
    {OUTCOME_CONTAINER_NOT_FOUND, "NOTFOUND", "ContainerNotFound"},
    {OUTCOME_METADATA_TOO_LARGE, "INVALID", "MetadataTooLarge"},
    {OUTCOME_EMPTY_METADATA_KEY, "INVALID", "EmptyMetadataKey"},
    {OUTCOME_TOO_MANY_CONDITIONS, "INVALID", "MultipleConditionHeadersNotSupported"},
    {OUTCOME_UNSATISFIABLE_CONDITION, "INVALID", "UnsatisfiableCondition"},
    {OUTCOME_SYNTAX, "ERR", "SyntaxError"},
};

TEST(codes_are_the_storage_service_s) {
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        const struct outcome_text *text = outcome_text(known[i].outcome);
        require_bytes(bytes_text(text->code), bytes_text(known[i].code), "outcome %d", known[i].outcome);
        require_bytes(bytes_text(text->class), bytes_text(known[i].class), "%s", known[i].code);
    }
}
