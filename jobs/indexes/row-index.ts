/** The row index of a snapshot (C2): the rows of each entity and of each flag, and from when and until when they are valid. */
import { bitOf, isAccessibility } from '../../src/calendar/accessibility.ts';
import { setBit, wordsFor } from '../../src/snapshot/bitmaps.ts';
import type { Columns } from '../../src/snapshot/columns.ts';
import { EVENT_FLAGS, FLAGS, type Flag, OCCURRENCE_FLAGS } from '../../src/snapshot/flags.ts';
import type { Lists } from '../../src/snapshot/lists.ts';
import type { Calendar } from '../calendar.ts';
import { columnPairs, groupByKey, indexesByKey, type ShortLists } from './short-lists.ts';

/** Columns that are derived from others: the rows of each entity, and when events are over. */
type IndexNames =
  | 'eventOver'
  | 'venueFrom'
  | 'organizerFrom'
  | `${'venue' | 'organizer' | 'category' | 'tag' | 'container'}Rows${'' | 'At'}`
  | 'flagRows';

/** The columns that it is derived from. */
type OwnColumns = Pick<
  Columns,
  | 'event'
  | 'over'
  | 'venue'
  | 'publishing'
  | 'container'
  | 'organizers'
  | 'organizersAt'
  | 'categories'
  | 'categoriesAt'
  | 'tags'
  | 'tagsAt'
  | 'eventFlags'
  | 'occurrenceFlags'
  | 'accessibility'
>;

export function rowIndexOf(
  columns: OwnColumns,
  { venues, organizers, categories, namedByEvents }: Calendar,
  { tags, containers }: Pick<Lists, 'tags' | 'containers'>,
): Pick<Columns, IndexNames> {
  const { event, container, publishing } = columns;
  const eventOver = new Float64Array(publishing.length).fill(Number.NEGATIVE_INFINITY);
  for (const [row, over] of columns.over.entries()) {
    const ordinal = event[row] as number;
    eventOver[ordinal] = Math.max(eventOver[ordinal] as number, over);
  }
  const containerOfRow = event.map((ordinal) => container[ordinal] as number);
  const venueRows = indexesByKey(columns.venue, venues.length);
  const organizerRows = rowsOfEach(organizers.length, event, columns.organizersAt, columns.organizers);
  return {
    eventOver,
    venueFrom: listedFrom(venues, namedByEvents.venues, { rows: venueRows, columns }),
    organizerFrom: listedFrom(organizers, namedByEvents.organizers, { rows: organizerRows, columns }),
    ...columnPairs({
      venueRows,
      organizerRows,
      categoryRows: rowsOfEach(categories.length, event, columns.categoriesAt, columns.categories),
      tagRows: rowsOfEach(tags.length, event, columns.tagsAt, columns.tags),
      containerRows: indexesByKey(containerOfRow, containers.length),
    }),
    flagRows: flagRowsOf(columns),
  };
}

interface EntityRows {
  /** The rows of each entity. */
  readonly rows: ShortLists;
  readonly columns: Pick<OwnColumns, 'event' | 'publishing'>;
}

/** A9: what only events name is listed from the first of them on that is public. */
function listedFrom(
  entities: readonly { readonly id: string }[],
  namedByEvents: ReadonlySet<string>,
  { rows: { at, values }, columns: { event, publishing } }: EntityRows,
): Float64Array<ArrayBuffer> {
  return Float64Array.from(entities, ({ id }, ordinal) => {
    const rows = values.subarray(at[ordinal], at[ordinal + 1]);
    if (rows.length === 0 || !namedByEvents.has(id)) return Number.NEGATIVE_INFINITY;
    let first = Number.POSITIVE_INFINITY;
    for (const row of rows) first = Math.min(first, publishing[event[row] as number] as number);
    return first;
  });
}

/** For each of `size` keys, the list of rows whose event has it among its own values. */
function rowsOfEach(size: number, event: Int32Array, at: Int32Array, values: Int32Array): ShortLists {
  return groupByKey(size, (take) => {
    for (let row = 0; row < event.length; row++) {
      const ordinal = event[row] as number;
      const end = at[ordinal + 1] as number;
      for (let index = at[ordinal] as number; index < end; index++) take(values[index] as number, row);
    }
  });
}

/** A bitmap of rows for each flag. */
function flagRowsOf({
  event,
  eventFlags,
  occurrenceFlags,
  accessibility,
}: OwnColumns): Uint32Array<ArrayBuffer> {
  const words = wordsFor(event.length);
  const rows = new Uint32Array(FLAGS.length * words);
  const ofEvents = event.map((ordinal) => eventFlags[ordinal] as number);
  const flagColumn = (flag: Flag) => {
    if (isAccessibility(flag)) return { mask: bitOf(flag), flags: accessibility };
    if (isOfEvent(flag)) return { mask: EVENT_FLAGS[flag], flags: ofEvents };
    return { mask: OCCURRENCE_FLAGS[flag], flags: occurrenceFlags };
  };
  for (const [index, flag] of FLAGS.entries()) {
    const bitmap = rows.subarray(index * words, (index + 1) * words);
    const { mask, flags } = flagColumn(flag);
    for (let row = 0; row < event.length; row++) {
      if (((flags[row] as number) & mask) !== 0) setBit(bitmap, row);
    }
  }
  return rows;
}

function isOfEvent(flag: Flag): flag is keyof typeof EVENT_FLAGS {
  return flag in EVENT_FLAGS;
}
