// deploy/recipes/node/try-transactions.mjs
// An outbox, transfers in both directions between tables, one that is asked for twice, and one that cannot be; and a step whose worker dies.
import { fields } from './holdfast.mjs';
import { runStep } from './step.mjs';
import { changeAndTell, transfer } from './transactions.mjs';
import { assert, done, fresh, refused, serverToTry } from './trying.mjs';

const server = await serverToTry();
const docs = await fresh(server, 'CONTAINER.CREATE', 'try:docs');
const mail = await fresh(server, 'QUEUE.CREATE', 'try:mail');
for (const table of ['try:east', 'try:west']) await fresh(server, 'TABLE.CREATE', table);

const create = ['BLOB.PUT', docs, 'order-17', 'new', 'IFNONEMATCH', '*'];
const [etag] = await changeAndTell(server, create, mail, 'order 17 is new');
await refused('CONFLICT BlobAlreadyExists', changeAndTell(server, create, mail, 'order 17 is new again'));
const ship = ['BLOB.PUT', docs, 'order-17', 'shipped', 'IFMATCH', etag];
for (let time = 0; time < 3; time++) await changeAndTell(server, ship, mail, 'order 17 is shipped', { token: 'ship-17' });
const mails = await server.send('QUEUE.PEEK', mail, 'COUNT', 10);
assert.deepEqual(mails.map(one => fields(one).message), ['order 17 is new', 'order 17 is shipped']);

const anna = ['try:east', 'bank', 'anna'];
const bob = ['try:west', 'bank', 'bob'];
const journal = ['try:east', 'journal'];
for (const account of [anna, bob]) await server.send('TABLE.INSERT', ...account, 'PROPS', 1, 'coins:int64', 10);
const coins = async account => Number(fields((await server.send('TABLE.GET', ...account))[1])['coins:int64']);
const pay = async (source, target, first) => {
  for (let number = first; number < first + 10; number++) assert.equal(await transfer(server, source, target, journal, 1, number), true);
};
await Promise.all([pay(anna, bob, 0), pay(bob, anna, 10)]);
assert.deepEqual([await coins(anna), await coins(bob)], [10, 10]);
assert.equal(await transfer(server, anna, bob, journal, 1, 3), true); // asked for once more
assert.equal(await transfer(server, anna, bob, journal, 11, 99), false);
assert.equal(await transfer(server, anna, bob, journal, 10, 100), true);
assert.equal(await transfer(server, anna, bob, journal, 10, 100), true); // although there is nothing left
assert.deepEqual([await coins(anna), await coins(bob)], [0, 20]);

// The first worker dies after it has decided, and the second one before it hears that its step was done.
const jobs = await fresh(server, 'QUEUE.CREATE', 'try:jobs');
const line = await server.line();
const count = async message => {
  const [seen, found] = await server.send('TABLE.GET', ...anna);
  const next = BigInt(fields(found)['coins:int64']) + 1n;
  return [['TABLE.MERGE', ...anna, 'IFMATCH', seen, 'PROPS', 1, 'coins:int64', next], ['QUEUE.PUT', mail, message.message]];
};
await server.send('QUEUE.PUT', jobs, 'job 1');
const options = { window: 1, wait: 1.5 };
await assert.rejects(runStep(server, line, jobs, async message => (await count(message), Promise.reject(new Error('dies'))), options));
const deaf = { ...server, send: (...words) => server.send(...words).then(reply => (words[0] === 'HOLDFAST.ATOMIC' ? Promise.reject(new Error('dies')) : reply)) };
await assert.rejects(runStep(deaf, line, jobs, count, { window: 1, wait: 5 }));
assert.equal(await runStep(server, line, jobs, count, options), null);
assert.equal(await coins(anna), 1);
assert.equal((await server.send('QUEUE.PEEK', mail, 'COUNT', 10)).length, 3);
line.hangUp();
done();
