#include "record_trial.h"

#include "core/memory.h"
#include "unit.h"

#include <stdlib.h>

static char *copy_alone(struct bytes record, size_t length) {
    char *alone = malloc(length ? length : 1);
    require(alone, "there is memory");
    if (record.length) memcpy(alone, record.data, record.length);
    return alone;
}

bool record_is_read(const struct change_schema *schema, struct bytes record) {
    _Alignas(MEMORY_ALIGNMENT) char change[CHANGE_MAX_BYTES];
    char *alone = copy_alone(record, record.length);
    bool is_read = change_read(schema, bytes_of(alone, record.length), change);
    free(alone);
    return is_read;
}

static void write_again(const struct change_schema *schema, struct bytes record,
                        struct record_writer *writer) {
    _Alignas(MEMORY_ALIGNMENT) char change[CHANGE_MAX_BYTES];
    require(change_read(schema, record, change), "the record is read");
    change_write(schema, change, writer);
}

void record_require_same_again(const struct change_schema *schema, struct bytes record) {
    RECORD_WRITER(writer);
    write_again(schema, record, &writer);
    require_bytes(record_written(&writer), record, "written again");
}

void record_require_whole(const struct change_schema *schema, struct bytes record) {
    for (size_t length = 0; length < record.length; length++)
        require(!record_is_read(schema, bytes_of(record.data, length)), "cut at %zu", length);
    char *longer = copy_alone(record, record.length + 1);
    for (int byte = 0; byte < 256; byte++) {
        longer[record.length] = (char)byte;
        require(!record_is_read(schema, bytes_of(longer, record.length + 1)), "with the byte %d", byte);
    }
    free(longer);
}

static void doctor_record(char *record, size_t length, struct dice *dice) {
    for (size_t times = dice_roll(dice, 3) + 1; times; times--)
        record[dice_roll(dice, length)] = (char)(dice_word(dice) >> dice_roll(dice, 8));
}

bool record_is_sound_doctored(const struct change_schema *schema, struct bytes record, struct dice *dice) {
    char *doctored = copy_alone(record, record.length);
    struct bytes bytes = bytes_of(doctored, record.length);
    doctor_record(doctored, record.length, dice);
    bool is_sound = record_is_read(schema, bytes);
    RECORD_WRITER(writer);
    if (is_sound) write_again(schema, bytes, &writer);
    bool is_sound_again = !is_sound || record_is_read(schema, record_written(&writer));
    free(doctored);
    require(is_sound_again, "what was written of it is not sound");
    return is_sound;
}
