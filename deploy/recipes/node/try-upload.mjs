// deploy/recipes/node/try-upload.mjs
// An upload that breaks off and is resumed, and one that comes too late.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { assert, done, fresh, refused, serverToTry } from './trying.mjs';
import { arrived, partId, upload } from './upload.mjs';

const server = await serverToTry();
const docs = await fresh(server, 'CONTAINER.CREATE', 'try:docs');
const folder = await mkdtemp(`${tmpdir()}/try-`);
const content = randomUUID().repeat(300);
await writeFile(`${folder}/film`, content);
assert.equal((await arrived(server, docs, 'film')).size, 0);
await server.send('BLOB.PUTBLOCK', docs, 'film', partId('upload-1', 0), content.slice(0, 4096));
assert.equal((await arrived(server, docs, 'film')).size, 1);
const send = (name, options) => upload(server, docs, 'film', `${folder}/film`, name, { part: 4096, ...options });
const etag = await send('upload-1');
assert.equal((await server.send('BLOB.GET', docs, 'film'))[1], content);
await refused('CONFLICT BlobAlreadyExists', send('upload-2'));
assert.ok((await send('upload-3', { replaces: etag })) > etag);
await refused('PRECONDITION ConditionNotMet', send('upload-4', { replaces: etag }));
await rm(folder, { recursive: true });
done();
