// deploy/recipes/node/step.mjs
// A step of work that happens exactly once: the message goes, and its results and the next messages come, in one transaction.
import { LONGEST_BLOCK, fields, pause, refusal } from './holdfast.mjs';
import { atomic } from './transactions.mjs';
import { LOST, extend } from './worker.mjs';

// decide(message) answers the commands that are to happen, each an array of words. It may run more than once, so it reads, and
// changes nothing itself. Answers the message, or null when none came in time. Whenever this program dies, the message comes back,
// or all of it has happened.
export async function runStep(server, line, queue, decide, { window = 30, wait = LONGEST_BLOCK } = {}) {
  const [taken] = await line.send('QUEUE.GET', queue, 'VISIBILITY', window, 'BLOCK', wait);
  if (!taken) return null;
  const message = fields(taken);
  for (let attempt = 1; attempt < 100; attempt++) {
    const stop = extend(server, queue, message, window);
    const commands = await Promise.resolve(decide(message)).finally(stop);
    try {
      await atomic(server, [['QUEUE.DELETE', queue, message.id, message.receipt], ...commands]);
      return message;
    } catch (error) {
      if (LOST.includes(refusal(error)) && error.message.includes(' 0: ')) return message; // too late: somebody else does it
      if (!/^(PRECONDITION|CONFLICT) /.test(refusal(error))) throw error;
    }
    await pause(attempt); // what was decided on has changed: decide again
  }
  throw new Error(`${queue} ${message.id}: others kept changing what was decided on`);
}
