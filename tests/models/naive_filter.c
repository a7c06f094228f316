#include "naive_filter.h"
#include "ccan/array_size/array_size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const naive_names[] = {"a", "b", "bb", "Active", "gr\xc3\xb6\xc3\x9fsse", "_9"};

static const char *const type_words[NAIVE_TYPES] = {"string", "int32",    "int64", "double",
                                                    "bool",   "datetime", "guid",  "binary"};

const char *naive_type_word(enum naive_type type) {
    return type_words[type];
}

/* --- The stock --- */

static const struct {
    const char *text;
    size_t length;
} strings[] = {{"", 0},
               {"a", 1},
               {"b", 1},
               {"ab", 2},
               {"B", 1},
               {"bB", 2},
               {"it's", 4},
               {"a b", 3},
               {"\xc3\xa9", 2},
               {"\xee\x80\x80", 3},
               {"\xef\xbf\xbd", 3},
               {"\xf0\x9f\x98\x80", 4},
               {"3", 1},
               {"true", 4},
               {"\0", 1},
               {"a\0", 2},
               {"a\0b", 3}};
static const long long small_numbers[] = {-2147483648LL, -129, -1, 0, 1, 2, 3, 256, 2147483647};
static const long long large_numbers[] = {
    -9223372036854775807LL - 1, -9007199254740993,    -1, 0, 1, 2, 3, 256, 2147483648,
    9007199254740993,           9223372036854775807LL};
static const double reals[] = {
    -9007199254740992.0,   -1.5,  -1,    0, 1, 2, 2.5, 3, 256, 9007199254740992.0, 9007199254740994.0,
    9223372036854775808.0, 1e300, 5e-324};
static const char *const ids[] = {
    "00000000-0000-0000-0000-000000000000", "00112233-4455-6677-8899-aabbccddeeff",
    "00112233-4455-6677-a899-aabbccddeeff", "9a000000-0000-0000-0000-000000000001",
    "ffffffff-ffff-ffff-ffff-ffffffffffff"};
static const struct {
    const char *text;
    size_t length;
} runs[] = {{"", 0}, {"\0", 1}, {"\0\xff", 2}, {"\1", 1}, {"ab", 2}, {"\xff", 1}};
static const struct {
    const char *text;
    long long ticks;
} instants[] = {
    {"1601-01-01T00:00:00Z", 0},
    {"1601-01-01", 0},
    {"1601-01-01T00:00:00.0000001", 1},
    {"1601-01-02", 864000000000},
    {"1970-01-01T00:00:00.000Z", 116444736000000000},
    {"1970-01-01T01:00:00+01:00", 116444736000000000},
    {"9999-12-31T23:59:59.9999999Z", 2650467743999999999},
};

/* Some are longer than what an index keeps of them. */
static void draw_text(struct dice *dice, struct naive_value *value, const char *text, size_t length) {
    memcpy(value->text, text, length);
    value->length = length;
    if (length == 0 || !dice_percent(dice, 15)) return;
    static const size_t lengths[] = {254, 255, 256, 257, 280};
    size_t whole = lengths[dice_roll(dice, ARRAY_SIZE(lengths))];
    memset(value->text, 'x', whole);
    value->text[whole - 1] = dice_percent(dice, 50) ? 'x' : 'y';
    value->text[0] = 'a';
    value->length = whole;
}

static double draw_real(struct dice *dice, bool stored) {
    if (stored && dice_percent(dice, 20))
        return dice_percent(dice, 40)   ? (double)NAN
               : dice_percent(dice, 50) ? (double)INFINITY
                                        : -(double)INFINITY;
    return reals[dice_roll(dice, ARRAY_SIZE(reals))];
}

/* From a small stock, so that values meet. Only stored ones are ever not a number, or infinite. */
static struct naive_value naive_value_draw(struct dice *dice, enum naive_type type, bool stored) {
    struct naive_value value = {.type = type};
    size_t string = dice_roll(dice, ARRAY_SIZE(strings));
    size_t run = dice_roll(dice, ARRAY_SIZE(runs));
    switch (type) {
    case NAIVE_STRING: draw_text(dice, &value, strings[string].text, strings[string].length); break;
    case NAIVE_INT32: value.number = small_numbers[dice_roll(dice, ARRAY_SIZE(small_numbers))]; break;
    case NAIVE_INT64: value.number = large_numbers[dice_roll(dice, ARRAY_SIZE(large_numbers))]; break;
    case NAIVE_DOUBLE: value.real = draw_real(dice, stored); break;
    case NAIVE_BOOL: value.number = (long long)dice_roll(dice, 2); break;
    case NAIVE_DATETIME: value.number = instants[dice_roll(dice, ARRAY_SIZE(instants))].ticks; break;
    case NAIVE_GUID: value.id = ids[dice_roll(dice, ARRAY_SIZE(ids))]; break;
    default: draw_text(dice, &value, runs[run].text, runs[run].length);
    }
    return value;
}

static enum naive_type draw_type(struct dice *dice) {
    if (dice_percent(dice, 50)) return (enum naive_type)(NAIVE_INT32 + dice_roll(dice, 3));
    return (enum naive_type)dice_roll(dice, NAIVE_TYPES);
}

/* Keys have no zero bytes. */
static struct naive_value draw_key(struct dice *dice) {
    struct naive_value key = naive_value_draw(dice, NAIVE_STRING, true);
    while (memchr(key.text, '\0', key.length)) key = naive_value_draw(dice, NAIVE_STRING, true);
    return key;
}

struct naive_entity naive_entity_draw(struct dice *dice) {
    struct naive_entity entity = {.partition = draw_key(dice),
                                  .row = draw_key(dice),
                                  .timestamp = naive_value_draw(dice, NAIVE_DATETIME, true)};
    size_t first = dice_roll(dice, NAIVE_PROPERTIES_MAX);
    for (size_t i = 0; i < NAIVE_PROPERTIES_MAX; i++) {
        if (dice_percent(dice, 30)) continue;
        struct naive_property *property = &entity.properties[entity.count++];
        property->name = naive_names[(first + i) % NAIVE_PROPERTIES_MAX];
        property->value = naive_value_draw(dice, draw_type(dice), true);
    }
    return entity;
}

/* --- Expressions --- */

static struct naive_node *add_node(struct naive_filter *filter, char kind) {
    struct naive_node *node = &filter->nodes[filter->count++];
    *node = (struct naive_node){.kind = kind};
    return node;
}

/* Keys are often compared with strings, since other literals say little of them. */
static const struct naive_node *draw_leaf(struct dice *dice, struct naive_filter *filter) {
    static const char *const relations[] = {"eq", "ne", "gt", "ge", "lt", "le"};
    static const char *const keys[] = {"PartitionKey", "RowKey", "Timestamp"};
    struct naive_node *node = add_node(filter, dice_percent(dice, 10) ? 'h' : 'c');
    size_t key = dice_roll(dice, 6);
    enum naive_type type = draw_type(dice);
    if (key < ARRAY_SIZE(keys) && dice_percent(dice, 80)) type = key < 2 ? NAIVE_STRING : NAIVE_DATETIME;
    node->name = key < ARRAY_SIZE(keys)
                     ? keys[key]
                     : naive_names[dice_roll(dice, dice_percent(dice, 50) ? 2 : NAIVE_PROPERTIES_MAX)];
    node->relation = relations[dice_percent(dice, 40) ? 0 : dice_roll(dice, ARRAY_SIZE(relations))];
    node->turned = dice_percent(dice, 20);
    node->literal = naive_value_draw(dice, type, false);
    return node;
}

static const struct naive_node *draw_constant(struct dice *dice, struct naive_filter *filter) {
    return add_node(filter, dice_percent(dice, 50) ? 't' : 'f');
}

/* A leaf, perhaps with a constant beside it, which is none. */
static const struct naive_node *draw_end(struct dice *dice, struct naive_filter *filter) {
    const struct naive_node *leaf = draw_leaf(dice, filter);
    if (!dice_percent(dice, 10)) return leaf;
    bool turned = dice_percent(dice, 50);
    struct naive_node *node = add_node(filter, dice_percent(dice, 50) ? '&' : '|');
    const struct naive_node *constant = draw_constant(dice, filter);
    node->left = turned ? constant : leaf;
    node->right = turned ? leaf : constant;
    return node;
}

static const struct naive_node *draw_node(struct dice *dice, struct naive_filter *filter, unsigned leaves) {
    const struct naive_node *drawn;
    if (leaves == 1) {
        drawn = draw_end(dice, filter);
    } else {
        unsigned left = 1 + (unsigned)dice_roll(dice, leaves - 1);
        struct naive_node *node = add_node(filter, dice_percent(dice, 50) ? '&' : '|');
        node->left = draw_node(dice, filter, left);
        node->right = draw_node(dice, filter, leaves - left);
        drawn = node;
    }
    if (!dice_percent(dice, 15)) return drawn;
    struct naive_node *not = add_node(filter, '!');
    not ->left = drawn;
    return not ;
}

void naive_filter_draw(struct dice *dice, struct naive_filter *filter, unsigned leaves) {
    *filter = (struct naive_filter){.leaves = leaves};
    filter->root = draw_node(dice, filter, leaves);
}

/* --- Text --- */

struct pen {
    struct dice *dice;
    char *at;
};

static void put(struct pen *pen, const char *text, size_t length) {
    memcpy(pen->at, text, length);
    pen->at += length;
}

static void put_text(struct pen *pen, const char *text) {
    put(pen, text, strlen(text));
}

static void put_blanks(struct pen *pen, unsigned min) {
    static const char blanks[] = " \t\r\n";
    for (unsigned i = 0; i < min || dice_percent(pen->dice, 5); i++)
        put(pen, i == 0 ? " " : &blanks[dice_roll(pen->dice, 4)], 1);
}

static void put_real(struct pen *pen, double real) {
    char text[64];
    (void)snprintf(text, sizeof(text), "%.17g", real);
    put_text(pen, text);
    if (!strpbrk(text, ".en")) put_text(pen, ".0");
}

/* One of the texts that stand for the instant. */
static const char *instant_text(struct dice *dice, long long ticks) {
    size_t at = dice_roll(dice, ARRAY_SIZE(instants));
    while (instants[at].ticks != ticks) at = (at + 1) % ARRAY_SIZE(instants);
    return instants[at].text;
}

static void put_string(struct pen *pen, const struct naive_value *value) {
    for (size_t i = 0; i < value->length; i++) {
        put(pen, &value->text[i], 1);
        if (value->text[i] == '\'') put_text(pen, "'");
    }
}

static void put_digits(struct pen *pen, const struct naive_value *value) {
    bool upper = dice_percent(pen->dice, 50);
    for (size_t i = 0; i < value->length; i++) {
        char digits[3];
        (void)snprintf(digits, sizeof(digits), upper ? "%02X" : "%02x", (unsigned char)value->text[i]);
        put(pen, digits, 2);
    }
}

static void put_literal(struct pen *pen, const struct naive_value *value) {
    char text[64];
    switch (value->type) {
    case NAIVE_STRING: put_text(pen, "'"), put_string(pen, value); break;
    case NAIVE_INT32:
    case NAIVE_INT64:
        (void)snprintf(text, sizeof(text), value->type == NAIVE_INT32 ? "%lld" : "%lldL", value->number);
        put_text(pen, text);
        return;
    case NAIVE_DOUBLE: put_real(pen, value->real); return;
    case NAIVE_BOOL: put_text(pen, value->number ? "true" : "false"); return;
    case NAIVE_DATETIME:
        put_text(pen, "datetime'"), put_text(pen, instant_text(pen->dice, value->number));
        break;
    case NAIVE_GUID: put_text(pen, "guid'"), put_text(pen, value->id); break;
    default: put_text(pen, dice_percent(pen->dice, 50) ? "X'" : "binary'"), put_digits(pen, value);
    }
    put_text(pen, "'");
}

static const char *mirror(const char *relation) {
    static const char *const pairs[] = {"eq", "eq", "ne", "ne", "gt", "lt",
                                        "ge", "le", "lt", "gt", "le", "ge"};
    size_t at = 0;
    while (strcmp(pairs[at], relation) != 0) at += 2;
    return pairs[at + 1];
}

static void put_comparison(struct pen *pen, const struct naive_node *node) {
    if (node->turned)
        put_literal(pen, &node->literal);
    else
        put_text(pen, node->name);
    put_blanks(pen, 1);
    put_text(pen, node->turned ? mirror(node->relation) : node->relation);
    put_blanks(pen, 1);
    if (node->turned)
        put_text(pen, node->name);
    else
        put_literal(pen, &node->literal);
}

/* From loose to tight; what is looser than what it stands in needs parentheses. */
static int tightness(const struct naive_node *node) {
    return node->kind == '|' ? 0 : node->kind == '&' ? 1 : node->kind == '!' ? 2 : 3;
}

static void put_node(struct pen *pen, const struct naive_node *node, int min) {
    bool enclosed = tightness(node) < min || dice_percent(pen->dice, 10);
    if (enclosed) put_text(pen, "("), put_blanks(pen, 0);
    if (node->kind == 'h') put_text(pen, node->name);
    if (node->kind == 't') put_text(pen, "true");
    if (node->kind == 'f') put_text(pen, "false");
    if (node->kind == 'c') put_comparison(pen, node);
    if (node->kind == '!') {
        put_text(pen, "not");
        put_blanks(pen, 1);
        put_node(pen, node->left, 2);
    }
    if (node->kind == '&' || node->kind == '|') {
        put_node(pen, node->left, tightness(node));
        put_blanks(pen, 1);
        put_text(pen, node->kind == '&' ? "and" : "or");
        put_blanks(pen, 1);
        put_node(pen, node->right, tightness(node));
    }
    if (enclosed) put_blanks(pen, 0), put_text(pen, ")");
}

size_t naive_filter_write(struct dice *dice, const struct naive_filter *filter, char text[NAIVE_FILTER_MAX]) {
    struct pen pen = {dice, text};
    put_blanks(&pen, 0);
    put_node(&pen, filter->root, 0);
    put_blanks(&pen, 0);
    *pen.at = '\0';
    return (size_t)(pen.at - text);
}

size_t naive_value_write(const struct naive_value *value, char text[NAIVE_TEXT_MAX]) {
    struct dice dice = {(uint64_t)value->number};
    switch (value->type) {
    case NAIVE_STRING:
    case NAIVE_BINARY: memcpy(text, value->text, value->length); return value->length;
    case NAIVE_DOUBLE: return (size_t)snprintf(text, NAIVE_TEXT_MAX, "%.17g", value->real);
    case NAIVE_BOOL: return (size_t)snprintf(text, NAIVE_TEXT_MAX, "%s", value->number ? "true" : "false");
    case NAIVE_DATETIME:
        return (size_t)snprintf(text, NAIVE_TEXT_MAX, "%s", instant_text(&dice, value->number));
    case NAIVE_GUID: return (size_t)snprintf(text, NAIVE_TEXT_MAX, "%s", value->id);
    default: return (size_t)snprintf(text, NAIVE_TEXT_MAX, "%lld", value->number);
    }
}

/* --- Judging --- */

/* The units of UTF-16, one after the other; -1 at the end. */
struct units {
    const char *at, *end;
    int second; /* the other half of a pair, or 0 */
};

static int next_unit(struct units *units) {
    int second = units->second;
    units->second = 0;
    if (second) return second;
    if (units->at == units->end) return -1;
    int lead = (unsigned char)*units->at++, more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    int character = more ? lead & (0x3f >> more) : lead;
    while (more-- > 0) character = character << 6 | (*units->at++ & 0x3f);
    if (character < 0x10000) return character;
    units->second = 0xdc00 + (character & 0x3ff);
    return 0xd800 + ((character - 0x10000) >> 10);
}

static int compare_strings(const struct naive_value *a, const struct naive_value *b) {
    struct units left = {a->text, a->text + a->length, 0}, right = {b->text, b->text + b->length, 0};
    for (;;) {
        int x = next_unit(&left), y = next_unit(&right);
        if (x != y) return x < y ? -1 : 1;
        if (x < 0) return 0;
    }
}

static int compare_runs(const struct naive_value *a, const struct naive_value *b) {
    for (size_t i = 0; i < a->length && i < b->length; i++) {
        int x = (unsigned char)a->text[i], y = (unsigned char)b->text[i];
        if (x != y) return x < y ? -1 : 1;
    }
    return a->length < b->length ? -1 : a->length > b->length;
}

/* Wide enough for either exactly. */
static long double number_of(const struct naive_value *value) {
    return value->type == NAIVE_DOUBLE ? (long double)value->real : (long double)value->number;
}

static bool is_number(enum naive_type type) {
    return type == NAIVE_INT32 || type == NAIVE_INT64 || type == NAIVE_DOUBLE;
}

/* Whole literals compare with what is wider than they are. */
static bool comparable(enum naive_type stored, enum naive_type literal) {
    if (stored == literal) return true;
    if (stored == NAIVE_INT64) return literal == NAIVE_INT32;
    return stored == NAIVE_DOUBLE && is_number(literal);
}

static int compare(const struct naive_value *stored, const struct naive_value *literal) {
    if (stored->type == NAIVE_STRING) return compare_strings(stored, literal);
    if (stored->type == NAIVE_BINARY) return compare_runs(stored, literal);
    if (stored->type == NAIVE_GUID) return strcmp(stored->id, literal->id);
    return number_of(stored) < number_of(literal) ? -1 : number_of(stored) > number_of(literal);
}

static bool judge_relation(const char *relation, int order) {
    if (strcmp(relation, "eq") == 0) return order == 0;
    if (strcmp(relation, "ne") == 0) return order != 0;
    if (strcmp(relation, "gt") == 0) return order > 0;
    if (strcmp(relation, "ge") == 0) return order >= 0;
    return strcmp(relation, "lt") == 0 ? order < 0 : order <= 0;
}

static bool judge_value(const struct naive_node *node, const struct naive_value *stored) {
    if (node->kind == 'h') return stored->type == NAIVE_BOOL && stored->number;
    if (!comparable(stored->type, node->literal.type)) return judge_relation(node->relation, -1);
    if (stored->type == NAIVE_DOUBLE && isnan(stored->real)) return strcmp(node->relation, "ne") == 0;
    return judge_relation(node->relation, compare(stored, &node->literal));
}

static bool judge_leaf(const struct naive_node *node, const struct naive_entity *entity) {
    if (strcmp(node->name, "PartitionKey") == 0) return judge_value(node, &entity->partition);
    if (strcmp(node->name, "RowKey") == 0) return judge_value(node, &entity->row);
    if (strcmp(node->name, "Timestamp") == 0) return judge_value(node, &entity->timestamp);
    for (unsigned i = 0; i < entity->count; i++)
        if (strcmp(entity->properties[i].name, node->name) == 0)
            return judge_value(node, &entity->properties[i].value);
    return false;
}

static bool judge(const struct naive_node *node, const struct naive_entity *entity) {
    switch (node->kind) {
    case 't': return true;
    case 'f': return false;
    case '!': return !judge(node->left, entity);
    case '&': return judge(node->left, entity) && judge(node->right, entity);
    case '|': return judge(node->left, entity) || judge(node->right, entity);
    default: return judge_leaf(node, entity);
    }
}

bool naive_matches(const struct naive_filter *filter, const struct naive_entity *entity) {
    return judge(filter->root, entity);
}
