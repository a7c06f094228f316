/* Arguments: the grammar of commands as data, and the one parser that reads argv by it.
 *
 * A grammar is a list of clauses, ended by NULL: first the positional ones, which have no token, then the
 * options, which may come in any order. The parser, COMMAND DOCS and the syntax lines of the pages all come from
 * these lists, so they cannot disagree. Faults of syntax come before faults of value; among faults of value those of
 * clauses that are looked at early, and among equals the first in argv counts.
 *
 * The parser is pure: it reads argv through argument_at, which the module binds to the server's strings. */
#ifndef HOLDFAST_ARGS_H
#define HOLDFAST_ARGS_H

#include "core/bytes.h"
#include "core/guid.h"
#include "core/outcome.h"

#include <stdint.h>

enum shape {
    SHAPE_KEY,  /* positional: a Redis key */
    SHAPE_TEXT, /* positional: bytes, perhaps with a rule */
    SHAPE_LIST, /* positional: count, then as many items of `width` values, one at least */
    SHAPE_REST, /* positional: any number of further words; with a width groups of them, of a number, values, and any
                     * number of words like the last one */
    SHAPE_TAG,      /* one ETag or *; what is malformed is for the conditions to judge */
    SHAPE_NUMBER,   /* one whole number between least and most */
    SHAPE_DURATION, /* seconds, kept in milliseconds between least and most */
    SHAPE_RANGE,    /* an offset and a length */
    SHAPE_ID,       /* one GUID */
    SHAPE_VALUE,    /* one value of any bytes */
    SHAPE_FLAG,     /* no value: it is there or not */
    SHAPE_CHOICE,   /* one of the words; without a token it is positional */
    SHAPE_WORDS,    /* count, then as many of the words */
    SHAPE_ITEMS,    /* count, then as many items of `width` values */
    SHAPE_CHOSEN,   /* positional: count, then as many pairs of one of the words and a value */
    SHAPE_MEASURE,  /* one of the words, then a whole number, which the last `bare` words do without */
    SHAPE_KEYWORD,  /* one of the words, and no token before it */
    SHAPE_VERSION,  /* one version, as text */
};

enum { CLAUSE_MAX_WIDTH = 4 };

struct clause {
    struct bytes token; /* empty for a positional clause */
    uint8_t shape;
    uint8_t slot; /* where the parser leaves what it found; of the positional ones numbers, choices, lists and
                 optional ones use it */
    uint8_t width;
    uint8_t bare;             /* SHAPE_MEASURE */
    uint8_t fewest;           /* SHAPE_WORDS, SHAPE_ITEMS, SHAPE_REST: how many there must be */
    bool required;            /* an option that must be there */
    bool optional;            /* a last positional text that need not, if it is no option's token */
    enum outcome absent;      /* of a required option that is not there, if that is no fault of syntax */
    enum outcome fault;       /* of a value that is no number or out of range */
    enum outcome unreadable;  /* of one that is no number, where that is another fault */
    uint8_t late;             /* its faults of value count after those of clauses with less */
    int64_t least, most;      /* SHAPE_NUMBER, SHAPE_DURATION, SHAPE_MEASURE */
    const char *const *words; /* of the shapes that take words; ended by NULL */
    enum outcome (*rule)(struct bytes); /* SHAPE_TEXT, SHAPE_VALUE; may be NULL */
    const char *(*explain)(
        struct bytes); /* likewise: what the rule has against a value, for people; may be NULL */
    const char *names[CLAUSE_MAX_WIDTH]; /* of the values, for documentation */
};

#define TOKEN(text)                                                                                          \
    { text, sizeof(text) - 1 }

/* The slots of the shared clauses; the first four are the bits of enum condition_kind. Families go on from
 * SLOT_FAMILY. */
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
    SLOT_LEASING,                   /* the first one of LEASE.*, which meets all families */
    SLOT_FAMILY = SLOT_LEASING + 8, /* the first one that each family has for itself */
    SLOTS_MAX = 64,                 /* the bits of args.given */
};

#define ARGS_BIT(slot) (UINT64_C(1) << (slot))

struct argument {
    int at;    /* index in argv of the first value */
    int count; /* of items, words or pairs */
    union {
        struct {
            int64_t number;
            union {
                int64_t length; /* SHAPE_RANGE; number is the offset */
                int64_t word;   /* SHAPE_MEASURE, SHAPE_KEYWORD: which one */
            };
        };
        struct guid id;   /* SHAPE_ID */
        uint64_t version; /* SHAPE_VERSION */
    };
};

struct args {
    uint64_t given;                   /* a bit per slot */
    struct argument slots[SLOTS_MAX]; /* only those given are set */
};

struct fault {
    enum outcome outcome;
    int at;                       /* index in argv of the word that is wrong */
    const struct clause *missing; /* a required option that is not there; then no word is wrong */
    const struct clause
        *uncounted;     /* a list without the count that comes first; NULL for every other fault */
    const char *reason; /* what is wrong with the word; NULL where the outcome says enough */
};

/* Provided by whoever owns argv. */
struct bytes argument_at(const void *argv, int at);

/* argv[0] is the command's name. The caller has checked that no positional argument is missing. */
struct fault args_parse(const struct clause *const *grammar, const void *argv, int argc, struct args *args);

/* A part of argv that has a grammar of its own, with argv[at] as its name. It ends where a word is none of its options:
 * there *next stands. */
struct fault args_parse_part(const struct clause *const *grammar, const void *argv, int argc, int at,
                             struct args *args, int *next);

/* The options that stand behind SHAPE_REST, from argv[at] on: where the rest ends is for those to say who read it. */
struct fault args_parse_tail(const struct clause *const *grammar, const void *argv, int argc, int at,
                             struct args *args);

/* Which of the clause's words this is, or -1. */
int args_word(const struct clause *clause, struct bytes word);

/* How many words argv must have at least: the name and the positional arguments. */
int args_least(const struct clause *const *grammar);

/* What was parsed, in as little memory as it needs; freed with memory_free. */
struct args_kept {
    uint64_t given;
    struct argument slots[]; /* of those given, in their order */
};

struct args_kept *args_keep(const struct args *args);
void args_restore(const struct args_kept *kept, struct args *args);
/* One of them; NULL if it was not given. */
const struct argument *args_kept_slot(const struct args_kept *kept, int slot);

static inline bool args_given(const struct args *args, int slot) {
    return args->given >> slot & 1;
}

#endif
