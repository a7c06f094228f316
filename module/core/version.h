/* Versions: the numbers behind ETags, snapshot ids, fencing tokens and copy ids, and why they stay new.
 *
 * A version is 64 bits, an epoch in the high half and a count in the low half. One mint per server makes them all. In
 * text a version is 0x and 16 hexadecimal digits, so that versions compare as strings, too.
 *
 * WHAT IS PROMISED, for each key, wherever its value lives:
 *   greater  A version that a server mints for a key is greater than all that this server has minted, and than all
 *            that were minted for the key before the value came here.
 *   once     No version is minted twice for one key, not even by two servers that hold copies of one value.
 *
 * THE RULE
 *   1. A server observes every version that it applies or loads. What it mints is greater than all it has observed.
 *   2. What is saved of a value (RDB, DUMP, a rewritten append-only file) carries the newest version that its server
 *      had minted or observed by then, and whoever loads it observes that one, too.
 *   3. Whoever becomes a writable primary (start, load, promotion) begins a new epoch: max(newest observed + 1, Unix
 *      seconds). Its count begins at random below 2^31 and may go on to 0xbfffffff.
 *   4. Whoever observes a version that is not its own, of an epoch not below its own, begins a new epoch before it
 *      mints again: the newest observed + 1, without the clock. Likewise when the counts of an epoch are used up, and
 *      when a value comes out of a payload whose followers must not mistake what is minted next for what they know
 *      (see core/feed.h).
 *   5. If that epoch would lie more than five years ahead of the clock, it mints in a stretch of the newest epoch's
 *      annex instead: 2^18 counts of those from 0xc0000000 on, which begin more than 2^18 and less than 2^18 + 2^22
 *      behind the newest version (in the next epoch's annex where this one's is full).
 *
 * A stretch is what one server mints from in one go, by 3, 4 or 5, in order and without turning back. Which versions
 * are a server's own is known from the current stretch alone: those between its beginning and the last one minted.
 * Those of its earlier stretches count as others'; then a new epoch begins that was not needed, which harms nobody.
 *
 * WHY GREATER. By 1, on one server. If a value moves, its payload carries (2) a number that is not below any that was
 * minted for the key so far: not below the ones minted here, by 1; and not below those minted where it came from, since
 * that server observed what it had loaded, and so on back to the first one. That the objects which had these versions
 * have been deleted since does not matter. The next server observes that number, and rule 1 holds there.
 *
 * WHY ONCE. On one line of moves it follows from "greater". Where a value was copied, both servers may mint for the key,
 * and must not do so in the same stretch of numbers. Let B load what A saved, and let v be the number carried:
 *   - B minted in a greater epoch than v's before: it stays there, and A is in a smaller one.
 *   - Otherwise B leaves its stretch, by 4 for an epoch above both, or by 5 for a stretch that begins behind the end of
 *     v's: one outside of an annex ends before the annex, one in an annex ends at most 2^18 behind v. A goes on in its own.
 *   What remains is two servers that come to the same numbers without having seen each other's: they began epochs of the
 *   same number (in the same second, by clocks that differ, or both above one that both had seen). Then their random
 *   beginnings keep them apart: after n versions each the odds that their counts meet at all are n to 2^30, and only a key
 *   that lives on both could tell; in annexes, n to 2^21. Once either meets a version of the other, rule 4 ends it for
 *   certain.
 *
 * CASE BY CASE
 *   reload          The data and the number carried beside them are observed, then rule 3: above all that was saved, even
 *                   if the clock was set back; above what was lost, too, if the clock kept up or anything of that epoch
 *                   was saved. An empty data set carries nothing, and an empty slot neither: there the clock decides.
 *   promotion       A replica observes each effect and mints nothing; the epochs it sees become due only when it mints,
 *                   and then by 3: above the old primary's epoch, if it has seen any of it or the clock kept up.
 *   an old primary  that was cut off stays in its epoch, below its successor's: it can neither collide with it nor outrank
 *                   it, unless it is started again, has used up its counts (2^30 at least), or is given a value from a
 *                   greater epoch. That is why rule 4 does not go by the clock.
 *   MIGRATE         there and back, and slot migration by RESTORE, by an RDB stream or by rewritten commands: 2 and 4. What
 *                   a live migration sends behind its snapshot are effects, whose versions are observed.
 *   RESTORE         of an old payload here: it carries less than is known. Elsewhere: the copy above.
 *   RENAME, COPY    stay on one server, so 1 is enough.
 *   equal epochs    "not below" in 4 includes them.
 *   clocks behind   Only rule 3 lets the clock raise an epoch; nothing relies on that but what nobody has seen.
 *   many RESTOREs   Own payloads begin nothing, payloads of one source one epoch, however many they are. Two servers that
 *                   hand values to and fro and mint in between go up by one epoch each time, which is up to thousands a
 *                   second, while the clock goes up by one. After a lead of five years (158 million such exchanges) rule 5
 *                   takes over: an annex has room for some 450 stretches, so that up to as many exchanges a second leave
 *                   the lead as it is, and ten times as many, without a pause, would take years to use up what RESTORE
 *                   still believes.
 *
 * WHY IT NEVER WRAPS. No clock lifts an epoch beyond VERSION_MAX less eleven years (clocks go by up to the year 2086).
 * What somebody's RESTORE says may lie ten years ahead; the year that is left has room for more new epochs than
 * servers change their roles. So all that is minted is below VERSION_MAX and can be loaded again. */
#ifndef HOLDFAST_VERSION_H
#define HOLDFAST_VERSION_H

#include "core/bytes.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t version;

enum { VERSION_TEXT_LENGTH = 18 };

/* No server mints a version above this before 2097; larger ones are rejected, wherever they come from. */
#define VERSION_MAX (UINT64_C(0xf0000000) << 32)

static inline uint64_t version_epoch(version v) {
    return v >> 32;
}

/* --- A mint; the server has one, tests have many --- */

enum epoch_due {
    EPOCH_NOT_DUE,
    EPOCH_OF_MEETING, /* rule 4 */
    EPOCH_OF_ROLE,    /* rule 3 */
};

struct mint {
    version newest;     /* newest version minted or observed */
    version begin, end; /* of its stretch: it mints versions above begin, up to end */
    version last;       /* newest version minted */
    enum epoch_due due;
    version passed;  /* the newest one when it was told to leave its epoch */
    uint32_t start;  /* where the count of the next epoch by rule 3 begins */
    uint64_t chance; /* where the others begin */
};

#define MINT_INITIAL                                                                                         \
    { .due = EPOCH_OF_ROLE }

version mint_version(struct mint *mint, int64_t now_ms);
void mint_observe(struct mint *mint, version seen);
void mint_renew_epoch(struct mint *mint, uint64_t chance);
void mint_leave_epoch(struct mint *mint);
bool mint_believes(const struct mint *mint, version seen, int64_t now_ms);

/* --- The server's mint --- */

/* The next version. now_ms only matters when a new epoch is due. */
version version_mint(int64_t now_ms);

/* Every version minted from now on is greater than this one, and of another epoch unless this server minted it. */
void version_observe(version seen);

/* The newest version minted or observed. Saved values carry it. */
version version_newest(void);

/* The server has become a writable primary: the next version opens a new epoch. Its count begins behind `chance`, of
 * which 31 bits count; all of it decides where later ones begin. */
void version_renew_epoch(uint64_t chance);

/* The next version must not look like a direct successor of those minted before: a value has returned to an earlier
 * state, and versions minted for it since are unknown. Begins a new epoch. */
void version_leave_epoch(void);

/* The newest version when the two functions above last left an epoch. Versions minted before that and not seen
 * here never will be. */
version version_passed(void);

/* False for a version more than ten years ahead of the clock: observing it would poison all later ones. One that is
 * not above the newest version can do no harm. */
bool version_plausible(version seen, int64_t now_ms);

/* --- In text --- */

void version_write(version v, char text[VERSION_TEXT_LENGTH]);

/* Accepts the text form bare or in one pair of double quotes, digits in any case. */
bool version_read(struct bytes text, version *v);

#endif
