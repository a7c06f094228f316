#include "core/version.h"

#include "core/bisect.h"
#include "core/hex.h"

/* Years of 365.25 days, in seconds. */
#define PLAUSIBLE_LEAD_SECONDS INT64_C(315576000) /* ten years */
#define EPOCH_LEAD_SECONDS     INT64_C(157788000) /* five years */
#define CLOCK_MARGIN_SECONDS   INT64_C(347133600) /* eleven years */

/* Epochs follow the clock up to here. Versions seen ten years ahead of it, and those of a year of new epochs,
 * are still below VERSION_MAX. */
#define CLOCK_MAX_SECONDS ((int64_t)(VERSION_MAX >> 32) - CLOCK_MARGIN_SECONDS)

/* How the counts of an epoch are divided; see version.h. */
#define ANNEX_COUNT      UINT32_C(0xc0000000)
#define STRETCH_LENGTH   (UINT32_C(1) << 18)
#define STRETCH_GAP_MASK ((UINT32_C(1) << 22) - 1)

static int64_t clock_seconds(int64_t now_ms) {
    int64_t seconds = now_ms > 0 ? now_ms / 1000 : 0;
    return seconds < CLOCK_MAX_SECONDS ? seconds : CLOCK_MAX_SECONDS;
}

/* Knuth's MMIX generator; its seed is random. */
static uint32_t next_chance(struct mint *mint) {
    mint->chance = mint->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(mint->chance >> 33);
}

static void begin_epoch(struct mint *mint, uint64_t epoch, uint32_t start) {
    mint->begin = mint->last = mint->passed = epoch << 32 | start;
    mint->end = epoch << 32 | (ANNEX_COUNT - 1);
}

/* Begins a stretch in the annex (rule 5), behind the stretch of the newest version. */
static void open_stretch(struct mint *mint) {
    uint32_t gap = next_chance(mint) & STRETCH_GAP_MASK;
    version begin = mint->newest + STRETCH_LENGTH + gap;
    uint64_t epoch = version_epoch(begin);
    bool is_full = (uint32_t)begin > UINT32_MAX - STRETCH_LENGTH;
    if (is_full || (uint32_t)begin < ANNEX_COUNT) begin = (epoch + is_full) << 32 | ANNEX_COUNT | gap;
    mint->begin = mint->last = begin;
    mint->end = begin + STRETCH_LENGTH;
}

static void open_next(struct mint *mint, int64_t now_ms) {
    uint64_t seconds = (uint64_t)clock_seconds(now_ms);
    uint64_t epoch = version_epoch(mint->newest) + 1;
    if (mint->due == EPOCH_OF_ROLE)
        begin_epoch(mint, epoch > seconds ? epoch : seconds, mint->start);
    else if (epoch <= seconds + EPOCH_LEAD_SECONDS)
        begin_epoch(mint, epoch, next_chance(mint));
    else
        open_stretch(mint);
    mint->due = EPOCH_NOT_DUE;
}

static bool mint_needs_time(const struct mint *mint) {
    return mint->due || mint->last == mint->end;
}

version mint_version(struct mint *mint, int64_t now_ms) {
    if (mint_needs_time(mint)) open_next(mint, now_ms);
    return mint->newest = ++mint->last;
}

void mint_observe(struct mint *mint, version seen) {
    if (seen > mint->begin && seen <= mint->last) return;
    if (seen > mint->newest) mint->newest = seen;
    if (!mint->due && version_epoch(seen) >= version_epoch(mint->last)) mint->due = EPOCH_OF_MEETING;
}

void mint_renew_epoch(struct mint *mint, uint64_t chance) {
    mint->due = EPOCH_OF_ROLE;
    mint->passed = mint->newest;
    mint->start = (uint32_t)chance & INT32_MAX;
    mint->chance ^= chance;
}

void mint_leave_epoch(struct mint *mint, version told) {
    mint->passed = mint->newest;
    if (!mint->due && version_epoch(told) >= version_epoch(mint->last)) mint->due = EPOCH_OF_MEETING;
}

bool mint_believes(const struct mint *mint, version seen, int64_t now_ms) {
    return seen <= mint->newest ||
           (int64_t)version_epoch(seen) <= clock_seconds(now_ms) + PLAUSIBLE_LEAD_SECONDS;
}

/* --- The server's mint --- */

static struct mint server_mint = MINT_INITIAL;

bool version_needs_time(void) {
    return mint_needs_time(&server_mint);
}

version version_mint(int64_t now_ms) {
    return mint_version(&server_mint, now_ms);
}

void version_observe(version seen) {
    mint_observe(&server_mint, seen);
}

version version_newest(void) {
    return server_mint.newest;
}

void version_renew_epoch(uint64_t chance) {
    mint_renew_epoch(&server_mint, chance);
}

void version_leave_epoch(version told) {
    mint_leave_epoch(&server_mint, told);
}

version version_passed(void) {
    return server_mint.passed;
}

bool version_plausible(version seen, int64_t now_ms) {
    return mint_believes(&server_mint, seen, now_ms);
}

size_t version_place(const void *items, size_t count, size_t bytes, version v) {
    size_t low = 0, high = count;
    BISECT(low, high, *(const version *)((const char *)items + middle * bytes) < v)
    return low;
}

/* --- In text --- */

void version_write(version v, char text[VERSION_TEXT_LENGTH]) {
    text[0] = '0';
    text[1] = 'x';
    hex_write(v, 'A', text + 2);
}

bool version_read(struct bytes text, version *v) {
    if (text.length == VERSION_TEXT_LENGTH + 2 && text.data[0] == '"' && text.data[text.length - 1] == '"')
        text = bytes_of(text.data + 1, VERSION_TEXT_LENGTH);
    if (text.length != VERSION_TEXT_LENGTH || text.data[0] != '0' || bytes_lower(text.data[1]) != 'x')
        return false;
    return hex_read(text.data + 2, v);
}
