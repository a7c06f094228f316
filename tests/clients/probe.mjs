// What the clients of Node.js hand over for each shape of reply; see tests/clients.sh.
import { fields, refusal, sleep } from '../../deploy/recipes/node/holdfast.mjs';
import { done, hastyServer, serverToTry } from '../../deploy/recipes/node/trying.mjs';

const server = await serverToTry();
const send = server.send;

function nameOf(reply) {
  if (reply === null) return 'null';
  if (!Array.isArray(reply)) return reply?.constructor?.name ?? typeof reply;
  return reply[0]?.key === undefined ? 'Array' : 'pairs';
}

const tell = (shape, reply, holds) => console.log(`${shape}\t${holds ? nameOf(reply) : 'WRONG'}`);

let reply = await send('QUEUE.CREATE', 'made');
tell('status', reply, String(reply) === 'OK');
reply = await send('BLOB.GET', 'c', 'b');
tell('pair', reply, reply.length === 2 && reply[1] === 'text');
const raw = await send('BLOB.GET', 'c', 'raw').catch(() => [null, null]);
console.log(`bytes\t${raw[1] === null ? 'refused' : raw[1] === '\0\r\n\ufffd' ? 'lossy' : 'WRONG'}`);
reply = await send('BLOB.GET', 'c', 'b', 'IFNONEMATCH', reply[0]);
tell('null', reply, reply === null);
reply = await send('CONTAINER.GET', 'c');
tell('map', reply, Number(fields(reply).blobs) === 2);
const { meta } = fields(await send('BLOB.STAT', 'c', 'b'));
tell('map in map', meta, fields(meta).k === 'v');
const [message] = await send('QUEUE.PEEK', 'q');
tell('map in list', message, fields(message).message === 'hello');
[reply] = await send('BLOB.LIST', 'c');
tell('null in list', reply, reply === null);
const found = fields((await send('TABLE.GET', 't', 'p', 'r'))[1]);
tell('int64', found['n:int64'], BigInt(found['n:int64']) === 2n ** 63n - 1n);
tell('double', found['d:double'], Number(found['d:double']) === 0.5);
tell('bool', found['f:bool'], [true, 1].includes(found['f:bool']));
reply = await send('QUEUE.PEEK', 'e');
tell('empty', reply, Array.isArray(reply) && reply.length === 0);
const line = await server.line();
reply = await line.send('QUEUE.GET', 'e', 'BLOCK', 0.2);
tell('wait', reply, Array.isArray(reply) && reply.length === 0);
line.hangUp();
await send('BLOB.GET', 'c', 'none').then(
  () => tell('error', '', false),
  error => console.log(`error\t${refusal(error) === 'NOTFOUND BlobNotFound' ? error.message.split(' ')[0] : 'WRONG'}`),
);

// A time-out that is shorter than BLOCK: the client hangs up, or it gives up and leaves the server to hand the message to nobody.
const hasty = await hastyServer(300);
const waited = await Promise.race([hasty.send('QUEUE.GET', 'h', 'BLOCK', 2).then(() => 'waits', () => 'gave up'), sleep(4000)]);
if (waited === 'gave up') {
  await send('QUEUE.PUT', 'h', 'work');
  await sleep(50);
  console.log(`hasty\t${(await send('QUEUE.PEEK', 'h')).length ? 'hangs up' : 'loses the message'}`);
} else {
  console.log(`hasty\t${waited ?? 'hangs'}`);
}
hasty.hangUp();
done();
process.exit(0);
