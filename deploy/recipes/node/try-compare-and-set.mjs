// deploy/recipes/node/try-compare-and-set.mjs
// Four writers add to one number, 25 times each: nothing is lost.
import { update } from './compare-and-set.mjs';
import { assert, done, fresh, serverToTry } from './trying.mjs';

const server = await serverToTry();
const docs = await fresh(server, 'CONTAINER.CREATE', 'try:docs');
const add = async () => {
  for (let time = 0; time < 25; time++) await update(server, docs, 'visits', old => String(Number(old ?? 0) + 1));
};
await Promise.all([add(), add(), add(), add()]);
assert.equal((await server.send('BLOB.GET', docs, 'visits'))[1], '100');
done();
