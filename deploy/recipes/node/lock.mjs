// deploy/recipes/node/lock.mjs
// A lock that is waited for in line, renewed in the background, and checked by Redis with every write.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { LONGEST_BLOCK, refusal } from './holdfast.mjs';

export class Lock {
  // const lock = await Lock.take(server, 'infra', 'report'); try { … } finally { await lock.release(); }
  // Without a line to wait on it makes one.
  static async take(server, container, blob, { seconds = 15, wait = LONGEST_BLOCK, owner, line } = {}) {
    const lock = new Lock(server, container, blob, seconds);
    await lock.acquire(owner ?? `${hostname()}:${process.pid}`, wait, line);
    try {
      await lock.renew(); // the answer may have been long on its way: from here on we know when the lease ends
    } catch (error) {
      await lock.release(); // nobody waits for the end of a lease that nobody has
      throw error;
    }
    lock.timer = setInterval(() => lock.keep(), (seconds * 1000) / 3);
    return lock;
  }

  constructor(server, container, blob, seconds) {
    Object.assign(this, { server, container, blob, seconds, ends: 0 });
    this.id = randomUUID(); // proposed by us, so that an ACQUIRE whose answer was lost can be sent again
  }

  send(command, ...words) {
    return this.server.send(command, this.container, ...words, 'BLOB', this.blob);
  }

  async acquire(owner, wait, line) {
    const words = ['LEASE.ACQUIRE', this.container, this.seconds, 'ID', this.id, 'OWNER', owner, 'BLOB', this.blob];
    for (;;) {
      try {
        [, this.token] = await this.server.send(...words);
        return;
      } catch (error) {
        if (refusal(error) === 'NOTFOUND BlobNotFound') await this.makeBlob();
        else if (/^CONFLICT (LeaseAlreadyPresent|ServerRecovering)$/.test(refusal(error)) && wait > 0) break;
        else throw error;
      }
    }
    const own = line ?? (await this.server.line());
    try {
      [, this.token] = await own.send(...words, 'BLOCK', wait);
    } finally {
      if (!line) own.hangUp();
    }
  }

  makeBlob() {
    return this.server.send('BLOB.PUT', this.container, this.blob, '', 'IFNONEMATCH', '*').catch(error => {
      if (!/^CONFLICT BlobAlreadyExists|^PRECONDITION LeaseIdMissing/.test(refusal(error))) throw error;
    });
  }

  async renew() {
    const sent = performance.now();
    await this.send('LEASE.RENEW', this.id);
    this.ends = sent + this.seconds * 1000; // by our clock, and never later than by the server's
  }

  async keep() {
    try {
      await this.renew();
    } catch (error) {
      if (!/^(CONFLICT|NOTFOUND) /.test(refusal(error))) return; // there is time for another attempt
      clearInterval(this.timer);
      this.ends = 0; // broken, or somebody else's by now
    }
  }

  // For what you do elsewhere. Redis itself checks every write that says LEASE.
  held() {
    return performance.now() < this.ends;
  }

  put(content) {
    return this.server.send('BLOB.PUT', this.container, this.blob, content, 'LEASE', this.id);
  }

  async release() {
    clearInterval(this.timer);
    await this.send('LEASE.RELEASE', this.id).catch(() => {}); // there may be nothing left to release
  }
}
