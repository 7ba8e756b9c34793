/** Makes what is made of a snapshot only once, before the first request needs it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Snapshot } from '../../snapshot/open.ts';
import { CARRIED_LISTS } from './carriers.ts';
import { type View, viewAt } from './view.ts';

/** A part in each turn of the event loop: of 250,000 rows none takes longer than 20 ms, all of them together may. */
export async function prepareView(snapshot: Snapshot, now: number): Promise<void> {
  const view = viewAt(snapshot, now);
  for (const prepare of PARTS) {
    await nextTurn();
    prepare(view);
  }
}

const PARTS: readonly ((view: View) => void)[] = [
  ...CARRIED_LISTS.map((list) => (view: View) => void view.carriers.carrying(list, [])),
  (view) => void view.tally.count(new Int32Array(0)),
];
