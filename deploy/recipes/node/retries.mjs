// deploy/recipes/node/retries.mjs
// Sends a write until it is answered, and has it done once: with a token the server answers what it answered the first time.
import { randomUUID } from 'node:crypto';
import { passes, sleep } from './holdfast.mjs';

// For every command that writes. 60 attempts take 50 seconds, longer than a failover. Give a token of your own where this program may
// die between two attempts: the server remembers it for holdfast.once-seconds.
export async function sendOnce(server, words, { token = randomUUID(), attempts = 60 } = {}) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await server.send(...words, 'ONCE', token);
    } catch (error) {
      if (attempt === attempts || !passes(error)) throw error;
    }
    await sleep(Math.min(50 * attempt, 1000));
  }
}
