/* Versions: the numbers behind ETags, snapshot ids, fencing tokens and copy ids, and why they are always new.
 *
 * A version has 64 bits: an epoch in the high half and a count in the low half. Each server has one mint, which makes
 * all of its versions. As text a version is 0x and 16 hexadecimal digits, so that versions compare as strings, too.
 *
 * THE PROMISE, for each key, on whatever servers its value has been:
 *   greater  A version that a server mints for a key is greater than all versions that this server has minted, and
 *            than all that were minted for the key before its value came to this server.
 *   once     No version is minted twice for one key, not even by two servers that have copies of one value.
 *
 * THE RULES
 *   1. A server observes every version that it applies or loads, and mints only greater ones.
 *   2. A saved value (RDB, DUMP, a rewritten append-only file) carries the newest version that its server had minted
 *      or observed. A server that loads the value observes that version, too.
 *   3. A server that becomes a writable primary (start, load, promotion) begins a new epoch: max(newest observed + 1,
 *      Unix seconds). The count begins at a random number below 2^31 and may go up to 0xbfffffff.
 *   4. A server that observes a version of another server, of an epoch not below its own, begins a new epoch before it
 *      mints again: the newest observed + 1, whatever the clock says. It also does when the counts of its epoch are
 *      used up, and when a value comes back in a state whose followers would take what is minted next for what they
 *      already know (see core/feed.h and server/effects/followed.h).
 *   5. If that epoch would be more than five years ahead of the clock, the server mints in a stretch of the newest
 *      epoch's annex instead. The annex is the counts from 0xc0000000 on; a stretch is 2^18 of them, and begins more
 *      than 2^18 and less than 2^18 + 2^22 after the newest version (in the next epoch's annex if this one is full).
 *
 * A stretch is what a server mints in one go after 3, 4 or 5, in ascending order. A server knows its own versions by
 * the current stretch alone: those from its beginning to the last one minted. Versions of its earlier stretches count
 * as another server's. Then it begins an epoch that was not needed, which does no harm.
 *
 * WHY GREATER. On one server by 1. If a value moves, its payload carries (2) a version that is not below any that was
 * minted for the key so far: not below those minted on this server, by 1, nor below those minted where the value came
 * from, since this server observed what it loaded, and so on back to the first server. It does not matter that the
 * objects with these versions may have been deleted. The next server observes that version, and rule 1 holds there.
 *
 * WHY ONCE. Along one line of moves it follows from "greater". If a value was copied, both servers may mint for the
 * key, and must not do so in the same stretch of numbers. Let B load what A saved, and let v be the version carried:
 *   - If B minted in an epoch greater than v's before, it stays there, and A is in a smaller one.
 *   - Otherwise B leaves its stretch, by 4 for an epoch above both, or by 5 for a stretch that begins after the end of
 *     v's: a stretch outside of an annex ends before the annex, one in an annex ends at most 2^18 after v. A goes on
 *     in its own stretch.
 *   The remaining case is two servers that reach the same numbers without having seen each other's: they began epochs
 *   with the same number, in the same second, by clocks that differ, or both above one that both had seen. Then their
 *   random beginnings keep them apart: after n versions each, the odds that their counts meet at all are n to 2^30, and
 *   only a key that is on both could show it; in annexes, n to 2^21. As soon as either observes a version of the other,
 *   rule 4 separates them for certain.
 *
 * CASE BY CASE
 *   reload          The data, and the version carried beside them, are observed, then rule 3 applies: the new epoch is
 *                   above all that was saved, even if the clock was set back. It is also above what was lost, if the
 *                   clock kept up or anything of that epoch was saved. An empty data set, or an empty slot, carries
 *                   nothing: then the clock decides.
 *   promotion       A replica observes each effect and mints nothing. The epochs due by 4 wait until it mints, and by
 *                   then rule 3 applies: above the old primary's epoch, if it saw any of it or the clock kept up.
 *   an old primary  that was cut off stays in its epoch, below its successor's. It can neither collide with nor outrank
 *                   it, unless it is restarted, uses up its counts (2^30 at least), or is given a value from a greater
 *                   epoch. That is why rule 4 ignores the clock.
 *   MIGRATE         there and back, and slot migration by RESTORE, by an RDB stream or by rewritten commands: 2 and 4.
 *                   After its snapshot a live migration sends effects, whose versions are observed.
 *   RESTORE         of an old payload on the same server: it carries less than is known. Elsewhere: the copy above.
 *   RENAME, COPY    stay on one server, so 1 is enough.
 *   equal epochs    "not below" in 4 includes them.
 *   slow clocks     Only rule 3 lets the clock raise an epoch, and only versions that nobody has seen rely on it.
 *   many RESTOREs   A server's own payloads begin no epoch, and those of one source begin one, however many they are.
 *                   Two servers that exchange values and mint in between go up by one epoch each time, which can be
 *                   thousands a second, while the clock goes up by one. At a lead of five years (158 million such
 *                   exchanges) rule 5 takes over: an annex has about 450 stretches, so up to 450 exchanges a second do
 *                   not increase the lead, and ten times as many, without a pause, would take years to use up what
 *                   RESTORE still accepts.
 *
 * WHY IT NEVER WRAPS. No clock lifts an epoch above VERSION_MAX less eleven years (clocks count up to the year 2086).
 * A version in a RESTORE may be ten years ahead. The remaining year has more epochs than servers will ever begin by
 * changing roles. So all versions that are minted stay below VERSION_MAX and can be loaded again. */
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
    version passed;  /* versions up to this one that it has not seen never come */
    uint32_t start;  /* where the count of the next epoch by rule 3 begins */
    uint64_t chance; /* where the others begin */
};

#define MINT_INITIAL                                                                                         \
    { .due = EPOCH_OF_ROLE }

version mint_version(struct mint *mint, int64_t now_ms);
void mint_observe(struct mint *mint, version seen);
void mint_renew_epoch(struct mint *mint, uint64_t chance);
void mint_leave_epoch(struct mint *mint, version told);
bool mint_believes(const struct mint *mint, version seen, int64_t now_ms);

/* --- The server's mint --- */

/* Whether now_ms matters for the next version: a new epoch may begin with it. */
bool version_needs_time(void);

version version_mint(int64_t now_ms);

/* Every version minted from now on is greater than this one, and of another epoch unless this server minted it. */
void version_observe(version seen);

/* The newest version minted or observed. Saved values carry it. */
version version_newest(void);

/* The server has become a writable primary: the next version opens a new epoch. Its count begins behind `chance`, of
 * which 31 bits count; all of it decides where later ones begin. */
void version_renew_epoch(uint64_t chance);

/* A value has returned to an earlier state. Of the versions minted for it since, `told` may be known: the next version
 * must not look like a direct successor of it. Begins a new epoch, unless this one is later anyway. */
void version_leave_epoch(version told);

/* Any version may be known. */
#define VERSION_ANY UINT64_MAX

/* Versions up to this one that were not seen here never will be: the newest one when the two functions above were last
 * called, and then where the epoch begins, since another server may have begun one with the same number. */
version version_passed(void);

/* False for a version more than ten years ahead of the clock: observing it would poison all later ones. One that is
 * not above the newest version can do no harm. */
bool version_plausible(version seen, int64_t now_ms);

/* How many of `count` items, each of `bytes` bytes, are older: their versions, with which they begin, ascend. */
size_t version_place(const void *items, size_t count, size_t bytes, version v);

/* --- In text --- */

void version_write(version v, char text[VERSION_TEXT_LENGTH]);

/* Accepts the text form bare or in one pair of double quotes, digits in any case. */
bool version_read(struct bytes text, version *v);

#endif
