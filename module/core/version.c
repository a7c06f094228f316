#include "core/version.h"

#include "core/hex.h"

#define PLAUSIBLE_LEAD_SECONDS INT64_C(315576000) /* ten years */

static version highest;
static bool epoch_due = true;
static uint32_t epoch_start;

static uint64_t epoch_of(version v) {
    return v >> 32;
}

version version_mint(int64_t now_ms) {
    if (epoch_due) {
        uint64_t seconds = now_ms > 0 ? (uint64_t)now_ms / 1000 : 0;
        uint64_t epoch = epoch_of(highest) + 1;
        if (epoch < seconds) epoch = seconds;
        highest = epoch << 32 | epoch_start;
        epoch_due = false;
    }
    return ++highest;
}

void version_observe(version seen) {
    if (seen > highest) highest = seen;
}

void version_renew_epoch(uint32_t start) {
    epoch_due = true;
    epoch_start = start & INT32_MAX;
}

bool version_plausible(version seen, int64_t now_ms) {
    return (int64_t)epoch_of(seen) <= now_ms / 1000 + PLAUSIBLE_LEAD_SECONDS;
}

void version_write(version v, char text[VERSION_TEXT_LENGTH]) {
    text[0] = '0';
    text[1] = 'x';
    hex_write((uint32_t)(v >> 32), 'A', text + 2);
    hex_write((uint32_t)v, 'A', text + 10);
}

bool version_read(struct bytes text, version *v) {
    if (text.length == VERSION_TEXT_LENGTH + 2 && text.data[0] == '"' && text.data[text.length - 1] == '"')
        text = bytes_of(text.data + 1, VERSION_TEXT_LENGTH);
    if (text.length != VERSION_TEXT_LENGTH || text.data[0] != '0' || bytes_lower(text.data[1]) != 'x')
        return false;
    version sum = 0;
    for (size_t i = 2; i < VERSION_TEXT_LENGTH; i++) {
        int digit = hex_value(text.data[i]);
        if (digit < 0) return false;
        sum = sum << 4 | (version)digit;
    }
    *v = sum;
    return true;
}
