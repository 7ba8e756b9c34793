/**
 * Reads the events of each new snapshot ahead, while it already answers requests: without it, the first 8,000 different ones take 1.2
 * times the CPU.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../calendar/errors.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { readFragments } from '../../serve/query/node.ts';
import { viewAt } from '../../serve/query/view.ts';
import type { Snapshot } from '../../snapshot/open.ts';

type Context = Pick<ServeContext, 'keeper' | 'log' | 'clock' | 'isStopping'>;

export function create({ keeper, log, clock, isStopping }: Context): ServePart {
  const follow = async (snapshot: Snapshot) => {
    const isWanted = () => keeper.state().current === snapshot && !isStopping();
    if (!isWanted()) return;
    const pin = keeper.pin();
    try {
      await readAhead(snapshot, Math.floor(clock() / 1_000), isWanted);
    } catch (cause) {
      // Requests read for themselves, and report their own errors.
      log.warn({ reason: messageOf(cause), id: snapshot.id }, 'events not read ahead');
    } finally {
      pin.release();
    }
  };
  const close = keeper.onSwap((snapshot) => void follow(snapshot));
  const onListen = () => {
    const { current } = keeper.state();
    if (current !== null) void follow(current);
  };
  return { onListen, close };
}

/** The next to begin first, until the cache is full or `isWanted` returns false. The snapshot must stay open until then. */
export async function readAhead(snapshot: Snapshot, now: number, isWanted: () => boolean): Promise<void> {
  // This also makes the view before the first request.
  const view = viewAt(snapshot, now);
  const { event, over, publishing } = view.columns;
  const isRead = new Uint8Array(publishing.length);
  let batch: number[] = [];
  const readBatch = async () => {
    await readFragments(view, batch);
    batch = [];
    await pause(PAUSE_MS);
  };
  for (let row = 0; row < event.length; row++) {
    const ordinal = event[row] as number;
    if ((over[row] as number) <= now || isRead[ordinal] === 1) continue;
    isRead[ordinal] = 1;
    batch.push(ordinal);
    if (batch.length < BATCH) continue;
    await readBatch();
    if (!isWanted() || view.bodies.isFull()) return;
  }
  await readBatch();
}

/** Bodies that one statement reads: some 0.2 ms for which requests wait, with a pause after it. */
const BATCH = 20;
const PAUSE_MS = 2;
