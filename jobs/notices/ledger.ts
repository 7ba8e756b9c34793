/**
 * G4: the category ids of all snapshots so far; each snapshot passes them on in its `meta`, as JSON. Clients store ids for years, so an id
 * must never get another meaning.
 */
import * as z from 'zod';
import { CalendarError } from '../../src/calendar/errors.ts';
import { parsedJson } from '../../src/calendar/json.ts';
import { compareCodePoints } from '../../src/calendar/text.ts';
import type { Records } from '../records.ts';

const ids = z.array(z.string());
/** `used`: every id ever, in code point order; `retired`: those that `retiredCategories` has listed. Any other id may return. */
const ledgerSchema = z.object({ used: ids, retired: ids });

export type Ledger = Readonly<z.infer<typeof ledgerSchema>>;

/** For a folder without a snapshot. */
export const EMPTY_LEDGER: Ledger = { used: [], retired: [] };

/** Throws SNAPSHOT_UNUSABLE for another text than a ledger's. */
export function readLedger(text: string): Ledger {
  const parsed = ledgerSchema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  throw new CalendarError(
    'SNAPSHOT_UNUSABLE',
    'expected a ledger of category ids in the previous snapshot, found something else; ' +
      'move that snapshot out of the target folder to start a new ledger',
  );
}

type Taxonomy = Pick<Records, 'retired'> & { readonly categories: readonly { readonly id: string }[] };

/**
 * The ledger with this licence's taxonomy added. Throws BUILD_REFUSED if a retired id has returned, which no option overrides: its former
 * events have been migrated, and clients that still filter by it would get others.
 */
export function nextLedger(previous: Ledger, { categories, retired }: Taxonomy): Ledger {
  const current = new Set(categories.map(({ id }) => id));
  const back = previous.retired.filter((id) => current.has(id));
  if (back.length > 0) {
    const named = back.map((id) => JSON.stringify(id)).join(', ');
    throw new CalendarError(
      'BUILD_REFUSED',
      `licence.json: categories: expected no id that an earlier snapshot has retired, found ${named}; ` +
        'a retired id is never used again: give the category a new id, or remove it',
    );
  }
  const sorted = (list: readonly string[]) => [...new Set(list)].sort(compareCodePoints);
  return {
    used: sorted([...previous.used, ...current, ...retired]),
    retired: sorted([...previous.retired, ...retired]),
  };
}
