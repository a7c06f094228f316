// deploy/recipes/node/trying.mjs
// What the programs try-*.mjs share. CLIENT: redis, redis4, redis5, ioredis or glide, installed in the folder CLIENTS.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ofGlide, ofIoredis, ofNodeRedis, refusal, sleep } from './holdfast.mjs';

const { CLIENT = 'redis', CLIENTS = '.', PORT = '6379', RESP = '' } = process.env;
export const find = name => import(pathToFileURL(createRequire(`${CLIENTS}/`).resolve(name)));
const opened = [];

async function nodeRedis(name, options = {}, port = PORT) {
  const { createClient } = (await find(name)).default;
  const client = createClient({ url: `redis://127.0.0.1:${port}`, ...(RESP ? { RESP: Number(RESP) } : {}), ...options });
  client.on('error', error => console.error(error.message));
  await client.connect();
  return ofNodeRedis(client);
}

async function ioredis(options = {}, port = PORT) {
  const { Redis } = (await find('ioredis')).default;
  const client = new Redis(Number(port), '127.0.0.1', {
    commandTimeout: 1000, // as an application may have it; a line of its own goes without
    ...(RESP ? { protocol: Number(RESP) } : {}),
    ...options,
  });
  client.on('error', error => console.error(error.message));
  return ofIoredis(client);
}

async function glide(own = {}, port = PORT) {
  const { GlideClient, ProtocolVersion } = (await find('@valkey/valkey-glide')).default;
  const protocol = RESP === '2' ? ProtocolVersion.RESP2 : ProtocolVersion.RESP3;
  const connect = options =>
    GlideClient.createClient({ addresses: [{ host: '127.0.0.1', port: Number(port) }], protocol, requestTimeout: 2000, ...options });
  return ofGlide(await connect(own), connect);
}

export async function serverToTry(port) {
  const make = { ioredis, glide }[CLIENT] ?? ((options, port) => nodeRedis(CLIENT, options, port));
  const server = await make({}, port);
  opened.push(server);
  return server;
}

// One that is less patient than BLOCK, by the option that its users would set.
export function hastyServer(ms) {
  if (CLIENT === 'ioredis') return ioredis({ commandTimeout: ms });
  if (CLIENT === 'glide') return glide({ requestTimeout: ms });
  return nodeRedis(CLIENT, { socket: { port: Number(PORT), socketTimeout: ms, reconnectStrategy: false }, url: undefined });
}

export async function fresh(server, command, key, ...words) {
  await server.send('DEL', key);
  await server.send(command, key, ...words);
  return key;
}

export async function refused(code, promise) {
  await assert.rejects(promise, error => refusal(error) === code || assert.fail(`${code} expected: ${error.stack}`));
}

// What a planned failover is to clients: waiters are sent away, and the server is a replica for a moment, then a primary in grace.
export async function failOver(server, grace = 0) {
  await sleep(300); // by then all wait
  await server.send('CONFIG', 'SET', 'holdfast.grace-seconds', grace);
  await server.send('REPLICAOF', '127.0.0.1', 1);
  await sleep(200);
  await server.send('REPLICAOF', 'NO', 'ONE');
}

export function done() {
  for (const server of opened) server.hangUp();
}

export { assert };
