// deploy/recipes/node/leader.mjs
// A leader election: all stand in line for one lease, and all are told at once who leads. Failovers are waited out.
import { LONGEST_BLOCK, calling, ofCaller, outlasting, passes, pause, refusal } from './holdfast.mjs';
import { Lock } from './lock.mjs';

const isOthers = error => / (Lease|BlobNotFound)/.test(refusal(error)); // not our turn yet, or no longer: it was broken, or a failover lost it

// Calls lead(lock) whenever it is our turn. lead returns when lock.held() says no, or to step down. A write that is refused since the
// lease is lost may end it, too, and what passes by itself. Any other error of lead ends the campaign.
export function campaign(server, container, name, lead, { signal, seconds = 15, wait = LONGEST_BLOCK } = {}) {
  return outlasting(server, signal, async line => {
    try {
      const lock = await Lock.take(server, container, 'leader', { seconds, wait, owner: name, line });
      try {
        await lock.put(name);
        await reign(lead, lock);
      } finally {
        await lock.release();
      }
    } catch (error) {
      if (!isOthers(error)) throw error;
      await pause(50);
    }
  });
}

async function reign(lead, lock) {
  try {
    await lead(lock);
  } catch (error) {
    if (passes(error) || (isOthers(error) && !lock.held())) throw error;
    if (isOthers(error)) await lock.renew(); // refused if it is lost indeed
    throw ofCaller(error);
  }
}

// Calls tell(name) for the leader that is there, and for each new one.
export function follow(server, container, tell, { signal, wait = LONGEST_BLOCK } = {}) {
  let news = []; // of what is not there yet, its coming
  return outlasting(server, signal, async line => {
    let seen = null;
    try {
      seen = await line.send('BLOB.GET', container, 'leader', ...news, 'BLOCK', wait);
    } catch (error) {
      if (refusal(error) !== 'NOTFOUND BlobNotFound') throw error;
      news = [];
    }
    if (seen === null) return; // the time is up, and nothing is new
    news = ['IFNONEMATCH', seen[0]];
    if (seen[1]) await calling(() => tell(seen[1]));
  });
}
