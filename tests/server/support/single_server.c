#define _GNU_SOURCE
#include "single_server.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"
#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"
#include "settings.h"

const char settings_with_file[] = APPEND_ONLY_FILE("always");

const char *test_library(const char *name) {
    char *path = realpath(pool_print("build/server/%s", name), NULL);
    require(path, "build/server/%s is not there", name);
    pool_keep(path, free);
    return path;
}

struct client *cluster_of_one(const char *settings) {
    settings = pool_print("cluster-enabled yes\n%s", settings);
    struct client *client = test_client(server_start("cluster", settings));
    expect_ok(call(client, "CLUSTER ADDSLOTSRANGE 0 16383"));
    AWAIT(strstr(call(client, "CLUSTER INFO")->str, "cluster_state:ok"));
    return client;
}

void pair_start(struct client **first, struct client **second, const char *settings) {
    *first = test_client(server_start("first", settings));
    *second = test_client(server_start("second", settings));
    follow(*second, *first);
}

struct client *restarted(struct server *server, void (*end)(struct server *server)) {
    end(server);
    server_restart(server);
    return test_client(server);
}

struct client *restarted_as_it_was(struct client *client, void (*end)(struct server *server)) {
    const char *digest = digest_of(client);
    client = restarted(client->server, end);
    require(!strcmp(digest_of(client), digest), "%s came back with other data", client->server->name);
    return client;
}

static bool memory_rests(struct client *asking, long long *used) {
    long long before = *used;
    usleep(20000);
    *used = info_of(asking, "used_memory");
    return *used == before;
}

/* Buffers come and go with traffic; a fresh connection asks. */
long long memory_in_use(struct server *server) {
    client_close(client_open(server));
    struct client *asking = client_open(server);
    long long used = 0;
    AWAIT(memory_rests(asking, &used));
    client_close(asking);
    return used;
}

const char *append_only_path(const struct server *server, const char *part) {
    const char *folder = pool_print("%s/appendonlydir", server->folder), *found = NULL;
    DIR *directory = opendir(folder);
    require(directory, "no folder %s", folder);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (strstr(entry->d_name, part)) found = pool_print("%s/%s", folder, entry->d_name);
    closedir(directory);
    require(found, "no %s in %s", part, folder);
    return found;
}

void append_only_cut(const struct server *server, long bytes) {
    const char *file = append_only_path(server, ".incr.aof");
    struct stat status;
    require(!stat(file, &status) && !truncate(file, status.st_size - bytes), "%s cannot be cut", file);
}
