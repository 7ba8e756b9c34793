/** Snapshots that another builder has put into a store, and those of them that this builder may not replace. */

import { ANOTHER_CALENDAR } from '../../../src/annexes/common/upkeep.ts';
import { failureText } from '../../../src/calendar/failures.ts';
import { MANIFEST } from '../../../src/snapshot/files.ts';
import type { Manifest } from '../../../src/snapshot/manifest.ts';
import { type Store, StoreProblem } from '../../kit/s3.ts';

/** A snapshot of another builder. */
export type Foreign = Pick<Manifest, 'id' | 'builtAt'>;

/** The store has a later build of another builder, or another calendar. */
export class ForeignThere extends StoreProblem {
  /** The later build; null for another calendar. */
  readonly foreign: Foreign | null;

  constructor(why: string, message: string, foreign: Foreign | null) {
    super(why, message);
    this.name = 'ForeignThere';
    this.foreign = foreign;
  }
}

/** Throws ForeignThere unless a local snapshot may replace the one that another builder has put there. */
export function checkReplaceable(store: Store, local: Manifest, stored: Manifest): void {
  const foreign: Foreign = { id: stored.id, builtAt: stored.builtAt };
  checkSameCalendar(store, local.licence, stored.licence);
  // If two builds are of the same second, that of the other builder stays.
  if (Date.parse(local.builtAt) > Date.parse(stored.builtAt)) return;
  const expected = `${store.name}: expected no later build than ours of ${local.builtAt}`;
  const found = `${foreign.id} of ${foreign.builtAt}, by another builder: only one builder may publish to a store`;
  throw new ForeignThere('newer build there', `${expected}, found ${found}`, foreign);
}

/** Throws ForeignThere if the licences have different ids. Manifests of early builds have none. */
export function checkSameCalendar(store: Store, local: string | undefined, stored: string | undefined): void {
  if (local === undefined || stored === undefined || local === stored) return;
  const ids = { local: JSON.stringify(local), stored: JSON.stringify(stored) };
  const found = `${store.name}: ${failureText('otherCalendar', ids)}`;
  const advice = 'publish each calendar to a place of its own';
  const renamed = `If this calendar has got a new licence id, delete ${MANIFEST} there`;
  throw new ForeignThere(ANOTHER_CALENDAR, `${found}: ${advice}. ${renamed}`, null);
}
