// deploy/recipes/node/clusters.mjs
// Clients of a cluster, and of a primary that Sentinels name, for all other recipes: node-redis 4 to 6 (Sentinel: 6), ioredis 5 and 6.
// ioredis with `sentinels` needs nothing of its own: ofIoredis in holdfast.mjs.
import { word } from './holdfast.mjs';

// The key that says where a command belongs. It comes first; in HOLDFAST.ATOMIC (count, words, command, key, …) behind the name of the
// first command. Those about the server itself have none, and go to any node.
export function keyOf(name, ...words) {
  if (/^HOLDFAST\.ATOMIC$/i.test(name)) return word(words[3]);
  return /^HOLDFAST\./i.test(name) ? undefined : word(words[0]);
}

// What a connection of its own for waiting changes: no time-out, and what breaks stays broken.
const patient = (options = {}) => ({ ...options, socket: { ...options.socket, socketTimeout: undefined, reconnectStrategy: false } });

async function opened(client) {
  client.on('error', () => {}); // whoever waits is told by the rejected command
  await client.connect();
  return client;
}

const hangUp = client => (client.destroy ? client.destroy() : client.disconnect().catch(() => {}));

// options: what createCluster got.
export function ofNodeRedisCluster(cluster, options = {}) {
  const own = () => cluster.duplicate({ minimizeConnections: true, defaults: patient(options.defaults) });
  return {
    send: (...words) => cluster.sendCommand(keyOf(...words), false, words.map(word)),
    line: async () => ofNodeRedisCluster(await opened(own()), options),
    hangUp: () => hangUp(cluster),
  };
}

// options: what createSentinel got. With maxCommandRediscovers: 0 nothing is sent again that may have been done.
export function ofNodeRedisSentinel(sentinel, options = {}) {
  const own = () => sentinel.duplicate({ maxCommandRediscovers: 0, nodeClientOptions: patient(options.nodeClientOptions) });
  return {
    send: (...words) => sentinel.sendCommand(false, words.map(word)),
    line: async () => ofNodeRedisSentinel(await opened(own()), options),
    hangUp: () => hangUp(sentinel),
  };
}

// Command is that of ioredis. It does not know where our commands have their keys, and would send them to any node first.
export function ofIoredisCluster(cluster, Command) {
  cluster.options.retryDelayOnFailover = 0; // nothing is sent again that may have been done
  return {
    send(name, ...words) {
      const command = new Command(name, words.map(word), { replyEncoding: 'utf8' });
      const key = keyOf(name, ...words);
      command.getKeys = () => (key === undefined ? [] : [key]);
      return cluster.sendCommand(command);
    },
    async line() {
      const redisOptions = { commandTimeout: undefined, socketTimeout: undefined };
      const own = cluster.duplicate([], { redisOptions, clusterRetryStrategy: () => null });
      own.on('error', () => {});
      return ofIoredisCluster(own, Command);
    },
    hangUp: () => cluster.disconnect(),
  };
}
