// deploy/recipes/node/try-worker.mjs
// Work that takes longer than its window, answers that are lost, work that fails and dies, a worker that dies, and a failover.
import { fields, sleep } from './holdfast.mjs';
import { assert, done, failOver, fresh, serverToTry } from './trying.mjs';
import { runStep } from './step.mjs';
import { dead, redrive, work, workOne } from './worker.mjs';

const server = await serverToTry();
const jobs = await fresh(server, 'QUEUE.CREATE', 'try:jobs', 'MAXDELIVERIES', 1);
const seen = [];
const over = new AbortController();
const handle = async message => {
  seen.push(message.message);
  if (message.message === 'long') await sleep(1600); // longer than the window of one second
};
const workers = [1, 2].map(() => work(server, jobs, handle, { signal: over.signal, window: 1 }));
await server.send('QUEUE.PUT', jobs, 'long');
await sleep(2000);
await server.send('QUEUE.PUT', jobs, 'last');
while (Number(fields(await server.send('QUEUE.STAT', jobs)).messages)) await sleep(20);
over.abort();
await Promise.all(workers);
assert.deepEqual(seen, ['long', 'last']);

const line = await server.line();
for (const ms of [500, 1600]) { // the answer is asked for again when the work is done, and in the midst of it
  let missing = 1;
  const losing = {
    async send(...words) {
      const reply = await server.send(...words);
      if (words[0] === 'QUEUE.UPDATE' && missing-- > 0) throw new Error('Socket closed unexpectedly');
      return reply;
    },
  };
  await server.send('QUEUE.PUT', jobs, 'slow');
  const message = await workOne(losing, line, jobs, () => sleep(ms), { window: 1 });
  assert.ok(!message.lost && missing <= 0);
  assert.equal(Number(fields(await server.send('QUEUE.STAT', jobs)).messages), 0);
}

await server.send('QUEUE.PUT', jobs, 'poison');
const fail = () => Promise.reject(new Error(`cannot be done ${'ü'.repeat(300)}`));
await workOne(server, line, jobs, fail);
const letters = await dead(server, jobs);
assert.deepEqual(letters.map(letter => letter.reason.slice(0, 14)), ['cannot be done']);
assert.equal(await redrive(server, jobs, letters), 1);
assert.equal(await redrive(server, jobs, []), 0);
assert.equal((await workOne(server, line, jobs, () => {})).message, 'poison');
assert.equal(await workOne(server, line, jobs, fail, { wait: 0.1 }), null);

await server.send('QUEUE.CONFIGURE', jobs, 'MAXDELIVERIES', 5);
await server.send('QUEUE.PUT', jobs, 'of one who dies');
await server.send('QUEUE.GET', jobs, 'VISIBILITY', 1);
const again = await workOne(server, line, jobs, () => {});
assert.equal(again.message, 'of one who dies');
assert.equal(Number(again['dequeue-count']), 2);

const stolen = async message => {
  await server.send('QUEUE.RELEASE', jobs, message.id, message.receipt);
  await server.send('QUEUE.GET', jobs);
  while (!message.lost) await sleep(10);
};
for (const answer of ['mismatch', 'notfound']) { // a late worker goes on with the next message, whatever it is answered
  await server.send('CONFIG', 'SET', 'holdfast.queue-receipt-mismatch', answer);
  await server.send('QUEUE.PUT', jobs, 'stolen');
  assert.equal((await workOne(server, line, jobs, stolen, { window: 1 })).message, 'stolen');
  await server.send('QUEUE.PUT', jobs, 'stolen, too');
  const steal = message => stolen({ ...message, lost: true }).then(() => []);
  assert.equal((await runStep(server, line, jobs, steal)).message, 'stolen, too');
  await server.send('QUEUE.CLEAR', jobs);
}
line.hangUp();

const last = new AbortController();
const working = work(server, jobs, () => last.abort(), { signal: last.signal });
await failOver(server);
await server.send('QUEUE.PUT', jobs, 'last');
await working;
assert.equal(Number(fields(await server.send('QUEUE.STAT', jobs)).messages), 0);
done();
