/* Versions: the numbers behind ETags, snapshot ids, fencing tokens and copy ids.
 *
 * A version is 64 bits, the epoch in the high half and a count in the low half. One counter per server mints
 * them all. A new epoch is max(highest epoch seen + 1, Unix seconds) and is drawn whenever the server becomes
 * a writable primary. Every version that is applied or loaded is observed, so what is minted next is greater
 * than all that this server has ever held, whatever its clock says.
 *
 * In text a version is 0x and 16 hexadecimal digits, so that versions compare as strings, too. */
#ifndef HOLDFAST_VERSION_H
#define HOLDFAST_VERSION_H

#include "core/bytes.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t version;

enum { VERSION_TEXT_LENGTH = 18 };

/* The next version. now_ms matters only when a new epoch is due. */
version version_mint(int64_t now_ms);

/* Whatever is minted from now on is greater than this one. */
void version_observe(version seen);

/* The server has become a writable primary: the next version opens a new epoch. Its count begins behind `start`, of
 * which 31 bits count; a random one makes it most unlikely that two lives that begin in the same second, and know nothing of each
 * other, give the same versions. */
void version_renew_epoch(uint32_t start);

/* No server mints beyond this one before 2097; whatever says so is not believed, wherever it comes from. */
#define VERSION_MOST (UINT64_C(0xf0000000) << 32)

/* False for a version that lies more than ten years ahead of the clock: observing it would poison all later
 * ones. */
bool version_plausible(version seen, int64_t now_ms);

void version_write(version v, char text[VERSION_TEXT_LENGTH]);

/* Takes the text form bare or in one pair of double quotes, digits in any case. */
bool version_read(struct bytes text, version *v);

#endif
