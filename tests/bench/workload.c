/* Datasets, and what goes on with them: a workload whose requests are known beforehand, and sequences of requests. */
#define _GNU_SOURCE
#include "workload.h"

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
    for (char *command; (command = list_next(&commands)); free(command)) connection_call(connection, command);
}

struct object_set *dataset_prepare(struct dataset *data, const struct workload *filler) {
    struct object_set *object_set = allocate(1, sizeof(*object_set));
    *object_set = (struct object_set){.filler = filler, .next = data->object_sets};
    object_set->tokens = allocate(data->objects, TOKEN_BYTES);
    for (unsigned object = 0; object < data->objects; object++)
        memcpy(object_set->tokens[object], first_token, TOKEN_BYTES);
    data->object_sets = object_set;
    if (filler->creates) commands_call(data->connections[0], filler->creates);
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

enum { REPLY_BYTES_SHOWN = 80, WORDS_MAX = 600, FIRST_MARK = 14 /* behind the ends of lines */ };

/* What is known beforehand, besides what is different in each request. */
enum { CONTENT = PLACEHOLDER_KINDS, SIZE, SCRIPT, KEY, PARTS };

/* The parts of requests, and how many bytes the placeholders take. Offsets take as many as they have digits; one byte
 * holds the place of a word of any length. */
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
    [PLACEHOLDER_ID] = {"{id}", 1},
    [PLACEHOLDER_RECEIPT] = {"{receipt}", 1},
    [PLACEHOLDER_GRANTED] = {"{granted}", 1},
    [PLACEHOLDER_OWN] = {"{own}", 1},
    [CONTENT] = {"{content}", 0},
    [SIZE] = {"{size}", 0},
    [SCRIPT] = {"{script}", 0},
    [KEY] = {"{key}", 0},
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
    case KEY: fputs(driver->key, word); break;
    case SCRIPT:
        digest = connection_call(data->connections[0], "SCRIPT LOAD %s", driver->workload->script);
        fwrite(digest.text, 1, digest.length, word);
        break;
    default: /* bytes that no request contains, to be found again */
        for (size_t i = 0; i < part_bytes(driver, part); i++) putc(FIRST_MARK + part, word);
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
        int kind = template->bytes[at] - FIRST_MARK;
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

/* Completes one whose workload is known. */
static struct driver driver_make(struct driver driver) {
    driver.batch = driver.workload->batch ? driver.workload->batch : 1;
    if (driver.workload->offsets) driver.offsets = driver.workload->offsets(driver.data);
    driver.template = template_make(&driver);
    driver.requests = allocate(driver.pipeline, driver.template.length);
    for (unsigned i = 0; i < driver.pipeline; i++)
        memcpy(driver.requests + i * driver.template.length, driver.template.bytes, driver.template.length);
    return driver;
}

struct driver driver_open(const struct workload *workload, struct dataset *data,
                          struct object_set *object_set, unsigned pipeline, unsigned connections) {
    return driver_make((struct driver){.workload = workload,
                                       .data = data,
                                       .object_set = object_set,
                                       .pipeline = pipeline,
                                       .connections = connections});
}

void driver_close(struct driver *driver) {
    free(driver->template.bytes);
    free(driver->requests);
}

static uint64_t offset_of_object(const struct offsets *offsets, unsigned object) {
    return offsets->first + object * FAR_APART % offsets->count * offsets->step;
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
    default: give_up("%s: a word that only sequences have", driver->workload->name);
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

/* Takes the next reply of the connection, and checks it. */
static void answer_check(struct answer answer, unsigned connection) {
    const struct workload *workload = answer.driver->workload;
    struct reply *reply = &answer.reply;
    *reply = connection_receive_any(answer.driver->data->connections[connection]);
    if (workload->is_expected(&answer)) return;
    int shown = reply->length < REPLY_BYTES_SHOWN ? (int)reply->length : REPLY_BYTES_SHOWN;
    give_up("%s was answered by something unexpected: %c%.*s",
            workload->name ? workload->name : workload->request, reply->kind, reply->kind == '*' ? 0 : shown,
            reply->text);
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
            answer_check(
                (struct answer){.driver = driver, .object = driver->answered[command % driver->batch]},
                connection);
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

/* --- Sequences --- */

enum { WORD_HEAD_BYTES = 4 }; /* of a word of one byte: "$1\r\n" */

void word_keep(struct word *word, struct reply element) {
    require(element.kind == '$' && element.length <= HELD_BYTES, "what should be an id is none");
    memcpy(word->text, element.text, element.length);
    word->length = element.length;
}

struct client_pool *client_pool_open(const struct sequence *sequence, struct dataset *data, const char *key) {
    struct client_pool *pool = allocate(1, sizeof(*pool));
    size_t longest = 0;
    pool->sequence = sequence;
    pool->data = data;
    snprintf(pool->key, sizeof(pool->key), "%s", key);
    for (unsigned step = 0; sequence->steps[step]; step++) {
        pool->steps[step] =
            driver_make((struct driver){.workload = sequence->steps[step], .data = data, .key = pool->key});
        const struct template *template = &pool->steps[step].template;
        size_t length = template->length + (size_t) template->placeholder_count * HELD_BYTES;
        if (length > longest) longest = length;
    }
    pool->requests = allocate(PIPELINE, longest);
    return pool;
}

void client_pool_close(struct client_pool *pool) {
    for (unsigned step = 0; pool->sequence->steps[step]; step++) driver_close(&pool->steps[step]);
    free(pool->granted);
    free(pool->requests);
    free(pool);
}

void client_pool_prepare(struct client_pool *pool) {
    if (pool->sequence->create)
        connection_call(pool->data->connections[0], pool->sequence->create, pool->key);
    if (pool->sequence->prepare) pool->sequence->prepare(pool);
}

static unsigned object_of(const struct client_pool *pool, const struct client *client) {
    return pool->data->order[client->number % pool->data->objects];
}

static struct word own_word(const struct client_pool *pool, const struct client *client) {
    struct word word;
    uint64_t number = pool->sequence->own(client->number);
    word.length = (size_t)snprintf(word.text, sizeof(word.text), "%llu", (unsigned long long)number);
    return word;
}

static struct word word_of(const struct client_pool *pool, const struct client *client,
                           const struct placeholder *placeholder, unsigned batch) {
    unsigned number = placeholder->number % batch;
    switch (placeholder->kind) {
    case PLACEHOLDER_ID: return client->held[number].id;
    case PLACEHOLDER_RECEIPT: return client->held[number].receipt;
    case PLACEHOLDER_GRANTED: return pool->granted[client->number % pool->granted_count];
    default: return own_word(pool, client);
    }
}

/* Writes a word with its length, which has at most two digits. */
static char *word_append(char *to, const struct word *word) {
    *to++ = '$';
    if (word->length > 9) *to++ = (char)('0' + word->length / 10);
    *to++ = (char)('0' + word->length % 10);
    to = mempcpy(to, "\r\n", 2);
    return mempcpy(to, word->text, word->length);
}

/* The template with its gaps filled: some in place, those that are words of any length together with that. */
static char *client_write(const struct client_pool *pool, const struct client *client,
                          const struct driver *step, char *to) {
    const struct template *template = &step->template;
    size_t from = 0;
    for (unsigned i = 0; i < template->placeholder_count; i++) {
        const struct placeholder *placeholder = &template->placeholders[i];
        bool is_word = placeholder->kind >= PLACEHOLDER_ID;
        size_t bytes = part_bytes(step, (int)placeholder->kind);
        to = mempcpy(to, template->bytes + from, placeholder->at - from - (is_word ? WORD_HEAD_BYTES : 0));
        if (is_word) {
            struct word word = word_of(pool, client, placeholder, step->batch);
            to = word_append(to, &word);
        } else {
            placeholder_fill(step, object_of(pool, client), placeholder, to);
            to += bytes;
        }
        from = placeholder->at + bytes;
    }
    return mempcpy(to, template->bytes + from, template->length - from);
}

void clients_ask(struct client_pool *pool, const struct client *clients, unsigned step, unsigned connection) {
    char *end = pool->requests;
    for (unsigned i = 0; i < PIPELINE; i++) end = client_write(pool, &clients[i], &pool->steps[step], end);
    connection_send(pool->data->connections[connection], pool->requests, (size_t)(end - pool->requests));
}

void clients_await(struct client_pool *pool, struct client *clients, unsigned step, unsigned connection) {
    struct driver *driver = &pool->steps[step];
    for (unsigned i = 0; i < PIPELINE; i++)
        for (unsigned command = 0; command < driver->template.commands; command++)
            answer_check((struct answer){.driver = driver,
                                         .object = object_of(pool, &clients[i]),
                                         .client = &clients[i]},
                         connection);
}

static void pipeline_start(struct client_pool *pool, unsigned which) {
    struct pipeline *pipeline = &pool->pipelines[which];
    pipeline->is_busy = true;
    pipeline->step = 0;
    for (unsigned i = 0; i < PIPELINE; i++) pipeline->clients[i].number = ++pool->started;
    clients_ask(pool, pipeline->clients, 0, which);
}

/* What the replies bring is kept, and the next step begins, if there is one. */
static void pipeline_continue(struct client_pool *pool, unsigned which) {
    struct pipeline *pipeline = &pool->pipelines[which];
    clients_await(pool, pipeline->clients, pipeline->step, which);
    pipeline->is_busy = pool->sequence->steps[++pipeline->step];
    if (pipeline->is_busy) clients_ask(pool, pipeline->clients, pipeline->step, which);
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
