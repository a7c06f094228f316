// deploy/recipes/node/try-holdfast.mjs
// The decoder with every shape that a client hands over, and the errors of every client.
import { fields, passes, refusal } from './holdfast.mjs';
import { assert, done, fresh, refused, serverToTry } from './trying.mjs';

const expected = { id: '7', 'dequeue-count': 1 };
for (const reply of [
  ['id', '7', 'dequeue-count', 1],
  { id: '7', 'dequeue-count': 1 },
  Object.assign(Object.create(null), { id: '7', 'dequeue-count': 1 }),
  new Map([['id', '7'], ['dequeue-count', 1]]),
  [{ key: 'id', value: '7' }, { key: 'dequeue-count', value: 1 }],
]) {
  assert.deepEqual(fields(reply), expected);
}
assert.deepEqual(fields([]), {});
assert.deepEqual(fields({}), {});
assert.deepEqual(Object.keys(fields(['__proto__', 'x'])), ['__proto__']);

assert.equal(refusal(new Error('CONFLICT LeaseAlreadyPresent held by x')), 'CONFLICT LeaseAlreadyPresent');
assert.equal(refusal(new Error('CONFLICT: LeaseAlreadyPresent held by x')), 'CONFLICT LeaseAlreadyPresent');
assert.equal(refusal(new Error('[CMD] CONFLICT LeaseAlreadyPresent x')), 'CONFLICT LeaseAlreadyPresent');
assert.equal(refusal(undefined), '');

const broken = ['read ECONNRESET', 'Socket closed unexpectedly', 'Connection is closed.', 'no valid master node', 'None of startup nodes is available'];
for (const text of [...broken, 'All the root nodes are unavailable', 'All sentinels are unreachable.']) assert.ok(passes(new Error(text)), text);
assert.ok(passes(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))); // of localhost with two addresses
for (const text of ['x is not a function', 'crypto is not available']) assert.ok(!passes(new Error(text)), text);
assert.ok(!passes(new TypeError("Cannot read properties of undefined (reading 'connection')")));

const server = await serverToTry();
const table = await fresh(server, 'TABLE.CREATE', 'try:t');
await server.send('TABLE.INSERT', table, 'p', 'r', 'PROPS', 2, 'n:int64', '9223372036854775807', 'b:bool', 'true');
const [, properties] = await server.send('TABLE.GET', table, 'p', 'r');
assert.equal(BigInt(fields(properties)['n:int64']), 9223372036854775807n);
await refused('CONFLICT EntityAlreadyExists', server.send('TABLE.INSERT', table, 'p', 'r', 'PROPS', 0));
const answer = text => server.send('EVAL', 'return redis.error_reply(ARGV[1])', 0, text);
const passing = ['READONLY you', 'LOADING it', 'NOREPLICAS no', 'MASTERDOWN link', 'TRYAGAIN several', 'CLUSTERDOWN the', 'BUSY Redis', 'MISCONF it'];
for (const text of [...passing, 'CONFLICT ServerRecovering x']) {
  await assert.rejects(answer(text), error => passes(error) || assert.fail(error.stack));
}
for (const text of ['ERR the connection', 'NOPERM to connect', 'OOM not available', 'CONFLICT LeaseAlreadyPresent x']) {
  await assert.rejects(answer(text), error => !passes(error) || assert.fail(error.stack));
}
const docs = await fresh(server, 'CONTAINER.CREATE', 'try:docs');
const etag = await server.send('BLOB.PUT', docs, 'a', 'b');
assert.equal(await server.send('BLOB.GET', docs, 'a', 'IFNONEMATCH', etag), null);

// A line waits longer than the application's own timeout, and what comes is not lost.
const queue = await fresh(server, 'QUEUE.CREATE', 'try:q');
const line = await server.line();
const taken = line.send('QUEUE.GET', queue, 'BLOCK', 5);
setTimeout(() => server.send('QUEUE.PUT', queue, 'late'), 2500);
assert.equal(fields((await taken)[0]).message, 'late');

// Who hangs up while it waits leaves the line: the message is for the next one.
line.send('QUEUE.GET', queue, 'BLOCK', 20).catch(() => {});
await new Promise(resolve => setTimeout(resolve, 200));
line.hangUp();
await new Promise(resolve => setTimeout(resolve, 200));
await server.send('QUEUE.PUT', queue, 'next');
assert.equal(fields((await server.send('QUEUE.GET', queue))[0]).message, 'next');

// Who hangs up while a pause, such as that of a failover, holds its call back, ends no server.
const held = await server.line();
await server.send('CLIENT', 'PAUSE', 600, 'WRITE');
held.send('QUEUE.GET', queue, 'BLOCK', 1).catch(() => {});
await new Promise(resolve => setTimeout(resolve, 200));
held.hangUp();
await new Promise(resolve => setTimeout(resolve, 1000));
await server.send('QUEUE.STAT', queue);
done();
