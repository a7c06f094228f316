/* Sample grammars: made-up commands that between them have every shape of clause, and what must hold of
 * every parse by them, whatever argv is. */
#ifndef HOLDFAST_UNIT_SAMPLE_GRAMMAR_H
#define HOLDFAST_UNIT_SAMPLE_GRAMMAR_H

#include "server/grammar/args.h"

enum { SAMPLE_WORDS_MAX = 32 };

struct sample_words {
    struct bytes argv[SAMPLE_WORDS_MAX];
    int argc;
};

/* The words of a line, between blanks; '' is an empty one. */
struct sample_words sample_words(const char *line);

enum {
    SLOT_NUMBER = SLOT_FAMILY,
    SLOT_SMALL,
    SLOT_VALUE,
    SLOT_CHOICE,
    SLOT_WORDS,
    SLOT_NEEDED,
    SLOT_SOON,
    SLOT_SPAN,
    SLOT_NAMED,
    SLOT_LISTED,
    SLOT_FLAG,
    SLOT_LATER,
    SLOT_LATEST,
    SLOT_COMPARED,
    SLOT_STEP,
    SLOT_WHICH,
    SLOT_STATE,
    SLOT_PAIRS,
    SLOT_PLACE,
};

/* SAMPLE key name
 *   [IFMATCH tag] [IFMODIFIEDSINCE ms] [NUMBER -5..5] [SMALL 0..2^63-1] [RANGE offset length] [VALUE value]
 *   [CHOICE red|green|blue] [WORDS count word…] [META count name value…] [POLICIES count a b c d…]
 *   [SOON 0..60 s] [SPAN 0.001..9.5 s or without end] [NAMED name]
 *   [COMPARED LE|LT|EQ 0..9] [STEP TO 0..9|BY 0..9|NONE|END] [ALL|SOME|TINY] [STATE version] */
extern struct grammar sample_grammar;

/* NEEDY key VALUE value, where VALUE may also come behind [NUMBER -5..5]. */
extern struct grammar needy_grammar;

/* PAIRED key 0..9 count RED|GREEN|BLUE value … [NUMBER -5..5] */
extern struct grammar paired_grammar;

/* MANY key word… */
extern struct grammar rest_grammar;

/* PAIR key count first second [first second …] [FLAG] [LATER 0..60 s] [LATEST 1..9], where a first one is a name. */
extern struct grammar list_grammar;

/* Requires what the header of the parser promises. argv is an array of struct bytes. */
void args_require_sound(const struct grammar *grammar, const struct bytes *argv, int argc,
                        const struct args *args, const struct fault *fault);

#endif
