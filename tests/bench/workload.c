/* Datasets, and what goes on with them: a workload whose requests are known beforehand, and sequences of requests. */
#define _GNU_SOURCE
#include "workload.h"
#include "ccan/array_size/array_size.h"

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTORIES = 1000, FILL_PIPELINE = 16 };

/* Of 64 KiB few enough for the whole to stay far below 500 MB. */
const struct size sizes[SIZES] = {{100, 1000, "100 B"}, {4096, 1000, "4 KiB"}, {65536, 1024, "64 KiB"}};

static const char first_token[] = "000000000000000000";

/* The same numbers in every run. */
static uint64_t random_next(uint64_t *state) {
    *state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

/* "417/000000006239": a path in one of many folders, as names in a store are. */
static void object_name_write(char *name, unsigned object, uint64_t *random) {
    char text[NAME_BYTES + 1];
    snprintf(text, sizeof(text), "%03u/%012u", (unsigned)(random_next(random) % DIRECTORIES), object);
    memcpy(name, text, NAME_BYTES);
}

static void letters_write(char *text, size_t length, uint64_t random) {
    for (size_t i = 0; i < length; i++) text[i] = (char)('a' + random_next(&random) % 26);
}

struct dataset *dataset_open(const struct server *server, unsigned database, unsigned objects, size_t bytes) {
    uint64_t random = objects;
    struct dataset *data = allocate(1, sizeof(*data));
    for (unsigned i = 0; i < CONNECTIONS; i++) data->connections[i] = connection_open(server, database);
    data->objects = objects;
    data->bytes = bytes;
    data->content = allocate(bytes, 1);
    data->names = allocate(objects, NAME_BYTES);
    data->order = allocate(objects, sizeof(*data->order));
    letters_write(data->content, bytes, random);
    for (unsigned object = 0; object < objects; object++)
        object_name_write(data->names[object], object, &random);
    dataset_shuffle(data, random);
    return data;
}

void dataset_shuffle(struct dataset *data, uint64_t random) {
    for (unsigned object = 0; object < data->objects; object++) {
        unsigned place = (unsigned)(random_next(&random) % (object + 1));
        data->order[object] = data->order[place];
        data->order[place] = object;
    }
}

void dataset_close(struct dataset *data) {
    while (data->object_sets) {
        struct object_set *object_set = data->object_sets;
        data->object_sets = object_set->next;
        free(object_set->tokens);
        free(object_set);
    }
    for (unsigned i = 0; i < CONNECTIONS; i++) connection_close(data->connections[i]);
    free(data->content);
    free(data->names);
    free(data->order);
    free(data);
}

static struct object_set *object_set_find(struct dataset *data, const struct workload *filler) {
    struct object_set *object_set = data->object_sets;
    while (object_set && object_set->filler != filler) object_set = object_set->next;
    return object_set;
}

void commands_call(struct connection *connection, const char *commands) {
    while (commands && *commands) {
        char *command = format_text("%.*s", (int)strcspn(commands, ";"), commands);
        connection_call(connection, command);
        free(command);
        commands += strcspn(commands, ";");
        commands += strspn(commands, "; ");
    }
}

struct object_set *dataset_prepare(struct dataset *data, const struct workload *filler) {
    struct object_set *object_set = allocate(1, sizeof(*object_set));
    *object_set = (struct object_set){.filler = filler, .next = data->object_sets};
    object_set->tokens = allocate(data->objects, TOKEN_BYTES);
    for (unsigned object = 0; object < data->objects; object++)
        memcpy(object_set->tokens[object], first_token, TOKEN_BYTES);
    data->object_sets = object_set;
    commands_call(data->connections[0], filler->creates);
    if (filler->prepare) filler->prepare(data);
    return object_set;
}

struct object_set *dataset_fill(struct dataset *data, const struct workload *filler) {
    struct object_set *object_set = object_set_find(data, filler);
    if (object_set) return object_set;
    object_set = dataset_prepare(data, filler);
    struct driver driver = driver_open(filler, data, object_set, FILL_PIPELINE, CONNECTIONS);
    driver_visit(&driver, data->objects);
    driver_close(&driver);
    return object_set;
}

/* --- All workloads --- */

const struct family *const families[] = {&native_family, &bare_family,        &blob_family,  &lock_family,
                                         &lease_family,  &kind_family,        &queue_family, &storage_family,
                                         &feed_family,   &transaction_family, &hash_family,  &table_family,
                                         &file_family};
const size_t family_count = ARRAY_SIZE(families);

const struct workload *workload_named(const char *name) {
    for (size_t i = 0; i < family_count; i++) {
        for (size_t number = 0; number < families[i]->workload_count; number++) {
            const struct workload *workload = &families[i]->workloads[number];
            if (text_is(workload->name, name)) return workload;
        }
    }
    give_up("there is no workload '%s'", name);
}

const struct family *family_of(const struct workload *workload) {
    for (size_t i = 0; i < family_count; i++) {
        const struct family *family = families[i];
        for (size_t number = 0; number < family->workload_count; number++)
            if (workload == &family->workloads[number]) return family;
    }
    give_up("'%s' is in no family", workload->name);
}

/* --- Requests in flight --- */

enum { REPLY_BYTES_SHOWN = 80, WORDS_MAX = 600 };

/* No multiple of it is a number of places, so that as many objects as there are places have different ones. */
#define FAR_APART 2654435761u

/* What is known beforehand, besides what is different in each request. */
enum { CONTENT = PLACEHOLDER_KINDS, SIZE, SCRIPT, PARTS };

/* The parts of requests, and how many bytes the placeholders take. Offsets take as many as they have digits. */
static const struct {
    const char *name;
    size_t bytes;
} parts[PARTS] = {
    [PLACEHOLDER_NAME] = {"{name}", NAME_BYTES},
    [PLACEHOLDER_FOLDER] = {"{folder}", FOLDER_BYTES},
    [PLACEHOLDER_FILE] = {"{file}", FILE_BYTES},
    [PLACEHOLDER_TOKEN] = {"{token}", TOKEN_BYTES},
    [PLACEHOLDER_RANDOM] = {"{random}", RANDOM_BYTES},
    [PLACEHOLDER_NUMBER] = {"{number}", NUMBER_BYTES},
    [PLACEHOLDER_OFFSET] = {"{offset}", 0},
    [PLACEHOLDER_LAST] = {"{last}", 0},
    [CONTENT] = {"{content}", 0},
    [SIZE] = {"{size}", 0},
    [SCRIPT] = {"{script}", 0},
};

static size_t part_bytes(const struct driver *driver, int part) {
    return parts[part].bytes ? parts[part].bytes : driver->offsets.digits;
}

static void part_write(const struct driver *driver, int part, FILE *word) {
    const struct dataset *data = driver->data;
    struct reply digest;
    switch (part) {
    case CONTENT: fwrite(data->content, 1, data->bytes, word); break;
    case SIZE: fprintf(word, "%zu", data->bytes); break;
    case SCRIPT:
        digest = connection_call(data->connections[0], "SCRIPT LOAD %s", driver->workload->script);
        fwrite(digest.text, 1, digest.length, word);
        break;
    default: /* bytes that no request contains, to be found again */
        for (size_t i = 0; i < part_bytes(driver, part); i++) putc(1 + part, word);
    }
}

/* Writes the part with which the text begins, or one letter; answers what is behind it. */
static const char *word_write(const struct driver *driver, const char *text, FILE *word) {
    for (int part = 0; part < PARTS; part++) {
        size_t length = strlen(parts[part].name);
        if (strncmp(text, parts[part].name, length) != 0) continue;
        part_write(driver, part, word);
        return text + length;
    }
    putc(*text, word);
    return text + 1;
}

static char *word_read(const struct driver *driver, const char **text, size_t *length) {
    char *bytes;
    bool is_quoted = **text == '"';
    FILE *word = open_memstream(&bytes, length);
    require(word, "out of memory");
    *text += is_quoted;
    while (**text && !strchr(is_quoted ? "\"" : " ;", **text)) *text = word_write(driver, *text, word);
    *text += is_quoted;
    *text += strspn(*text, " ");
    fclose(word);
    return bytes;
}

static void placeholders_find(const struct driver *driver, struct template *template) {
    unsigned numbers[PLACEHOLDER_KINDS] = {0};
    for (size_t at = 0; at < template->length; at++) {
        int kind = template->bytes[at] - 1;
        if (kind < 0 || kind >= PLACEHOLDER_KINDS) continue;
        require(template->placeholder_count < PLACEHOLDERS_MAX, "a template has too many gaps");
        template->placeholders[template->placeholder_count++] =
            (struct placeholder){at, (enum placeholder_kind)kind, numbers[kind]++};
        at += part_bytes(driver, kind) - 1;
    }
}

/* Adds the command with which the text begins; answers the next one. */
static const char *command_add(const struct driver *driver, const char *text, struct template *template) {
    char *words[WORDS_MAX], *command;
    size_t lengths[WORDS_MAX];
    int count = 0;
    while (*text && *text != ';') {
        require(count < WORDS_MAX, "%s has too many words", driver->workload->name);
        words[count] = word_read(driver, &text, &lengths[count]);
        count++;
    }
    long long length = redisFormatCommandArgv(&command, count, (const char **)words, lengths);
    require(length > 0, "out of memory");
    template->bytes = realloc(template->bytes, template->length + (size_t)length);
    if (!template->bytes) give_up("out of memory");
    memcpy(template->bytes + template->length, command, (size_t)length);
    template->length += (size_t)length;
    template->commands++;
    redisFreeCommand(command);
    while (count) free(words[--count]);
    return text + strspn(text, "; ");
}

/* What is in brackets so many times. */
static char *brackets_repeat(const char *request, unsigned times) {
    char *text = allocate(strlen(request) * times + 1, 1), *to = text;
    while (*request) {
        size_t length = strcspn(request, "[]");
        bool repeats = request[length] == ']';
        for (unsigned time = 0; time < (repeats ? times : 1); time++) to = mempcpy(to, request, length);
        request += length + (request[length] != '\0');
    }
    return text;
}

static struct template template_make(const struct driver *driver) {
    struct template template = {.length = 0};
    require(driver->workload->request, "%s: a section measures it by itself", driver->workload->name);
    char *requests = brackets_repeat(driver->workload->request, driver->batch);
    for (const char *text = requests; *text;) text = command_add(driver, text, &template);
    free(requests);
    placeholders_find(driver, &template);
    return template;
}

struct offsets offsets_within(uint64_t bytes, unsigned step, unsigned span) {
    struct offsets offsets = {.step = step, .span = span};
    unsigned digits = 1;
    for (uint64_t least = 1; digits <= OFFSET_BYTES && least + span <= bytes; least *= 10, digits++) {
        uint64_t first = (least + step - 1) / step * step;
        uint64_t end = bytes < least * 10 ? bytes : least * 10; /* no byte that is meant lies behind it */
        if (first + span > end) continue;
        uint64_t count = (end - span - first) / step + 1;
        if (count < offsets.count) continue;
        offsets.first = first;
        offsets.count = count;
        offsets.digits = digits;
    }
    require(offsets.count, "%llu bytes have no places", (unsigned long long)bytes);
    return offsets;
}

struct driver driver_open(const struct workload *workload, struct dataset *data,
                          struct object_set *object_set, unsigned pipeline, unsigned connections) {
    struct driver driver = {.workload = workload,
                            .data = data,
                            .object_set = object_set,
                            .pipeline = pipeline,
                            .batch = workload->batch ? workload->batch : 1,
                            .connections = connections};
    if (workload->offsets) driver.offsets = workload->offsets(data);
    driver.template = template_make(&driver);
    driver.requests = allocate(pipeline, driver.template.length);
    for (unsigned i = 0; driver.template.bytes && i < pipeline; i++) {
        memcpy(driver.requests + i * driver.template.length, driver.template.bytes, driver.template.length);
    }
    return driver;
}

void driver_close(struct driver *driver) {
    free(driver->template.bytes);
    free(driver->requests);
}

static uint64_t offset_of_object(const struct offsets *offsets, unsigned object) {
    return offsets->first + object * (uint64_t)FAR_APART % offsets->count * offsets->step;
}

static void digits_write(char *text, uint64_t number, unsigned digits) {
    for (; digits; number /= 10) text[--digits] = (char)('0' + number % 10);
}

/* Of all requests of the run. */
static uint64_t last_number;

static void placeholder_fill(const struct driver *driver, unsigned object,
                             const struct placeholder *placeholder, char *to) {
    const struct offsets *offsets = &driver->offsets;
    const char *name = driver->data->names[object];
    switch (placeholder->kind) {
    case PLACEHOLDER_NAME: memcpy(to, name, NAME_BYTES); break;
    case PLACEHOLDER_FOLDER: memcpy(to, name, FOLDER_BYTES); break;
    case PLACEHOLDER_FILE: memcpy(to, name + NAME_BYTES - FILE_BYTES, FILE_BYTES); break;
    case PLACEHOLDER_TOKEN: memcpy(to, driver->object_set->tokens[object], TOKEN_BYTES); break;
    case PLACEHOLDER_NUMBER: digits_write(to, ++last_number, NUMBER_BYTES); break;
    case PLACEHOLDER_RANDOM: letters_write(to, RANDOM_BYTES, object); break;
    case PLACEHOLDER_OFFSET: digits_write(to, offset_of_object(offsets, object), offsets->digits); break;
    case PLACEHOLDER_LAST:
        digits_write(to, offset_of_object(offsets, object) + offsets->span - 1, offsets->digits);
        break;
    case PLACEHOLDER_KINDS: break;
    }
}

/* Of the gaps of a kind each is for the next one of the objects, and then again for the first. */
static void request_write(const struct driver *driver, const unsigned *objects, char *request) {
    const struct template *template = &driver->template;
    for (unsigned i = 0; i < template->placeholder_count; i++) {
        const struct placeholder *placeholder = &template->placeholders[i];
        placeholder_fill(driver, objects[placeholder->number % driver->batch], placeholder,
                         request + placeholder->at);
    }
}

static void reply_check(struct driver *driver, struct connection *connection, unsigned object) {
    const char *name = driver->workload->name;
    struct reply reply = connection_receive_any(connection);
    if (driver->workload->is_expected(driver, object, &reply)) return;
    int shown = reply.length < REPLY_BYTES_SHOWN ? (int)reply.length : REPLY_BYTES_SHOWN;
    give_up("%s was answered by something unexpected: %c%.*s", name, reply.kind,
            reply.kind == '*' ? 0 : shown, reply.text);
}

static void batch_send(struct driver *driver, unsigned connection, unsigned count) {
    const unsigned *objects = driver->data->order + driver->position;
    unsigned requests = count / driver->batch;
    for (unsigned i = 0; i < requests; i++) {
        request_write(driver, objects + (size_t)i * driver->batch,
                      driver->requests + i * driver->template.length);
    }
    connection_send(driver->data->connections[connection], driver->requests,
                    requests * driver->template.length);
    driver->batches[connection].objects = objects;
    driver->batches[connection].count = count;
    driver->position += count;
}

static void batch_receive(struct driver *driver, unsigned connection) {
    const unsigned *objects = driver->batches[connection].objects;
    for (unsigned i = 0; i < driver->batches[connection].count; i += driver->batch) {
        driver->answered = objects + i;
        for (unsigned command = 0; command < driver->template.commands; command++)
            reply_check(driver, driver->data->connections[connection],
                        driver->answered[command % driver->batch]);
    }
    driver->batches[connection].count = 0;
}

uint64_t driver_run(struct driver *driver, int64_t nanoseconds) {
    uint64_t operations = 0;
    unsigned count = driver->pipeline * driver->batch;
    int64_t end = monotonic_ns() + nanoseconds;
    for (unsigned connection = 0; monotonic_ns() < end; connection = (connection + 1) % driver->connections) {
        batch_receive(driver, connection);
        /* All that is in flight are different objects, so that the token that a reply
         * brings is there before it is needed. */
        if (driver->position + count > driver->data->objects) driver->position = 0;
        batch_send(driver, connection, count);
        operations += count;
    }
    for (unsigned connection = 0; connection < driver->connections; connection++)
        batch_receive(driver, connection);
    return operations;
}

void driver_visit(struct driver *driver, unsigned count) {
    require(driver->position + count <= driver->data->objects, "there are not so many objects");
    require(count % driver->batch == 0, "%s takes %u objects at a time", driver->workload->name,
            driver->batch);
    for (unsigned connection = 0; count; connection = (connection + 1) % driver->connections) {
        unsigned most = driver->pipeline * driver->batch, now = count < most ? count : most;
        batch_receive(driver, connection);
        batch_send(driver, connection, now);
        count -= now;
    }
    for (unsigned connection = 0; connection < driver->connections; connection++)
        batch_receive(driver, connection);
}

uint64_t driver_visit_all(struct driver *driver, unsigned times) {
    for (unsigned time = 0; time < times; time++) {
        driver->position = 0;
        driver_visit(driver, driver->data->objects);
    }
    return (uint64_t)times * driver->data->objects;
}

bool is_anything(struct driver *driver, unsigned object, const struct reply *reply) {
    (void)driver;
    (void)object;
    return reply->kind != '-';
}

bool is_ok(struct driver *driver, unsigned object, const struct reply *reply) {
    (void)driver;
    (void)object;
    return reply->kind == '+';
}

bool is_integer(struct driver *driver, unsigned object, const struct reply *reply) {
    (void)driver;
    (void)object;
    return reply->kind == ':';
}

bool is_content(struct driver *driver, unsigned object, const struct reply *reply) {
    (void)object;
    return reply->kind == '$' && reply->length == driver->data->bytes;
}

bool is_etag_and_content(struct driver *driver, unsigned object, const struct reply *reply) {
    if (reply->kind != '*' || reply->length != 2) return false;
    struct reply etag = reply_element(reply, 0);
    struct reply content = reply_element(reply, 1);
    return etag.length == TOKEN_BYTES &&
           !memcmp(etag.text, driver->object_set->tokens[object], TOKEN_BYTES) &&
           is_content(driver, object, &content);
}

bool is_token(struct driver *driver, unsigned object, const struct reply *reply) {
    if (reply->kind != '$' || reply->length != TOKEN_BYTES) return false;
    memcpy(driver->object_set->tokens[object], reply->text, TOKEN_BYTES);
    return true;
}

bool is_tokens(struct driver *driver, unsigned object, const struct reply *reply) {
    struct reply token = *reply;
    (void)object;
    if (reply->kind != '*' || reply->length != driver->batch) return false;
    for (unsigned i = 0; i < driver->batch; i++) {
        token = reply_next(&token);
        if (!is_token(driver, driver->answered[i], &token)) return false;
    }
    return true;
}

/* --- Sequences --- */

enum { REQUESTS_BYTES = PIPELINE * STEPS_MAX * 8192, DIGITS = 20, WORD_FRAME_BYTES = DIGITS + 5 };

static void number_write(struct request *request, char kind, uint64_t number) {
    char digits[DIGITS];
    size_t at = sizeof(digits);
    do digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    request->bytes[request->length++] = kind;
    memcpy(request->bytes + request->length, digits + at, sizeof(digits) - at);
    request->length += sizeof(digits) - at;
    memcpy(request->bytes + request->length, "\r\n", 2);
    request->length += 2;
}

void request_begin(struct request *request, size_t words) {
    number_write(request, '*', words);
}

void request_word(struct request *request, const char *bytes, size_t length) {
    require(request->length + length + WORD_FRAME_BYTES <= request->size,
            "the requests do not fit their buffer");
    number_write(request, '$', length);
    memcpy(request->bytes + request->length, bytes, length);
    memcpy(request->bytes + request->length + length, "\r\n", 2);
    request->length += length + 2;
}

void request_text(struct request *request, const char *text) {
    request_word(request, text, strlen(text));
}

void request_number(struct request *request, uint64_t number) {
    char text[DIGITS + 1];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    request_text(request, text);
}

void word_keep(char *to, size_t *length, const struct reply *element) {
    require(element->kind == '$' && element->length <= HELD_BYTES, "what should be an id is none");
    memcpy(to, element->text, element->length);
    *length = element->length;
}

struct client_pool *client_pool_open(const struct sequence *sequence, const struct dataset *data,
                                     const char *key) {
    struct client_pool *pool = allocate(1, sizeof(*pool));
    pool->sequence = sequence;
    pool->data = data;
    snprintf(pool->key, sizeof(pool->key), "%s", key);
    pool->requests = allocate(REQUESTS_BYTES, 1);
    return pool;
}

void client_pool_close(struct client_pool *pool) {
    free(pool->requests);
    free(pool);
}

static void pipeline_send(struct client_pool *pool, unsigned which) {
    struct pipeline *pipeline = &pool->pipelines[which];
    const struct step *step = pool->sequence->steps[pipeline->step];
    struct request request = {.bytes = pool->requests, .size = REQUESTS_BYTES};
    for (unsigned i = 0; i < PIPELINE; i++) step->write(pool, &pipeline->clients[i], &request);
    connection_send(pool->data->connections[which], request.bytes, request.length);
}

static void pipeline_start(struct client_pool *pool, unsigned which) {
    struct pipeline *pipeline = &pool->pipelines[which];
    pipeline->is_busy = true;
    pipeline->step = 0;
    for (unsigned i = 0; i < PIPELINE; i++) {
        pipeline->clients[i].batch = pool->sequence->batch;
        pipeline->clients[i].number = ++pool->started;
    }
    pipeline_send(pool, which);
}

/* What the replies bring is kept, and the next step begins, if there is one. */
static void pipeline_continue(struct client_pool *pool, unsigned which) {
    struct pipeline *pipeline = &pool->pipelines[which];
    const struct step *step = pool->sequence->steps[pipeline->step];
    for (unsigned i = 0; i < PIPELINE; i++) {
        for (unsigned command = 0; command < step->commands; command++) {
            struct reply reply = connection_receive(pool->data->connections[which], pool->key);
            require(step->read(&pipeline->clients[i], &reply),
                    "%s: step %u was answered by something unexpected", pool->key, pipeline->step + 1);
        }
    }
    pipeline->is_busy = pool->sequence->steps[++pipeline->step];
    if (pipeline->is_busy) pipeline_send(pool, which);
}

void client_pool_run(struct client_pool *pool, uint64_t operations) {
    bool is_anybody_busy = true;
    for (uint64_t started = 0; is_anybody_busy;) {
        is_anybody_busy = false;
        for (unsigned which = 0; which < CONNECTIONS; which++) {
            struct pipeline *pipeline = &pool->pipelines[which];
            if (pipeline->is_busy) pipeline_continue(pool, which);
            if (!pipeline->is_busy && started < operations) {
                pipeline_start(pool, which);
                started += PIPELINE;
            }
            is_anybody_busy = is_anybody_busy || pipeline->is_busy;
        }
    }
}
