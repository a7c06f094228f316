// deploy/recipes/node/try-readers.mjs
// Readers side by side, a writer alone; a session that dies leaves nothing behind.
import { Session } from './readers.mjs';
import { assert, done, fresh, refused, serverToTry } from './trying.mjs';

const server = await serverToTry();
const share = await fresh(server, 'SHARE.CREATE', 'try:work');
const anna = await Session.begin(server, share);
const bob = await Session.begin(server, share);
await anna.writing('prices', async file => {
  await file.replace('lamp 9.50');
  await refused('CONFLICT SharingViolation', bob.reading('prices', () => {}, 0.1));
});
await anna.reading('prices', one =>
  bob.reading('prices', async other => {
    assert.equal(await one.read(), 'lamp 9.50');
    assert.equal(await other.read(), 'lamp 9.50');
    await refused('CONFLICT SharingViolation', bob.writing('prices', () => {}, 0.1));
  }),
);
await bob.writing('prices', file => file.replace('lamp 8'));

const dies = await Session.begin(server, share, 1);
clearInterval(dies.timer); // no PING any more
const held = dies.writing('prices', () => new Promise(resolve => setTimeout(resolve, 2000)));
await anna.writing('prices', async file => assert.equal(await file.read(), 'lamp 8'), 5);
await held;
await Promise.all([anna.end(), bob.end()]);
done();
