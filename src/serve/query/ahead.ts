/** What is read of a snapshot before anybody asks for it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Snapshot } from '../../snapshot/open.ts';
import { viewAt } from './view.ts';

/**
 * Reads events before anyone asks for them, the next to come first, until memory has as many as it keeps or nobody wants
 * them any more. The snapshot has to stay open until then.
 */
export async function readAhead(snapshot: Snapshot, now: number, isWanted: () => boolean): Promise<void> {
  const { fragments, columns } = viewAt(snapshot, now);
  const { event, over } = columns;
  const isRead = new Uint8Array(columns.publishing.length);
  let batch: number[] = [];
  const readBatch = async () => {
    await fragments.keep(batch);
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
    if (!isWanted() || fragments.isFull()) return;
  }
  await readBatch();
}

/** Bodies that one statement reads: some 0.2 ms in which requests wait, and then they have the thread for themselves. */
const BATCH = 20;
const PAUSE_MS = 2;
