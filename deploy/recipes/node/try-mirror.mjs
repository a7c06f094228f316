// deploy/recipes/node/try-mirror.mjs
// A follower that is killed and goes on from its bookmark, one that missed too many deletions; and a configuration that reloads itself. Both outlast a failover, also one that loses what was read.
import { watch } from './config.mjs';
import { fields, sleep } from './holdfast.mjs';
import { Mirror } from './mirror.mjs';
import { assert, done, failOver, fresh, serverToTry } from './trying.mjs';

const server = await serverToTry();
const docs = await fresh(server, 'CONTAINER.CREATE', 'try:docs');
await server.send('CONTAINER.FEED', docs, 'ON', 'KEEP', 5);
const put = (name, content) => server.send('BLOB.PUT', docs, name, content);
const remove = name => server.send('BLOB.DELETE', docs, name);
async function there() {
  const [, items] = await server.send('BLOB.LIST', docs);
  const all = items.map(item => fields(item).name);
  return Object.fromEntries(await Promise.all(all.map(async name => [name, (await server.send('BLOB.GET', docs, name))[1]])));
}
const seen = mirror => Object.fromEntries([...mirror.blobs].map(([name, [, content]]) => [name, content]));

for (let number = 0; number < 20; number++) await put(`old ${number}`, String(number));
const line = await server.line();
const mirror = new Mirror();
await mirror.follow(server, line, docs, { wait: 0.01 });
assert.deepEqual(seen(mirror), await there());
await put('old 3', 'changed');
await remove('old 4');
await mirror.follow(server, line, docs);
assert.deepEqual(seen(mirror), await there());

// Killed in the middle of a page: what it kept is half of it, with the bookmark from before.
let fetched = 0;
mirror.fetch = (...words) => (fetched++ ? Promise.reject(new Error('killed')) : Mirror.prototype.fetch.apply(mirror, words));
await put('a', '1');
await put('b', '1');
await assert.rejects(mirror.follow(server, line, docs));
const kept = new Mirror(mirror.blobs, mirror.bookmark);
await kept.follow(server, line, docs);
assert.deepEqual(seen(kept), await there());

for (let number = 5; number < 15; number++) await remove(`old ${number}`); // more than the feed remembers
await kept.follow(server, line, docs, { wait: 0.01 });
assert.equal(kept.bookmark, null);
await kept.follow(server, line, docs, { wait: 0.01 });
assert.deepEqual(seen(kept), await there());
line.hangUp();
const last = new AbortController();
const following = kept.keepUp(server, docs, { signal: last.signal });
await failOver(server);
await put('after', '1');
for (let time = 0; !kept.blobs.has('after') && time < 500; time++) await sleep(10);
last.abort();
await following;
assert.deepEqual(seen(kept), await there());

// A failover loses what was read when no page had told of it yet. Whether anything is written afterwards or not, that is noticed.
const own = await server.line();
for (const after of [[], ['later']]) {
  await kept.follow(server, own, docs, { wait: 0.01 });
  kept.blobs.set('a', [kept.bookmark.slice(0, 10) + 'FFFFFFFF', 'what is lost']);
  await failOver(server);
  for (const name of after) await put(name, '1');
  for (let time = 0; time < 2; time++) await kept.follow(server, own, docs, { wait: 0.01 });
  assert.deepEqual(seen(kept), await there());
}
own.hangUp();

const told = [];
const over = new AbortController();
await put('config', 'one');
const watching = watch(server, docs, 'config', content => {
  told.push(content);
  if (content === 'wrong') throw new Error('refused');
}, { signal: over.signal });
const until = async count => {
  for (let time = 0; told.length < count && time < 500; time++) await sleep(10);
};
await until(1);
await put('config', 'wrong');
await until(2);
await remove('config');
await until(3);
await put('config', 'two');
await until(4);
await failOver(server);
await put('config', 'three');
await until(5);
assert.deepEqual(told, ['one', 'wrong', null, 'two', 'three']);
over.abort();
await watching;
done();
