// deploy/recipes/node/try-retries.mjs
// An answer that is lost is asked for again, and the write is done once, also in a failover; a refusal is no reason to send anything
// again. And no library sends anything again by itself.
import { connect, createServer } from 'node:net';
import { passes, sleep } from './holdfast.mjs';
import { sendOnce } from './retries.mjs';
import { assert, done, failOver, fresh, refused, serverToTry } from './trying.mjs';

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
const [[, last]] = await Promise.all([sleep(400).then(() => sendOnce(server, ['BLOB.APPEND', docs, 'log', 'three\n'])), failOver(server)]);
assert.equal(Number(last), 8);

// A server that passes one write on and ends the connection before its answer: in order, or as one that is killed.
function cutting(end) {
  let cut = false;
  const proxy = createServer(client => {
    const upstream = connect(Number(process.env.PORT ?? 6379), '127.0.0.1');
    for (const socket of [client, upstream]) socket.on('error', () => {}).on('close', () => (client.destroy(), upstream.destroy()));
    let ours = false;
    client.on('data', bytes => {
      if ((ours = !cut && bytes.includes('BLOB.APPEND'))) cut = true;
      upstream.write(bytes);
    });
    upstream.on('data', bytes => (ours ? client[end]() : client.write(bytes)));
  });
  return new Promise(listening => proxy.listen(0, '127.0.0.1', () => listening(proxy)));
}

for (const end of ['destroy', 'resetAndDestroy']) {
  const proxy = await cutting(end);
  const line = await serverToTry(proxy.address().port);
  const log = `log that a ${end} breaks`;
  await server.send('BLOB.CREATEAPPEND', docs, log);
  await assert.rejects(line.send('BLOB.APPEND', docs, log, 'once'), error => passes(error) || assert.fail(error.stack));
  await sleep(300);
  assert.equal((await server.send('BLOB.GET', docs, log))[1], 'once');
  proxy.close();
}
done();
