#include "messages.h"

#include <string.h>

redisReply *first_of_at(struct place place, redisReply *messages) {
    bool any = reply_is_aggregate(messages) && messages->elements;
    if (!any) failure_at(place.file, place.line, "no message in %s", reply_text(messages));
    return messages->element[0];
}

void update_at(struct place place, struct parcel *parcel, const char *rest) {
    parcel->receipt = reply_string(field_at(place, act_on("UPDATE", *parcel, rest), "receipt"));
}

void expect_texts_at(struct place place, const redisReply *messages, const char *texts) {
    struct words words = words_of_line(texts);
    bool same = reply_is_aggregate(messages) && messages->elements == words.count;
    for (size_t i = 0; same && i < words.count; i++) {
        const redisReply *text = field_at(place, messages->element[i], "message");
        same = text->len == words.length[i] && !memcmp(text->str, words.word[i], text->len);
    }
    if (!same) failure_at(place.file, place.line, "expected \"%s\", but got %s", texts, reply_text(messages));
}
