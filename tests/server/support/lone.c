#define _GNU_SOURCE
#include "lone.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"
#include "pool.h"

const char lone_with_file[] = "appendonly yes\nappendfsync always\nauto-aof-rewrite-percentage 0\n";

struct client *lone_cluster(void) {
    struct client *client = visitor(server_start("cluster", "cluster-enabled yes\n"));
    expect_ok(call(client, "CLUSTER ADDSLOTSRANGE 0 16383"));
    while (!strstr(call(client, "CLUSTER INFO")->str, "cluster_state:ok")) usleep(1000);
    return client;
}

const char *lone_file(const struct server *server, const char *part) {
    const char *folder = pool_print("%s/appendonlydir", server->folder), *found = NULL;
    DIR *directory = opendir(folder);
    require(directory, "no folder %s", folder);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (strstr(entry->d_name, part)) found = pool_print("%s/%s", folder, entry->d_name);
    closedir(directory);
    require(found, "no %s in %s", part, folder);
    return found;
}

void lone_tear(const struct server *server, long bytes) {
    const char *file = lone_file(server, ".incr.aof");
    struct stat status;
    require(!stat(file, &status) && !truncate(file, status.st_size - bytes), "%s cannot be cut", file);
}
