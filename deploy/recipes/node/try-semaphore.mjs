// deploy/recipes/node/try-semaphore.mjs
// Six want one of two permits: never more than two are inside, and none is lost.
import { fields, sleep } from './holdfast.mjs';
import { make, withPermit } from './semaphore.mjs';
import { assert, done, serverToTry } from './trying.mjs';

const server = await serverToTry();
await server.send('DEL', 'try:permits');
const made = await Promise.all([1, 2, 3].map(() => make(server, 'try:permits', 2)));
assert.equal(made.filter(Boolean).length, 1);
let inside = 0;
let most = 0;
await Promise.all(
  [1, 2, 3, 4, 5, 6].map(() =>
    withPermit(server, 'try:permits', async permit => {
      assert.ok(permit);
      most = Math.max(most, ++inside);
      await sleep(50);
      inside--;
    }),
  ),
);
assert.equal(most, 2);
assert.equal(Number(fields(await server.send('QUEUE.STAT', 'try:permits')).visible), 2);
await withPermit(server, 'try:permits', () =>
  withPermit(server, 'try:permits', () =>
    withPermit(server, 'try:permits', third => assert.equal(third, null), { wait: 0.1 }),
  ),
);
done();
