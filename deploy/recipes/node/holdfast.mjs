// deploy/recipes/node/holdfast.mjs
// What the other recipes share: one way to send, whatever the client. For node-redis 4 to 6, ioredis 5 and 6, valkey-glide 2;
// clusters.mjs has the same for clusters and for Sentinel.
// Contents are text here; for bytes let the client answer Buffers.

export const LONGEST_BLOCK = 20; // seconds: what the recipes wait at most in one command

export const word = value => (typeof value === 'string' || Buffer.isBuffer(value) ? value : String(value));

// A command that waits keeps all else on its connection waiting: line() opens a connection of its own, without the
// timeouts that would forget the answer while the server goes on holding our place. hangUp() ends a wait at once. A line that
// breaks stays broken, and its command is rejected.

export function ofNodeRedis(client) {
  return {
    send: (...words) => client.sendCommand(words.map(word)),
    async line() {
      const socket = { ...client.options?.socket, socketTimeout: undefined, reconnectStrategy: false };
      const own = client.duplicate({ socket, commandOptions: undefined });
      own.on('error', () => {}); // whoever waits is told by the rejected command
      await own.connect();
      return ofNodeRedis(own);
    },
    hangUp() {
      if (client.isOpen) client.destroy ? client.destroy() : client.disconnect().catch(() => {});
    },
  };
}

export function ofIoredis(client) {
  client.options.maxRetriesPerRequest = 0; // or it sends again what broke off, and may have been done
  return {
    send: (name, ...words) => client.call(name, ...words.map(word)),
    async line() {
      const own = client.duplicate({ commandTimeout: undefined, socketTimeout: undefined, retryStrategy: null });
      own.on('error', () => {});
      return ofIoredis(own);
    },
    hangUp: () => client.disconnect(),
  };
}

// connect(options) makes a client with these options beside your own. A client that is closed while it waits keeps its
// connection, and its place at the server, until the answer comes; so hangUp() has the server end the wait first. Without
// ERROR some servers end themselves if a pause, as in a failover, holds the call back.
export function ofGlide(client, connect) {
  const send = (...words) => client.customCommand(words.map(word));
  return {
    send,
    async line() {
      const own = await connect({ requestTimeout: (LONGEST_BLOCK + 10) * 1000 });
      const id = await own.customCommand(['CLIENT', 'ID']);
      const hangUp = () => send('CLIENT', 'UNBLOCK', id, 'ERROR').then(() => own.close(), () => own.close());
      return { ...ofGlide(own, connect), hangUp };
    },
    hangUp: () => client.close(),
  };
}

// A map as an object: a flat list of names and values (RESP2), an object or a Map (RESP3), or pairs (valkey-glide).
export function fields(reply) {
  if (reply instanceof Map) return Object.fromEntries(reply);
  if (!Array.isArray(reply)) return { ...reply };
  if (reply[0]?.key !== undefined) return Object.fromEntries(reply.map(({ key, value }) => [key, value]));
  return Object.fromEntries(reply.flatMap((name, at) => (at % 2 ? [] : [[name, reply[at + 1]]])));
}

// The class and the code of an error: 'CONFLICT LeaseAlreadyPresent'. For some errors of Redis's own valkey-glide has other words, such
// as ReadOnly.
const beginning = /^(?:\[.*?\] |An error was signalled by the server: - )?(\w+):? (\w+)/;

export function refusal(error) {
  const found = beginning.exec(error?.message ?? '');
  return found ? `${found[1]} ${found[2]}` : '';
}

// What Redis answers begins with a class; what a client says does not.
const isAnswer = error => /^[A-Z]+ /.test(refusal(error)) || /^An error was signalled/.test(error?.message);

// Whether it passes by itself: a failover, the grace after it, a server that loads, is busy with a script, or cannot save now; a broken
// connection, or none to be had.
const again =
  /^((UNBLOCKED|READONLY|LOADING|BUSYLOADINGERROR|NOREPLICAS|MASTERDOWN|TRYAGAIN|CLUSTERDOWN|BUSY|MISCONF) |CONFLICT ServerRecovering$)/i;
const broken =
  /socket|stream|connect|clos(ed|ing)|timed? ?out|max retries|nodes (is|are) (un)?available|unreachable|valid master|slots cache|redirections|\bE(CONN|PIPE|HOST|NET|AI_)/i;

export function passes(error) {
  if (error instanceof TypeError) return false; // a mistake in a program, whatever it names
  return again.test(refusal(error)) || (!isAnswer(error) && broken.test(`${error?.code} ${error?.message}`));
}

// What a function of the caller's failed with ends a loop, whatever it looks like. (An AbortError only tells of the signal.)
class OfCaller {
  constructor(error) {
    this.error = error;
  }
}

export const ofCaller = error => (error?.name === 'AbortError' ? error : new OfCaller(error));

export async function calling(work) {
  try {
    await work();
  } catch (error) {
    throw ofCaller(error);
  }
}

// For a loop that is to run for ever: calls round(line) again and again, on a line of its own, until the signal is aborted, or until
// a round answers something. What passes by itself does not end the loop, but is waited out; a round has calling() call what is not of
// the recipe.
export async function outlasting(server, signal, round) {
  while (!signal?.aborted) {
    let line;
    const hangUp = () => (line?.hangUp(), (line = null)); // once
    signal?.addEventListener('abort', hangUp);
    try {
      line = await server.line();
      for (let answer; !signal?.aborted; ) if ((answer = await round(line)) !== undefined) return answer;
    } catch (error) {
      if (error instanceof OfCaller) throw error.error;
      if (!signal?.aborted && !passes(error)) throw error;
      await sleep(1000, signal);
    } finally {
      signal?.removeEventListener('abort', hangUp);
      hangUp();
    }
  }
}

export const sleep = (ms, signal) =>
  new Promise(done => {
    if (signal?.aborted) return done();
    const end = () => (clearTimeout(timer), signal?.removeEventListener('abort', end), done());
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

// Somebody was quicker: a random time, longer with each attempt, so that writers do not collide in step.
export const pause = attempt => sleep(Math.random() * Math.min(2 * attempt, 100));
