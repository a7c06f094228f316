// deploy/recipes/node/config.mjs
// A configuration that reloads itself: a blob, of which each process is told as soon as it has changed.
import { LONGEST_BLOCK, outlasting, refusal } from './holdfast.mjs';

// Calls apply(content) for what is there, and for each change; apply(null) when there is nothing. A change that apply refuses, by
// throwing, is passed over: the old configuration stays. Ends with the signal.
export function watch(server, container, blob, apply, { signal, wait = LONGEST_BLOCK } = {}) {
  const tell = async content => {
    try {
      await apply(content);
    } catch {} // the old one stays
  };
  let condition = ['IFNONEMATCH', 'none'];
  return outlasting(server, signal, async line => {
    try {
      const seen = await line.send('BLOB.GET', container, blob, ...condition, 'BLOCK', wait);
      if (seen === null) return; // the time is up, and nothing is new
      condition = ['IFNONEMATCH', seen[0]];
      await tell(seen[1]);
    } catch (error) {
      if (refusal(error) !== 'NOTFOUND BlobNotFound') throw error;
      condition = []; // from now on it waits until the blob is there
      await tell(null);
    }
  });
}
