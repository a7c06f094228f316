/* Golden files: what a release has written of every data type loads for ever, and answers the same.
 * tests/golden/make.sh makes them, reads.txt has the commands that are asked, and answers.txt of each release what
 * they answered; GOLDEN=write writes that anew. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness.h"
#include "pages.h"
#include "pool.h"
#include "redis_cli.h"
#include "single_server.h"
#include "text.h"

static char releases[8][32];
static size_t releases_count;

static const char *golden_path(const char *release, const char *name) {
    return pages_source(pool_print("tests/golden/%s/%s", release, name));
}

static void copy_file(const char *from, const char *to) {
    size_t length;
    const char *bytes = text_of_file(from, &length);
    FILE *file = fopen(to, "w");
    require(file, "cannot write %s", to);
    require(fwrite(bytes, 1, length, file) == length && !fclose(file), "cannot write %s", to);
}

/* The module's clock begins where it stood when the files were made. */
static const char *clock_of(const char *release) {
    long long made_ms = atoll(text_of_file(golden_path(release, "made"), NULL));
    return pool_print("clock-offset-ms %lld", made_ms - (long long)time(NULL) * 1000);
}

/* A server that has loaded the file, which takes the place of one of its own. */
static struct client *loaded(const char *release, const char *name, const char *settings) {
    struct server *server = server_for_test(server_launch_with(name, settings, clock_of(release)));
    server_await(server);
    bool commands = strstr(name, ".aof");
    const char *place =
        commands ? append_only_path(server, ".incr.aof") : pool_print("%s/dump.rdb", server->folder);
    server_kill(server);
    copy_file(golden_path(release, name), place);
    server_restart(server);
    struct client *client = test_client(server);
    assert_int_equal(info_of(client, "holdfast_effects_misfit"), 0);
    assert_int_equal(info_of(client, "holdfast_effects_malformed"), 0);
    return client;
}

/* All that reads.txt asks, with what the server answers. */
static const char *answers(struct client *client) {
    const char *reads = text_of_file(pages_source("tests/golden/reads.txt"), NULL);
    struct text told = {0};
    for (const char *line; (line = text_line(&reads));) {
        if (*line == '#') continue;
        struct words words = redis_cli_words(line);
        text_print(&told, "> %s\n%s", line, redis_cli_text(call_words(client, &words)));
    }
    return told.bytes;
}

static void write_answers(const char *release, const char *told) {
    FILE *file = fopen(golden_path(release, "answers.txt"), "w");
    require(file && fputs(told, file) >= 0 && !fclose(file), "cannot write the answers of %s", release);
}

static void compare(const char *what, const char *told, const char *golden) {
    const char *told_line, *golden_line = "";
    for (const char *asked = ""; (told_line = text_line(&told));) {
        golden_line = text_line(&golden);
        if (*told_line == '>') asked = told_line;
        require(golden_line && !strcmp(told_line, golden_line), "%s: %s\nanswers:    %s\nanswered:   %s",
                what, asked, told_line, golden_line ? golden_line : "nothing");
    }
    require(!text_line(&golden), "%s answers less than it did", what);
}

static void find_releases(void) {
    DIR *directory = opendir(pages_source("tests/golden"));
    require(directory, "there is no tests/golden");
    releases_count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        require(releases_count < 8 && strlen(entry->d_name) < 32, "too many releases");
        memcpy(releases[releases_count++], entry->d_name, strlen(entry->d_name) + 1);
    }
    closedir(directory);
    require(releases_count, "there is no release in tests/golden");
}

static void answers_as_ever(const char *name, const char *settings) {
    find_releases();
    for (size_t i = 0; i < releases_count; i++) {
        const char *release = releases[i], *told = answers(loaded(release, name, settings));
        const char *writing = getenv("GOLDEN");
        if (writing && !strcmp(writing, "write")) write_answers(release, told);
        compare(pool_print("%s of %s", name, release), told,
                text_of_file(golden_path(release, "answers.txt"), NULL));
    }
}

TEST(snapshots_of_every_release_answer_as_ever) {
    answers_as_ever("values.rdb", "save 3600 1\n");
}

TEST(rewritten_files_of_every_release_answer_as_ever) {
    answers_as_ever("rewritten.aof", settings_with_file);
}

TEST(effects_of_every_release_answer_as_ever) {
    answers_as_ever("effects.aof", settings_with_file);
}
