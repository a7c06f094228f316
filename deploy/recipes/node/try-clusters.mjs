// deploy/recipes/node/try-clusters.mjs
// A cluster of two nodes, and a Sentinel: commands find their node at once, bytes stay bytes, whoever waits has a connection of its own, and that a slot is on its way passes.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyOf, ofIoredisCluster, ofNodeRedisCluster, ofNodeRedisSentinel } from './clusters.mjs';
import { fields, ofIoredis, passes, sleep } from './holdfast.mjs';
import { atomic, transfer } from './transactions.mjs';
import { assert, done, find, refused } from './trying.mjs';
import { work } from './worker.mjs';

assert.equal(keyOf('BLOB.GET', 'docs', 'plan'), 'docs');
assert.equal(keyOf('HOLDFAST.ATOMIC', 2, 3, 'QUEUE.PUT', 'jobs', 'x', 3, 'BLOB.GET', 'docs', 'plan'), 'jobs');
assert.equal(keyOf('HOLDFAST.DOCTOR'), undefined);

const { CLIENT = 'redis', PORT = '6379', RESP = '' } = process.env;
if (CLIENT === 'glide') process.exit(0); // finds the node by itself

// Servers of its own, with the module of the one that there is.
const ask = (port, ...words) => spawnSync('redis-cli', ['-p', port, ...words], { encoding: 'utf8' }).stdout;
const program = process.env.HOLDFAST_SERVER || 'redis-server';
const module = /\S+holdfast\S*\.so/.exec(ask(PORT, 'MODULE', 'LIST'))[0];
const folder = mkdtempSync(join(tmpdir(), 'try-clusters-'));
const running = [];
process.on('exit', () => (running.forEach(one => one.kill('SIGKILL')), rmSync(folder, { recursive: true, force: true })));

// words: what is behind the name of the program, for this port. Another one, if it is somebody else's.
async function start(words) {
  for (;;) {
    const port = 20000 + Math.floor(Math.random() * 20000);
    const server = spawn(program, words(port), { cwd: folder, stdio: 'ignore' });
    running.push(server);
    for (; server.exitCode === null; await sleep(50)) if (ask(port, 'INFO', 'server').includes(`process_id:${server.pid}\r`)) return port;
  }
}

async function startCluster() {
  const settings = ['--bind', '127.0.0.1', '--save', '', '--loadmodule', module, '--cluster-enabled', 'yes'];
  const node = () => start(port => ['--port', port, ...settings, '--cluster-config-file', `${port}.conf`]);
  const ports = [await node(), await node()];
  ask(ports[0], 'CLUSTER', 'ADDSLOTSRANGE', 0, 8000);
  ask(ports[1], 'CLUSTER', 'ADDSLOTSRANGE', 8001, 16383);
  ask(ports[1], 'CLUSTER', 'SET-CONFIG-EPOCH', 2);
  ask(ports[0], 'CLUSTER', 'MEET', '127.0.0.1', ports[1]);
  const knowsAll = port => /cluster_state:ok/.test(ask(port, 'CLUSTER', 'INFO')) && /8001-16383/.test(ask(port, 'CLUSTER', 'NODES'));
  for (const port of ports) while (!knowsAll(port)) await sleep(50);
  return ports;
}

function startSentinel() {
  return start(port => {
    const file = join(folder, `sentinel-${port}.conf`);
    writeFileSync(file, `port ${port}\nbind 127.0.0.1\nsentinel monitor holdfast 127.0.0.1 ${PORT} 1\n`);
    return [file, '--sentinel'];
  });
}

const protocol = RESP ? { RESP: Number(RESP) } : {};
const told = client => client.on('error', error => console.error(error.message));

async function serverOfCluster(ports) {
  const library = (await find(CLIENT)).default;
  if (CLIENT === 'ioredis') return ofIoredisCluster(told(new library.Cluster([{ host: '127.0.0.1', port: ports[0] }])), library.Command);
  const options = { rootNodes: [{ url: `redis://127.0.0.1:${ports[0]}` }], ...protocol };
  const cluster = told(library.createCluster(options));
  await cluster.connect();
  return ofNodeRedisCluster(cluster, options);
}

async function serverOfSentinel(port) {
  const library = (await find(CLIENT)).default;
  if (CLIENT === 'ioredis') return ofIoredis(told(new library.Redis({ name: 'holdfast', sentinels: [{ host: '127.0.0.1', port }] })));
  const sentinelRootNodes = [{ host: '127.0.0.1', port }];
  const options = { name: 'holdfast', sentinelRootNodes, maxCommandRediscovers: 0, ...protocol };
  return ofNodeRedisSentinel(await told(library.createSentinel(options)).connect(), options);
}

async function tryAll(server, tag) {
  const [docs, bank, jobs] = ['docs', 'bank', 'jobs'].map(name => `try:{${tag}}:${name}`);
  for (const key of [docs, bank, jobs, `${jobs}:later`]) await server.send('DEL', key);
  await server.send('CONTAINER.CREATE', docs);
  await server.send('TABLE.CREATE', bank);
  for (const queue of [jobs, `${jobs}:later`]) await server.send('QUEUE.CREATE', queue);
  await server.send('BLOB.PUT', docs, 'bytes', Buffer.from([0xff, 0xfe, 0]));
  assert.equal(fields(await server.send('BLOB.STAT', docs, 'bytes'))['content-length'], 3);
  for (const row of ['anna', 'bob']) await server.send('TABLE.INSERT', bank, 'p', row, 'PROPS', 1, 'coins:int64', 10);
  assert.equal(await transfer(server, [bank, 'p', 'anna'], [bank, 'p', 'bob'], [bank, 'journal'], 3, 1), true);
  assert.equal((await atomic(server, [['QUEUE.PUT', jobs, 'job'], ['BLOB.GET', docs, 'bytes']])).length, 2);
  assert.ok((await server.send('HOLDFAST.HELP', 'QUEUE.GET')).length > 0);

  const line = await server.line(); // does not keep the others waiting
  const waiting = line.send('QUEUE.GET', `${jobs}:later`, 'BLOCK', 20).catch(error => error);
  const stop = new AbortController();
  const handled = [];
  await work(server, jobs, message => (handled.push(message.message), stop.abort()), { signal: stop.signal, wait: 5 });
  assert.deepEqual(handled, ['job']);
  line.hangUp();
  await waiting;
}

// One of two keys is at the new node of their slot already. That passes by itself.
async function tryWhileMoving(server) {
  const both = [['QUEUE.PUT', 'try:{a}:jobs', 'job'], ['BLOB.GET', 'try:{a}:docs', 'bytes']];
  const slot = ask(ports[0], 'CLUSTER', 'KEYSLOT', 'try:{a}:jobs').trim();
  const id = port => ask(port, 'CLUSTER', 'MYID').trim();
  const [from, to] = ask(ports[0], 'CLUSTER', 'COUNTKEYSINSLOT', slot).trim() === '0' ? [ports[1], ports[0]] : ports;
  ask(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', id(from));
  ask(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', id(to));
  ask(from, 'MIGRATE', '127.0.0.1', String(to), 'try:{a}:docs', '0', '5000');
  await assert.rejects(atomic(server, both), error => passes(error) || assert.fail(error.stack));
}

const ports = await startCluster();
const cluster = await serverOfCluster(ports);
for (const tag of ['a', 'b', 'c', 'd']) await tryAll(cluster, tag); // slots of both nodes
await refused('CROSSSLOT Keys', atomic(cluster, [['QUEUE.PUT', 'try:{a}:jobs', 'job'], ['BLOB.PUT', 'try:{b}:docs', 'x', 'y']]));
for (const port of ports) assert.doesNotMatch(ask(port, 'INFO', 'errorstats'), /MOVED/);
await tryWhileMoving(cluster);
cluster.hangUp();

if (!/^redis[45]$/.test(CLIENT)) {
  const sentinel = await serverOfSentinel(await startSentinel());
  await tryAll(sentinel, 's');
  sentinel.hangUp();
}
done();
process.exit(0);
