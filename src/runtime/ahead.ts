/** Has each new snapshot's events read ahead, beside the requests that it answers already. */
import type { Logger } from 'pino';
import { messageOf } from '../calendar/errors.ts';
import { readAhead } from '../serve/query/ahead.ts';
import type { Keeper } from '../snapshot/keeper.ts';
import type { Snapshot } from '../snapshot/open.ts';

export interface AheadOptions {
  readonly keeper: Pick<Keeper, 'pin' | 'state' | 'onSwap'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly isStopping: () => boolean;
}

export function keepAhead({ keeper, log, clock, isStopping }: AheadOptions): void {
  const follow = async (snapshot: Snapshot) => {
    const isWanted = () => keeper.state().current === snapshot && !isStopping();
    if (!isWanted()) return;
    const pin = keeper.pin();
    try {
      await readAhead(snapshot, Math.floor(clock() / 1_000), isWanted);
    } catch (cause) {
      // Requests read for themselves, and say so when they cannot.
      log.warn({ reason: messageOf(cause), id: snapshot.id }, 'events not read ahead');
    } finally {
      pin.release();
    }
  };
  keeper.onSwap((snapshot) => void follow(snapshot));
  const { current } = keeper.state();
  if (current !== null) void follow(current);
}
