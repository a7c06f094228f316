/* Processes of servers, for all harnesses: that of the tests, that of the bench, and that of what counts instructions. Nothing
 * here ends the program: each harness says in its own way what went wrong. */
#ifndef HOLDFAST_TESTS_PROCESSES_H
#define HOLDFAST_TESTS_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A port of the loopback interface that was free a moment ago; 0 if there is none. In a cluster the port
 * 10000 above it can be used, too. */
int free_port(void);

/* Makes the folder and those above it. */
void folder_make(const char *path);

/* Makes a folder whose name begins with `name` in the folder `base`. Returns its absolute path, which is
 * the caller's, or NULL and errno. */
char *folder_make_new(const char *base, const char *name);

/* Removes it with all that is in it. A signal handler may call it. */
void folder_remove(const char *folder);

/* Calls `become` in a child that dies with this process, and whose output is appended to that file, if there is one. `become`
 * ends in exec; if it returns, the child ends with status 127. Returns the child, or a negative number and errno. */
pid_t process_start(const char *output, void (*become)(const void *what), const void *what);

/* Whether it still runs. The id of one that has ended, or was killed, becomes 0. */
bool process_runs(pid_t *process);

/* Waits for its end. Returns its status, or -1 if it did not end in time. */
int process_await_end(pid_t *process, int seconds);

void process_kill(pid_t *process);

/* The value of a field in an answer of INFO, and its length; NULL if there is no such field. */
const char *info_value(const char *info, const char *name, size_t *length);

#endif
