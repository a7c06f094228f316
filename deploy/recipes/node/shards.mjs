// deploy/recipes/node/shards.mjs
// One large container, queue or table, cut into many: each part is a key of its own, and a cluster spreads the parts over its nodes.
import { createHash } from 'node:crypto';
import { fields } from './holdfast.mjs';

// `docs` in 64 parts: {docs:0} to {docs:63}. Take many more parts than there will ever be nodes, since the number stays: with
// another one, things would be looked for where they are not.
export class Shards {
  constructor(name, count = 64) {
    this.name = name;
    this.count = count;
  }

  part = (number, more = '') => `{${this.name}:${number}}${more}`;

  // The part in which a thing belongs: a blob by its name, an entity by its partition key, a message by its group. What has to
  // change together takes the same thing and another end: {docs:7}, {docs:7}:mail.
  key(thing, more = '') {
    const digest = createHash('sha256').update(thing).digest();
    return this.part(digest.readUInt32BE(0) % this.count, more);
  }

  keys = (more = '') => Array.from({ length: this.count }, (_, number) => this.part(number, more));
}

// The blobs of one part, in the order of their names.
export async function* blobs(server, key, ...options) {
  for (let marker = null; ; ) {
    const more = marker === null ? [] : ['MARKER', marker];
    const [following, items] = await server.send('BLOB.LIST', key, ...options, ...more);
    for (const item of items) yield fields(item);
    if (following === null) return;
    marker = following;
  }
}

const inOrder = (one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name));

// Those of all parts, in the order of their names. Each part is read at another moment.
export async function* allBlobs(server, shards, ...options) {
  const parts = shards.keys().map(key => blobs(server, key, ...options));
  const heads = await Promise.all(parts.map(part => part.next()));
  for (;;) {
    let first = -1;
    heads.forEach((head, at) => {
      if (!head.done && (first < 0 || inOrder(head.value, heads[first].value) < 0)) first = at;
    });
    if (first < 0) return;
    yield heads[first].value;
    heads[first] = await parts[first].next();
  }
}

// One message, with the key of its part, or null. A worker waits at its home, on a line of its own; before, it looks whether there
// is work elsewhere, beginning anywhere. With at least as many workers as parts, each at a home of its own, waiting alone will do.
export async function take(server, line, shards, home, { visibility = 30, wait = 1 } = {}) {
  const start = Math.floor(Math.random() * shards.count);
  for (let step = 0; step < shards.count; step++) {
    const key = shards.part((start + step) % shards.count);
    const [message] = await server.send('QUEUE.GET', key, 'VISIBILITY', visibility);
    if (message) return { key, message: fields(message) };
  }
  const [message] = await line.send('QUEUE.GET', shards.part(home), 'VISIBILITY', visibility, 'BLOCK', wait);
  return message ? { key: shards.part(home), message: fields(message) } : null;
}
