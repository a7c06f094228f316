/* What each way to write an entity does where there is one, and where there is none. */
#include "table/operation.h"

#include "table/filter_parser.h"
#include "table/key.h"
#include "table/table.h"
#include "unit.h"

enum { ETAG = 7, TICKS = 9, STOCK = 5 };

/* What is said before the write. */
enum saying { NOTHING, ANY, SAME, OTHER, OLDER, SAYINGS };

static const struct tag tags[SAYINGS] = {[NOTHING] = {TAG_ANY, 0},
                                         [ANY] = {TAG_ANY, 0},
                                         [SAME] = {TAG_VERSION, ETAG},
                                         [OTHER] = {TAG_VERSION, ETAG + 1},
                                         [OLDER] = {TAG_VERSION, ETAG - 1}};

#define DONE   OUTCOME_DONE
#define EXISTS OUTCOME_ENTITY_EXISTS
#define ABSENT OUTCOME_RESOURCE_NOT_FOUND
#define UNMET  OUTCOME_UPDATE_CONDITION_NOT_MET

/* clang-format off */
static const struct {
    const char *word;
    enum verb verb;
    bool conditional, properties;
    enum table_change_kind change;
    struct { enum outcome outcome; enum table_step_kind step; } there, absent;
} rows[] = {
    {"INSERT",          VERB_INSERT,          false, true,  TABLE_INSERT,          {EXISTS, STEP_KINDS}, {DONE, STEP_ADD}},
    {"REPLACE",         VERB_REPLACE,         true,  true,  TABLE_REPLACE,         {DONE, STEP_SET},     {ABSENT, STEP_KINDS}},
    {"MERGE",           VERB_MERGE,           true,  true,  TABLE_MERGE,           {DONE, STEP_MERGE},   {ABSENT, STEP_KINDS}},
    {"DELETE",          VERB_DELETE,          true,  false, TABLE_DELETE,          {DONE, STEP_REMOVE},  {ABSENT, STEP_KINDS}},
    {"INSERTORREPLACE", VERB_INSERTORREPLACE, false, true,  TABLE_INSERTORREPLACE, {DONE, STEP_SET},     {DONE, STEP_ADD}},
    {"INSERTORMERGE",   VERB_INSERTORMERGE,   false, true,  TABLE_INSERTORMERGE,   {DONE, STEP_MERGE},   {DONE, STEP_ADD}},
};
/* clang-format on */

/* A table with the entity ("p", "r"), whose stock is 5 and whose many flags are so many as are asked for. */
struct shop {
    struct table *table;
    struct record_writer there;
    struct record_writer absent;
};

static struct packed_list put_flags(struct record_writer *room, unsigned from, unsigned count) {
    for (unsigned i = from; i < from + count; i++) {
        char name[8] = {'f', (char)('a' + i / 100), (char)('a' + i / 10 % 10), (char)('a' + i % 10)};
        property_put(room, &(struct property){bytes_of(name, 4), {.type = VALUE_BOOL, .number = 1}});
    }
    return (struct packed_list){count, record_written(room)};
}

static void shop_open(struct shop *shop, unsigned flags) {
    shop->table = table_new(
        &(struct table_change){.kind = TABLE_CREATE, .policies = {0, {"", 0}}, .names = {0, {"", 0}}});
    record_start(&shop->there);
    record_start(&shop->absent);
    RECORD_WRITER(steps);
    RECORD_WRITER(properties);
    stored_key_put(&shop->there, bytes_text("p"), bytes_text("r"));
    stored_key_put(&shop->absent, bytes_text("pr"), bytes_text(""));
    property_put(&properties,
                 &(struct property){bytes_text("stock"), {.type = VALUE_INT32, .number = STOCK}});
    put_flags(&properties, 0, flags);
    table_step_put(&steps,
                   &(struct table_step){.kind = STEP_ADD,
                                        .key = {shop->there.data, shop->there.length},
                                        .etag = ETAG,
                                        .ticks = TICKS,
                                        .properties = {flags + 1, {properties.data, properties.length}}});
    struct table_change change = {.kind = TABLE_INSERT, .steps = {1, {steps.data, steps.length}}};
    require(table_apply(shop->table, &change), "there is an entity");
}

static void shop_close(struct shop *shop) {
    table_free(shop->table);
    record_end(&shop->there);
    record_end(&shop->absent);
}

static struct verdict judge(const struct shop *shop, enum verb verb, bool there, struct tag match,
                            const struct filter *filter) {
    const struct record_writer *key = there ? &shop->there : &shop->absent;
    struct operation operation = {
        .verb = verb, .key = {key->data, key->length}, .match = match, .filter = filter};
    operation.properties = (struct packed_list){0, {"", 0}};
    return operation_judge(table_find(shop->table, operation.key), &operation);
}

TEST(a_verb_is_what_its_row_says) {
    require_same(ARRAY_SIZE(rows), VERBS, "a row for each");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        require_same(verb_change(rows[i].verb), rows[i].change, "%s", rows[i].word);
        require_same(verb_is_conditional(rows[i].verb), rows[i].conditional, "%s", rows[i].word);
        require_same(verb_has_properties(rows[i].verb), rows[i].properties, "%s", rows[i].word);
    }
}

/* Of those that compare ETags, another one is refused where there is an entity, and only there. */
TEST(each_verb_meets_each_state) {
    struct shop shop ENDS_BY(shop_close);
    shop_open(&shop, 0);
    const struct entity *entity = table_find(shop.table, bytes_of(shop.there.data, shop.there.length));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (enum saying saying = NOTHING; saying < SAYINGS; saying++) {
            struct verdict there = judge(&shop, rows[i].verb, true, tags[saying], NULL);
            bool unmet = rows[i].conditional && saying >= OTHER;
            enum outcome expected = unmet ? UNMET : rows[i].there.outcome;
            require(there.outcome == expected, "%s there, saying %d: %s", rows[i].word, (int)saying,
                    outcome_word(there.outcome));
            require_same(there.step, rows[i].there.step, "%s there", rows[i].word);
            require(there.entity == entity, "%s meets the entity", rows[i].word);
            struct verdict absent = judge(&shop, rows[i].verb, false, tags[saying], NULL);
            require(absent.outcome == rows[i].absent.outcome, "%s absent, saying %d: %s", rows[i].word,
                    (int)saying, outcome_word(absent.outcome));
            require_same(absent.step, rows[i].absent.step, "%s absent", rows[i].word);
            require(!absent.entity, "%s meets nobody", rows[i].word);
        }
}

/* --- IF --- */

static const struct {
    const char *text;
    bool met;
} filters[] = {
    {"stock gt 0", true},
    {"stock eq 5", true},
    {"stock lt 5", false},
    {"stock gt 5", false},
    {"missing eq 1", false},
    {"not (missing eq 1)", true},
    {"stock gt 0 and RowKey eq 'r'", true},
    {"PartitionKey eq 'pr'", false},
    {"", true},
};

TEST(operations_under_a_filter_are_refused_where_it_does_not_match) {
    struct shop shop ENDS_BY(shop_close);
    shop_open(&shop, 0);
    for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
        struct filter filter ENDS_BY(filter_end);
        struct filter_fault fault;
        require(filter_compile(bytes_text(filters[i].text), &filter, &fault), "'%s'", filters[i].text);
        for (enum verb verb = VERB_REPLACE; verb <= VERB_DELETE; verb++) {
            enum outcome expected = filters[i].met ? DONE : UNMET;
            require_same(judge(&shop, verb, true, tags[ANY], &filter).outcome, expected, "'%s', any",
                         filters[i].text);
            require_same(judge(&shop, verb, true, tags[SAME], &filter).outcome, expected, "'%s', this one",
                         filters[i].text);
            require_same(judge(&shop, verb, true, tags[OTHER], &filter).outcome, UNMET, "'%s', another",
                         filters[i].text);
            require_same(judge(&shop, verb, false, tags[ANY], &filter).outcome, ABSENT, "'%s', none",
                         filters[i].text);
        }
    }
}

/* --- What a merge would make --- */

static const struct {
    unsigned there, from, given; /* flags, and which of them are given */
    enum outcome outcome;
} merges[] = {
    {250, 250, 1, DONE}, /* with the stock 252 */
    {251, 251, 1, OUTCOME_TOO_MANY_PROPERTIES},
    {251, 0, 251, DONE}, /* no new ones */
    {251, 1, 251, OUTCOME_TOO_MANY_PROPERTIES},
    {0, 0, 251, DONE},
    {0, 0, 252, OUTCOME_TOO_MANY_PROPERTIES},
    {100, 100, 151, DONE},
    {100, 100, 152, OUTCOME_TOO_MANY_PROPERTIES},
};

TEST(a_merge_is_judged_by_what_comes_out) {
    static const enum verb verbs[] = {VERB_MERGE, VERB_INSERTORMERGE};
    for (size_t i = 0; i < ARRAY_SIZE(merges); i++) {
        struct shop shop ENDS_BY(shop_close);
        shop_open(&shop, merges[i].there);
        RECORD_WRITER(room);
        struct packed_list given = put_flags(&room, merges[i].from, merges[i].given);
        for (size_t verb = 0; verb < ARRAY_SIZE(verbs); verb++) {
            struct operation operation = {.verb = verbs[verb],
                                          .key = {shop.there.data, shop.there.length},
                                          .match = tags[SAME],
                                          .properties = given};
            require_same(operation_judge(table_find(shop.table, operation.key), &operation).outcome,
                         merges[i].outcome, "merge %zu", i);
            operation.match = tags[OTHER];
            bool compares = verb_is_conditional(verbs[verb]);
            require_same(operation_judge(table_find(shop.table, operation.key), &operation).outcome,
                         compares ? UNMET : merges[i].outcome, "merge %zu of another one", i);
        }
    }
}
