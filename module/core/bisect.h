/* Searching what is in order by halves. */
#ifndef HOLDFAST_CORE_BISECT_H
#define HOLDFAST_CORE_BISECT_H

/* Brings `low` and `high` together at the first place between them for which the condition does not hold: it tells of
 * the place `middle` whether that is before what is sought. */
#define BISECT(low, high, is_before)                                                                         \
    while ((low) < (high)) {                                                                                 \
        const __typeof__(low) middle = (low) + ((high) - (low)) / 2;                                         \
        if (is_before)                                                                                       \
            (low) = middle + 1;                                                                              \
        else                                                                                                 \
            (high) = middle;                                                                                 \
    }

#endif
