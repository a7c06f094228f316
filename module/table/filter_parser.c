#include "table/filter_parser.h"

#include "core/utf16.h"
#include "table/filter_lexer.h"
#include "table/key.h"

struct filter_parser {
    struct filter_lexer lexer;
    struct token token; /* the next one */
    unsigned depth;
};

static const char *const literal_expected[] = {
    [FILTER_EQ] = "expected a literal behind 'eq'", [FILTER_NE] = "expected a literal behind 'ne'",
    [FILTER_GT] = "expected a literal behind 'gt'", [FILTER_GE] = "expected a literal behind 'ge'",
    [FILTER_LT] = "expected a literal behind 'lt'", [FILTER_LE] = "expected a literal behind 'le'",
};

/* The same relation with its sides exchanged. */
static const enum filter_operator mirrored[] = {
    [FILTER_EQ] = FILTER_EQ, [FILTER_NE] = FILTER_NE, [FILTER_GT] = FILTER_LT,
    [FILTER_GE] = FILTER_LE, [FILTER_LT] = FILTER_GT, [FILTER_LE] = FILTER_GE,
};

/* --- Steps --- */

static bool fail_at_token(struct filter_parser *parser, enum outcome outcome, const char *text) {
    return filter_fail(&parser->lexer, outcome, parser->token.text.data, text);
}

static bool fail_expected(struct filter_parser *parser, const char *text) {
    return fail_at_token(parser, OUTCOME_INVALID_INPUT, text);
}

static bool next_token(struct filter_parser *parser) {
    return filter_next_token(&parser->lexer, &parser->token);
}

static unsigned char add_node(struct filter *filter, enum filter_node_kind kind, unsigned char left,
                              unsigned char right) {
    filter->nodes[filter->node_count] = (struct filter_node){kind, left, right};
    return filter->node_count++;
}

/* Stand for true and false while the tree is built. */
enum { ALWAYS = UINT8_MAX, NEVER = UINT8_MAX - 1 };

static bool is_constant(unsigned char node) {
    return node >= NEVER;
}

/* Double negation cancels: the `not` is removed, and everything added after it, which no tree refers to. So each other
 * node has at most one `not`, however many there are in the text. */
static unsigned char negate_node(struct filter *filter, unsigned char node) {
    if (is_constant(node)) return node == ALWAYS ? NEVER : ALWAYS;
    if (filter->nodes[node].kind != NODE_NOT) return add_node(filter, NODE_NOT, node, 0);
    filter->node_count = node;
    return filter->nodes[node].left;
}

/* A constant either decides the result, or leaves it to the other side. */
static unsigned char join_operands(struct filter *filter, enum filter_node_kind kind, unsigned char left,
                                   unsigned char right) {
    unsigned char decides = kind == NODE_AND ? NEVER : ALWAYS;
    if (left == decides || right == decides) return decides;
    if (is_constant(left)) return right;
    return is_constant(right) ? left : add_node(filter, kind, left, right);
}

/* --- Comparisons --- */

static unsigned name_index(struct filter *filter, struct bytes name) {
    unsigned index = 0;
    while (index < filter->name_count && !bytes_equal(filter->names[index], name)) index++;
    if (index == filter->name_count) filter->names[filter->name_count++] = name;
    return index;
}

/* The form in which keys are stored; most texts have it already. */
static struct bytes stored_form(struct filter_parser *parser, struct bytes text) {
    size_t at = 0;
    while (at < text.length && utf16_rank(text.data[at]) == (unsigned char)text.data[at]) at++;
    if (at == text.length) return text;
    char *buffer = filter_buffer(&parser->lexer, text.length);
    key_store(text, buffer);
    return bytes_of(buffer, text.length);
}

static void set_subject(struct filter_parser *parser, struct comparison *comparison) {
    comparison->subject = filter_subject_of(comparison->name);
    if (comparison->subject == SUBJECT_PROPERTY)
        comparison->name_index = name_index(parser->lexer.filter, comparison->name);
    else if (comparison->subject != SUBJECT_TIMESTAMP && comparison->literal.type == VALUE_STRING)
        comparison->key = stored_form(parser, comparison->literal.bytes);
}

/* A name, which an operator and a literal may follow. */
static bool parse_named(struct filter_parser *parser, struct comparison *comparison) {
    comparison->name = parser->token.text;
    comparison->relation = FILTER_IS_TRUE;
    comparison->literal = (struct value){.type = VALUE_BOOL, .number = 1};
    if (!next_token(parser)) return false;
    if (parser->token.kind == TOKEN_OPEN)
        return fail_expected(parser, "there are no functions: expected an operator, 'and', 'or' or the end");
    if (parser->token.kind == TOKEN_NAME || parser->token.kind == TOKEN_LITERAL)
        return fail_expected(parser, "expected eq, ne, gt, ge, lt or le, 'and', 'or' or the end");
    if (parser->token.kind != TOKEN_OPERATOR) return true;
    comparison->relation = parser->token.relation;
    if (!next_token(parser)) return false;
    if (parser->token.kind == TOKEN_NULL)
        return fail_expected(parser,
                             "there is no null: a property that an entity lacks fails every comparison");
    if (parser->token.kind != TOKEN_LITERAL)
        return fail_expected(parser, literal_expected[comparison->relation]);
    comparison->literal = parser->token.literal;
    return next_token(parser);
}

/* The operator and the name that follow a literal. */
static bool parse_turned(struct filter_parser *parser, struct comparison *comparison) {
    if (parser->token.kind != TOKEN_OPERATOR)
        return fail_expected(parser, "expected an operator behind the literal: eq, ne, gt, ge, lt or le");
    comparison->relation = mirrored[parser->token.relation];
    if (!next_token(parser)) return false;
    if (parser->token.kind == TOKEN_LITERAL)
        return fail_at_token(parser, OUTCOME_NOT_IMPLEMENTED,
                             "a comparison must have a property on one side");
    if (parser->token.kind != TOKEN_NAME)
        return fail_expected(parser, "expected a property behind the operator");
    comparison->name = parser->token.text;
    return next_token(parser);
}

/* The literal is the one before the current token; NULL when the comparison begins with a name. */
static bool parse_comparison(struct filter_parser *parser, const struct token *literal, unsigned char *node) {
    struct filter *filter = parser->lexer.filter;
    if (filter->comparison_count == FILTER_MAX_COMPARISONS)
        return filter_fail(&parser->lexer, OUTCOME_INVALID_INPUT,
                           literal ? literal->text.data : parser->token.text.data,
                           "a filter has at most 15 comparisons");
    struct comparison *comparison = &filter->comparisons[filter->comparison_count];
    *comparison = (struct comparison){.key = {"", 0}};
    if (literal) comparison->literal = literal->literal;
    if (!(literal ? parse_turned(parser, comparison) : parse_named(parser, comparison))) return false;
    set_subject(parser, comparison);
    *node = add_node(filter, NODE_COMPARISON, filter->comparison_count++, 0);
    return true;
}

/* Something that begins with a literal: a comparison, or true or false alone. */
static bool parse_literal(struct filter_parser *parser, unsigned char *node) {
    struct token literal = parser->token;
    if (!next_token(parser)) return false;
    if (parser->token.kind == TOKEN_OPERATOR || literal.literal.type != VALUE_BOOL)
        return parse_comparison(parser, &literal, node);
    *node = literal.literal.number ? ALWAYS : NEVER;
    return true;
}

/* --- Levels --- */

static bool parse_or(struct filter_parser *parser, unsigned char *node);

static bool go_deeper(struct filter_parser *parser) {
    if (parser->depth == FILTER_MAX_DEPTH)
        return fail_expected(parser, "nested too deeply: at most 100 parentheses and nots in each other");
    parser->depth++;
    return next_token(parser);
}

static bool parse_primary(struct filter_parser *parser, unsigned char *node) {
    if (parser->token.kind == TOKEN_NAME) return parse_comparison(parser, NULL, node);
    if (parser->token.kind == TOKEN_LITERAL) return parse_literal(parser, node);
    if (parser->token.kind != TOKEN_OPEN) return fail_expected(parser, "expected a comparison, 'not' or '('");
    if (!go_deeper(parser) || !parse_or(parser, node)) return false;
    if (parser->token.kind != TOKEN_CLOSE) return fail_expected(parser, "expected ')', 'and' or 'or'");
    parser->depth--;
    return next_token(parser);
}

static bool parse_not(struct filter_parser *parser, unsigned char *node) {
    unsigned nots = 0;
    for (; parser->token.kind == TOKEN_NOT; nots++)
        if (!go_deeper(parser)) return false;
    if (!parse_primary(parser, node)) return false;
    parser->depth -= nots;
    if (nots % 2) *node = negate_node(parser->lexer.filter, *node);
    return true;
}

/* The levels of `and` and `or`. */
static bool parse_joined(struct filter_parser *parser, enum token_kind word, enum filter_node_kind kind,
                         bool (*parse_part)(struct filter_parser *parser, unsigned char *node),
                         unsigned char *node) {
    if (!parse_part(parser, node)) return false;
    while (parser->token.kind == word) {
        unsigned char right;
        if (!next_token(parser) || !parse_part(parser, &right)) return false;
        *node = join_operands(parser->lexer.filter, kind, *node, right);
    }
    return true;
}

static bool parse_and(struct filter_parser *parser, unsigned char *node) {
    return parse_joined(parser, TOKEN_AND, NODE_AND, parse_not, node);
}

static bool parse_or(struct filter_parser *parser, unsigned char *node) {
    return parse_joined(parser, TOKEN_OR, NODE_OR, parse_and, node);
}

/* --- The filter --- */

static bool text_is_sound(struct filter_lexer *lexer) {
    struct bytes text = lexer->text;
    size_t units;
    if (text.length > FILTER_MAX_BYTES)
        return filter_fail(lexer, OUTCOME_INVALID_INPUT, text.data + FILTER_MAX_BYTES,
                           "a filter has at most 1048576 bytes");
    size_t sound = utf16_sound_length(text, &units);
    return sound == text.length ||
           filter_fail(lexer, OUTCOME_INVALID_INPUT, text.data + sound, "this is not UTF-8");
}

static void set_root(struct filter *filter, unsigned char node) {
    filter->all = node == ALWAYS;
    if (node == NEVER) node = add_node(filter, NODE_NOTHING, 0, 0);
    filter->root = filter->all ? 0 : node;
}

static bool parse_filter(struct filter_parser *parser) {
    unsigned char root = ALWAYS;
    if (!text_is_sound(&parser->lexer) || !next_token(parser)) return false;
    if (parser->token.kind != TOKEN_END && !parse_or(parser, &root)) return false;
    if (parser->token.kind == TOKEN_CLOSE) return fail_expected(parser, "there is no '(' for this ')'");
    if (parser->token.kind != TOKEN_END) return fail_expected(parser, "expected 'and', 'or' or the end");
    set_root(parser->lexer.filter, root);
    return true;
}

bool filter_compile(struct bytes text, struct filter *filter, struct filter_fault *fault) {
    struct filter_parser parser = {.lexer = {text, 0, filter, fault}};
    if (!text.data) parser.lexer.text = bytes_of("", 0);
    filter->root = filter->comparison_count = filter->node_count = filter->name_count = 0;
    filter->texts = NULL;
    filter->texts_length = 0;
    if (parse_filter(&parser)) return true;
    filter_end(filter);
    return false;
}
