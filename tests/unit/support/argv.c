#include "server/grammar/args.h"

/* In tests argv is an array of struct bytes. */
struct bytes argument_at(const void *argv, int at) {
    return ((const struct bytes *)argv)[at];
}
