/** What nobody foresaw: the whole of it into the log, and an id to the client. */
import { randomUUID } from 'node:crypto';
import type { Conceal } from './graphql/refusal.ts';
import type { Log } from './log.ts';

export function createConceal(log: Pick<Log, 'error'>, newId: () => string = randomUUID): Conceal {
  return (thrown) => {
    const id = newId();
    log.error({ id, err: thrown }, 'unexpected failure');
    return id;
  };
}
