// deploy/recipes/node/try-lock.mjs
// One at a time, refused when it is lost, with a token that grows; and in grace the wait is for its end.
import { sleep } from './holdfast.mjs';
import { Lock } from './lock.mjs';
import { assert, done, failOver, fresh, refused, serverToTry } from './trying.mjs';

const server = await serverToTry();
const docs = await fresh(server, 'CONTAINER.CREATE', 'try:docs');
let inside = 0;
let most = 0;
await Promise.all(
  [1, 2, 3].map(async () => {
    const lock = await Lock.take(server, docs, 'report');
    most = Math.max(most, ++inside);
    await sleep(20);
    inside--;
    await lock.release();
  }),
);
assert.equal(most, 1);

const late = await Lock.take(server, docs, 'report');
await late.put('part 1');
assert.equal(late.held(), true);
await refused('PRECONDITION LeaseIdMissing', server.send('BLOB.PUT', docs, 'report', 'of a stranger'));
await refused('CONFLICT LeaseAlreadyPresent', Lock.take(server, docs, 'report', { wait: 0.1 }));
await server.send('LEASE.BREAK', docs, 'PERIOD', 0, 'BLOB', 'report');
const next = await Lock.take(server, docs, 'report');
assert.ok(next.token > late.token);
await refused('PRECONDITION LeaseIdMismatchWithBlobOperation', late.put('too late'));
await late.keep();
assert.equal(late.held(), false);
await late.release();
await next.put('part 2');
await next.release();
assert.equal((await server.send('BLOB.GET', docs, 'report'))[1], 'part 2');

// The connection breaks when the lease is renewed for the first time: nobody waits for the end of a lease that nobody has.
const breaking = { ...server, send: (...words) => (words[0] === 'LEASE.RENEW' ? Promise.reject(new Error('it broke')) : server.send(...words)) };
await assert.rejects(Lock.take(breaking, docs, 'report'), /it broke/);
await (await Lock.take(server, docs, 'report', { wait: 1 })).release();

await failOver(server, 1);
await refused('CONFLICT ServerRecovering', Lock.take(server, docs, 'report', { wait: 0.1 }));
await (await Lock.take(server, docs, 'report')).release();
done();
