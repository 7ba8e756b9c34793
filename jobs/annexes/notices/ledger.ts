/**
 * G4, taxonomy: the category ids of all snapshots so far; each snapshot passes them on in its `meta`. Clients store ids for years, so an id
 * must never get another meaning.
 */
import * as z from 'zod';
import { CalendarError } from '../../../src/calendar/errors.ts';
import { parsedJson } from '../../../src/calendar/json.ts';
import { compareCodePoints } from '../../../src/calendar/text.ts';
import type { Records } from '../../records.ts';

export interface Ledger {
  /** Every id ever used, in code point order. */
  readonly used: readonly string[];
  /** Ids that `retiredCategories` has listed. An id that was only removed, or mistyped, may return. */
  readonly retired: readonly string[];
}

/** For a folder without a snapshot. */
export const EMPTY_LEDGER: Ledger = { used: [], retired: [] };

const ids = z.array(z.string());
const ledgerSchema = z.object({ used: ids, retired: ids });

/** Reads the output of `ledgerText`. Throws SNAPSHOT_UNUSABLE if it is anything else. */
export function readLedger(text: string): Ledger {
  const parsed = ledgerSchema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  throw new CalendarError(
    'SNAPSHOT_UNUSABLE',
    'expected a ledger of category ids in the previous snapshot, found something else; ' +
      'move that snapshot out of the target folder to start a new ledger',
  );
}

export function ledgerText(ledger: Ledger): string {
  return JSON.stringify(ledger);
}

/**
 * The ledger with this licence's taxonomy added. Throws BUILD_REFUSED if a retired id has returned, which no option overrides: its former
 * events have been migrated, and clients that still filter by it would get others.
 */
export function nextLedger(previous: Ledger, { categories, retired }: Taxonomy): Ledger {
  const current = new Set(categories.map(({ id }) => id));
  const back = previous.retired.filter((id) => current.has(id));
  if (back.length > 0) throw refused(back);
  return {
    used: sorted([...previous.used, ...current, ...retired]),
    retired: sorted([...previous.retired, ...retired]),
  };
}

/** Ids that this licence retires and that an earlier snapshot had in use. */
export function newlyRetired(previous: Ledger, { retired }: Pick<Taxonomy, 'retired'>): readonly string[] {
  const before = new Set(previous.retired);
  const used = new Set(previous.used);
  return retired.filter((id) => used.has(id) && !before.has(id));
}

type Taxonomy = Pick<Records, 'retired'> & { readonly categories: readonly { readonly id: string }[] };

function sorted(list: readonly string[]): readonly string[] {
  return [...new Set(list)].sort(compareCodePoints);
}

function refused(back: readonly string[]): CalendarError {
  const named = back.map((id) => JSON.stringify(id)).join(', ');
  return new CalendarError(
    'BUILD_REFUSED',
    `licence.json: categories: expected no id that an earlier snapshot has retired, found ${named}; ` +
      'a retired id is never used again: give the category a new id, or take it out again',
  );
}
