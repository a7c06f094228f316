#include "file_commands.h"

#include "harness.h"

/* clang-format off */
const struct file_command file_commands[] = {
    {CLASS_A,     "stat a", 0},
    {CLASS_A,     "meta a", 0},
    {CLASS_R,     "get a", 0},
    {CLASS_R,     "get a RANGE 0 2", 0},
    {CLASS_R,     "ranges a", 0},
    {CLASS_R,     "copy a c", 0},
    {CLASS_W,     "put a 0 xy", 0},
    {CLASS_W,     "put a 8 xy", 0},
    {CLASS_W,     "clear a 0 5", 0},
    {CLASS_W,     "setprops a SIZE 20", 0},
    {CLASS_W,     "setprops a SIZE 3", 0},
    {CLASS_W,     "setprops a PROPS 1 content-type text/plain", KEEPS_DATA},
    {CLASS_W,     "setmeta a META 1 color red", KEEPS_DATA},
    {CLASS_WD,    "create a 5", 0},
    {CLASS_WD,    "copy b a", PUTS_OTHER},
    {CLASS_WD,    "rename b a REPLACE", PUTS_OTHER},
    {CLASS_DEL,   "delete a", 0},
    {CLASS_DEL,   "rename a c", 0},
    {CLASS_LEASE, "LEASE.ACQUIRE fs -1 FILE a", 0},
    {CLASS_A,     NULL, 0},
};
/* clang-format on */

void file_commands_setup(void) {
    call(primary, "DEL fs");
    share_setup();
    file_setup("a", "0123456789");
    file_setup("b", "0123456789");
}
