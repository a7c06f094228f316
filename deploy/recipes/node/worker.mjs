// deploy/recipes/node/worker.mjs
// Takes messages, extends their windows while it works, and settles them: deleted, or given back with a reason.
import { LONGEST_BLOCK, fields, outlasting, refusal } from './holdfast.mjs';

export const LOST = ['NOTFOUND MessageNotFound', 'INVALID PopReceiptMismatch']; // by holdfast.queue-receipt-mismatch

// Prolongs the message's window in the background. Each UPDATE answers a new receipt. The old one is its token: an UPDATE whose answer
// did not come is sent again, and answered as if for the first time. Answers what ends that.
export function extend(server, queue, message, window) {
  let under_way = Promise.resolve();
  let end = performance.now() + window * 1000;
  let asked; // since when an answer is missing
  const prolong = async () => {
    if (message.lost) return;
    asked ??= performance.now();
    try {
      const words = [queue, message.id, message.receipt, 'VISIBILITY', window, 'ONCE', message.receipt];
      message.receipt = fields(await server.send('QUEUE.UPDATE', ...words)).receipt;
      end = asked + window * 1000;
      asked = undefined;
    } catch (error) {
      message.lost = LOST.includes(refusal(error)) || performance.now() > end; // somebody else has it, or may have
    }
  };
  const timer = setInterval(() => (under_way = under_way.then(prolong)), (window * 1000) / 3);
  return () => (clearInterval(timer), under_way.then(() => (asked === undefined ? undefined : prolong())));
}

// False when it is too late: somebody else has the message, or it has died.
export async function settle(server, command, queue, message, ...words) {
  try {
    await server.send(command, queue, message.id, message.receipt, ...words);
    return true;
  } catch (error) {
    if (!LOST.includes(refusal(error))) throw error;
    return false;
  }
}

// Handles one message, taken on a connection of its own, and answers it; or null when none came in time.
export async function workOne(server, line, queue, handle, { window = 30, wait = LONGEST_BLOCK } = {}) {
  const [taken] = await line.send('QUEUE.GET', queue, 'VISIBILITY', window, 'BLOCK', wait);
  if (!taken) return null;
  const message = fields(taken);
  const stop = extend(server, queue, message, window);
  let failure;
  try {
    await handle(message);
  } catch (error) {
    failure = error;
  }
  await stop();
  if (!failure) {
    await settle(server, 'QUEUE.DELETE', queue, message);
  } else {
    const pause = Math.min(2 ** Number(message['dequeue-count']), 600);
    const reason = Array.from(String(failure.message ?? failure)).slice(0, 64).join(''); // never half of a character
    await settle(server, 'QUEUE.RELEASE', queue, message, 'VISIBILITY', pause, 'REASON', reason);
  }
  return message;
}

// Works until the signal is aborted. What we had when a connection broke comes back by itself.
export function work(server, queue, handle, { signal, ...options } = {}) {
  return outlasting(server, signal, async line => void (await workOne(server, line, queue, handle, options)));
}

// The dead letters, the oldest first: with id, dequeue-count, reason and message.
export async function dead(server, queue, count = 32) {
  return (await server.send('QUEUE.DEAD', queue, 'COUNT', count)).map(fields);
}

// Puts these dead letters back, once what killed them is mended; answers how many.
export async function redrive(server, queue, letters) {
  if (!letters.length) return 0;
  return server.send('QUEUE.REDRIVE', queue, 'IDS', letters.length, ...letters.map(letter => letter.id));
}
