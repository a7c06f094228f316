#define _GNU_SOURCE
#include "processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PORT_MAX = 55535,
    LOOK_US = 5000,
    LOOKS_A_SECOND = 1000000 / LOOK_US,
    NOT_FOUND = 127,
    ORPHANED = 126
};

static int any_free_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int port = 0, number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (number < 0) return 0;
    if (!bind(number, (struct sockaddr *)&address, size) &&
        !getsockname(number, (struct sockaddr *)&address, &size))
        port = ntohs(address.sin_port);
    close(number);
    return port;
}

int free_port(void) {
    int port = any_free_port();
    while (port > PORT_MAX) port = any_free_port();
    return port;
}

void folder_make(const char *path) {
    char *partial = strdup(path);
    if (!partial) return;
    for (char *slash = strchr(partial + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(partial, 0777);
        *slash = '/';
    }
    mkdir(partial, 0777);
    free(partial);
}

char *folder_make_new(const char *base, const char *name) {
    char *template = NULL, *folder = NULL;
    folder_make(base);
    if (asprintf(&template, "%s/%s-XXXXXX", base, name) < 0) return NULL;
    if (mkdtemp(template)) folder = realpath(template, NULL);
    free(template);
    return folder;
}

void folder_remove(const char *folder) {
    pid_t remover = fork();
    if (!remover) {
        execl("/bin/rm", "rm", "-rf", folder, (char *)NULL);
        _exit(NOT_FOUND);
    }
    if (remover > 0) waitpid(remover, NULL, 0);
}

/* Runs in the child. */
static void output_redirect(const char *path) {
    int output = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
}

pid_t process_start(const char *output, void (*become)(const void *what), const void *what) {
    pid_t parent = getpid(), child = fork();
    if (child) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(ORPHANED);
    if (output) output_redirect(output);
    closefrom(STDERR_FILENO + 1); /* connections of threads that go on meanwhile */
    become(what);
    _exit(NOT_FOUND);
}

bool process_runs(pid_t *process) {
    if (*process && waitpid(*process, NULL, WNOHANG) == *process) *process = 0;
    return *process != 0;
}

int process_await_end(pid_t *process, int seconds) {
    int status = -1;
    for (int look = 0; look < seconds * LOOKS_A_SECOND; look++) {
        if (waitpid(*process, &status, WNOHANG) == *process) {
            *process = 0;
            return status;
        }
        usleep(LOOK_US);
    }
    return -1;
}

void process_kill(pid_t *process) {
    if (!*process) return;
    kill(*process, SIGKILL);
    waitpid(*process, NULL, 0);
    *process = 0;
}

const char *info_value(const char *info, const char *name, size_t *length) {
    size_t name_length = strlen(name);
    for (const char *line = info; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, name, name_length) != 0 || line[name_length] != ':') continue;
        *length = strcspn(line + name_length + 1, "\r\n");
        return line + name_length + 1;
    }
    return NULL;
}
