import * as z from 'zod';
import { CalendarError } from '../src/calendar/errors.ts';
import { compareCodePoints } from '../src/calendar/text.ts';
import type { Records } from './records.ts';

/**
 * G4: the category ids of all snapshots so far, handed on from each to the next in its `meta`. Clients keep ids for years, so
 * that an id which meant one thing may never mean another.
 */
export interface Ledger {
  /** Every id ever used, in code point order. */
  readonly used: readonly string[];
  /** Those among them that `retiredCategories` listed once. One that was only left out, or mistyped, may come back. */
  readonly retired: readonly string[];
}

/** Of a target folder without a snapshot. */
export const EMPTY_LEDGER: Ledger = { used: [], retired: [] };

const ids = z.array(z.string());
const ledgerSchema = z.object({ used: ids, retired: ids });

/** Reads what `ledgerText` wrote. Throws SNAPSHOT_UNUSABLE when it is something else. */
export function readLedger(text: string): Ledger {
  const parsed = ledgerSchema.safeParse(parse(text));
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
 * The ledger with this licence's taxonomy entered. Throws BUILD_REFUSED when a retired id has come back, which nothing may
 * override: the events that once carried it have been migrated, and clients that still ask for it would get others.
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

/** What this licence lists as retired that an earlier snapshot had and had not retired. */
export function newlyRetired(previous: Ledger, { retired }: Pick<Taxonomy, 'retired'>): readonly string[] {
  const before = new Set(previous.retired);
  const used = new Set(previous.used);
  return retired.filter((id) => used.has(id) && !before.has(id));
}

type Taxonomy = Pick<Records, 'retired'> & { readonly categories: readonly { readonly id: string }[] };

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
