// deploy/recipes/node/upload.mjs
// Uploads a file in parts, several at a time; readers see the old content or the new one. It can be resumed.
import { open } from 'node:fs/promises';
import { fields, refusal } from './holdfast.mjs';

// All ids of one blob have the same length. With the upload in them, two uploads do not mix.
export function partId(upload, number) {
  return Buffer.from(upload.padEnd(8).slice(0, 8) + String(number).padStart(8, '0')).toString('base64');
}

// The ids of the parts that wait for their commit. They are kept for a week.
export async function arrived(server, container, blob) {
  try {
    const staged = fields(await server.send('BLOB.GETBLOCKLIST', container, blob, 'UNCOMMITTED'));
    return new Set(staged.uncommitted.map(([id]) => id));
  } catch (error) {
    if (refusal(error) !== 'NOTFOUND BlobNotFound') throw error;
    return new Set();
  }
}

// name: eight characters of this upload, the same when it is resumed. replaces: the ETag of what is to be replaced.
export async function upload(server, container, blob, path, name, { replaces, part = 4 << 20, workers = 4 } = {}) {
  const there = await arrived(server, container, blob);
  const file = await open(path);
  try {
    const parts = Math.ceil((await file.stat()).size / part);
    const missing = [...Array(parts).keys()].filter(number => !there.has(partId(name, number)));
    const send = async () => {
      for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(part), 0, part, number * part);
        await server.send('BLOB.PUTBLOCK', container, blob, partId(name, number), buffer.subarray(0, bytesRead));
      }
    };
    await Promise.all(Array.from({ length: workers }, send));
    const blocks = [...Array(parts).keys()].flatMap(number => ['UNCOMMITTED', partId(name, number)]);
    const condition = replaces ? ['IFMATCH', replaces] : ['IFNONEMATCH', '*'];
    return await server.send('BLOB.PUTBLOCKLIST', container, blob, parts, ...blocks, ...condition);
  } finally {
    await file.close();
  }
}
