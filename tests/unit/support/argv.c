#include "server/grammar/args.h"

/* In tests argv is an array of struct bytes. */
struct bytes args_at(const void *argv, int at) {
    return ((const struct bytes *)argv)[at];
}
