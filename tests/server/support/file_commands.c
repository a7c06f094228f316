#include "file_commands.h"

#include "harness.h"

/* clang-format off */
const struct file_command file_commands[] = {
    {MODEL_ASKS,     "stat a", 0},
    {MODEL_ASKS,     "meta a", 0},
    {MODEL_READS,     "get a", 0},
    {MODEL_READS,     "get a RANGE 0 2", 0},
    {MODEL_READS,     "ranges a", 0},
    {MODEL_READS,     "copy a c", 0},
    {MODEL_WRITES,     "put a 0 xy", 0},
    {MODEL_WRITES,     "put a 8 xy", 0},
    {MODEL_WRITES,     "clear a 0 5", 0},
    {MODEL_WRITES,     "setprops a SIZE 20", 0},
    {MODEL_WRITES,     "setprops a SIZE 3", 0},
    {MODEL_WRITES,     "setprops a PROPS 1 content-type text/plain", KEEPS_DATA},
    {MODEL_WRITES,     "setmeta a META 1 color red", KEEPS_DATA},
    {MODEL_REPLACES,    "create a 5", 0},
    {MODEL_REPLACES,    "copy b a", PUTS_OTHER},
    {MODEL_REPLACES,    "rename b a REPLACE", PUTS_OTHER},
    {MODEL_DELETES,   "delete a", 0},
    {MODEL_DELETES,   "rename a c", 0},
    {MODEL_LEASES, "LEASE.ACQUIRE fs -1 FILE a", 0},
    {MODEL_ASKS,     NULL, 0},
};
/* clang-format on */

void file_commands_setup(void) {
    call(primary, "DEL fs");
    share_setup();
    file_setup("a", "0123456789");
    file_setup("b", "0123456789");
}
