/** Whether the parts of a snapshot fit together: how long each column is, and where its lists end. */
import { CalendarError } from '../calendar/errors.ts';
import { type ColumnName, type Columns, DATETIME_WIDTH, type Lists } from './columns.ts';
import type { Counts } from './meta.ts';

/** Throws SNAPSHOT_UNUSABLE with the first part that does not fit. */
export function checkShape(columns: Columns, lists: Lists, counts: Counts): void {
  for (const [name, expected, found] of [
    ...LENGTHS.map(([name, length]) => [name, length(counts, columns), columns[name].length] as const),
    ...LIST_ENDS.map(([at, list]) => [`end of ${at}`, columns[list].length, columns[at].at(-1)] as const),
    ['venues', counts.venues, lists.venues.length] as const,
    ['organizers', counts.organizers, lists.organizers.length] as const,
    ['categories', counts.categories, lists.categories.length] as const,
  ]) {
    if (found === expected) continue;
    throw new CalendarError('SNAPSHOT_UNUSABLE', `${name}: expected ${expected} entries, found ${found}`);
  }
}

type Length = (counts: Counts, columns: Columns) => number;

const rows: Length = ({ occurrences }) => occurrences;
const texts: Length = ({ occurrences }) => occurrences * DATETIME_WIDTH;
const events: Length = (counts) => counts.events;
/** One more than there are events, so that the last list has an end. */
const bounds: Length = (counts) => counts.events + 1;
const changes: Length = (_, { changeAt }) => changeAt.length;
/** As long as its `…At` column says, or as there are moments. */
const any = null;

const BY_COLUMN = {
  start: rows,
  end: rows,
  over: rows,
  predecessorsOver: rows,
  sameDayPredecessorsOver: rows,
  previous: rows,
  event: rows,
  venue: rows,
  day: rows,
  minute: rows,
  startTime: rows,
  duration: rows,
  occurrenceFlags: rows,
  ticketsURL: rows,
  prices: rows,
  startText: texts,
  endText: texts,
  publishing: events,
  eventFlags: events,
  container: events,
  occurrencesAt: bounds,
  occurrences: rows,
  organizersAt: bounds,
  organizers: any,
  categoriesAt: bounds,
  categories: any,
  tagsAt: bounds,
  tags: any,
  moments: any,
  changeAt: any,
  changeOf: changes,
  changeBy: changes,
} satisfies Readonly<Record<ColumnName, Length | null>>;

const isColumnName = (name: string): name is ColumnName => name in BY_COLUMN;

const LENGTHS: readonly (readonly [ColumnName, Length])[] = Object.entries(BY_COLUMN).flatMap(
  ([name, length]) => (length !== null && isColumnName(name) ? [[name, length] as const] : []),
);

const LIST_ENDS = [
  ['occurrencesAt', 'occurrences'],
  ['organizersAt', 'organizers'],
  ['categoriesAt', 'categories'],
  ['tagsAt', 'tags'],
] as const satisfies readonly (readonly [ColumnName, ColumnName])[];
