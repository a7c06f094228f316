/* Counts the instructions that a server executes for commands of the module, and for Redis's own commands beside
 * them, and compares the counts with the table that is stored in the repository.
 *
 * Instructions do not depend on what else the machine does, so a difference of one per cent is a difference of the
 * code. They do depend on the compiler, the C library and the server: their versions are stored with the table.
 *
 *   holdfast-instructions TABLE [--update] [PATTERN]
 *
 * Exit status 1: some row needs over 3 % more instructions than in the table. With a PATTERN only the rows whose
 * names match it are counted. */
#include "instructions.h"

#include <errno.h>
#include <fnmatch.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 40, NAME_WIDTH = 34, COUNTS_MAX = 300, LINE_BYTES = 256 };

static const double percent_allowed = 3;

struct count {
    char name[NAME_BYTES];
    char native[NAME_BYTES]; /* empty in native rows */
    double instructions;
};

struct table {
    char environment[LINE_BYTES];
    size_t length;
    struct count counts[COUNTS_MAX];
};

static struct count *find_count(struct table *table, const char *name) {
    for (size_t i = 0; i < table->length; i++) {
        if (!strcmp(table->counts[i].name, name)) return &table->counts[i];
    }
    return NULL;
}

static struct count *add_count(struct table *table) {
    require(table->length < COUNTS_MAX, "too many rows");
    struct count *count = &table->counts[table->length++];
    *count = (struct count){0};
    return count;
}

/* A line is the name, padded to NAME_WIDTH, and the number; what follows is for people. */
static void read_line(struct table *table, const char *line) {
    char *end;
    double instructions = strlen(line) > NAME_WIDTH ? strtod(line + NAME_WIDTH, &end) : 0;
    if (*line == '#' || instructions <= 0) return;
    struct count *count = add_count(table);
    count->instructions = instructions;
    size_t length = NAME_WIDTH;
    while (length > 0 && line[length - 1] == ' ') length--;
    memcpy(count->name, line, length);
}

static void read_table(struct table *table, const char *path) {
    table->length = 0;
    FILE *file = fopen(path, "r");
    if (!file) return;
    char line[LINE_BYTES];
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, "# With ", strlen("# With ")))
            snprintf(table->environment, LINE_BYTES, "%s", line);
        read_line(table, line);
    }
    fclose(file);
}

static double ratio_to_native(struct table *table, const struct count *count) {
    const struct count *native = find_count(table, count->native);
    return native ? count->instructions / native->instructions : 0;
}

static void write_table(struct table *table, const char *path) {
    FILE *file = fopen(path, "w");
    require(file, "cannot write %s: %s", path, strerror(errno));
    fprintf(
        file,
        "# Instructions of the server per call, in a pipeline, and compared with a command of Redis itself.\n"
        "# 'make bench-instructions' counts them anew and compares; with UPDATE=1 it writes this "
        "file.\n# (AOF), (replica): on a server that writes an append-only file, that has a replica; "
        "(applied): on "
        "that replica.\n%s\n#\n"
        "# %-*s%12s  %-24s%6s\n",
        table->environment, NAME_WIDTH - 2, "command", "instructions", "compared with", "ratio");
    for (size_t i = 0; i < table->length; i++) {
        const struct count *count = &table->counts[i];
        fprintf(file, "%-*s%12.0f", NAME_WIDTH, count->name, count->instructions);
        double ratio = ratio_to_native(table, count);
        if (ratio > 0) fprintf(file, "  %-24s%6.2f", count->native, ratio);
        fputc('\n', file);
    }
    fclose(file);
}

static void describe_environment(struct counted *counted, struct table *table) {
    redisReply *reply = server_command(counted->called, "INFO server");
    const char *version = strstr(reply->str, "valkey_version:");
    if (!version) version = strstr(reply->str, "redis_version:");
    require(version, "the server does not tell its version");
    snprintf(table->environment, LINE_BYTES, "# With %.*s, gcc:%s, glibc:%s", (int)strcspn(version, "\r"),
             version, __VERSION__, gnu_get_libc_version());
    freeReplyObject(reply);
}

/* Prints one row beside what is stored of it and answers whether it needs too many instructions more. */
static bool print_row(struct table *table, struct table *stored, const struct count *count) {
    printf("%-*s%12.0f", NAME_WIDTH, count->name, count->instructions);
    double ratio = ratio_to_native(table, count);
    if (ratio > 0)
        printf("%8.2f x %-24s", ratio, count->native);
    else
        printf("%8s   %-24s", "", "");
    const struct count *old = find_count(stored, count->name);
    double percent = old ? 100 * (count->instructions / old->instructions - 1) : 0;
    bool is_worse = percent > percent_allowed;
    if (old)
        printf("%+8.2f %%%s\n", percent, is_worse ? "  MORE" : "");
    else
        printf("     new\n");
    fflush(stdout);
    return is_worse;
}

static void count_rows(struct table *table, struct table *stored, const char *pattern,
                       enum propagation propagation, unsigned *worse) {
    static const char *const suffixes[PROPAGATIONS] = {"", " (AOF)", " (replica)", " (applied)"};
    struct counted counted = counted_start(propagation);
    describe_environment(&counted, table);
    for (size_t i = 0; i < row_count; i++) {
        const struct row *row = &rows[i];
        if (propagation != TO_NOBODY && !row->is_propagated) continue;
        if (propagation == ON_A_REPLICA && row->changes_nothing) continue;
        const char *suffix = suffixes[propagation];
        char name[NAME_BYTES];
        snprintf(name, NAME_BYTES, "%s%s", row->name, suffix);
        if (fnmatch(pattern, name, 0)) continue;
        struct count *count = add_count(table);
        memcpy(count->name, name, NAME_BYTES);
        if (row->native) snprintf(count->native, NAME_BYTES, "%s%s", row->native, suffix);
        count->instructions = batch_count(&counted, row);
        *worse += print_row(table, stored, count);
    }
    counted_stop(&counted);
}

int main(int argc, char **argv) {
    static struct table table, stored;
    bool updates = argc > 2 && !strcmp(argv[2], "--update");
    require(argc >= 2, "usage: holdfast-instructions TABLE [--update] [PATTERN]");
    const char *pattern = argc > 2 + updates ? argv[2 + updates] : "*";
    require(!updates || !strcmp(pattern, "*"), "the table is updated as a whole");
    read_table(&stored, argv[1]);
    unsigned worse = 0;
    for (int propagation = 0; propagation < PROPAGATIONS; propagation++)
        count_rows(&table, &stored, pattern, (enum propagation)propagation, &worse);
    if (updates) {
        write_table(&table, argv[1]);
        return 0;
    }
    if (strcmp(table.environment, stored.environment) != 0)
        printf("The stored table was made elsewhere, so a difference need not come from the code:\n%s\n%s\n",
               stored.environment, table.environment);
    if (worse > 0)
        printf("%u rows need over %g %% more instructions than in %s\n", worse, percent_allowed, argv[1]);
    return worse > 0 ? STATUS_MORE_INSTRUCTIONS : 0;
}
