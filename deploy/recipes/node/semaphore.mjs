// deploy/recipes/node/semaphore.mjs
// A semaphore: a queue that holds one message for each permit. Who dies gives the permit back when its window ends.
import { LONGEST_BLOCK, fields } from './holdfast.mjs';
import { extend, settle } from './worker.mjs';

const MAKE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('QUEUE.CREATE', KEYS[1])
for permit = 1, ARGV[1] do redis.call('QUEUE.PUT', KEYS[1], 'permit ' .. permit, 'TTL', '-1') end
return 1
`;

// Makes the semaphore unless it is there. All may call it at once: a script is one step.
export async function make(server, name, permits) {
  return (await server.send('EVAL', MAKE, 1, name, permits)) === 1;
}

// Waits in line for a permit and holds it while work(permit) runs; the permit is null when the time was up.
export async function withPermit(server, name, work, { window = 30, wait = LONGEST_BLOCK } = {}) {
  let [taken] = await server.send('QUEUE.GET', name, 'VISIBILITY', window);
  if (!taken && wait > 0) {
    const line = await server.line();
    try {
      [taken] = await line.send('QUEUE.GET', name, 'VISIBILITY', window, 'BLOCK', wait);
    } finally {
      line.hangUp();
    }
  }
  if (!taken) return work(null);
  const permit = fields(taken);
  const stop = extend(server, name, permit, window);
  try {
    return await work(permit);
  } finally {
    await stop();
    await settle(server, 'QUEUE.RELEASE', name, permit);
  }
}
