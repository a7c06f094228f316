#define _GNU_SOURCE
#include "sources.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "pool.h"
#include "text.h"

enum { GUESTS_MAX = 64, HEARD_BYTES = 1 << 16, QUESTION_BYTES = 1 << 16 };

struct guest {
    int socket;
    char *heard;
    size_t length;
};

/* What is spoken is on the heap: the pool is the test's own thread's. */
struct source {
    struct source *next;
    int listener, port, end[2];
    pthread_t thread;
    pthread_mutex_t lock;
    const struct told *script;
    int served[64];
    struct guest guests[GUESTS_MAX];
    char heard[HEARD_BYTES];
    size_t heard_length;
    int visits;
};

static struct source *sources;

/* --- Speaking --- */

struct speech {
    char *bytes;
    size_t length;
};

static void speak(struct speech *speech, const void *bytes, size_t length) {
    speech->bytes = realloc(speech->bytes, speech->length + length + 1);
    memcpy(speech->bytes + speech->length, bytes, length);
    speech->length += length;
}

static void speak_line(struct speech *speech, char kind, long long number) {
    char line[32];
    int length = snprintf(line, sizeof(line), "%c%lld\r\n", kind, number);
    speak(speech, line, (size_t)length);
}

static void speak_text(struct speech *speech, const char *text, size_t length) {
    speak_line(speech, '$', (long long)length);
    speak(speech, text, length);
    speak(speech, "\r\n", 2);
}

static void speak_word(struct speech *speech, const char *word, size_t length) {
    char *star;
    long times = strtol(word, &star, 10);
    if (*word == ':') {
        speak_line(speech, ':', atoll(word + 1));
    } else if (length == 1 && *word == '~') {
        speak(speech, "$-1\r\n", 5);
    } else if (length == 1 && *word == 'E') {
        speak_text(speech, SOURCE_ETAG, strlen(SOURCE_ETAG));
    } else if (star > word && *star == '*' && star + 2 == word + length) {
        char *letters = malloc((size_t)times + 1);
        memset(letters, star[1], (size_t)times);
        speak_text(speech, letters, (size_t)times);
        free(letters);
    } else {
        speak_text(speech, word, length);
    }
}

/* One value; answers where the next one begins. */
static const char *speak_value(struct speech *speech, const char *text) {
    if (*text != '[') {
        size_t length = strcspn(text, " ]");
        speak_word(speech, text, length);
        return text + length;
    }
    struct speech items = {0};
    long long count = 0;
    for (text += 1 + strspn(text + 1, " "); *text != ']'; text += strspn(text, " "), count++)
        text = speak_value(&items, text);
    speak_line(speech, '*', count);
    if (items.length) speak(speech, items.bytes, items.length);
    free(items.bytes);
    return text + 1;
}

static struct speech speech_of(const char *answer) {
    struct speech speech = {0};
    if (!strncmp(answer, "raw ", 4)) {
        speak(&speech, answer + 4, strlen(answer + 4));
    } else if (*answer == '-' || *answer == '+') {
        speak(&speech, answer, strlen(answer));
        speak(&speech, "\r\n", 2);
    } else {
        speak_value(&speech, answer);
    }
    return speech;
}

static bool send_all(int socket, struct speech speech) {
    size_t sent = 0;
    while (sent < speech.length) {
        ssize_t count = send(socket, speech.bytes + sent, speech.length - sent, MSG_NOSIGNAL);
        if (count <= 0) break;
        sent += (size_t)count;
    }
    free(speech.bytes);
    return sent == speech.length;
}

/* --- Listening --- */

/* The words of the first question, with blanks between them; answers how many bytes it took, 0 if it is not whole. */
static size_t read_question(const struct guest *guest, char *line) {
    const char *at = guest->heard, *end = guest->heard + guest->length;
    size_t length = 0;
    int words = 0;
    if (sscanf(at, "*%d\r\n", &words) != 1 || !(at = memmem(at, guest->length, "\r\n", 2))) return 0;
    at += 2;
    for (int i = 0; i < words; i++) {
        size_t size;
        if (at >= end || sscanf(at, "$%zu\r\n", &size) != 1) return 0;
        at = memmem(at, (size_t)(end - at), "\r\n", 2);
        if (!at || (size_t)(end - at) < size + 4) return 0;
        length += (size_t)snprintf(line + length, QUESTION_BYTES - length, "%s%.*s", i ? " " : "", (int)size,
                                   at + 2);
        at += size + 4;
    }
    return (size_t)(at - guest->heard);
}

static const char *answer_to(struct source *source, const char *line) {
    for (int row = 0; source->script && source->script[row].question; row++) {
        const struct told *told = &source->script[row];
        if (strncmp(line, told->question, strlen(told->question)) != 0) continue;
        if (told->times && source->served[row] == told->times) continue;
        source->served[row]++;
        return told->answer;
    }
    if (!strncmp(line, "AUTH", 4)) return "+OK";
    return strncmp(line, "READONLY", 8) ? NULL : "-ERR This instance has cluster support disabled";
}

static void note_question(struct source *source, const char *line) {
    pthread_mutex_lock(&source->lock);
    size_t room = HEARD_BYTES - source->heard_length;
    int length = snprintf(source->heard + source->heard_length, room, "%s; ", line);
    if ((size_t)length < room) source->heard_length += (size_t)length;
    pthread_mutex_unlock(&source->lock);
}

static void see_off(struct guest *guest) {
    close(guest->socket);
    free(guest->heard);
    *guest = (struct guest){.socket = -1};
}

/* False when the guest is to go. */
static bool answer_all(struct source *source, struct guest *guest) {
    static _Thread_local char line[QUESTION_BYTES];
    for (size_t taken; (taken = read_question(guest, line));) {
        memmove(guest->heard, guest->heard + taken, guest->length - taken);
        guest->length -= taken;
        guest->heard[guest->length] = '\0';
        note_question(source, line);
        const char *answer = answer_to(source, line);
        if (!answer) continue;
        if (!strcmp(answer, "close") || !send_all(guest->socket, speech_of(answer))) return false;
    }
    return true;
}

static void hear(struct source *source, struct guest *guest) {
    char bytes[QUESTION_BYTES];
    ssize_t count = recv(guest->socket, bytes, sizeof(bytes), 0);
    if (count <= 0) {
        see_off(guest);
        return;
    }
    guest->heard = realloc(guest->heard, guest->length + (size_t)count + 1);
    memcpy(guest->heard + guest->length, bytes, (size_t)count);
    guest->length += (size_t)count;
    guest->heard[guest->length] = '\0';
    if (!answer_all(source, guest)) see_off(guest);
}

static void let_in(struct source *source) {
    int socket = accept(source->listener, NULL, NULL);
    pthread_mutex_lock(&source->lock);
    source->visits++;
    pthread_mutex_unlock(&source->lock);
    for (int i = 0; socket >= 0 && i < GUESTS_MAX; i++) {
        if (source->guests[i].socket >= 0) continue;
        source->guests[i].socket = socket;
        return;
    }
    if (socket >= 0) close(socket);
}

static void *host(void *data) {
    struct source *source = data;
    for (;;) {
        struct pollfd polled[GUESTS_MAX + 2] = {{source->end[0], POLLIN, 0}, {source->listener, POLLIN, 0}};
        for (int i = 0; i < GUESTS_MAX; i++)
            polled[i + 2] = (struct pollfd){source->guests[i].socket, POLLIN, 0};
        poll(polled, GUESTS_MAX + 2, -1);
        if (polled[0].revents) break;
        for (int i = 0; i < GUESTS_MAX; i++)
            if (polled[i + 2].revents) hear(source, &source->guests[i]);
        if (polled[1].revents) let_in(source);
    }
    for (int i = 0; i < GUESTS_MAX; i++)
        if (source->guests[i].socket >= 0) see_off(&source->guests[i]);
    close(source->listener);
    return NULL;
}

/* --- For tests --- */

struct source *source_start(const struct told *script) {
    struct source *source = calloc(1, sizeof(*source));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    source->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(!bind(source->listener, (struct sockaddr *)&address, length) && !listen(source->listener, 512) &&
                !getsockname(source->listener, (struct sockaddr *)&address, &length) &&
                !pipe2(source->end, O_CLOEXEC),
            "no socket for a source");
    source->port = ntohs(address.sin_port);
    source->script = script;
    for (int i = 0; i < GUESTS_MAX; i++) source->guests[i].socket = -1;
    pthread_mutex_init(&source->lock, NULL);
    pthread_create(&source->thread, NULL, host, source);
    source->next = sources;
    sources = source;
    return source;
}

int source_port(const struct source *source) {
    return source->port;
}

const char *source_heard(const struct source *source) {
    pthread_mutex_lock((pthread_mutex_t *)&source->lock);
    const char *heard = pool_copy(source->heard, source->heard_length);
    pthread_mutex_unlock((pthread_mutex_t *)&source->lock);
    return heard;
}

int source_visits(const struct source *source) {
    pthread_mutex_lock((pthread_mutex_t *)&source->lock);
    int visits = source->visits;
    pthread_mutex_unlock((pthread_mutex_t *)&source->lock);
    return visits;
}

void sources_end(void) {
    while (sources) {
        struct source *source = sources;
        sources = source->next;
        if (write(source->end[1], "", 1) != 1) abort();
        pthread_join(source->thread, NULL);
        close(source->end[0]);
        close(source->end[1]);
        pthread_mutex_destroy(&source->lock);
        free(source);
    }
}

const char *copy_from(const char *container, const char *blob, int port, const char *words) {
    redisReply *reply = call_line(
        primary, pool_print("BLOB.COPY %s %s src blob FROM 127.0.0.1 %d %s", container, blob, port, words));
    expect_text(expect_elements(reply, 3)->element[2], "pending");
    return reply_string(reply->element[1]);
}

const char *pending_copy_with(const char *blob, const char *words) {
    if (!sources) source_start(NULL);
    configure(primary, "holdfast.copy-from", "*");
    configure(primary, "holdfast.copy-timeout-seconds", "3600");
    const char *id = copy_from("box", blob, sources->port, words);
    expect_text(field(stat_of("box", blob), "copy-status"), "pending");
    return id;
}

const char *pending_copy(const char *blob) {
    return pending_copy_with(blob, "");
}

void await_copies_pending(long long count) {
    await_info(primary, "holdfast_copies_pending", count);
}

static bool is_copying(const redisReply *stat) {
    const redisReply *status = reply_field_if_any(stat, "copy-status");
    return status && !strcmp(status->str, "pending");
}

redisReply *await_copy(const char *blob) {
    redisReply *stat = NULL;
    AWAIT_OR(!is_copying(stat = stat_of("box", blob)), "the copy does not end: %s", reply_text(stat));
    return stat;
}
