#define _GNU_SOURCE
#include "lone.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"
#include "pool.h"
#include "world.h"

enum { SETTLE_ATTEMPTS = 500 };

const char lone_with_file[] = "appendonly yes\nappendfsync always\nauto-aof-rewrite-percentage 0\n";

struct client *lone_cluster(void) {
    struct client *client = visitor(server_start("cluster", "cluster-enabled yes\n"));
    expect_ok(call(client, "CLUSTER ADDSLOTSRANGE 0 16383"));
    while (!strstr(call(client, "CLUSTER INFO")->str, "cluster_state:ok")) usleep(1000);
    return client;
}

/* Buffers come and go with traffic; a fresh connection asks. */
long long lone_memory(struct server *server) {
    client_close(client_open(server));
    struct client *asking = client_open(server);
    long long used = 0, before = -1;
    for (int attempt = 0; attempt < SETTLE_ATTEMPTS && used != before; attempt++) {
        before = used;
        usleep(20000);
        used = info_of(asking, "used_memory");
    }
    client_close(asking);
    return used;
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
