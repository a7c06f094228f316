// deploy/recipes/node/try-leader.mjs
// Two campaign; the second leads as soon as the first steps down, and the follower, who was there before them, hears of both. A third waits through a failover. A fourth loses what it was granted, again and again. What a fifth, or who follows, itself fails with comes through, whatever it looks like.
import { sleep } from './holdfast.mjs';
import { campaign, follow } from './leader.mjs';
import { Lock } from './lock.mjs';
import { assert, done, failOver, fresh, refused, serverToTry } from './trying.mjs';

const server = await serverToTry();
const infra = await fresh(server, 'CONTAINER.CREATE', 'try:infra');
const told = [];
const tokens = [];
const over = [new AbortController(), new AbortController(), new AbortController()];
const lead = own => async lock => {
  tokens.push(lock.token);
  while (told.length < tokens.length) await sleep(10); // each leads until the follower knows
  own.abort();
};
const following = follow(server, infra, name => told.push(name), { signal: over[2].signal });
await sleep(300);
const alice = campaign(server, infra, 'alice', lead(over[0]), { signal: over[0].signal });
while (!tokens.length) await sleep(10);
await Promise.all([alice, campaign(server, infra, 'bob', lead(over[1]), { signal: over[1].signal })]);
over[2].abort();
await following;
assert.deepEqual(told, ['alice', 'bob']);
assert.ok(tokens[0] < tokens[1]);

// The failover comes while all wait, and its grace lasts longer than the candidate waits at a time.
const held = await Lock.take(server, infra, 'leader');
const last = new AbortController();
const { signal } = last;
const heard = [];
const waiting = [
  campaign(server, infra, 'carol', lock => sleep(10000, signal), { signal, wait: 0.5 }),
  follow(server, infra, name => heard.push(name) && name === 'carol' && last.abort(), { signal, wait: 2 }),
];
await failOver(server, 1.5);
await held.release();
await Promise.all(waiting);
assert.deepEqual(heard, ['bob', 'carol']);

// A failover loses the lease right after the answer to one of these commands.
const breakIt = async command => {
  await server.send('LEASE.BREAK', infra, 'PERIOD', 0, 'BLOB', 'leader');
  if (command === 'LEASE.ACQUIRE') await server.send('BLOB.DELETE', infra, 'leader'); // or the blob as well
};
const losing = (inner, commands) => ({
  async send(...words) {
    const reply = await inner.send(...words);
    if (words[0] === commands[0]) await breakIt(commands.shift());
    return reply;
  },
  line: async () => losing(await inner.line(), commands),
  hangUp: () => inner.hangUp(),
});
const end = new AbortController();
const known = [];
const knowing = follow(server, infra, name => known.push(name), { signal: end.signal, wait: 0.5 });
while (!known.length) await sleep(10);
let tried = 0;
const rule = async lock => {
  if (++tried === 1) await breakIt();
  await lock.put('an order');
  while (known.at(-1) !== 'an order') await sleep(10);
  end.abort();
};
await campaign(losing(server, ['LEASE.ACQUIRE', 'LEASE.RENEW']), infra, 'dave', rule, { signal: end.signal, wait: 0.5 });
await knowing;
assert.equal(tried, 2);

tried = 0;
const own = new AbortController();
const fail = () => {
  if (++tried === 2) own.abort(); // it should not be called again
  return server.send('BLOB.GET', infra, 'no such plan');
};
await refused('NOTFOUND BlobNotFound', campaign(server, infra, 'erin', fail, { signal: own.signal, wait: 0.5 }));
assert.equal(tried, 1);
await (await Lock.take(server, infra, 'leader', { wait: 0 })).release(); // nobody waits for the end of her lease
const complain = () => {
  setTimeout(() => own.abort(), 1500);
  throw new Error('connection to the printer refused');
};
await assert.rejects(follow(server, infra, complain, { signal: own.signal, wait: 0.5 }), /printer/);
const retiring = new AbortController();
const failToRetire = () => {
  retiring.abort();
  throw new Error('a mistake');
};
await assert.rejects(campaign(server, infra, 'erin', failToRetire, { signal: retiring.signal, wait: 0.5 }), /mistake/);
done();
