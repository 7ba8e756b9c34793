/** Which rows of a table are one event. */
import { addToGroup, groupBy } from '../../../../src/calendar/groups.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import type { Ids } from '../ical/ids.ts';
import type { Row } from '../table-rows.ts';
import { titleWithoutState } from '../title-words.ts';
import { readRow } from './read-row.ts';
import type { ReadRow, TableContext } from './row.ts';

export type Group = readonly ReadRow[];

/** Rows of one event, in the table's order: those with equal ids or, without ids, with equal title and place. */
export function groupsOf(rows: readonly Row[], context: TableContext): readonly Group[] {
  const groups = new Map<string, ReadRow[]>();
  for (const row of rows) {
    const read = readRow(row, context);
    if (read === null) continue;
    const title = nameKey(titleWithoutState(read.title));
    const key = read.id === '' ? `title ${title}\n${read.place}` : `id ${read.id}`;
    addToGroup(groups, key, read);
  }
  return [...groups.values()];
}

interface EventRows {
  readonly rows: Group;
  /** Added to the id that is derived from title and place; empty for the first place. */
  readonly suffix: string;
}

/** F11: the same name in several municipalities means several places, and thus several events. They are numbered like events with one UID (L4). */
export function placesIn(group: Group, ids: Ids): readonly EventRows[] {
  const [first] = group;
  const firstTown = group.find(({ municipality }) => municipality !== '')?.municipality;
  if (first === undefined || first.id !== '' || firstTown === undefined) return [{ rows: group, suffix: '' }];
  const townOfVenue = new Map<string | null, string>();
  const townOf = ({ municipality, values: { venue } }: ReadRow): string => {
    if (municipality === '') return firstTown;
    // The name of a town may be written in two ways.
    const town = townOfVenue.get(venue) ?? municipality;
    townOfVenue.set(venue, town);
    return town;
  };
  const byTown = groupBy(group, townOf);
  const base = `${nameKey(titleWithoutState(first.title))}\n${first.place}`;
  const uids = ids.assign(base, [...byTown.keys()]);
  return [...byTown.values()].map((rows, nth) => ({ rows, suffix: uids[nth]?.slice(base.length) ?? '' }));
}
