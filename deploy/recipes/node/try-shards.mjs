// deploy/recipes/node/try-shards.mjs
// Things lie in their parts, are found by whoever asks for all of them, and no part is forgotten by a worker.
import { Shards, allBlobs, take } from './shards.mjs';
import { assert, done, fresh, serverToTry } from './trying.mjs';

const server = await serverToTry();
const docs = new Shards('try:docs', 8);
const jobs = new Shards('try:jobs', 8);
assert.equal(new Shards('docs').key('plan.txt'), '{docs:29}'); // as with Python
assert.equal(docs.key('plan.txt', ':mail'), `${docs.key('plan.txt')}:mail`);
for (const key of docs.keys()) await fresh(server, 'CONTAINER.CREATE', key);
for (const key of jobs.keys()) await fresh(server, 'QUEUE.CREATE', key);

const names = Array.from({ length: 200 }, (_, number) => `doc-${String(number).padStart(3, '0')}`);
for (const name of [...names].reverse()) await server.send('BLOB.PUT', docs.key(name), name, `text of ${name}`);
const found = [];
for await (const blob of allBlobs(server, docs, 'COUNT', 7)) found.push(blob.name);
assert.deepEqual(found, names);
assert.equal((await server.send('BLOB.GET', docs.key('doc-150'), 'doc-150'))[1], 'text of doc-150');

for (let number = 0; number < 40; number++) await server.send('QUEUE.PUT', jobs.key(`customer-${number}`), `job-${number}`);
const line = await server.line();
const finished = new Set();
for (let taken; (taken = await take(server, line, jobs, 3, { wait: 0.01 })); ) {
  await server.send('QUEUE.DELETE', taken.key, taken.message.id, taken.message.receipt);
  finished.add(taken.message.message);
}
assert.equal(finished.size, 40);
line.hangUp();
for (const key of [...docs.keys(), ...jobs.keys()]) await server.send('DEL', key);
done();
