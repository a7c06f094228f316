// deploy/recipes/node/readers.mjs
// Readers and writers: many read a file at once, or one writes it. All that a process has open ends with its session.
import { hostname } from 'node:os';
import { LONGEST_BLOCK, fields, refusal } from './holdfast.mjs';

const PIECE = 4 << 20; // what one command writes at most
const OTHERS_READ = ['ACCESS', 1, 'READ', 'SHARE', 1, 'READ'];
const ALONE = ['ACCESS', 2, 'READ', 'WRITE', 'SHARE', 1, 'NONE', 'DISPOSITION', 'OPENIF'];

export class Session {
  // seconds: what others wait at most when this process dies
  static async begin(server, share, seconds = 15) {
    const session = new Session();
    Object.assign(session, { server, share, over: false });
    session.id = await session.send('SHARE.CONNECT', seconds, 'OWNER', `${hostname()}:${process.pid}`);
    session.timer = setInterval(() => session.keep(), (seconds * 1000) / 3);
    return session;
  }

  send(command, ...words) {
    return this.server.send(command, this.share, ...words);
  }

  async keep() {
    await this.send('SHARE.PING', this.id).catch(error => {
      if (!refusal(error).startsWith('NOTFOUND ')) return; // there is time for another attempt
      this.over = true; // all that it had open and locked is gone
      clearInterval(this.timer);
    });
  }

  // Others may read meanwhile, and nobody writes.
  reading(path, work, wait = LONGEST_BLOCK) {
    return this.opened(path, OTHERS_READ, work, wait);
  }

  // Nobody else has the file open meanwhile. It is made if it is not there.
  writing(path, work, wait = LONGEST_BLOCK) {
    return this.opened(path, ALONE, work, wait);
  }

  async opened(path, how, work, wait) {
    const line = await this.server.line();
    let opened;
    try {
      opened = fields(await line.send('FILE.OPEN', this.share, this.id, path, ...how, 'BLOCK', wait));
    } finally {
      line.hangUp();
    }
    try {
      return await work(new File(this, opened.handle));
    } finally {
      await this.send('FILE.CLOSE', opened.handle).catch(() => {}); // what is lost is closed, or will be
    }
  }

  async end() {
    this.over = true;
    clearInterval(this.timer);
    await this.send('SHARE.DISCONNECT', this.id).catch(() => {});
  }
}

class File {
  constructor(session, handle) {
    Object.assign(this, { session, handle });
  }

  // The text of a file of one piece; ask for more with greater offsets.
  read(offset = 0) {
    return this.session.send('FILE.READ', this.handle, offset, PIECE);
  }

  async replace(text) {
    const content = Buffer.from(text);
    for (let start = 0; start < content.length; start += PIECE) {
      await this.session.send('FILE.WRITE', this.handle, start, content.subarray(start, start + PIECE));
    }
    await this.session.send('FILE.TRUNCATE', this.handle, content.length);
  }
}
