// deploy/recipes/node/compare-and-set.mjs
// Read, decide, write on the condition that nobody else did in between, and start over if somebody did.
import { pause, refusal } from './holdfast.mjs';

const AGAIN = ['PRECONDITION ConditionNotMet', 'CONFLICT BlobAlreadyExists'];

// change(old text, or null when there is no blob yet) answers the new content; it may run more than once.
export async function update(server, container, blob, change, attempts = 100) {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    let old = null;
    let condition = ['IFNONEMATCH', '*'];
    try {
      const [etag, content] = await server.send('BLOB.GET', container, blob);
      old = content;
      condition = ['IFMATCH', etag];
    } catch (error) {
      if (refusal(error) !== 'NOTFOUND BlobNotFound') throw error;
    }
    const content = await change(old);
    try {
      return await server.send('BLOB.PUT', container, blob, content, ...condition);
    } catch (error) {
      if (!AGAIN.includes(refusal(error))) throw error;
    }
    await pause(attempt);
  }
  throw new Error(`${container} ${blob}: others kept changing it`);
}
