#include "queues.h"

#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "text.h"

void queue_setup(const char *rest) {
    time_passes(0);
    call(primary, "DEL jobs");
    redisReply *made = call_line(primary, pool_print("QUEUE.CREATE jobs %s", rest));
    require(made->type == REDIS_REPLY_STATUS, "the queue cannot be made: %s", reply_text(made));
}

struct parcel parcel_of_at(struct place place, const redisReply *map) {
    return (struct parcel){reply_string(field_at(place, map, "id")),
                           reply_string(field_at(place, map, "receipt"))};
}

struct parcel put_job_at(struct place place, const char *text, const char *rest) {
    return parcel_of_at(place, call_line(primary, pool_print("QUEUE.PUT jobs %s %s", text, rest)));
}

struct parcel get_job_at(struct place place, const char *text, const char *rest) {
    redisReply *reply = call_line(primary, pool_print("QUEUE.GET jobs %s", rest));
    redisReply *message = expect_elements_at(place, reply, 1)->element[0];
    expect_text_at(place, field_at(place, message, "message"), text);
    return parcel_of_at(place, message);
}

const char *got_jobs(const char *rest) {
    struct text texts = EMPTY_TEXT;
    redisReply *reply = call_line(primary, pool_print("QUEUE.GET jobs %s", rest));
    require(reply_is_aggregate(reply), "QUEUE.GET gives %s", reply_text(reply));
    for (size_t i = 0; i < reply->elements; i++)
        text_print(&texts, "%s%s", i ? " " : "", field(reply->element[i], "message")->str);
    return texts.bytes;
}

redisReply *act_on(const char *verb, struct parcel parcel, const char *rest) {
    return call_line(primary, pool_print("QUEUE.%s jobs %s %s %s", verb, parcel.id, parcel.receipt, rest));
}

void expect_depth_at(struct place place, long long visible, long long invisible) {
    redisReply *stat = call(primary, "QUEUE.STAT jobs");
    expect_number_at(place, field_at(place, stat, "visible"), visible);
    expect_number_at(place, field_at(place, stat, "invisible"), invisible);
    expect_number_at(place, field_at(place, stat, "messages"), visible + invisible);
}
