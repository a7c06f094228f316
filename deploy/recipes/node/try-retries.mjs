// deploy/recipes/node/try-retries.mjs
// An answer that is lost is asked for again, and the write is done once; a refusal is no reason to send anything again.
import { sendOnce } from './retries.mjs';
import { assert, done, fresh, refused, serverToTry } from './trying.mjs';

const server = await serverToTry();
const docs = await fresh(server, 'CONTAINER.CREATE', 'try:docs');
await server.send('BLOB.CREATEAPPEND', docs, 'log');
let sent = 0;
const losing = {
  async send(...words) {
    sent++;
    const reply = await server.send(...words);
    if (sent < 3) throw new Error('Socket closed unexpectedly');
    return reply;
  },
};
const [, offset] = await sendOnce(losing, ['BLOB.APPEND', docs, 'log', 'one\n']);
assert.equal(Number(offset), 0);
assert.equal(sent, 3);
assert.equal((await server.send('BLOB.GET', docs, 'log'))[1], 'one\n');
const [, next] = await sendOnce(losing, ['BLOB.APPEND', docs, 'log', 'two\n']);
assert.equal(Number(next), 4);
sent = 3;
await refused('NOTFOUND BlobNotFound', sendOnce(losing, ['BLOB.APPEND', docs, 'none', 'x']));
assert.equal(sent, 4);
done();
