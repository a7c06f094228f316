// deploy/recipes/node/mirror.mjs
// A cache of a container that follows its feed (CONTAINER.FEED container ON): list, then follow, and list anew when the server says
// that something was lost.
import { LONGEST_BLOCK, fields, outlasting, refusal, sleep } from './holdfast.mjs';

async function* names(server, container) {
  for (let marker = []; marker; ) {
    const [more, items] = await server.send('BLOB.LIST', container, ...marker);
    for (const item of items) yield [fields(item).name, fields(item).etag];
    marker = more === null ? null : ['MARKER', more];
  }
}

// The contents by name, and how far the feed was followed. What you keep elsewhere, keep together with the bookmark.
export class Mirror {
  constructor(blobs = [], bookmark = null) {
    this.blobs = new Map(blobs); // name: [ETag, content]
    this.bookmark = bookmark;
  }

  // Lists everything. What is written meanwhile comes again with the feed, since the bookmark is taken first.
  async begin(server, container) {
    const [bookmark] = await server.send('CONTAINER.CHANGES', container, 'SINCE', '$');
    const there = new Map();
    for await (const [name, etag] of names(server, container)) there.set(name, etag);
    for (const name of this.blobs.keys()) if (!there.has(name)) this.blobs.delete(name);
    for (const [name, etag] of there) if (this.blobs.get(name)?.[0] !== etag) await this.fetch(server, container, name);
    this.bookmark = bookmark;
  }

  async fetch(server, container, name) {
    try {
      this.blobs.set(name, await server.send('BLOB.GET', container, name));
    } catch (error) {
      if (refusal(error) !== 'NOTFOUND BlobNotFound') throw error;
      this.blobs.delete(name); // deleted by now, which the feed will tell, too
    }
  }

  // Brings the cache up to date, and waits for a change on the connection of line when there is nothing new.
  async follow(server, line, container, { wait = LONGEST_BLOCK } = {}) {
    try {
      if (this.bookmark === null) await this.begin(server, container);
      const [bookmark, items] = await line.send('CONTAINER.CHANGES', container, 'SINCE', this.bookmark, 'BLOCK', wait);
      for (const item of items.map(fields)) {
        if (item.deleted) this.blobs.delete(item.name);
        else if (!((this.blobs.get(item.name)?.[0] ?? '') >= item.etag)) await this.fetch(server, container, item.name); // ETags grow
      }
      const doubtful = this.doubts(bookmark, items);
      this.bookmark = doubtful ? null : bookmark; // behind what was done: whoever dies before does it once more
    } catch (error) {
      if (refusal(error) === 'CONFLICT FeedBuilding') await sleep(100);
      else if (refusal(error) === 'CONFLICT ChangesLost') this.bookmark = null; // the cache may be wrong: list anew
      else throw error;
    }
  }

  // What was read of blobs may be newer than what pages told, and no bookmark knows it. It may be lost when there is a new epoch, as
  // after a failover, and it is when the feed ends without it.
  doubts(bookmark, items) {
    const ahead = !items.length && [...this.blobs.values()].some(([etag]) => etag > bookmark);
    return ahead || bookmark.slice(0, 10) !== this.bookmark.slice(0, 10);
  }

  // Does so again and again until the signal is aborted.
  keepUp(server, container, { signal, ...options } = {}) {
    return outlasting(server, signal, line => this.follow(server, line, container, options));
  }
}
