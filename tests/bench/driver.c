#include "driver.h"

#include <stdlib.h>
#include <string.h>

struct driver driver_open(const struct workload *workload, struct dataset *data,
                          struct object_set *object_set, unsigned pipeline, unsigned connections) {
    struct driver driver = {.template = template_make(workload, data, object_set, NULL),
                            .pipeline = pipeline,
                            .connections = connections};
    const struct template *template = &driver.template;
    driver.requests = allocate(pipeline, template->length);
    for (unsigned i = 0; i < pipeline; i++)
        memcpy(driver.requests + i * template->length, template->bytes, template->length);
    return driver;
}

void driver_close(struct driver *driver) {
    template_end(&driver->template);
    free(driver->requests);
}

/* Of the gaps of a kind each is for the next one of the objects, and then again for the first. */
static void request_write(const struct template *template, const unsigned *objects, char *request) {
    for (unsigned i = 0; i < template->placeholder_count; i++) {
        const struct placeholder *placeholder = &template->placeholders[i];
        placeholder_fill(template, objects[placeholder->number % template->batch], placeholder->kind,
                         request + placeholder->at);
    }
}

static void batch_send(struct driver *driver, unsigned connection, unsigned count) {
    const struct template *template = &driver->template;
    const unsigned *objects = template->data->order + driver->position;
    unsigned requests = count / template->batch;
    for (unsigned i = 0; i < requests; i++)
        request_write(template, objects + (size_t)i * template->batch,
                      driver->requests + i * template->length);
    connection_send(template->data->connections[connection], driver->requests, requests * template->length);
    driver->batches[connection].objects = objects;
    driver->batches[connection].count = count;
    driver->position += count;
}

static void batch_receive(struct driver *driver, unsigned connection) {
    const struct template *template = &driver->template;
    const unsigned *objects = driver->batches[connection].objects;
    for (unsigned i = 0; i < driver->batches[connection].count;
         i += template->batch, objects += template->batch)
        for (unsigned command = 0; command < template->commands; command++)
            answer_check((struct answer){.template = template,
                                         .object = objects[command % template->batch],
                                         .objects = objects},
                         connection);
    driver->batches[connection].count = 0;
}

static void receive_all(struct driver *driver) {
    for (unsigned connection = 0; connection < driver->connections; connection++)
        batch_receive(driver, connection);
}

uint64_t driver_run(struct driver *driver, int64_t nanoseconds) {
    uint64_t operations = 0;
    unsigned count = driver->pipeline * driver->template.batch;
    int64_t end = monotonic_ns() + nanoseconds;
    for (unsigned connection = 0; monotonic_ns() < end; connection = (connection + 1) % driver->connections) {
        batch_receive(driver, connection);
        /* All that is in flight are different objects, so that the token that a reply
         * brings is there before it is needed. */
        if (driver->position + count > driver->template.data->objects) driver->position = 0;
        batch_send(driver, connection, count);
        operations += count;
    }
    receive_all(driver);
    return operations;
}

void driver_visit(struct driver *driver, unsigned count) {
    require(driver->position + count <= driver->template.data->objects, "there are not so many objects");
    require(count % driver->template.batch == 0, "%s takes %u objects at a time",
            driver->template.workload->name, driver->template.batch);
    for (unsigned connection = 0; count; connection = (connection + 1) % driver->connections) {
        unsigned most = driver->pipeline * driver->template.batch, now = count < most ? count : most;
        batch_receive(driver, connection);
        batch_send(driver, connection, now);
        count -= now;
    }
    receive_all(driver);
}

uint64_t driver_visit_all(struct driver *driver, unsigned times) {
    for (unsigned time = 0; time < times; time++) {
        driver->position = 0;
        driver_visit(driver, driver->template.data->objects);
    }
    return (uint64_t)times * driver->template.data->objects;
}
