/* Arguments: the grammar of commands as data, and the one parser that reads argv by it.
 *
 * A grammar is a list of clauses, ended by NULL: first the positional ones, which have no token, then the options,
 * which may come in any order. The parser, COMMAND DOCS and the syntax lines of the pages all come from these lists,
 * so they cannot disagree. Syntax errors come before invalid values; among invalid values, clauses with a smaller
 * `late` come first, then the first in argv.
 *
 * The parser is pure: it reads argv through args_at, which the module binds to the server's strings. */
#ifndef HOLDFAST_ARGS_H
#define HOLDFAST_ARGS_H

#include "core/bytes.h"
#include "core/condition.h"
#include "core/guid.h"
#include "core/outcome.h"

#include <stdint.h>

enum shape {
    SHAPE_KEY,  /* positional: a Redis key */
    SHAPE_TEXT, /* positional: bytes, with an optional check */
    SHAPE_LIST, /* positional: a count, then that many items of `width` values; at least one */
    /* positional: all further arguments; with a width: groups of a number, values, and any number of arguments
     * like the last one */
    SHAPE_REST,
    SHAPE_TAG,      /* one ETag or *; what a malformed one means is left to the conditions */
    SHAPE_NUMBER,   /* one integer between min and max */
    SHAPE_DURATION, /* seconds, converted to milliseconds between min and max */
    SHAPE_RANGE,    /* an offset and a length */
    SHAPE_ID,       /* one GUID; positional if there is no token */
    SHAPE_VALUE,    /* one value of any bytes */
    SHAPE_FLAG,     /* no value */
    SHAPE_CHOICE,   /* one of the words; positional if there is no token */
    SHAPE_VERSION,  /* one version, as text */
    SHAPE_KEYWORD,  /* one of the words, without a token before it */
    SHAPE_CHOSEN,   /* positional: a count, then that many pairs of a word and a value */
    /* From here on the first value tells how many follow. */
    SHAPE_WORDS,   /* a count, then that many of the words */
    SHAPE_ITEMS,   /* a count, then that many items of `width` values */
    SHAPE_MEASURE, /* one of the words, then an integer; the last `bare` words take no integer */
};

enum { CLAUSE_MAX_WIDTH = 4 };

struct clause {
    struct bytes token; /* empty for a positional clause */
    uint8_t shape;
    /* Where the parser stores the result; positional numbers, ids, choices, lists and optional clauses have one. */
    uint8_t slot;
    uint8_t width;
    uint8_t bare;            /* SHAPE_MEASURE */
    uint8_t min_count;       /* SHAPE_WORDS, SHAPE_ITEMS */
    bool required;           /* the option is mandatory */
    bool optional;           /* trailing positional; may be omitted (an option's token is not taken for it) */
    enum outcome absent;     /* outcome when a required option is missing, if that is not a syntax error */
    enum outcome fault;      /* outcome for a value that is not a number, out of range or too long */
    enum outcome unreadable; /* outcome for a value that is not a number, where that differs from `fault` */
    uint8_t late;            /* invalid values are reported after those of clauses with a smaller number */
    /* SHAPE_NUMBER, SHAPE_DURATION, SHAPE_MEASURE; of SHAPE_VALUE the bytes, if max is not 0 */
    int64_t min, max;
    const char *const *words;             /* for shapes with words; ended by NULL */
    enum outcome (*check)(struct bytes);  /* SHAPE_TEXT, SHAPE_VALUE; may be NULL */
    const char *(*explain)(struct bytes); /* why `check` refuses a value, for people; may be NULL */
    const char *names[CLAUSE_MAX_WIDTH];  /* names of the values, for documentation */
    const char *list;                     /* SHAPE_CHOSEN: name of the whole, for documentation */
};

/* No option begins with an empty word, which has a place of its own. */
enum { WORD_PLACES = 16, NO_WORD_PLACE = WORD_PLACES };

/* A list of clauses, ended by NULL, and what the parser learns of it when it first reads by it. */
struct grammar {
    const struct clause *const *clauses;
    const struct clause *const *options; /* those behind the positional ones; NULL until they are known */
    int words;                           /* so many of the first clauses are one mandatory word each */
    int plain_argc;    /* of a call with these words only; 0 if something else is mandatory, too */
    uint64_t checked;  /* a bit for each of these words that has a check */
    uint64_t required; /* the slots of mandatory options */
    /* By the length and the first letter of a word, the options that may begin with it: a bit for each, which
     * suffices since each has a slot of its own. */
    uint64_t places[WORD_PLACES + 1];
};

#define GRAMMAR(...) (&(struct grammar){.clauses = (const struct clause *const[]){__VA_ARGS__, NULL}})

#define TOKEN(text)                                                                                          \
    { text, sizeof(text) - 1 }

/* Slots of the shared clauses; the first four are the bits of enum condition_kind. Families start at SLOT_FAMILY. */
enum {
    SLOT_IFMATCH,
    SLOT_IFNONEMATCH,
    SLOT_IFMODIFIEDSINCE,
    SLOT_IFUNMODIFIEDSINCE,
    SLOT_META,
    SLOT_PROPS,
    SLOT_POLICIES,
    SLOT_LEASE,
    SLOT_BLOCK,
    SLOT_MARKER,
    SLOT_PAGE_SIZE,
    SLOT_ONCE,
    SLOT_SINCE_BOOKMARK,
    SLOT_FEED_WORD,
    SLOT_FEED_KEEP,
    SLOT_RANGE,
    SLOT_PREFIX,
    SLOT_SNAPSHOT,
    SLOT_SNAPSHOTS,
    SLOT_SINCE,
    SLOT_SIZE,
    SLOT_OFFSET,
    SLOT_LENGTH,
    SLOT_LEASING,                   /* first slot of LEASE.*, shared by all types with leases */
    SLOT_FAMILY = SLOT_LEASING + 8, /* first slot of each family's own */
    SLOTS_MAX = 64,                 /* bits of args.given */
};

#define ARGS_BIT(slot) (UINT64_C(1) << (slot))

struct argument {
    int at;    /* argv index of the first value */
    int count; /* number of items, words or pairs */
    union {
        struct {
            int64_t number;
            union {
                int64_t length; /* SHAPE_RANGE; `number` is the offset */
                int64_t word;   /* SHAPE_MEASURE, SHAPE_KEYWORD: index of the word */
            };
        };
        struct tag tag;   /* SHAPE_TAG */
        struct guid id;   /* SHAPE_ID */
        uint64_t version; /* SHAPE_VERSION */
    };
};

struct args {
    uint64_t given;                   /* one bit per slot */
    struct argument slots[SLOTS_MAX]; /* only the given ones are set */
};

struct fault {
    enum outcome outcome;
    int at;                         /* argv index of the wrong argument */
    const struct clause *clause;    /* of a wrong value; NULL for a syntax error */
    const struct clause *missing;   /* a required option is missing; then no argument is wrong */
    const struct clause *uncounted; /* a list without its leading count; NULL for every other error */
    const char *reason;             /* what is wrong with the argument; NULL where the outcome says enough */
};

/* Provided by the owner of argv. */
struct bytes args_at(const void *argv, int at);

/* Prepares a grammar for parsing; once, before its first use. */
void args_learn(struct grammar *grammar);

/* argv[0] is the command's name. The caller has checked that all positional arguments are present. Returns the outcome
 * of the fault, if there is one, or OUTCOME_DONE; then *fault has nothing else. */
enum outcome args_parse(const struct grammar *grammar, const void *argv, int argc, struct args *args,
                        struct fault *fault);

/* Parses a part of argv that has its own grammar, with argv[at] as its name. Stops at the first word that is not one
 * of its options, and stores its index in *next. */
enum outcome args_parse_part(const struct grammar *grammar, const void *argv, int argc, int at,
                             struct args *args, struct fault *fault, int *next);

/* Parses the options after SHAPE_REST, from argv[at] on. The caller has read the rest and knows where it ends. */
enum outcome args_parse_tail(const struct grammar *grammar, const void *argv, int argc, int at,
                             struct args *args, struct fault *fault);

/* Whether an option of the grammar may begin with this word. */
bool args_begins_option(const struct grammar *grammar, struct bytes word);

/* The index of this word in the clause, or -1. */
int args_word(const struct clause *clause, struct bytes word);

/* The minimum argc: the name and the positional arguments. */
int args_min(const struct grammar *grammar);

/* A compact copy of parsed arguments, freed with memory_free. */
struct args_kept {
    uint64_t given;
    struct argument slots[]; /* the given ones, in order */
};

struct args_kept *args_keep(const struct args *args);
void args_restore(const struct args_kept *kept, struct args *args);
/* One slot; NULL if it was not given. */
const struct argument *args_kept_slot(const struct args_kept *kept, int slot);

/* The argv index of the word with which an option that is given begins. */
int args_option_at(const struct grammar *grammar, const struct args *args, int slot);

static inline bool args_given(const struct args *args, int slot) {
    return args->given >> slot & 1;
}

#endif
