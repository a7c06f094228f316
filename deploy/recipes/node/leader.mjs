// deploy/recipes/node/leader.mjs
// A leader election: all stand in line for one lease, and all are told at once who leads.
import { LONGEST_BLOCK, refusal } from './holdfast.mjs';
import { Lock } from './lock.mjs';

// Calls lead(lock) whenever it is our turn. lead returns when lock.held() says no, or to step down.
export async function campaign(server, container, name, lead, { signal, seconds = 15, wait = LONGEST_BLOCK } = {}) {
  while (!signal?.aborted) {
    let lock;
    try {
      lock = await Lock.take(server, container, 'leader', { seconds, wait, owner: name });
    } catch (error) {
      if (refusal(error) !== 'CONFLICT LeaseAlreadyPresent') throw error;
      continue; // not our turn yet
    }
    try {
      await lock.put(name);
      await lead(lock);
    } finally {
      await lock.release();
    }
  }
}

// Calls tell(name) for the leader that is there, and for each new one.
export async function follow(server, container, tell, { signal, wait = LONGEST_BLOCK } = {}) {
  const line = await server.line();
  signal?.addEventListener('abort', () => line.hangUp(), { once: true });
  let etag = 'none';
  while (!signal?.aborted) {
    try {
      const seen = await line.send('BLOB.GET', container, 'leader', 'IFNONEMATCH', etag, 'BLOCK', wait);
      if (seen === null) continue; // the time is up, and nothing is new
      etag = seen[0];
      if (seen[1]) tell(seen[1]);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }
}
