// deploy/recipes/node/try-log.mjs
// Lines of several writers, one of them sent twice; a follower that dies, goes on, outlives a failover, and hears of the end.
import { append, appendAt, follow } from './log.mjs';
import { assert, done, failOver, fresh, serverToTry } from './trying.mjs';

const server = await serverToTry();
const docs = await fresh(server, 'CONTAINER.CREATE', 'try:docs');
await server.send('BLOB.CREATEAPPEND', docs, 'log');
assert.equal(await append(server, docs, 'log', 'first\n'), 0);
assert.equal(await appendAt(server, docs, 'log', 'second, ü\n', 6), true);
assert.equal(await appendAt(server, docs, 'log', 'second, ü\n', 6), false);

let read = '';
let kept = 0;
const dies = lines => {
  if (read) throw new Error('the connection to a database is closed');
  read = lines;
  kept = Buffer.byteLength(read);
};
const dying = assert.rejects(follow(server, docs, 'log', dies), /database/);
while (!read) await new Promise(setImmediate);
await append(server, docs, 'log', 'third\n');
await dying;
const following = follow(server, docs, 'log', lines => void (read += lines), { position: kept });
for (let number = 0; number < 5; number++) {
  await Promise.all(['alice', 'bob'].map(name => append(server, docs, 'log', `${name} ${number}\n`)));
}
await failOver(server);
await server.send('BLOB.SEAL', docs, 'log');
assert.equal(await following, Buffer.byteLength(read));
assert.deepEqual(read.split('\n').slice(0, 3), ['first', 'second, ü', 'third']);
assert.equal(read.split('\n').length, 14);
assert.equal(await append(server, docs, 'log', 'too late\n'), null);
done();
