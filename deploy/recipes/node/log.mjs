// deploy/recipes/node/log.mjs
// A log that many append to and many follow. Sealing it (BLOB.SEAL) tells everybody that nothing more will come.
import { LONGEST_BLOCK, calling, fields, outlasting, refusal } from './holdfast.mjs';

const full = /^(PRECONDITION MaxBlobSizeConditionNotMet|CONFLICT BlockCountExceedsLimit|CONFLICT BlobIsSealed)$/;

// Answers the offset of the line, or null when the log is full or sealed: begin the next one.
export async function append(server, container, log, line, most = 32 << 20) {
  try {
    return Number((await server.send('BLOB.APPEND', container, log, line, 'IFMAXSIZE', most))[1]);
  } catch (error) {
    if (!full.test(refusal(error))) throw error;
    return null;
  }
}

// Appends only if the log still ends at this position. So it happens once, also when it is sent again.
export async function appendAt(server, container, log, line, position) {
  try {
    await server.send('BLOB.APPEND', container, log, line, 'IFPOSITION', position);
    return true;
  } catch (error) {
    if (refusal(error) !== 'PRECONDITION AppendPositionConditionNotMet') throw error;
    return false;
  }
}

// Calls tell(lines, position behind them) for what is there and for all that comes, until the log is sealed. A follower that
// stores the position with what it makes of the lines goes on from there after a crash. Lines are whole, and text.
export function follow(server, container, log, tell, { position = 0, wait = LONGEST_BLOCK, signal } = {}) {
  return outlasting(server, signal, async line => {
    const stat = fields(await server.send('BLOB.STAT', container, log));
    const length = Number(stat['content-length']);
    if (length <= position && Number(stat.sealed ?? 0)) return position;
    const forMore = length > position ? [] : ['IFNONEMATCH', stat.etag, 'BLOCK', wait];
    let seen = null;
    try {
      seen = await line.send('BLOB.GET', container, log, 'RANGE', position, -1, ...forMore);
    } catch (error) {
      // It has changed, but not grown. When it is shorter than what was read of it, it was begun anew.
      if (length < position || refusal(error) !== 'INVALID InvalidRange') throw error;
    }
    if (seen === null) return; // the time is up, and nothing is new
    const behind = position + Buffer.byteLength(seen[1]);
    await calling(() => tell(seen[1], behind));
    position = behind;
  });
}
