// deploy/recipes/node/transactions.mjs
// Several commands as one: all of them happen, or none. In a cluster their keys share a slot: orders{7}, mail{7}.
import { fields, pause, refusal } from './holdfast.mjs';

// commands: each an array of words. Answers the replies, in order.
export function atomic(server, commands, { token } = {}) {
  const words = commands.flatMap(command => [command.length, ...command]);
  return server.send('HOLDFAST.ATOMIC', commands.length, ...words, ...(token ? ['ONCE', token] : []));
}

// An outbox: the message is in the queue if the change has happened, and only then.
export function changeAndTell(server, change, queue, text, options) {
  return atomic(server, [change, ['QUEUE.PUT', queue, text]], options);
}

const coins = amount => ['PROPS', 1, 'coins:int64', amount];

// Moves coins from one account to another: source and target are [table, partition, row], wherever they are. The line in the
// journal, [table, partition], makes the transfer happen once, however often it is asked for. False when there are too few coins.
export async function transfer(server, source, target, journal, amount, number, attempts = 100) {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const read = async account => {
      const [etag, found] = await server.send('TABLE.GET', ...account);
      return [etag, BigInt(fields(found)['coins:int64'])];
    };
    const [fromEtag, giver] = await read(source);
    const [toEtag, taker] = await read(target);
    const line = [...journal, `transfer-${number}`];
    const enough = giver >= BigInt(amount);
    const commands = enough
      ? [
          ['TABLE.INSERT', ...line, ...coins(amount)],
          ['TABLE.MERGE', ...source, 'IFMATCH', fromEtag, ...coins(giver - BigInt(amount))],
          ['TABLE.MERGE', ...target, 'IFMATCH', toEtag, ...coins(taker + BigInt(amount))],
        ]
      : [['TABLE.GET', ...line]]; // has it happened before?
    try {
      await atomic(server, commands);
      return true;
    } catch (error) {
      if (refusal(error) === 'CONFLICT EntityAlreadyExists') return true; // it has happened before
      if (refusal(error) === 'NOTFOUND ResourceNotFound' && !enough) return false;
      if (refusal(error) !== 'PRECONDITION UpdateConditionNotSatisfied') throw error;
    }
    await pause(attempt);
  }
  throw new Error(`${source} ${target}: others kept changing the accounts`);
}
