/* What befalls the append-only file: its end is cut off, wherever that is; its disk is full. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"
#include "failure.h"
#include "faults.h"
#include "pool.h"
#include "same_everywhere.h"
#include "single_server.h"

enum { CUTS = 3, FILLINGS = 2, FULL_SECONDS = 10, CUT_BYTES_MAX = 128 * 1024 };

/* --- Cut ------------------------------------------------------------------------------------------------------ */

static off_t length_of(const char *path) {
    struct stat status;
    require(!stat(path, &status), "no file %s", path);
    return status.st_size;
}

/* Not so much that what the trial began with is gone.
 *
 * A server of Redis that finds its file cut off within a transaction takes off the broken command alone, and goes on
 * to write behind the open MULTI; with the next start all that is lost, however it was acknowledged. To rewrite the
 * file at once is what the page for operators says. */
static void cut(struct trial *trial, off_t min) {
    struct server *server = stage_primary(&trial->stage);
    stage_kill(&trial->stage);
    const char *file = append_only_path(server, ".incr.aof");
    off_t length = length_of(file), lost = length > min ? trial_chance(trial, (int)(length - min)) : 0;
    require(!truncate(file, length - lost % CUT_BYTES_MAX), "%s is not cut", file);
    stage_revive(&trial->stage);
    rewrite_append_only_file(stage_client(&trial->stage, 0), true);
    trial_pause_ms(trial, 1300, 1600);
}

static void cut_again_and_again(struct trial *trial) {
    off_t min = length_of(append_only_path(stage_primary(&trial->stage), ".incr.aof"));
    trial_pause_ms(trial, 500, 500);
    for (int number = 0; number < CUTS; number++, min = 0) cut(trial, min);
}

/* A file that is cut between two commands does not show it, unless the server knows that it may lack its end. */
const struct fault cut_fault = {.name = "cut file",
                                .promise = PREFIX,
                                .settings = "appendfsync everysec\n",
                                .servers = 2,
                                .strike = cut_again_and_again};

/* --- Full ----------------------------------------------------------------------------------------------------- */

static char place[] = "/tmp/holdfast-disk-XXXXXX";

static bool mount_disk(void) {
    memset(place + sizeof(place) - 7, 'X', 6);
    return mkdtemp(place) && !mount("tmpfs", place, "tmpfs", 0, "size=24m");
}

static void unmount_disk(void) {
    umount2(place, MNT_DETACH);
    rmdir(place);
}

static const char *no_disk(void) {
    bool mounted = mount_disk();
    const char *reason = mounted ? NULL : "a small disk cannot be mounted here: it takes root";
    unmount_disk();
    return reason;
}

static void prepare_disk(struct trial *trial) {
    const char *before = getenv("HOLDFAST_TMP");
    trial->own = before ? strdup(before) : NULL;
    require(mount_disk(), "no disk: %s", strerror(errno));
    setenv("HOLDFAST_TMP", place, 1);
}

static void remove_disk(struct trial *trial) {
    unmount_disk();
    if (trial->own)
        setenv("HOLDFAST_TMP", trial->own, 1);
    else
        unsetenv("HOLDFAST_TMP");
    free(trial->own);
}

static const char *fill_disk(void) {
    static char block[4096];
    const char *path = pool_print("%s/filler", place);
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    require(file >= 0, "no file %s", path);
    while (write(file, block, sizeof(block)) > 0) continue;
    close(file);
    return path;
}

static void await_death(struct server *server) {
    int64_t until_us = us_after(FULL_SECONDS);
    while (server_runs(server) && now_us() < until_us) pause_us(10000);
}

/* With 'always' the server ends itself rather than answer what is not in the file; otherwise it refuses writes until
 * there is room again. */
static void fill_the_disk(struct trial *trial) {
    struct stage *stage = &trial->stage;
    for (int number = 0; number < FILLINGS; number++) {
        stage_term_ends(stage);
        const char *filler = fill_disk();
        await_death(stage_primary(stage));
        unlink(filler);
        require(!server_runs(stage_primary(stage)), "the server lives on with a full disk");
        stage_revive(stage);
        trial_pause_ms(trial, 800, 1000);
    }
    expect_ok(call(stage_client(stage, 0), "CONFIG SET appendfsync everysec"));
    const char *filler = fill_disk();
    trial_pause_ms(trial, 1200, 1500);
    unlink(filler);
    trial_pause_ms(trial, 1000, 1200);
}

const struct fault disk_fault = {.name = "full disk",
                                 .promise = NOTHING_LOST,
                                 .settings = "",
                                 .servers = 1,
                                 .obstacle = no_disk,
                                 .prepare = prepare_disk,
                                 .strike = fill_the_disk,
                                 .clean = remove_disk};
