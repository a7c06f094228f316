#include "server/waiting/aof_tail.h"

#include "server/base/server_config.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

enum { FOLDER_MAX = 256 };

static char folder[FOLDER_MAX];
static int64_t bytes_before;

static int64_t size_of(const char *name) {
    char path[2 * FOLDER_MAX + 8];
    struct stat status;
    snprintf(path, sizeof(path), "%s/%.*s", folder, FOLDER_MAX, name);
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

/* The server's own folder is the process's. */
static int64_t bytes_of_files(void) {
    DIR *directory = opendir(folder);
    int64_t sum = 0;
    if (!directory) return 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        sum += size_of(entry->d_name);
    closedir(directory);
    return sum;
}

bool aof_tail_expect_whole(RedisModuleCtx *ctx) {
    char fsync[16];
    if (!server_config_text(ctx, "appendfsync", fsync, sizeof(fsync)) || strcmp(fsync, "always") != 0)
        return false;
    if (!server_config_text(ctx, "appenddirname", folder, sizeof(folder))) return false;
    bytes_before = bytes_of_files();
    return true;
}

bool aof_tail_was_cut(void) {
    return bytes_of_files() < bytes_before;
}
