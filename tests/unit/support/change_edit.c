#include "change_edit.h"

#include "ccan/array_size/array_size.h"
#include "core/condition.h"
#include "core/guid.h"
#include "core/packed.h"

static uint64_t edited(uint64_t number, uint8_t value) {
    static const uint64_t limits[] = {0,    1,    2,    3,     7,        511,        512,       513,
                                      4095, 4096, 4097, 50000, 1U << 31, UINT32_MAX, INT64_MAX, UINT64_MAX};
    enum { LIMITS = ARRAY_SIZE(limits) };
    return value < LIMITS ? limits[value] : number + (uint64_t)(int8_t)value;
}

static void edit_stamp(struct stamp *stamp, uint8_t value) {
    if (value % 2)
        stamp->etag = edited(stamp->etag, value / 2);
    else
        stamp->modified_ms = (int64_t)edited((uint64_t)stamp->modified_ms, value / 2);
}

static void edit_list(struct packed_list *list, uint8_t value) {
    if (value % 2)
        list->count = edited(list->count, value / 2);
    else
        list->items.length -= value % (list->items.length + 1);
}

static void edit(const struct field *field, void *at, uint8_t value) {
    uint64_t kinds = field->max + 1;
    switch ((enum codec)field->codec) {
    case CODEC_BYTE: *(uint8_t *)at = (uint8_t)(value % kinds); break;
    case CODEC_FLAG: *(bool *)at = !*(bool *)at; break;
    case CODEC_ENUM: *(unsigned *)at = (unsigned)(value % kinds); break;
    case CODEC_COUNT: *(uint32_t *)at = (uint32_t)edited(*(uint32_t *)at, value); break;
    case CODEC_NUMBER:
    case CODEC_WORD:
    case CODEC_INSTANT:
    case CODEC_VERSION:
    case CODEC_MAYBE_VERSION: *(uint64_t *)at = edited(*(uint64_t *)at, value); break;
    case CODEC_STAMP: edit_stamp(at, value); break;
    case CODEC_GUID: ((struct guid *)at)->low = edited(((struct guid *)at)->low, value); break;
    case CODEC_BYTES: ((struct bytes *)at)->length -= value % (((struct bytes *)at)->length + 1); break;
    case CODEC_LIST: edit_list(at, value); break;
    case CODEC_OWN: break;
    }
}

void change_edit_field(const struct change_schema *schema, void *change, unsigned n, uint8_t value) {
    uint64_t fields = change_kind(schema, change)->fields;
    if (!fields) return;
    for (unsigned skip = n % (unsigned)__builtin_popcountll(fields); skip; skip--) fields &= fields - 1;
    const struct field *field = &schema->layout.fields[__builtin_ctzll(fields)];
    edit(field, (char *)change + field->offset, value);
}
